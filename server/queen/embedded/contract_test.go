package embedded_test

import (
	"testing"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen/contract"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
)

// The engine is held to Queen's contract in memory and on disk, with time that
// moves and with time that passes.
func TestContract(t *testing.T) {
	open := func(t *testing.T, cfg embedded.Config) *embedded.Engine {
		t.Helper()
		e, err := embedded.Open(cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
		return e
	}
	t.Run("memory", func(t *testing.T) {
		contract.Run(t, func(t *testing.T) contract.Target {
			clk := clock.NewShifted()
			return contract.Target{Broker: open(t, embedded.Config{Clock: clk}), Advance: clk.Advance}
		})
	})
	t.Run("disk", func(t *testing.T) {
		contract.Run(t, func(t *testing.T) contract.Target {
			clk := clock.NewShifted()
			return contract.Target{Broker: open(t, embedded.Config{Dir: t.TempDir(), Clock: clk}), Advance: clk.Advance}
		})
	})
	// Bodies that the heap has no room for are read from the journal.
	t.Run("disk, nothing cached", func(t *testing.T) {
		contract.Run(t, func(t *testing.T) contract.Target {
			clk := clock.NewShifted()
			return contract.Target{Broker: open(t, embedded.Config{Dir: t.TempDir(), Clock: clk, CachedBodyBytes: 1}), Advance: clk.Advance}
		})
	})
	if testing.Short() {
		return
	}
	t.Run("machine's clock", func(t *testing.T) {
		contract.Run(t, func(t *testing.T) contract.Target {
			return contract.Target{Broker: open(t, embedded.Config{})}
		})
	})
}
