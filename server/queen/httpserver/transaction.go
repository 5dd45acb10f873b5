package httpserver

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// bundle is a transaction as it was sent: the engine takes its entries by kind,
// the answer lists them in the order they came.
type bundle struct {
	id string
	tx queen.Transaction
	// entries are the flat list of push items and acks.
	entries []bundleEntry
	leases  []string
}

type bundleEntry struct {
	ack   bool
	index int // among the pushes, or among the acks
}

// refuse is the answer to a bundle that was not committed.
func (b *bundle) refuse(status int, reason, text string) answer {
	o := newObject(192)
	o.text("error", text).text("reason", reason).raw("results", "[]").bool("success", false).text("transactionId", b.id)
	return answer{status: status, body: o.close()}
}

func (s *Server) transaction(r *request) answer {
	d, err := parse(r.body)
	if err != nil {
		return badBody(err)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return failure(err, "no randomness")
	}
	b := &bundle{id: id.String()}
	if refused := b.read(d); refused != nil {
		return *refused
	}
	if err := s.nameLeases(r, b); err != nil {
		return failure(err, "transaction failed")
	}
	result, err := s.engine.Transaction(r.ctx, "", b.tx)
	if err != nil {
		return b.failure(err)
	}
	return ok(b.committed(&result))
}

func (b *bundle) read(d document) *answer {
	var f map[string]document
	if d.isObject() {
		var err error
		if f, err = d.fields(); err != nil {
			a := badBody(err)
			return &a
		}
	}
	for _, read := range []func(map[string]document) *answer{b.readKV, b.readTimers, b.readOperations} {
		if refused := read(f); refused != nil {
			return refused
		}
	}
	if leases := f["requiredLeases"]; leases.isArray() {
		for _, d := range leases.list() {
			if lease, err := d.text(); err == nil && lease != "" {
				b.leases = append(b.leases, lease)
			}
		}
	}
	return nil
}

func (b *bundle) bad(format string, args ...any) *answer {
	a := b.refuse(400, "bad_request", fmt.Sprintf(format, args...))
	return &a
}

// rider answers the operations beside the operations.
func (b *bundle) rider(f map[string]document, name string) ([]document, *answer) {
	d := f[name]
	switch {
	case d.isNull():
		return nil, nil
	case !d.isArray():
		return nil, b.bad("`%s` must be an array at the TOP LEVEL of the request body, beside `operations` and never inside it", name)
	}
	return d.list(), nil
}

func (b *bundle) readKV(f map[string]document) *answer {
	list, refused := b.rider(f, "kv")
	if refused != nil {
		return refused
	}
	for i, d := range list {
		if !d.isObject() {
			return b.bad("kv operation at index %d is not an object", i)
		}
		op, err := readKVOp(i, d)
		if err == nil || op.Op == queen.KVGetPrefix {
			b.tx.KV = append(b.tx.KV, op)
			continue
		}
		var fault *kvFault
		if !errors.As(err, &fault) {
			a := badBody(err)
			return &a
		}
		// What Queen finds in its database is no HTTP error.
		a := b.refuse(200, "bad_request", fault.reason)
		return &a
	}
	return nil
}

func (b *bundle) readTimers(f map[string]document) *answer {
	list, refused := b.rider(f, "timers")
	if refused != nil {
		return refused
	}
	for i, d := range list {
		op, err := readTimerOp(i, d)
		if err == nil {
			b.tx.Timers = append(b.tx.Timers, op)
			continue
		}
		var fault *timerFault
		if !errors.As(err, &fault) {
			a := badBody(err)
			return &a
		}
		if strings.HasPrefix(fault.reason, "QTIMER") {
			a := b.refuse(200, "bad_request", fault.reason)
			return &a
		}
		return b.bad("timer operation%s", strings.TrimPrefix(fault.detail, "op"))
	}
	return nil
}

func (b *bundle) readOperations(f map[string]document) *answer {
	d := f["operations"]
	if !d.isArray() {
		if d.isNull() && len(b.tx.KV)+len(b.tx.Timers) > 0 {
			return nil
		}
		return b.bad("transaction requires an operations array (or a top-level kv/timers array)")
	}
	for _, d := range d.list() {
		if refused := b.readOperation(d); refused != nil {
			return refused
		}
	}
	return nil
}

func (b *bundle) readOperation(d document) *answer {
	var f map[string]document
	if d.isObject() {
		var err error
		if f, err = d.fields(); err != nil {
			a := badBody(err)
			return &a
		}
	}
	kind, _ := optional(f["type"])
	switch kind {
	case "push":
		items := []document{d}
		if f["items"].isArray() {
			items = f["items"].list()
		}
		for _, d := range items {
			if err := b.readPush(d); err != nil {
				a := badBody(err)
				return &a
			}
		}
		return nil
	case "ack":
		if err := b.readAck(f); err != nil {
			a := badBody(err)
			return &a
		}
		return nil
	case "kv", "timer", "timers":
		return b.bad(`kv and timer operations are TOP-LEVEL arrays of the request ("kv":[...], "timers":[...]), never elements of ` + "`operations`")
	case "":
		return b.bad("every transaction operation needs a `type` of push or ack")
	}
	return b.bad("segments transaction supports only push and ack operations, got `%s`", kind)
}

