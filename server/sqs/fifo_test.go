package sqs

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

func TestDeleteSet(t *testing.T) {
	for _, c := range []struct {
		raw      string
		prefix   int
		complete bool
		head     string
	}{
		{`{"m":["a","b","c"],"i":["1","2","3"],"d":[],"t":90}`, 0, false, "a"},
		{`{"m":["a","b","c"],"i":["1","2","3"],"d":["2"],"t":90}`, 0, false, "a"},
		{`{"m":["a","b","c"],"i":["1","2","3"],"d":["2","1"],"t":90}`, 2, false, "c"},
		{`{"m":["a","a","c"],"i":["1","2","3"],"d":["1"],"t":90}`, 1, false, "a"},
		{`{"m":["a","b"],"i":["1","2"],"d":["1","2","9"],"t":90}`, 2, true, ""},
		{`{"m":["a","b"],"i":["1"],"d":["1"],"t":90}`, 0, false, "a"},
		{`{"m":[],"i":[],"d":["1"],"t":90}`, 0, false, ""},
		{`{"m":null,"i":null,"d":null}`, 0, false, ""},
		{`[]`, 0, false, ""},
		{`{"m":[1]}`, 0, false, ""},
	} {
		set := readDeleteSet(json.RawMessage(c.raw))
		head, _ := set.head()
		if set.prefix() != c.prefix || set.complete() != c.complete || head != c.head || set.Life != 90 {
			t.Errorf("%s: prefix %d, complete %v, head %q, life %d", c.raw, set.prefix(), set.complete(), head, set.Life)
		}
	}
	text, err := json.Marshal(deleteSet{Life: 90})
	if err != nil || string(text) != `{"m":[],"i":[],"d":[],"t":90}` {
		t.Errorf("%s, %v", text, err)
	}
	set := deleteSet{}
	set.mark("1", "2", "1")
	if !reflect.DeepEqual(set.Deleted, []string{"1", "2"}) {
		t.Errorf("marked %v", set.Deleted)
	}
}

func fifoRig(t *testing.T, opts ...rigOption) (*rig, *watched, string) {
	t.Helper()
	w := &watched{}
	r := newRig(t, append(opts, watch(w))...)
	url := r.create("orders.fifo", map[string]string{"FifoQueue": "true", "VisibilityTimeout": "30"})
	w.forget()
	return r, w, url
}

func TestFIFOOrderAndAttributes(t *testing.T) {
	for name, opts := range map[string][]rigOption{"with offsets": nil, "with ids only": {onPlain()}} {
		t.Run(name, func(t *testing.T) {
			r, _, url := fifoRig(t, opts...)
			sent := map[string]string{}
			last := ""
			for i := range 5 {
				body := strconv.Itoa(i)
				answer := r.sendTo(url, body, "MessageGroupId", "g", "MessageDeduplicationId", "d"+body)
				sent[body] = answer.Get("SequenceNumber").Text()
				if len(sent[body]) < len(last) || (len(sent[body]) == len(last) && sent[body] <= last) {
					t.Errorf("sequence number %s after %s", sent[body], last)
				}
				last = sent[body]
			}
			got := r.receive(url, 10)
			wantBodies(t, got, "0", "1", "2", "3", "4")
			for _, m := range got {
				if m.system("SequenceNumber") != sent[m.body()] || m.system("MessageGroupId") != "g" || m.system("MessageDeduplicationId") != "d"+m.body() {
					t.Errorf("%s: %v", m.body(), m.Get("Attributes"))
				}
			}
		})
	}
}

func TestFIFOGroups(t *testing.T) {
	r, _, url := fifoRig(t)
	r.sendGroup(url, "a", "a1", "a2")
	r.sendGroup(url, "b", "b1", "b2")
	first := r.receive(url, 10)
	second := r.receive(url, 10) // a second consumer gets the other group
	if len(first) != 2 || len(second) != 2 || first[0].system("MessageGroupId") == second[0].system("MessageGroupId") {
		t.Fatalf("received %v and %v", bodies(first), bodies(second))
	}
	if got := r.receive(url, 10); len(got) != 0 {
		t.Errorf("a third consumer got %v", bodies(got))
	}
	r.sendGroup(url, "a", "a3")
	if got := r.receive(url, 10); len(got) != 0 {
		t.Errorf("a message of a group in flight was received: %v", bodies(got))
	}
}

