package sqs

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
)

const (
	moveBatch        = 10
	moveLeaseSeconds = 60
	// farewellTime bounds what a mover does after its Service was closed.
	farewellTime = 2 * time.Second

	reasonNoQueue  = "AWS.SimpleQueueService.NonExistentQueue"
	reasonNoSource = "CouldNotDetermineMessageSource"
	reasonReplaced = "ReplacedByAnotherTask"
)

// mover works on one task: it moves batches until the source is empty, the task
// is cancelled or something fails. Messages and their acks travel in one
// transaction under the claim's lease, so that two movers of one task can never
// move a message twice; that there are two is possible for a moment after a
// takeover, until the older one reads that it is no longer the owner.
type mover struct {
	*Service
	tok    queen.Token
	key    string
	owner  string
	source string
	// empties counts looks in a row that found nothing.
	empties int
}

// startMover works on a task behind the answer. A Service that is closing leaves
// the task to others.
func (s *Service) startMover(tok queen.Token, key string, task moveTask) {
	m := &mover{Service: s, tok: tok, key: key, owner: task.Owner, source: task.Source}
	s.background.start(m.run)
}

// resume looks at a task and, when its mover has fallen silent, takes it over.
// The compare-and-set of the owner makes one instance win. It answers the task
// as it is then.
func (s *Service) resume(ctx context.Context, tok queen.Token, row registry.Row) (moveTask, error) {
	task := readTask(row.Value)
	now := s.clock.Now()
	if !task.stale(now) {
		return task, nil
	}
	mine, err := s.ownsFence(ctx, tok, task.Source, row.Key)
	if err != nil {
		return task, err
	}
	taken := task
	taken.Owner = uuid.NewString()
	taken.Heartbeat = now.UnixMilli()
	switch {
	case !mine:
		taken.Status, taken.Reason = taskFailed, new(reasonReplaced)
	case task.Status == taskCancelling:
		taken.Status = taskCancelled
	}
	winner, won, err := s.registry.PutIf(ctx, tok, row.Key, taken, taskLife, row.Version)
	if err != nil {
		return task, err
	}
	if !won {
		return readTask(winner.Value), nil // somebody else was faster
	}
	if !taken.active() {
		s.releaseFence(ctx, tok, task.Source, row.Key)
		return taken, nil
	}
	s.lines.Info("a message move task is continued", "queue", task.Source, "moved", task.Moved)
	s.startMover(tok, row.Key, taken)
	return taken, nil
}

// ownsFence reports whether the source's fence names the task, after claiming a
// free one for it.
func (s *Service) ownsFence(ctx context.Context, tok queen.Token, source, key string) (bool, error) {
	fence := moveFence{Task: key, Source: source, At: s.clock.Now().UnixMilli()}
	held, won, err := s.registry.PutIf(ctx, tok, fenceKey(source), fence, fenceLife, 0)
	if err != nil || won {
		return won, err
	}
	var other moveFence
	return json.Unmarshal(held.Value, &other) == nil && other.Task == key, nil
}

func (m *mover) run(ctx context.Context) {
	for {
		task, err := m.read(ctx)
		switch {
		case ctx.Err() != nil:
			m.leave(ctx)
			return
		case err != nil:
			m.lines.Warn("a move task's record cannot be read; the task waits to be continued", "queue", m.source, "error", err)
			return
		case task.Owner != m.owner:
			return
		case !task.active():
			m.releaseFence(ctx, m.tok, m.source, m.key)
			return
		case task.Status == taskCancelling:
			m.finish(ctx, taskCancelled, "")
			return
		}
		count, done, reason := m.moveWhole(ctx, task)
		if ctx.Err() != nil && count == 0 {
			m.leave(ctx)
			return
		}
		m.progress(ctx, count)
		if done {
			m.finish(ctx, taskCompleted, "")
			return
		}
		if reason != "" {
			m.finish(ctx, taskFailed, reason)
			return
		}
		if task.Rate != nil && count > 0 {
			_ = m.sleep(ctx, time.Duration(count)*time.Second/time.Duration(*task.Rate))
		}
	}
}

// read reads the task. One whose record is gone has an owner that is nobody.
func (m *mover) read(ctx context.Context) (moveTask, error) {
	row, err := m.registry.Get(ctx, m.tok, m.key)
	if errors.Is(err, registry.ErrNotFound) {
		m.releaseFence(ctx, m.tok, m.source, m.key)
		return moveTask{}, nil
	}
	return readTask(row.Value), err
}

