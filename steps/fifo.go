package steps

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// Steps of FIFO queues. A body such as "a1" is the first message of group a; it
// is its own deduplication id.
func (w *World) registerFIFO(sc *godog.ScenarioContext) {
	sc.Step(`^((?:"[^"]*"(?:, | and )?)+) (?:was|were) sent to the groups of "([^"]*)"$`, func(ctx context.Context, list, queue string) error {
		bodies, err := w.quotedList(list)
		if err != nil {
			return err
		}
		for _, body := range bodies {
			if err := w.must(ctx, "SendMessage", w.grouped(queue, body)); err != nil {
				return err
			}
		}
		return nil
	})
	sc.Step(`^I send "([^"]*)" to its group of "([^"]*)"$`, func(ctx context.Context, body, queue string) error {
		return w.call(ctx, "SendMessage", w.grouped(queue, body))
	})
	sc.Step(`^I receive up to (\d+) messages from "([^"]*)" in the attempt "([^"]*)"$`, func(ctx context.Context, most, queue, attempt string) error {
		w.received, w.receiving = nil, nil
		return w.call(ctx, "ReceiveMessage", client.Params{
			"QueueUrl": w.url(queue), "MaxNumberOfMessages": typed("MaxNumberOfMessages", most), "ReceiveRequestAttemptId": attempt,
		})
	})
	sc.Step(`^(the receive|this gateway|Amazon) returns ("[^"]*"(?:, "[^"]*")*) with each group in order$`, func(ctx context.Context, subject, bodies string) error {
		if err := w.returned(ctx, subject, bodies, false); err != nil {
			return err
		}
		return w.groupsInOrder()
	})
	sc.Step(`^(the receive|this gateway|Amazon) returns messages of one group in order$`, func(ctx context.Context, subject string) error {
		if err := w.unlooked(); err != nil || !w.sideApplies(subject) {
			return err
		}
		if err := w.askAgain(ctx, 1); err != nil {
			return err
		}
		groups := map[string]bool{}
		for _, m := range w.received {
			groups[groupOf(m["Body"])] = true
		}
		if len(groups) != 1 {
			return fmt.Errorf("the receive returned the groups %v", slices.Sorted(maps.Keys(groups)))
		}
		return w.groupsInOrder()
	})
	sc.Step(`^"([^"]*)" is less than "([^"]*)"$`, func(a, b string) error {
		var x, y big.Int
		for text, n := range map[string]*big.Int{a: &x, b: &y} {
			text, err := w.expand(text)
			if err != nil {
				return err
			}
			if _, ok := n.SetString(text, 10); !ok {
				return fmt.Errorf("%q is no number", text)
			}
		}
		if x.Cmp(&y) >= 0 {
			return fmt.Errorf("%v is not less than %v", &x, &y)
		}
		return nil
	})
	sc.Step(`^exactly one waiting receive returns "([^"]*)"$`, w.oneWaitingReturns)
	sc.Step(`^every waiting receive is still waiting$`, func() error {
		for _, b := range w.waiting {
			select {
			case <-b.done:
				return fmt.Errorf("a receive returned %v (error %v)", b.answer, b.err)
			default:
			}
		}
		return nil
	})
}

func (w *World) grouped(queue, body string) client.Params {
	return client.Params{"QueueUrl": w.url(queue), "MessageBody": body, "MessageGroupId": groupOf(body), "MessageDeduplicationId": body}
}

// groupOf is a body without its number.
func groupOf(body any) string {
	s, _ := body.(string)
	return strings.TrimRight(s, "0123456789")
}

// groupsInOrder checks that the numbers of each group rise in what was received.
func (w *World) groupsInOrder() error {
	last := map[string]int{}
	for _, m := range w.received {
		body, _ := m["Body"].(string)
		group := groupOf(body)
		n := 0
		if _, err := fmt.Sscan(strings.TrimPrefix(body, group), &n); err != nil {
			return fmt.Errorf("%q has no number", body)
		}
		if n <= last[group] {
			return fmt.Errorf("%q came after %s%d", body, group, last[group])
		}
		last[group] = n
	}
	return nil
}

// oneWaitingReturns waits for the first of the waiting receives to return, which
// has to be with that message, and forgets it.
func (w *World) oneWaitingReturns(ctx context.Context, body string) error {
	for range 600 {
		for i, b := range w.waiting {
			select {
			case <-b.done:
			default:
				continue
			}
			w.waiting = slices.Delete(w.waiting, i, i+1)
			if b.err != nil {
				return fmt.Errorf("the waiting receive: %w", b.err)
			}
			w.received = messagesOf(b.answer)
			w.learnReceived(w.received)
			w.receiving = nil
			return w.returned(ctx, "the receive", fmt.Sprintf("%q", body), false)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("no waiting receive returns")
}
