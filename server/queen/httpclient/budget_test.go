package httpclient

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// A broker whose budget is too small is named with the settings to raise, once
// in ten seconds for each of the two budgets.
func TestBudgetsAreNamed(t *testing.T) {
	ctx := context.Background()
	get := queen.KVOp{Op: queen.KVGet, NS: "ns", Key: "k"}
	put := queen.KVOp{Op: queen.KVPut, NS: "ns", Key: "k", Value: []byte("1"), Forever: true}
	timer := queen.TimerOp{Op: queen.TimerSchedule, Queue: "q", Key: "k", Txn: "t", Payload: []byte("1")}
	kv := func(ops ...queen.KVOp) func(*Client) error {
		return func(c *Client) error { _, err := c.KV(ctx, "", ops); return err }
	}
	transaction := func(tx queen.Transaction) func(*Client) error {
		return func(c *Client) error { _, err := c.Transaction(ctx, "", tx); return err }
	}
	for name, c := range map[string]struct {
		status int
		call   func(*Client) error
		names  string
	}{
		"a read":                {429, kv(get), "raise QUEEN_KV_READ_RATE and QUEEN_KV_READ_BURST"},
		"a write":               {429, kv(put), "raise QUEEN_KV_WRITE_RATE and QUEEN_KV_WRITE_BURST"},
		"a read and a write":    {429, kv(get, put), "raise QUEEN_KV_WRITE_RATE and QUEEN_KV_WRITE_BURST"},
		"a timer":               {429, func(c *Client) error { _, err := c.ScheduleTimers(ctx, "", []queen.TimerOp{timer}); return err }, "QUEEN_KV_WRITE_RATE"},
		"a transaction's rider": {429, transaction(queen.Transaction{KV: []queen.KVOp{put}}), "QUEEN_KV_WRITE_RATE"},
		"a plain transaction":   {429, transaction(queen.Transaction{Pushes: []queen.PushItem{{Queue: "q"}}}), ""},
		"another refusal":       {503, kv(put), ""},
		"a pop":                 {429, func(c *Client) error { _, err := c.Pop(ctx, "", queen.PopRequest{Queue: "q"}); return err }, ""},
	} {
		var log bytes.Buffer
		clk := clock.NewShifted()
		refusal := answer{status: c.status, body: `{"error":"rate_limited","reason":"rate_limited"}`}
		r := newRecorder(t, refusal, refusal, refusal, refusal)
		client, err := New(Config{URL: r.URL, Log: slog.New(slog.NewTextHandler(&log, nil)), Clock: clk})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		lines := func() int { return strings.Count(log.String(), "budget is too small") }
		for range 3 {
			if err := c.call(client); err == nil || !strings.Contains(err.Error(), "rate_limited") {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if c.names == "" {
			if lines() != 0 {
				t.Errorf("%s: %s", name, log.String())
			}
			continue
		}
		if lines() != 1 || !strings.Contains(log.String(), c.names) {
			t.Errorf("%s: %s", name, log.String())
		}
		clk.Advance(10 * time.Second)
		_ = c.call(client)
		if lines() != 2 || !strings.Contains(log.String(), "suppressed=2") {
			t.Errorf("%s, ten seconds later: %s", name, log.String())
		}
	}
}
