package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/steps/load"
)

// benchBacklog fills a queue on disk, restarts the gateway on it, and drains it.
func benchBacklog(ctx context.Context, c benchConfig) error {
	if c.messages == 0 {
		c.messages = 1_000_000
	}
	gateway, err := c.start(ctx)
	if err != nil {
		return err
	}
	defer func() { gateway.Stop() }()
	client := load.NewClient(gateway.URL(), c.workers)
	defer client.Close()

	queue, err := client.CreateQueue(ctx, "backlog", nil)
	if err != nil {
		return err
	}
	start := time.Now()
	if err := fill(ctx, c, client, queue, c.messages, strings.Repeat("x", c.bodySize)); err != nil {
		return err
	}
	fmt.Printf("filled with %d messages in %.1f s\n", c.messages, time.Since(start).Seconds())
	if err := printFootprint("full", gateway); err != nil {
		return err
	}

	gateway.Kill()
	start = time.Now()
	if err := gateway.Start(ctx); err != nil {
		return err
	}
	messages, err := client.Receive(ctx, queue, 1, 0)
	if err != nil {
		return err
	}
	if len(messages) != 1 {
		return fmt.Errorf("the first receive after the restart answered %d messages", len(messages))
	}
	fmt.Printf("killed and started again: first message received after %.2f s\n", time.Since(start).Seconds())
	if err := printFootprint("after the restart", gateway); err != nil {
		return err
	}
	if err := client.Delete(ctx, queue, messages[0].ReceiptHandle); err != nil {
		return err
	}

	var tenths []float64
	err = load.Drain(ctx, client, queue, c.workers, c.messages-1, 10, func(tenth int, rate float64) {
		fmt.Printf("drain: tenth %2d of 10 at %6.0f messages/s\n", tenth+1, rate)
		tenths = append(tenths, rate)
	})
	if err != nil {
		return err
	}
	fmt.Printf("drain in batches of ten: first tenth %.0f/s, last tenth %.0f/s, last/first %.2f\n", tenths[0], tenths[9], tenths[9]/tenths[0])
	return printFootprint("drained", gateway)
}

func printFootprint(when string, g *load.Gateway) error {
	now, peak, err := g.RSS()
	if err != nil {
		return err
	}
	disk, err := folderSize(g.Data)
	if err != nil {
		return err
	}
	fmt.Printf("%s: resident %s (peak %s), on disk %s\n", when, mib(now), mib(peak), mib(disk))
	return nil
}

// folderSize adds up the files of a folder that is being written to.
func folderSize(dir string) (int64, error) {
	var total int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total, err
}
