package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/steps/load"
)

// TestKilledGatewayKeepsWhatItAnswered kills the process with SIGKILL five
// times at random moments while ten thousand messages are sent and some of them
// are received, and starts it again on the same folder. Every send that was
// answered must be received, every handle taken before a kill must delete after
// it, and what was held or deleted must not come back.
func TestKilledGatewayKeepsWhatItAnswered(t *testing.T) {
	const (
		total      = 10_000
		kills      = 5
		senders    = 8
		visibility = 20 * time.Second
	)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir := t.TempDir()
	binary, err := load.Build(ctx, "github.com/queen-mq/queen-sqs/cmd/queen-sqs", dir)
	if err != nil {
		t.Fatal(err)
	}
	addr, err := load.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	gateway := &load.Gateway{Binary: binary, Addr: addr, Data: filepath.Join(dir, "data")}
	if err := gateway.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer func() { gateway.Kill() }()
	client := load.NewClient(gateway.URL(), 2*senders)
	defer client.Close()
	// A receive that the kill left without an answer holds its messages for this
	// long; the drain at the end waits for them.
	queue, err := client.CreateQueue(ctx, "crash", map[string]string{"VisibilityTimeout": fmt.Sprint(visibility.Seconds())})
	if err != nil {
		t.Fatal(err)
	}

	var (
		answered  sync.Map // body -> struct{}: sends that were answered 200
		deleted   sync.Map // body -> struct{}: deletes that were answered 200
		done      atomic.Int64
		finished  = make(chan struct{})
		attempts  atomic.Int64
		survivors atomic.Int64 // handles that deleted after a kill they were taken before
		era       atomic.Int64 // how many kills there were
	)
	var sending sync.WaitGroup
	for range senders {
		sending.Go(func() {
			for ctx.Err() == nil && done.Load() < total {
				body := fmt.Sprint("message ", attempts.Add(1))
				if client.Send(ctx, queue, body) != nil {
					time.Sleep(10 * time.Millisecond) // the process is being started again
					continue
				}
				answered.Store(body, struct{}{})
				done.Add(1)
			}
		})
	}
	// One consumer takes handles and deletes with them only after the next kill,
	// so that every one of them is used on a process that did not mint it.
	var consuming sync.WaitGroup
	consuming.Go(func() {
		type taken struct {
			load.Message
			era int64
			at  time.Time
		}
		var pending []taken
		for ctx.Err() == nil {
			select {
			case <-finished:
				return
			default:
			}
			now := era.Load()
			if len(pending) < 200 {
				if messages, err := client.Receive(ctx, queue, 5, 0); err == nil {
					for _, m := range messages {
						pending = append(pending, taken{m, now, time.Now()})
					}
				}
			}
			kept := pending[:0]
			for _, p := range pending {
				if time.Since(p.at) > visibility/2 {
					continue // it comes back by itself
				}
				if p.era == now || client.Delete(ctx, queue, p.ReceiptHandle) != nil {
					kept = append(kept, p)
					continue
				}
				deleted.Store(p.Body, struct{}{})
				survivors.Add(1)
			}
			pending = kept
			time.Sleep(5 * time.Millisecond)
		}
	})

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for n := range kills {
		// Each kill waits for its share of the messages, then for a random moment.
		for ctx.Err() == nil && done.Load() < int64(total*(n+1)/(kills+2)) {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(random.IntN(50_000)) * time.Microsecond)
		gateway.Kill()
		if err := gateway.Start(ctx); err != nil {
			t.Fatalf("start after kill %d: %v", n+1, err)
		}
		era.Add(1)
	}
	sending.Wait()
	close(finished)
	consuming.Wait()
	if ctx.Err() != nil {
		t.Fatalf("gave up: %v; %d messages answered", ctx.Err(), done.Load())
	}

	missing := func(received map[string]int) (bodies []string) {
		answered.Range(func(body, _ any) bool {
			if _, isDeleted := deleted.Load(body); !isDeleted && received[body.(string)] == 0 {
				bodies = append(bodies, body.(string))
			}
			return true
		})
		return bodies
	}
	received := map[string]int{}
	// The drain gives up only when nothing came for longer than anything can be
	// held, however slow the machine.
	for last := time.Now(); time.Since(last) < visibility+10*time.Second; {
		messages, err := client.Receive(ctx, queue, 10, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(messages) == 0 {
			if len(missing(received)) == 0 {
				break
			}
			continue
		}
		last = time.Now()
		for _, m := range messages {
			received[m.Body]++
		}
		if err := client.DeleteBatch(ctx, queue, messages); err != nil {
			t.Fatal(err)
		}
	}

	lost := missing(received)
	for _, body := range lost[:min(len(lost), 10)] {
		t.Errorf("%q was answered and is lost", body)
	}
	for body, n := range received {
		if n > 1 {
			t.Errorf("%q was received %d times after it was deleted", body, n)
		}
		if _, isDeleted := deleted.Load(body); isDeleted {
			t.Errorf("%q was deleted and came back", body)
		}
	}
	if survivors.Load() == 0 {
		t.Error("no handle was used after a kill: the test proved nothing about handles")
	}
	t.Logf("%d sends answered, %d lost, %d attempts, %d kills, %d handles used after a kill", done.Load(), len(lost), attempts.Load(), kills, survivors.Load())
}