func TestFIFODeduplication(t *testing.T) {
	r, _, url := fifoRig(t)
	first := r.sendTo(url, "original", "MessageGroupId", "g", "MessageDeduplicationId", "d")
	again := r.sendTo(url, "repeated", "MessageGroupId", "g", "MessageDeduplicationId", "d")
	for _, name := range []string{"MessageId", "SequenceNumber"} {
		if first.Get(name).Text() != again.Get(name).Text() {
			t.Errorf("%s: %s, then %s", name, first.Get(name).Text(), again.Get(name).Text())
		}
	}
	r.sendTo(url, "marker", "MessageGroupId", "g", "MessageDeduplicationId", "m")
	wantList(t, r.drain(url), "original", "marker")
	r.clock.Advance(6 * time.Minute)
	r.sendTo(url, "later", "MessageGroupId", "g", "MessageDeduplicationId", "d")
	wantList(t, r.drain(url), "later")
}

func TestFIFODeletesInTheMiddle(t *testing.T) {
	r, w, url := fifoRig(t)
	r.sendGroup(url, "g", "0", "1", "2", "3")
	got := r.receive(url, 10)
	w.forget()

	r.delete(url, got[2])
	if len(w.acks) != 0 {
		t.Fatalf("a delete in the middle acked %+v", w.acks)
	}
	r.delete(url, got[1])
	if len(w.acks) != 0 {
		t.Fatalf("a delete in the middle acked %+v", w.acks)
	}
	r.delete(url, got[0])
	if len(w.acks) != 1 || w.acks[0].TransactionID != "2" || w.acks[0].Status != queen.Completed {
		t.Fatalf("closing the gap acked %+v, want 2", w.acks)
	}
	r.delete(url, got[0])
	if len(w.acks) != 1 {
		t.Fatalf("deleting twice acked again: %+v", w.acks)
	}
	r.delete(url, got[3])
	if len(w.acks) != 2 || w.acks[1].TransactionID != "3" {
		t.Fatalf("the last delete acked %+v", w.acks)
	}
	if rows := r.rows("qs:ds:"); len(rows) != 0 {
		t.Errorf("records left: %v", rows)
	}
	r.sendGroup(url, "g", "4")
	wantBodies(t, r.receive(url, 10), "4")
}

func TestFIFODeleteBatch(t *testing.T) {
	r, w, url := fifoRig(t)
	r.sendGroup(url, "a", "a0", "a1", "a2")
	r.sendGroup(url, "b", "b0")
	got := append(r.receive(url, 10), r.receive(url, 10)...)
	w.forget()
	var entries []*wire.Object
	for i, m := range got {
		entries = append(entries, entry(strconv.Itoa(i), "ReceiptHandle", m.handle()))
	}
	good, bad := verdicts(r.do("DeleteMessageBatch", "QueueUrl", url, "Entries", entries))
	wantList(t, good, "0", "1", "2", "3")
	wantList(t, bad)
	if len(w.acks) != 2 {
		t.Errorf("%d acks for two claims", len(w.acks))
	}
	if c := r.counts(url); c != [2]string{"0", "0"} {
		t.Errorf("counts %v", c)
	}
}

func TestFIFOAfterExpiryOnlyUndeletedReturn(t *testing.T) {
	for name, opts := range map[string][]rigOption{"counted by the broker": nil, "counted here": {onPlain()}} {
		t.Run(name, func(t *testing.T) {
			r, w, url := fifoRig(t, opts...)
			r.sendGroup(url, "g", "0", "1", "2", "3")
			got := r.receive(url, 10)
			r.delete(url, got[1], got[3])
			r.clock.Advance(31 * time.Second)

			again := r.receive(url, 10)
			wantBodies(t, again, "0", "2")
			w.forget()
			r.delete(url, again[0])
			if len(w.acks) != 1 || w.acks[0].TransactionID != "1" {
				t.Fatalf("acked %+v, want 1", w.acks)
			}
			r.delete(url, again[1])
			if len(w.acks) != 2 || w.acks[1].TransactionID != "3" {
				t.Fatalf("acked %+v, want 3", w.acks)
			}
			if c := r.counts(url); c != [2]string{"0", "0"} {
				t.Errorf("counts %v", c)
			}
		})
	}
}

