package sqs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/wire"
)

func TestSelection(t *testing.T) {
	attrs := []string{"Help.Me", "Hello", "General"}
	for _, c := range []struct {
		names any
		want  []string
	}{
		{wire.Null(), nil},
		{[]string{}, nil},
		{[]string{"All"}, attrs},
		{"All", attrs},
		{[]string{"*"}, attrs},
		{[]string{".*"}, attrs},
		{[]string{"Hello", "General"}, []string{"Hello", "General"}},
		{[]string{"Foo", "Hello"}, []string{"Hello"}},
		{[]string{"Foo", "Help"}, nil},
		{[]string{"Hel.*"}, []string{"Help.Me", "Hello"}},
		{[]string{"AWS."}, nil},
		{[]string{"..foo"}, nil},
		{[]string{"all"}, nil},
	} {
		sel, err := selectionOf(params("Names", c.names), "Names")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range attrs {
			if sel.has(a) {
				got = append(got, a)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v selects %v, want %v", c.names, got, c.want)
		}
		if sel.none() && len(got) > 0 {
			t.Errorf("%v: none", c.names)
		}
	}
	if _, err := selectionOf(params("Names", params("a", "b")), "Names"); !fault.Is(err, fault.InvalidParameterValue) {
		t.Errorf("a structure of names: %v", err)
	}
}

func TestReceiveSelectsAttributes(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", map[string]string{"VisibilityTimeout": "1"})
	r.sendTo(url, "x", "MessageAttributes", attributeSet(
		"Help.Me", typed("String", "StringValue", "Me"), "Hello", typed("String", "StringValue", "There"), "General", typed("String", "StringValue", "Kenobi")),
		"MessageSystemAttributes", attributeSet("AWSTraceHeader", typed("String", "StringValue", "trace")))
	for i, c := range []struct {
		ask     []any
		members []string
		system  []string
		md5     string
	}{
		{nil, []string{"MessageId", "ReceiptHandle", "MD5OfBody", "Body"}, nil, ""},
		{[]any{"MessageAttributeNames", []string{"All"}}, []string{"MessageId", "ReceiptHandle", "MD5OfBody", "Body", "MD5OfMessageAttributes", "MessageAttributes"}, nil,
			"4c360f3fdafd970e05fae2f149d997f5"},
		{[]any{"MessageAttributeNames", []string{"Hello", "General"}}, nil, nil, "fca026605781cb4126a1e9044df24232"},
		{[]any{"MessageAttributeNames", []string{"Hello"}}, nil, nil, "a311262e065454b75da111d535b8dacd"},
		{[]any{"MessageAttributeNames", []string{"Hel.*"}}, nil, nil, "83fee93c1bcd8b9a5a923ffacdc636c7"},
		{[]any{"MessageAttributeNames", []string{"Foo", "Help"}}, []string{"MessageId", "ReceiptHandle", "MD5OfBody", "Body"}, nil, ""},
		{[]any{"AttributeNames", []string{"All"}}, nil, []string{"AWSTraceHeader", "ApproximateReceiveCount", "SentTimestamp"}, ""},
		{[]any{"MessageSystemAttributeNames", []string{"All"}}, nil, []string{"AWSTraceHeader", "ApproximateReceiveCount", "SentTimestamp"}, ""},
		{[]any{"AttributeNames", []string{"SentTimestamp", "AWSTraceHeader"}}, nil, []string{"AWSTraceHeader", "SentTimestamp"}, ""},
		{[]any{"AttributeNames", []string{"SentTimestamp"}, "MessageSystemAttributeNames", []string{"AWSTraceHeader"}}, nil, []string{"AWSTraceHeader", "SentTimestamp"}, ""},
		{[]any{"AttributeNames", []string{"SenderId", "SequenceNumber"}}, []string{"MessageId", "ReceiptHandle", "MD5OfBody", "Body"}, nil, ""},
	} {
		sent := time.Now()
		messages := messagesOf(r.do("ReceiveMessage", append([]any{"QueueUrl", url}, c.ask...)...))
		if len(messages) != 1 {
			t.Fatalf("%v: %d messages", c.ask, len(messages))
		}
		m := messages[0]
		if c.members != nil && !slices.Equal(names(m.Object), c.members) {
			t.Errorf("%v: members %v", c.ask, names(m.Object))
		}
		if got := names(m.Get("Attributes").Object()); !slices.Equal(got, c.system) {
			t.Errorf("%v: system attributes %v", c.ask, got)
		}
		if got := m.get("MD5OfMessageAttributes"); got != c.md5 {
			t.Errorf("%v: digest %s", c.ask, got)
		}
		if count := m.system("ApproximateReceiveCount"); count != "" && count != strconv.Itoa(i+1) {
			t.Errorf("%v: count %s", c.ask, count)
		}
		if at := m.system("SentTimestamp"); at != "" {
			if ms, err := strconv.ParseInt(at, 10, 64); err != nil || sent.UnixMilli()-ms > 60000 || ms > sent.UnixMilli() {
				t.Errorf("%v: sent at %s", c.ask, at)
			}
		}
		r.clock.Advance(1500 * time.Millisecond)
	}
}

func TestReceiveRefusals(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", nil)
	fifo := r.create("orders.fifo", map[string]string{"FifoQueue": "true"})
	for _, c := range []struct {
		url, name string
		value     any
		text      string
	}{
		{url, "MaxNumberOfMessages", 11, "Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided."},
		{url, "MaxNumberOfMessages", "0", "Value 0 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided."},
		{url, "MaxNumberOfMessages", "ten", "Value ten for parameter MaxNumberOfMessages is invalid. Reason: Must be a whole number."},
		{url, "WaitTimeSeconds", 21, "Value 21 for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided."},
		{url, "WaitTimeSeconds", -1, "Value -1 for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided."},
		{url, "VisibilityTimeout", 43201, "Value 43201 for parameter VisibilityTimeout is invalid. Reason: Must be >= 0 and <= 43200, if provided."},
		{url, "VisibilityTimeout", -1, ""},
		{fifo, "ReceiveRequestAttemptId", "a b", ""},
		{fifo, "ReceiveRequestAttemptId", "", ""},
	} {
		r.refuse(fault.InvalidParameterValue, c.text, "ReceiveMessage", "QueueUrl", c.url, c.name, c.value)
	}
	r.do("ReceiveMessage", "QueueUrl", url, "ReceiveRequestAttemptId", "a b") // not looked at on a standard queue
	r.refuse(fault.QueueDoesNotExist, "", "ReceiveMessage", "QueueUrl", testBase+"/"+testAccount+"/nope")
}

func TestReceiveOfAnEmptyQueue(t *testing.T) {
	w := &watched{}
	r := newRig(t, watch(w))
	url := r.create("orders", nil)
	w.forget()
	answer := r.do("ReceiveMessage", "QueueUrl", url, "MaxNumberOfMessages", 10)
	if answer == nil || answer.Len() != 0 {
		t.Errorf("answered %v", answer)
	}
	if len(w.pops) != 1 || w.pops[0].Wait != 0 {
		t.Errorf("an empty short poll took %v", w.pops)
	}
}

func TestReceiveFillsUp(t *testing.T) {
	w := &watched{}
	r := newRig(t, watch(w))
	url := r.create("orders", map[string]string{"queen.partitions": "256"})
	for i := range 60 {
		r.sendTo(url, fmt.Sprint(i))
	}
	if got := r.receive(url, 10); len(got) != 10 {
		t.Errorf("received %d of 10", len(got))
	}
	if got := messagesOf(r.do("ReceiveMessage", "QueueUrl", url)); len(got) != 1 {
		t.Errorf("a receive that names no maximum got %d", len(got))
	}
	for _, pop := range w.pops {
		if pop.Batch != 1 || pop.Partitions != 1 || pop.LeaseSeconds != 30 || pop.Wait != 0 {
			t.Fatalf("pop %+v", pop)
		}
	}
}

// QS-01: a held message blocks its lane.
func TestReceiveIsBoundedByLanes(t *testing.T) {
	r := newRig(t)
	url := r.create("narrow", map[string]string{"queen.partitions": "1"})
	for i := range 3 {
		r.sendTo(url, fmt.Sprint(i))
	}
	got := r.receive(url, 10)
	wantBodies(t, got, "0")
	if c := r.counts(url); c != [2]string{"2", "1"} {
		t.Errorf("counts %v", c)
	}
	r.delete(url, got...)
	wantList(t, r.drain(url), "1", "2")
}

func TestWaitTime(t *testing.T) {
	w := &watched{onPop: func(int, queen.PopRequest) (queen.PopResult, error) { return queen.PopResult{}, nil }}
	r := newRig(t, watch(w))
	polling := r.create("polling", map[string]string{"ReceiveMessageWaitTimeSeconds": "20"})
	plain := r.create("plain", nil)
	r.forgeAttribute("polling", "ReceiveMessageWaitTimeSeconds", "300")
	for _, c := range []struct {
		url  string
		ask  []any
		want time.Duration
	}{
		{polling, nil, 20 * time.Second}, // a stored 300 is clamped
		{polling, []any{"WaitTimeSeconds", 0}, 0},
		{polling, []any{"WaitTimeSeconds", "3"}, 3 * time.Second},
		{plain, nil, 0},
		{plain, []any{"WaitTimeSeconds", 20}, 20 * time.Second},
	} {
		w.forget()
		r.do("ReceiveMessage", append([]any{"QueueUrl", c.url, "MaxNumberOfMessages", 10}, c.ask...)...)
		if len(w.pops) != 1 || w.pops[0].Wait != c.want {
			t.Errorf("%v: pops %+v, want one of %v", c.ask, w.pops, c.want)
		}
	}
}

// forgeAttribute stores an attribute that SetQueueAttributes would refuse.
func (r *rig) forgeAttribute(queue, name, value string) {
	r.t.Helper()
	q, err := r.registry.QueueFresh(context.Background(), "token", queue)
	if err != nil {
		r.t.Fatal(err)
	}
	q = q.Clone()
	q.Attributes[name] = value
	if _, stored, err := r.registry.StoreQueue(context.Background(), "token", q); err != nil || !stored {
		r.t.Fatal(err)
	}
}

func TestLongPollEndsWithTheFirstMessage(t *testing.T) {
	parked := make(chan struct{}, 1)
	w := &watched{onPop: func(_ int, req queen.PopRequest) (queen.PopResult, error) {
		if req.Wait > 0 {
			parked <- struct{}{}
		}
		return queen.PopResult{}, errThrough
	}}
	r := newRig(t, watch(w))
	url := r.create("orders", nil)
	w.forget()
	go func() {
		<-parked
		_, _ = r.Handlers()["SendMessage"](context.Background(), request("SendMessage", params("QueueUrl", url, "MessageBody", "hello")))
	}()
	wantBodies(t, r.receive(url, 3, "WaitTimeSeconds", 20), "hello")
	if w.pops[0].Wait != 20*time.Second {
		t.Errorf("the first claim waits %v", w.pops[0].Wait)
	}
	for _, pop := range w.pops[1:] {
		if pop.Wait != 0 {
			t.Error("a second claim waits too")
		}
	}
}

func TestLongPollOfAnEmptyQueueIsOnePop(t *testing.T) {
	w := &watched{onPop: func(int, queen.PopRequest) (queen.PopResult, error) { return queen.PopResult{}, nil }}
	r := newRig(t, watch(w))
	url := r.create("orders", nil)
	w.forget()
	if got := r.receive(url, 10, "WaitTimeSeconds", 20); len(got) != 0 || len(w.pops) != 1 {
		t.Errorf("%d messages, %d pops", len(got), len(w.pops))
	}
}

func TestReceiveKeepsWhatSiblingsClaimed(t *testing.T) {
	failing := 0
	w := &watched{onPop: func(n int, _ queen.PopRequest) (queen.PopResult, error) {
		if n == failing {
			return queen.PopResult{}, errBroken
		}
		return queen.PopResult{}, errThrough
	}}
	r := newRig(t, watch(w))
	url := r.create("orders", map[string]string{"queen.partitions": "256"})
	for i := range 60 {
		r.sendTo(url, fmt.Sprint(i))
	}
	for _, failing = range []int{1, 2, 10} {
		w.forget()
		if got := r.receive(url, 10); len(got) != 9 {
			t.Errorf("with claim %d failing: %d messages, want 9", failing, len(got))
		}
	}
}

func TestReceiveFailures(t *testing.T) {
	w := &watched{onPop: func(int, queen.PopRequest) (queen.PopResult, error) { return queen.PopResult{}, errBroken }}
	r := newRig(t, watch(w))
	url := r.create("orders", nil)
	r.refuse(fault.ServiceUnavailable, "", "ReceiveMessage", "QueueUrl", url, "MaxNumberOfMessages", 10)
	w.forget()
	r.refuse(fault.ServiceUnavailable, "", "ReceiveMessage", "QueueUrl", url, "MaxNumberOfMessages", 10, "WaitTimeSeconds", 5)
	if len(w.pops) != 1 {
		t.Errorf("a failed parked claim was followed by %d", len(w.pops)-1)
	}

	// A broker that is gone or wants fewer calls is not asked nine times more.
	for _, failure := range []error{
		&queen.TransportError{Err: errors.New("nothing within 10s")}, &queen.StatusError{Code: 429}, &queen.StatusError{Code: 503},
	} {
		w.onPop = func(int, queen.PopRequest) (queen.PopResult, error) { return queen.PopResult{}, failure }
		w.forget()
		if _, err := r.try("ReceiveMessage", "QueueUrl", url, "MaxNumberOfMessages", 10); err == nil || len(w.pops) != 1 {
			t.Errorf("after %v: %d pops, %v", failure, len(w.pops), err)
		}
	}

	w.onPop = func(int, queen.PopRequest) (queen.PopResult, error) {
		return queen.PopResult{}, &queen.StatusError{Code: 429, RetryAfter: 2 * time.Second, HasRetryAfter: true}
	}
	_, err := r.try("ReceiveMessage", "QueueUrl", url)
	wantFault(t, err, fault.RequestThrottled, "")
	if got := fault.From(err).RetryAfter; got != 2*time.Second {
		t.Errorf("retry after %v", got)
	}
}

// A claim that lands after the client left is given back at once.
func TestReceiveForAClientThatLeft(t *testing.T) {
	for _, queue := range []string{"orders", "orders.fifo"} {
		ctx, leave := context.WithCancel(context.Background())
		w := &watched{afterPop: func(int) { leave() }}
		r := newRig(t, watch(w))
		url := r.create(queue, nilUnlessFIFO(queue))
		for i := range 3 {
			r.sendAny(url, fmt.Sprint(i))
		}
		_, err := r.Handlers()["ReceiveMessage"](ctx, request("ReceiveMessage", params("QueueUrl", url, "MaxNumberOfMessages", 10)))
		if err == nil {
			t.Error("a client that left was answered")
		}
		if c := r.counts(url); c != [2]string{"3", "0"} {
			t.Errorf("%s: left behind %v", queue, c)
		}
	}
}

func nilUnlessFIFO(queue string) map[string]string {
	if queue == "orders.fifo" {
		return map[string]string{"FifoQueue": "true", "ContentBasedDeduplication": "true"}
	}
	return nil
}

// sendAny sends to a queue of either type; on FIFO to one group.
func (r *rig) sendAny(url, body string) {
	r.t.Helper()
	if url[len(url)-5:] == ".fifo" {
		r.sendTo(url, body, "MessageGroupId", "g")
		return
	}
	r.sendTo(url, body)
}

func TestReceiveOfNativePayloads(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", nil)
	for _, c := range []struct{ payload, body string }{
		{`{ "order" : 17 }`, `{"order":17}`},
		{`"text"`, "text"},
		{`"a\u0001b\uffff"`, "a\uFFFDb\uFFFD"},
		{`[1,2]`, "[1,2]"},
	} {
		if _, err := r.broker.Push(context.Background(), "token", []queen.PushItem{{Queue: "orders", Partition: "0", Payload: queen.Payload(c.payload)}}); err != nil {
			t.Fatal(err)
		}
		got := r.receiveOne(url)
		if got.body() != c.body || got.Has("MessageAttributes") {
			t.Errorf("%s: received %q", c.payload, got.body())
		}
		r.delete(url, got)
	}
}

func TestSequenceNumbers(t *testing.T) {
	s := &Service{}
	for _, c := range []struct {
		offset int64
		id     string
		want   string
	}{
		{0, "00000000-0000-0000-0000-000000000001", "0"},
		{17, "", "17"},
		{queen.Unknown, "00000000-0000-0000-0000-000000000001", "1"},
		{queen.Unknown, "ffffffff-ffff-ffff-ffff-ffffffffffff", "340282366920938463463374607431768211455"},
		{queen.Unknown, "no uuid", ""},
	} {
		if got := s.sequence(c.offset, c.id); got != c.want {
			t.Errorf("sequence(%d, %q) = %s, want %s", c.offset, c.id, got, c.want)
		}
	}
	s.profile = divergences.NewProfile("of the test", divergences.SequenceNumberPerGroup)
	if got := s.sequence(0, "00000000-0000-0000-0000-000000000002"); got != "2" {
		t.Errorf("unique in the queue: %s", got)
	}
}

func TestReceiveCounts(t *testing.T) {
	for name, opts := range map[string][]rigOption{"counted by the broker": nil, "counted here": {onPlain()}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, opts...)
			for _, queue := range []string{"orders", "orders.fifo"} {
				url := r.create(queue, nilUnlessFIFO(queue))
				r.sendAny(url, "x")
				for want := 1; want <= 3; want++ {
					m := r.receiveOne(url)
					if got := m.system("ApproximateReceiveCount"); got != strconv.Itoa(want) {
						t.Errorf("%s: count %s, want %d", queue, got, want)
					}
					r.visibility(url, m, 0)
				}
				m := r.receiveOne(url)
				r.delete(url, m)
			}
			eventually(t, "the counters of deleted messages are dropped", func() bool { return len(r.rows("qs:rc:")) == 0 })
		})
	}
}

