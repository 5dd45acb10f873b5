package embedded

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// maxQueueName is the longest queue name in characters.
const maxQueueName = 255

// queue is one queue with everything that goes when it is deleted. Under a name
// that has parked pops but no queue it is a ghost: exists is false and nobody
// sees it.
type queue struct {
	e    *Engine
	name string

	mu sync.Mutex
	// dead marks an object that left Engine.queues; whoever finds it looks again.
	dead    bool
	exists  bool
	num     uint64
	id      uid
	created int64
	opts    queen.Options

	// clock is the latest instant a command saw. It never goes back, so neither
	// does a message's createdAt.
	clock   int64
	lanes   map[string]*lane
	order   []*lane // by creation
	groups  map[string]*group
	dedup   dedupTable
	letters deadLetters
	turns   uint64 // of parked pops
	// live is the number of messages at or above their lane's floor.
	live   int64
	parked int
	last   *write

	dirty []*lane
	sweep sweeper
}

func newQueue(e *Engine, name string) *queue {
	q := &queue{e: e, name: name}
	q.clear()
	return q
}

// clear empties the queue; parked pops stay.
func (q *queue) clear() {
	q.lanes = map[string]*lane{}
	q.order, q.dirty = nil, nil
	groups := map[string]*group{}
	for name, g := range q.groups {
		if g.waiting() {
			groups[name] = g
			g.reset()
		}
	}
	q.groups = groups
	q.group(queen.DefaultGroup)
	q.dedup = dedupTable{}
	q.letters, q.live = deadLetters{}, 0
	q.exists = false
	q.sweep.cancel()
}

// group answers the group of a name, made when missing.
func (q *queue) group(name string) *group {
	g := q.groups[name]
	if g != nil {
		return g
	}
	g = &group{queue: q, name: name, pinned: map[string]*waiterList{}}
	q.groups[name] = g
	for _, l := range q.order {
		q.join(l, g)
	}
	return g
}

func (q *queue) join(l *lane, g *group) *consumer {
	c := &consumer{lane: l, group: g, committed: -1, claimStart: -1, attemptOffset: -1, heapIndex: -1}
	l.consumers = append(l.consumers, c)
	c.place(q.clock)
	return c
}

// materialize creates the queue when it does not exist.
func (q *queue) materialize(c *command, opts queen.Options) {
	if q.exists {
		return
	}
	q.exists = true
	q.num = c.e.numbers.next(c)
	q.id = c.e.ids.anonymous()
	q.created = q.clock
	q.opts = opts
	c.set(queueKey(q.num), q.row())
}

// lane answers the lane of a name, made when missing. The queue must exist.
func (q *queue) lane(c *command, name string) *lane {
	if l := q.lanes[name]; l != nil {
		return l
	}
	l := &lane{queue: q, num: c.e.numbers.next(c), id: c.e.ids.anonymous(), name: name, used: q.clock}
	q.adopt(l)
	c.set(laneKey(q.num, l.num), l.row())
	return l
}

func (q *queue) adopt(l *lane) {
	q.lanes[l.name] = l
	q.order = append(q.order, l)
	for _, g := range q.groups {
		q.join(l, g)
	}
	q.e.lanes.put(l)
}

// bury takes an empty ghost out of the engine.
func (q *queue) bury() {
	q.dead = true
	q.sweep.cancel()
	for _, g := range q.groups {
		stop(&g.alarm)
	}
	q.e.mu.Lock()
	delete(q.e.queues, q.name)
	q.e.mu.Unlock()
}

// row is the queue in the journal.
func (q *queue) row() []byte {
	opts, err := json.Marshal(q.opts)
	if err != nil {
		panic("embedded: options do not marshal: " + err.Error())
	}
	var w rowWriter
	w.text(q.name)
	w.uid(q.id)
	w.int(q.created)
	w.rest(opts)
	return w
}

// snapshot lists the engine's queues, ghosts among them.
func (e *Engine) snapshot() []*queue {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]*queue, 0, len(e.queues))
	for _, q := range e.queues {
		all = append(all, q)
	}
	return all
}

// peek locks a queue for reading; nil when it does not exist.
func (e *Engine) peek(name string) *queue {
	e.mu.Lock()
	q := e.queues[name]
	e.mu.Unlock()
	if q == nil {
		return nil
	}
	q.mu.Lock()
	if !q.exists || q.dead {
		q.mu.Unlock()
		return nil
	}
	q.clock = max(q.clock, e.micros())
	return q
}

