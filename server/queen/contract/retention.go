package contract

import (
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

var retentionCases = []testCase{
	{"12.1", "old messages go, consumed or not", func(t *T) {
		q := t.configured(func(o *queen.Options) { o.RetentionSeconds = 2 })
		t.push(q, "0", "t1", "t2")
		t.pass(2200 * time.Millisecond)
		if t.differs("12.1 sweep") {
			t.eventually("retention", func() bool { return t.depth(q).Pending == 0 })
		}
		t.pending(q, 0)
		t.want("popped", len(t.pop(q, 10)), 0)
		r := t.push(q, "0", "t3")
		if t.caps.Offsets {
			t.want("offset", r[0].Offset, 2)
		}
		var m []queen.Message
		t.eventually("a later message in that lane", func() bool { m = t.pop(q, 10); return len(m) > 0 })
		t.want("popped", texts(m), "t3")
	}},
	{"12.1", "a leased message that is gone can still be acked", func(t *T) {
		q := t.configured(func(o *queen.Options) { o.RetentionSeconds = 2 })
		t.push(q, "0", "t1", "t2")
		m := t.popLane(q, "0", 1, 60)
		t.pass(2200 * time.Millisecond)
		if t.differs("12.1 sweep") {
			t.eventually("retention", func() bool { return t.depth(q).Pending == 0 })
		}
		t.pending(q, 0)
		t.complete(m...)
	}},
	{"12.1", "retentionSeconds alone does nothing", func(t *T) {
		q := t.configured(func(o *queen.Options) { o.RetentionSeconds, o.RetentionEnabled = 1, false })
		t.push(q, "0", "x")
		t.pass(2 * time.Second)
		t.pending(q, 1)
		t.want("popped", texts(t.pop(q, 1)), "x")
	}},
	{"12.1", "a message lives for its whole retention", func(t *T) {
		t.movable()
		q := t.configured()
		t.push(q, "0", "x")
		t.pass(345600*time.Second - time.Minute)
		t.pending(q, 1)
		t.pass(2 * time.Minute)
		t.pending(q, 0)
	}},
	{"12.2", "an ack finds its message however old it is", func(t *T) {
		t.movable()
		if !t.caps.KeepsIDs {
			t.Skip("this target's ids leave the hash window (capability KeepsIDs)")
		}
		q := t.configured()
		t.push(q, "0", "x", "y")
		t.pass(3 * 24 * time.Hour)
		m := t.pop(q, 2)
		t.complete(m[0])
		t.acks(ack(m[1], queen.Retry))
		t.want("released", texts(t.pop(q, 1)), "y")
	}},
}
