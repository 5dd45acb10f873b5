package sqs

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
	"github.com/queen-mq/queen-sqs/server/receipt"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// benchService is a Service on an engine in memory.
func benchService(b *testing.B) (*Service, string) {
	b.Helper()
	clk := clock.System()
	engine, err := embedded.Open(embedded.Config{Clock: clk})
	if err != nil {
		b.Fatal(err)
	}
	s := New(Config{
		Broker: engine, Handles: receipt.New([]byte("0123456789abcdef"), clk), Clock: clk, Region: testRegion, Account: testAccount,
		Registry: registry.New(registry.Config{Broker: engine, Clock: clk, Region: testRegion, Account: testAccount}),
	})
	b.Cleanup(func() {
		s.Close()
		if err := engine.Close(); err != nil {
			b.Error(err)
		}
	})
	answer, err := s.createQueue(context.Background(), request("CreateQueue", params("QueueName", "bench")))
	if err != nil {
		b.Fatal(err)
	}
	return s, answer.Get("QueueUrl").Text()
}

func must(b *testing.B, h wire.Handler, action string, pairs ...any) *wire.Object {
	answer, err := h(context.Background(), request(action, params(pairs...)))
	if err != nil {
		b.Error(err)
	}
	return answer
}

func BenchmarkSend(b *testing.B) {
	s, url := benchService(b)
	body := strings.Repeat("x", 256)
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			must(b, s.sendMessage, "SendMessage", "QueueUrl", url, "MessageBody", body)
		}
	})
}

// BenchmarkReceiveDelete drains a backlog in receives of ten and batch deletes;
// an operation is one message.
func BenchmarkReceiveDelete(b *testing.B) {
	s, url := benchService(b)
	body := strings.Repeat("x", 256)
	for range b.N {
		must(b, s.sendMessage, "SendMessage", "QueueUrl", url, "MessageBody", body)
	}
	b.ReportAllocs()
	b.SetParallelism(8)
	b.ResetTimer()
	var left atomic.Int64
	left.Store(int64(b.N))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if left.Load() <= 0 {
				continue
			}
			got := messagesOf(must(b, s.receiveMessage, "ReceiveMessage", "QueueUrl", url, "MaxNumberOfMessages", 10))
			if len(got) == 0 {
				continue
			}
			left.Add(int64(-len(got)))
			var entries []*wire.Object
			for i, m := range got {
				entries = append(entries, entry(string(rune('a'+i)), "ReceiptHandle", m.handle()))
			}
			must(b, s.deleteMessageBatch, "DeleteMessageBatch", "QueueUrl", url, "Entries", entries)
		}
	})
}

func BenchmarkEmptyReceive(b *testing.B) {
	s, url := benchService(b)
	b.ReportAllocs()
	for b.Loop() {
		must(b, s.receiveMessage, "ReceiveMessage", "QueueUrl", url, "MaxNumberOfMessages", 10)
	}
}
