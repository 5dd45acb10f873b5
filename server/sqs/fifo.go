package sqs

import (
	"context"
	"encoding/json"
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
	// may come back once (QS-14).
	mostDeleteSets = 64
	// changeAttempts is how often a lost compare-and-set is tried.
	changeAttempts = 2
)

// deleteSet is the record of one claim.
type deleteSet struct {
	// Transactions and Messages are the members in delivery order: what an ack
	// names them by, and their ids.
	Transactions []string `json:"m"`
	Messages     []string `json:"i"`
	// Deleted are message ids, not deduplication ids: those can repeat.
	Deleted []string `json:"d"`
	// Life is how many seconds the record lives after a write.
	Life int64 `json:"t"`
	// Until is when the claim is over at the earliest, in epoch milliseconds of
	// the instance that wrote it; 0 when nobody said.
	Until int64 `json:"x,omitempty"`
}

func deleteSetKey(partitionID, lease string) string {
	return registry.Key("qs", "ds", partitionID, lease)
}

// readDeleteSet reads a record; an unreadable one has no members and acks
// nothing.
func readDeleteSet(raw json.RawMessage) deleteSet {
	var set deleteSet
	if json.Unmarshal(raw, &set) != nil {
		set = deleteSet{}
	}
	if set.Life <= 0 {
		set.Life = looseLife
	}
	return set
}

// MarshalJSON writes lists as lists: other readers do not take null for one.
func (d deleteSet) MarshalJSON() ([]byte, error) {
	type plain deleteSet
	p := plain(d)
	for _, list := range []*[]string{&p.Transactions, &p.Messages, &p.Deleted} {
		if *list == nil {
			*list = []string{}
		}
	}
	return json.Marshal(p)
}

func (d *deleteSet) life() time.Duration { return time.Duration(d.Life) * time.Second }

func (d *deleteSet) deleted(messageID string) bool { return slices.Contains(d.Deleted, messageID) }

func (d *deleteSet) mark(messageIDs ...string) {
	for _, id := range messageIDs {
		if !d.deleted(id) {
			d.Deleted = append(d.Deleted, id)
		}
	}
}

// prefix is the number of members at the head that are all deleted.
func (d *deleteSet) prefix() int {
	if len(d.Transactions) != len(d.Messages) {
		return 0
	}
	n := 0
	for n < len(d.Messages) && d.deleted(d.Messages[n]) {
		n++
	}
	return n
}

// complete says that every member is deleted.
func (d *deleteSet) complete() bool {
	return len(d.Transactions) > 0 && d.prefix() == len(d.Transactions)
}

// head is the first member that is not deleted, by its transaction id.
func (d *deleteSet) head() (transactionID string, ok bool) {
	if n := d.prefix(); n < len(d.Transactions) {
		return d.Transactions[n], true
	}
	return "", false
}

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
	r.carryMarks(ctx, c, key, results[0].Rows)
	return len(c.handed) == 0, nil
}

// carryMarks applies the marks of earlier claims of the group to this one.
func (r *receiving) carryMarks(ctx context.Context, c *claim, key string, rows []queen.KVRow) {
	for _, row := range rows {
		if row.Key == key {
			continue
		}
		set := readDeleteSet(row.Value)
		for _, id := range set.Deleted {
			if slices.Contains(c.roster.Messages, id) {
				c.roster.mark(id)
			}
		}
	}
	if len(c.roster.Deleted) == 0 {
		return
	}
	row, won, err := r.registry.PutIf(ctx, r.tok, key, c.roster, c.roster.life(), c.rosterVersion)
	if err != nil || !won {
		r.lines.Warn("marks of an earlier claim could not be carried over", "queue", r.q.Name, "error", err)
	} else {
		c.rosterVersion = row.Version
	}
	r.ackPrefix(ctx, r.tok, c.partitionID, c.lease, &c.roster)

	var kept []*delivery
	for _, d := range c.open {
		if !c.roster.deleted(d.ID) {
			kept = append(kept, d)
		}
	}
	c.open, c.handed = kept, kept
	r.uncount(ctx, r.tok, c.roster.Deleted...)
}

// ackPrefix completes the deleted run at the head of a claim. It reports whether
// the broker took that.
func (s *Service) ackPrefix(ctx context.Context, tok queen.Token, partitionID, lease string, set *deleteSet) bool {
	n := set.prefix()
	if n == 0 {
		return true
	}
	results, err := s.broker.Ack(ctx, tok, queen.DefaultGroup, []queen.Ack{{
		TransactionID: set.Transactions[n-1], PartitionID: partitionID, LeaseID: lease, Status: queen.Completed,
	}})
	if err != nil || len(results) != 1 || !results[0].Success {
		s.lines.Debug("the deleted head of a claim was not acked; its marks stay", "error", err)
		return false
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
	r.ackPrefix(ctx, r.tok, c.partitionID, c.lease, &c.roster)
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

// deleteMembers marks members of one claim as deleted and then acks what has
// become completable. The marks are written first: should the ack fail, the next
// claim of the group finds them. Once the claim is over, what is not deleted by
// then is expired and stays: the group goes on without it (recorded).
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
		before := set.prefix()
		set.mark(messageIDs...)
		var won bool
		if set.complete() {
			won, err = s.registry.DeleteIf(ctx, tok, key, version)
		} else {
			_, won, err = s.registry.PutIf(ctx, tok, key, set, set.life(), version)
		}
		if err != nil {
			return nil, brokerFault(err)
		}
		if !won {
			continue
		}
		if set.prefix() > before && !s.ackPrefix(ctx, tok, id.partitionID, id.lease, &set) && set.complete() {
			// The record is gone and the broker still has the messages.
			if _, _, err := s.registry.PutIf(ctx, tok, key, set, set.life(), 0); err != nil {
				return nil, brokerFault(err)
			}
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
