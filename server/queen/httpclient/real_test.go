package httpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/queen-mq/queen-sqs/ci/queenrig"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// real is a client of the real broker that ci/queen.sh run started.
func real(t *testing.T) *Client {
	t.Helper()
	rig, ok := queenrig.FromEnv()
	if !ok {
		t.Skip("not run: needs a real Queen broker; run it under ci/queen.sh run -- go test ./server/queen/httpclient")
	}
	return newClient(t, rig.URLs[0])
}

func queueName(t *testing.T) string {
	return "hc-" + strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")) + "-" + uuid.NewString()[:8]
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestRealMessages(t *testing.T) {
	c, ctx, q := real(t), context.Background(), queueName(t)
	opts := queen.DefaultOptions()
	opts.LeaseTime, opts.DedupWindowSeconds, opts.RetentionSeconds, opts.RetentionEnabled = 30, 60, 3600, true
	if got := must[queen.Options](t)(c.Configure(ctx, "", q, opts)); got != opts {
		t.Errorf("configured %+v", got)
	}
	caps := must[queen.Capabilities](t)(c.Capabilities(ctx))
	if caps.Version != queenrig.Version || caps.Offsets || caps.Attempts || caps.KeepsIDs {
		t.Errorf("capabilities %+v", caps)
	}

	payload := `{ "b" : "<\u00e9>", "n": 1.0e3, "b": 2 }`
	pushed := must[[]queen.PushResult](t)(c.Push(ctx, "", []queen.PushItem{
		{Queue: q, Partition: "a", Payload: []byte(payload), TransactionID: queen.Txn("t0")},
		{Queue: q, Partition: "a", Payload: []byte(`1`)},
		{Queue: q, Partition: "a", Payload: []byte(`2`), TransactionID: queen.Txn("t0")},
		{Queue: q, Partition: "a", Payload: []byte(`3`), TransactionID: queen.Txn("t3")},
	}))
	if pushed[0].Status != queen.Queued || pushed[2].Status != queen.Duplicate || pushed[2].MessageID != pushed[0].MessageID || pushed[0].Offset != queen.Unknown {
		t.Errorf("pushed %+v", pushed)
	}
	claim := must[queen.PopResult](t)(c.Pop(ctx, "", queen.PopRequest{Queue: q, Batch: 10, Partitions: 1, LeaseSeconds: 30}))
	if len(claim.Messages) != 3 || string(claim.Messages[0].Payload) != payload || claim.Messages[0].TransactionID != "t0" || claim.Messages[1].TransactionID != pushed[1].MessageID {
		t.Fatalf("claimed %+v", claim)
	}
	if minted, _ := mintedAt(claim.Messages[0].ID); !near(minted, claim.Messages[0].CreatedAt) {
		t.Errorf("created %v, its id %v", claim.Messages[0].CreatedAt, minted)
	}
	if d := must[queen.Depth](t)(c.Depth(ctx, "", q, "")); d.Pending != 3 || d.Processing != 3 || d.Ready != 0 || len(d.Lanes) != 1 {
		t.Errorf("depth %+v", d)
	}
	ack := func(i int, status queen.AckStatus) queen.Ack {
		m := claim.Messages[i]
		return queen.Ack{TransactionID: m.TransactionID, PartitionID: m.PartitionID, LeaseID: m.LeaseID, Status: status}
	}
	if got := must[[]queen.AckResult](t)(c.Ack(ctx, "", "", []queen.Ack{ack(0, queen.Completed)})); !got[0].Success {
		t.Errorf("acked %+v", got)
	}
	if l := must[queen.Lease](t)(c.ExtendLease(ctx, "", claim.LeaseID, 120)); l.Renewed != 1 || !near(l.ExpiresAt, time.Now().Add(2*time.Minute)) {
		t.Errorf("extended %+v", l)
	}
	// The lower member is completed, the other one released.
	if got := must[[]queen.AckResult](t)(c.Ack(ctx, "", "", []queen.Ack{ack(2, queen.Retry), ack(1, queen.Completed)})); !got[0].Success || got[0].TransactionID != "t3" || !got[1].Success {
		t.Errorf("acked %+v", got)
	}
	if l := must[queen.Lease](t)(c.ExtendLease(ctx, "", claim.LeaseID, 120)); l != (queen.Lease{}) {
		t.Errorf("a released lease was extended: %+v", l)
	}
	again := must[queen.PopResult](t)(c.Pop(ctx, "", queen.PopRequest{Queue: q, Lane: lane("a"), Batch: 10, Wait: 5 * time.Second}))
	if len(again.Messages) != 1 || again.Messages[0].TransactionID != "t3" {
		t.Errorf("claimed again %+v", again)
	}
	if got := must[[]queen.AckResult](t)(c.Ack(ctx, "", "", []queen.Ack{ack(2, queen.Completed)})); got[0].Success || got[0].Error != "invalid or expired lease" {
		t.Errorf("an old lease acked: %+v", got)
	}

	var listed bool
	for _, info := range must[[]queen.QueueInfo](t)(c.ListQueues(ctx, "")) {
		if info.Name == q {
			listed = info.Partitions == 1 && near(info.CreatedAt, time.Now())
		}
	}
	if !listed {
		t.Error("the queue is not listed")
	}
	if !must[bool](t)(c.DeleteQueue(ctx, "", q)) || must[bool](t)(c.DeleteQueue(ctx, "", q)) {
		t.Error("existed is wrong")
	}
	var status *queen.StatusError
	if _, err := c.Depth(ctx, "", q, ""); !errors.As(err, &status) || status.Code != http.StatusNotFound {
		t.Errorf("depth of nothing: %v", err)
	}
}

// A parked pop is answered by a push; one whose caller left claims nothing.
func TestRealParkedPop(t *testing.T) {
	c, ctx, q := real(t), context.Background(), queueName(t)
	must[queen.Options](t)(c.Configure(ctx, "", q, queen.DefaultOptions()))
	left, leave := context.WithCancel(ctx)
	gone := make(chan error, 1)
	go func() {
		_, err := c.Pop(left, "", queen.PopRequest{Queue: q, Batch: 1, Wait: 20 * time.Second, LeaseSeconds: 600})
		gone <- err
	}()
	for len(c.slots) == 0 {
		time.Sleep(time.Millisecond)
	}
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	got := make(chan queen.PopResult, 1)
	go func() {
		res, err := c.Pop(ctx, "", queen.PopRequest{Queue: q, Batch: 1, Wait: 20 * time.Second, LeaseSeconds: 600})
		if err != nil {
			t.Error(err)
		}
		got <- res
	}()
	for len(c.slots) == 0 {
		time.Sleep(time.Millisecond)
	}
	must[[]queen.PushResult](t)(c.Push(ctx, "", []queen.PushItem{{Queue: q, Partition: "x", Payload: []byte(`"only"`)}}))
	if res := <-got; len(res.Messages) != 1 || string(res.Messages[0].Payload) != `"only"` {
		t.Errorf("got %+v", res)
	}
	c.DeleteQueue(ctx, "", q)
}

func TestRealKV(t *testing.T) {
	c, ctx, key := real(t), context.Background(), queueName(t)
	op := func(o queen.KVOp) queen.KVResult {
		t.Helper()
		o.NS = "hc-test"
		return must[[]queen.KVResult](t)(c.KV(ctx, "", []queen.KVOp{o}))[0]
	}
	value := json.RawMessage(`{"a":"<b>"}`)
	first := op(queen.KVOp{Op: queen.KVPut, Key: key, Value: value, TTLSeconds: 600, Expect: queen.Version(0)})
	if !first.Applied || first.Version == 0 {
		t.Fatalf("put %+v", first)
	}
	if r := op(queen.KVOp{Op: queen.KVPut, Key: key, Value: value, TTLSeconds: 600, Expect: queen.Version(0)}); r.Applied || r.Reason != queen.KVExists || r.Version != first.Version {
		t.Errorf("put again %+v", r)
	}
	if r := op(queen.KVOp{Op: queen.KVGet, Key: key}); !r.Found || string(r.Value) != string(value) || !near(r.UpdatedAt, time.Now()) || !near(r.ExpiresAt, time.Now().Add(10*time.Minute)) {
		t.Errorf("get %+v", r)
	}
	if r := op(queen.KVOp{Op: queen.KVIncr, Key: key + ":n", Delta: "9007199254740993", TTLSeconds: 600}); string(r.Value) != "9007199254740993" {
		t.Errorf("incr %+v", r)
	}
	if r := op(queen.KVOp{Op: queen.KVGetPrefix, Prefix: key, Limit: 1}); len(r.Rows) != 1 || !r.Truncated || r.NextAfter != key {
		t.Errorf("prefix %+v", r)
	}
	if r := op(queen.KVOp{Op: queen.KVGetMany, Keys: []string{key, key + ":none"}}); len(r.Rows) != 1 || len(r.Missing) != 1 {
		t.Errorf("many %+v", r)
	}
	// The winner's value is too large for the details of the refusal.
	big, _ := json.Marshal(strings.Repeat("x", 5000))
	op(queen.KVOp{Op: queen.KVPut, Key: key + ":big", Value: big, TTLSeconds: 600})
	for k, index := range map[string]int{key: 1, key + ":big": -1} {
		_, err := c.KV(ctx, "", []queen.KVOp{
			{Op: queen.KVDelete, NS: "hc-test", Key: key + ":n"},
			{Op: queen.KVPut, NS: "hc-test", Key: k, Value: value, Forever: true, Expect: queen.Version(0), Required: true},
		})
		var lost *queen.PreconditionError
		if !errors.As(err, &lost) || lost.FailedIndex != index {
			t.Errorf("%s: %v", k, err)
		}
	}
	for _, k := range []string{key, key + ":n", key + ":big"} {
		if r := op(queen.KVOp{Op: queen.KVDelete, Key: k}); !r.Applied {
			t.Errorf("deleted %+v", r)
		}
	}
}

func TestRealTimers(t *testing.T) {
	c, ctx, q := real(t), context.Background(), queueName(t)
	const n = 150
	var ops []queen.TimerOp
	for i := range n {
		ops = append(ops, queen.TimerOp{Op: queen.TimerSchedule, Queue: q, Key: fmt.Sprintf("sqs.%03d", i), Partition: "0", Delay: time.Hour, Txn: "t", Payload: []byte(`1`)})
	}
	ops = append(ops, queen.TimerOp{Op: queen.TimerSchedule, Queue: q, Key: "a/other", Delay: time.Hour, Txn: "t", Payload: []byte{}},
		queen.TimerOp{Op: queen.TimerCancel, Queue: q, Key: "none"})
	res := must[[]queen.TimerResult](t)(c.ScheduleTimers(ctx, "", ops))
	if !res[0].OK || !near(res[0].DeliverAt, time.Now().Add(time.Hour)) || res[n+1].Status != queen.TimerAbsent {
		t.Errorf("scheduled %+v, cancelled %+v", res[0], res[n+1])
	}
	if got := must[int](t)(c.CountTimers(ctx, "", q, "sqs.")); got != n {
		t.Errorf("counted %d", got)
	}
	page := must[queen.TimerPage](t)(c.ListTimers(ctx, "", q, "a/other", 2))
	if len(page.Rows) != 2 || page.Rows[0].Key != "sqs.000" || !page.Truncated || page.NextAfter != "sqs.001" || page.Rows[0].MessageID != res[0].MessageID {
		t.Errorf("listed %+v", page)
	}
	if r := must[queen.TimerResult](t)(c.CancelTimer(ctx, "", q, "a/other", "")); !r.OK || r.Status != queen.TimerCancelled {
		t.Errorf("cancelled %+v", r)
	}
	for i := range ops {
		ops[i].Op = queen.TimerCancel
	}
	must[[]queen.TimerResult](t)(c.ScheduleTimers(ctx, "", ops))

	due := must[[]queen.TimerResult](t)(c.ScheduleTimers(ctx, "", []queen.TimerOp{
		{Op: queen.TimerSchedule, Queue: q, Key: "due", Partition: "p", Delay: time.Millisecond, Txn: "mine", Payload: []byte(`{ "x": 1 }`)},
	}))
	fired := must[queen.PopResult](t)(c.Pop(ctx, "", queen.PopRequest{Queue: q, Batch: 1, Wait: 20 * time.Second}))
	if len(fired.Messages) != 1 || fired.Messages[0].ID != due[0].MessageID || fired.Messages[0].TransactionID != "mine" || string(fired.Messages[0].Payload) != `{ "x": 1 }` {
		t.Errorf("fired %+v", fired)
	}
	c.DeleteQueue(ctx, "", q)
}

func TestRealTransaction(t *testing.T) {
	c, ctx, q := real(t), context.Background(), queueName(t)
	opts := queen.DefaultOptions()
	opts.DedupWindowSeconds = 60
	must[queen.Options](t)(c.Configure(ctx, "", q, opts))
	must[[]queen.PushResult](t)(c.Push(ctx, "", []queen.PushItem{{Queue: q, Partition: "0", Payload: []byte(`1`), TransactionID: queen.Txn("one")}}))
	m := must[queen.PopResult](t)(c.Pop(ctx, "", queen.PopRequest{Queue: q, Batch: 1})).Messages[0]
	ack := queen.Ack{TransactionID: m.TransactionID, PartitionID: m.PartitionID, LeaseID: m.LeaseID, Status: queen.Completed}
	put := queen.KVOp{Op: queen.KVPut, NS: "hc-test", Key: q, Value: []byte(`1`), TTLSeconds: 600, Expect: queen.Version(0), Required: true}
	moved := []queen.PushItem{{Queue: q + "-dlq", Partition: "0", Payload: []byte(`"moved"`)}, {Queue: q + "-dlq", Partition: "0", Payload: []byte(`2`)}}

	_, err := c.Transaction(ctx, "", queen.Transaction{Pushes: []queen.PushItem{{Queue: q, Partition: "0", Payload: []byte(`2`), TransactionID: queen.Txn("one")}}, Acks: []queen.Ack{ack}})
	var dup *queen.DuplicateError
	if !errors.As(err, &dup) {
		t.Errorf("duplicate: %v", err)
	}
	stale := ack
	stale.LeaseID = uuid.NewString()
	var body *queen.BodyError
	if _, err := c.Transaction(ctx, "", queen.Transaction{Pushes: moved, Acks: []queen.Ack{stale}}); !errors.As(err, &body) || body.Reason != "ack_rejected" {
		t.Errorf("stale ack: %v", err)
	}
	get := queen.KVOp{Op: queen.KVGet, NS: "hc-test", Key: q + ":other"}
	timers := []queen.TimerOp{{Op: queen.TimerSchedule, Queue: q, Key: "rider", Delay: time.Hour, Txn: "t", Payload: []byte(`1`)}, {Op: queen.TimerCancel, Queue: q, Key: "none"}}
	res := must[queen.TransactionResult](t)(c.Transaction(ctx, "", queen.Transaction{Pushes: moved, Acks: []queen.Ack{ack}, KV: []queen.KVOp{get, put}, Timers: timers}))
	if len(res.Timers) != 2 || res.Timers[0].Status != queen.TimerScheduled || !near(res.Timers[0].DeliverAt, time.Now().Add(time.Hour)) || res.Timers[1].Status != queen.TimerAbsent {
		t.Errorf("timers %+v", res.Timers)
	}
	must[queen.TimerResult](t)(c.CancelTimer(ctx, "", q, "rider", ""))
	if len(res.Pushes) != 2 || res.Pushes[1].Queue != q+"-dlq" || res.Pushes[1].MessageID == "" || !res.Acks[0].Success || res.KV[0].Found || !res.KV[1].Applied {
		t.Errorf("committed %+v", res)
	}
	var lost *queen.PreconditionError
	if _, err := c.Transaction(ctx, "", queen.Transaction{Pushes: moved, KV: []queen.KVOp{get, put}}); !errors.As(err, &lost) || lost.FailedIndex != 1 || lost.Reason != queen.KVExists {
		t.Errorf("precondition: %v", err)
	}
	if d := must[queen.Depth](t)(c.Depth(ctx, "", q+"-dlq", "")); d.Ready != 2 {
		t.Errorf("depth %+v", d)
	}
	must[[]queen.KVResult](t)(c.KV(ctx, "", []queen.KVOp{{Op: queen.KVDelete, NS: "hc-test", Key: q}}))
	c.DeleteQueue(ctx, "", q)
	c.DeleteQueue(ctx, "", q+"-dlq")
}

func TestRealOddNames(t *testing.T) {
	c, ctx, base := real(t), context.Background(), queueName(t)
	for _, odd := range []string{" a b", "/sl/ash", "%2F", "+", `"q"\`, "..", "?#;&=*:~", "é漢"} {
		q := base + odd
		must[[]queen.PushResult](t)(c.Push(ctx, "", []queen.PushItem{{Queue: q, Partition: odd, Payload: []byte(`1`)}}))
		res := must[queen.PopResult](t)(c.Pop(ctx, "", queen.PopRequest{Queue: q, Lane: &odd, Batch: 1}))
		if len(res.Messages) != 1 || res.Messages[0].Partition != odd {
			t.Errorf("%q: %+v", odd, res)
		}
		if d := must[queen.Depth](t)(c.Depth(ctx, "", q, "")); d.Pending != 1 || d.Processing != 1 {
			t.Errorf("%q: depth %+v", odd, d)
		}
		if !must[bool](t)(c.DeleteQueue(ctx, "", q)) {
			t.Errorf("%q was not deleted", odd)
		}
	}
}

// A rig of its own, whose database runs in another zone, loses its database and
// then its broker.
func TestRealFaults(t *testing.T) {
	if _, ok := queenrig.FromEnv(); !ok {
		t.Skip("not run: needs a real Queen broker; run it under ci/queen.sh run -- go test ./server/queen/httpclient")
	}
	rig, err := queenrig.Start(queenrig.Options{Postgres: map[string]string{"timezone": "America/New_York"}})
	if err != nil {
		t.Fatal(err)
	}
	defer rig.Close()
	clk := &still{now: time.Now()}
	c, err := New(Config{URL: rig.Brokers[0].URL, Log: slog.New(slog.DiscardHandler), Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	must[queen.Capabilities](t)(c.Capabilities(ctx))

	push := func() queen.PushResult {
		t.Helper()
		return must[[]queen.PushResult](t)(c.Push(ctx, "", []queen.PushItem{{Queue: "q", Partition: "0", Payload: []byte(`1`)}}))[0]
	}
	pop := func(lane *string) (queen.PopResult, error) {
		return c.Pop(ctx, "", queen.PopRequest{Queue: "q", Lane: lane, Batch: 1, LeaseSeconds: 600})
	}
	push()
	// Before anything was read from the key/value store, and after it.
	first := must[queen.PopResult](t)(pop(nil)).Messages[0]
	put := []queen.KVOp{{Op: queen.KVPut, NS: "n", Key: "k", Value: []byte(`1`), Forever: true}}
	must[[]queen.KVResult](t)(c.KV(ctx, "", put))
	must[[]queen.KVResult](t)(c.KV(ctx, "", []queen.KVOp{{Op: queen.KVGet, NS: "n", Key: "k"}}))
	if offset, known := c.zone.current(); !known || offset != -5*time.Hour && offset != -4*time.Hour {
		t.Errorf("offset %v", offset)
	}
	lease := must[queen.Lease](t)(c.ExtendLease(ctx, "", first.LeaseID, 700))
	timer := must[[]queen.TimerResult](t)(c.ScheduleTimers(ctx, "", []queen.TimerOp{{Op: queen.TimerSchedule, Queue: "q2", Key: "k", Delay: time.Hour, Txn: "t", Payload: []byte(`1`)}}))[0]
	ack := []queen.Ack{{TransactionID: first.TransactionID, PartitionID: first.PartitionID, LeaseID: first.LeaseID, Status: queen.Completed}}

	if err := rig.Postgres.Stop(); err != nil {
		t.Fatal(err)
	}
	if h := must[queen.Health](t)(c.Health(ctx)); h.Healthy() {
		t.Errorf("health %+v", h)
	}
	clk.now = clk.now.Add(believe)
	var status *queen.StatusError
	if _, err := pop(nil); !errors.As(err, &status) || status.Code != 503 {
		t.Errorf("wildcard pop: %v", err)
	}
	if _, err := pop(lane("0")); !errors.As(err, &status) || status.Code != 500 {
		t.Errorf("pinned pop: %v", err)
	}
	if r := push(); r.Status != queen.Buffered {
		t.Errorf("push: %+v", r)
	}
	if r := must[[]queen.AckResult](t)(c.Ack(ctx, "", "", ack)); !r[0].Retryable() {
		t.Errorf("ack: %+v", r)
	}
	if _, err := c.KV(ctx, "", put); !errors.As(err, &status) || status.Code != 503 || status.RetryAfter != time.Second {
		t.Errorf("KV: %v", err)
	}
	if err := rig.Postgres.Start(); err != nil {
		t.Fatal(err)
	}
	if r := must[[]queen.AckResult](t)(c.Ack(ctx, "", "", ack)); !r[0].Success {
		t.Errorf("the ack again: %+v", r)
	}
	push()
	second, err := c.Pop(ctx, "", queen.PopRequest{Queue: "q", Batch: 1, Wait: 20 * time.Second})
	if err != nil || len(second.Messages) != 1 {
		t.Fatalf("got %+v, %v", second, err)
	}
	for what, pair := range map[string][2]time.Time{
		"message before the offset was known": {first.CreatedAt, time.Now()},
		"message":                             {second.Messages[0].CreatedAt, time.Now()},
		"lease":                               {lease.ExpiresAt, time.Now().Add(700 * time.Second)},
		"timer":                               {timer.DeliverAt, time.Now().Add(time.Hour)},
	} {
		if !near(pair[0], pair[1]) {
			t.Errorf("%s: %v, want about %v", what, pair[0], pair[1])
		}
	}

	if err := rig.Brokers[0].Kill(); err != nil {
		t.Fatal(err)
	}
	var transport *queen.TransportError
	if _, err := c.Push(ctx, "", []queen.PushItem{{Queue: "q", Payload: []byte(`1`)}}); !errors.As(err, &transport) {
		t.Errorf("no broker: %v", err)
	}
	if caps := must[queen.Capabilities](t)(c.Capabilities(ctx)); caps.Version != queenrig.Version {
		t.Errorf("capabilities %+v", caps)
	}
	if err := rig.Brokers[0].Start(); err != nil {
		t.Fatal(err)
	}
	if r := push(); r.Status != queen.Queued {
		t.Errorf("push after a new start: %+v", r)
	}
}
