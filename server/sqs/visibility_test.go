package sqs

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/wire"
)

func TestAbandonedMessageReturns(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", map[string]string{"VisibilityTimeout": "10"})
	r.sendTo(url, "x")
	first := r.receiveOne(url)
	if got := r.receive(url, 10); len(got) != 0 {
		t.Fatal("a message in flight was received")
	}
	r.clock.Advance(11 * time.Second)
	second := r.receiveOne(url)
	if second.id() != first.id() || second.handle() == first.handle() || second.system("ApproximateReceiveCount") != "2" {
		t.Errorf("first %v, second %v", first, second)
	}
	r.refuse(fault.MessageNotInflight, "", "ChangeMessageVisibility", "QueueUrl", url, "ReceiptHandle", first.handle(), "VisibilityTimeout", 60)
	r.refuse(fault.MessageNotInflight, "", "ChangeMessageVisibility", "QueueUrl", url, "ReceiptHandle", first.handle(), "VisibilityTimeout", 0)
}

func TestVisibilityOfAReceive(t *testing.T) {
	w := &watched{}
	r := newRig(t, watch(w))
	url := r.create("orders", map[string]string{"VisibilityTimeout": "7"})
	for _, c := range []struct {
		ask  []any
		want int
	}{{nil, 7}, {[]any{"VisibilityTimeout", 0}, 7}, {[]any{"VisibilityTimeout", "43200"}, 43200}} {
		w.forget()
		r.do("ReceiveMessage", append([]any{"QueueUrl", url}, c.ask...)...)
		if got := w.pops[0].LeaseSeconds; got != c.want {
			t.Errorf("%v: lease of %d s, want %d", c.ask, got, c.want)
		}
	}
}

// A queue whose timeout is zero gives every message to every receive, and counts
// each receive once.
func TestZeroVisibility(t *testing.T) {
	aws := func(cfg *Config) {
		cfg.Profile = divergences.NewProfile("of the test", divergences.ZeroVisibilityOnReceive)
	}
	for _, c := range []struct {
		why    string
		opts   []rigOption
		attrs  map[string]string
		params []any
	}{
		{"of the queue", nil, map[string]string{"VisibilityTimeout": "0"}, nil},
		{"of the queue, named", nil, map[string]string{"VisibilityTimeout": "0"}, []any{"VisibilityTimeout", 0}},
		{"of the receive, in the AWS profile", []rigOption{aws}, nil, []any{"VisibilityTimeout", 0}},
	} {
		for _, queue := range []string{"orders", "orders.fifo"} {
			t.Run(c.why+", "+queue, func(t *testing.T) {
				r := newRig(t, c.opts...)
				attrs := map[string]string{}
				for _, more := range []map[string]string{c.attrs, nilUnlessFIFO(queue)} {
					for k, v := range more {
						attrs[k] = v
					}
				}
				url := r.create(queue, attrs)
				r.sendAny(url, "x")
				var m message
				for i := 1; i <= 3; i++ {
					got := r.receive(url, 10, c.params...)
					wantBodies(t, got, "x")
					m = got[0]
					if count := m.system("ApproximateReceiveCount"); count != fmt.Sprint(i) {
						t.Errorf("receive %d counts %s", i, count)
					}
				}
				r.delete(url, m)
				if got := r.receive(url, 10, c.params...); len(got) != 0 {
					t.Errorf("received %v after the delete", bodies(got))
				}
			})
		}
	}
}

func TestChangeVisibility(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", map[string]string{"VisibilityTimeout": "10"})
	r.sendTo(url, "x")

	m := r.receiveOne(url)
	r.visibility(url, m, 60)
	r.clock.Advance(30 * time.Second)
	if got := r.receive(url, 1); len(got) != 0 {
		t.Fatal("an extended message was received")
	}
	r.visibility(url, m, 1) // QS-06: never shorter
	r.clock.Advance(5 * time.Second)
	if got := r.receive(url, 1); len(got) != 0 {
		t.Fatal("an extension was shortened")
	}
	r.visibility(url, m, 0)
	again := r.receiveOne(url)
	if again.id() != m.id() || again.system("ApproximateReceiveCount") != "2" {
		t.Errorf("released %v, received %v", m, again)
	}
	r.delete(url, again)
	r.refuse(fault.MessageNotInflight, "", "ChangeMessageVisibility", "QueueUrl", url, "ReceiptHandle", again.handle(), "VisibilityTimeout", 42)
}