// lenient reads a string member; anything else counts as absent.
func lenient(d document) (text string, present bool, err error) {
	if !d.isString() {
		return "", false, nil
	}
	text, err = d.text()
	return text, err == nil, err
}

// readPush takes what a push would refuse: names with control characters, no
// payload, an empty transaction id (which counts as none).
func (b *bundle) readPush(d document) (err error) {
	item := queen.PushItem{Partition: queen.DefaultPartition}
	var f map[string]document
	if d.isObject() {
		if f, err = d.fields(); err != nil {
			return err
		}
	}
	if item.Queue, _, err = lenient(f["queue"]); err != nil {
		return err
	}
	if partition, given, err := lenient(f["partition"]); err != nil {
		return err
	} else if given {
		item.Partition = partition
	}
	if txn, given, err := lenient(f["transactionId"]); err != nil {
		return err
	} else if given && txn != "" {
		item.TransactionID = &txn
	}
	for _, name := range []string{"payload", "data"} {
		if f[name] != nil && item.Payload == nil {
			item.Payload = queen.Payload(f[name])
		}
	}
	b.entries = append(b.entries, bundleEntry{index: len(b.tx.Pushes)})
	b.tx.Pushes = append(b.tx.Pushes, item)
	return nil
}

func (b *bundle) readAck(f map[string]document) (err error) {
	var a queen.Ack
	status := ""
	for name, into := range map[string]*string{"transactionId": &a.TransactionID, "partitionId": &a.PartitionID,
		"status": &status, "leaseId": &a.LeaseID, "error": &a.Reason, "consumerGroup": &a.Group} {
		if *into, _, err = lenient(f[name]); err != nil {
			return err
		}
	}
	if a.Status = queen.AckStatus(status); status == "" {
		a.Status = queen.Completed
	}
	if a.LeaseID != "" {
		b.leases = append(b.leases, a.LeaseID)
	}
	b.entries = append(b.entries, bundleEntry{ack: true, index: len(b.tx.Acks)})
	b.tx.Acks = append(b.tx.Acks, a)
	return nil
}

// nameLeases gives acks that name no lease the one their group has in the lane,
// once any lease was named in the bundle: Queen's clients list their leases
// beside the acks.
func (s *Server) nameLeases(r *request, b *bundle) error {
	if len(b.leases) == 0 {
		return nil
	}
	type target struct{ partition, group string }
	named := map[target]bool{}
	for _, a := range b.tx.Acks {
		if a.LeaseID != "" {
			named[target{a.PartitionID, a.Group}] = true
		}
	}
	for i := range b.tx.Acks {
		a := &b.tx.Acks[i]
		t := target{a.PartitionID, a.Group}
		if named[t] {
			continue
		}
		named[t] = true
		lease, err := s.engine.LeaseOf(r.ctx, a.PartitionID, a.Group)
		if err != nil {
			return err
		}
		if lease == "" {
			lease = only(b.leases)
		}
		a.LeaseID = lease
	}
	return nil
}

// only answers the one lease that was named, empty for several.
func only(leases []string) string {
	for _, l := range leases[1:] {
		if l != leases[0] {
			return ""
		}
	}
	return leases[0]
}

func (b *bundle) failure(err error) answer {
	var duplicate *queen.DuplicateError
	var lost *queen.PreconditionError
	var body *queen.BodyError
	switch {
	case errors.As(err, &duplicate):
		return b.refuse(200, "duplicate", duplicate.Detail)
	case errors.As(err, &body):
		return b.refuse(200, body.Reason, body.Detail)
	case errors.As(err, &lost):
		o := newObject(256+len(lost.Value)).text("error", "kv_precondition_failed")
		if lost.FailedIndex >= 0 {
			o.int("failedIndex", int64(len(b.entries)+lost.FailedIndex))
		}
		o.text("kvReason", string(lost.Reason)).bool("ok", false).text("reason", "kv_precondition").raw("results", "[]")
		o.bool("success", false).text("transactionId", b.id).document("value", lost.Value).int("version", lost.Version)
		return ok(o.close())
	}
	return failure(err, "transaction failed")
}

func (b *bundle) committed(res *queen.TransactionResult) []byte {
	n := len(b.entries)
	kv, timers := len(res.KV), len(res.Timers)
	o := newObject(96 + 192*(n+kv+timers))
	o.list("results", n+kv+timers, func(out []byte, i int) []byte {
		o := &object{out: append(out, '{')}
		switch {
		case i < n && b.entries[i].ack:
			v := &res.Acks[b.entries[i].index]
			o.bool("dlq", v.DLQ).textOrNull("error", v.Error).int("index", int64(i)).bool("success", v.Success)
			o.text("transactionId", v.TransactionID).text("type", "ack")
		case i < n:
			v := &res.Pushes[b.entries[i].index]
			if v.Status == queen.Duplicate {
				o.bool("duplicate", true)
			}
			o.int("index", int64(i)).text("messageId", v.MessageID).text("queueName", v.Queue).bool("success", true)
			o.text("transactionId", v.TransactionID).text("type", "push")
		case i < n+kv:
			appendKVResult(o, &res.KV[i-n], i).int("opIndex", int64(i-n)).text("type", "kv")
		default:
			appendTimerResult(o, &res.Timers[i-n-kv]).int("index", int64(i)).int("opIndex", int64(i-n-kv)).text("type", "timer")
		}
		return o.close()
	})
	return o.bool("success", true).text("transactionId", b.id).close()
}
