// Package sampled writes log lines that something outside can provoke at will,
// so that they cannot fill a disk: at most one line of a kind every 10 seconds,
// with the number of lines of that kind held back since the last one.
package sampled

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
)

// Every is how often one kind of line is written at most.
const Every = 10 * time.Second

// Log is a sampled logger.
type Log struct {
	log   *slog.Logger
	clock clock.Clock

	mu    sync.Mutex
	kinds map[string]*sample
}

type sample struct {
	last       time.Time
	suppressed int
}

// New makes a Log on a logger.
func New(log *slog.Logger, clk clock.Clock) *Log {
	return &Log{log: log, clock: clk, kinds: make(map[string]*sample)}
}

// Enabled reports whether lines of that level are written at all.
func (l *Log) Enabled(level slog.Level) bool { return l.log.Enabled(context.Background(), level) }

// Line writes one line of a kind. Kinds come from a closed set, such as the
// texts in the code: never from what a client sent.
func (l *Log) Line(level slog.Level, kind, text string, args ...any) {
	if !l.Enabled(level) {
		return
	}
	suppressed, ok := l.due(kind)
	if !ok {
		return
	}
	if suppressed > 0 {
		args = append(args, "suppressed", suppressed)
	}
	l.log.Log(context.Background(), level, text, args...)
}

// Warn writes a warning whose text is its kind.
func (l *Log) Warn(text string, args ...any) { l.Line(slog.LevelWarn, text, text, args...) }

// Info writes a line whose text is its kind.
func (l *Log) Info(text string, args ...any) { l.Line(slog.LevelInfo, text, text, args...) }

// Debug writes a debug line whose text is its kind.
func (l *Log) Debug(text string, args ...any) { l.Line(slog.LevelDebug, text, text, args...) }

func (l *Log) due(kind string) (suppressed int, ok bool) {
	now := l.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.kinds[kind]
	if k == nil {
		l.kinds[kind] = &sample{last: now}
		return 0, true
	}
	if now.Sub(k.last) < Every {
		k.suppressed++
		return 0, false
	}
	suppressed, k.suppressed, k.last = k.suppressed, 0, now
	return suppressed, true
}