// A delete that comes after the claim is over is refused, because the group may
// have gone on by then; one that is repeated succeeds (recorded 2025-03-28).
func TestFIFODeleteAfterExpiry(t *testing.T) {
	r, w, url := fifoRig(t)
	r.sendGroup(url, "g", "0", "1", "2")
	got := r.receive(url, 10)
	r.delete(url, got[1])
	r.clock.Advance(31 * time.Second)
	expired := "Value " + got[0].handle() + " for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired."
	r.refuse(fault.InvalidParameterValue, expired, "DeleteMessage", "QueueUrl", url, "ReceiptHandle", got[0].handle())
	r.delete(url, got[1])
	good, bad := verdicts(r.do("DeleteMessageBatch", "QueueUrl", url, "Entries", []*wire.Object{
		entry("again", "ReceiptHandle", got[1].handle()), entry("late", "ReceiptHandle", got[2].handle())}))
	wantList(t, good, "again")
	wantList(t, bad, "late=InvalidParameterValue")
	again := r.receive(url, 10)
	wantBodies(t, again, "0", "2")
	r.refuse(fault.InvalidParameterValue, expired, "DeleteMessage", "QueueUrl", url, "ReceiptHandle", got[0].handle())

	// An extension counts, also one that the record has not heard of.
	r.visibility(url, again[0], 60)
	r.clock.Advance(45 * time.Second)
	r.delete(url, again[0])
	if _, err := r.broker.ExtendLease(t.Context(), "token", leaseOf(t, r, again[1]), 60); err != nil {
		t.Fatal(err)
	}
	r.clock.Advance(45 * time.Second)
	w.forget()
	r.delete(url, again[1])
	if c := r.counts(url); c != [2]string{"0", "0"} {
		t.Errorf("counts %v", c)
	}
}

func leaseOf(t *testing.T, r *rig, m message) string {
	t.Helper()
	h, err := r.handles.Open(m.handle(), "orders.fifo")
	if err != nil {
		t.Fatal(err)
	}
	return h.LeaseID
}

// Everything of the first claim is deleted: the receive goes on to another group.
func TestFIFOReceiveSkipsAnEmptiedClaim(t *testing.T) {
	r, _, url := fifoRig(t)
	r.sendGroup(url, "a", "a0", "a1")
	r.delete(url, r.receive(url, 10)[1])
	r.clock.Advance(31 * time.Second)
	r.delete(url, r.receiveOne(url))
	r.sendGroup(url, "b", "b0")
	wantBodies(t, r.receive(url, 1), "b0")
}

func TestFIFOSameDeduplicationIDTwiceInAClaim(t *testing.T) {
	r := newRig(t)
	url := r.create("short.fifo", map[string]string{"FifoQueue": "true", "queen.dedupWindowSeconds": "1"})
	for _, body := range []string{"first", "second"} {
		r.sendTo(url, body, "MessageGroupId", "g", "MessageDeduplicationId", "same")
		r.clock.Advance(5 * time.Second)
	}
	got := r.receive(url, 10)
	wantBodies(t, got, "first", "second")
	r.delete(url, got[1])
	r.clock.Advance(31 * time.Second)
	again := r.receive(url, 10)
	wantBodies(t, again, "first")
	r.delete(url, again[0])
	r.clock.Advance(31 * time.Second)
	if got := r.receive(url, 10); len(got) != 0 {
		t.Errorf("received %v", bodies(got))
	}
}

func TestFIFOReleaseReturnsTheClaim(t *testing.T) {
	for _, at := range []int{0, 2} {
		r, w, url := fifoRig(t)
		r.sendGroup(url, "g", "0", "1", "2", "3")
		got := r.receive(url, 10)
		w.forget()
		r.visibility(url, got[at], 0)
		if len(w.acks) != 1 || w.acks[0].TransactionID != "0" || w.acks[0].Status != queen.Retry {
			t.Fatalf("released by %+v, want the head", w.acks)
		}
		wantBodies(t, r.receive(url, 10), "0", "1", "2", "3")
	}
}

func TestFIFOReleaseNamesTheFirstUndeleted(t *testing.T) {
	r, w, url := fifoRig(t)
	r.sendGroup(url, "g", "0", "1", "2")
	got := r.receive(url, 10)
	r.delete(url, got[0], got[2])
	w.forget()
	r.refuse(fault.InvalidParameterValue, "Value "+got[2].handle()+" for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.",
		"ChangeMessageVisibility", "QueueUrl", url, "ReceiptHandle", got[2].handle(), "VisibilityTimeout", 0)
	r.visibility(url, got[1], 0)
	if len(w.acks) != 1 || w.acks[0].TransactionID != "1" {
		t.Fatalf("released by %+v, want 1", w.acks)
	}
	wantBodies(t, r.receive(url, 10), "1")
	r.refuse(fault.MessageNotInflight, "", "ChangeMessageVisibility", "QueueUrl", url, "ReceiptHandle", got[1].handle(), "VisibilityTimeout", 0)
}

