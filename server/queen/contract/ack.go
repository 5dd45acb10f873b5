package contract

import (
	"fmt"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

const (
	invalidLease = "invalid or expired lease"
	unresolvable = "unresolvable: "
	committed    = "already committed"
)

var ackCases = []testCase{
	{"7.1", "an ack, its repetition, a foreign lease, an unknown id", func(t *T) {
		q := t.configured()
		t.push(q, "0", "t1", "t2")
		m := t.pop(q, 1)[0]
		t.released(t.acks(ack(m, queen.Completed))[0], true)
		t.failed(ack(m, queen.Completed), invalidLease)
		m = t.pop(q, 1)[0]
		t.want("next", m.TransactionID, "t2")
		foreign := ack(m, queen.Completed)
		foreign.LeaseID = "f7b2763b-b0b9-4cd8-8379-7f4b087bda20"
		t.failed(foreign, invalidLease)
		foreign.LeaseID = "no uuid"
		t.failed(foreign, invalidLease)
		unknown := ack(m, queen.Completed)
		unknown.TransactionID = "never pushed"
		t.failed(unknown, unresolvable)
		t.want("the lease is still held", len(t.popLane(q, "0", 1, 30)), 0)
		lost := ack(m, queen.Completed)
		lost.PartitionID = "185a9d97-e763-4ad1-8a40-15b42d8007b6"
		t.failed(lost, "consumer not found")
		lost.PartitionID = "7"
		t.failed(lost, "db error")
		t.complete(m)
		t.pending(q, 0)
	}},
	{"7.1", "an ack without a lease id repeats as a no-op, and moves the cursor under any lease", func(t *T) {
		q := t.configured()
		t.push(q, "0", "t1", "t2")
		m := t.pop(q, 2)
		bare := func(i int, s queen.AckStatus) queen.Ack {
			return queen.Ack{TransactionID: m[i].TransactionID, PartitionID: m[i].PartitionID, Status: s}
		}
		t.want("first", t.acks(bare(0, queen.Completed))[0].Success, true)
		again := t.acks(bare(0, queen.Completed))[0]
		t.want("repeated: success, no-op", []bool{again.Success, again.Noop}, []bool{true, true})
		t.failed(bare(0, queen.Retry), committed)
		t.want("second", t.acks(bare(1, queen.Completed))[0].Success, true)
		t.pending(q, 0)
		t.failed(ack(m[1], queen.Completed), invalidLease)
	}},
	{"7.1", "an ack without a lease id ends another client's lease at the batch's end", func(t *T) {
		q := t.configured()
		t.push(q, "0", "t1")
		old := t.popLane(q, "0", 1, 1)[0]
		t.pass(1200 * time.Millisecond)
		var held []queen.Message
		t.eventually("the lease expires", func() bool { held = t.popLane(q, "0", 1, 30); return len(held) > 0 })
		t.failed(ack(old, queen.Completed), invalidLease)
		t.want("bare", t.acks(queen.Ack{TransactionID: "t1", PartitionID: old.PartitionID, Status: queen.Completed})[0].Success, true)
		t.failed(ack(held[0], queen.Completed), invalidLease)
	}},
	{"7.2", "results are aligned, whatever the order of lanes and leases", func(t *T) {
		q := t.configured()
		t.push(q, "a", "a0", "a1")
		t.push(q, "b", "b0", "b1")
		m := t.popReq(queen.PopRequest{Queue: q, Batch: 10, Partitions: 2, LeaseSeconds: 30}).Messages
		byID := map[string]queen.Message{}
		for _, x := range m {
			byID[x.TransactionID] = x
		}
		var acks []queen.Ack
		for _, id := range []string{"a1", "a0", "b1", "b0"} {
			acks = append(acks, ack(byID[id], queen.Completed))
		}
		for i, r := range t.acks(acks...) {
			t.want("result", fmt.Sprint(r.TransactionID, r.Success), fmt.Sprint(acks[i].TransactionID, true))
		}
		t.pending(q, 0)
		t.want("no acks", len(t.acks()), 0)
	}},
	{"7.2", "verdicts of one call are independent across leases", func(t *T) {
		q := t.configured()
		t.push(q, "0", "t1")
		m := t.pop(q, 1)[0]
		good, foreign, unknown := ack(m, ""), ack(m, queen.Completed), ack(m, queen.Completed)
		foreign.LeaseID = "f7b2763b-b0b9-4cd8-8379-7f4b087bda20"
		unknown.TransactionID = "zz"
		r := t.acks(good, foreign, unknown)
		t.want("status left out", r[0].Success, true)
		t.begins(r[1].Error, invalidLease)
		t.begins(r[2].Error, unresolvable)
		t.pending(q, 0)
	}},
	{"7.3", "an expired lease acks nothing", func(t *T) {
		q := t.configured()
		t.push(q, "0", "t1", "t2")
		old := t.popLane(q, "0", 1, 1)[0]
		t.pass(1200 * time.Millisecond)
		t.failed(ack(old, queen.Completed), invalidLease)
		t.failed(ack(old, queen.Retry), invalidLease)
		t.want("same message again", texts(t.popLane(q, "0", 1, 30)), "t1")
		t.failed(ack(old, queen.Completed), invalidLease)
	}},
	{"7.3", "an ack in the middle completes everything below it", func(t *T) {
		q := t.configured()
		t.push(q, "0", "t0", "t1", "t2", "t3")
		m := t.popLane(q, "0", 4, 2)
		t.released(t.acks(ack(m[2], queen.Completed))[0], false)
		t.pending(q, 1)
		t.want("the lane is still leased", len(t.popLane(q, "0", 10, 30)), 0)
		below := t.acks(ack(m[0], queen.Completed))[0]
		t.want("below: success, no-op", []bool{below.Success, below.Noop}, []bool{true, true})
		t.failed(ack(m[0], queen.Retry), committed)
		t.pass(2500 * time.Millisecond)
		var rest []queen.Message
		t.eventually("the lease expires", func() bool { rest = t.popLane(q, "0", 10, 30); return len(rest) > 0 })
		t.want("redelivered", texts(rest), "t3")
	}},
	{"7.3", "a message above the batch is unresolvable", func(t *T) {
		q := t.configured()
		t.push(q, "0", "t0", "t1")
		above := ack(t.pop(q, 1)[0], queen.Completed)
		above.TransactionID = "t1"
		t.failed(above, unresolvable)
		t.pending(q, 2)
	}},
	{"7.3", "the same transaction id twice in a lane: each ack finds its own, lowest first", func(t *T) {
		q := t.configured()
		for _, id := range []string{"same", "other", "same"} {
			t.push(q, "0", id)
		}
		m := t.pop(q, 3)
		for i, left := range []int64{2, 1, 0} {
			id := []string{"same", "other", "same"}[i]
			a := ack(m[0], queen.Completed)
			a.TransactionID = id
			t.want("ack of "+id, t.acks(a)[0].Success, true)
			t.pending(q, left)
		}
	}},
}

var signalCases = []testCase{
	{"7.3", "retry with nothing completed: the cursor stays", func(t *T) {
		q := t.configured()
		t.push(q, "0", "t0", "t1", "t2")
		for _, i := range []int{2, 0} {
			m := t.popLane(q, "0", 3, 30)
			t.released(t.acks(ack(m[i], queen.Retry))[0], true)
			t.failed(ack(m[i], queen.Completed), invalidLease)
		}
		t.want("redelivered", texts(t.popLane(q, "0", 3, 30)), "t0 t1 t2")
	}},
	{"7.3", "retry together with completed members", func(t *T) {
		q := t.configured()
		t.push(q, "0", "t0", "t1", "t2", "t3", "t4")
		m := t.popLane(q, "0", 5, 30)
		for _, r := range t.acks(ack(m[0], queen.Completed), ack(m[2], queen.Retry), ack(m[4], queen.Completed)) {
			t.want("success", r.Success, true)
		}
		m = t.popLane(q, "0", 5, 30)
		t.want("redelivered", texts(m), "t1 t2 t3 t4")
		for _, r := range t.acks(ack(m[1], queen.Completed), ack(m[0], queen.Retry)) {
			t.want("success", r.Success, true)
		}
		m = t.popLane(q, "0", 5, 30)
		t.want("redelivered after the head was released", texts(m), "t1 t2 t3 t4")
		t.complete(m[:2]...)
		t.want("a prefix keeps the lease", len(t.popLane(q, "0", 5, 30)), 0)
		t.acks(ack(m[2], queen.Retry))
		t.want("redelivered at last", texts(t.popLane(q, "0", 5, 30)), "t3 t4")
	}},
	{"7.3", "failed: the retry budget, then the native dead letter", func(t *T) { t.exhaust(true) }},
	{"7.3", "failed: the retry budget, then the drop", func(t *T) { t.exhaust(false) }},
	{"7.3", "dlq files the message and answers dlq for the whole group", func(t *T) {
		q := t.configured()
		t.push(q, "0", "t0", "t1", "t2", "t3")
		m := t.popLane(q, "0", 4, 30)
		for _, r := range t.acks(ack(m[0], queen.Completed), ack(m[1], queen.DeadLetter), ack(m[2], queen.Completed)) {
			t.want("success and dlq", []bool{r.Success, r.DLQ}, []bool{true, true})
		}
		t.want("redelivered", texts(t.popLane(q, "0", 4, 30)), "t2 t3")
	}},
	{"7.3", "an unknown status word reads as failed", func(t *T) {
		q := t.configured()
		t.push(q, "0", "a")
		r := t.acks(ack(t.pop(q, 1)[0], "wild"))[0]
		t.want("success and dlq", []bool{r.Success, r.DLQ}, []bool{true, false})
		t.want("redelivered", texts(t.popLane(q, "0", 1, 30)), "a")
	}},
}

func (t *T) exhaust(dead bool) {
	t.Helper()
	q := t.configured(func(o *queen.Options) { o.RetryLimit, o.DeadLetterQueue, o.DLQAfterMaxRetries = 1, dead, dead })
	t.push(q, "0", "bad", "good")
	for _, dlq := range []bool{false, dead} {
		m := t.popLane(q, "0", 10, 30)
		t.want("claim", texts(m), "bad good")
		r := t.acks(ack(m[0], queen.Failed))[0]
		t.want("success and dlq", []bool{r.Success, r.DLQ}, []bool{true, dlq})
	}
	t.want("afterwards", texts(t.popLane(q, "0", 10, 30)), "good")
}

// failed expects one ack to be refused with a text.
func (t *T) failed(a queen.Ack, text string) {
	t.Helper()
	r := t.acks(a)[0]
	if r.Success || r.Noop {
		t.Fatalf("the ack of %q succeeded, want %q", a.TransactionID, text)
	}
	t.begins(r.Error, text)
}

func (t *T) begins(got, want string) {
	t.Helper()
	if len(got) < len(want) || got[:len(want)] != want {
		t.Fatalf("got error %q, want %q", got, want)
	}
}

// released expects success and, where it is told truly, whether the lease ended.
func (t *T) released(r queen.AckResult, want bool) {
	t.Helper()
	t.want("success and error", []any{r.Success, r.Error, r.Noop, r.DLQ}, []any{true, "", false, false})
	if !t.differs("7.3 released") {
		t.want("lease released", r.LeaseReleased, want)
	}
}

var leaseCases = []testCase{
	{"8", "an extension never shortens", func(t *T) {
		q := t.configured()
		t.push(q, "0", "x")
		m := t.popLane(q, "0", 1, 30)[0]
		long := t.extend(m, 60, 1)
		t.want("extended by less", t.extend(m, 5, 1).ExpiresAt.Equal(long.ExpiresAt), true)
		t.want("below 1", t.extend(m, -4, 1).ExpiresAt.Equal(long.ExpiresAt), true)
		longer := t.extend(m, 43200, 1)
		if d := longer.ExpiresAt.Sub(long.ExpiresAt); d < 11*time.Hour || d > 13*time.Hour {
			t.Fatalf("12 hours moved the expiry by %v", d)
		}
	}},
	{"8", "an extended lease holds and acks past its first expiry", func(t *T) {
		q := t.configured()
		t.push(q, "0", "x")
		m := t.popLane(q, "0", 1, 1)[0]
		t.extend(m, 30, 1)
		t.pass(1500 * time.Millisecond)
		t.want("still hidden", len(t.popLane(q, "0", 1, 30)), 0)
		t.complete(m)
	}},
	{"8", "a lease that is over or unknown is not renewed", func(t *T) {
		q := t.configured()
		t.push(q, "0", "a", "b")
		m := t.popLane(q, "0", 1, 30)[0]
		t.complete(m)
		t.extend(m, 60, 0)
		m = t.popLane(q, "0", 1, 1)[0]
		t.pass(1200 * time.Millisecond)
		t.extend(m, 60, 0)
		m.LeaseID = "f7b2763b-b0b9-4cd8-8379-7f4b087bda20"
		if l := t.extend(m, 60, 0); !l.ExpiresAt.IsZero() {
			t.Fatalf("%+v", l)
		}
		m.LeaseID = "none"
		t.extend(m, 60, 0)
	}},
	{"8", "every lane of the lease is renewed, but those acked to the end", func(t *T) {
		q := t.configured()
		t.push(q, "a", "a")
		t.push(q, "b", "b")
		m := t.popReq(queen.PopRequest{Queue: q, Batch: 2, Partitions: 2, LeaseSeconds: 30}).Messages
		t.want("messages", len(m), 2)
		t.extend(m[0], 60, 2)
		t.complete(m[0])
		t.extend(m[0], 60, 1)
	}},
}

func (t *T) extend(m queen.Message, seconds, renewed int) queen.Lease {
	t.Helper()
	l, err := t.Broker.ExtendLease(t.Context(), t.Token, m.LeaseID, seconds)
	t.ok(err)
	t.want("renewed", l.Renewed, renewed)
	return l
}
