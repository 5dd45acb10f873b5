package embedded

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// park starts a pop that waits and returns once it is parked, the n-th on its
// queue.
func park(t testing.TB, e *Engine, ctx context.Context, req queen.PopRequest, n int) <-chan queen.PopResult {
	t.Helper()
	if req.Wait == 0 {
		req.Wait = time.Hour
	}
	answer := make(chan queen.PopResult, 1)
	go func() {
		res, err := e.Pop(ctx, "", req)
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		answer <- res
	}()
	waitParked(e, req.Queue, n)
	return answer
}

// What falls due inside one Advance happens at its own instant: the parked pop
// claims when the lease expires, not when the jump is over, so its own lease is
// over as well by then.
func TestAnAdvanceHappensInOrder(t *testing.T) {
	clk := clock.NewShifted()
	e := open(t, Config{Clock: clk})
	mustPush(t, e, "q", "a", "one")
	mustPop(t, e, queen.PopRequest{Queue: "q", Batch: 1, LeaseSeconds: 10})
	parked := park(t, e, bg, queen.PopRequest{Queue: "q", Batch: 1, LeaseSeconds: 5, Wait: 20 * time.Second}, 1)
	clk.Advance(30 * time.Second)
	first := (<-parked).Messages[0]
	if first.Attempt != 2 {
		t.Fatalf("attempt %d", first.Attempt)
	}
	again := mustPop(t, e, queen.PopRequest{Queue: "q", Batch: 1}).Messages
	if len(again) != 1 || again[0].Attempt != 3 {
		t.Fatalf("%+v", again)
	}
}

func TestAWaitEndsAtItsInstant(t *testing.T) {
	clk := clock.NewShifted()
	e := open(t, Config{Clock: clk})
	parked := park(t, e, bg, queen.PopRequest{Queue: "q", Batch: 1, Wait: 20 * time.Second}, 1)
	clk.Advance(19 * time.Second)
	waitParked(e, "q", 1)
	clk.Advance(time.Second)
	if res := <-parked; len(res.Messages) != 0 || res.LeaseID != "" {
		t.Fatalf("%+v", res)
	}
}

// Parked pops are served in the order they came, wildcard and pinned alike.
func TestParkedPopsAreServedInOrder(t *testing.T) {
	e := open(t, Config{})
	lane := "a"
	wild := park(t, e, bg, queen.PopRequest{Queue: "q", Batch: 1}, 1)
	pinned := park(t, e, bg, queen.PopRequest{Queue: "q", Lane: &lane, Batch: 1}, 2)
	mustPush(t, e, "q", "a", "one")
	first := (<-wild).Messages[0]
	settle(t, e, queen.Completed, first)
	mustPush(t, e, "q", "b", "elsewhere")
	mustPush(t, e, "q", "a", "two")
	if got := (<-pinned).Messages[0].TransactionID; got != "two" {
		t.Fatalf("the pinned pop got %s", got)
	}
}

// A pinned pop may wait for a lane and a queue that do not exist; it makes
// neither.
func TestAPinnedPopWaitsForALaneToCome(t *testing.T) {
	e := open(t, Config{})
	lane := "a"
	ctx, cancel := context.WithCancel(bg)
	park(t, e, ctx, queen.PopRequest{Queue: "ghost", Lane: &lane, Batch: 1}, 1)
	if infos, err := e.ListQueues(bg, ""); err != nil || len(infos) != 0 {
		t.Fatal(infos, err)
	}
	parked := park(t, e, bg, queen.PopRequest{Queue: "ghost", Lane: &lane, Batch: 1}, 2)
	cancel()
	waitParked(e, "ghost", 1)
	mustPush(t, e, "ghost", "a", "one")
	if got := (<-parked).Messages[0].TransactionID; got != "one" {
		t.Fatal(got)
	}
}

// A parked pop outlives its queue and is answered by a later one of that name.
func TestAParkedPopOutlivesItsQueue(t *testing.T) {
	e := open(t, Config{})
	mustPush(t, e, "q", "a", "one")
	mustPop(t, e, queen.PopRequest{Queue: "q", Batch: 1})
	parked := park(t, e, bg, queen.PopRequest{Queue: "q", Batch: 1}, 1)
	if _, err := e.DeleteQueue(bg, "", "q"); err != nil {
		t.Fatal(err)
	}
	if infos, _ := e.ListQueues(bg, ""); len(infos) != 0 {
		t.Fatal("the parked pop kept the queue")
	}
	mustPush(t, e, "q", "a", "two")
	if got := (<-parked).Messages[0]; got.TransactionID != "two" || got.Offset != 0 || got.Attempt != 1 {
		t.Fatalf("%+v", got)
	}
}

// Whoever goes away while a claim is made for it has claimed nothing: the next in
// line gets the message, on its first delivery.
func TestACancelledPopPassesItsClaimOn(t *testing.T) {
	e := open(t, Config{})
	for i := range 200 {
		ctx, cancel := context.WithCancel(bg)
		name := fmt.Sprint("q", i)
		leaving := park(t, e, ctx, queen.PopRequest{Queue: name, Batch: 1}, 1)
		staying := park(t, e, bg, queen.PopRequest{Queue: name, Batch: 1}, 2)
		go cancel()
		mustPush(t, e, name, "a", "one")
		if res := <-leaving; len(res.Messages) == 1 {
			settle(t, e, queen.Retry, res.Messages[0])
			if got := (<-staying).Messages[0].Attempt; got != 2 {
				t.Fatalf("attempt %d after a release", got)
			}
			continue
		}
		if got := (<-staying).Messages[0].Attempt; got != 1 {
			t.Fatalf("attempt %d although nobody had received the message", got)
		}
	}
}

