package clock

import (
	"container/heap"
	"sync"
	"time"
)

// Shifted runs at the machine's pace and can be moved forward. It is the test
// clock: Advance jumps ahead, and everything that was due by the new time has
// happened when Advance returns.
type Shifted struct {
	mu     sync.Mutex
	offset time.Duration
	queue  timerHeap
	wake   *time.Timer // fires when the earliest entry falls due by itself
	// running counts functions that fell due by themselves and have not returned;
	// idle is signalled when it falls to zero.
	running int
	idle    *sync.Cond

	advance sync.Mutex // one Advance at a time
}

// NewShifted starts at the machine's time.
func NewShifted() *Shifted {
	c := &Shifted{}
	c.idle = sync.NewCond(&c.mu)
	return c
}

// Now is the machine's time plus everything it was advanced by.
func (c *Shifted) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Shifted) now() time.Time { return time.Now().UTC().Add(c.offset) }

// AfterFunc implements Clock.
func (c *Shifted) AfterFunc(d time.Duration, f func()) Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &shiftedTimer{clock: c, due: c.now().Add(d), run: f}
	heap.Push(&c.queue, t)
	c.rearm()
	return t
}

// Advance moves the clock forward by d (a d of zero or less only runs what is
// due). Functions run one after the other in the order they fall due, each at
// its own instant, so that a function which schedules another sees it run too
// when that one is due as well. Functions that fell due by themselves and are
// still running are waited for.
func (c *Shifted) Advance(d time.Duration) {
	c.advance.Lock()
	defer c.advance.Unlock()

	c.mu.Lock()
	target := c.now().Add(max(d, 0))
	for {
		if c.running > 0 {
			// It may have taken what is due now, and may schedule more of it.
			c.idle.Wait()
			continue
		}
		if len(c.queue) == 0 || c.queue[0].due.After(target) {
			break
		}
		t := heap.Pop(&c.queue).(*shiftedTimer)
		if ahead := t.due.Sub(c.now()); ahead > 0 {
			c.offset += ahead
		}
		c.mu.Unlock()
		t.run()
		c.mu.Lock()
	}
	if ahead := target.Sub(c.now()); ahead > 0 {
		c.offset += ahead
	}
	c.rearm()
	c.mu.Unlock()
}

// rearm points the machine's timer at the earliest entry. The caller holds mu.
func (c *Shifted) rearm() {
	if c.wake != nil {
		c.wake.Stop()
		c.wake = nil
	}
	if len(c.queue) == 0 {
		return
	}
	c.wake = time.AfterFunc(c.queue[0].due.Sub(c.now()), c.runDue)
}

// runDue starts every function whose time has come at the machine's own pace.
func (c *Shifted) runDue() {
	c.mu.Lock()
	var due []*shiftedTimer
	now := c.now()
	for len(c.queue) > 0 && !c.queue[0].due.After(now) {
		due = append(due, heap.Pop(&c.queue).(*shiftedTimer))
	}
	c.running += len(due)
	c.rearm()
	c.mu.Unlock()
	for _, t := range due {
		go c.runOne(t)
	}
}

func (c *Shifted) runOne(t *shiftedTimer) {
	t.run()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running--; c.running == 0 {
		c.idle.Broadcast()
	}
}

type shiftedTimer struct {
	clock *Shifted
	due   time.Time
	run   func()
	index int // position in the heap, -1 once it left
}

func (t *shiftedTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	if t.index < 0 {
		return false
	}
	heap.Remove(&t.clock.queue, t.index)
	t.clock.rearm()
	return true
}

type timerHeap []*shiftedTimer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timerHeap) Push(x any) {
	t := x.(*shiftedTimer)
	t.index = len(*h)
	*h = append(*h, t)
}

func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	t.index = -1
	return t
}