// change applies edit to the task as stored, unless another mover owns it or it
// is over. It reports whether it was written.
func (m *mover) change(ctx context.Context, edit func(*moveTask)) bool {
	row, err := m.registry.Get(ctx, m.tok, m.key)
	for range 1 + changeAttempts {
		if err != nil {
			break
		}
		task := readTask(row.Value)
		if !task.active() || row.Version == 0 {
			return false
		}
		edit(&task)
		task.Heartbeat = m.clock.Now().UnixMilli()
		if task.Owner != m.owner {
			// The heartbeat is the other mover's, the messages were moved all the same.
			task.Heartbeat = readTask(row.Value).Heartbeat
		}
		var won bool
		row, won, err = m.registry.PutIf(ctx, m.tok, m.key, task, taskLife, row.Version)
		if won {
			return true
		}
	}
	m.lines.Warn("the progress of a move task was not recorded", "queue", m.source, "error", err)
	return false
}

func (m *mover) progress(ctx context.Context, count int) {
	if count == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	m.change(ctx, func(t *moveTask) { t.Moved += int64(count) })
}

// finish ends the task. A cancellation that came meanwhile beats completion, a
// failure beats both.
func (m *mover) finish(ctx context.Context, status, reason string) {
	m.change(ctx, func(t *moveTask) {
		switch {
		case t.Owner != m.owner:
			return
		case status == taskCompleted && t.Status == taskCancelling:
			t.Status = taskCancelled
		default:
			t.Status = status
		}
		if reason != "" {
			t.Reason = &reason
		}
	})
	m.releaseFence(ctx, m.tok, m.source, m.key)
}

// leave says that nobody works on the task now, so that it is continued as soon
// as somebody looks.
func (m *mover) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewellTime)
	defer cancel()
	row, err := m.registry.Get(ctx, m.tok, m.key)
	if err != nil {
		return
	}
	if task := readTask(row.Value); task.active() && task.Owner == m.owner {
		task.Heartbeat = 0
		_, _, _ = m.registry.PutIf(ctx, m.tok, m.key, task, taskLife, row.Version)
	}
}

// moveWhole moves one batch, also when ctx ends meanwhile: a claim that is given
// up in the middle may have been made, and what it hides would look like an empty
// queue to whoever continues the task; a transaction may have been committed and
// would not be counted. A broker that does not answer then is not waited for long.
func (m *mover) moveWhole(ctx context.Context, task moveTask) (moved int, done bool, reason string) {
	batch, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(farewellTime):
			cancel()
		case <-batch.Done():
		}
	})
	defer stop()
	return m.moveSome(batch, task)
}

// moveSome moves one batch. It answers how many messages went, whether the
// source is empty, and otherwise why the task cannot go on; empty is no reason.
func (m *mover) moveSome(ctx context.Context, task moveTask) (moved int, done bool, reason string) {
	batch := moveBatch
	if task.Rate != nil {
		batch = min(batch, *task.Rate)
	}
	res, err := m.broker.Pop(ctx, m.tok, queen.PopRequest{
		Queue: m.source, Batch: batch, Partitions: 1, LeaseSeconds: moveLeaseSeconds,
	})
	if err != nil {
		return 0, false, failureReason(err)
	}
	if len(res.Messages) == 0 {
		return 0, m.surelyEmpty(ctx), ""
	}
	m.empties = 0
	c := newClaim(res)
	moved, settled, reason := m.moveClaim(ctx, task, c)
	if settled < len(c.open) {
		m.giveUp(ctx, c, c.open[settled].TransactionID)
	}
	return moved, false, reason
}

// The engine of Queen on PostgreSQL finds lanes by a list in memory, from which
// one can be missing for a second. mostEmpties looks, emptyPause apart, are enough
// for it to be found again.
const (
	forgetfulEngine = "segments-rust"
	mostEmpties     = 12
	emptyPause      = 250 * time.Millisecond
)

// surelyEmpty reports whether a source that gave nothing has nothing to give.
// What is behind messages in flight, or delayed, is not waited for beyond
// mostEmpties.
func (m *mover) surelyEmpty(ctx context.Context) bool {
	caps, err := m.broker.Capabilities(ctx)
	if err != nil || caps.Engine != forgetfulEngine {
		return true
	}
	if m.empties++; m.empties >= mostEmpties {
		return true
	}
	depth, err := m.broker.Depth(ctx, m.tok, m.source, queen.DefaultGroup)
	if err != nil || depth.Ready == 0 {
		return true
	}
	_ = m.sleep(ctx, emptyPause)
	return false
}

