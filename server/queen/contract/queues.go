package contract

import (
	"slices"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

var healthCases = []testCase{
	{"1", "a broker that takes work is healthy and names its engine", func(t *T) {
		h, err := t.Broker.Health(t.Context())
		t.ok(err)
		if !h.Healthy() || h.Engine == "" || h.Version == "" {
			t.Fatalf("%+v", h)
		}
		if t.Reference {
			t.want("engine and version", h.Engine+" "+h.Version, "segments-rust 1.3.0")
		}
	}},
}

var queueCases = []testCase{
	{"5.1", "the list is live and newest first", func(t *T) {
		a, b := t.configured(), t.configured()
		t.push(b, "0", "one", "two")
		infos, err := t.Broker.ListQueues(t.Context(), t.Token)
		t.ok(err)
		at := func(name string) int {
			return slices.IndexFunc(infos, func(q queen.QueueInfo) bool { return q.Name == name })
		}
		if at(a) < 0 || at(b) < 0 || at(b) > at(a) {
			t.Fatalf("older at %d, newer at %d", at(a), at(b))
		}
		row := infos[at(b)]
		t.want("partitions and messages", []any{row.Partitions, row.Messages}, []any{1, 2})
		if row.ID == "" || row.CreatedAt.IsZero() {
			t.Fatalf("%+v", row)
		}
	}},
	{"5.2", "a configure echoes every option", func(t *T) {
		q := t.queue()
		got := t.configure(q, func(o *queen.Options) { o.RetryLimit, o.DelayedProcessing, o.DedupWindowSeconds = 9, 3, 7 })
		want := gatewayOptions()
		want.RetryLimit, want.DelayedProcessing, want.DedupWindowSeconds = 9, 3, 7
		t.want("options", got, want)
	}},
	{"5.2", "a configure replaces every option", func(t *T) {
		q := t.configured(func(o *queen.Options) { o.RetryLimit, o.LeaseTime = 9, 45 })
		t.want("options", t.configure(q), gatewayOptions())
	}},
	{"5.2", "a negative dedup window reads as 0, a long MinPopWaitTime as 60000", func(t *T) {
		got := t.configure(t.queue(), func(o *queen.Options) { o.DedupWindowSeconds, o.MinPopWaitTime = -5, 70000 })
		t.want("clamped", []int{got.DedupWindowSeconds, got.MinPopWaitTime}, []int{0, 60000})
	}},
	{"5.2", "a name has at most 255 characters and no NUL", func(t *T) {
		long := t.queue()
		long += strings.Repeat("n", 255-len(long))
		t.configure(long)
		_, err := t.Broker.DeleteQueue(t.Context(), t.Token, long)
		t.ok(err)
		for _, name := range []string{long + "n", "a\x00b"} {
			_, err := t.Broker.Configure(t.Context(), t.Token, name, gatewayOptions())
			t.status(err, 500, `"configure failed: db error"`)
		}
	}},
	{"5.2", "a number beyond 32 bit is refused", func(t *T) {
		o := gatewayOptions()
		o.LeaseTime = 1 << 31
		_, err := t.Broker.Configure(t.Context(), t.Token, t.queue(), o)
		t.status(err, 500, `"configure failed: db error"`)
	}},
	{"5.2", "a configured lease applies to a pop that names none, an implicit queue has 60 s", func(t *T) {
		t.movable()
		implicit, named := t.queue(), t.configured(func(o *queen.Options) { o.LeaseTime = 45 })
		for q, lease := range map[string]time.Duration{implicit: time.Minute, named: 45 * time.Second} {
			t.push(q, "0", "one")
			t.popReq(queen.PopRequest{Queue: q, Batch: 1, Partitions: 1})
			t.pass(lease - 2*time.Second)
			t.want("before the lease is over", texts(t.pop(q, 1)), "")
			t.pass(3 * time.Second)
			t.want("after", texts(t.pop(q, 1)), "one")
		}
	}},
	{"5.3", "a delete tells whether the queue existed", func(t *T) {
		q := t.configured()
		for _, want := range []bool{true, false} {
			existed, err := t.Broker.DeleteQueue(t.Context(), t.Token, q)
			t.ok(err)
			t.want("existed", existed, want)
		}
		_, err := t.Broker.Depth(t.Context(), t.Token, q, queen.DefaultGroup)
		t.status(err, 404, `"Queue not found"`)
	}},
	{"5.3", "messages, leases and transaction ids go with the queue", func(t *T) {
		q := t.configured(func(o *queen.Options) { o.DedupWindowSeconds = 300 })
		t.push(q, "0", "t1", "t2")
		old := t.pop(q, 1)
		_, err := t.Broker.DeleteQueue(t.Context(), t.Token, q)
		t.ok(err)
		t.want("old ack", t.acks(ack(old[0], queen.Completed))[0].Error, "consumer not found")
		lease, err := t.Broker.ExtendLease(t.Context(), t.Token, old[0].LeaseID, 60)
		t.ok(err)
		t.want("renewed", lease.Renewed, 0)

		t.configure(q, func(o *queen.Options) { o.DedupWindowSeconds = 300 })
		t.push(q, "0", "t1")
		var again []queen.Message
		t.eventually("the re-created queue is popped from", func() bool { again = t.pop(q, 10); return len(again) > 0 })
		t.want("popped", texts(again), "t1")
		if again[0].PartitionID == old[0].PartitionID {
			t.Fatal("the lane kept its id")
		}
		if again[0].Offset > 0 {
			t.Fatalf("offset %d, want 0", again[0].Offset)
		}
		if !t.differs("5.3 first duplicate") {
			t.want("pushed again", t.pushItems(msg(q, "0", "t1"))[0].Status, queen.Duplicate)
		}
	}},
	{"5.3", "timers and key/value rows survive the queue", func(t *T) {
		q := t.configured()
		t.schedule(q, "later", "0", time.Hour, "x")
		t.kv(queen.KVOp{Op: queen.KVPut, Key: t.key("k"), Value: str("v"), TTLSeconds: 600})
		_, err := t.Broker.DeleteQueue(t.Context(), t.Token, q)
		t.ok(err)
		t.want("timers", t.count(q, "later"), 1)
		t.want("row", t.kv(queen.KVOp{Op: queen.KVGet, Key: t.key("k")})[0].Found, true)
		t.cancel(q, "later")
	}},
}

var depthCases = []testCase{
	{"5.4", "an unknown queue is 404", func(t *T) {
		_, err := t.Broker.Depth(t.Context(), t.Token, t.queue(), queen.DefaultGroup)
		t.status(err, 404, `"Queue not found"`)
	}},
	{"5.4", "leased messages are pending, acked ones are not", func(t *T) {
		q := t.configured()
		t.push(q, "a", "1", "2", "3")
		t.push(q, "b", "4")
		t.pending(q, 4)
		claimed := t.popLane(q, "a", 2, 2)
		t.processing(q, 4, 2)
		t.complete(claimed[0])
		t.processing(q, 3, 1)
		t.pass(2500 * time.Millisecond)
		t.processing(q, 3, 0)
	}},
	{"5.4", "every lane is listed", func(t *T) {
		q := t.configured()
		t.push(q, "a", "1", "2")
		t.push(q, "b", "3")
		lanes := map[string]int64{}
		for _, l := range t.depth(q).Lanes {
			lanes[l.Partition] = l.Pending
		}
		t.want("lanes", lanes, map[string]int64{"a": 2, "b": 1})
	}},
	{"5.4", "a group that never popped has everything in front of it", func(t *T) {
		q := t.configured()
		t.push(q, "0", "1", "2")
		t.complete(t.pop(q, 1)...)
		d, err := t.Broker.Depth(t.Context(), t.Token, q, "never-seen")
		t.ok(err)
		if d.Pending != 2 && d.Pending != 1 {
			t.Fatalf("pending %d", d.Pending)
		}
		if t.Reference {
			t.want("pending", d.Pending, 2)
		}
	}},
	{"5.4", "messages hidden by delayedProcessing are pending and ready", func(t *T) {
		q := t.configured(func(o *queen.Options) { o.DelayedProcessing = 60 })
		t.push(q, "0", "1", "2")
		t.processing(q, 2, 0)
	}},
}

// processing compares a queue's depth.
func (t *T) processing(queueName string, pending, processing int64) {
	t.Helper()
	d := t.depth(queueName)
	t.want("pending", d.Pending, pending)
	if !t.differs("5.4 ready") {
		t.want("processing and ready", []int64{d.Processing, d.Ready}, []int64{processing, pending - processing})
	}
}
