package main

import (
	"context"
	"fmt"
	"time"

	"github.com/queen-mq/queen-sqs/steps/load"
)

// benchFIFO runs the FIFO load (50 groups, 8 consumers that forget deletes, give
// messages back and come too late, random visibility timeouts) and fails when a
// group was delivered out of order or to two consumers at a time, when something
// deleted came back, or when something is left.
func benchFIFO(ctx context.Context, c benchConfig) error {
	if c.messages == 0 {
		c.messages = 20_000
	}
	url := c.endpoint
	if url == "" {
		gateway, err := c.start(ctx)
		if err != nil {
			return err
		}
		defer gateway.Stop()
		url = gateway.URL()
	}
	seed := uint64(time.Now().UnixNano())
	f := &load.FIFO{
		Client: load.NewClient(url, 12), Groups: 50, Messages: c.messages, Senders: 4, Consumers: 8,
		Seed: seed, Forget: 3, GiveBack: 5, Late: 2,
	}
	defer f.Client.Close()
	var err error
	f.Queue, err = f.Client.CreateQueue(ctx, fmt.Sprintf("fifo-load-%d.fifo", seed), map[string]string{"FifoQueue": "true"})
	if err != nil {
		return err
	}
	defer f.Client.Call(context.WithoutCancel(ctx), "DeleteQueue", map[string]string{"QueueUrl": f.Queue}, nil)
	fmt.Printf("%d messages in %d groups, %d consumers, seed %d\n", f.Messages, f.Groups, f.Consumers, seed)

	since, shown := time.Now(), 0
	f.Progress = func(deleted int) {
		if deleted >= shown+c.messages/10 {
			shown = deleted - deleted%(c.messages/10)
			fmt.Printf("%d deleted after %.0f s\n", deleted, time.Since(since).Seconds())
		}
	}
	h, err := f.Run(ctx, nil)
	if err != nil {
		return err
	}
	deliveries, messages := h.Counts()
	fmt.Printf("%d deliveries of %d messages in %.0f s\n", deliveries, messages, time.Since(since).Seconds())
	found := h.Violations(true)
	for _, v := range found[:min(len(found), 20)] {
		fmt.Println(v)
	}
	if len(found) > 0 {
		return fmt.Errorf("%d violations", len(found))
	}
	fmt.Println("no violation: every group in order, never at two consumers at a time, nothing deleted came back, nothing left")
	return nil
}
