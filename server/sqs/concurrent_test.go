package sqs

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/queen-mq/queen-sqs/server/wire"
)

// Eight consumers work at one queue; some give messages back once. Every message
// is deleted by exactly one of them, and groups stay in order.
func TestConcurrentConsumers(t *testing.T) {
	for _, queue := range []string{"orders", "orders.fifo"} {
		for name, opts := range map[string][]rigOption{"counted by the broker": nil, "counted here": {onPlain()}} {
			t.Run(queue+", "+name, func(t *testing.T) {
				r := newRig(t, opts...)
				url := r.create(queue, nilUnlessFIFO(queue))
				const groups, each = 10, 20
				for i := range each {
					var entries []*wire.Object
					for g := range groups {
						e := entry(fmt.Sprint(g), "MessageBody", fmt.Sprintf("%d %d", g, i))
						if queue == "orders.fifo" {
							e.Set("MessageGroupId", wire.String(fmt.Sprint("g", g)))
						}
						entries = append(entries, e)
					}
					r.batch(url, entries...)
				}

				var (
					mu      sync.Mutex
					deleted = map[string]int{}
					next    = map[int]int{}
					left    = groups * each
					workers sync.WaitGroup
				)
				for range 8 {
					workers.Go(func() { consume(t, r, url, queue == "orders.fifo", &mu, deleted, next, &left) })
				}
				workers.Wait()
				for body, n := range deleted {
					if n != 1 {
						t.Errorf("%q was deleted %d times", body, n)
					}
				}
				if len(deleted) != groups*each {
					t.Errorf("%d of %d messages", len(deleted), groups*each)
				}
				if c := r.counts(url); c != [2]string{"0", "0"} {
					t.Errorf("left %v", c)
				}
			})
		}
	}
}

func consume(t *testing.T, r *rig, url string, fifo bool, mu *sync.Mutex, deleted map[string]int, next map[int]int, left *int) {
	call := func(action string, pairs ...any) *wire.Object {
		answer, err := r.Handlers()[action](context.Background(), request(action, params(append([]any{"QueueUrl", url}, pairs...)...)))
		if err != nil {
			t.Errorf("%s: %v", action, err)
		}
		return answer
	}
	for round := 0; ; round++ {
		mu.Lock()
		done := *left == 0
		mu.Unlock()
		if done || t.Failed() {
			return
		}
		got := messagesOf(call("ReceiveMessage", "MaxNumberOfMessages", 7, "AttributeNames", "All"))
		if len(got) == 0 {
			continue
		}
		if round%5 == 4 && got[0].system("ApproximateReceiveCount") == "1" {
			for _, m := range got {
				call("ChangeMessageVisibility", "ReceiptHandle", m.handle(), "VisibilityTimeout", 0)
				if fifo {
					break // the claim is one
				}
			}
			continue
		}
		var entries []*wire.Object
		mu.Lock()
		for i, m := range got {
			var group, n int
			fmt.Sscan(m.body(), &group, &n)
			if fifo && next[group] != n {
				t.Errorf("group %d: message %d when %d was due", group, n, next[group])
			}
			next[group]++
			deleted[m.body()]++
			entries = append(entries, entry(fmt.Sprint(i), "ReceiptHandle", m.handle()))
		}
		mu.Unlock()
		if answer := call("DeleteMessageBatch", "Entries", entries); answer.Has("Failed") {
			t.Errorf("deletes failed: %v", answer)
		}
		mu.Lock()
		*left -= len(got)
		mu.Unlock()
	}
}
