package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/queen-mq/queen-sqs/steps/load"
)

// rateRounds is how many turns the no-op server and the gateway take.
const rateRounds = 5

// benchRates prints what signed workers get out of the gateway on disk, as a
// ratio to what the same client gets out of a server that does nothing. The two
// take turns, so that both meet the same machine.
func benchRates(ctx context.Context, c benchConfig) error {
	if c.messages == 0 {
		c.messages = 100_000
	}
	body := strings.Repeat("x", c.bodySize)

	noop, stop, err := startNoop(ctx, c.workers)
	if err != nil {
		return fmt.Errorf("no-op server: %w", err)
	}
	defer stop()
	gateway, err := c.start(ctx)
	if err != nil {
		return err
	}
	defer gateway.Stop()
	client := load.NewClient(gateway.URL(), c.workers)
	defer client.Close()

	sends, err := client.CreateQueue(ctx, "sends", nil)
	if err != nil {
		return err
	}
	nothing := func(ctx context.Context, _ int) error { return noop.Send(ctx, sends, body) }
	send := func(ctx context.Context, _ int) error { return client.Send(ctx, sends, body) }
	// The backlog of the sends is what these receives work on.
	pair := func(ctx context.Context, _ int) error {
		messages, err := client.Receive(ctx, sends, 1, 1)
		if err != nil || len(messages) == 0 {
			return err
		}
		return client.Delete(ctx, sends, messages[0].ReceiptHandle)
	}
	if err := c.turns(ctx, "SendMessage", nothing, send); err != nil {
		return err
	}
	if err := c.turns(ctx, "ReceiveMessage + DeleteMessage", nothing, pair); err != nil {
		return err
	}

	drain, err := client.CreateQueue(ctx, "drain", nil)
	if err != nil {
		return err
	}
	if err := fill(ctx, c, client, drain, c.messages, body); err != nil {
		return err
	}
	var tenths []float64
	err = load.Drain(ctx, client, drain, c.workers, c.messages, 1, func(_ int, rate float64) { tenths = append(tenths, rate) })
	if err != nil {
		return err
	}
	fmt.Printf("drain of %d, one by one: first tenth %.0f/s, last tenth %.0f/s, last/first %.2f\n",
		c.messages, tenths[0], tenths[9], tenths[9]/tenths[0])
	return nil
}

// turns prints the rate of what beside that of nothing, a second of each not
// counted.
func (c benchConfig) turns(ctx context.Context, name string, nothing, what func(context.Context, int) error) error {
	for _, do := range []func(context.Context, int) error{nothing, what} {
		if _, err := load.Rate(ctx, c.workers, time.Second, do); err != nil {
			return err
		}
	}
	var base, rate float64
	lowest, highest := math.Inf(1), 0.0
	for range rateRounds {
		there, err := load.Rate(ctx, c.workers, c.duration/rateRounds, nothing)
		if err != nil {
			return err
		}
		here, err := load.Rate(ctx, c.workers, c.duration/rateRounds, what)
		if err != nil {
			return err
		}
		base, rate = base+there/rateRounds, rate+here/rateRounds
		lowest, highest = min(lowest, here/there), max(highest, here/there)
	}
	fmt.Printf("%-32s %8.0f/s, no-op server %8.0f/s: %.2f of it (%.2f to %.2f in %d rounds)\n", name, rate, base, rate/base, lowest, highest, rateRounds)
	return nil
}

// fill sends messages in batches of ten.
func fill(ctx context.Context, c benchConfig, client *load.Client, queueURL string, messages int, body string) error {
	batch := make([]string, 10)
	for i := range batch {
		batch[i] = body
	}
	return load.Each(ctx, c.workers, messages/10, func(ctx context.Context, _ int) error {
		return client.SendBatch(ctx, queueURL, batch)
	})
}

// startNoop starts a no-op server in a process of its own, as the gateway is, and
// a client of it.
func startNoop(ctx context.Context, workers int) (client *load.Client, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	addr, err := load.FreeAddr()
	if err != nil {
		return nil, nil, err
	}
	server := exec.Command(self, "bench", "--listen", addr, "noop")
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		return nil, nil, err
	}
	client = load.NewClient("http://"+addr, workers)
	stop = func() {
		client.Close()
		_ = server.Process.Kill()
		_ = server.Wait()
	}
	for range 500 {
		if err = client.Send(ctx, "http://"+addr, "ready?"); err == nil {
			return client, stop, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	return nil, nil, fmt.Errorf("it does not answer: %w", err)
}

// benchNoop is a fasthttp server that answers every request with a fixed
// SendMessage answer, until it is killed.
func benchNoop(_ context.Context, c benchConfig) error {
	answer, err := json.Marshal(map[string]string{"MessageId": "00000000-0000-0000-0000-000000000000", "MD5OfMessageBody": strings.Repeat("0", 32)})
	if err != nil {
		return err
	}
	return fasthttp.ListenAndServe(c.listen, func(ctx *fasthttp.RequestCtx) {
		ctx.SetContentType("application/x-amz-json-1.0")
		ctx.SetBody(answer)
	})
}
