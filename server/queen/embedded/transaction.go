package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// The tighter limits of a transaction's riders (queen-wire 10.3).
const (
	maxTxnKVOps  = 64
	maxTxnKVKeys = 256
)

// Transaction implements queen.Broker. Everything is decided under the locks
// before anything is changed, in the order of queen-wire 11: the acks'
// partitions, the key/value operations, the pushes, the acks. The first refusal
// names the reason.
func (e *Engine) Transaction(ctx context.Context, _ queen.Token, tx queen.Transaction) (queen.TransactionResult, error) {
	if err := e.enter(ctx, ""); err != nil {
		return queen.TransactionResult{}, err
	}
	defer e.leave()
	if err := e.checkTransaction(&tx); err != nil {
		return queen.TransactionResult{}, err
	}
	sets := transactionAcks(tx.Acks)
	queues := e.locate(sets)
	for i := range tx.Pushes {
		if tx.Pushes[i].Queue != "" {
			queues = append(queues, tx.Pushes[i].Queue)
		}
	}
	c := e.begin(scope{queues: queues, kv: len(tx.KV) > 0, timers: len(tx.Timers) > 0})
	run, plans, err := c.decide(&tx, sets)
	if err != nil {
		return queen.TransactionResult{}, firstError(c.abandon(), err)
	}
	res := queen.TransactionResult{
		Pushes: make([]queen.PushResult, len(tx.Pushes)),
		Acks:   make([]queen.AckResult, len(tx.Acks)),
		KV:     []queen.KVResult{},
		Timers: make([]queen.TimerResult, len(tx.Timers)),
	}
	if run != nil {
		run.commit(c)
		res.KV = run.results
	}
	for i := range tx.Timers {
		res.Timers[i] = e.timers.apply(c, &tx.Timers[i])
	}
	in := newIntake(c)
	for i := range tx.Pushes {
		res.Pushes[i] = in.push(&tx.Pushes[i])
	}
	in.placeAll()
	for i, plan := range plans {
		plan.apply(c)
		for j, verdict := range plan.verdicts {
			res.Acks[sets[i].items[j]] = verdict
		}
	}
	return res, c.finish()
}

// checkTransaction refuses what never reaches the state. A missing payload
// becomes an empty object.
func (e *Engine) checkTransaction(tx *queen.Transaction) error {
	if len(tx.KV) > maxTxnKVOps {
		return e.envelope(400, "bad_request", fmt.Sprintf("%d kv operations in one transaction, the ceiling on this wire is %d", len(tx.KV), maxTxnKVOps))
	}
	if n := countKeys(tx.KV); n > maxTxnKVKeys {
		return e.envelope(400, "bad_request", fmt.Sprintf("%d kv keys in one transaction, the ceiling on this wire is %d", n, maxTxnKVKeys))
	}
	for i := range tx.KV {
		if tx.KV[i].Op == queen.KVGetPrefix {
			return e.envelope(400, "bad_request", fmt.Sprintf("kv operation at index %d: getPrefix is not available inside a transaction; it lives only on POST /api/v1/kv", i))
		}
		if f := checkShape(i, &tx.KV[i]); f != nil {
			return e.riderFault(f)
		}
	}
	if f := checkOneWrite(tx.KV); f != nil {
		return e.riderFault(f)
	}
	if err := checkTimers(tx.Timers); err != nil {
		return e.timerFault(err)
	}
	pushes := slices.Clone(tx.Pushes)
	for i := range pushes {
		if pushes[i].Payload == nil {
			pushes[i].Payload = json.RawMessage("{}")
		}
		switch {
		case !json.Valid(pushes[i].Payload):
			return e.envelope(400, "bad_request", fmt.Sprintf("payload of item %d is not JSON", i))
		case utf8.RuneCountInString(pushes[i].Queue) > maxQueueName:
			return e.envelope(400, "bad_request", fmt.Sprintf("queue of item %d exceeds the 255-character limit", i))
		case pushes[i].TransactionID != nil && len(*pushes[i].TransactionID) > maxTransactionID:
			return e.envelope(400, "bad_request", fmt.Sprintf("transactionId of item %d exceeds the 65535-byte limit", i))
		}
	}
	tx.Pushes = pushes
	return nil
}

// envelope is the body of a transaction that was refused before it began.
func (e *Engine) envelope(code int, reason, text string) error {
	return refusal(code, field{"error", text}, field{"reason", reason}, field{"results", []int{}},
		field{"success", false}, field{"transactionId", e.ids.next(e.micros()).String()})
}

