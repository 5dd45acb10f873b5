package server

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
)

// sampleEvery is how often one kind of line is logged at most. What a client can
// provoke at will must not fill a disk.
const sampleEvery = 10 * time.Second

// sampled logs at most one line of a kind every 10 seconds, with the number of
// lines of that kind it held back since the last one.
type sampled struct {
	log   *slog.Logger
	clock clock.Clock

	mu    sync.Mutex
	kinds map[string]*sample
}

type sample struct {
	last       time.Time
	suppressed int
}

func newSampled(log *slog.Logger, clk clock.Clock) *sampled {
	return &sampled{log: log, clock: clk, kinds: make(map[string]*sample)}
}

// line logs one line of a kind. Kinds come from a closed set: never from what a
// client sent.
func (s *sampled) line(level slog.Level, kind, message string, attrs ...slog.Attr) {
	ctx := context.Background()
	if !s.log.Enabled(ctx, level) {
		return
	}
	suppressed, ok := s.due(kind)
	if !ok {
		return
	}
	if suppressed > 0 {
		attrs = append(attrs, slog.Int("suppressed", suppressed))
	}
	s.log.LogAttrs(ctx, level, message, attrs...)
}

func (s *sampled) due(kind string) (suppressed int, ok bool) {
	now := s.clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kinds[kind]
	if k == nil {
		k = new(sample)
		s.kinds[kind] = k
	} else if now.Sub(k.last) < sampleEvery {
		k.suppressed++
		return 0, false
	}
	suppressed, k.suppressed = k.suppressed, 0
	k.last = now
	return suppressed, true
}
