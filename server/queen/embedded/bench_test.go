package embedded

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/queen-mq/queen-sqs/server/queen"
)

var benchBody = json.RawMessage(fmt.Sprintf("%q", make256()))

func make256() string {
	b := make([]byte, 254)
	for i := range b {
		b[i] = 'a' + byte(i%26)
	}
	return string(b)
}

// stores are what every benchmark runs on.
func stores(b *testing.B, run func(b *testing.B, e *Engine)) {
	b.Run("store=memory", func(b *testing.B) { run(b, open(b, Config{})) })
	b.Run("store=disk", func(b *testing.B) { run(b, open(b, Config{Dir: b.TempDir()})) })
}

// workers splits b.N over n goroutines.
func workers(b *testing.B, n int, work func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	for range n {
		group.Go(func() {
			for {
				i := next.Add(1)
				if i > int64(b.N) {
					return
				}
				work(int(i))
			}
		})
	}
	group.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msgs/s")
}

func BenchmarkPush(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("goroutines=%d", n), func(b *testing.B) {
			stores(b, func(b *testing.B, e *Engine) {
				standard(b, e)
				workers(b, n, func(i int) { benchPush(b, e, i) })
			})
		})
	}
}

func standard(b testing.TB, e *Engine) {
	opts := queen.DefaultOptions()
	opts.DedupWindowSeconds, opts.RetentionEnabled, opts.RetentionSeconds = 0, true, 345600
	if _, err := e.Configure(bg, "", "q", opts); err != nil {
		b.Fatal(err)
	}
}

func benchPush(b testing.TB, e *Engine, i int) {
	_, err := e.Push(bg, "", []queen.PushItem{{Queue: "q", Partition: fmt.Sprint(i % 64), Payload: benchBody}})
	if err != nil {
		b.Error(err)
	}
}

func benchTake(b testing.TB, e *Engine) int {
	res, err := e.Pop(bg, "", queen.PopRequest{Queue: "q", Batch: 1, Partitions: 1})
	if err != nil {
		b.Error(err)
		return 0
	}
	for _, m := range res.Messages {
		acks, err := e.Ack(bg, "", "", []queen.Ack{{TransactionID: m.TransactionID, PartitionID: m.PartitionID, LeaseID: m.LeaseID, Status: queen.Completed}})
		if err != nil || !acks[0].Success {
			b.Error(acks, err)
		}
	}
	return len(res.Messages)
}

// BenchmarkPopAck pops and acks from a backlog, one message a claim.
func BenchmarkPopAck(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("goroutines=%d", n), func(b *testing.B) {
			stores(b, func(b *testing.B, e *Engine) {
				standard(b, e)
				fillBacklog(b, e, b.N)
				workers(b, n, func(int) { benchTake(b, e) })
			})
		})
	}
}

// fillBacklog pushes n messages in requests of 500 over 64 lanes.
func fillBacklog(b testing.TB, e *Engine, n int) {
	var items []queen.PushItem
	for i := range n {
		items = append(items, queen.PushItem{Queue: "q", Partition: fmt.Sprint(i % 64), Payload: benchBody})
		if len(items) == 500 || i == n-1 {
			if _, err := e.Push(bg, "", items); err != nil {
				b.Fatal(err)
			}
			items = items[:0]
		}
	}
}

func BenchmarkIncr(b *testing.B) {
	for _, n := range []int{1, 16} {
		b.Run(fmt.Sprintf("goroutines=%d", n), func(b *testing.B) {
			stores(b, func(b *testing.B, e *Engine) {
				workers(b, n, func(int) {
					_, err := e.KV(bg, "", []queen.KVOp{{Op: queen.KVIncr, NS: "n", Key: "k", Delta: "1", Forever: true}})
					if err != nil {
						b.Error(err)
					}
				})
			})
		})
	}
}
