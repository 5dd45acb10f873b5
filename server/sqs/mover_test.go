package sqs

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// Queen on PostgreSQL may overlook a lane for a moment; a task is not over then.
func TestMoveTaskLooksAgain(t *testing.T) {
	var overlooked atomic.Int32
	missed := make(chan struct{}, 100)
	w := &watched{
		capabilities: func(c queen.Capabilities) queen.Capabilities { c.Engine = forgetfulEngine; return c },
		onPop: func(_ int, req queen.PopRequest) (queen.PopResult, error) {
			if req.LeaseSeconds == moveLeaseSeconds && overlooked.Add(1)%3 == 1 {
				missed <- struct{}{}
				return queen.PopResult{}, nil
			}
			return queen.PopResult{}, errThrough
		},
	}
	r := newRig(t, watch(w))
	source, dlq := r.withDLQ("orders", "1", nil)
	r.dead(source, dlq, 12)
	overlooked.Store(0)
	r.start("orders-dlq")
	stop := make(chan struct{})
	defer close(stop)
	go func() { // the pauses are on the rig's clock
		for {
			select {
			case <-missed:
			case <-stop:
				return
			}
			for range 20 {
				time.Sleep(time.Millisecond)
				r.clock.Advance(emptyPause / 10)
			}
		}
	}()
	task := r.ends("orders-dlq", taskCompleted)
	if task.get("ApproximateNumberOfMessagesMoved") != "12" {
		t.Errorf("task %v", task)
	}
	if got := r.drain(source); len(got) != 12 {
		t.Errorf("restored %v", got)
	}
}

func TestTasksStartMillisecondsApart(t *testing.T) {
	var s starts
	at := time.UnixMilli(1000)
	for i, want := range []int64{1000, 1001, 1002, 1500, 1501} {
		if i == 3 {
			at = time.UnixMilli(1500)
		}
		if got := s.next(at).UnixMilli(); got != want {
			t.Errorf("start %d at %d, want %d", i, got, want)
		}
	}
}
