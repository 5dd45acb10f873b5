package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
	"github.com/queen-mq/queen-sqs/steps/load"
)

// fanOut is one topic of the crash test and what its publishers know.
type fanOut struct {
	topic  string
	queues []string
	// answered are the messages whose publish was answered.
	answered sync.Map
	done     atomic.Int64
}

// TestKilledGatewayPublishesToAll kills the process with SIGKILL at random
// moments while messages are published, and looks into the queues afterwards. A
// publish that was answered has reached all of 300 subscribers. A publish to
// 200, which is one transaction, has reached all or none, answered or not. A
// publish to a FIFO topic of 300 that was repeated until it was answered is in
// every queue once, and in the same order.
func TestKilledGatewayPublishesToAll(t *testing.T) {
	const (
		subscribers = 300
		kills       = 5
		perKill     = 8 // answered publishes of each topic
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
	client := load.NewClient(gateway.URL(), 16)
	defer client.Close()

	wide := subscribe(ctx, t, client, "wide", subscribers)
	narrow := subscribe(ctx, t, client, "narrow", 200)
	ordered := subscribe(ctx, t, client, "ordered.fifo", subscribers)

	total := int64(kills+1) * perKill
	var attempts atomic.Int64
	publish := func(f *fanOut) {
		for ctx.Err() == nil && f.done.Load() < total {
			message := fmt.Sprint("message ", attempts.Add(1))
			if _, err := client.Publish(ctx, f.topic, message, "", ""); err != nil {
				time.Sleep(5 * time.Millisecond) // the process is being started again
				continue
			}
			f.answered.Store(message, struct{}{})
			f.done.Add(1)
		}
	}
	var publishing sync.WaitGroup
	for range 2 {
		publishing.Go(func() { publish(wide) })
		publishing.Go(func() { publish(narrow) })
	}
	for group := range 2 {
		publishing.Go(func() {
			for n := 0; ctx.Err() == nil && ordered.done.Load() < total; n++ {
				message := fmt.Sprintf("%d.%d", group, n)
				for ctx.Err() == nil {
					if _, err := client.Publish(ctx, ordered.topic, message, fmt.Sprint("g", group), message); err == nil {
						break
					}
					time.Sleep(5 * time.Millisecond)
				}
				ordered.answered.Store(message, struct{}{})
				ordered.done.Add(1)
			}
		})
	}

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for n := range kills {
		for ctx.Err() == nil && min(wide.done.Load(), narrow.done.Load(), ordered.done.Load()) < int64(n+1)*perKill/2 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(random.IntN(30_000)) * time.Microsecond)
		gateway.Kill()
		if err := gateway.Start(ctx); err != nil {
			t.Fatalf("start after kill %d: %v", n+1, err)
		}
	}
	publishing.Wait()
	if ctx.Err() != nil {
		t.Fatalf("gave up: %v", ctx.Err())
	}
	gateway.Kill()

	engine, err := embedded.Open(embedded.Config{Dir: filepath.Join(dir, "data"), Clock: clock.System()})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()

	for _, f := range []*fanOut{wide, narrow} {
		reached := map[string]int{}
		for _, queue := range f.queues {
			once := map[string]bool{}
			for _, body := range contents(ctx, t, engine, queue) {
				if once[body] {
					t.Errorf("%s has %q twice", queue, body)
				}
				once[body] = true
				reached[body]++
			}
		}
		f.answered.Range(func(message, _ any) bool {
			if n := reached[message.(string)]; n != len(f.queues) {
				t.Errorf("%q was answered and reached %d of %d", message, n, len(f.queues))
			}
			return true
		})
		partial := 0
		for message, n := range reached {
			if n == len(f.queues) {
				continue
			}
			partial++
			if f == narrow {
				t.Errorf("%q reached %d of %d", message, n, len(f.queues))
			}
		}
		t.Logf("%s: %d answered, %d messages delivered, %d of them to some only", f.topic, f.done.Load(), len(reached), partial)
	}

	var want []string
	for i, queue := range ordered.queues {
		got := contents(ctx, t, engine, queue)
		if i == 0 {
			want = got
			if int64(len(want)) != ordered.done.Load() {
				t.Errorf("%d messages were answered, %s has %d", ordered.done.Load(), queue, len(want))
			}
			for group := range 2 {
				last := -1
				for _, body := range want {
					var g, n int
					if _, err := fmt.Sscanf(body, "%d.%d", &g, &n); err != nil {
						t.Fatal(err)
					}
					if g == group && n != last+1 {
						t.Errorf("%q comes after %d", body, last)
					}
					if g == group {
						last = n
					}
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has another order or other messages:\n%v\n%v", queue, got, want)
		}
	}
	t.Logf("%s: %d answered, all of them once in each of %d queues", ordered.topic, ordered.done.Load(), len(ordered.queues))
}

// subscribe makes a topic and that many queues subscribed to it, raw.
func subscribe(ctx context.Context, t *testing.T, client *load.Client, name string, n int) *fanOut {
	t.Helper()
	stem, suffix := name, ""
	var topicAttributes, queueAttributes map[string]string
	if s, fifo := strings.CutSuffix(name, ".fifo"); fifo {
		stem, suffix = s, ".fifo"
		topicAttributes = map[string]string{"FifoTopic": "true"}
		queueAttributes = map[string]string{"FifoQueue": "true"}
	} else {
		queueAttributes = map[string]string{"queen.partitions": "1"}
	}
	topic, err := client.CreateTopic(ctx, name, topicAttributes)
	if err != nil {
		t.Fatal(err)
	}
	f := &fanOut{topic: topic, queues: make([]string, n)}
	account := strings.Split(topic, ":")
	err = load.Each(ctx, 8, n, func(ctx context.Context, i int) error {
		f.queues[i] = fmt.Sprint(stem, i, suffix)
		if _, err := client.CreateQueue(ctx, f.queues[i], queueAttributes); err != nil {
			return err
		}
		arn := "arn:aws:sqs:" + account[3] + ":" + account[4] + ":" + f.queues[i]
		_, err := client.Subscribe(ctx, topic, arn, map[string]string{"RawMessageDelivery": "true"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// contents are the bodies in a queue, lane by lane in the order of the lanes'
// names.
func contents(ctx context.Context, t *testing.T, broker queen.Broker, queue string) []string {
	t.Helper()
	lanes := map[string][]string{}
	for {
		got, err := broker.Pop(ctx, "", queen.PopRequest{Queue: queue, Batch: 10_000, Partitions: 64, LeaseSeconds: 600})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Messages) == 0 {
			break
		}
		for _, m := range got.Messages {
			lanes[m.Partition] = append(lanes[m.Partition], envelope.Decode(m.Payload).Body)
		}
	}
	var names []string
	for name := range lanes {
		names = append(names, name)
	}
	slices.Sort(names)
	var all []string
	for _, name := range names {
		all = append(all, lanes[name]...)
	}
	return all
}
