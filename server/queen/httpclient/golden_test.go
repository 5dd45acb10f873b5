package httpclient

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

func lane(s string) *string { return &s }

// Every request the gateway makes, byte for byte as the reference client writes
// it (method, path, query, member order).
func TestGoldenRequests(t *testing.T) {
	ctx := context.Background()
	value := json.RawMessage(`{"attributes":{}}`)
	num := func(s string) *json.Number { n := json.Number(s); return &n }
	tests := []struct {
		name string
		do   func(*Client)
		line string
		body string
	}{
		{"pop, short", func(c *Client) {
			c.Pop(ctx, "", queen.PopRequest{Queue: "orders", Batch: 1, Partitions: 1, LeaseSeconds: 30})
		}, "GET /api/v1/pop/queue/orders?batch=1&partitions=1&wait=false&leaseSeconds=30", ""},
		{"pop, long", func(c *Client) {
			c.Pop(ctx, "", queen.PopRequest{Queue: "orders", Batch: 1, Partitions: 1, LeaseSeconds: 30, Wait: 20 * time.Second})
		}, "GET /api/v1/pop/queue/orders?batch=1&partitions=1&wait=true&leaseSeconds=30&timeout=20000", ""},
		{"pop, fifo", func(c *Client) {
			c.Pop(ctx, "", queen.PopRequest{Queue: "orders.fifo", Batch: 10, Partitions: 1, LeaseSeconds: 30})
		}, "GET /api/v1/pop/queue/orders.fifo?batch=10&partitions=1&wait=false&leaseSeconds=30", ""},
		{"pop, lane", func(c *Client) {
			c.Pop(ctx, "", queen.PopRequest{Queue: "orders.fifo", Lane: lane("group 1"), Batch: 10})
		}, "GET /api/v1/pop/queue/orders.fifo/partition/group%201?batch=10&partitions=1&wait=false", ""},
		{"pop, group", func(c *Client) {
			c.Pop(ctx, "", queen.PopRequest{Queue: "q", Group: "a/b", Wait: time.Microsecond})
		}, "GET /api/v1/pop/queue/q?batch=1&partitions=1&wait=true&timeout=1&consumerGroup=a%2Fb", ""},
		{"odd names", func(c *Client) {
			c.Pop(ctx, "", queen.PopRequest{Queue: "a/b%2F+?#;&=*:~'\"\\.é\xff", Batch: 1})
		}, "GET /api/v1/pop/queue/a%2Fb%252F%2B%3F%23%3B%26%3D%2A%3A~%27%22%5C.%C3%A9%FF?batch=1&partitions=1&wait=false", ""},
		{"configure", func(c *Client) {
			opts := queen.DefaultOptions()
			opts.LeaseTime, opts.DeadLetterQueue, opts.RetentionSeconds, opts.RetentionEnabled = 30, false, 345600, true
			c.Configure(ctx, "", "orders", opts)
		}, "POST /api/v1/configure", `{"queue":"orders","priority":0,"leaseTime":30,"retryLimit":3,"retryDelay":1000,"maxSize":0,"ttl":3600,` +
			`"deadLetterQueue":false,"dlqAfterMaxRetries":true,"delayedProcessing":0,"windowBuffer":0,"retentionSeconds":345600,` +
			`"completedRetentionSeconds":0,"retentionEnabled":true,"encryptionEnabled":false,"maxWaitTimeSeconds":0,"minPopWaitTime":0,` +
			`"dedupWindowSeconds":3600}`},
		{"delete", func(c *Client) { c.DeleteQueue(ctx, "", "orders") }, "DELETE /api/v1/resources/queues/orders", ""},
		{"list", func(c *Client) { c.ListQueues(ctx, "") }, "GET /api/v1/resources/queues", ""},
		{"depth", func(c *Client) { c.Depth(ctx, "", "orders", "") }, "GET /api/v1/resources/queues/orders/depth?group=__QUEUE_MODE__", ""},
		{"push", func(c *Client) {
			c.Push(ctx, "", []queen.PushItem{
				{Queue: "orders", Partition: "3", Payload: []byte(`{ "b" : "<é\u00e9>", "n": 1e3 }`)},
				{Queue: "orders.fifo", Partition: "group-1", Payload: []byte(`{"b":"x"}`), TransactionID: queen.Txn("dedup-1")},
				{Queue: "q", TransactionID: queen.Txn("")},
			})
		}, "POST /api/v1/push", `{"items":[{"queue":"orders","partition":"3","payload":{ "b" : "<é\u00e9>", "n": 1e3 }},` +
			`{"queue":"orders.fifo","partition":"group-1","payload":{"b":"x"},"transactionId":"dedup-1"},` +
			`{"queue":"q","transactionId":""}]}`},
		{"ack", func(c *Client) {
			c.Ack(ctx, "", "", []queen.Ack{{TransactionID: "t", PartitionID: "p", Status: queen.Completed, LeaseID: "l", Group: "not here"}})
		}, "POST /api/v1/ack", `{"transactionId":"t","partitionId":"p","status":"completed","leaseId":"l"}`},
		{"ack with a group and a reason", func(c *Client) {
			c.Ack(ctx, "", "g", []queen.Ack{{TransactionID: "t", PartitionID: "p", Status: queen.DeadLetter, LeaseID: "l", Reason: "<bad>"}})
		}, "POST /api/v1/ack", `{"transactionId":"t","partitionId":"p","status":"dlq","leaseId":"l","error":"<bad>","consumerGroup":"g"}`},
		{"ack batch", func(c *Client) {
			c.Ack(ctx, "", "", []queen.Ack{
				{TransactionID: "a", PartitionID: "p", Status: queen.Completed, LeaseID: "l"},
				{TransactionID: "b", PartitionID: "p", Status: queen.Retry, LeaseID: "l"},
			})
		}, "POST /api/v1/ack/batch", `{"acknowledgments":[{"transactionId":"a","partitionId":"p","status":"completed","leaseId":"l"},` +
			`{"transactionId":"b","partitionId":"p","status":"retry","leaseId":"l"}]}`},
		{"ack batch with a group", func(c *Client) {
			c.Ack(ctx, "", "g", []queen.Ack{{TransactionID: "a", Group: "x"}, {TransactionID: "b"}})
		}, "POST /api/v1/ack/batch", `{"acknowledgments":[{"transactionId":"a","partitionId":""},{"transactionId":"b","partitionId":""}],"consumerGroup":"g"}`},
		{"extend", func(c *Client) { c.ExtendLease(ctx, "", "l", 60) }, "POST /api/v1/lease/l/extend", `{"seconds":60}`},
		{"kv put if absent", func(c *Client) {
			c.KV(ctx, "", []queen.KVOp{{Op: queen.KVPut, NS: "queen-sqs", Key: "qs:q:orders", Value: value, Forever: true, Expect: queen.Version(0)}})
		}, "POST /api/v1/kv", `{"operations":[{"op":"put","ns":"queen-sqs","key":"qs:q:orders","value":{"attributes":{}},"forever":true,"expect":0}]}`},
		{"kv put ttl", func(c *Client) {
			c.KV(ctx, "", []queen.KVOp{{Op: queen.KVPut, NS: "queen-sqs", Key: "qs:qdel:orders", Value: []byte(`{"ts":1}`), TTLSeconds: 60}})
		}, "POST /api/v1/kv", `{"operations":[{"op":"put","ns":"queen-sqs","key":"qs:qdel:orders","value":{"ts":1},"ttlSeconds":60}]}`},
		{"kv delete fenced", func(c *Client) {
			c.KV(ctx, "", []queen.KVOp{{Op: queen.KVDelete, NS: "queen-sqs", Key: "k", Expect: queen.Version(7)}})
		}, "POST /api/v1/kv", `{"operations":[{"op":"delete","ns":"queen-sqs","key":"k","expect":7}]}`},
		{"kv prefix", func(c *Client) {
			c.KV(ctx, "", []queen.KVOp{{Op: queen.KVGetPrefix, NS: "queen-sqs", Prefix: "qs:q:", Limit: 1000}})
		}, "POST /api/v1/kv", `{"operations":[{"op":"getPrefix","ns":"queen-sqs","prefix":"qs:q:","limit":1000}]}`},
		{"kv prefix continued", func(c *Client) {
			c.KV(ctx, "", []queen.KVOp{{Op: queen.KVGetPrefix, NS: "queen-sqs", Prefix: "qs:q:", Limit: 1000, After: "qs:q:<m>"}})
		}, "POST /api/v1/kv", `{"operations":[{"op":"getPrefix","ns":"queen-sqs","prefix":"qs:q:","limit":1000,"after":"qs:q:<m>"}]}`},
		{"kv incr", func(c *Client) {
			c.KV(ctx, "", []queen.KVOp{{Op: queen.KVIncr, NS: "n", Key: "k", Delta: "12345678901234567890", Max: num("0"), TTLSeconds: 9, Required: true}})
		}, "POST /api/v1/kv", `{"operations":[{"op":"incr","ns":"n","key":"k","delta":12345678901234567890,"max":0,"ttlSeconds":9,"required":true}]}`},
		{"timer", func(c *Client) {
			c.ScheduleTimers(ctx, "", []queen.TimerOp{{Op: queen.TimerSchedule, Queue: "compensations", Key: "saga:9137", Partition: "customer-42",
				Delay: 15 * time.Minute, Txn: "comp-9137", Payload: []byte(`{"sagaId":9137}`)}})
		}, "POST /api/v1/timers", `{"operations":[{"op":"schedule","queue":"compensations","timerKey":"saga:9137","partition":"customer-42",` +
			`"delayMs":900000,"txn":"comp-9137","payload":"eyJzYWdhSWQiOjkxMzd9"}]}`},
		{"timers without a payload, with an empty one, cancelled", func(c *Client) {
			c.ScheduleTimers(ctx, "", []queen.TimerOp{
				{Op: queen.TimerReschedule, Queue: "q", Key: "k", Delay: time.Microsecond, Txn: "t"},
				{Op: queen.TimerSchedule, Queue: "q", Key: "k2", Txn: "t", Payload: []byte{}},
				{Op: queen.TimerCancel, Queue: "q", Key: "k3"},
			})
		}, "POST /api/v1/timers", `{"operations":[{"op":"reschedule","queue":"q","timerKey":"k","delayMs":1,"txn":"t"},` +
			`{"op":"schedule","queue":"q","timerKey":"k2","delayMs":0,"txn":"t","payload":""},{"op":"cancel","queue":"q","timerKey":"k3"}]}`},
		{"timer list", func(c *Client) { c.ListTimers(ctx, "", "orders", "", 0) }, "GET /api/v1/timers/orders?limit=100", ""},
		{"timer list continued", func(c *Client) { c.ListTimers(ctx, "", "orders", "sqs.a&b", 7) }, "GET /api/v1/timers/orders?limit=7&after=sqs.a%26b", ""},
		{"timer count", func(c *Client) { c.CountTimers(ctx, "", "orders", "sqs.") }, "GET /api/v1/timers/orders?mode=count&prefix=sqs.", ""},
		{"timer cancel", func(c *Client) { c.CancelTimer(ctx, "", "orders", "sqs.5f0e", "") }, "DELETE /api/v1/timers/orders/sqs.5f0e", ""},
		{"timer cancel with txn", func(c *Client) { c.CancelTimer(ctx, "", "orders", "z/1", "a b") }, "DELETE /api/v1/timers/orders/z%2F1?txn=a%20b", ""},
		{"transaction, acks only", func(c *Client) {
			c.Transaction(ctx, "", queen.Transaction{Acks: []queen.Ack{{TransactionID: "t", PartitionID: "p", Status: queen.Completed, LeaseID: "l"}}})
		}, "POST /api/v1/transaction", `{"operations":[{"type":"ack","transactionId":"t","partitionId":"p","status":"completed","leaseId":"l"}],"kv":[]}`},
		{"transaction, all kinds", func(c *Client) {
			c.Transaction(ctx, "", queen.Transaction{
				Pushes: []queen.PushItem{{Queue: "orders-dlq", Partition: "5", Payload: []byte(`{"b": "x"}`)}, {Queue: "q", Payload: []byte(`1`), TransactionID: queen.Txn("d")}},
				Acks:   []queen.Ack{{TransactionID: "t", PartitionID: "p", Status: queen.Completed, LeaseID: "l", Group: "g"}, {TransactionID: "u", PartitionID: "p", Status: queen.Completed, LeaseID: "l"}},
				KV:     []queen.KVOp{{Op: queen.KVDelete, NS: "n", Key: "k"}},
			})
		}, "POST /api/v1/transaction", `{"operations":[{"type":"push","items":[{"queue":"orders-dlq","partition":"5","payload":{"b": "x"}},` +
			`{"queue":"q","payload":1,"transactionId":"d"}]},` +
			`{"type":"ack","transactionId":"t","partitionId":"p","status":"completed","leaseId":"l","consumerGroup":"g"},` +
			`{"type":"ack","transactionId":"u","partitionId":"p","status":"completed","leaseId":"l"}],"kv":[{"op":"delete","ns":"n","key":"k"}]}`},
		{"transaction, timers", func(c *Client) {
			c.Transaction(ctx, "", queen.Transaction{Timers: []queen.TimerOp{{Op: queen.TimerSchedule, Queue: "q", Key: "rider", Partition: "0", Delay: time.Hour, Txn: "t", Payload: []byte(`{"t":1}`)}}})
		}, "POST /api/v1/transaction", `{"operations":[],"kv":[],"timers":[{"op":"schedule","queue":"q","timerKey":"rider","partition":"0","delayMs":3600000,"txn":"t","payload":"eyJ0IjoxfQ=="}]}`},
		{"transaction, empty", func(c *Client) { c.Transaction(ctx, "", queen.Transaction{}) }, "POST /api/v1/transaction", `{"operations":[],"kv":[]}`},
		{"health", func(c *Client) { c.Health(ctx) }, "GET /health", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRecorder(t, answer{status: 204})
			tt.do(trusting(newClient(t, r.URL+"/")))
			got := r.requests()
			if len(got) != 1 {
				t.Fatalf("%d requests", len(got))
			}
			if got[0].line != tt.line {
				t.Errorf("asked\n%s\nwant\n%s", got[0].line, tt.line)
			}
			if got[0].body != tt.body {
				t.Errorf("sent\n%s\nwant\n%s", got[0].body, tt.body)
			}
			if ct := got[0].header.Get("Content-Type"); ct != "application/json" {
				t.Errorf("content type %q", ct)
			}
		})
	}
}

