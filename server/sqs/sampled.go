package sqs

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// sampleEvery is how often a line of one kind is written at most.
const sampleEvery = 10 * time.Second

// sampler lets one line of each kind through per period and counts the rest, so
// that a broken dependency cannot flood the log. The kinds are the texts in the
// code, a few dozen at most.
type sampler struct {
	mu    sync.Mutex
	kinds map[string]*sample
}

type sample struct {
	last       time.Time
	suppressed int
}

// due reports whether a line of that kind may be written now, and how many were
// held back since the last one.
func (s *sampler) due(kind string, now time.Time) (suppressed int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kinds == nil {
		s.kinds = map[string]*sample{}
	}
	k, known := s.kinds[kind]
	if !known {
		s.kinds[kind] = &sample{last: now}
		return 0, true
	}
	if now.Sub(k.last) < sampleEvery {
		k.suppressed++
		return 0, false
	}
	suppressed, k.last, k.suppressed = k.suppressed, now, 0
	return suppressed, true
}

// warn writes a sampled warning. The text is the kind; bodies, handles and
// client ids are not arguments of it.
func (s *Service) warn(text string, args ...any) { s.sampledLine(slog.LevelWarn, text, args) }

// debug writes a sampled debug line.
func (s *Service) debug(text string, args ...any) { s.sampledLine(slog.LevelDebug, text, args) }

func (s *Service) sampledLine(level slog.Level, text string, args []any) {
	ctx := context.Background()
	if !s.log.Enabled(ctx, level) {
		return
	}
	suppressed, ok := s.lines.due(text, s.clock.Now())
	if !ok {
		return
	}
	if suppressed > 0 {
		args = append(args, "suppressed", suppressed)
	}
	s.log.Log(ctx, level, text, args...)
}
