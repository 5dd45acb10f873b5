package sqs

import (
	"context"
	"sync"
	"time"
)

// backstage is the part of a Service that works behind its answers. All of it
// may be lost with the process.
type backstage struct {
	background background
	uncounted  uncounter
	starts     starts
}

// background runs work that outlives its request, and ends it on Close.
type background struct {
	mu     sync.Mutex
	closed bool
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// start runs work in a goroutine of its own; false when the Service is closed.
func (b *background) start(work func(context.Context)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	if b.ctx == nil {
		b.ctx, b.cancel = context.WithCancel(context.Background())
	}
	ctx := b.ctx
	b.work.Go(func() { work(ctx) })
	return true
}

// Close ends the work behind the answers, and waits for it. Move tasks stop
// where they are: another instance, or this one after a restart, continues them.
func (s *Service) Close() {
	b := &s.background
	b.mu.Lock()
	b.closed = true
	if b.cancel != nil {
		b.cancel()
	}
	b.mu.Unlock()
	b.work.Wait()
}

// sleep waits for a duration of the Service's clock, or until ctx ends.
func (s *Service) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	woken := make(chan struct{})
	timer := s.clock.AfterFunc(d, func() { close(woken) })
	select {
	case <-woken:
		return nil
	case <-ctx.Done():
		timer.Stop()
		return ctx.Err()
	}
}
