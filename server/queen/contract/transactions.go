package contract

import (
	"errors"
	"fmt"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

func (t *T) transact(tx queen.Transaction) queen.TransactionResult {
	t.Helper()
	res, err := t.tryTransact(tx)
	t.ok(err)
	return res
}

func (t *T) tryTransact(tx queen.Transaction) (queen.TransactionResult, error) {
	for i := range tx.KV {
		if tx.KV[i].NS == "" {
			tx.KV[i].NS = namespace
		}
	}
	for {
		res, err := t.Broker.Transaction(t.Context(), t.Token, tx)
		var refused *queen.StatusError
		if !errors.As(err, &refused) || refused.Code != 429 {
			return res, err
		}
		time.Sleep(time.Second)
	}
}

func (t *T) rejected(err error, reason, part string) {
	t.Helper()
	var body *queen.BodyError
	if !errors.As(err, &body) {
		t.Fatalf("got %v (%T), want a refused transaction", err, err)
	}
	if body.Reason != reason || !contains(body.Detail, part) {
		t.Fatalf("got %s: %s, want %s: %s", body.Reason, body.Detail, reason, part)
	}
}

func contains(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if s[i:i+len(part)] == part {
			return true
		}
	}
	return false
}

func (t *T) putOp(key string, required bool) queen.KVOp {
	return queen.KVOp{Op: queen.KVPut, Key: t.key(key), Value: []byte("1"), TTLSeconds: 60, Expect: queen.Version(0), Required: required}
}

var transactionCases = []testCase{
	{"11", "push, ack and kv in one commit", func(t *T) {
		src, dst := t.configured(), t.configured()
		t.push(src, "0", "t1", "t2")
		m := t.pop(src, 2)
		res := t.transact(queen.Transaction{
			Pushes: []queen.PushItem{{Queue: dst, Partition: "5", Payload: []byte(`{"b":1}`)}, msg(dst, "5", "d2"), msg(dst, "5", "d2")},
			Acks:   []queen.Ack{ack(m[0], queen.Completed)},
			KV:     []queen.KVOp{t.putOp("k", false), {Op: queen.KVGet, Key: t.key("none")}},
		})
		t.want("pushes, acks, kv", []int{len(res.Pushes), len(res.Acks), len(res.KV)}, []int{3, 1, 2})
		t.want("soft duplicate", []any{res.Pushes[2].Status, res.Pushes[2].MessageID}, []any{"duplicate", res.Pushes[1].MessageID})
		t.want("default transaction id", res.Pushes[0].TransactionID, res.Pushes[0].MessageID)
		t.want("ack", []any{res.Acks[0].Success, res.Acks[0].TransactionID}, []any{true, "t1"})
		t.want("kv", []any{res.KV[0].Applied, string(res.KV[0].Value), res.KV[1].Found}, []any{true, "1", false})
		t.pending(src, 1)
		t.want("the lane is leased after a partial ack", len(t.popLane(src, "0", 1, 30)), 0)
		got := t.pop(dst, 10)
		t.want("delivered ids", []string{got[0].ID, got[1].ID}, []string{res.Pushes[0].MessageID, res.Pushes[1].MessageID})
		t.want("delivered", len(got), 2)
		t.want("row", string(t.get("k").Value), "1")
	}},
	{"11", "two leases of two lanes in one bundle", func(t *T) {
		q := t.configured()
		t.push(q, "a", "a")
		t.push(q, "b", "b")
		t.transact(queen.Transaction{Acks: []queen.Ack{
			ack(t.popLane(q, "a", 1, 30)[0], queen.Completed), ack(t.popLane(q, "b", 1, 30)[0], queen.Completed),
		}})
		t.pending(q, 0)
	}},
	{"11", "a kv rider alone, and nothing at all", func(t *T) {
		t.want("applied", t.transact(queen.Transaction{KV: []queen.KVOp{t.putOp("k", false)}}).KV[0].Applied, true)
		t.transact(queen.Transaction{})
	}},
	{"11", "without required a lost kv operation does not stop the bundle", func(t *T) {
		q := t.configured()
		win := t.put("k", "9", nil)
		res := t.transact(queen.Transaction{Pushes: []queen.PushItem{msg(q, "0", "x")}, KV: []queen.KVOp{t.putOp("k", false)}})
		t.lost(res.KV[0], queen.KVExists, "9", win.Version)
		t.pending(q, 1)
	}},
	{"11", "a push without a payload delivers an empty object, control characters are allowed", func(t *T) {
		q := t.configured()
		t.transact(queen.Transaction{Pushes: []queen.PushItem{{Queue: q, Partition: "0"}, msg(q, "0", "a\x01b")}})
		m := t.pop(q, 2)
		t.want("payload and id", []string{string(m[0].Payload), m[1].TransactionID}, []string{"{}", "a\x01b"})
	}},
	{"11", "a release inside a transaction", func(t *T) {
		q := t.configured()
		t.push(q, "0", "x")
		t.transact(queen.Transaction{Acks: []queen.Ack{ack(t.pop(q, 1)[0], queen.Retry)}})
		t.want("claimable", texts(t.popLane(q, "0", 1, 30)), "x")
	}},
}

