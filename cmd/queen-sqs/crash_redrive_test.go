package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/steps/load"
)

// TestRedriveOfAKilledGateway kills the process with SIGKILL at random moments
// while messages fail and go to a dead-letter queue. Every message whose send
// was answered must end in exactly one of consumed and dead-lettered.
//
// The gateway runs over its embedded broker, or with QUEEN_TEST_URL over the
// broker there.
func TestRedriveOfAKilledGateway(t *testing.T) {
	binary, err := load.Build(t.Context(), "github.com/queen-mq/queen-sqs/cmd/queen-sqs", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, suffix string }{{"standard", ""}, {"fifo", ".fifo"}} {
		t.Run(c.name, func(t *testing.T) { redriveUnderKills(t, binary, c.suffix) })
	}
}

func redriveUnderKills(t *testing.T, binary, suffix string) {
	const kills = 5
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)

	gateway := startForKills(ctx, t, binary)
	defer gateway.Kill()
	client := load.NewClient(gateway.URL(), 16)
	defer client.Close()
	queue, dead := redriveQueues(ctx, t, client, fmt.Sprintf("%d%s", seed, suffix))
	r := &load.Redrive{
		Client: client, Queue: queue, Dead: dead, Messages: 1000, Senders: 4, Consumers: 6,
		Seed: seed, Visibility: redriveVisibility, Poison: 20, Fail: 20,
	}

	killed := make(chan struct{})
	failed := make(chan error, 1)
	go func() {
		defer close(killed)
		random := rand.New(rand.NewPCG(seed, 77))
		for n := range kills {
			// The last kills fall into the time when everything is sent and only
			// consumers work.
			for ctx.Err() == nil && r.Answered()+r.Settled() < r.Messages*(n+1)*3/(2*(kills+1)) {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(time.Duration(random.IntN(100_000)) * time.Microsecond)
			gateway.Kill()
			if err := gateway.Start(ctx); err != nil {
				failed <- fmt.Errorf("start after kill %d: %w", n+1, err)
				cancel()
				return
			}
		}
	}()
	quiet := func() bool {
		select {
		case <-killed:
			return true
		default:
			return false
		}
	}
	err := r.Run(ctx, quiet)
	<-killed
	select {
	case err := <-failed:
		t.Fatal(err)
	default:
	}
	if err != nil {
		t.Fatal(err)
	}
	out, wrong := r.Judge()
	for _, w := range wrong[:min(len(wrong), 20)] {
		t.Error(w)
	}
	t.Logf("%d sends answered, %d kills: %d consumed, %d dead-lettered, %d consumed by a delete without a timely answer, %d wrong",
		r.Answered(), kills, out.Consumed, out.Dead, out.Unsure, len(wrong))
	if out.Dead < r.Messages/10 || out.Consumed < r.Messages/2 || out.Unsure > r.Messages/10 {
		t.Error("too little was consumed or dead-lettered for this to have shown anything")
	}
}

const redriveVisibility = 2 * time.Second

// startForKills starts a gateway that can be killed and started again without
// forgetting anything.
func startForKills(ctx context.Context, t *testing.T, binary string) *load.Gateway {
	t.Helper()
	addr, err := load.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	gateway := &load.Gateway{Binary: binary, Addr: addr, Data: filepath.Join(t.TempDir(), "data")}
	if url := os.Getenv("QUEEN_TEST_URL"); url != "" {
		gateway.Data = ""
		gateway.Env = []string{"QUEEN_URL=" + url, "QUEEN_SQS_HANDLE_SECRET=a-secret-that-outlives-a-kill"}
	}
	if err := gateway.Start(ctx); err != nil {
		t.Fatal(err)
	}
	return gateway
}

func redriveQueues(ctx context.Context, t *testing.T, client *load.Client, name string) (queue, dead string) {
	t.Helper()
	attributes := map[string]string{}
	if filepath.Ext(name) == ".fifo" {
		attributes["FifoQueue"] = "true"
	}
	dead, err := client.CreateQueue(ctx, "dead-"+name, attributes)
	if err != nil {
		t.Fatal(err)
	}
	attributes["VisibilityTimeout"] = fmt.Sprint(redriveVisibility.Seconds())
	attributes["RedrivePolicy"] = fmt.Sprintf(`{"deadLetterTargetArn":"arn:aws:sqs:queen-1:000000000000:dead-%s","maxReceiveCount":3}`, name)
	queue, err = client.CreateQueue(ctx, "redrive-"+name, attributes)
	if err != nil {
		t.Fatal(err)
	}
	return queue, dead
}