// Configure implements queen.Broker. It replaces the whole set of options. A
// negative dedup window or MinPopWaitTime reads as 0, a MinPopWaitTime above 60000 as 60000; a
// name that is too long or holds a NUL, and a number beyond 32 bit, are what
// Queen answers to them: status 500 (queen-wire 5.2).
func (e *Engine) Configure(ctx context.Context, _ queen.Token, name string, opts queen.Options) (queen.Options, error) {
	if err := e.enter(ctx, ""); err != nil {
		return queen.Options{}, err
	}
	defer e.leave()
	if name == "" {
		return queen.Options{}, refusal(400, field{"error", "queue is required"})
	}
	if utf8.RuneCountInString(name) > maxQueueName || strings.ContainsRune(name, 0) || !fits32(opts) {
		return queen.Options{}, refusal(500, field{"error", "configure failed: db error"})
	}
	opts.DedupWindowSeconds = max(opts.DedupWindowSeconds, 0)
	opts.MinPopWaitTime = min(max(opts.MinPopWaitTime, 0), 60000)

	c := e.begin(scope{queues: []string{name}})
	q := c.queues[0]
	if q.exists {
		q.opts = opts
		c.set(queueKey(q.num), q.row())
		q.replace()
	} else {
		q.materialize(c, opts)
	}
	q.expireDedup(c)
	return opts, c.finish()
}

func fits32(o queen.Options) bool {
	for _, v := range []int{o.Priority, o.LeaseTime, o.RetryLimit, o.RetryDelay, o.MaxSize, o.TTL, o.DelayedProcessing,
		o.WindowBuffer, o.RetentionSeconds, o.CompletedRetentionSeconds, o.MaxWaitTimeSeconds, o.MinPopWaitTime,
		o.DedupWindowSeconds} {
		if v != int(int32(v)) {
			return false
		}
	}
	return true
}

// replace puts every consumer where the present options want it.
func (q *queue) replace() {
	for _, l := range q.order {
		for _, c := range l.consumers {
			c.place(q.clock)
		}
	}
	q.sweep.cancel() // retention may have come nearer
}

// DeleteQueue implements queen.Broker. Pops that are parked on the name stay
// parked and are answered by a later queue of that name.
func (e *Engine) DeleteQueue(ctx context.Context, _ queen.Token, name string) (bool, error) {
	if err := e.enter(ctx, ""); err != nil {
		return false, err
	}
	defer e.leave()
	c := e.begin(scope{queues: []string{name}})
	q := c.queues[0]
	if !q.exists {
		return false, c.finish()
	}
	c.delete(queueKey(q.num))
	for _, space := range queueSpaces {
		c.deleteRange(numKey(space, q.num), numKey(space, q.num+1))
	}
	for _, l := range q.order {
		q.discard(l)
	}
	q.clear()
	return true, c.finish()
}

// discard takes a lane out of the engine's indexes.
func (q *queue) discard(l *lane) {
	l.gone = true
	q.e.lanes.remove(l.id)
	for _, c := range l.consumers {
		c.rest()
		q.e.leases.remove(c)
	}
	for off := l.start; off < l.next; off++ {
		q.e.bodies.release(&l.at(off).body)
	}
	l.chunks = nil
}

// ListQueues implements queen.Broker.
func (e *Engine) ListQueues(ctx context.Context, _ queen.Token) ([]queen.QueueInfo, error) {
	if err := e.enter(ctx, ""); err != nil {
		return nil, err
	}
	defer e.leave()
	type row struct {
		info queen.QueueInfo
		num  uint64
	}
	var rows []row
	var seen []*write
	for _, q := range e.snapshot() {
		q.mu.Lock()
		if q.exists {
			info := queen.QueueInfo{
				ID: q.id.String(), Name: q.name, CreatedAt: instant(q.created), Partitions: len(q.order),
			}
			for _, l := range q.order {
				info.Messages += l.next - l.floor
			}
			rows = append(rows, row{info, q.num})
		}
		if q.last != nil {
			seen = append(seen, q.last)
		}
		q.mu.Unlock()
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(b.num, a.num) })
	infos := make([]queen.QueueInfo, len(rows))
	for i, r := range rows {
		infos[i] = r.info
	}
	for _, w := range seen {
		if err := w.wait(); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

// instant turns microseconds into a time; 0 is the zero time.
func instant(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// shutdown ends everything that waits on the queue, for Close.
func (q *queue) shutdown() {
	q.sweep.cancel()
	for _, g := range q.groups {
		stop(&g.alarm)
		for _, w := range g.everyWaiter() {
			w.dismiss(&queen.TransportError{Err: errClosed})
		}
	}
}

// sweeper is a queue's housekeeping alarm.
type sweeper struct {
	alarm clock.Timer
	due   int64 // when alarm rings, 0 when it is not set
	ran   int64
}

func (s *sweeper) cancel() {
	stop(&s.alarm)
	s.due = 0
}