// moveClaim moves the leading run of a claim that has a place to go to. It
// answers how many messages were moved and how many are settled with the broker.
func (m *mover) moveClaim(ctx context.Context, task moveTask, c *claim) (moved, settled int, reason string) {
	deleted, err := m.deletedBefore(ctx, c)
	if err != nil {
		return 0, 0, failureReason(err)
	}
	var names []string
	var to []*registry.Queue // nil for what is deleted
	targets := map[string]*registry.Queue{}
	for _, d := range c.open {
		var target *registry.Queue
		if !deleted[d.ID] {
			var err error
			if target, reason, err = m.place(ctx, task, d, targets); err != nil {
				return 0, 0, failureReason(err)
			}
			if reason != "" {
				break
			}
		}
		names, to = append(names, d.TransactionID), append(to, target)
	}
	if len(names) == 0 {
		return 0, 0, reason
	}
	if settled = oneAck(names); settled < len(names) {
		reason = "" // there is more to move first
	}
	var tx queen.Transaction
	for i, target := range to[:settled] {
		if target != nil {
			tx.Pushes = append(tx.Pushes, restoredCopy(c.open[i], target))
		}
	}
	tx.Acks = []queen.Ack{{
		TransactionID: c.open[settled-1].TransactionID, PartitionID: c.partitionID, LeaseID: c.lease, Status: queen.Completed,
	}}
	if _, err := m.broker.Transaction(ctx, m.tok, tx); err != nil {
		return 0, 0, failureReason(err)
	}
	ids := make([]string, settled)
	for i, d := range c.open[:settled] {
		ids[i] = d.ID
	}
	m.uncount(ctx, m.tok, ids...)
	return len(tx.Pushes), settled, reason
}

// deletedBefore are the messages of a FIFO lane that clients have deleted while
// the broker still has them: they are acked without a copy.
func (m *mover) deletedBefore(ctx context.Context, c *claim) (map[string]bool, error) {
	if !registry.IsFIFO(m.source) {
		return nil, nil
	}
	rows, _, err := m.registry.Page(ctx, m.tok, registry.Key("qs", "ds", c.partitionID)+":", "", mostDeleteSets, false)
	if err != nil {
		return nil, err
	}
	deleted := map[string]bool{}
	for _, row := range rows {
		for _, id := range readDeleteSet(row.Value).Deleted {
			deleted[id] = true
		}
	}
	return deleted, nil
}

// place is the queue a message goes to: the task's destination, else the one it
// came from. Without one the reason says why. targets remembers records.
func (m *mover) place(ctx context.Context, task moveTask, d *delivery, targets map[string]*registry.Queue) (target *registry.Queue, reason string, err error) {
	name, _ := d.content.SystemValue(envelope.SourceQueue)
	if task.Destination != nil {
		name = *task.Destination
	}
	if !validQueueName(name) || name == m.source || registry.IsFIFO(name) != registry.IsFIFO(m.source) {
		return nil, reasonNoSource, nil
	}
	target, known := targets[name]
	if !known {
		if target, err = m.registry.QueueFresh(ctx, m.tok, name); err != nil && !errors.Is(err, registry.ErrNotFound) {
			return nil, "", err
		}
		targets[name] = target
	}
	if target == nil {
		return nil, reasonNoQueue, nil
	}
	return target, "", nil
}

// restoredCopy is the copy of a dead letter for a queue that works on it again:
// its receives start over.
func restoredCopy(d *delivery, target *registry.Queue) queen.PushItem {
	id := d.ID
	if d.content.OriginalID != "" {
		id = d.content.OriginalID
	}
	m := d.content
	m.System = append([]envelope.Entry(nil), m.System...)
	m.DropSystem(envelope.SourceQueue)
	m.DropSystem(envelope.ReceiveCount)
	return queen.PushItem{Queue: target.Name, Partition: copyLane(d, id, target), Payload: envelope.Encode(m)}
}

// giveUp returns the rest of a claim, of which head is the first.
func (m *mover) giveUp(ctx context.Context, c *claim, head string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	if err := m.giveBack(ctx, m.tok, claimID{c.partitionID, c.lease}, head); err != nil {
		m.lines.Debug("a claim of a move task was not given back; it ends with its lease", "error", err)
	}
}

// failureReason is what a task's record says about a broker's failure: a code,
// like Amazon's, never the broker's words.
func failureReason(err error) string {
	return fault.From(brokerFault(err)).Kind.Query
}