func TestFIFOReleaseWithoutARecord(t *testing.T) {
	r, _, url := fifoRig(t)
	r.sendGroup(url, "g", "0")
	m := r.receiveOne(url)
	for _, row := range r.rows("qs:ds:") {
		if err := r.registry.Delete(t.Context(), "token", row.Key); err != nil {
			t.Fatal(err)
		}
	}
	r.refuse(fault.ServiceUnavailable, "", "ChangeMessageVisibility", "QueueUrl", url, "ReceiptHandle", m.handle(), "VisibilityTimeout", 0)
	r.clock.Advance(31 * time.Second)
	r.refuse(fault.MessageNotInflight, "", "ChangeMessageVisibility", "QueueUrl", url, "ReceiptHandle", m.handle(), "VisibilityTimeout", 0)
}

// QS-05: an extension is the whole claim's, and its record lives as long.
func TestFIFOExtension(t *testing.T) {
	r, _, url := fifoRig(t)
	r.sendGroup(url, "g", "0", "1")
	got := r.receive(url, 10)
	r.visibility(url, got[0], 600)
	r.delete(url, got[1])
	r.clock.Advance(590 * time.Second)
	if got := r.receive(url, 10); len(got) != 0 {
		t.Fatalf("received %v", bodies(got))
	}
	r.clock.Advance(11 * time.Second)
	wantBodies(t, r.receive(url, 10), "0")
}

func TestFIFOVisibilityBatch(t *testing.T) {
	r, w, url := fifoRig(t)
	r.sendGroup(url, "g", "0", "1", "2", "3")
	got := r.receive(url, 10)
	w.forget()
	good, bad := verdicts(r.do("ChangeMessageVisibilityBatch", "QueueUrl", url, "Entries", []*wire.Object{
		entry("0", "ReceiptHandle", got[0].handle(), "VisibilityTimeout", 0),
		entry("1", "ReceiptHandle", got[1].handle(), "VisibilityTimeout", 40),
		entry("2", "ReceiptHandle", got[2].handle(), "VisibilityTimeout", 50),
		entry("3", "ReceiptHandle", got[3].handle(), "VisibilityTimeout", 0),
	}))
	wantList(t, good, "0", "1", "2", "3")
	wantList(t, bad)
	if !slices.Equal(w.lease, []int{50}) || len(w.acks) != 1 || w.acks[0].TransactionID != "0" {
		t.Errorf("extensions %v, acks %+v", w.lease, w.acks)
	}
}

func TestFIFOCleanReceiveIsOneKVCall(t *testing.T) {
	for name, opts := range map[string][]rigOption{"counted by the broker": nil, "counted here": {onPlain()}} {
		t.Run(name, func(t *testing.T) {
			r, w, url := fifoRig(t, opts...)
			r.sendGroup(url, "g", "0", "1")
			w.forget()
			r.receive(url, 10)
			if len(w.kvs) != 1 {
				t.Errorf("%d KV calls", len(w.kvs))
			}
			w.forget()
			r.receive(url, 10)
			if len(w.kvs) != 0 || len(r.rows("qs:ds:")) != 1 {
				t.Errorf("an empty receive made %d KV calls; %d records", len(w.kvs), len(r.rows("qs:ds:")))
			}
		})
	}
}

func TestFIFODeleteLosesTheRaceTwice(t *testing.T) {
	r, w, url := fifoRig(t)
	r.sendGroup(url, "g", "0", "1")
	got := r.receive(url, 10)
	losing := true
	w.onKV = func(ops []queen.KVOp) error {
		if losing && ops[0].Expect != nil {
			// Another writer is always faster.
			losing = false
			row := r.rows("qs:ds:")[0]
			_ = r.registry.Put(t.Context(), "token", row.Key, readDeleteSet(row.Value), time.Minute)
			losing = true
		}
		return nil
	}
	r.refuse(fault.ServiceUnavailable, "", "DeleteMessage", "QueueUrl", url, "ReceiptHandle", got[0].handle())
	w.onKV = nil
	r.delete(url, got...)
	if c := r.counts(url); c != [2]string{"0", "0"} {
		t.Errorf("counts %v", c)
	}
}