func TestChangeVisibilityRefusals(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", nil)
	other := r.create("other", nil)
	r.sendTo(url, "x")
	m := r.receiveOne(url)
	for _, c := range []struct {
		why    string
		url    string
		params []any
		kind   *fault.Kind
		text   string
	}{
		{"no handle", url, []any{"VisibilityTimeout", 1}, fault.MissingParameter, "The request must contain the parameter ReceiptHandle."},
		{"no timeout", url, []any{"ReceiptHandle", m.handle()}, fault.MissingParameter, "The request must contain the parameter VisibilityTimeout."},
		{"garbage", url, []any{"ReceiptHandle", "INVALID", "VisibilityTimeout", 1}, fault.ReceiptHandleIsInvalid, `The input receipt handle "INVALID" is not a valid receipt handle.`},
		{"handle of another queue", other, []any{"ReceiptHandle", m.handle(), "VisibilityTimeout", 1}, fault.ReceiptHandleIsInvalid, ""},
		{"too long", url, []any{"ReceiptHandle", m.handle(), "VisibilityTimeout", 43201}, fault.InvalidParameterValue,
			"Value 43201 for parameter VisibilityTimeout is invalid. Reason: Must be >= 0 and <= 43200, if provided."},
		{"negative", url, []any{"ReceiptHandle", m.handle(), "VisibilityTimeout", "-1"}, fault.InvalidParameterValue, ""},
		{"no queue", testBase + "/" + testAccount + "/nope", []any{"ReceiptHandle", "x", "VisibilityTimeout", 1}, fault.QueueDoesNotExist, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			_, err := r.try("ChangeMessageVisibility", append([]any{"QueueUrl", c.url}, c.params...)...)
			wantFault(t, err, c.kind, c.text)
		})
	}
}

func TestChangeVisibilityBatch(t *testing.T) {
	w := &watched{}
	r := newRig(t, watch(w))
	url := r.create("orders", map[string]string{"VisibilityTimeout": "20", "queen.partitions": "256"})
	for i := range 4 {
		r.sendTo(url, fmt.Sprint(i))
	}
	var got []message
	for len(got) < 4 {
		got = append(got, r.receive(url, 10)...)
	}
	r.delete(url, got[3])
	w.forget()
	answer := r.do("ChangeMessageVisibilityBatch", "QueueUrl", url, "Entries", []*wire.Object{
		entry("back", "ReceiptHandle", got[0].handle(), "VisibilityTimeout", 0),
		entry("long", "ReceiptHandle", got[1].handle(), "VisibilityTimeout", "100"),
		entry("default", "ReceiptHandle", got[2].handle()),
		entry("gone", "ReceiptHandle", got[3].handle(), "VisibilityTimeout", 5),
		entry("forged", "ReceiptHandle", "forged", "VisibilityTimeout", 5),
		entry("range", "ReceiptHandle", got[2].handle(), "VisibilityTimeout", 99999),
	})
	good, bad := verdicts(answer)
	wantList(t, good, "back", "long", "default")
	wantList(t, bad, "gone=MessageNotInflight", "forged=ReceiptHandleIsInvalid", "range=InvalidParameterValue")
	if slices.Sort(w.lease); !slices.Equal(w.lease, []int{5, 20, 100}) {
		t.Errorf("extensions %v", w.lease)
	}
	wantBodies(t, r.receive(url, 10), got[0].body())

	r.refuse(fault.QueueDoesNotExist, "", "ChangeMessageVisibilityBatch", "QueueUrl", testBase+"/"+testAccount+"/nope",
		"Entries", []*wire.Object{entry("a", "ReceiptHandle", "x", "VisibilityTimeout", 1)})
}

