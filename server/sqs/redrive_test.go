package sqs

import (
	"strconv"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// withDLQ makes a queue with a dead-letter queue.
func (r *rig) withDLQ(name string, count string, attributes map[string]string) (source, dlq string) {
	r.t.Helper()
	source, dlqName := name, name+"-dlq"
	all := map[string]string{}
	dlqAttributes := map[string]string(nil)
	if name[max(0, len(name)-5):] == ".fifo" {
		dlqName = name[:len(name)-5] + "-dlq.fifo"
		all["FifoQueue"] = "true"
		dlqAttributes = map[string]string{"FifoQueue": "true"}
	}
	dlq = r.create(dlqName, dlqAttributes)
	all["RedrivePolicy"] = redriveTo(r.queueARN(dlqName), count)
	for k, v := range attributes {
		all[k] = v
	}
	return r.create(name, all), dlq
}

// fail receives a message n times and gives it back each time.
func (r *rig) fail(url string, n int) (id string) {
	r.t.Helper()
	for i := range n {
		m := r.receiveOne(url)
		if got := m.system("ApproximateReceiveCount"); got != strconv.Itoa(i+1) {
			r.t.Errorf("delivery %d says %s", i+1, got)
		}
		if id == "" {
			id = m.id()
		}
		if m.id() != id {
			r.t.Errorf("delivery %d is another message", i+1)
		}
		r.visibility(url, m, 0)
	}
	return id
}

func TestRedrive(t *testing.T) {
	for name, opts := range map[string][]rigOption{"counted by the broker": nil, "counted here": {onPlain()}} {
		for _, queue := range []string{"orders", "orders.fifo"} {
			t.Run(name+", "+queue, func(t *testing.T) {
				r := newRig(t, opts...)
				source, dlq := r.withDLQ(queue, `"2"`, nil)
				more := []any{"MessageAttributes", attributeSet("a", typed("String", "StringValue", "v")),
					"MessageSystemAttributes", attributeSet("AWSTraceHeader", typed("String", "StringValue", "trace"))}
				if queue == "orders.fifo" {
					more = append(more, "MessageGroupId", "g", "MessageDeduplicationId", "d")
				}
				r.sendTo(source, "poison", more...)
				id := r.fail(source, 2)
				if got := r.receive(source, 10); len(got) != 0 {
					t.Fatalf("delivery 3 was handed out: %v", got)
				}

				m := r.receiveOne(dlq)
				if m.body() != "poison" || m.id() == id || m.get("MD5OfMessageAttributes") == "" {
					t.Errorf("copy %v", m)
				}
				for name, want := range map[string]string{
					"ApproximateReceiveCount":  "3",
					"queen.originalMessageId":  id,
					"queen.sourceQueue":        queue,
					"DeadLetterQueueSourceArn": r.queueARN(queue),
					"AWSTraceHeader":           "trace",
					"queen.receiveCount":       "",
				} {
					if got := m.system(name); got != want {
						t.Errorf("%s = %q, want %q", name, got, want)
					}
				}
				if queue == "orders.fifo" && m.system("MessageGroupId") != "g" {
					t.Errorf("group %q", m.system("MessageGroupId"))
				}
				r.delete(dlq, m)
				for _, url := range []string{source, dlq} {
					if c := r.counts(url); c != [2]string{"0", "0"} {
						t.Errorf("%s: counts %v", url, c)
					}
				}
				r.sendAnyID(source, "next")
				wantBodies(t, r.receive(source, 10), "next")
				eventually(t, "counters of moved messages are dropped", func() bool { return len(r.rows("qs:rc:")) <= 1 })
			})
		}
	}
}

// sendAnyID sends to a queue of either type, with ids of its own.
func (r *rig) sendAnyID(url, body string) {
	r.t.Helper()
	if url[len(url)-5:] == ".fifo" {
		r.sendGroup(url, "g", body)
		return
	}
	r.sendTo(url, body)
}

func TestRedriveKeepsIDsInTheAWSProfile(t *testing.T) {
	r := newRig(t, func(cfg *Config) {
		cfg.Profile = divergences.NewProfile("of the test", divergences.DeadLetterHasNewMessageID)
	})
	source, dlq := r.withDLQ("orders", "1", nil)
	r.sendTo(source, "x")
	id := r.fail(source, 1)
	r.receive(source, 1)
	m := r.receiveOne(dlq)
	if m.id() != id || m.system("queen.originalMessageId") != "" || m.system("queen.sourceQueue") != "" || m.system("DeadLetterQueueSourceArn") == "" {
		t.Errorf("copy %v", m)
	}
	r.delete(dlq, m)
	if c := r.counts(dlq); c != [2]string{"0", "0"} {
		t.Errorf("counts %v", c)
	}
}

func TestRedriveMovesOnlyTheLeadingRun(t *testing.T) {
	r := newRig(t)
	source, dlq := r.withDLQ("run.fifo", "1", nil)
	r.sendGroup(source, "g", "0", "1")
	r.fail(source, 1)            // 0 was seen once, and 1 not yet
	got := r.receive(source, 10) // the claim counts as a whole (QS-07)
	if len(got) != 0 {
		t.Fatalf("received %v", bodies(got))
	}
	wantList(t, r.drain(dlq), "0", "1")

	// Counted one by one, only the first is over.
	r2 := newRig(t, onPlain())
	source, dlq = r2.withDLQ("run.fifo", "1", nil)
	r2.sendGroup(source, "g", "0", "1", "2")
	r2.fail(source, 1)
	got = r2.receive(source, 10)
	wantBodies(t, got, "1", "2")
	r2.delete(source, got[1], got[0])
	if c := r2.counts(source); c != [2]string{"0", "0"} {
		t.Errorf("counts %v", c)
	}
	if rows := r2.rows("qs:ds:"); len(rows) != 1 { // that of the released claim
		t.Errorf("%d records left", len(rows))
	}
	wantList(t, r2.drain(dlq), "0")
}

func TestRedriveWithoutATarget(t *testing.T) {
	r := newRig(t)
	source, dlq := r.withDLQ("orders", "1", nil)
	r.sendTo(source, "x")
	r.do("DeleteQueue", "QueueUrl", dlq)
	for range 3 {
		r.visibility(source, r.receiveOne(source), 0)
	}
	r.forgeAttribute("orders", "RedrivePolicy", "nonsense")
	r.clock.Advance(4 * time.Second)
	r.visibility(source, r.receiveOne(source), 0)
}

func TestRedriveThatFails(t *testing.T) {
	for _, queue := range []string{"orders", "orders.fifo"} {
		w := &watched{}
		r := newRig(t, watch(w))
		source, dlq := r.withDLQ(queue, "1", nil)
		r.sendAnyID(source, "x")
		r.fail(source, 1)
		w.onTx = func(queen.Transaction) error { return errBroken }
		if got := r.receive(source, 10); len(got) != 0 {
			t.Errorf("%s: received %v", queue, bodies(got))
		}
		if c := r.counts(dlq); c != [2]string{"0", "0"} {
			t.Errorf("%s: moved in spite of the failure: %v", queue, c)
		}
		w.onTx = nil
		r.clock.Advance(31 * time.Second)
		if got := r.receive(source, 10); len(got) != 0 {
			t.Errorf("%s: received %v", queue, bodies(got))
		}
		wantList(t, r.drain(dlq), "x")
	}
}

func TestRedriveRefills(t *testing.T) {
	w := &watched{}
	r := newRig(t, watch(w))
	source, dlq := r.withDLQ("orders", "1", map[string]string{"queen.partitions": "1"})
	for i := range 5 {
		r.sendTo(source, strconv.Itoa(i))
	}
	// Three poisonous messages in front of good ones, in one lane.
	r.fail(source, 1)
	w.forget()
	got := r.receive(source, 1)
	wantBodies(t, got, "1")
	if len(w.pops) != 2 {
		t.Errorf("%d pops", len(w.pops))
	}
	wantList(t, r.drain(dlq), "0")

	// At most two refills: three over messages end a receive empty-handed.
	w2 := &watched{}
	r2 := newRig(t, watch(w2))
	source, dlq = r2.withDLQ("orders.fifo", "1", nil)
	for _, g := range []string{"a", "b", "c", "d"} {
		r2.sendGroup(source, g, g)
	}
	for range 4 {
		if len(r2.receive(source, 1)) != 1 {
			t.Fatal("no message")
		}
	}
	r2.clock.Advance(31 * time.Second)
	w2.forget()
	if got := r2.receive(source, 1); len(got) != 0 || len(w2.pops) != 3 {
		t.Errorf("received %v in %d pops, want none in 3", bodies(got), len(w2.pops))
	}
	if c := r2.counts(dlq); c[0] != "3" {
		t.Errorf("moved %v", c)
	}
}

// A dead-letter queue with a policy of its own moves a copy on first receive:
// the count it carries is over already.
func TestRedriveChain(t *testing.T) {
	r := newRig(t)
	last := r.create("last", nil)
	middle := r.create("middle", map[string]string{"RedrivePolicy": redriveTo(r.queueARN("last"), "1")})
	first := r.create("first", map[string]string{"RedrivePolicy": redriveTo(r.queueARN("middle"), "1")})
	r.sendTo(first, "x")
	r.fail(first, 1)
	r.receive(first, 1)
	if got := r.receive(middle, 10); len(got) != 0 {
		t.Fatalf("received %v", bodies(got))
	}
	m := r.receiveOne(last)
	if m.system("ApproximateReceiveCount") != "2" || m.system("queen.sourceQueue") != "middle" {
		t.Errorf("copy %v", m.Get("Attributes"))
	}
}
