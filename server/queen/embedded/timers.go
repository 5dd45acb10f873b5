package embedded

import (
	"container/heap"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/btree"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// timerStore holds the pending timers by (queue, key) and by their time. They
// belong to names, not to queues: a deleted queue leaves its timers.
type timerStore struct {
	mu     sync.Mutex
	rows   *btree.BTreeG[*timer]
	due    timerHeap
	seq    uint64
	last   *write
	alarm  clock.Timer
	ringAt int64
}

// timer is one scheduled push. Its payload is nil when only the journal has it.
type timer struct {
	queue, key string
	partition  string
	txn        string
	id         uid
	deliverAt  int64
	created    int64
	updated    int64
	// seq orders timers of the same instant by when they were scheduled.
	seq     uint64
	payload *body
	index   int // in the heap
}

func (s *timerStore) init() {
	s.rows = btree.NewG(32, func(a, b *timer) bool {
		return a.queue < b.queue || a.queue == b.queue && a.key < b.key
	})
}

func (s *timerStore) get(queue, key string) *timer {
	t, _ := s.rows.Get(&timer{queue: queue, key: key})
	return t
}

func (s *timerStore) add(t *timer) {
	s.rows.ReplaceOrInsert(t)
	heap.Push(&s.due, t)
}

func (s *timerStore) remove(e *Engine, t *timer) {
	s.rows.Delete(t)
	heap.Remove(&s.due, t.index)
	e.bodies.release(&t.payload)
}

// ScheduleTimers implements queen.Broker. An empty partition means
// DefaultPartition. Everything is checked before anything is written.
func (e *Engine) ScheduleTimers(ctx context.Context, _ queen.Token, ops []queen.TimerOp) ([]queen.TimerResult, error) {
	if err := e.enter(ctx, "timers"); err != nil {
		return nil, err
	}
	defer e.leave()
	if err := checkTimers(ops); err != nil {
		return nil, err
	}
	results := make([]queen.TimerResult, len(ops))
	if len(ops) == 0 {
		return results, nil
	}
	c := e.begin(scope{timers: true})
	for i := range ops {
		results[i] = e.timers.apply(c, &ops[i])
	}
	return results, c.finish()
}

func (s *timerStore) apply(c *command, op *queen.TimerOp) queen.TimerResult {
	if op.Op == queen.TimerCancel {
		return s.cancel(c, op.Queue, op.Key, op.Txn)
	}
	return s.schedule(c, op)
}

func (s *timerStore) schedule(c *command, op *queen.TimerOp) queen.TimerResult {
	s.seq++
	t := &timer{
		queue: op.Queue, key: op.Key, partition: partitionOf(op.Partition), txn: op.Txn, id: c.e.ids.next(c.now),
		deliverAt: c.now + op.Delay.Microseconds(), created: c.now, updated: c.now, seq: s.seq,
		payload: c.e.bodies.admit("", op.Payload),
	}
	status := queen.TimerScheduled
	if old := s.get(op.Queue, op.Key); old != nil {
		status, t.created = queen.TimerRescheduled, old.created
		s.remove(c.e, old)
	}
	s.add(t)
	c.set(timerKey(t.queue, t.key), t.row(op.Payload))
	return queen.TimerResult{
		OK: true, Status: status, Queue: t.queue, Key: t.key, Txn: t.txn, MessageID: t.id.String(),
		DeliverAt: instant(t.deliverAt),
	}
}

func (s *timerStore) cancel(c *command, queue, key, txn string) queen.TimerResult {
	t := s.get(queue, key)
	if t == nil {
		return queen.TimerResult{Status: queen.TimerAbsent, Queue: queue, Key: key, Txn: txn}
	}
	s.remove(c.e, t)
	c.delete(timerKey(queue, key))
	return queen.TimerResult{OK: true, Status: queen.TimerCancelled, Queue: queue, Key: key, Txn: t.txn}
}

// CancelTimer implements queen.Broker. An absent timer's answer echoes txn.
func (e *Engine) CancelTimer(ctx context.Context, _ queen.Token, queue, key, txn string) (queen.TimerResult, error) {
	if err := e.enter(ctx, "timers"); err != nil {
		return queen.TimerResult{}, err
	}
	defer e.leave()
	c := e.begin(scope{timers: true})
	result := e.timers.cancel(c, queue, key, txn)
	return result, c.finish()
}

// ListTimers implements queen.Broker.
func (e *Engine) ListTimers(ctx context.Context, _ queen.Token, queue, after string, limit int) (queen.TimerPage, error) {
	if err := e.enter(ctx, "timers"); err != nil {
		return queen.TimerPage{}, err
	}
	defer e.leave()
	limit = pageLimit(limit)
	page := queen.TimerPage{Rows: []queen.TimerRow{}}
	s := &e.timers
	s.mu.Lock()
	s.rows.AscendGreaterOrEqual(&timer{queue: queue, key: after}, func(t *timer) bool {
		switch {
		case t.queue != queue:
			return false
		case t.key == after && after != "":
			return true
		case len(page.Rows) == limit:
			page.Truncated = true
			page.NextAfter = page.Rows[limit-1].Key
			return false
		}
		page.Rows = append(page.Rows, t.result())
		return true
	})
	seen := s.last
	s.mu.Unlock()
	return page, seen.wait()
}

func (t *timer) result() queen.TimerRow {
	return queen.TimerRow{
		Queue: t.queue, Key: t.key, Partition: t.partition, Txn: t.txn, MessageID: t.id.String(),
		DeliverAt: instant(t.deliverAt), CreatedAt: instant(t.created), UpdatedAt: instant(t.updated),
	}
}

// CountTimers implements queen.Broker.
func (e *Engine) CountTimers(ctx context.Context, _ queen.Token, queue, prefix string) (int, error) {
	if err := e.enter(ctx, "timers"); err != nil {
		return 0, err
	}
	defer e.leave()
	if prefix == "" || len(prefix) > 128 || strings.IndexByte(prefix, 0) >= 0 {
		return 0, badTimer("timers_bad_prefix", "the prefix must be 1 to 128 bytes without a NUL")
	}
	s := &e.timers
	n := 0
	s.mu.Lock()
	s.rows.AscendGreaterOrEqual(&timer{queue: queue, key: prefix}, func(t *timer) bool {
		if t.queue != queue || !strings.HasPrefix(t.key, prefix) {
			return false
		}
		n++
		return true
	})
	seen := s.last
	s.mu.Unlock()
	return n, seen.wait()
}

func (t *timer) row(payload []byte) []byte {
	var w rowWriter
	w.text(t.partition)
	w.text(t.txn)
	w.uid(t.id)
	for _, v := range []int64{t.deliverAt, t.created, t.updated, int64(t.seq)} {
		w.int(v)
	}
	w.rest(payload)
	return w
}

func readTimerRow(queue, key string, row []byte) (t *timer, payload []byte, err error) {
	in := rowReader{b: row}
	t = &timer{queue: queue, key: key, partition: in.text(), txn: in.text(), id: in.uid()}
	t.deliverAt, t.created, t.updated, t.seq = in.int(), in.int(), in.int(), uint64(in.int())
	return t, in.b, in.err
}

// body answers a timer's payload.
func (t *timer) body(e *Engine) ([]byte, error) {
	if t.payload != nil {
		return t.payload.payload, nil
	}
	row, closer, err := e.journal.db.Get(timerKey(t.queue, t.key))
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	_, payload, err := readTimerRow(t.queue, t.key, row)
	return slices.Clone(payload), err
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

// arm sets the alarm for the next timer.
func (s *timerStore) arm(e *Engine, now int64) {
	if len(s.due) == 0 {
		stop(&s.alarm)
		return
	}
	at := s.due[0].deliverAt
	if s.alarm != nil && s.ringAt == at {
		return
	}
	stop(&s.alarm)
	s.ringAt = at
	s.alarm = e.clock.AfterFunc(time.Duration(at-now)*time.Microsecond, func() { e.alarmed(e.fire) })
}

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	return h[i].deliverAt < h[j].deliverAt || h[i].deliverAt == h[j].deliverAt && h[i].seq < h[j].seq
}
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}

func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return t
}
