package steps

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"time"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// The steps that need time; the suite reads them before a scenario starts.
var (
	passing = regexp.MustCompile(`^(\d+) (seconds?|minutes?|hours?|days?) pass(?:es)?$`)
	parking = regexp.MustCompile(`^a receive from "([^"]*)" waits for up to (\d+) seconds$`)
)

func duration(n, unit string) time.Duration {
	count, _ := strconv.Atoi(n)
	switch unit[0] {
	case 'm':
		return time.Duration(count) * time.Minute
	case 'h':
		return time.Duration(count) * time.Hour
	case 'd':
		return time.Duration(count) * 24 * time.Hour
	}
	return time.Duration(count) * time.Second
}

func (w *World) registerTime(sc *godog.ScenarioContext) {
	sc.Step(passing.String(), func(ctx context.Context, n, unit string) error {
		return w.pass(ctx, duration(n, unit))
	})
	sc.Step(`^the gateway is stopped and started again$`, func(ctx context.Context) error {
		if err := w.unlooked(); err != nil {
			return err
		}
		if err := w.target.Restart(ctx); err != nil {
			return err
		}
		old := w.queues
		w.queues = map[string]string{}
		for name := range old {
			w.queues[name] = w.url(name) // the port may be another one
		}
		w.connect()
		return nil
	})
	sc.Step(parking.String(), w.park)
	sc.Step(`^a receive from "([^"]*)" waits as long as the queue says$`, func(ctx context.Context, queue string) error {
		return w.park(ctx, queue, "")
	})
	sc.Step(`^the waiting receive is still waiting$`, func() error {
		b, err := w.parked()
		if err != nil {
			return err
		}
		select {
		case <-b.done:
			return fmt.Errorf("the receive returned %v (error %v)", b.answer, b.err)
		default:
			return nil
		}
	})
	sc.Step(`^the waiting receive returns ("[^"]*"(?:, "[^"]*")*)$`, func(ctx context.Context, bodies string) error {
		if err := w.join(ctx, false); err != nil {
			return err
		}
		return w.returned(ctx, "the receive", bodies, false)
	})
	sc.Step(`^the waiting receive returns nothing$`, func(ctx context.Context) error {
		if err := w.join(ctx, true); err != nil {
			return err
		}
		return w.returned(ctx, "the receive", "", false)
	})
}

// pass lets time go by: by moving the clock, else for real.
func (w *World) pass(ctx context.Context, d time.Duration) error {
	if err := w.unlooked(); err != nil {
		return err
	}
	if w.target.Abilities().MovesClock {
		return w.target.Advance(ctx, d)
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// patience is how often something is tried where the service is distributed and
// its answers lag; on a target that is one process once is enough.
func (w *World) patience(tries int) int {
	if w.target.Abilities().MovesClock {
		return 1
	}
	return tries
}

func (w *World) second(ctx context.Context) {
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
}

// background is a receive that runs beside the scenario.
type background struct {
	cancel context.CancelFunc
	done   chan struct{}
	rec    *client.Recorder
	answer client.Params
	err    error
}

// park starts a receive; an empty wait leaves the time to the queue.
func (w *World) park(ctx context.Context, queue, wait string) error {
	if err := w.unlooked(); err != nil {
		return err
	}
	w.suite.Report.called("ReceiveMessage", w.suite.Protocol, w.scenario)
	p := client.Params{"QueueUrl": w.url(queue)}
	if wait != "" {
		p["WaitTimeSeconds"] = typed("WaitTimeSeconds", wait)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b := &background{cancel: cancel, done: make(chan struct{}), rec: &client.Recorder{Watch: w.oracle.check}}
	w.waiting = append(w.waiting, b)
	own := client.New(w.suite.Protocol, w.target.Config(), b.rec)
	go func() {
		defer close(b.done)
		b.answer, b.err = w.poll(ctx, own, p)
	}()
	return nil
}

// poll is one long poll. Where gateways stop under it, which answers a poll
// before its time, it is made again for what is left of the time, as any consumer
// does.
func (w *World) poll(ctx context.Context, c client.Client, p client.Params) (client.Params, error) {
	if !w.target.Abilities().Cuts {
		return c.Call(ctx, client.SQS, "ReceiveMessage", p)
	}
	seconds, ok := p["WaitTimeSeconds"].(int64)
	if !ok {
		answer, err := c.Call(ctx, client.SQS, "GetQueueAttributes", client.Params{"QueueUrl": p["QueueUrl"], "AttributeNames": []any{"ReceiveMessageWaitTimeSeconds"}})
		if err != nil {
			return nil, err
		}
		attributes, _ := answer["Attributes"].(client.Params)
		text, _ := attributes["ReceiveMessageWaitTimeSeconds"].(string)
		if seconds, err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, err
		}
	}
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	p = maps.Clone(p)
	for {
		p["WaitTimeSeconds"] = max(int64(time.Until(end).Round(time.Second)/time.Second), 0)
		answer, err := c.Call(ctx, client.SQS, "ReceiveMessage", p)
		if err != nil || len(messagesOf(answer)) > 0 || time.Until(end) < time.Second/2 {
			return answer, err
		}
	}
}

func (w *World) parked() (*background, error) {
	if len(w.waiting) == 0 {
		return nil, fmt.Errorf("no receive is waiting")
	}
	return w.waiting[len(w.waiting)-1], nil
}

// join waits for the receive to return. When it is to run into its time limit,
// the clock is moved along until it does.
func (w *World) join(ctx context.Context, moving bool) error {
	b, err := w.parked()
	if err != nil {
		return err
	}
	defer b.cancel()
	moving = moving && w.target.Abilities().MovesClock
	for range 600 {
		select {
		case <-b.done:
			if b.err != nil {
				return fmt.Errorf("the waiting receive: %w", b.err)
			}
			w.received, w.receiving = messagesOf(b.answer), nil
			w.learnReceived(w.received)
			return nil
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
		if moving {
			if err := w.target.Advance(ctx, time.Second); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("the waiting receive does not return")
}
