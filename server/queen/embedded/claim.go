package embedded

import (
	"context"
	"fmt"
	"sync"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// claim is what one pop took: spans of lanes under one lease.
type claim struct {
	id        uid
	queue     *queue
	consumers []*consumer
}

// delivery is a claim on its way to the client. Bodies that the heap does not
// have are read after the locks are gone.
type delivery struct {
	result queen.PopResult
	absent []absence
	reader *bodyReader
	lease  *claim
}

// absence is a message whose body has to be read.
type absence struct {
	index      int
	queue, num uint64
	offset     int64
	id, key    uid
}

// Pop implements queen.Broker. A wildcard pop creates a queue that does not
// exist, with the options of an implicit one; a pinned pop creates nothing. An
// empty lane name means DefaultPartition.
func (e *Engine) Pop(ctx context.Context, _ queen.Token, req queen.PopRequest) (queen.PopResult, error) {
	if err := e.enter(ctx, ""); err != nil {
		return queen.PopResult{}, err
	}
	w := newWaiter(req)
	parked, err := e.tryPop(w)
	e.leave()
	switch {
	case parked && err == nil:
		return e.await(ctx, w)
	case parked:
		e.unpark(w)
		return queen.PopResult{}, err
	case err != nil:
		e.drop(w.delivery)
		return queen.PopResult{}, err
	case w.delivery == nil:
		return queen.PopResult{}, nil
	}
	return e.hand(ctx, w)
}

// hand gives a claim to its client, unless that has gone by now.
func (e *Engine) hand(ctx context.Context, w *waiter) (queen.PopResult, error) {
	if err := ctx.Err(); err != nil {
		e.unpark(w)
		return queen.PopResult{}, err
	}
	return e.complete(w.delivery)
}

// tryPop claims at once or parks the pop.
func (e *Engine) tryPop(w *waiter) (parked bool, err error) {
	c := e.begin(scope{queues: []string{w.queueName}})
	q := c.queues[0]
	if !q.exists && !w.pinned {
		q.materialize(c, queen.ImplicitOptionsOf(q.name))
	}
	g := q.group(w.group)
	if q.exists {
		g.register(c)
	}
	q.serve(c) // parked pops come first
	w.delivery = q.claim(c, g, w)
	if w.delivery != nil {
		e.deliveries.Add(1)
	} else if w.wait > 0 {
		q.park(g, w)
		parked = true
	}
	return parked, c.finish()
}

// complete reads what is missing of a delivery.
func (e *Engine) complete(d *delivery) (queen.PopResult, error) {
	defer e.deliveries.Done()
	defer d.reader.close()
	for _, a := range d.absent {
		b, err := d.reader.read(a.queue, a.num, a.offset)
		if err != nil {
			e.log.Error("a claimed message cannot be read", "error", err)
			return queen.PopResult{}, refusal(500, field{"error", "pop failed"})
		}
		fill(&d.result.Messages[a.index], a.id, a.key, b)
	}
	return d.result, nil
}

func fill(m *queen.Message, id, key uid, b *body) {
	m.Payload = b.payload
	if id == key {
		m.TransactionID = m.ID
	} else {
		m.TransactionID = b.txn
	}
}

// claim takes what the request may have, nil when nothing is claimable.
func (q *queue) claim(c *command, g *group, w *waiter) *delivery {
	g.settle(c.now)
	d := &delivery{}
	budget := w.batch
	var taken []*consumer
	take := func(cons *consumer) {
		n := q.take(c, cons, w, d, budget)
		budget -= n
		if n > 0 {
			taken = append(taken, cons)
		}
	}
	if w.pinned {
		l := q.lanes[w.lane]
		if l == nil {
			return nil
		}
		if cons := l.consumer(g); cons.listed {
			take(cons)
		}
	} else {
		for budget > 0 && len(taken) < w.partitions && g.ready.first != nil {
			take(g.ready.first)
		}
	}
	for _, cons := range taken {
		cons.place(c.now)
	}
	if len(taken) == 0 {
		return nil
	}
	d.lease.consumers = taken
	d.result.LeaseID = d.lease.id.String()
	d.result.PartitionsClaimed = len(taken)
	q.e.leases.put(d.lease)
	c.claims = append(c.claims, d)
	return d
}

// take claims up to budget messages of a ready consumer and answers how many.
// Afterwards the consumer is not among the ready; the caller places it.
func (q *queue) take(c *command, cons *consumer, w *waiter, d *delivery, budget int) int {
	l := cons.lane
	q.retain(c, l)
	cons.rest()
	if !cons.pending() {
		return 0
	}
	from, delay := cons.head(), q.delay()
	to := from
	for to < l.next && to-from < int64(budget) && (delay == 0 || l.at(to).at+delay <= c.now) {
		to++
	}
	if to == from {
		cons.place(c.now)
		return 0
	}
	if d.lease == nil {
		d.lease = &claim{id: q.e.ids.next(c.now), queue: q}
	}
	q.e.leases.remove(cons)
	cons.exists = true
	cons.lease = d.lease.id
	cons.expires = c.now + w.leaseMicros(q)
	cons.batchEnd = to - 1
	cons.claimStart = from
	if cons.attemptOffset == from {
		cons.attempts++
	} else {
		cons.attempts = 1
	}
	cons.attemptOffset = from
	cons.save(c)
	l.collect()

	id, leaseID := l.id.String(), d.lease.id.String()
	for off := from; off < to; off++ {
		r := l.at(off)
		m := queen.Message{
			ID: r.id.String(), Partition: l.name, PartitionID: id, LeaseID: leaseID,
			CreatedAt: instant(r.at), Attempt: int(cons.attempts), Offset: off,
		}
		if r.body != nil {
			fill(&m, r.id, r.key, r.body)
		} else {
			d.absent = append(d.absent, absence{len(d.result.Messages), q.num, l.num, off, r.id, r.key})
		}
		d.result.Messages = append(d.result.Messages, m)
	}
	return int(to - from)
}

func (q *queue) delay() int64 { return int64(q.opts.DelayedProcessing) * 1e6 }

// leaseIndex finds claims by lease id. A claim leaves it with its last consumer.
type leaseIndex struct {
	mu   sync.Mutex
	byID map[uid]*claim
}

func (x *leaseIndex) put(c *claim) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.byID[c.id] = c
}