func (e *Engine) riderFault(f *kvFault) error {
	switch f.code {
	case 400: // Queen finds it in the database, so it is no HTTP error
		return &queen.BodyError{Reason: "bad_request", Detail: f.reason}
	case 500:
		return &queen.BodyError{Reason: "db_error", Detail: f.reason}
	}
	return e.envelope(f.code, f.kind, strings.Replace(f.detail, "op at index", "kv operation at index", 1))
}

// timerFault is the envelope of a timer operation that was refused.
func (e *Engine) timerFault(err error) error {
	var refused *queen.StatusError
	var body struct{ Detail, Error, Reason string }
	if !errors.As(err, &refused) || json.Unmarshal([]byte(refused.Body), &body) != nil {
		return err
	}
	reason := body.Error
	if strings.HasPrefix(body.Reason, "QTIMER") { // as with a kv rider
		return &queen.BodyError{Reason: "bad_request", Detail: body.Reason}
	}
	if refused.Code == 400 {
		reason = "bad_request"
	}
	text := body.Detail
	text = strings.NewReplacer("op at index", "timer operation at index", "in force here", "of this cell").Replace(text)
	return e.envelope(refused.Code, reason, text)
}

// transactionAcks groups a transaction's acks by partition and group. All of one
// use the first lease id given for it. The sets are in the order they are
// judged.
func transactionAcks(acks []queen.Ack) []*ackSet {
	sets := groupAcks(acks, func(a *queen.Ack) ackTarget {
		return ackTarget{partitionID: a.PartitionID, group: orDefault(a.Group)}
	})
	for _, set := range sets {
		for _, item := range set.items {
			if set.leaseID = acks[item].LeaseID; set.leaseID != "" {
				break
			}
		}
	}
	slices.SortStableFunc(sets, func(a, b *ackSet) int {
		if d := strings.Compare(a.partitionID, b.partitionID); d != 0 {
			return d
		}
		return strings.Compare(a.group, b.group)
	})
	return sets
}

// decide judges a transaction without changing anything.
func (c *command) decide(tx *queen.Transaction, sets []*ackSet) (*kvRun, []*ackPlan, error) {
	for _, set := range sets {
		if !set.valid {
			return nil, nil, &queen.BodyError{Reason: "db_error",
				Detail: fmt.Sprintf("invalid input syntax for type uuid: %q", set.partitionID)}
		}
		if set.lane == nil || set.lane.gone {
			return nil, nil, rejectedAck("QTXN ack references partition %s not owned by this tenant", set.partitionID)
		}
	}
	var run *kvRun
	if len(tx.KV) > 0 {
		for i := range tx.KV {
			if f := checkNames(i, &tx.KV[i]); f != nil {
				return nil, nil, &queen.BodyError{Reason: "bad_request", Detail: f.reason}
			}
		}
		run = newKVRun(c)
		if err := run.all(tx.KV); err != nil {
			return nil, nil, err
		}
	}
	if err := c.decidePushes(tx.Pushes); err != nil {
		return nil, nil, err
	}
	plans := make([]*ackPlan, len(sets))
	for i, set := range sets {
		plans[i] = set.plan(c, tx.Acks)
		switch text := plans[i].rejected(); text {
		case "":
		case errUnresolvable:
			return nil, nil, rejectedAck("QTXN ack references unknown transactionId; transaction rolled back")
		default:
			return nil, nil, rejectedAck("QTXN ack failed for partition %s group %q: %s; transaction rolled back", set.partitionID, set.group, text)
		}
	}
	return run, plans, nil
}

func rejectedAck(format string, args ...any) error {
	return &queen.BodyError{Reason: "ack_rejected", Detail: fmt.Sprintf(format, args...)}
}

// decidePushes looks for items that name no queue, and for transaction ids that
// are taken.
func (c *command) decidePushes(items []queen.PushItem) error {
	named := 0
	for i := range items {
		if items[i].Queue != "" {
			named++
		}
	}
	if named < len(items) {
		return rejectedAck("QTXN resolved %d of %d pushes (empty or unknown queue/partition)", named, len(items))
	}
	for i := range items {
		it := &items[i]
		q := c.queue(it.Queue)
		l := q.lanes[partitionOf(it.Partition)]
		if l == nil || it.TransactionID == nil {
			continue
		}
		if _, taken := q.dedup.find(laneTxn{l.num, txnKey(*it.TransactionID)}, q.window(), c.now); taken {
			return &queen.DuplicateError{Detail: fmt.Sprintf("QDUP duplicate messages in queue %q partition %q; transaction rolled back", it.Queue, l.name)}
		}
	}
	return nil
}
