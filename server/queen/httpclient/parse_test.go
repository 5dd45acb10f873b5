package httpclient

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// once asks one question of a server that gives one answer.
func once(t *testing.T, status int, body string) *Client {
	t.Helper()
	return trusting(newClient(t, newRecorder(t, answer{status: status, body: body}).URL))
}

func wantBodyError(t *testing.T, name string, err error) {
	t.Helper()
	var body *queen.BodyError
	if !errors.As(err, &body) {
		t.Errorf("%s: got %v, want a body error", name, err)
	}
}

func TestAnswersThatDoNotAlign(t *testing.T) {
	ctx := context.Background()
	for name, body := range map[string]string{
		"short":       `[{"index":0,"message_id":"m"}]`,
		"long":        `[{"index":0,"message_id":"m"},{"index":1,"message_id":"m"},{"index":2,"message_id":"m"}]`,
		"twice":       `[{"index":0,"message_id":"m"},{"index":0,"message_id":"m"}]`,
		"no index":    `[{"index":0,"message_id":"m"},{"message_id":"m"}]`,
		"negative":    `[{"index":0,"message_id":"m"},{"index":-1,"message_id":"m"}]`,
		"beyond":      `[{"index":0,"message_id":"m"},{"index":2,"message_id":"m"}]`,
		"no array":    `{"index":0}`,
		"no JSON":     `<html>`,
		"nothing":     ``,
		"null":        `null`,
		"wrong index": `[{"index":"0"},{"index":"1"}]`,
	} {
		_, err := once(t, 201, body).Push(ctx, "", make([]queen.PushItem, 2))
		wantBodyError(t, "push "+name, err)
		_, err = once(t, 200, body).Ack(ctx, "", "", make([]queen.Ack, 2))
		wantBodyError(t, "ack "+name, err)
		_, err = once(t, 200, `{"results":`+either(body, "1")+`}`).KV(ctx, "", make([]queen.KVOp, 2))
		wantBodyError(t, "kv "+name, err)
	}
	_, err := once(t, 200, `{"results":[{"ok":true,"queue":"q","timerKey":"k"}]}`).ScheduleTimers(ctx, "", make([]queen.TimerOp, 2))
	wantBodyError(t, "timers short", err)
	_, err = once(t, 200, `{"results":[{"ok":true,"queue":"q","timerKey":"other"}]}`).ScheduleTimers(ctx, "", []queen.TimerOp{{Queue: "q", Key: "k"}})
	wantBodyError(t, "timers of another key", err)
}

func TestPushResults(t *testing.T) {
	ctx := context.Background()
	// Shuffled; later versions carry the offset; both spellings of the ids.
	res, err := once(t, 201, `[{"index":2,"message_id":"c","transaction_id":"tc","queueName":"q","status":"duplicate","offset":17},`+
		`{"index":0,"messageId":"a","transactionId":"ta","status":"queued","offset":0,"novel":1},{"index":1,"message_id":"b"},`+
		`{"index":3,"status":"queued"},{"index":4,"status":"buffered","message_id":"e"},{"index":5,"status":"failed","message_id":"f"},{"index":6,"status":"error"}]`).
		Push(ctx, "", []queen.PushItem{{Queue: "own"}, {}, {}, {}, {}, {}, {}})
	if err != nil {
		t.Fatal(err)
	}
	want := []queen.PushResult{
		{MessageID: "a", TransactionID: "ta", Queue: "own", Status: queen.Queued, Offset: 0},
		{MessageID: "b", Status: queen.Queued, Offset: queen.Unknown},
		{MessageID: "c", TransactionID: "tc", Queue: "q", Status: queen.Duplicate, Offset: 17},
		{Status: queen.PushError, Offset: queen.Unknown},
		{MessageID: "e", Status: queen.Buffered, Offset: queen.Unknown},
		{MessageID: "f", Status: queen.PushFailed, Offset: queen.Unknown},
		{Status: queen.PushError, Offset: queen.Unknown},
	}
	for i := range want {
		if res[i] != want[i] {
			t.Errorf("%d: got %+v, want %+v", i, res[i], want[i])
		}
	}
}

