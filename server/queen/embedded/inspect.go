package embedded

import (
	"context"
	"encoding/json"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// What operators see beyond queen.Broker. The HTTP server and the console use
// it; the gateway does not.

// QueueDetail is a queue's options and lanes.
type QueueDetail struct {
	ID        string
	Name      string
	CreatedAt time.Time
	Options   queen.Options
	Groups    []string
	Lanes     []LaneDetail
	Totals    LaneStats
}

// LaneDetail is one lane of a QueueDetail. Oldest and Newest are zero when it is
// empty.
type LaneDetail struct {
	ID, Name       string
	Oldest, Newest time.Time
	Stats          LaneStats
}

// LaneStats counts messages: Total ever pushed, Completed by DefaultGroup,
// Pending in front of it, Processing under its live lease.
type LaneStats struct {
	Total, Completed, Pending, Processing int64
	DeadLetter                            int64
}

// DeadLetter is a natively dead-lettered message.
type DeadLetter struct {
	MessageID     string
	TransactionID string
	Partition     string
	PartitionID   string
	Group         string
	Payload       json.RawMessage
	Reason        string
	Offset        int64
	Attempts      int
	CreatedAt     time.Time
	FailedAt      time.Time
}

// QueuedMessage is a retained message as an operator sees it. Status is
// "pending", "processing" or "completed", for DefaultGroup.
type QueuedMessage struct {
	ID            string
	TransactionID string
	Partition     string
	PartitionID   string
	Payload       json.RawMessage
	CreatedAt     time.Time
	Offset        int64
	Status        string
	// LeaseExpiresAt is zero unless Status is "processing".
	LeaseExpiresAt time.Time
}

// QueueDetail answers one queue; an unknown one is a *queen.StatusError 404.
func (e *Engine) QueueDetail(ctx context.Context, name string) (QueueDetail, error) {
	if err := e.enter(ctx, ""); err != nil {
		return QueueDetail{}, err
	}
	defer e.leave()
	q := e.peek(name)
	if q == nil {
		return QueueDetail{}, refusal(404, field{"error", "Queue not found"})
	}
	defer q.mu.Unlock()
	d := QueueDetail{ID: q.id.String(), Name: q.name, CreatedAt: instant(q.created), Options: q.opts}
	for _, g := range q.groups {
		if g.registered {
			d.Groups = append(d.Groups, g.name)
		}
	}
	dead := map[string]int64{}
	for _, letter := range q.letters.rows {
		dead[letter.Partition]++
	}
	for _, l := range q.order {
		depth := l.depth(q.groups[queen.DefaultGroup], q.clock)
		row := LaneDetail{ID: l.id.String(), Name: l.name, Stats: LaneStats{
			Total: l.next, Pending: depth.Pending, Processing: depth.Processing,
			Completed: l.next - depth.Pending, DeadLetter: dead[l.name],
		}}
		if l.floor < l.next {
			row.Oldest, row.Newest = instant(l.at(l.floor).at), instant(l.at(l.next-1).at)
		}
		d.Lanes = append(d.Lanes, row)
		d.Totals.Total += row.Stats.Total
		d.Totals.Completed += row.Stats.Completed
		d.Totals.Pending += row.Stats.Pending
		d.Totals.Processing += row.Stats.Processing
		d.Totals.DeadLetter += row.Stats.DeadLetter
	}
	return d, nil
}

// Messages lists up to limit (1 to 1000, 0 means 100) retained messages of a
// queue, lane by lane, newest first within a lane.
func (e *Engine) Messages(ctx context.Context, name string, limit int) ([]QueuedMessage, error) {
	if err := e.enter(ctx, ""); err != nil {
		return nil, err
	}
	defer e.leave()
	list := []QueuedMessage{}
	q := e.peek(name)
	if q == nil {
		return list, nil
	}
	defer q.mu.Unlock()
	limit = pageLimit(limit)
	for _, l := range q.order {
		cons := l.consumer(q.groups[queen.DefaultGroup])
		for off := l.next - 1; off >= l.floor && len(list) < limit; off-- {
			m, err := e.inspect(l, cons, off)
			if err != nil {
				return nil, err
			}
			list = append(list, m)
		}
	}
	return list, nil
}

func (e *Engine) inspect(l *lane, cons *consumer, off int64) (QueuedMessage, error) {
	r := l.at(off)
	b := r.body
	if b == nil {
		var err error
		if b, err = readBody(e.journal.db, l.queue.num, l.num, off); err != nil {
			return QueuedMessage{}, err
		}
	}
	var delivered queen.Message
	delivered.ID = r.id.String()
	fill(&delivered, r.id, r.key, b)
	m := QueuedMessage{
		ID: delivered.ID, TransactionID: delivered.TransactionID, Payload: delivered.Payload, Partition: l.name,
		PartitionID: l.id.String(), CreatedAt: instant(r.at), Offset: off, Status: "pending",
	}
	switch {
	case off <= cons.committed:
		m.Status = "completed"
	case cons.leased(l.queue.clock) && off <= cons.batchEnd:
		m.Status, m.LeaseExpiresAt = "processing", instant(cons.expires)
	}
	return m, nil
}

// DeadLetters lists a queue's natively dead-lettered messages, oldest first.
func (e *Engine) DeadLetters(ctx context.Context, name string) ([]DeadLetter, error) {
	if err := e.enter(ctx, ""); err != nil {
		return nil, err
	}
	defer e.leave()
	q := e.peek(name)
	if q == nil {
		return []DeadLetter{}, nil
	}
	defer q.mu.Unlock()
	return append([]DeadLetter{}, q.letters.rows...), nil
}

// PeekTimer answers one pending timer with its payload.
func (e *Engine) PeekTimer(ctx context.Context, queue, key string) (row queen.TimerRow, payload []byte, found bool, err error) {
	if err := e.enter(ctx, "timers"); err != nil {
		return queen.TimerRow{}, nil, false, err
	}
	defer e.leave()
	e.timers.mu.Lock()
	defer e.timers.mu.Unlock()
	t := e.timers.get(queue, key)
	if t == nil {
		return queen.TimerRow{}, nil, false, nil
	}
	payload, err = t.body(e)
	return t.result(), payload, true, err
}