// The token belongs to the call.
func TestTokenPerCall(t *testing.T) {
	r := newRecorder(t, answer{status: 204}, answer{status: 204}, answer{status: 204})
	c := trusting(newClient(t, r.URL))
	for _, tok := range []queen.Token{"one", "", "two"} {
		c.Pop(context.Background(), tok, queen.PopRequest{Queue: "q"})
	}
	var got []string
	for _, a := range r.requests() {
		got = append(got, a.header.Get("Authorization"))
		for name := range a.header {
			if !strings.Contains("Authorization Content-Type User-Agent", name) {
				t.Errorf("header %s: %q", name, a.header.Get(name))
			}
		}
	}
	if want := "Bearer one||Bearer two"; strings.Join(got, "|") != want {
		t.Errorf("got %q", got)
	}
}

// What could only harm is refused before it is sent.
func TestRefusedHere(t *testing.T) {
	r := newRecorder(t)
	c := newClient(t, r.URL)
	ctx := context.Background()
	for name, do := range map[string]func() error{
		"push of no JSON": func() error {
			_, err := c.Push(ctx, "", []queen.PushItem{{Queue: "q", Payload: []byte(`1},{"queue":"other","payload":2`)}})
			return err
		},
		"push of no JSON in a transaction": func() error {
			_, err := c.Transaction(ctx, "", queen.Transaction{Pushes: []queen.PushItem{{Queue: "q", Payload: []byte(`hello`)}}})
			return err
		},
		"timer of no JSON": func() error {
			_, err := c.ScheduleTimers(ctx, "", []queen.TimerOp{{Op: queen.TimerSchedule, Queue: "q", Key: "k", Txn: "t", Payload: []byte("hello")}})
			return err
		},
		"KV value of no JSON": func() error {
			_, err := c.KV(ctx, "", []queen.KVOp{{Op: queen.KVPut, NS: "n", Key: "k", Value: []byte("{"), Forever: true}})
			return err
		},
		"count without a prefix": func() error { _, err := c.CountTimers(ctx, "", "q", ""); return err },
		"count with a long prefix": func() error {
			_, err := c.CountTimers(ctx, "", "q", strings.Repeat("x", 129))
			return err
		},
	} {
		var status *queen.StatusError
		if err := do(); !as(err, &status) || status.Code != 400 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(r.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// From 1.4 on a timer's payload that is no JSON is delivered as a JSON string.
func TestTextTimerOfALaterBroker(t *testing.T) {
	r := newRecorder(t, answer{status: 200, body: `{"results":[{"ok":true,"queue":"q","timerKey":"k"}]}`})
	c := newClient(t, r.URL)
	v := judge(healthAnswer{Health: queen.Health{Engine: "segments-rust", Version: "1.4.0"}})
	c.broker.known.Store(&v)
	_, err := c.ScheduleTimers(context.Background(), "", []queen.TimerOp{{Op: queen.TimerSchedule, Queue: "q", Key: "k", Txn: "t", Payload: []byte("hello")}})
	if err != nil || len(r.requests()) != 1 {
		t.Errorf("got %v after %d requests", err, len(r.requests()))
	}
}

// Nothing asked is nothing sent.
func TestEmptyLists(t *testing.T) {
	r := newRecorder(t)
	c := newClient(t, r.URL)
	ctx := context.Background()
	if _, err := c.Push(ctx, "", nil); err != nil {
		t.Error(err)
	}
	if _, err := c.Ack(ctx, "", "", nil); err != nil {
		t.Error(err)
	}
	if _, err := c.KV(ctx, "", nil); err != nil {
		t.Error(err)
	}
	if _, err := c.ScheduleTimers(ctx, "", nil); err != nil {
		t.Error(err)
	}
	if n := len(r.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
