package contract

import (
	"fmt"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

var pushCases = []testCase{
	{"6.1", "an item without a transaction id gets its message id", func(t *T) {
		q := t.configured()
		r := t.pushItems(queen.PushItem{Queue: q, Partition: "0", Payload: str("x")})[0]
		t.want("status", r.Status, queen.Queued)
		t.want("queue", r.Queue, q)
		if r.TransactionID != r.MessageID || !isUUID(r.MessageID, '7') {
			t.Fatalf("%+v", r)
		}
		m := t.pop(q, 1)
		t.want("delivered ids", []string{m[0].ID, m[0].TransactionID}, []string{r.MessageID, r.MessageID})
	}},
	{"6.1", "no items, no results", func(t *T) { t.pushItems() }},
	{"6.1", "the items of a request share one createdAt and keep their order", func(t *T) {
		q := t.configured()
		t.push(q, "0", "one", "two", "three")
		m := t.pop(q, 10)
		t.want("order", texts(m), "one two three")
		for i := range m {
			if !m[i].CreatedAt.Equal(m[0].CreatedAt) {
				t.Fatalf("createdAt %v and %v", m[0].CreatedAt, m[i].CreatedAt)
			}
		}
	}},
	{"6.1", "offsets count from 0 without holes, lane by lane", func(t *T) {
		q := t.configured()
		if !t.caps.Offsets {
			t.want("offset", t.push(q, "0", "a")[0].Offset, queen.Unknown)
			return
		}
		var got []int64
		for _, r := range append(t.push(q, "0", "a", "b"), append(t.push(q, "1", "c"), t.push(q, "0", "d")...)...) {
			got = append(got, r.Offset)
		}
		t.want("offsets", got, []int64{0, 1, 0, 2})
	}},
	{"6.1", "follower in one request", func(t *T) {
		q := t.configured()
		items := []queen.PushItem{msg(q, "0", "x"), msg(q, "0", "x"), msg(q, "1", "x")}
		items[1].Payload = str("other")
		r := t.pushItems(items...)
		t.want("statuses", []queen.PushStatus{r[0].Status, r[1].Status, r[2].Status},
			[]queen.PushStatus{queen.Queued, queen.Duplicate, queen.Queued})
		t.want("the follower's id", r[1].MessageID, r[0].MessageID)
		t.pending(q, 2)
	}},
	{"6.1", "a queue and its lane are made by the first push", func(t *T) {
		q := t.queue()
		t.push(q, "new", "x")
		t.pending(q, 1)
	}},
	{"6.1", "control characters are refused and nothing of the request is stored", func(t *T) {
		q := t.configured()
		for _, bad := range []queen.PushItem{
			msg(q+"\x01", "0", "x"), msg(q, "a\nb", "x"), msg(q, "0", "x\ty"),
		} {
			_, err := t.Broker.Push(t.Context(), t.Token, []queen.PushItem{msg(q, "0", "good"), bad})
			t.status(err, 400, "control characters are not allowed in queue, partition or transactionId")
		}
		t.pending(q, 0)
	}},
	{"6.1", "a transaction id has at most 65535 bytes", func(t *T) {
		q := t.configured()
		long := strings.Repeat("t", 65535)
		t.push(q, "0", long)
		_, err := t.Broker.Push(t.Context(), t.Token, []queen.PushItem{msg(q, "0", long+"t")})
		t.status(err, 400, "bad body: transactionId of item 0 exceeds the 65535-byte limit")
		t.want("delivered", texts(t.pop(q, 2)), long)
	}},
	{"6.1", "the empty string is a transaction id like any other", func(t *T) {
		q := t.configured()
		t.want("statuses", t.pushItems(msg(q, "0", ""), msg(q, "0", ""))[1].Status, queen.Duplicate)
		m := t.pop(q, 2)
		t.want("messages", len(m), 1)
		t.want("transaction id", m[0].TransactionID, "")
		t.complete(m...)
	}},
	{"6.1", "a queue without a name or with a name too long takes nothing", func(t *T) {
		if t.differs("6.1 odd queues") {
			t.want("status", t.pushItems(msg(strings.Repeat("q", 256), "0", "x"))[0].Status, queen.Buffered)
			return
		}
		for _, name := range []string{"", strings.Repeat("q", 256)} {
			_, err := t.Broker.Push(t.Context(), t.Token, []queen.PushItem{msg(name, "0", "x")})
			t.status(err, 400, "bad body: ")
		}
	}},
	{"6.1", "a thousand items in one request", func(t *T) {
		q := t.configured()
		var all []string
		for i := range 1000 {
			all = append(all, fmt.Sprint(i))
		}
		t.push(q, "0", all...)
		t.want("delivered", texts(t.pop(q, 2000)), strings.Join(all, " "))
	}},
}

var dedupCases = []testCase{
	{"6.1", "a duplicate answers the original's id and removes only itself", func(t *T) {
		q := t.configured(func(o *queen.Options) { o.DedupWindowSeconds = 300 })
		first := t.push(q, "0", "d1")[0]
		r := t.pushItems(msg(q, "0", "d1"), msg(q, "0", "new"), msg(q, "0", "new"), msg(q, "0", "d1"))
		t.want("statuses", []queen.PushStatus{r[0].Status, r[1].Status, r[2].Status, r[3].Status},
			[]queen.PushStatus{queen.Duplicate, queen.Queued, queen.Duplicate, queen.Duplicate})
		t.want("ids", []string{r[0].MessageID, r[2].MessageID, r[3].MessageID},
			[]string{first.MessageID, r[1].MessageID, first.MessageID})
		if t.caps.Offsets {
			t.want("offsets", []int64{r[0].Offset, r[1].Offset, r[2].Offset}, []int64{0, 1, 1})
		}
		t.push(q, "1", "d1")
		t.want("stored", texts(t.popLane(q, "0", 10, 30)), "d1 new")
	}},
	{"6.1", "the window counts from the original, a duplicate does not extend it", func(t *T) {
		q := t.configured(func(o *queen.Options) { o.DedupWindowSeconds = 2 })
		var got []queen.PushStatus
		for _, wait := range []time.Duration{0, 1200 * time.Millisecond, 1200 * time.Millisecond} {
			t.pass(wait)
			got = append(got, t.pushItems(msg(q, "0", "x"))[0].Status)
		}
		t.want("pushes at 0, 1.2 and 2.4 s", got, []queen.PushStatus{queen.Queued, queen.Duplicate, queen.Queued})
	}},
	{"6.1", "window 0 is off", func(t *T) {
		q := t.configured()
		t.push(q, "0", "x")
		t.push(q, "0", "x")
		t.pending(q, 2)
	}},
	{"6.1", "a transaction id stays taken when its message is consumed", func(t *T) {
		q := t.configured(func(o *queen.Options) { o.DedupWindowSeconds = 300 })
		first := t.push(q, "0", "x")[0]
		t.complete(t.pop(q, 1)...)
		again := t.pushItems(msg(q, "0", "x"))[0]
		t.want("status", again.Status, queen.Duplicate)
		t.want("id", again.MessageID, first.MessageID)
		t.pending(q, 0)
	}},
	{"6.1", "a queue made by a push remembers transaction ids", func(t *T) {
		q := t.queue()
		t.push(q, "0", "x")
		t.want("status", t.pushItems(msg(q, "0", "x"))[0].Status, queen.Duplicate)
	}},
}

// isUUID judges the canonical lower-case form of a version.
func isUUID(s string, version byte) bool {
	if len(s) != 36 || s[14] != version || !strings.ContainsRune("89ab", rune(s[19])) {
		return false
	}
	for i, c := range s {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !strings.ContainsRune("0123456789abcdef", c) {
			return false
		}
	}
	return true
}
