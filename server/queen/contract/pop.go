package contract

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

var popCases = []testCase{
	{"6.2", "shape of a pop", func(t *T) {
		q := t.configured()
		t.push(q, "3", "one", "two")
		res := t.popReq(queen.PopRequest{Queue: q, Batch: 10, Partitions: 1})
		t.want("partitions claimed", res.PartitionsClaimed, 1)
		if !isUUID(res.LeaseID, '7') {
			t.Fatalf("lease id %q", res.LeaseID)
		}
		for i, m := range res.Messages {
			if m.LeaseID != res.LeaseID || m.Partition != "3" || m.PartitionID == "" || m.CreatedAt.IsZero() {
				t.Fatalf("%+v", m)
			}
			if t.caps.Offsets {
				t.want("offset", m.Offset, i)
			} else {
				t.want("offset", m.Offset, queen.Unknown)
			}
			if t.caps.Attempts {
				t.want("attempt", m.Attempt, 1)
			}
			if r := m.CreatedAt.Nanosecond() % 1000; r != 0 {
				t.Fatalf("createdAt %v is finer than microseconds", m.CreatedAt)
			}
		}
		t.want("ids", texts(res.Messages), "one two")
	}},
	{"6.2", "nothing available is an empty claim", func(t *T) {
		q := t.configured()
		res := t.popReq(queen.PopRequest{Queue: q, Batch: 10, Partitions: 1})
		t.want("claim", []any{res.LeaseID, len(res.Messages)}, []any{"", 0})
		t.want("lane that does not exist", len(t.popLane(q, "none", 1, 30)), 0)
	}},
	{"6.2", "a batch below 1 reads as 1", func(t *T) {
		q := t.configured()
		t.push(q, "0", "one", "two")
		t.want("batch 0", texts(t.popReq(queen.PopRequest{Queue: q, Partitions: 1}).Messages), "one")
	}},
}

var claimCases = []testCase{
	{"6.3", "one lease, lanes within the width, a batch shared by all", func(t *T) {
		q := t.configured()
		for _, lane := range []string{"a", "b", "c"} {
			t.push(q, lane, lane+"0", lane+"1", lane+"2", lane+"3")
		}
		res := t.popReq(queen.PopRequest{Queue: q, Batch: 6, Partitions: 3, LeaseSeconds: 30})
		t.want("lanes", res.PartitionsClaimed, 2)
		t.want("messages", len(res.Messages), 6)
		if !t.differs("6.3 random lanes") {
			t.want("order", texts(res.Messages), "a0 a1 a2 a3 b0 b1")
		}
		last := res.Messages[5].Partition
		var rest []queen.Message
		t.eventually("the lane that was not claimed is found", func() bool { rest = t.pop(q, 10); return len(rest) > 0 })
		t.want("the next pop", len(rest), 4)
		t.want("a third pop", len(t.pop(q, 10)), 0)
		t.complete(res.Messages...)
		t.eventually("what is left is found", func() bool { rest = t.pop(q, 10); return len(rest) > 0 })
		t.want("what is left", texts(rest), last+"2 "+last+"3")
	}},
	{"6.3", "claimable lanes are served first come, first served", func(t *T) {
		if t.differs("6.3 random lanes") {
			t.Skip("no order is promised by this target")
		}
		q := t.configured()
		for i := range 24 {
			t.push(q, fmt.Sprint(i), fmt.Sprint(i))
		}
		for i := range 24 {
			t.want("pop", texts(t.pop(q, 1)), i)
		}
	}},
	{"6.3", "eight poppers find everything in 64 lanes once", func(t *T) {
		q := t.configured()
		for i := range 64 {
			t.push(q, fmt.Sprint(i), fmt.Sprint(i))
		}
		var mu sync.Mutex
		var group sync.WaitGroup
		found := map[string]int{}
		for range 8 {
			group.Go(func() {
				for misses := 0; misses < 20; {
					res, err := t.Broker.Pop(t.Context(), t.Token, queen.PopRequest{Queue: q, Batch: 1, Partitions: 1, LeaseSeconds: 60})
					if err != nil || len(res.Messages) == 0 {
						misses++
						continue
					}
					mu.Lock()
					found[res.Messages[0].TransactionID]++
					mu.Unlock()
				}
			})
		}
		group.Wait()
		t.want("distinct messages", len(found), 64)
		for id, n := range found {
			t.want("deliveries of "+id, n, 1)
		}
	}},
	{"6.3", "a wildcard pop makes an unknown queue, a pinned one does not", func(t *T) {
		wild, pinned := t.queue(), t.queue()
		t.want("wildcard", len(t.pop(wild, 1)), 0)
		t.pending(wild, 0)
		t.want("pinned", len(t.popLane(pinned, "0", 1, 30)), 0)
		_, err := t.Broker.Depth(t.Context(), t.Token, pinned, queen.DefaultGroup)
		t.status(err, 404)
	}},
	{"6.3", "a lease blocks its lane for everybody", func(t *T) {
		q := t.configured()
		t.push(q, "0", "one", "two")
		held := t.popLane(q, "0", 1, 2)
		t.want("wildcard", len(t.pop(q, 1)), 0)
		t.want("pinned", len(t.popLane(q, "0", 1, 30)), 0)
		t.pass(2200 * time.Millisecond)
		var again []queen.Message
		t.eventually("the expired lease is noticed", func() bool { again = t.popLane(q, "0", 2, 30); return len(again) > 0 })
		t.want("again", texts(again), "one two")
		if again[0].LeaseID == held[0].LeaseID {
			t.Fatal("the lease id was used again")
		}
	}},
	{"6.3", "groups are independent", func(t *T) {
		q := t.configured()
		inOther := queen.PopRequest{Queue: q, Batch: 1, Partitions: 1, LeaseSeconds: 30, Group: "other"}
		// A named group begins at its first contact: Queen 1.3.0 answers 204 to a
		// pop with consumerGroup=other and no subscriptionMode while older messages
		// are there, and delivers what is pushed from then on.
		t.want("first contact", len(t.popReq(inOther).Messages), 0)
		t.push(q, "0", "one")
		t.want("default group", texts(t.pop(q, 1)), "one")
		var other []queen.Message
		t.eventually("another group pops the same message", func() bool {
			other = t.popReq(inOther).Messages
			return len(other) > 0
		})
		t.want("another group", texts(other), "one")
		t.want("ack in the wrong group", t.ackGroup("third", ack(other[0], queen.Completed))[0].Error, "consumer not found")
		t.want("ack", t.ackGroup("other", ack(other[0], queen.Completed))[0].Success, true)
		t.pending(q, 1)
	}},
	{"6.3", "delayedProcessing hides the young suffix of a lane", func(t *T) {
		q := t.configured(func(o *queen.Options) { o.DelayedProcessing = 2 })
		t.push(q, "0", "old")
		t.want("before 2 s", len(t.pop(q, 10)), 0)
		t.pass(1200 * time.Millisecond)
		t.push(q, "0", "young")
		t.pass(1200 * time.Millisecond)
		t.want("old is 2.4 s, young 1.2 s old", texts(t.popLane(q, "0", 10, 30)), "old")
	}},
	{"6.3", "a delay that is taken back shows its messages at once", func(t *T) {
		q := t.configured(func(o *queen.Options) { o.DelayedProcessing = 300 })
		t.push(q, "0", "x")
		t.want("hidden", len(t.pop(q, 1)), 0)
		t.configure(q)
		t.want("visible", texts(t.popLane(q, "0", 1, 30)), "x")
	}},
	{"6.3", "a lease can last for hours", func(t *T) {
		t.movable()
		q := t.configured()
		t.push(q, "0", "x")
		t.popLane(q, "0", 1, 43200)
		t.pass(11 * time.Hour)
		t.want("after 11 hours", len(t.pop(q, 1)), 0)
		t.pass(time.Hour + time.Second)
		t.want("after 12 hours", texts(t.pop(q, 1)), "x")
	}},
}

