package sqs

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/receipt"
	"github.com/queen-mq/queen-sqs/server/registry"
)

// The delete-set. A FIFO claim is a run of one message group, and an ack is a
// cursor: acking a member in the middle would complete the ones before it. So a
// delete is first a mark in a record beside the claim, and only the unbroken run
// of marked members at the claim's head is ever acked, by naming its last.

const (
	// deleteSetSlack is how many seconds a delete-set outlives its claim, so that
	// the next claim still finds the marks.
	deleteSetSlack = 60
	// looseLife is the life in seconds of marks whose claim has no record.
	looseLife = 30 + deleteSetSlack
	// mostDeleteSets of one group are looked at; beyond that a deleted message
	// may come back once (QS-14, DeletedFIFOMessageReturnsOnce).
	mostDeleteSets = 64
	// changeAttempts is how often a lost compare-and-set is tried.
	changeAttempts = 2
)

// enroll records a claim and keeps back what was deleted under earlier leases of
// the group. It reports whether nothing is left to hand out.
func (r *receiving) enroll(ctx context.Context, c *claim) (emptied bool, err error) {
	key := deleteSetKey(c.partitionID, c.lease)
	c.roster = deleteSet{Life: int64(r.visibility) + deleteSetSlack}
	if r.visibility > 0 { // a claim that is given back at once never expires
		c.roster.Until = r.clock.Now().Add(time.Duration(r.visibility) * time.Second).UnixMilli()
	}
	for _, d := range c.open {
		c.roster.Transactions = append(c.roster.Transactions, d.TransactionID)
		c.roster.Messages = append(c.roster.Messages, d.ID)
	}
	put, err := registry.PutOp(key, c.roster, c.roster.life(), nil)
	if err != nil {
		return false, err
	}
	ops := append([]queen.KVOp{
		{Op: queen.KVGetPrefix, NS: registry.Namespace, Prefix: registry.Key("qs", "ds", c.partitionID) + ":", Limit: mostDeleteSets},
		put,
	}, r.countOps(c.open)...)
	results, err := r.broker.KV(ctx, r.tok, ops)
	if err != nil {
		return false, err
	}
	if len(results) != len(ops) {
		return false, &queen.BodyError{Reason: "the answer does not cover the operations"}
	}
	c.rosterVersion = results[1].Version
	r.setCounts(c.open, results[2:])
	if results[0].Truncated {
		r.lines.Warn("a message group has more delete-sets than are looked at; deleted messages may come back", "queue", r.q.Name)
	}
	var earlier []deleteSet
	for _, row := range results[0].Rows {
		if row.Key != key {
			earlier = append(earlier, readDeleteSet(row.Value))
		}
	}
	c.roster.markEarlier(earlier)
	if copies := c.roster.markCopies(earlier); copies > 0 {
		r.lines.Info("messages that the broker has stored more than once are handed out once", "queue", r.q.Name, "left out", copies)
	}
	r.applyMarks(ctx, c, key)
	return len(c.handed) == 0, nil
}

// applyMarks stores the marks of a fresh claim and keeps back what they name.
func (r *receiving) applyMarks(ctx context.Context, c *claim, key string) {
	if len(c.roster.Deleted) == 0 {
		return
	}
	row, won, err := r.registry.PutIf(ctx, r.tok, key, c.roster, c.roster.life(), c.rosterVersion)
	if err != nil || !won {
		r.lines.Warn("marks of an earlier claim could not be carried over", "queue", r.q.Name, "error", err)
	} else {
		c.rosterVersion = row.Version
	}
	r.ackPrefix(ctx, r.tok, claimID{c.partitionID, c.lease}, &c.roster, 0)

	var kept []*delivery
	for _, d := range c.open {
		if !c.roster.deleted(d.ID) {
			kept = append(kept, d)
		}
	}
	c.open, c.handed = kept, kept
	r.uncount(ctx, r.tok, c.roster.Deleted...)
}

// ackPrefix completes the deleted run at the head of a claim, of which the first
// members are acked already. It reports whether the broker took that.
//
// Where members share a transaction id, an ack completes up to the first that the
// broker still has. It is then sent as often as the run bears the name, and never
// more often: what follows is not deleted.
func (s *Service) ackPrefix(ctx context.Context, tok queen.Token, id claimID, set *deleteSet, acked int) bool {
	n := set.prefix()
	if n <= acked {
		return true
	}
	name := set.Transactions[n-1]
	for _, t := range set.Transactions[acked:n] {
		if t != name {
			continue
		}
		results, err := s.broker.Ack(ctx, tok, queen.DefaultGroup, []queen.Ack{{
			TransactionID: name, PartitionID: id.partitionID, LeaseID: id.lease, Status: queen.Completed,
		}})
		if err != nil || len(results) != 1 || !results[0].Success {
			s.lines.Debug("the deleted head of a claim was not acked; its marks stay", "error", err)
			return false
		}
	}
	return true
}

