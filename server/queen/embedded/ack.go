package embedded

import (
	"context"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// The verdict texts of queen-wire 7.3.
const (
	errNoConsumer   = "consumer not found"
	errLease        = "invalid or expired lease"
	errCommitted    = "already committed: the cursor moved past this message before this ack"
	errUnresolvable = "unresolvable: transaction not in the ack window (hash purged or never pushed); if leased, the message redelivers"
	errPartitionID  = "db error" // a partition id that is no UUID
)

// Ack implements queen.Broker. LeaseReleased tells the truth: whether this call
// ended the lane's lease.
func (e *Engine) Ack(ctx context.Context, _ queen.Token, groupName string, acks []queen.Ack) ([]queen.AckResult, error) {
	if err := e.enter(ctx, ""); err != nil {
		return nil, err
	}
	defer e.leave()
	results := make([]queen.AckResult, len(acks))
	if len(acks) == 0 {
		return results, nil
	}
	sets := groupAcks(acks, func(a *queen.Ack) ackTarget {
		return ackTarget{a.PartitionID, a.LeaseID, orDefault(groupName)}
	})
	c := e.begin(scope{queues: e.locate(sets)})
	for _, set := range sets {
		plan := set.plan(c, acks)
		plan.apply(c)
		for i, verdict := range plan.verdicts {
			results[set.items[i]] = verdict
		}
	}
	return results, c.finish()
}

func orDefault(group string) string {
	if group == "" {
		return queen.DefaultGroup
	}
	return group
}

// ackTarget is what acks are grouped by.
type ackTarget struct{ partitionID, leaseID, group string }

// ackSet is the acks of one target: they are one decision.
type ackSet struct {
	ackTarget
	items []int // places among the call's acks
	lane  *lane // nil when there is none
	valid bool  // the partition id is a UUID
}

// groupAcks splits acks by target, in the order of first appearance.
func groupAcks(acks []queen.Ack, target func(*queen.Ack) ackTarget) []*ackSet {
	var sets []*ackSet
	byTarget := map[ackTarget]*ackSet{}
	for i := range acks {
		t := target(&acks[i])
		set := byTarget[t]
		if set == nil {
			set = &ackSet{ackTarget: t}
			byTarget[t] = set
			sets = append(sets, set)
		}
		set.items = append(set.items, i)
	}
	return sets
}

// locate finds the lanes of the sets and answers the queues to lock.
func (e *Engine) locate(sets []*ackSet) (queues []string) {
	for _, set := range sets {
		var id uid
		if id, set.valid = parseUID(set.partitionID); !set.valid {
			continue
		}
		if set.lane = e.lanes.get(id); set.lane != nil {
			queues = append(queues, set.lane.queue.name)
		}
	}
	return queues
}

// ackPlan is a decision that has not been carried out.
type ackPlan struct {
	consumer *consumer // nil when nothing is to be done
	verdicts []queen.AckResult
	// cursor is where committed goes; release ends the lease; retries is the
	// count of failed acks from here on.
	cursor   int64
	release  bool
	retries  int64
	dead     int64 // offset to dead-letter, -1 for none
	deadText string
}

// rejected is the first failure among the verdicts.
func (p *ackPlan) rejected() string {
	for i := range p.verdicts {
		if !p.verdicts[i].Success {
			return p.verdicts[i].Error
		}
	}
	return ""
}

func (p *ackPlan) refuse(text string) *ackPlan {
	for i := range p.verdicts {
		p.verdicts[i].Error = text
	}
	return p
}

// plan decides a set by the procedure of queen-wire 7.3. It changes nothing. The
// lane's queue is locked.
func (s *ackSet) plan(c *command, acks []queen.Ack) *ackPlan {
	p := &ackPlan{verdicts: make([]queen.AckResult, len(s.items)), dead: -1}
	for i, item := range s.items {
		p.verdicts[i].TransactionID = acks[item].TransactionID
	}
	if !s.valid {
		return p.refuse(errPartitionID)
	}
	if s.lane == nil || s.lane.gone {
		return p.refuse(errNoConsumer)
	}
	q := s.lane.queue
	var cons *consumer
	if g := q.groups[s.group]; g != nil {
		cons = s.lane.consumer(g)
	}
	if cons == nil || !cons.exists {
		return p.refuse(errNoConsumer)
	}
	last := s.lane.next - 1
	if s.leaseID != "" {
		lease, ok := parseUID(s.leaseID)
		if !ok || cons.lease != lease || !cons.leased(c.now) {
			return p.refuse(errLease)
		}
		last = cons.batchEnd
	}
	s.decide(p, cons, last, acks)
	return p
}

// decide resolves the acks to offsets and reads from them what happens.
func (s *ackSet) decide(p *ackPlan, cons *consumer, last int64, acks []queen.Ack) {
	const none = int64(-1)
	offsets := make([]int64, len(s.items))
	signal, signalItem, resolved := none, 0, false
	for i, item := range s.items {
		offsets[i] = none
		key := txnKey(acks[item].TransactionID)
		off, ok := s.lane.find(key, cons.committed+1, last)
		if !ok {
			s.below(&p.verdicts[i], cons, key, acks[item].Status)
			continue
		}
		offsets[i], resolved = off, true
		p.verdicts[i].Success = true
		rank := severity(acks[item].Status)
		if rank == 0 {
			continue
		}
		if signal == none || off < signal || off == signal && rank > severity(acks[s.items[signalItem]].Status) {
			signal, signalItem = off, i
		}
	}
	if !resolved {
		return
	}
	p.consumer = cons
	p.cursor = cons.committed
	for i, item := range s.items {
		off := offsets[i]
		if off != none && severity(acks[item].Status) == 0 && (signal == none || off < signal) {
			p.cursor = max(p.cursor, off)
		}
	}
	p.retries = cons.retries
	dlq := false
	if signal == none {
		if p.release = p.cursor >= cons.batchEnd; p.release {
			p.retries = 0
		}
	} else {
		dlq = s.signalled(p, cons, signal, &acks[s.items[signalItem]])
	}
	for i := range p.verdicts {
		if offsets[i] == none {
			continue
		}
		p.verdicts[i].DLQ = dlq
		p.verdicts[i].LeaseReleased = p.release && cons.lease != uid{}
	}
}

// signalled applies the lowest status that is not completed. It reports whether
// a message is dead-lettered.
func (s *ackSet) signalled(p *ackPlan, cons *consumer, off int64, a *queen.Ack) (dlq bool) {
	p.release = true
	opts := &s.lane.queue.opts
	switch severity(a.Status) {
	case severityRetry:
		return false
	case severityFailed:
		if cons.retries < int64(opts.RetryLimit) {
			p.retries++
			return false
		}
		dlq = opts.DeadLetterQueue || opts.DLQAfterMaxRetries
	case severityDead:
		dlq = true
	}
	p.cursor, p.retries = off, 0
	if dlq {
		p.dead, p.deadText = off, a.Reason
	}
	return dlq
}

const (
	severityRetry = 1 + iota
	severityFailed
	severityDead
)

// severity ranks an ack's status; 0 is completed. Unknown words read as failed.
func severity(s queen.AckStatus) int {
	switch s {
	case queen.Completed, "", "success", "acked", "ok":
		return 0
	case queen.Retry:
		return severityRetry
	case queen.DeadLetter:
		return severityDead
	}
	return severityFailed
}

// below judges an ack whose message is not ahead of the cursor: done already, or
// unknown.
func (s *ackSet) below(v *queen.AckResult, cons *consumer, key uid, status queen.AckStatus) {
	if !s.consumed(cons, key) {
		v.Error = errUnresolvable
		return
	}
	if severity(status) != 0 {
		v.Error = errCommitted
		return
	}
	v.Success, v.Noop = true, true
}

// consumed looks for a message the group is done with: among the records of a
// remembered claim, and in the dedup table.
func (s *ackSet) consumed(cons *consumer, key uid) bool {
	if _, ok := s.lane.find(key, s.lane.start, cons.committed); ok {
		return true
	}
	first, ok := s.lane.queue.dedup.original(laneTxn{s.lane.num, key})
	return ok && first.offset <= cons.committed
}

// apply carries the decision out.
func (p *ackPlan) apply(c *command) {
	cons := p.consumer
	if cons == nil {
		return
	}
	if p.dead >= 0 {
		cons.lane.queue.deadLetter(c, cons, p.dead, p.deadText)
	}
	moved := p.cursor > cons.committed
	cons.committed, cons.retries = p.cursor, p.retries
	if p.release {
		cons.release()
	}
	switch {
	case cons.committed >= cons.batchEnd:
		cons.attempts, cons.attemptOffset = 0, -1
	case moved:
		cons.attemptOffset = cons.committed + 1
	}
	cons.save(c)
	cons.lane.collect()
	cons.place(c.now)
}