var attemptCases = []testCase{
	{"6.4", "a claim that expires or is released counts, a completed one starts anew", func(t *T) {
		t.counted()
		q := t.configured()
		t.push(q, "0", "one", "two")
		attempt := func(want int, ids string) []queen.Message {
			t.Helper()
			m := t.popLane(q, "0", 2, 2)
			t.want("claim", texts(m), ids)
			for i := range m {
				t.want("attempt", m[i].Attempt, want)
			}
			return m
		}
		attempt(1, "one two")
		t.pass(2500 * time.Millisecond)
		m := attempt(2, "one two")
		t.acks(ack(m[0], queen.Retry))
		m = attempt(3, "one two")
		t.complete(m...)
		t.push(q, "0", "three")
		attempt(1, "three")
	}},
	{"6.4", "the rest of a partly completed batch keeps the count", func(t *T) {
		t.counted()
		q := t.configured()
		t.push(q, "0", "one", "two")
		m := t.popLane(q, "0", 2, 2)
		t.complete(m[0])
		t.pass(2500 * time.Millisecond)
		m = t.popLane(q, "0", 2, 30)
		t.want("rest", texts(m), "two")
		t.want("attempt", m[0].Attempt, 2)
		t.acks(ack(m[0], queen.Retry))
		t.want("attempt", t.popLane(q, "0", 1, 30)[0].Attempt, 3)
	}},
	{"6.4", "part completed and part released in one call keeps the count", func(t *T) {
		t.counted()
		q := t.configured()
		t.push(q, "0", "one", "two")
		m := t.popLane(q, "0", 2, 30)
		t.acks(ack(m[0], queen.Completed), ack(m[1], queen.Retry))
		again := t.popLane(q, "0", 2, 30)
		t.want("rest", texts(again), "two")
		t.want("attempt", again[0].Attempt, 2)
	}},
}

// counted skips a case about delivery counts where there are none.
func (t *T) counted() {
	t.Helper()
	if !t.caps.Attempts {
		t.Skip("this target tells no delivery count (difference 6.2 attempt)")
	}
}