// hungUp is a context whose client goes away while its call is under way.
type hungUp struct {
	context.Context
	asked atomic.Int64
}

func (h *hungUp) Err() error {
	if h.asked.Add(1) == 1 {
		return nil
	}
	return context.Canceled
}

func TestAClaimForAClientThatHasGoneIsTakenBack(t *testing.T) {
	e := open(t, Config{})
	mustPush(t, e, "q", "a", "one")
	if _, err := e.Pop(&hungUp{Context: bg}, "", queen.PopRequest{Queue: "q", Batch: 1}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if m := mustPop(t, e, queen.PopRequest{Queue: "q", Batch: 1}).Messages; len(m) != 1 || m[0].Attempt != 1 {
		t.Fatalf("%+v", m)
	}
}

// Many producers and many consumers, parked and polling, lose nothing and
// deliver nothing twice.
func TestManyAtOnce(t *testing.T) {
	for _, cfg := range []Config{{}, {Dir: t.TempDir(), CachedBodyBytes: 1 << 10}} {
		e := open(t, cfg)
		const producers, each = 8, 150
		var done atomic.Int64
		var mu sync.Mutex
		seen := map[string]int{}
		ctx, cancel := context.WithCancel(bg)
		defer cancel()
		var group sync.WaitGroup
		for w := range 12 {
			group.Go(func() {
				for ctx.Err() == nil {
					req := queen.PopRequest{Queue: "q", Batch: 1 + w%4, Partitions: 1 + w%3, Wait: time.Duration(w%2) * time.Minute}
					res, err := e.Pop(ctx, "", req)
					if err != nil {
						continue
					}
					var acks []queen.Ack
					for _, m := range res.Messages {
						acks = append(acks, queen.Ack{TransactionID: m.TransactionID, PartitionID: m.PartitionID, LeaseID: m.LeaseID, Status: queen.Completed})
						mu.Lock()
						seen[m.TransactionID]++
						mu.Unlock()
					}
					verdicts, err := e.Ack(bg, "", "", acks)
					if err != nil {
						t.Error(err)
					}
					for _, v := range verdicts {
						if !v.Success {
							t.Error(v)
						}
					}
					if done.Add(int64(len(acks))) == producers*each {
						cancel()
					}
				}
			})
		}
		for p := range producers {
			group.Go(func() {
				for i := range each {
					mustPush(t, e, "q", fmt.Sprint((p+i)%7), fmt.Sprintf("%d-%d", p, i))
				}
			})
		}
		group.Wait()
		if len(seen) != producers*each {
			t.Fatalf("%d of %d messages", len(seen), producers*each)
		}
		for id, n := range seen {
			if n != 1 {
				t.Fatalf("%s was delivered %d times", id, n)
			}
		}
	}
}

// An idle long poll costs a goroutine and an entry, not a timer per lane or a
// scan.
func TestManyParkedPops(t *testing.T) {
	e := open(t, Config{})
	const n = 2000
	ctx, cancel := context.WithCancel(bg)
	var group sync.WaitGroup
	for i := range n {
		lane := fmt.Sprint(i)
		group.Go(func() {
			res, err := e.Pop(ctx, "", queen.PopRequest{Queue: "q", Lane: &lane, Batch: 1, Wait: time.Hour})
			if err == nil && res.Messages[0].TransactionID != lane {
				t.Errorf("lane %s got %s", lane, res.Messages[0].TransactionID)
			}
		})
	}
	waitParked(e, "q", n)
	for i := range n / 2 {
		mustPush(t, e, "q", fmt.Sprint(i), fmt.Sprint(i))
	}
	waitParked(e, "q", n/2)
	cancel()
	group.Wait()
	waitParked(e, "q", 0)
}

// Transactions over the same queues in every order neither deadlock nor tear.
func TestCrossingTransactions(t *testing.T) {
	e := open(t, Config{Dir: t.TempDir()})
	names := []string{"a", "b", "c", "d"}
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for i := range 50 {
				from, to := names[(w+i)%4], names[(w+3*i+1)%4]
				_, err := e.Transaction(bg, "", queen.Transaction{
					Pushes: []queen.PushItem{{Queue: from, Partition: "0", Payload: []byte("1")}, {Queue: to, Partition: "0", Payload: []byte("2")}},
					KV:     []queen.KVOp{{Op: queen.KVIncr, NS: "n", Key: "bundles", Delta: "1", Forever: true}},
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	total := int64(0)
	for _, name := range names {
		d, err := e.Depth(bg, "", name, "")
		if err != nil {
			t.Fatal(err)
		}
		total += d.Pending
	}
	res, err := e.KV(bg, "", []queen.KVOp{{Op: queen.KVGet, NS: "n", Key: "bundles"}})
	if err != nil || string(res[0].Value) != "400" || total != 800 {
		t.Fatalf("%d messages, %s bundles, %v", total, res[0].Value, err)
	}
}
