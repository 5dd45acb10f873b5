package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/queen-mq/queen-sqs/steps/load"
)

// benchRates prints what signed workers get out of the gateway on disk, as a
// ratio to what the same client gets out of a server that does nothing.
func benchRates(ctx context.Context, c benchConfig) error {
	if c.messages == 0 {
		c.messages = 100_000
	}
	body := strings.Repeat("x", c.bodySize)

	noop, err := benchNoop(ctx, c, body)
	if err != nil {
		return fmt.Errorf("no-op server: %w", err)
	}
	report("no-op server", noop, noop)

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
	send := func(ctx context.Context, _ int) error { return client.Send(ctx, sends, body) }
	if _, err := load.Rate(ctx, c.workers, time.Second, send); err != nil {
		return err
	}
	rate, err := load.Rate(ctx, c.workers, c.duration, send)
	if err != nil {
		return err
	}
	report("SendMessage", rate, noop)

	// The backlog of the sends above is what these receives work on.
	pair := func(ctx context.Context, _ int) error {
		messages, err := client.Receive(ctx, sends, 1, 1)
		if err != nil || len(messages) == 0 {
			return err
		}
		return client.Delete(ctx, sends, messages[0].ReceiptHandle)
	}
	if rate, err = load.Rate(ctx, c.workers, c.duration, pair); err != nil {
		return err
	}
	report("ReceiveMessage + DeleteMessage", rate, noop)

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

func report(what string, rate, noop float64) {
	fmt.Printf("%-32s %8.0f/s   %.2f of the no-op server\n", what, rate, rate/noop)
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

// benchNoop measures the client against a fasthttp server that answers every
// request with a fixed SendMessage answer.
func benchNoop(ctx context.Context, c benchConfig, body string) (float64, error) {
	answer, err := json.Marshal(map[string]string{"MessageId": "00000000-0000-0000-0000-000000000000", "MD5OfMessageBody": strings.Repeat("0", 32)})
	if err != nil {
		return 0, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	server := &fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) {
		ctx.SetContentType("application/x-amz-json-1.0")
		ctx.SetBody(answer)
	}}
	go server.Serve(ln)
	defer server.Shutdown()

	client := load.NewClient("http://"+ln.Addr().String(), c.workers)
	defer client.Close()
	send := func(ctx context.Context, _ int) error {
		return client.Send(ctx, "http://"+ln.Addr().String()+"/000000000000/noop", body)
	}
	if _, err := load.Rate(ctx, c.workers, time.Second, send); err != nil {
		return 0, err
	}
	return load.Rate(ctx, c.workers, c.duration, send)
}
