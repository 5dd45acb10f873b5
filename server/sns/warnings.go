package sns

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// sampleEvery is how often a line of one kind is written at most.
const sampleEvery = 10 * time.Second

// warnings remembers when a line of each kind was written last. The kinds are
// the texts in the code.
type warnings struct {
	mu   sync.Mutex
	last map[string]time.Time
}

func (w *warnings) due(kind string, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last, ok := w.last[kind]; ok && now.Sub(last) < sampleEvery {
		return false
	}
	if w.last == nil {
		w.last = map[string]time.Time{}
	}
	w.last[kind] = now
	return true
}

// warn writes a sampled line. The text is the kind.
func (s *Service) warn(level slog.Level, text string, args ...any) {
	if s.log.Enabled(context.Background(), level) && s.lines.due(text, s.clock.Now()) {
		s.log.Log(context.Background(), level, text, args...)
	}
}
