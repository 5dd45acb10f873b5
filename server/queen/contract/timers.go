package contract

import (
	"fmt"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

var timerCases = []testCase{
	{"9.1", "schedule, reschedule of nothing, cancel of nothing", func(t *T) {
		q := t.queue()
		r := t.timers(
			timerOp(queen.TimerSchedule, q, "k1", time.Hour),
			timerOp(queen.TimerReschedule, q, "k2", time.Hour),
			queen.TimerOp{Op: queen.TimerCancel, Queue: q, Key: "none", Txn: "tt"})
		for i, key := range []string{"k1", "k2"} {
			t.want("scheduled", []any{r[i].OK, r[i].Status, r[i].Queue, r[i].Key, r[i].Txn}, []any{true, "scheduled", q, key, "txn-" + key})
			if !isUUID(r[i].MessageID, '7') || r[i].DeliverAt.IsZero() {
				t.Fatalf("%+v", r[i])
			}
		}
		t.want("absent", []any{r[2].OK, r[2].Status, r[2].Key, r[2].Txn}, []any{false, "absent", "none", "tt"})
		again := t.timers(timerOp(queen.TimerSchedule, q, "k1", time.Hour))[0]
		t.want("over an existing key", again.Status, queen.TimerRescheduled)
		if again.MessageID == r[0].MessageID {
			t.Fatal("an overwrite kept the message id")
		}
		t.want("cancel", []any{t.cancel(q, "k2").OK, t.cancel(q, "k1").Txn}, []any{true, "txn-k1"})
		t.want("both are gone", len(t.list(q, "", 0).Rows), 0)
	}},
	{"9.1", "refusals, and nothing of a refused call is stored", func(t *T) {
		q := t.queue()
		good := timerOp(queen.TimerSchedule, q, "first", time.Hour)
		refuse := func(code int, part string, change func(*queen.TimerOp)) {
			t.Helper()
			bad := timerOp(queen.TimerSchedule, q, "r", time.Hour)
			change(&bad)
			_, err := t.Broker.ScheduleTimers(t.Context(), t.Token, []queen.TimerOp{good, bad})
			t.status(err, code, part)
		}
		refuse(400, "timers_queue_required", func(o *queen.TimerOp) { o.Queue = "" })
		refuse(400, "QTIMER op 1: timerKey is required", func(o *queen.TimerOp) { o.Key = "" })
		refuse(400, "QTIMER op 1: txn is required", func(o *queen.TimerOp) { o.Txn = "" })
		refuse(400, "QTIMER op 1: unknown operation", func(o *queen.TimerOp) { o.Op = "fire" })
		refuse(400, "QTIMER a (queue, timerKey) appears more than once in one call", func(o *queen.TimerOp) { o.Key = "first" })
		refuse(403, "timer_horizon_exceeded", func(o *queen.TimerOp) { o.Delay = 91 * 24 * time.Hour })
		refuse(413, `"reason":"timers_payload_too_large"`, func(o *queen.TimerOp) { o.Payload = blob(1<<20 + 1) })
		t.want("stored", len(t.list(q, "", 0).Rows), 0)
	}},
	{"9.1", "256 operations, 90 days and 1 MiB are allowed, 257 are not", func(t *T) {
		q := t.queue()
		var ops []queen.TimerOp
		for i := range 257 {
			ops = append(ops, timerOp(queen.TimerSchedule, q, fmt.Sprintf("%03d", i), 90*24*time.Hour))
		}
		ops[0].Payload = blob(1 << 20)
		_, err := t.Broker.ScheduleTimers(t.Context(), t.Token, ops)
		t.status(err, 400, "257 ops in one call, the ceiling is 256", "timers_too_many_ops")
		t.timers(ops[:256]...)
		t.want("count", t.count(q, "1"), 100)
		for i := range ops {
			ops[i].Op = queen.TimerCancel
		}
		t.timers(ops[:256]...)
		t.want("count", t.count(q, "1"), 0)
		t.want("no operations", len(t.timers()), 0)
	}},
	{"9.2", "the list is in byte order and pages", func(t *T) {
		q := t.queue()
		keys := []string{"sqs.2", "a", "é", "z/1", "B", "sqs.10", "b", "sqs.1"}
		sorted := []string{"B", "a", "b", "sqs.1", "sqs.10", "sqs.2", "z/1", "é"}
		for _, k := range keys {
			t.schedule(q, k, "0", time.Hour, "x")
		}
		t.want("all", keysOf(t.list(q, "", 0)), sorted)
		page := t.list(q, "", 3)
		t.want("page", []any{keysOf(page), page.Truncated, page.NextAfter}, []any{sorted[:3], true, "b"})
		t.want("next", keysOf(t.list(q, "b", 3)), sorted[3:6])
		row := page.Rows[1]
		t.want("row", []string{row.Queue, row.Key, row.Partition, row.Txn}, []string{q, "a", "0", "txn-a"})
		if row.DeliverAt.IsZero() || row.CreatedAt.IsZero() || row.UpdatedAt.IsZero() || row.MessageID == "" {
			t.Fatalf("%+v", row)
		}
		t.want("9.3 count by prefix", t.count(q, "sqs."), 3)
		for _, k := range keys {
			t.want("9.5 cancel "+k, t.cancel(q, k).Status, queen.TimerCancelled)
		}
		t.want("a queue that has none", len(t.list(q, "", 0).Rows), 0)
	}},
	{"9.3", "a prefix has 1 to 128 bytes", func(t *T) {
		if t.differs("9.3 count") {
			t.Skip("the reference knows no prefix")
		}
		for _, prefix := range []string{"", strings.Repeat("p", 129), "a\x00"} {
			_, err := t.Broker.CountTimers(t.Context(), t.Token, "q", prefix)
			t.status(err, 400)
		}
	}},
	{"9.5", "a cancel of nothing echoes the txn", func(t *T) {
		r, err := t.Broker.CancelTimer(t.Context(), t.Token, t.queue(), "none", "mine")
		t.ok(err)
		t.want("answer", []any{r.OK, r.Status, r.Txn}, []any{false, "absent", "mine"})
	}},
}

var firingCases = []testCase{
	{"9.6", "a timer delivers its payload once, under the id of its schedule", func(t *T) {
		q := t.configured()
		at := t.schedule(q, "k", "lane", 700*time.Millisecond, "hello")
		t.want("before", len(t.pop(q, 10)), 0)
		t.pass(800 * time.Millisecond)
		m := t.drain(q, 1)[0]
		t.want("message", []string{m.ID, m.TransactionID, m.Partition, string(m.Payload)}, []string{at.MessageID, "txn-k", "lane", `"hello"`})
		if m.CreatedAt.Before(at.DeliverAt) {
			t.Fatalf("created at %v, before it was due at %v", m.CreatedAt, at.DeliverAt)
		}
		t.want("pending timers", len(t.list(q, "", 0).Rows), 0)
	}},
	{"9.6", "a delay of zero or less fires at once, in the order of its time", func(t *T) {
		q := t.configured()
		now := timerOp(queen.TimerSchedule, q, "zero", 0)
		past := timerOp(queen.TimerSchedule, q, "past", -5*time.Second)
		t.timers(now, past)
		t.pass(0)
		t.want("order", texts(t.drain(q, 2)), "txn-past txn-zero")
	}},
	{"9.6", "a timer that is cancelled or moved does not fire at its time", func(t *T) {
		q := t.configured()
		t.schedule(q, "gone", "0", 500*time.Millisecond, "x")
		t.schedule(q, "moved", "0", 500*time.Millisecond, "x")
		t.schedule(q, "fires", "0", 500*time.Millisecond, "x")
		t.cancel(q, "gone")
		t.schedule(q, "moved", "0", time.Hour, "x")
		t.pass(600 * time.Millisecond)
		t.want("fired", texts(t.drain(q, 1)), "txn-fires")
		t.want("still pending", keysOf(t.list(q, "", 0)), "[moved]")
		t.cancel(q, "moved")
	}},
	{"9.6", "the dedup window lets a timer pass and remembers it", func(t *T) {
		q := t.configured(func(o *queen.Options) { o.DedupWindowSeconds = 300 })
		t.push(q, "0", "txn-k")
		t.schedule(q, "k", "0", 200*time.Millisecond, "fired")
		t.schedule(q, "k2", "0", 200*time.Millisecond, "fired")
		t.pass(300 * time.Millisecond)
		t.want("delivered", texts(t.drain(q, 3)), "txn-k txn-k txn-k2")
		t.want("a push after it", t.pushItems(msg(q, "0", "txn-k2"))[0].Status, queen.Duplicate)
	}},
	{"9.6", "firing into a deleted queue makes it again", func(t *T) {
		q := t.configured()
		t.schedule(q, "ghost", "0", 500*time.Millisecond, "boo")
		_, err := t.Broker.DeleteQueue(t.Context(), t.Token, q)
		t.ok(err)
		t.pass(600 * time.Millisecond)
		t.eventually("the queue is there", func() bool {
			_, err := t.Broker.Depth(t.Context(), t.Token, q, queen.DefaultGroup)
			return err == nil
		})
		t.want("popped", texts(t.drain(q, 1)), "txn-ghost")
	}},
	{"9.6", "a fired message waits for delayedProcessing as well", func(t *T) {
		t.movable()
		q := t.configured(func(o *queen.Options) { o.DelayedProcessing = 10 })
		t.schedule(q, "k", "0", 5*time.Second, "x")
		t.pass(6 * time.Second)
		t.pending(q, 1)
		t.want("hidden", len(t.pop(q, 1)), 0)
		t.pass(10 * time.Second)
		t.want("visible", texts(t.pop(q, 1)), "txn-k")
	}},
	{"9.6", "400 timers due at once all fire", func(t *T) {
		q := t.configured()
		for batch := range 2 {
			var ops []queen.TimerOp
			for i := range 200 {
				op := timerOp(queen.TimerSchedule, q, fmt.Sprint(batch*200+i), 300*time.Millisecond)
				op.Partition = fmt.Sprint(i % 16)
				ops = append(ops, op)
			}
			t.timers(ops...)
		}
		t.pass(400 * time.Millisecond)
		t.eventually("all are in the queue", func() bool { return t.depth(q).Pending == 400 })
	}},
	{"9.6", "a payload that is no JSON is delivered as a string, an empty one as null", func(t *T) {
		if t.differs("9.6 not JSON") {
			t.Skip("the reference's answer cannot be read")
		}
		q := t.configured()
		text, empty := timerOp(queen.TimerSchedule, q, "a", -2*time.Second), timerOp(queen.TimerSchedule, q, "b", -time.Second)
		text.Payload, empty.Payload = []byte(`not "json"`), []byte{}
		t.timers(text, empty)
		t.pass(0)
		m := t.drain(q, 2)
		t.want("payloads", []string{string(m[0].Payload), string(m[1].Payload)}, []string{`"not \"json\""`, "null"})
	}},
}

func timerOp(verb queen.TimerVerb, queueName, key string, delay time.Duration) queen.TimerOp {
	return queen.TimerOp{Op: verb, Queue: queueName, Key: key, Partition: "0", Delay: delay, Txn: "txn-" + key, Payload: []byte(`{"t":1}`)}
}

// blob is a JSON string of n bytes.
func blob(n int) []byte { return []byte(`"` + strings.Repeat("x", n-2) + `"`) }

func (t *T) timers(ops ...queen.TimerOp) []queen.TimerResult {
	t.Helper()
	results, err := t.Broker.ScheduleTimers(t.Context(), t.Token, ops)
	t.ok(err)
	if len(results) != len(ops) {
		t.Fatalf("%d operations, %d results", len(ops), len(results))
	}
	return results
}

func (t *T) schedule(queueName, key, lane string, delay time.Duration, text string) queen.TimerResult {
	t.Helper()
	op := timerOp(queen.TimerSchedule, queueName, key, delay)
	op.Partition, op.Payload = lane, str(text)
	r := t.timers(op)[0]
	t.want("accepted", r.OK, true)
	return r
}

func (t *T) cancel(queueName, key string) queen.TimerResult {
	t.Helper()
	r, err := t.Broker.CancelTimer(t.Context(), t.Token, queueName, key, "")
	t.ok(err)
	return r
}

func (t *T) list(queueName, after string, limit int) queen.TimerPage {
	t.Helper()
	page, err := t.Broker.ListTimers(t.Context(), t.Token, queueName, after, limit)
	t.ok(err)
	return page
}

func (t *T) count(queueName, prefix string) int {
	t.Helper()
	n, err := t.Broker.CountTimers(t.Context(), t.Token, queueName, prefix)
	t.ok(err)
	return n
}

func keysOf(page queen.TimerPage) []string {
	var keys []string
	for _, r := range page.Rows {
		keys = append(keys, r.Key)
	}
	return keys
}

// drain pops and completes until n messages have come.
func (t *T) drain(queueName string, n int) []queen.Message {
	t.Helper()
	var all []queen.Message
	t.eventually(fmt.Sprintf("%d messages in %s", n, queueName), func() bool {
		m := t.pop(queueName, 10)
		if len(m) > 0 {
			t.complete(m...)
		}
		all = append(all, m...)
		return len(all) >= n
	})
	t.want("messages", len(all), n)
	return all
}