func TestPopAnswers(t *testing.T) {
	ctx := context.Background()
	pop := func(status int, body string) (queen.PopResult, error) {
		return once(t, status, body).Pop(ctx, "", queen.PopRequest{Queue: "q"})
	}
	for _, body := range []string{"", " \r\n\t", `{"messages":[]}`, `{"success":true,"leaseId":"l","messages":null}`} {
		res, err := pop(200, body)
		if err != nil || len(res.Messages) != 0 || res.LeaseID != "" {
			t.Errorf("%q: got %+v, %v", body, res, err)
		}
	}
	// Ids are opaque, later versions add two members, and a member that a message
	// leaves out is that of the claim.
	res, err := pop(200, `{"leaseId":"L","partition":"","partitionId":"17","partitionsClaimed":2,"messages":[`+
		`{"id":"m1","transactionId":"t1","data":{ "b" : "\u00e9" },"createdAt":"2026-09-11T10:00:00.123456Z","deliveryAttempt":3,"offset":0},`+
		`{"id":"m2","data":null,"partition":"p2","partitionId":"18","leaseId":"L2","createdAt":"?"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	m := res.Messages
	if res.LeaseID != "L" || res.PartitionsClaimed != 2 || len(m) != 2 ||
		m[0].PartitionID != "17" || m[0].LeaseID != "L" || m[0].Attempt != 3 || m[0].Offset != 0 || string(m[0].Payload) != `{ "b" : "\u00e9" }` ||
		!m[0].CreatedAt.Equal(time.Date(2026, 9, 11, 10, 0, 0, 123456000, time.UTC)) ||
		m[1].TransactionID != "m2" || m[1].Partition != "p2" || m[1].PartitionID != "18" || m[1].LeaseID != "L2" || m[1].Offset != queen.Unknown ||
		m[1].Attempt != 0 || string(m[1].Payload) != "null" || !m[1].CreatedAt.IsZero() {
		t.Errorf("got %+v", res)
	}
	for name, body := range map[string]string{
		"refused":      `{"success":false,"error":"pop failed"}`,
		"no lease":     `{"partitionId":"p","messages":[{"id":"m"}]}`,
		"no partition": `{"leaseId":"l","messages":[{"id":"m"}]}`,
		"no id":        `{"leaseId":"l","partitionId":"p","messages":[{}]}`,
		"no JSON":      `{"success":true,"messages":[{"data":secret words}]}`,
	} {
		_, err := pop(200, body)
		wantBodyError(t, name, err)
		if strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("%s: the error tells a message: %v", name, err)
		}
	}
}

func TestAckAnswers(t *testing.T) {
	res, err := once(t, 200, `[{"index":1,"transactionId":"b","success":false,"error":"pool"},{"index":0,"transactionId":"a","success":true,"error":null,"leaseReleased":true,"dlq":true,"noop":true},`+
		`{"index":2,"success":false,"error":"ack flush failed; lease will expire and redeliver"},{"index":3,"success":false},{"index":4,"success":false,"error":"no leased batch"},`+
		`{"index":5,"success":false,"error":"connection closed"}]`).
		Ack(context.Background(), "", "", make([]queen.Ack, 6))
	if err != nil {
		t.Fatal(err)
	}
	if want := (queen.AckResult{TransactionID: "a", Success: true, LeaseReleased: true, DLQ: true, Noop: true}); res[0] != want {
		t.Errorf("got %+v", res[0])
	}
	var retryable []bool
	for _, r := range res {
		retryable = append(retryable, r.Retryable())
	}
	if fmt.Sprint(retryable) != "[false true true true false true]" {
		t.Errorf("retryable: %v", retryable)
	}
	if res[3].Error == "" {
		t.Error("a refusal without a reason looks like a success")
	}
}

func TestLeaseAnswers(t *testing.T) {
	ctx := context.Background()
	l, err := once(t, 200, `{"renewed":2,"newExpiresAt":"2026-09-11T10:02:00.000000Z"}`).ExtendLease(ctx, "", "l", 1)
	if err != nil || l.Renewed != 2 || !l.ExpiresAt.Equal(time.Date(2026, 9, 11, 10, 2, 0, 0, time.UTC)) {
		t.Errorf("got %+v, %v", l, err)
	}
	l, err = once(t, 200, `{"success":false,"renewed":0,"newExpiresAt":null,"expiresAt":null}`).ExtendLease(ctx, "", "l", 1)
	if err != nil || l != (queen.Lease{}) {
		t.Errorf("got %+v, %v", l, err)
	}
}

func TestConfigureAnswers(t *testing.T) {
	ctx := context.Background()
	sent := queen.DefaultOptions()
	sent.LeaseTime = 31
	got, err := once(t, 200, `{"configured":true,"error":null,"options":{"leaseTime":30,"retentionSinkHold":""}}`).Configure(ctx, "", "q", sent)
	if want := sent; err != nil || got.RetryLimit != want.RetryLimit || got.LeaseTime != 30 {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err = once(t, 200, `{"configured":true}`).Configure(ctx, "", "q", sent); err != nil || got != sent {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, body := range []string{`{"configured":true,"error":"no"}`, `{"configured":false}`, `{}`} {
		_, err := once(t, 200, body).Configure(ctx, "", "q", sent)
		wantBodyError(t, body, err)
	}
}

func TestQueueAnswers(t *testing.T) {
	ctx := context.Background()
	queues, err := once(t, 200, `{"queues":[{"id":"1","name":"orders","createdAt":"2026-09-11T10:00:00.000Z","partitions":8,"messages":{"total":12}},{"name":"bare"}],"kvRows":4}`).ListQueues(ctx, "")
	if err != nil || len(queues) != 2 || queues[1].Name != "bare" ||
		queues[0] != (queen.QueueInfo{ID: "1", Name: "orders", CreatedAt: time.Date(2026, 9, 11, 10, 0, 0, 0, time.UTC), Partitions: 8, Messages: 12}) {
		t.Errorf("got %+v, %v", queues, err)
	}
	_, err = once(t, 200, `{"deleted":true,"error":"no"}`).DeleteQueue(ctx, "", "q")
	wantBodyError(t, "delete", err)
	existed, err := once(t, 200, `{"deleted":true}`).DeleteQueue(ctx, "", "q")
	if err != nil || !existed {
		t.Errorf("got %v, %v", existed, err)
	}
	// Later versions say it all in one answer, also what is leased out of nothing.
	for body, want := range map[string]string{
		`{"pending":12,"processing":3,"ready":9,"partitions":[{"partition":"0","pending":2,"processing":1,"ready":1}]}`: `{"Pending":12,"Processing":3,"Ready":9,"Hidden":0,"Lanes":[{"Partition":"0","Pending":2,"Processing":1,"Ready":1}]}`,
		`{"pending":5,"ready":4,"hidden":3}`: `{"Pending":5,"Processing":1,"Ready":4,"Hidden":3,"Lanes":[]}`,
		`{"pending":5,"processing":2}`:       `{"Pending":5,"Processing":2,"Ready":3,"Hidden":0,"Lanes":[]}`,
		`{"pending":0}`:                      `{"Pending":0,"Processing":0,"Ready":0,"Hidden":0,"Lanes":[]}`,
	} {
		if got := show(once(t, 200, body).Depth(ctx, "", "q", "")); got != want {
			t.Errorf("%s: got %s", body, got)
		}
	}
}

func TestKVRefusals(t *testing.T) {
	ctx := context.Background()
	for _, body := range []string{`{"ok":false,"reason":"kv_disabled"}`, `{"ok":false}`, `{"error":"db","results":[]}`, `{"results":[]}`, `{}`} {
		_, err := once(t, 200, body).KV(ctx, "", make([]queen.KVOp, 1))
		wantBodyError(t, body, err)
	}
	var lost *queen.PreconditionError
	for body, index := range map[string]int{
		`{"ok":false,"reason":"kv_precondition","failedIndex":1,"kvReason":"version","version":9,"value":{"a":0}}`: 1,
		`{"ok":false,"reason":"kv_precondition"}`:                  -1,
		`{"ok":false,"reason":"kv_precondition","failedIndex":2}`:  -1,
		`{"ok":false,"reason":"kv_precondition","failedIndex":-3}`: -1,
	} {
		_, err := once(t, 200, body).KV(ctx, "", make([]queen.KVOp, 2))
		if !errors.As(err, &lost) || lost.FailedIndex != index {
			t.Errorf("%s: got %v", body, err)
		}
		if index == 1 && (lost.Reason != queen.KVVersion || lost.Version != 9 || string(lost.Value) != `{"a":0}`) {
			t.Errorf("got %+v", lost)
		}
	}
}

func TestTransactionAnswers(t *testing.T) {
	ctx := context.Background()
	do := func(body string) (queen.TransactionResult, error) {
		return once(t, 200, body).Transaction(ctx, "", queen.Transaction{
			Pushes: []queen.PushItem{{Queue: "a"}, {Queue: "b"}, {Queue: "c"}}, Acks: make([]queen.Ack, 1), KV: make([]queen.KVOp, 2),
		})
	}
	push := func(i int) string {
		return fmt.Sprintf(`{"index":%d,"type":"push","success":true,"messageId":"m%d","transactionId":"t%d"}`, i, i, i)
	}
	ack := `{"index":3,"type":"ack","success":true,"transactionId":"x","error":null,"dlq":false}`
	kv := func(i, op int) string {
		return fmt.Sprintf(`{"index":%d,"opIndex":%d,"type":"kv","op":"put","applied":true,"key":"k%d","value":%d,"version":7}`, i, op, op, op)
	}
	answer := func(entries ...string) string {
		return `{"success":true,"results":[` + strings.Join(entries, ",") + `]}`
	}

	res, err := do(answer(kv(5, 1), ack, push(2), `{"index":0,"success":true,"messageId":"m0","duplicate":true,"offset":4}`, kv(4, 0), push(1)))
	if err != nil {
		t.Fatal(err)
	}
	if res.Pushes[0] != (queen.PushResult{MessageID: "m0", Queue: "a", Status: queen.Duplicate, Offset: 4}) ||
		res.Pushes[2] != (queen.PushResult{MessageID: "m2", TransactionID: "t2", Queue: "c", Status: queen.Queued, Offset: queen.Unknown}) ||
		!res.Acks[0].Success || res.Acks[0].TransactionID != "x" || res.KV[0].Key != "k0" || res.KV[1].Key != "k1" || !res.KV[1].Applied {
		t.Errorf("got %+v", res)
	}
	for name, body := range map[string]string{
		"short":            answer(push(0), push(1), push(2), ack, kv(4, 0)),
		"failed inside":    answer(push(0), push(1), push(2), strings.Replace(ack, "true", "false", 1), kv(4, 0), kv(5, 1)),
		"wrong slot":       answer(push(0), push(1), push(2), ack, kv(4, 1), kv(5, 0)),
		"wrong kinds":      answer(push(0), push(1), ack[:9]+"2"+ack[10:], push(3), kv(4, 0), kv(5, 1)),
		"a timer":          answer(push(0), push(1), push(2), ack, kv(4, 0), strings.Replace(kv(5, 1), `"kv"`, `"timer"`, 1)),
		"ack_rejected":     `{"success":false,"reason":"ack_rejected","error":"QTXN","results":[]}`,
		"rejected_ack":     `{"success":false,"reason":"rejected_ack","results":[]}`,
		"not saying":       `{"success":false}`,
		"not ok":           `{"ok":false}`,
		"nothing":          `{}`,
		"an ack among KV":  answer(push(0), push(1), push(2), ack, kv(4, 0), strings.Replace(kv(5, 1), `"kv"`, `"ack"`, 1)),
		"an answer of old": `[]`,
	} {
		_, err := do(body)
		wantBodyError(t, name, err)
	}
	// Three items and one ack stand before the first KV operation.
	for body, index := range map[string]int{
		`{"success":false,"ok":false,"reason":"kv_precondition","failedIndex":4,"kvReason":"version","version":3,"value":1}`: 0,
		`{"success":false,"ok":false,"reason":"kv_precondition","failedIndex":5}`:                                            1,
		`{"success":false,"ok":false,"reason":"kv_precondition","failedIndex":1}`:                                            -1,
		`{"success":false,"ok":false,"reason":"kv_precondition"}`:                                                            -1,
	} {
		var lost *queen.PreconditionError
		if _, err := do(body); !errors.As(err, &lost) || lost.FailedIndex != index {
			t.Errorf("%s: got %v", body, err)
		}
	}
	var dup *queen.DuplicateError
	if _, err := do(`{"success":false,"reason":"duplicate","error":"QDUP at offset 4"}`); !errors.As(err, &dup) || dup.Detail != "QDUP at offset 4" {
		t.Errorf("got %v", err)
	}
	// 2.x refuses while it has no leader.
	var status *queen.StatusError
	if _, err := once(t, 503, `{"error":"no leader","code":"no_leader"}`).Transaction(ctx, "", queen.Transaction{}); !errors.As(err, &status) || status.Code != 503 {
		t.Errorf("got %v", err)
	}
}

func TestTimerAnswers(t *testing.T) {
	ctx := context.Background()
	if n, err := once(t, 200, `{"count":3}`).CountTimers(ctx, "", "q", "sqs."); err != nil || n != 3 {
		t.Errorf("got %d, %v", n, err)
	}
	for _, body := range []string{`{}`, `{"error":"x"}`} {
		_, err := once(t, 200, body).CountTimers(ctx, "", "q", "sqs.")
		wantBodyError(t, body, err)
	}
	res, err := once(t, 200, `{"ok":false,"status":"absent","queue":"q","timerKey":"k","txn":"T"}`).CancelTimer(ctx, "", "q", "k", "T")
	if err != nil || res != (queen.TimerResult{Status: queen.TimerAbsent, Queue: "q", Key: "k", Txn: "T"}) {
		t.Errorf("got %+v, %v", res, err)
	}
	_, err = once(t, 200, `{}`).CancelTimer(ctx, "", "q", "k", "")
	wantBodyError(t, "cancel", err)
	page, err := once(t, 200, `{"rows":[{"txn":"t","queue":"q","timerKey":"k","createdAt":"2026-11-30T17:50:11.691653Z","deliverAt":"2026-11-30T18:50:11.691653Z","messageId":"m","partition":"0","updatedAt":"2026-11-30T17:50:11.691653Z"}],"truncated":true,"nextAfter":"k"}`).
		ListTimers(ctx, "", "q", "", 1)
	if err != nil || len(page.Rows) != 1 || !page.Truncated || page.NextAfter != "k" || page.Rows[0].DeliverAt.Sub(page.Rows[0].CreatedAt) != time.Hour || page.Rows[0].MessageID != "m" {
		t.Errorf("got %+v, %v", page, err)
	}
}

// 1.3.0 answers a list where a count was asked for.
func TestCountByPaging(t *testing.T) {
	rows := func(next string, keys ...string) answer {
		var out []string
		for _, k := range keys {
			out = append(out, `{"timerKey":"`+k+`"}`)
		}
		after := "null"
		if next != "" {
			after = `"` + next + `"`
		}
		return answer{status: 200, body: fmt.Sprintf(`{"rows":[%s],"truncated":%v,"nextAfter":%s}`, strings.Join(out, ","), next != "", after)}
	}
	r := newRecorder(t, rows("sqs.1", "B", "a", "sqs", "sqs.", "sqs.1"), rows("sqs/3", "sqs.2", "sqs.3", "sqs/3"))
	n, err := newClient(t, r.URL).CountTimers(context.Background(), "", "q", "sqs.")
	if err != nil || n != 4 {
		t.Errorf("got %d, %v", n, err)
	}
	got := r.requests()
	if len(got) != 2 || got[1].line != "GET /api/v1/timers/q?limit=1000&after=sqs.1" {
		t.Errorf("asked %v", got)
	}
	if n, err := newClient(t, newRecorder(t, rows("")).URL).CountTimers(context.Background(), "", "q", "sqs."); err != nil || n != 0 {
		t.Errorf("no timers: got %d, %v", n, err)
	}
	if _, err := newClient(t, newRecorder(t, rows("sqs.1", "sqs.1"), answer{status: 429}).URL).CountTimers(context.Background(), "", "q", "sqs."); err == nil {
		t.Error("half a count was answered")
	}
}