func TestReceiveCountIsOneCall(t *testing.T) {
	w := &watched{}
	r := newRig(t, onPlain(), watch(w))
	url := r.create("orders", map[string]string{"queen.partitions": "256", "MessageRetentionPeriod": "600"})
	for i := range 60 {
		r.sendTo(url, fmt.Sprint(i))
	}
	r.receive(url, 1) // the record is cached now
	w.forget()
	if got := r.receive(url, 10); len(got) != 10 {
		t.Fatalf("received %d", len(got))
	}
	if len(w.kvs) != 1 || len(w.kvs[0]) != 10 {
		t.Fatalf("%d calls", len(w.kvs))
	}
	for _, op := range w.kvs[0] {
		if op.Op != queen.KVIncr || op.TTLSeconds != 600 {
			t.Errorf("operation %+v", op)
		}
	}
}

// Without its count a message could be delivered for ever: it is given back.
func TestReceiveWithoutCounters(t *testing.T) {
	broken := false
	w := &watched{onKV: func(ops []queen.KVOp) error {
		if broken && slices.ContainsFunc(ops, func(op queen.KVOp) bool { return op.Op == queen.KVIncr }) {
			return &queen.StatusError{Code: 429}
		}
		return nil
	}}
	r := newRig(t, onPlain(), watch(w))
	for _, queue := range []string{"orders", "orders.fifo"} {
		url := r.create(queue, nilUnlessFIFO(queue))
		r.sendAny(url, "x")
		broken = true
		r.refuse(fault.RequestThrottled, "", "ReceiveMessage", "QueueUrl", url)
		broken = false
		if m := r.receiveOne(url); m.system("ApproximateReceiveCount") != "1" {
			t.Errorf("%s: count %s", queue, m.system("ApproximateReceiveCount"))
		}
	}
}
