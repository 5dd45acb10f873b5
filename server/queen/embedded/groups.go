package embedded

import (
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// Consumer groups of Queen's HTTP API. The gateway knows DefaultGroup alone.

// Subscribe registers a group with a queue at its first contact and puts its
// cursors where the seed says; a group that is registered already keeps its
// place. A lane that is made later is read from its begin. With create a queue
// that does not exist is made, else the call does nothing.
func (e *Engine) Subscribe(ctx context.Context, name, groupName string, create bool, seed queen.Seed) error {
	if groupName == "" || groupName == queen.DefaultGroup {
		return nil
	}
	if err := e.enter(ctx, ""); err != nil {
		return err
	}
	defer e.leave()
	c := e.begin(scope{queues: []string{name}})
	q := c.queues[0]
	if !q.exists && create {
		q.materialize(c, queen.ImplicitOptionsOf(name))
	}
	if q.exists {
		if g := q.group(groupName); !g.registered {
			g.register(c)
			q.seed(c, g, seed)
		}
	}
	return c.finish()
}

func (q *queue) seed(c *command, g *group, seed queen.Seed) {
	for _, l := range q.order {
		cons := l.consumer(g)
		switch {
		case seed.New:
			cons.move(c, l.next)
		case !seed.From.IsZero():
			cons.move(c, l.firstSince(seed.From))
		}
	}
}

// firstSince is the offset of the first retained message that was committed at or
// after the instant.
func (l *lane) firstSince(t time.Time) int64 {
	at := t.UnixMicro()
	n := sort.Search(int(l.next-l.floor), func(i int) bool { return l.at(l.floor+int64(i)).at >= at })
	return l.floor + int64(n)
}

// move puts the cursor in front of an offset and ends the lease.
func (cons *consumer) move(c *command, to int64) {
	cons.exists = true
	cons.release()
	cons.committed, cons.claimStart = to-1, -1
	cons.attempts, cons.attemptOffset, cons.retries = 0, -1, 0
	cons.save(c)
	cons.place(c.now)
}

// LeaseOf answers the lease that a group has, or had last, in a lane; empty when
// there is none.
func (e *Engine) LeaseOf(ctx context.Context, partitionID, groupName string) (string, error) {
	if err := e.enter(ctx, ""); err != nil {
		return "", err
	}
	defer e.leave()
	l, q := e.lockLane(partitionID)
	if l == nil {
		return "", nil
	}
	defer q.mu.Unlock()
	g := q.groups[orDefault(groupName)]
	if g == nil {
		return "", nil
	}
	if c := l.consumer(g); c != nil && c.lease != (uid{}) {
		return c.lease.String(), nil
	}
	return "", nil
}

// CommitLease completes everything that a live lease holds, wherever its
// messages' transaction ids may also occur.
func (e *Engine) CommitLease(ctx context.Context, leaseID string) error {
	if err := e.enter(ctx, ""); err != nil {
		return err
	}
	defer e.leave()
	id, ok := parseUID(leaseID)
	if !ok {
		return nil
	}
	held := e.leases.get(id)
	if held == nil {
		return nil
	}
	c := e.begin(scope{queues: []string{held.queue.name}})
	if c.queues[0] == held.queue {
		for _, cons := range slices.Clone(held.consumers) {
			if cons.lease != id || cons.lane.gone {
				continue
			}
			cons.release()
			cons.committed, cons.retries = max(cons.committed, cons.batchEnd), 0
			cons.attempts, cons.attemptOffset = 0, -1
			cons.save(c)
			cons.lane.collect()
			cons.place(c.now)
		}
	}
	return c.finish()
}

// DescribeGroups lists the groups that have consumed, by name and queue; with a
// name that group alone.
func (e *Engine) DescribeGroups(ctx context.Context, groupName string) ([]queen.GroupDetail, error) {
	if err := e.enter(ctx, ""); err != nil {
		return nil, err
	}
	defer e.leave()
	list := []queen.GroupDetail{}
	for _, q := range e.snapshot() {
		q.mu.Lock()
		for _, g := range q.groups {
			if q.exists && g.registered && (groupName == "" || g.name == groupName) {
				list = append(list, q.describeGroup(g))
			}
		}
		q.mu.Unlock()
	}
	slices.SortFunc(list, func(a, b queen.GroupDetail) int {
		if d := strings.Compare(a.Name, b.Name); d != 0 {
			return d
		}
		return strings.Compare(a.Queue, b.Queue)
	})
	return list, nil
}

func (q *queue) describeGroup(g *group) queen.GroupDetail {
	q.clock = max(q.clock, q.e.micros())
	d := queen.GroupDetail{Name: g.name, Queue: q.name}
	for _, l := range q.order {
		c := l.consumer(g)
		row := queen.GroupLane{
			Partition: l.name, PartitionID: l.id.String(), Cursor: c.exists, Lag: l.depth(g, q.clock).Pending,
			Consumed: c.committed + 1, Leased: c.leased(q.clock),
		}
		if row.Leased {
			row.LeaseID = c.lease.String()
		}
		if row.Lag > 0 {
			row.OldestUnread = instant(l.at(l.next - row.Lag).at)
		}
		d.Lanes = append(d.Lanes, row)
	}
	return d
}

// SeekGroup moves a group's cursors in the lanes of a queue (in one of them, when
// partition is not nil) and ends its leases there. What this engine has removed
// cannot be read again. It answers how many lanes were moved.
func (e *Engine) SeekGroup(ctx context.Context, name, groupName string, partition *string, seed queen.Seed) (int, error) {
	if err := e.enter(ctx, ""); err != nil {
		return 0, err
	}
	defer e.leave()
	c := e.begin(scope{queues: []string{name}})
	q := c.queues[0]
	moved := 0
	if q.exists && len(q.order) > 0 {
		g := q.group(groupName)
		g.register(c)
		for _, l := range q.order {
			if partition != nil && l.name != *partition {
				continue
			}
			to := l.next
			if !seed.New {
				to = l.firstSince(seed.From)
			}
			l.consumer(g).move(c, to)
			l.collect()
			moved++
		}
	}
	return moved, c.finish()
}

// ForgetGroup removes a group's cursors from a queue, or from all with an empty
// name, as if it had never consumed. It answers how many cursors there were.
// DefaultGroup begins anew at the oldest retained message.
func (e *Engine) ForgetGroup(ctx context.Context, groupName, name string) (int, error) {
	if err := e.enter(ctx, ""); err != nil {
		return 0, err
	}
	defer e.leave()
	names := []string{name}
	if name == "" {
		names = nil
		for _, q := range e.snapshot() {
			names = append(names, q.name)
		}
	}
	c := e.begin(scope{queues: names})
	removed := 0
	for _, q := range c.queues {
		if g := q.groups[groupName]; q.exists && g != nil && g.registered {
			removed += q.forget(c, g)
		}
	}
	return removed, c.finish()
}

func (q *queue) forget(c *command, g *group) (removed int) {
	g.registered = false
	c.delete(groupKey(q.num, g.name))
	for _, l := range q.order {
		cons := l.consumer(g)
		if cons.exists {
			removed++
		}
		cons.move(c, 0)
		cons.exists = false
		c.delete(consumerKey(q.num, l.num, g.name))
	}
	return removed
}