var transactionRefusalCases = []testCase{
	{"11", "a taken transaction id rolls everything back", func(t *T) {
		src, dst := t.configured(), t.configured(func(o *queen.Options) { o.DedupWindowSeconds = 300 })
		t.push(src, "0", "s")
		t.push(dst, "0", "d")
		m := t.pop(src, 1)
		_, err := t.tryTransact(queen.Transaction{
			Pushes: []queen.PushItem{msg(dst, "0", "new"), msg(dst, "0", "d")},
			Acks:   []queen.Ack{ack(m[0], queen.Completed)}, KV: []queen.KVOp{t.putOp("k", true)},
		})
		var taken *queen.DuplicateError
		if !errors.As(err, &taken) {
			t.Fatalf("got %v (%T)", err, err)
		}
		if !contains(taken.Detail, "QDUP duplicate messages in queue") {
			t.Fatalf("detail %q", taken.Detail)
		}
		t.pending(src, 1)
		t.pending(dst, 1)
		t.want("row", t.get("k").Found, false)
		t.complete(m...)
	}},
	{"11", "a lost required kv operation rolls everything back and names its index", func(t *T) {
		src, dst := t.configured(), t.configured()
		t.push(src, "0", "s")
		m := t.pop(src, 1)
		win := t.put("k", "1", nil)
		_, err := t.tryTransact(queen.Transaction{
			Pushes: []queen.PushItem{msg(dst, "0", "1"), msg(dst, "0", "2"), msg(dst, "0", "3")},
			Acks:   []queen.Ack{ack(m[0], queen.Completed)}, KV: []queen.KVOp{t.putOp("free", false), t.putOp("k", true)},
		})
		t.precondition(err, 1, queen.KVExists, win.Version, "1")
		t.pending(src, 1)
		t.pending(dst, 0)
		t.want("row", t.get("free").Found, false)
	}},
	{"11", "a refused ack rolls everything back", func(t *T) {
		src, dst := t.configured(), t.configured()
		t.push(src, "0", "t1", "t2")
		m := t.popLane(src, "0", 2, 2)
		try := func(a queen.Ack) error {
			_, err := t.tryTransact(queen.Transaction{Pushes: []queen.PushItem{msg(dst, "0", "x")}, Acks: []queen.Ack{a}})
			return err
		}
		bad := ack(m[0], queen.Completed)
		bad.TransactionID = "unknown"
		t.rejected(try(bad), "ack_rejected", "QTXN ack references unknown transactionId")
		bad = ack(m[0], queen.Completed)
		bad.LeaseID = "f7b2763b-b0b9-4cd8-8379-7f4b087bda20"
		t.rejected(try(bad), "ack_rejected", "invalid or expired lease")
		bad = ack(m[0], queen.Completed)
		bad.PartitionID = "185a9d97-e763-4ad1-8a40-15b42d8007b6"
		t.rejected(try(bad), "ack_rejected", "not owned by this tenant")
		bad.PartitionID = "7"
		t.rejected(try(bad), "db_error", "invalid input syntax for type uuid")
		t.pending(dst, 0)
		t.pending(src, 2)

		tx := queen.Transaction{Acks: []queen.Ack{ack(m[0], queen.Completed)}}
		t.transact(tx)
		t.want("again while the lease lives", t.transact(tx).Acks[0].Success, true)
		t.pass(2500 * time.Millisecond)
		t.rejected(try(ack(m[1], queen.Completed)), "ack_rejected", "invalid or expired lease")
	}},
	{"11", "a bundle that did commit does not commit again", func(t *T) {
		q := t.configured()
		t.push(q, "0", "x")
		tx := queen.Transaction{Acks: []queen.Ack{ack(t.pop(q, 1)[0], queen.Completed)}}
		t.transact(tx)
		_, err := t.tryTransact(tx)
		t.rejected(err, "ack_rejected", "invalid or expired lease")
	}},
	{"11", "which refusal wins", func(t *T) {
		src, dst := t.configured(), t.configured(func(o *queen.Options) { o.DedupWindowSeconds = 300 })
		t.push(src, "0", "s")
		t.push(dst, "0", "d")
		good := ack(t.pop(src, 1)[0], queen.Completed)
		nowhere, foreign := good, good
		nowhere.PartitionID = "185a9d97-e763-4ad1-8a40-15b42d8007b6"
		foreign.LeaseID = "f7b2763b-b0b9-4cd8-8379-7f4b087bda20"
		t.put("k", "1", nil)
		lost, duplicate := []queen.KVOp{t.putOp("k", true)}, []queen.PushItem{msg(dst, "0", "d")}

		_, err := t.tryTransact(queen.Transaction{Acks: []queen.Ack{nowhere}, KV: lost})
		t.rejected(err, "ack_rejected", "")
		var gate *queen.PreconditionError
		_, err = t.tryTransact(queen.Transaction{Acks: []queen.Ack{foreign}, KV: lost})
		t.want("bad lease and lost kv", errors.As(err, &gate), true)
		_, err = t.tryTransact(queen.Transaction{Pushes: duplicate, KV: lost})
		t.want("duplicate and lost kv", errors.As(err, &gate), true)
		var taken *queen.DuplicateError
		_, err = t.tryTransact(queen.Transaction{Pushes: duplicate, Acks: []queen.Ack{foreign}})
		t.want("duplicate and bad lease", errors.As(err, &taken), true)
	}},
	{"11", "riders have tighter limits", func(t *T) {
		var ops []queen.KVOp
		for i := range 65 {
			ops = append(ops, queen.KVOp{Op: queen.KVGet, Key: t.key(fmt.Sprint(i))})
		}
		_, err := t.tryTransact(queen.Transaction{KV: ops})
		t.status(err, 400, "65 kv operations in one transaction, the ceiling on this wire is 64", `"bad_request"`)
		t.want("64", len(t.transact(queen.Transaction{KV: ops[:64]}).KV), 64)
		_, err = t.tryTransact(queen.Transaction{KV: []queen.KVOp{{Op: queen.KVGetPrefix, Prefix: "x"}}})
		t.status(err, 400, "getPrefix is not available inside a transaction")
		big := t.putOp("big", false)
		big.Value = blob(65602)
		_, err = t.tryTransact(queen.Transaction{KV: []queen.KVOp{big}})
		t.status(err, 413, `"payload_too_large"`)
		_, err = t.tryTransact(queen.Transaction{KV: []queen.KVOp{{Op: queen.KVGet, NS: "Bad", Key: "a"}}})
		t.rejected(err, "bad_request", "kv_bad_namespace")
	}},
	{"11", "a push without a queue is refused", func(t *T) {
		_, err := t.tryTransact(queen.Transaction{Pushes: []queen.PushItem{{Partition: "0", Payload: str("x")}}})
		t.rejected(err, "ack_rejected", "QTXN resolved 0 of 1 pushes")
	}},
}
