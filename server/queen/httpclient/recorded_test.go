package httpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// recorded are answers of a real Queen 1.3.0.
func recorded(t *testing.T, name string) answer {
	t.Helper()
	text, err := os.ReadFile("testdata/recorded-1.3.0.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Answers map[string]struct {
			Status     int
			Body       string
			RetryAfter string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	a, ok := file.Answers[name]
	if !ok {
		t.Fatalf("no recorded answer %q", name)
	}
	out := answer{status: a.Status, body: a.Body}
	if a.RetryAfter != "" {
		out.header = map[string]string{"Retry-After": a.RetryAfter}
	}
	return out
}

// show writes a result as a test can state it: times in UTC, no zero members.
func show(v any, err error) string {
	if err != nil {
		return fmt.Sprintf("%T: %v", err, err)
	}
	text, _ := json.Marshal(v)
	return string(text)
}

func TestRecordedAnswers(t *testing.T) {
	ctx := context.Background()
	push := func(n int) func(*Client) string {
		return func(c *Client) string {
			res, err := c.Push(ctx, "", make([]queen.PushItem, n))
			if err != nil {
				return show(nil, err)
			}
			var out []string
			for _, r := range res {
				out = append(out, fmt.Sprintf("%s %s %s %d", r.Status, r.MessageID[9:18], r.TransactionID, r.Offset))
			}
			return strings.Join(out, "; ")
		}
	}
	pop := func(c *Client) string {
		res, err := c.Pop(ctx, "", queen.PopRequest{Queue: "q"})
		if err != nil || len(res.Messages) == 0 {
			return show(len(res.Messages), err)
		}
		m := res.Messages[0]
		return fmt.Sprintf("%s %d %s %q %s %s %s %d %d", res.LeaseID[9:18], res.PartitionsClaimed, m.ID[9:18], m.Partition, m.PartitionID[:8],
			m.Payload, m.CreatedAt.Format(time.RFC3339Nano), m.Attempt, m.Offset)
	}
	ack := func(n int) func(*Client) string {
		return func(c *Client) string {
			res, err := c.Ack(ctx, "", "", make([]queen.Ack, n))
			if err != nil {
				return show(nil, err)
			}
			var out []string
			for _, r := range res {
				out = append(out, fmt.Sprintf("%s %v %.12s", r.TransactionID, r.Success, r.Error))
			}
			return strings.Join(out, "; ")
		}
	}
	kv := func(n int) func(*Client) string {
		return func(c *Client) string {
			ops := make([]queen.KVOp, n)
			res, err := c.KV(ctx, "", ops)
			if err != nil {
				return show(nil, err)
			}
			var out []string
			for _, r := range res {
				s := fmt.Sprintf("%s found=%v applied=%v %s %s v%d", r.Op, r.Found, r.Applied, r.Reason, r.Value, r.Version)
				if r.Op == queen.KVGetMany || r.Op == queen.KVGetPrefix {
					s = fmt.Sprintf("%s missing=%d truncated=%v next=%q", r.Op, len(r.Missing), r.Truncated, r.NextAfter)
				}
				for _, row := range r.Rows {
					s += fmt.Sprintf(" %s=%s v%d", row.Key[11:], row.Value, row.Version)
				}
				out = append(out, s)
			}
			return strings.Join(out, "; ")
		}
	}
	tx := func(pushes, acks, ops int) func(*Client) string {
		return func(c *Client) string {
			res, err := c.Transaction(ctx, "", queen.Transaction{
				Pushes: make([]queen.PushItem, pushes), Acks: make([]queen.Ack, acks), KV: make([]queen.KVOp, ops),
			})
			if err != nil {
				return show(nil, err)
			}
			out := fmt.Sprintf("%d %d %d", len(res.Pushes), len(res.Acks), len(res.KV))
			for _, r := range res.KV {
				out += fmt.Sprintf(" %s applied=%v %s v%d", r.Op, r.Applied, r.Reason, r.Version)
			}
			for _, r := range res.Acks {
				out += " " + r.TransactionID
			}
			return out
		}
	}
	del := func(c *Client) string { return show(c.DeleteQueue(ctx, "", "q")) }

	for _, tt := range []struct {
		name string
		do   func(*Client) string
		want string
	}{
		{"push: queued", push(3), "queued c34a-7000 t1 -1; queued c34a-7001 01a22d93-c34a-7001-a1eb-1634fa6d38c9 -1; queued c34a-7002 t3 -1"},
		{"push: duplicates and followers", push(4), "duplicate c34a-7000 t1 -1; queued c34e-7001 t4 -1; duplicate c34e-7001 t4 -1; duplicate c34a-7000 t1 -1"},
		{"push: queued", push(2), "*queen.BodyError: queen: unusable answer: 3 results for a request of 2"},
		{"push: refused", push(1), "*queen.StatusError: queen: status 400: {\"error\":\"bad body: missing field `payload` at line 1 column 37\"}"},
		{"pop: one message", pop, `cd19-7000 1 cd16-7000 "lane 1" 44c2a3a9 "x" 2026-11-30T17:49:50.744505Z 0 -1`},
		{"pop: empty", pop, "0"},
		{"pop: bad parameter", pop, "*queen.StatusError: queen: status 400: Failed to deserialize query string: invalid digit found in string"},
		{"pop: a timer payload that was no JSON", pop, "*queen.BodyError: queen: unusable answer: invalid character 'o' in literal null (expecting 'u')"},
		{"ack: batch", ack(4), "a1 true ; a0 true ; b1 true ; b0 true "},
		{"ack: batch with refusals", ack(3), "x true ; x false invalid or e; gone false unresolvable"},
		{"delete", del, "true"},
		{"delete: missing", del, "false"},
		{"depth: unknown queue", func(c *Client) string { return show(c.Depth(ctx, "", "q", "")) }, `*queen.StatusError: queen: status 404: {"error":"Queue not found"}`},
		{"kv: put exists", kv(1), `put found=false applied=false exists {"x":1} v25022`},
		{"kv: put absent", kv(1), "put found=false applied=false absent null v0"},
		{"kv: get", kv(1), "get found=true applied=false  1 v31021"},
		{"kv: get missing", kv(1), "get found=false applied=false   v0"},
		{"kv: incr limit", kv(1), "incr found=false applied=false limit 3 v20023"},
		{"kv: getMany", kv(1), `getMany missing=1 truncated=false next="" pre:a="a" v622 pre:b="b" v623 pre:b="b" v623`},
		{"kv: getPrefix", kv(1), `getPrefix missing=0 truncated=true next="pffa93381d:pre:a" pre:B="B" v621 pre:a="a" v622`},
		{"kv: keysOnly", kv(1), `getPrefix missing=0 truncated=true next="pffa93381d:pre:B" pre:B= v621`},
		{"kv: order", kv(4), `getMany missing=0 truncated=false next="" o1=1 v7629; get found=false applied=false   v0; ` +
			`put found=false applied=true  1 v7629; getPrefix missing=0 truncated=false next="" o1=1 v7629`},
		{"kv: required lost", kv(2), "*queen.PreconditionError: queen: key/value precondition lost: operation 1: exists"},
		{"kv: required lost, large", kv(1), "*queen.PreconditionError: queen: key/value precondition lost: operation -1: "},
		{"kv: rate", kv(1), `*queen.StatusError: queen: status 429: {"error":"rate_limited","reason":"rate_limited"}`},
		{"tx: duplicate", tx(2, 0, 1), `*queen.DuplicateError: queen: duplicate: QDUP duplicate messages in queue "pffa93381d-53" partition "0"; transaction rolled back`},
		{"tx: precondition", tx(3, 1, 2), "*queen.PreconditionError: queen: key/value precondition lost: operation 1: exists"},
		{"tx: committed with a lost KV", tx(1, 0, 1), "1 0 1 put applied=false exists v3633"},
		{"tx: ack rejected", tx(1, 1, 0), `*queen.BodyError: queen: unusable answer: ack_rejected: QTXN ack failed for partition 9e793513-53d9-491e-b22e-28fee31e47e6 group "__QUEUE_MODE__": invalid or expired lease; transaction rolled back`},
		{"tx: db error", tx(1, 1, 0), `*queen.BodyError: queen: unusable answer: db_error: invalid input syntax for type uuid: "7"`},
		{"tx: two acks", tx(0, 2, 0), "0 2 0 a1 b1"},
		{"tx: two acks", tx(1, 1, 0), "*queen.BodyError: queen: unusable answer: result 0 of a transaction is not the push of the request"},
		{"tx: committed with a lost KV", tx(1, 0, 2), "*queen.BodyError: queen: unusable answer: 2 results for a request of 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRecorder(t, recorded(t, tt.name))
			if got := tt.do(trusting(newClient(t, r.URL))); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestRecordedTimer(t *testing.T) {
	r := newRecorder(t, recorded(t, "timers: one scheduled"))
	res, err := newClient(t, r.URL).ScheduleTimers(context.Background(), "", []queen.TimerOp{{Op: queen.TimerSchedule, Queue: "pffa93381d-48", Key: "ghost"}})
	if err != nil || len(res) != 1 || !res[0].OK || res[0].Status != queen.TimerScheduled || res[0].MessageID != "01a22d94-37fc-7000-8654-9a9628ebcdfb" ||
		!res[0].DeliverAt.Equal(time.Date(2026, 11, 30, 17, 50, 18, 808725000, time.UTC)) {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestRecordedTimerRider(t *testing.T) {
	rider := queen.Transaction{Timers: []queen.TimerOp{{Op: queen.TimerSchedule, Queue: "pffa93381d-53", Key: "rider"}}}
	r := newRecorder(t, recorded(t, "tx: a timer"), recorded(t, "tx: a timer"))
	c := newClient(t, r.URL)
	res, err := c.Transaction(context.Background(), "", rider)
	if err != nil || len(res.Timers) != 1 || !res.Timers[0].OK || res.Timers[0].Status != queen.TimerScheduled || res.Timers[0].Txn != "txn-rider" ||
		res.Timers[0].MessageID != "01a22d94-8e21-7001-b226-14eda65112a7" {
		t.Errorf("got %+v, %v", res, err)
	}
	rider.Timers[0].Key = "another"
	_, err = c.Transaction(context.Background(), "", rider)
	wantBodyError(t, "another timer", err)
}

// The throttle of a transaction comes in its own envelope and names no time.
func TestRecordedRates(t *testing.T) {
	ctx := context.Background()
	r := newRecorder(t, recorded(t, "kv: rate"), recorded(t, "tx: rate"))
	c := newClient(t, r.URL)
	var status *queen.StatusError
	if _, err := c.KV(ctx, "", make([]queen.KVOp, 1)); !errors.As(err, &status) || status.Code != 429 || status.RetryAfter != time.Second {
		t.Errorf("KV: %v", err)
	}
	if _, err := c.Transaction(ctx, "", queen.Transaction{}); !errors.As(err, &status) || status.Code != 429 || status.HasRetryAfter {
		t.Errorf("transaction: %v", err)
	}
}

// 1.3.0 counts no leased messages in a depth; its queue detail does.
func TestRecordedDepth(t *testing.T) {
	detail := answer{status: 200, body: `{"name":"q","partitions":[{"name":"a","stats":{"pending":3,"processing":2}},{"name":"b","stats":{"pending":9,"processing":5}}],` +
		`"totals":{"pending":12,"processing":7}}`}
	r := newRecorder(t, recorded(t, "depth"), detail)
	d, err := newClient(t, r.URL).Depth(context.Background(), "", "a/b", "")
	if got := show(d, err); got != `{"Pending":4,"Processing":3,"Ready":1,"Hidden":0,"Lanes":[{"Partition":"a","Pending":3,"Processing":2,"Ready":1},{"Partition":"b","Pending":1,"Processing":1,"Ready":0}]}` {
		t.Errorf("got %s", got)
	}
	if got := r.requests(); got[1].line != "GET /api/v1/resources/queues/a%2Fb" {
		t.Errorf("asked %s", got[1].line)
	}
	gone := newRecorder(t, recorded(t, "depth"), recorded(t, "depth: unknown queue"))
	if got := show(newClient(t, gone.URL).Depth(context.Background(), "", "q", "")); !strings.Contains(got, "status 404") {
		t.Errorf("a queue deleted between the questions: %s", got)
	}
}
