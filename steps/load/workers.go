package load

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Rate runs work in that many workers for d and answers how many times a second
// it was done. The first error ends the run.
func Rate(ctx context.Context, workers int, d time.Duration, work func(ctx context.Context, worker int) error) (float64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var done atomic.Int64
	start := time.Now()
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for ctx.Err() == nil && time.Since(start) < d {
				if err := work(ctx, w); err != nil {
					cancel(err)
					return
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	elapsed := time.Since(start)
	return float64(done.Load()) / elapsed.Seconds(), context.Cause(ctx)
}

// Each runs work for 0 to n-1 in that many workers. The first error ends the
// run.
func Each(ctx context.Context, workers, n int, work func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := work(ctx, i); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// Drain receives and deletes until total messages are gone, in that many
// workers, and calls mark after each tenth with the rate of that tenth in
// messages a second. batch is how many messages one receive asks for; with 1
// every message costs a ReceiveMessage and a DeleteMessage.
func Drain(ctx context.Context, c *Client, queueURL string, workers, total, batch int, mark func(tenth int, rate float64)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		mu    sync.Mutex
		gone  int
		tenth int
		since = time.Now()
	)
	count := func(n int) (finished bool) {
		mu.Lock()
		defer mu.Unlock()
		gone += n
		for tenth < 10 && gone >= total*(tenth+1)/10 {
			size := total*(tenth+1)/10 - total*tenth/10
			mark(tenth, float64(size)/time.Since(since).Seconds())
			since = time.Now()
			tenth++
		}
		return gone >= total
	}
	work := func() error {
		for ctx.Err() == nil {
			messages, err := c.Receive(ctx, queueURL, batch, 1)
			if err != nil {
				return err
			}
			switch {
			case len(messages) == 0:
			case batch == 1:
				err = c.Delete(ctx, queueURL, messages[0].ReceiptHandle)
			default:
				err = c.DeleteBatch(ctx, queueURL, messages)
			}
			if err != nil {
				return err
			}
			if count(len(messages)) {
				return nil
			}
		}
		return nil
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			if err := work(); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