func (x *leaseIndex) get(id uid) *claim {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.byID[id]
}

// join adds a consumer to the claim of its lease, for recovery.
func (x *leaseIndex) join(c *consumer) {
	x.mu.Lock()
	defer x.mu.Unlock()
	held := x.byID[c.lease]
	if held == nil {
		held = &claim{id: c.lease, queue: c.group.queue}
		x.byID[c.lease] = held
	}
	held.consumers = append(held.consumers, c)
}

// remove takes a consumer out of the claim of its lease. The caller holds the
// queue's lock.
func (x *leaseIndex) remove(c *consumer) {
	if c.lease == (uid{}) {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	held := x.byID[c.lease]
	if held == nil {
		return
	}
	for i, other := range held.consumers {
		if other == c {
			held.consumers = append(held.consumers[:i], held.consumers[i+1:]...)
			break
		}
	}
	if len(held.consumers) == 0 {
		delete(x.byID, c.lease)
	}
}

// ExtendLease implements queen.Broker. Seconds below 1 read as 1.
func (e *Engine) ExtendLease(ctx context.Context, _ queen.Token, leaseID string, seconds int) (queen.Lease, error) {
	if err := e.enter(ctx, ""); err != nil {
		return queen.Lease{}, err
	}
	defer e.leave()
	id, ok := parseUID(leaseID)
	if !ok {
		return queen.Lease{}, nil
	}
	held := e.leases.get(id)
	if held == nil {
		return queen.Lease{}, nil
	}
	c := e.begin(scope{queues: []string{held.queue.name}})
	var lease queen.Lease
	earliest := int64(0)
	if c.queues[0] == held.queue {
		for _, cons := range held.consumers {
			if cons.lease != id || !cons.leased(c.now) {
				continue
			}
			cons.expires = max(cons.expires, c.now+int64(max(seconds, 1))*1e6)
			cons.place(c.now)
			cons.save(c)
			lease.Renewed++
			if earliest == 0 || cons.expires < earliest {
				earliest = cons.expires
			}
		}
	}
	lease.ExpiresAt = instant(earliest)
	if err := c.finish(); err != nil {
		return queen.Lease{}, fmt.Errorf("renew failed: %w", err)
	}
	return lease, nil
}
