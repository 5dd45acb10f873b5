package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var bg = context.Background()

// open starts an engine that the test closes.
func open(t testing.TB, cfg Config) *Engine {
	t.Helper()
	e, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return e
}

func mustPush(t testing.TB, e *Engine, queueName, lane string, payloads ...string) []queen.PushResult {
	t.Helper()
	items := make([]queen.PushItem, len(payloads))
	for i, p := range payloads {
		items[i] = queen.PushItem{Queue: queueName, Partition: lane, Payload: json.RawMessage(fmt.Sprintf("%q", p)), TransactionID: queen.Txn(p)}
	}
	results, err := e.Push(bg, "", items)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func mustPop(t testing.TB, e *Engine, req queen.PopRequest) queen.PopResult {
	t.Helper()
	res, err := e.Pop(bg, "", req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func settle(t testing.TB, e *Engine, status queen.AckStatus, messages ...queen.Message) []queen.AckResult {
	t.Helper()
	acks := make([]queen.Ack, len(messages))
	for i, m := range messages {
		acks[i] = queen.Ack{TransactionID: m.TransactionID, PartitionID: m.PartitionID, LeaseID: m.LeaseID, Status: status}
	}
	results, err := e.Ack(bg, "", "", acks)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func TestSmoke(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		clk := clock.NewShifted()
		e := open(t, Config{Dir: dir, Clock: clk})
		mustPush(t, e, "q", "a", "one", "two")
		mustPush(t, e, "q", "b", "three")
		res := mustPop(t, e, queen.PopRequest{Queue: "q", Batch: 10, Partitions: 5})
		if len(res.Messages) != 3 {
			t.Fatalf("popped %d", len(res.Messages))
		}
		done := make(chan queen.PopResult)
		go func() {
			r, _ := e.Pop(bg, "", queen.PopRequest{Queue: "q", Batch: 10, Partitions: 5, Wait: 5 * time.Minute})
			done <- r
		}()
		for e.peek("q") == nil {
		}
		e.queues["q"].mu.Unlock()
		for parked := 0; parked == 0; {
			q := e.peek("q")
			parked = q.parked
			q.mu.Unlock()
		}
		clk.Advance(61 * time.Second)
		r := <-done
		if len(r.Messages) != 3 || r.Messages[0].Attempt != 2 {
			t.Fatalf("after expiry: %+v", r)
		}
		for _, v := range settle(t, e, queen.Completed, r.Messages...) {
			if !v.Success {
				t.Fatal(v)
			}
		}
		d, err := e.Depth(bg, "", "q", "")
		if err != nil || d.Pending != 0 {
			t.Fatal(d, err)
		}
	}
}
