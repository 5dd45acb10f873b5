package clock

import (
	"testing"
	"time"
)

func TestAdvanceRunsEverythingDueInOrder(t *testing.T) {
	c := NewShifted()
	start := c.Now()
	var order []string
	at := map[string]time.Duration{}
	note := func(name string) { order = append(order, name); at[name] = c.Now().Sub(start) }

	c.AfterFunc(20*time.Second, func() { note("b") })
	c.AfterFunc(10*time.Second, func() {
		note("a")
		c.AfterFunc(5*time.Second, func() { note("a+5") })
	})
	c.AfterFunc(time.Hour, func() { note("never") })
	stopped := c.AfterFunc(15*time.Second, func() { note("stopped") })
	if !stopped.Stop() {
		t.Fatal("Stop of a pending timer returned false")
	}
	if stopped.Stop() {
		t.Fatal("a second Stop returned true")
	}

	c.Advance(30 * time.Second)

	if got, want := len(order), 3; got != want {
		t.Fatalf("ran %v, want a, a+5, b", order)
	}
	for i, want := range []string{"a", "a+5", "b"} {
		if order[i] != want {
			t.Fatalf("ran %v, want a, a+5, b", order)
		}
	}
	if at["a+5"] < 15*time.Second || at["a+5"] >= 20*time.Second {
		t.Fatalf("a+5 saw the clock at %v, want its own instant", at["a+5"])
	}
	if moved := c.Now().Sub(start); moved < 30*time.Second {
		t.Fatalf("the clock moved %v, want at least 30s", moved)
	}
}

func TestShiftedRunsAtTheMachinesPace(t *testing.T) {
	c := NewShifted()
	done := make(chan struct{})
	c.AfterFunc(time.Millisecond, func() { close(done) })
	<-done
}

// What fell due by itself is no less due: Advance returns after it, and after what
// it scheduled.
func TestAdvanceWaitsForWhatIsRunning(t *testing.T) {
	c := NewShifted()
	begun, release := make(chan struct{}), make(chan struct{})
	var ran []string
	c.AfterFunc(0, func() {
		close(begun)
		<-release
		ran = append(ran, "running")
		c.AfterFunc(time.Second, func() { ran = append(ran, "scheduled by it") })
	})
	<-begun
	time.AfterFunc(20*time.Millisecond, func() { close(release) })

	c.Advance(10 * time.Second)

	if len(ran) != 2 {
		t.Fatalf("ran %q before Advance returned", ran)
	}
}
