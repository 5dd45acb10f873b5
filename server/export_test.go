package server

import (
	"testing"
	"time"
)

// WaitParked waits until n requests are being handled.
func (i *Instance) WaitParked(t *testing.T, n int64) {
	t.Helper()
	for deadline := time.Now().Add(patience); i.server.handling.Load() != n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d requests are being handled, not %d", i.server.handling.Load(), n)
		}
	}
}

// ShortenReadTimeout makes servers that start from now on wait that long for a
// request.
func ShortenReadTimeout(t *testing.T, d time.Duration) {
	t.Helper()
	old := readTimeout
	readTimeout = d
	t.Cleanup(func() { readTimeout = old })
}
