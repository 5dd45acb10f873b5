package sqs

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
)

// Redrive. A message that consumers got maxReceiveCount times is moved by the
// receive that would hand it out once more: a copy goes to the dead-letter queue
// in the transaction that acks the original.

// sift moves what was received too often out of fresh claims, and reports
// whether it moved anything. Of each claim only the leading run is moved,
// because an ack completes all below it.
func (r *receiving) sift(ctx context.Context, fresh []*claim) (moved bool) {
	if r.q.Attributes[registry.RedrivePolicy] == "" {
		return false
	}
	policy, ok := r.q.Redrive()
	if !ok {
		r.lines.Warn("a redrive policy cannot be read; nothing is moved", "queue", r.q.Name)
		return false
	}
	runs := make([]int, len(fresh))
	some := false
	for i, c := range fresh {
		for runs[i] < len(c.open) && c.open[runs[i]].received > policy.MaxReceiveCount {
			runs[i]++
			some = true
		}
	}
	if !some {
		return false
	}

	target, err := r.deadLetterQueue(ctx, policy)
	if errors.Is(err, registry.ErrNotFound) {
		r.lines.Warn("a dead-letter queue does not exist; messages are delivered instead", "queue", r.q.Name)
		return false
	}
	done := make([]bool, len(fresh))
	var running sync.WaitGroup
	for i, c := range fresh {
		if runs[i] == 0 {
			continue
		}
		// Whatever becomes of the move, these are not handed out: a failed move
		// is made again when they return.
		c.handed = c.open[runs[i]:]
		if err == nil {
			running.Go(func() { done[i] = r.moveAll(ctx, c, runs[i], target) })
		}
	}
	running.Wait()
	if err != nil || !slices.Contains(done, true) {
		r.lines.Warn("messages could not be moved to the dead-letter queue; they return when their leases end", "queue", r.q.Name, "error", err)
	}
	return slices.Contains(done, true)
}

// deadLetterQueue is the target's record, read past the cache: a copy pushed to
// a deleted queue would be lost in a nameless one.
func (r *receiving) deadLetterQueue(ctx context.Context, policy registry.Redrive) (*registry.Queue, error) {
	name, ok := r.nameFromARN(policy.DeadLetterTargetARN)
	if !ok {
		return nil, registry.ErrNotFound
	}
	return r.registry.QueueFresh(ctx, r.tok, name)
}

// moveAll moves the first n messages of a claim, and reports whether it moved any.
func (r *receiving) moveAll(ctx context.Context, c *claim, n int, target *registry.Queue) (moved bool) {
	for n > 0 {
		run := n
		if r.q.FIFO() {
			run = c.oneAck(n)
		}
		if !r.moveRun(ctx, c, run, target) {
			break
		}
		moved = true
		n -= run
	}
	return moved
}

// oneAck is how many of the first n open messages of a FIFO claim one ack can
// complete, with whatever is deleted between them.
func (c *claim) oneAck(n int) int {
	for ; n > 1; n-- {
		last := c.open[n-1]
		through := slices.Index(c.roster.Messages, last.ID) + 1
		if oneAck(c.roster.Transactions[:through]) == through {
			break
		}
	}
	return n
}

// moveRun moves the first n messages of a claim, which one ack can complete.
func (r *receiving) moveRun(ctx context.Context, c *claim, n int, target *registry.Queue) bool {
	run := c.open[:n]
	last := run[n-1]
	tx := queen.Transaction{Acks: []queen.Ack{{
		TransactionID: last.TransactionID, PartitionID: c.partitionID, LeaseID: c.lease, Status: queen.Completed,
	}}}
	for _, d := range run {
		tx.Pushes = append(tx.Pushes, deadLetterCopy(d, r.q.Name, target, r.profile.MatchesAmazon(divergences.DeadLetterHasNewMessageID)))
		if !r.counted {
			tx.KV = append(tx.KV, queen.KVOp{Op: queen.KVDelete, NS: registry.Namespace, Key: countKey(d.ID)})
		}
	}
	if _, err := r.broker.Transaction(ctx, r.tok, tx); err != nil {
		r.lines.Warn("a dead-letter move failed; the messages return when their lease ends", "queue", r.q.Name, "error", err)
		return false
	}
	c.open = c.open[n:]
	if r.q.FIFO() {
		r.moved(ctx, c, last.ID)
	}
	return true
}

// deadLetterCopy is the copy of a message for its dead-letter queue. It names
// the message and its queue, because the broker gives it an id of its own
// (QS-23), and carries the deliveries that consumers saw. With keepID the first
// id is named, however often the message was copied.
func deadLetterCopy(d *delivery, source string, target *registry.Queue, keepID bool) queen.PushItem {
	m := d.content
	m.System = slices.Clone(m.System)
	m.SetSystem(envelope.SourceQueue, source)
	m.SetSystem(envelope.ReceiveCount, strconv.Itoa(max(d.received-1, 0)))
	if !keepID || m.OriginalID == "" {
		m.OriginalID = d.ID
	}
	return queen.PushItem{Queue: target.Name, Partition: copyLane(d, d.ID, target), Payload: envelope.Encode(m)}
}

// copyLane is where a copy goes: in a FIFO queue the same group, in a standard
// queue the lane of the message's id.
func copyLane(d *delivery, id string, target *registry.Queue) string {
	if target.FIFO() {
		return d.Partition
	}
	return Lane(id, target.Width())
}
