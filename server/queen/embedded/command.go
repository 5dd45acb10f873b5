package embedded

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// command is one change of state: the locks it holds, its instant, and the rows
// it leaves in the journal.
type command struct {
	e      *Engine
	now    int64
	queues []*queue
	kv     bool
	timers bool
	batch  *pebble.Batch
	served []*waiter
	claims []*delivery
}

// scope names what a command locks.
type scope struct {
	queues []string
	kv     bool
	timers bool
}

// begin takes the locks of a scope. A queue that does not exist is locked all
// the same, as a ghost: it vanishes again unless the command makes it real.
func (e *Engine) begin(s scope) *command {
	slices.Sort(s.queues)
	s.queues = slices.Compact(s.queues)
	c := &command{e: e, kv: s.kv, timers: s.timers}
	for _, name := range s.queues {
		c.queues = append(c.queues, e.lockQueue(name))
	}
	if s.kv {
		e.kv.mu.Lock()
	}
	if s.timers {
		e.timers.mu.Lock()
	}
	c.now = e.micros()
	for _, q := range c.queues {
		q.clock = max(q.clock, c.now)
	}
	return c
}

func (e *Engine) lockQueue(name string) *queue {
	for {
		e.mu.Lock()
		q := e.queues[name]
		if q == nil {
			q = newQueue(e, name)
			e.queues[name] = q
		}
		e.mu.Unlock()
		q.mu.Lock()
		if !q.dead {
			return q
		}
		q.mu.Unlock()
	}
}

// queue is the locked queue of a name.
func (c *command) queue(name string) *queue {
	i, ok := slices.BinarySearchFunc(c.queues, name, func(q *queue, name string) int {
		return strings.Compare(q.name, name)
	})
	if !ok {
		panic("embedded: queue is not locked by this command")
	}
	return c.queues[i]
}

// finish serves the parked pops that the change concerns, hands the rows to the
// journal, gives the locks back and waits until what the command wrote or saw is
// on disk.
func (c *command) finish() error {
	for _, q := range c.queues {
		q.serve(c)
		q.arm(c.now)
	}
	if c.kv {
		c.e.kv.arm(c.e, c.now)
	}
	if c.timers {
		c.e.timers.arm(c.e, c.now)
	}
	own := c.e.submit(c.batch)
	seen := c.remember(own)
	for _, d := range c.claims {
		if len(d.absent) > 0 {
			// Not before the rows are applied: a claim can be of messages that the
			// same command pushed.
			d.reader = c.e.bodyReader()
		}
	}
	for _, w := range c.served {
		w.write = own
		close(w.ready)
	}
	c.unlock()
	if own != nil {
		return own.wait()
	}
	for _, w := range seen {
		if err := w.wait(); err != nil {
			return err
		}
	}
	return nil
}

// remember makes own the last write of everything the command locked. When it
// wrote nothing, it answers the writes whose effects it saw.
func (c *command) remember(own *write) (seen []*write) {
	note := func(last **write) {
		if own != nil {
			*last = own
			return
		}
		if *last != nil {
			seen = append(seen, *last)
		}
	}
	for _, q := range c.queues {
		note(&q.last)
	}
	if c.kv {
		note(&c.e.kv.last)
	}
	if c.timers {
		note(&c.e.timers.last)
	}
	return seen
}

func (c *command) unlock() {
	if c.timers {
		c.e.timers.mu.Unlock()
	}
	if c.kv {
		c.e.kv.mu.Unlock()
	}
	for _, q := range slices.Backward(c.queues) {
		if !q.exists && !q.waiting() {
			q.bury()
		}
		q.mu.Unlock()
	}
}

// abandon gives the locks back after a refusal. The command must not have
// changed anything but counters; their marks still have to reach the disk,
// because a later command may use numbers below them. It waits for what the
// refusal tells of.
func (c *command) abandon() error {
	if c.batch == nil {
		seen := c.remember(nil)
		c.unlock()
		for _, w := range seen {
			if err := w.wait(); err != nil {
				return err
			}
		}
		return nil
	}
	own := c.e.submit(c.batch)
	c.remember(own)
	c.unlock()
	return own.wait()
}

func (c *command) rows() *pebble.Batch {
	if c.batch == nil {
		c.batch = c.e.journal.db.NewBatch()
	}
	return c.batch
}

func (c *command) set(key, value []byte) {
	if c.e.journal.db != nil {
		c.must(c.rows().Set(key, value, nil))
	}
}

func (c *command) delete(key []byte) {
	if c.e.journal.db != nil {
		c.must(c.rows().Delete(key, nil))
	}
}

func (c *command) deleteRange(from, to []byte) {
	if c.e.journal.db != nil {
		c.must(c.rows().DeleteRange(from, to, nil))
	}
}

func (c *command) must(err error) {
	if err != nil {
		panic(fmt.Sprintf("embedded: building a batch in memory failed: %v", err))
	}
}

// counter hands out numbers that never repeat, also across restarts: the journal
// holds a mark ahead of every number given out, and a restart begins at it.
type counter struct {
	mu   sync.Mutex
	row  []byte
	last uint64
	mark uint64
}

const counterStep = 1000

func (n *counter) next(c *command) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	if n.last > n.mark {
		n.mark = n.last + counterStep
		var w rowWriter
		w.int(int64(n.mark))
		c.set(n.row, w)
	}
	return n.last
}

// has reports whether the command holds a queue's lock.
func (c *command) has(name string) bool {
	return slices.ContainsFunc(c.queues, func(q *queue) bool { return q.name == name })
}