func TestAttemptID(t *testing.T) {
	r, w, url := fifoRig(t)
	other := r.create("other.fifo", map[string]string{"FifoQueue": "true"})
	if got := r.receive(url, 10, "ReceiveRequestAttemptId", "empty"); len(got) != 0 || len(r.rows("qs:rra:")) != 0 {
		t.Error("an empty answer was remembered")
	}
	r.sendTo(url, "x", "MessageGroupId", "g", "MessageDeduplicationId", "x", "MessageAttributes", attributeSet(
		"b", typed("Binary", "BinaryValue", "AP8="), "s", typed("String", "StringValue", "v")))
	r.sendGroup(url, "g", "y")
	first := r.do("ReceiveMessage", "QueueUrl", url, "MaxNumberOfMessages", 10, "AttributeNames", "All", "MessageAttributeNames", "All", "ReceiveRequestAttemptId", "a")
	w.forget()
	again := r.do("ReceiveMessage", "QueueUrl", url, "ReceiveRequestAttemptId", "a")
	if len(w.pops) != 0 || len(messagesOf(again)) != 2 {
		t.Fatalf("%d pops, %d messages", len(w.pops), len(messagesOf(again)))
	}
	for i, m := range messagesOf(again) {
		want := messagesOf(first)[i]
		if !reflect.DeepEqual(asAnswered(m.Object), asAnswered(want.Object)) || !slices.Equal(names(m.Object), names(want.Object)) ||
			m.Get("MessageAttributes").Kind() != want.Get("MessageAttributes").Kind() {
			t.Errorf("again %v, first %v", m, want)
		}
	}
	r.sendGroup(other, "g", "z")
	wantBodies(t, r.receive(other, 10, "ReceiveRequestAttemptId", "a"), "z")

	// QS-12: it replays after the delete too, for the visibility timeout.
	r.delete(url, messagesOf(first)...)
	wantBodies(t, r.receive(url, 10, "ReceiveRequestAttemptId", "a"), "x", "y")
	r.clock.Advance(31 * time.Second)
	if got := r.receive(url, 10, "ReceiveRequestAttemptId", "a"); len(got) != 0 {
		t.Errorf("remembered for longer: %v", bodies(got))
	}
}

func TestAttemptIDThatLosesTheRace(t *testing.T) {
	r, w, url := fifoRig(t)
	r.sendGroup(url, "a", "a0")
	winner := r.receive(url, 10, "ReceiveRequestAttemptId", "id")
	r.sendGroup(url, "b", "b0")
	row := r.rows("qs:rra:")[0]
	if err := r.registry.Delete(t.Context(), "token", row.Key); err != nil {
		t.Fatal(err)
	}
	w.afterPop = func(int) { // meanwhile the other receive remembers its answer
		_, _, err := r.registry.PutIf(t.Context(), "token", row.Key, row.Value, time.Minute, 0)
		if err != nil {
			t.Error(err)
		}
	}
	got := r.receive(url, 10, "ReceiveRequestAttemptId", "id")
	w.afterPop = nil
	if len(got) != 1 || got[0].handle() != winner[0].handle() {
		t.Fatalf("the loser answers %v", bodies(got))
	}
	wantBodies(t, r.receive(url, 10), "b0") // given back by the loser
}

func TestAttemptIDOfALargeAnswer(t *testing.T) {
	r, _, url := fifoRig(t)
	r.sendTo(url, long(largestAnswer+1), "MessageGroupId", "g", "MessageDeduplicationId", "d")
	if got := r.receive(url, 1, "ReceiveRequestAttemptId", "a"); len(got) != 1 {
		t.Fatal("not answered")
	}
	if rows := r.rows("qs:rra:"); len(rows) != 0 {
		t.Errorf("remembered %d rows", len(rows))
	}
}

// A purged or deleted queue has no messages, so nothing that was answered from
// it may be answered again.
func TestAttemptIDOfAnEmptiedQueue(t *testing.T) {
	for _, action := range []string{"PurgeQueue", "DeleteQueue"} {
		r, _, url := fifoRig(t)
		other := r.create("other.fifo", map[string]string{"FifoQueue": "true"})
		for i := range forgetPage + 1 {
			key := registry.Key("qs", "rra", "orders.fifo", fmt.Sprint("old", i))
			if _, _, err := r.registry.PutIf(t.Context(), "token", key, attemptRecord{}, time.Hour, 0); err != nil {
				t.Fatal(err)
			}
		}
		r.sendGroup(url, "g", "x")
		r.receive(url, 1, "ReceiveRequestAttemptId", "a")
		r.sendGroup(other, "g", "kept")
		r.receive(other, 1, "ReceiveRequestAttemptId", "a")
		prefix := registry.Key("qs", "rra", "orders.fifo") + ":"
		if got := len(r.rows(prefix)); got != forgetPage+2 {
			t.Fatalf("%d answers are remembered", got)
		}
		r.do(action, "QueueUrl", url)
		if got := len(r.rows(prefix)); got != 0 {
			t.Errorf("after %s %d answers are remembered", action, got)
		}
		wantBodies(t, r.receive(other, 1, "ReceiveRequestAttemptId", "a"), "kept")
	}
}