// moved takes members that went to the dead-letter queue, and what lay deleted
// before the last of them, out of the claim's record.
func (r *receiving) moved(ctx context.Context, c *claim, lastID string) {
	n := slices.Index(c.roster.Messages, lastID) + 1
	c.roster.Transactions = c.roster.Transactions[n:]
	c.roster.Messages = c.roster.Messages[n:]
	key := deleteSetKey(c.partitionID, c.lease)
	var won bool
	var err error
	if len(c.roster.Messages) == 0 {
		won, err = r.registry.DeleteIf(ctx, r.tok, key, c.rosterVersion)
	} else {
		var row registry.Row
		row, won, err = r.registry.PutIf(ctx, r.tok, key, c.roster, c.roster.life(), c.rosterVersion)
		c.rosterVersion = row.Version
	}
	if err != nil || !won {
		r.lines.Warn("a claim's record could not be trimmed after a dead-letter move", "queue", r.q.Name, "error", err)
	}
	r.ackPrefix(ctx, r.tok, claimID{c.partitionID, c.lease}, &c.roster, 0)
}

// claimID is what the handles of one claim have in common.
type claimID struct{ partitionID, lease string }

// byClaim groups the positions of handles by their claim, in order.
func byClaim(handles []receipt.Handle) (order []claimID, groups map[claimID][]int) {
	groups = map[claimID][]int{}
	for i, h := range handles {
		id := claimID{h.PartitionID, h.LeaseID}
		if groups[id] == nil {
			order = append(order, id)
		}
		groups[id] = append(groups[id], i)
	}
	return order, groups
}

// eachClaim runs f for every claim among the handles, claims beside one another.
func eachClaim(handles []receipt.Handle, f func(id claimID, members []int)) {
	order, groups := byClaim(handles)
	var running sync.WaitGroup
	for _, id := range order[1:] {
		running.Go(func() { f(id, groups[id]) })
	}
	f(order[0], groups[order[0]])
	running.Wait()
}

// deleteFIFO deletes messages of a FIFO queue. The verdicts are in the order of
// the receipts, of which there is at least one.
func (s *Service) deleteFIFO(ctx context.Context, tok queen.Token, receipts []opened) []error {
	errs := make([]error, len(receipts))
	handles := make([]receipt.Handle, len(receipts))
	for i, r := range receipts {
		handles[i] = r.Handle
	}
	eachClaim(handles, func(id claimID, members []int) {
		ids := make([]string, len(members))
		for i, at := range members {
			ids[i] = handles[at].MessageID
		}
		expired, err := s.deleteMembers(ctx, tok, id, ids)
		for _, at := range members {
			errs[at] = err
			if err == nil && slices.Contains(expired, handles[at].MessageID) {
				errs[at] = fault.InvalidParameterValue.Withf(
					"Value %s for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.", clip(receipts[at].text))
			}
		}
	})
	return errs
}

// deleteMembers marks members of one claim as deleted and acks what has become
// completable. Marks are kept for as long as the broker may still have what they
// name, so that the next claim of the group finds them: they are written before an
// ack, or when it failed, and only a claim that is acked as a whole, by one name,
// leaves none. Once the claim is over, what is not deleted by then is expired and
// stays: the group goes on without it (recorded).
func (s *Service) deleteMembers(ctx context.Context, tok queen.Token, id claimID, messageIDs []string) (expired []string, err error) {
	key := deleteSetKey(id.partitionID, id.lease)
	for range changeAttempts {
		set, version, err := s.deleteSet(ctx, tok, key)
		if err != nil {
			return nil, brokerFault(err)
		}
		over, err := s.claimOver(ctx, tok, id, &set)
		if err != nil {
			return nil, brokerFault(err)
		}
		if over {
			return slices.DeleteFunc(slices.Clone(messageIDs), set.deleted), nil
		}
		acked := set.prefix()
		set.mark(messageIDs...)
		whole := set.complete() && !set.repeats()
		if whole && s.ackPrefix(ctx, tok, id, &set, 0) {
			if _, err := s.registry.DeleteIf(ctx, tok, key, version); err != nil {
				s.lines.Debug("the record of a completed claim stays until its time", "error", err)
			}
			s.uncount(ctx, tok, messageIDs...)
			return nil, nil
		}
		_, won, err := s.registry.PutIf(ctx, tok, key, set, set.life(), version)
		if err != nil {
			return nil, brokerFault(err)
		}
		if !won {
			continue
		}
		if !whole {
			s.ackPrefix(ctx, tok, id, &set, acked)
		}
		s.uncount(ctx, tok, messageIDs...)
		return nil, nil
	}
	return nil, fault.ServiceUnavailable.Default().Because(registry.ErrConflict)
}

// claimOver reports whether a claim has ended by itself. Its record says when it
// is time to ask the broker, which alone knows: the record may not have heard of
// an extension, and clocks differ.
func (s *Service) claimOver(ctx context.Context, tok queen.Token, id claimID, set *deleteSet) (bool, error) {
	if set.Until == 0 || s.clock.Now().UnixMilli() < set.Until {
		return false, nil
	}
	l, err := s.broker.ExtendLease(ctx, tok, id.lease, 1)
	return err == nil && l.Renewed == 0, err
}

// deleteSet reads a claim's record; an absent one is empty, with version 0.
func (s *Service) deleteSet(ctx context.Context, tok queen.Token, key string) (deleteSet, int64, error) {
	row, err := s.registry.Get(ctx, tok, key)
	if errors.Is(err, registry.ErrNotFound) {
		return deleteSet{Life: looseLife}, 0, nil
	}
	if err != nil {
		return deleteSet{}, 0, err
	}
	return readDeleteSet(row.Value), row.Version, nil
}
