package server

import (
	"testing"
	"time"
)

// WaitParked waits until n requests are being handled.
func (i *Instance) WaitParked(t *testing.T, n int64) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); i.server.front.Handling() != n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d requests are being handled, not %d", i.server.front.Handling(), n)
		}
	}
}
