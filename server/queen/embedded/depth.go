package embedded

import (
	"context"
	"sort"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// Depth implements queen.Broker. An empty group means DefaultGroup. A group that
// never popped has everything in front of it (queen-wire 5.4).
func (e *Engine) Depth(ctx context.Context, _ queen.Token, name, groupName string) (queen.Depth, error) {
	if err := e.enter(ctx, ""); err != nil {
		return queen.Depth{}, err
	}
	defer e.leave()
	if groupName == "" {
		groupName = queen.DefaultGroup
	}
	q := e.peek(name)
	if q == nil {
		return queen.Depth{}, refusal(404, field{"error", "Queue not found"})
	}
	var d queen.Depth
	d.Lanes = make([]queen.LaneDepth, 0, len(q.order))
	g := q.groups[groupName]
	for _, l := range q.order {
		row := l.depth(g, q.clock)
		d.Pending += row.Pending
		d.Processing += row.Processing
		d.Ready += row.Ready
		d.Hidden += l.hidden(q.clock, row)
		d.Lanes = append(d.Lanes, row)
	}
	seen := q.last
	q.mu.Unlock()
	return d, seen.wait()
}

// depth counts what a group (nil: one that never popped) has in front of it. What
// retention is about to remove does not count.
func (l *lane) depth(g *group, now int64) queen.LaneDepth {
	d := queen.LaneDepth{Partition: l.name}
	first := l.unretired(now)
	var c *consumer
	if g != nil {
		c = l.consumer(g)
	}
	cursor := first - 1
	if c != nil {
		cursor = max(c.committed, cursor)
	}
	d.Pending = l.next - 1 - cursor
	if c != nil && c.leased(now) {
		d.Processing = max(c.batchEnd-cursor, 0)
	}
	d.Ready = d.Pending - d.Processing
	return d
}

// hidden counts the ready messages that delayedProcessing still hides: they are
// the youngest of the lane.
func (l *lane) hidden(now int64, d queen.LaneDepth) int64 {
	delay := l.queue.delay()
	if delay == 0 || d.Ready == 0 {
		return 0
	}
	first := l.next - d.Pending
	visible := sort.Search(int(d.Pending), func(i int) bool { return l.at(first+int64(i)).at+delay > now })
	return min(d.Pending-int64(visible), d.Ready)
}