func TestDelete(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", map[string]string{"VisibilityTimeout": "10"})
	r.sendTo(url, "x")
	m := r.receiveOne(url)
	for range 3 {
		if answer := r.do("DeleteMessage", "QueueUrl", url, "ReceiptHandle", m.handle()); answer != nil {
			t.Errorf("answered %v, want no result", answer)
		}
	}
	r.clock.Advance(time.Minute)
	if got := r.receive(url, 1); len(got) != 0 {
		t.Error("a deleted message came back")
	}
	if c := r.counts(url); c != [2]string{"0", "0"} {
		t.Errorf("counts %v", c)
	}
}

// Recorded: a handle deletes after its visibility timeout too, whoever has the
// message then.
func TestDeleteWithAnExpiredHandle(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", map[string]string{"VisibilityTimeout": "10", "queen.partitions": "1"})
	r.sendTo(url, "a")
	r.sendTo(url, "b")

	first := r.receiveOne(url)
	r.clock.Advance(11 * time.Second)
	r.delete(url, first)
	b := r.receiveOne(url)
	wantBodies(t, []message{b}, "b")

	// An old handle of a message that is done touches nobody else's.
	r.delete(url, first)
	r.visibility(url, b, 60)

	r.clock.Advance(61 * time.Second)
	again := r.receiveOne(url)
	r.delete(url, b)
	r.delete(url, again)
	r.clock.Advance(time.Minute)
	if got := r.receive(url, 1); len(got) != 0 {
		t.Error("a deleted message came back")
	}
}

func TestDeleteRefusals(t *testing.T) {
	w := &watched{}
	r := newRig(t, watch(w))
	url := r.create("orders", nil)
	other := r.create("other", nil)
	r.sendTo(url, "x")
	m := r.receiveOne(url)
	r.refuse(fault.MissingParameter, "The request must contain the parameter ReceiptHandle.", "DeleteMessage", "QueueUrl", url)
	r.refuse(fault.ReceiptHandleIsInvalid, `The input receipt handle "garbage" is not a valid receipt handle.`, "DeleteMessage", "QueueUrl", url, "ReceiptHandle", "garbage")
	r.refuse(fault.ReceiptHandleIsInvalid, "", "DeleteMessage", "QueueUrl", other, "ReceiptHandle", m.handle())
	r.refuse(fault.QueueDoesNotExist, "", "DeleteMessage", "QueueUrl", testBase+"/"+testAccount+"/nope", "ReceiptHandle", "x")
	r.clock.Advance(43200 * time.Second)
	r.refuse(fault.ReceiptHandleIsInvalid, "", "DeleteMessage", "QueueUrl", url, "ReceiptHandle", m.handle())

	w.forget()
	m = r.receiveOne(url)
	w.forget()
	r.delete(url, m)
	if len(w.kvs) != 0 || len(w.acks) != 1 {
		t.Errorf("a delete took %d KV calls and %d acks", len(w.kvs), len(w.acks))
	}
}

func TestDeleteAtABrokenBroker(t *testing.T) {
	w := &watched{}
	r := newRig(t, watch(w))
	for _, queue := range []string{"orders", "orders.fifo"} {
		url := r.create(queue, nilUnlessFIFO(queue))
		r.sendAny(url, "x")
		m := r.receiveOne(url)
		w.onAck = func([]queen.Ack) ([]queen.AckResult, error) { return nil, errBroken }
		if queue == "orders" {
			r.refuse(fault.ServiceUnavailable, "", "DeleteMessage", "QueueUrl", url, "ReceiptHandle", m.handle())
		} else {
			r.delete(url, m) // marked: it will not be delivered again
		}
		for _, unsettled := range []string{"pool", "db error", "connection closed", "error communicating with the server: Connection reset by peer (os error 104)"} {
			w.onAck = func([]queen.Ack) ([]queen.AckResult, error) { return []queen.AckResult{{Error: unsettled}}, nil }
			if queue == "orders" {
				r.refuse(fault.ServiceUnavailable, "", "DeleteMessage", "QueueUrl", url, "ReceiptHandle", m.handle())
				r.refuse(fault.ServiceUnavailable, "", "ChangeMessageVisibility", "QueueUrl", url, "ReceiptHandle", m.handle(), "VisibilityTimeout", 0)
			}
		}
		w.onAck = nil
		if queue == "orders" {
			r.delete(url, m)
		}
		r.clock.Advance(31 * time.Second)
		if got := r.receive(url, 10); len(got) != 0 {
			t.Errorf("%s: a deleted message came back", queue)
		}
		if c := r.counts(url); c != [2]string{"0", "0"} {
			t.Errorf("%s: counts %v", queue, c)
		}
	}
}