var waitCases = []testCase{
	{"6.5", "a push wakes a parked pop, wildcard and pinned, old lane and new", func(t *T) {
		q := t.configured()
		lane := "0"
		for _, req := range []queen.PopRequest{{Queue: q, Batch: 1, Partitions: 1}, {Queue: q, Lane: &lane, Batch: 1, Partitions: 1}} {
			for _, text := range []string{"one", "two"} {
				arrived := t.parked(req)
				t.push(q, lane, text)
				m := t.arrives(arrived)
				t.want("woken by", texts(m), text)
				t.complete(m...)
			}
		}
	}},
	{"6.5", "a push inside a transaction wakes a parked pop", func(t *T) {
		q := t.configured()
		arrived := t.parked(queen.PopRequest{Queue: q, Batch: 1, Partitions: 1})
		t.transact(queen.Transaction{Pushes: []queen.PushItem{msg(q, "0", "one")}})
		t.want("woken by", texts(t.arrives(arrived)), "one")
	}},
	{"6.5", "a release wakes a parked pop", func(t *T) {
		q := t.configured()
		t.push(q, "0", "one")
		lane := "0"
		for _, req := range []queen.PopRequest{{Queue: q, Batch: 1, Partitions: 1}, {Queue: q, Lane: &lane, Batch: 1, Partitions: 1}} {
			held := t.popLane(q, lane, 1, 60)
			arrived := t.parked(req)
			t.acks(ack(held[0], queen.Retry))
			m := t.arrives(arrived)
			t.want("woken by", texts(m), "one")
			t.acks(ack(m[0], queen.Retry))
		}
	}},
	{"6.5", "the ack of the lane's lease wakes a pop for the next message", func(t *T) {
		q := t.configured()
		t.push(q, "0", "one", "two")
		held := t.popLane(q, "0", 1, 60)
		arrived := t.parked(queen.PopRequest{Queue: q, Batch: 1, Partitions: 1})
		t.complete(held...)
		t.want("woken by", texts(t.arrives(arrived)), "two")
	}},
	{"6.5", "an expired lease wakes a parked pop", func(t *T) {
		q := t.configured()
		t.push(q, "0", "one")
		t.popLane(q, "0", 1, 2)
		arrived := t.parked(queen.PopRequest{Queue: q, Batch: 1, Partitions: 1})
		t.pass(2100 * time.Millisecond)
		t.want("woken by", texts(t.arrives(arrived)), "one")
	}},
	{"6.5", "the end of a delay wakes a parked pop", func(t *T) {
		q := t.configured(func(o *queen.Options) { o.DelayedProcessing = 1 })
		t.push(q, "0", "one")
		arrived := t.parked(queen.PopRequest{Queue: q, Batch: 1, Partitions: 1})
		t.pass(1100 * time.Millisecond)
		t.want("woken by", texts(t.arrives(arrived)), "one")
	}},
	{"6.5", "a fired timer wakes a parked pop", func(t *T) {
		q := t.configured()
		arrived := t.parked(queen.PopRequest{Queue: q, Batch: 1, Partitions: 1})
		t.schedule(q, "k", "0", 500*time.Millisecond, "one")
		t.pass(600 * time.Millisecond)
		t.want("woken by", texts(t.arrives(arrived)), "txn-k")
	}},
	{"6.5", "a wait that is over is an empty claim", func(t *T) {
		q := t.configured()
		done := make(chan queen.PopResult, 1)
		go func() {
			res, err := t.Broker.Pop(t.Context(), t.Token, queen.PopRequest{Queue: q, Batch: 1, Partitions: 1, Wait: time.Second})
			if err != nil {
				t.Error(err)
			}
			done <- res
		}()
		time.Sleep(50 * time.Millisecond)
		t.pass(1100 * time.Millisecond)
		select {
		case res := <-done:
			t.want("messages", len(res.Messages), 0)
		case <-time.After(patience):
			t.Fatal("the pop did not end")
		}
	}},
	{"6.5", "a client that goes away while parked claims nothing", func(t *T) {
		q := t.configured()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := t.Broker.Pop(ctx, t.Token, queen.PopRequest{Queue: q, Batch: 1, Partitions: 1, Wait: 20 * time.Second})
			ended <- err
		}()
		time.Sleep(50 * time.Millisecond)
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Fatalf("the cancelled pop answered %v", err)
		}
		time.Sleep(50 * time.Millisecond) // a broker behind HTTP has to notice
		t.push(q, "0", "after")
		t.want("still claimable", texts(t.pop(q, 1)), "after")
	}},
	{"6.5", "every parked pop gets a lane of its own", func(t *T) {
		q := t.configured()
		var parked []<-chan []queen.Message
		for range 5 {
			parked = append(parked, t.parked(queen.PopRequest{Queue: q, Batch: 1, Partitions: 1}))
		}
		var items []queen.PushItem
		for i := range 5 {
			items = append(items, msg(q, fmt.Sprint(i), fmt.Sprint(i)))
		}
		t.pushItems(items...)
		seen := map[string]bool{}
		for _, p := range parked {
			seen[texts(t.arrives(p))] = true
		}
		t.want("distinct", len(seen), 5)
	}},
}
