package embedded

import (
	"context"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// waiter is a pop. While it is parked it is an entry in its group's list, and
// whoever makes a lane claimable claims on its behalf, under the queue's lock:
// no wake-up is lost and none is wasted, and parked pops are served in the order
// they came.
type waiter struct {
	queueName  string
	group      string
	pinned     bool
	lane       string
	batch      int
	partitions int
	lease      int // seconds, 0 for the queue's
	wait       time.Duration

	// The rest is set while parked and guarded by the queue's lock until ready is
	// closed.
	queue      *queue
	list       *waiterList
	next, prev *waiter
	turn       uint64
	timeout    clock.Timer
	ready      chan struct{}
	delivery   *delivery
	write      *write
	err        error
}

func newWaiter(req queen.PopRequest) *waiter {
	w := &waiter{
		queueName: req.Queue, group: req.Group, batch: max(req.Batch, 1), partitions: max(req.Partitions, 1),
		lease: req.LeaseSeconds, wait: req.Wait,
	}
	if w.group == "" {
		w.group = queen.DefaultGroup
	}
	if req.Lane != nil {
		w.pinned, w.lane, w.partitions = true, *req.Lane, 1
		if w.lane == "" {
			w.lane = queen.DefaultPartition
		}
	}
	return w
}

func (w *waiter) leaseMicros(q *queue) int64 {
	if w.lease > 0 {
		return int64(w.lease) * 1e6
	}
	return int64(max(q.opts.LeaseTime, 0)) * 1e6
}

// park files the waiter. The command that parks it must still finish.
func (q *queue) park(g *group, w *waiter) {
	w.queue = q
	w.ready = make(chan struct{})
	w.list = &g.wild
	if w.pinned {
		if g.pinned[w.lane] == nil {
			g.pinned[w.lane] = &waiterList{}
		}
		w.list = g.pinned[w.lane]
	}
	q.turns++
	w.turn = q.turns
	w.list.push(w)
	q.parked++
	w.timeout = q.e.clock.AfterFunc(w.wait, func() { q.e.alarmed(func() { q.e.expire(w) }) })
}

// leave takes the waiter out of its list.
func (w *waiter) leave() {
	q := w.queue
	w.list.remove(w)
	q.parked--
	w.timeout.Stop()
	g := q.groups[w.group]
	if w.pinned && w.list.first == nil && g != nil && g.pinned[w.lane] == w.list {
		delete(g.pinned, w.lane)
	}
	w.list = nil
}

// parked reports whether nobody has answered the waiter yet.
func (w *waiter) parked() bool { return w.list != nil }

// dismiss answers the waiter without a delivery.
func (w *waiter) dismiss(err error) {
	if !w.parked() {
		return
	}
	w.leave()
	w.err = err
	close(w.ready)
}

// expire ends the wait of a pop that nobody served.
func (e *Engine) expire(w *waiter) {
	c := e.begin(scope{queues: []string{w.queueName}})
	if c.queues[0] == w.queue {
		w.queue.serve(c)
		w.dismiss(nil)
	}
	if err := c.finish(); err != nil {
		e.log.Error("ending a long poll", "error", err)
	}
}

// await waits for a parked pop's answer or its context.
func (e *Engine) await(ctx context.Context, w *waiter) (queen.PopResult, error) {
	select {
	case <-w.ready:
		return e.answer(ctx, w)
	case <-ctx.Done():
	}
	e.unpark(w)
	return queen.PopResult{}, ctx.Err()
}

func (e *Engine) answer(ctx context.Context, w *waiter) (queen.PopResult, error) {
	if w.delivery == nil {
		return queen.PopResult{}, w.err
	}
	if err := w.write.wait(); err != nil {
		e.drop(w.delivery)
		return queen.PopResult{}, err
	}
	return e.hand(ctx, w)
}

// unpark withdraws a pop whose client has gone. A claim that was just made for
// it is taken back, with its delivery attempt, and goes to the next in line.
func (e *Engine) unpark(w *waiter) {
	e.gate.RLock()
	if e.closed {
		e.gate.RUnlock()
		if w.queue != nil {
			<-w.ready // Close answers everybody who is parked
		}
		e.drop(w.delivery)
		return
	}
	defer e.gate.RUnlock()
	if e.broken.Load() != nil {
		if w.queue != nil {
			w.queue.mu.Lock()
			if w.parked() {
				w.leave()
			}
			w.queue.mu.Unlock()
		}
		e.drop(w.delivery)
		return
	}
	c := e.begin(scope{queues: []string{w.queueName}})
	if w.parked() {
		w.leave()
	}
	if w.delivery != nil {
		c.queues[0].takeBack(c, w.delivery.lease)
	}
	if err := c.finish(); err != nil {
		e.log.Error("withdrawing a long poll", "error", err)
	}
	e.drop(w.delivery)
}

// drop ends a delivery that nobody takes.
func (e *Engine) drop(d *delivery) {
	if d != nil {
		d.reader.close()
		e.deliveries.Done()
	}
}

// takeBack undoes a claim nobody received.
func (q *queue) takeBack(c *command, held *claim) {
	for _, cons := range append([]*consumer(nil), held.consumers...) {
		if cons.lane.gone || cons.lease != held.id {
			continue
		}
		cons.release()
		if cons.attempts--; cons.attempts <= 0 {
			cons.attempts, cons.attemptOffset = 0, -1
		}
		cons.save(c)
		cons.place(c.now)
	}
}

// serve claims on behalf of parked pops until none of them can have anything.
func (q *queue) serve(c *command) {
	if q.parked == 0 {
		for _, g := range q.groups {
			g.awaited = nil
			stop(&g.alarm)
		}
		return
	}
	for _, g := range q.groups {
		if g.waiting() {
			g.settle(c.now)
			q.servePinned(c, g)
			q.serveWild(c, g)
		}
		g.awaited = nil
		g.arm(c)
	}
}

func (q *queue) serveWild(c *command, g *group) {
	for g.wild.first != nil && g.ready.first != nil {
		if !q.grant(c, g, g.wild.first) && g.ready.first == nil {
			return
		}
	}
}

// servePinned gives lanes that just became ready to pops pinned to them, unless
// a wildcard pop has waited longer.
func (q *queue) servePinned(c *command, g *group) {
	for i := 0; i < len(g.awaited); i++ {
		cons := g.awaited[i]
		for cons.listed {
			waiters := g.pinned[cons.lane.name]
			if waiters == nil {
				break
			}
			w := waiters.first
			if first := g.wild.first; first != nil && first.turn < w.turn {
				w = first
			}
			q.grant(c, g, w)
		}
	}
}

// grant claims for a parked pop.
func (q *queue) grant(c *command, g *group, w *waiter) bool {
	d := q.claim(c, g, w)
	if d == nil {
		return false
	}
	w.leave()
	w.delivery = d
	q.e.deliveries.Add(1)
	c.served = append(c.served, w)
	return true
}

// arm sets the group's alarm for the next consumer that becomes claimable by
// itself, while somebody waits.
func (g *group) arm(c *command) {
	if !g.waiting() || len(g.due) == 0 {
		stop(&g.alarm)
		return
	}
	at := g.due[0].wakeAt
	if g.alarm != nil && g.alarmAt == at {
		return
	}
	stop(&g.alarm)
	g.alarmAt = at
	e, name := c.e, g.queue.name
	g.alarm = e.clock.AfterFunc(time.Duration(at-c.now)*time.Microsecond, func() {
		e.alarmed(func() { e.ring(name) })
	})
}

// ring serves the parked pops of a queue; finishing a command does it.
func (e *Engine) ring(name string) {
	c := e.begin(scope{queues: []string{name}})
	for _, g := range c.queues[0].groups {
		stop(&g.alarm)
	}
	if err := c.finish(); err != nil {
		e.log.Error("serving parked pops", "error", err)
	}
}

func (q *queue) waiting() bool { return q.parked > 0 }

func (g *group) waiting() bool { return g.wild.first != nil || len(g.pinned) > 0 }

func (g *group) everyWaiter() (all []*waiter) {
	for w := g.wild.first; w != nil; w = w.next {
		all = append(all, w)
	}
	for _, list := range g.pinned {
		for w := list.first; w != nil; w = w.next {
			all = append(all, w)
		}
	}
	return all
}

// waiterList is first come, first served, with removal from the middle.
type waiterList struct{ first, last *waiter }

func (l *waiterList) push(w *waiter) {
	w.prev, w.next = l.last, nil
	if l.last != nil {
		l.last.next = w
	} else {
		l.first = w
	}
	l.last = w
}

func (l *waiterList) remove(w *waiter) {
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		l.first = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	} else {
		l.last = w.prev
	}
	w.prev, w.next = nil, nil
}