func TestDeleteBatch(t *testing.T) {
	w := &watched{}
	r := newRig(t, watch(w))
	url := r.create("orders", map[string]string{"queen.partitions": "256"})
	for i := range 3 {
		r.sendTo(url, fmt.Sprint(i))
	}
	var got []message
	for len(got) < 3 {
		got = append(got, r.receive(url, 10)...)
	}
	w.forget()
	answer := r.do("DeleteMessageBatch", "QueueUrl", url, "Entries", []*wire.Object{
		entry("a", "ReceiptHandle", got[0].handle()), entry("forged", "ReceiptHandle", "forged"),
		entry("b", "ReceiptHandle", got[1].handle()), entry("none"), entry("c", "ReceiptHandle", got[2].handle()),
	})
	good, bad := verdicts(answer)
	wantList(t, good, "a", "b", "c")
	wantList(t, bad, "forged=ReceiptHandleIsInvalid", "none=MissingParameter")
	if v := answer.Get("Failed").Items()[0].Object().Get("SenderFault"); v.Text() != "true" {
		t.Errorf("SenderFault %v", v)
	}
	if len(w.acks) != 3 {
		t.Errorf("%d acks", len(w.acks))
	}
	if c := r.counts(url); c != [2]string{"0", "0"} {
		t.Errorf("counts %v", c)
	}

	r.refuse(fault.EmptyBatchRequest, "", "DeleteMessageBatch", "QueueUrl", url)
	r.refuse(fault.InvalidBatchEntryID, "", "DeleteMessageBatch", "QueueUrl", url, "Entries", []*wire.Object{entry("invalid:id", "ReceiptHandle", "x")})
	r.refuse(fault.QueueDoesNotExist, "", "DeleteMessageBatch", "QueueUrl", testBase+"/"+testAccount+"/nope",
		"Entries", []*wire.Object{entry("a", "ReceiptHandle", "x")})
	answer = r.do("DeleteMessageBatch", "QueueUrl", url, "Entries", []*wire.Object{entry("a", "ReceiptHandle", "x")})
	if answer.Has("Successful") {
		t.Error("Successful is there although nothing succeeded")
	}
}

// Any instance with the secret serves a handle.
func TestHandleOfAnotherInstance(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", nil)
	r.sendTo(url, "x")
	m := r.receiveOne(url)
	r.another().delete(url, m)
	if c := r.counts(url); c != [2]string{"0", "0"} {
		t.Errorf("counts %v", c)
	}
}

// What was given back with another message of its claim is somebody else's, so
// its handle deletes nothing any more (QS-04).
func TestDeleteAfterTheClaimWasGivenBack(t *testing.T) {
	r, _, url := fifoRig(t)
	r.sendGroup(url, "g", "0", "1", "2")
	got := r.receive(url, 10)
	r.delete(url, got[0])
	r.visibility(url, got[1], 0)
	r.refuse(fault.InvalidParameterValue, "Value "+got[2].handle()+" for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.",
		"DeleteMessage", "QueueUrl", url, "ReceiptHandle", got[2].handle())
	r.delete(url, got[0])
	again := r.receive(url, 10)
	wantBodies(t, again, "1", "2")
	r.delete(url, again...)
	if c := r.counts(url); c != [2]string{"0", "0"} {
		t.Errorf("counts %v", c)
	}
}
