package steps

import (
	"context"
	"fmt"
	"strconv"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// Steps that account for every message of a queue, held, waiting and received.
func (w *World) registerCounting(sc *godog.ScenarioContext) {
	sc.Step(`^this gateway holds at most (\d+) of the (\d+) messages of "([^"]*)" and counts all of them$`, w.holdsAtMost)
	sc.Step(`^this gateway counts the (\d+) messages? of "([^"]*)" as delayed or, where the broker cannot tell, as visible$`, w.countsHidden)
	sc.Step(`^I delete what I hold of "([^"]*)"$`, w.deleteHeld)
	sc.Step(`^each of the (\d+) messages came once$`, func(ctx context.Context, n int) error {
		if err := w.askAgain(ctx, len(w.received)+n-len(w.handles)); err != nil {
			return err
		}
		if len(w.handles) != n {
			return fmt.Errorf("%d different messages came", len(w.handles))
		}
		for body, handles := range w.handles {
			if len(handles) != 1 {
				return fmt.Errorf("%q came %d times", body, len(handles))
			}
		}
		return nil
	})
}

// counts are a queue's three counters.
type counts struct{ visible, inFlight, delayed int }

func (w *World) count(ctx context.Context, queue string) (counts, error) {
	names := []string{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed"}
	asked := []any{}
	for _, n := range names {
		asked = append(asked, n)
	}
	if err := w.must(ctx, "GetQueueAttributes", client.Params{"QueueUrl": w.url(queue), "AttributeNames": asked}); err != nil {
		return counts{}, err
	}
	attributes, _ := w.last.answer["Attributes"].(client.Params)
	var c counts
	for i, into := range []*int{&c.visible, &c.inFlight, &c.delayed} {
		text, _ := attributes[names[i]].(string)
		n, err := strconv.Atoi(text)
		if err != nil {
			return counts{}, fmt.Errorf("%s is %q", names[i], text)
		}
		*into = n
	}
	return c, nil
}

// holdsAtMost compares what the last receives kept with the counters.
func (w *World) holdsAtMost(ctx context.Context, most, all int, queue string) error {
	if err := w.unlooked(); err != nil || !w.sideApplies(string(target.ThisGateway)) {
		return err
	}
	held := len(w.received)
	if held < 1 || held > most {
		return fmt.Errorf("%d messages are held", held)
	}
	c, err := w.count(ctx, queue)
	if err != nil {
		return err
	}
	if want := (counts{visible: all - held, inFlight: held}); c != want {
		return fmt.Errorf("%d of %d messages are held and the counters are %+v", held, all, c)
	}
	return nil
}

func (w *World) countsHidden(ctx context.Context, n int, queue string) error {
	if err := w.unlooked(); err != nil || !w.sideApplies(string(target.ThisGateway)) {
		return err
	}
	c, err := w.count(ctx, queue)
	if err != nil {
		return err
	}
	if c != (counts{delayed: n}) && c != (counts{visible: n}) {
		return fmt.Errorf("the counters of %s are %+v", queue, c)
	}
	return nil
}

// deleteHeld deletes what the last receives kept, in batches.
func (w *World) deleteHeld(ctx context.Context, queue string) error {
	held := w.received
	for len(held) > 0 {
		entries := []any{}
		for i, m := range held[:min(10, len(held))] {
			entries = append(entries, client.Params{"Id": strconv.Itoa(i), "ReceiptHandle": m["ReceiptHandle"]})
		}
		if err := w.must(ctx, "DeleteMessageBatch", client.Params{"QueueUrl": w.url(queue), "Entries": entries}); err != nil {
			return err
		}
		if failed := list(w.last.answer["Failed"]); len(failed) > 0 {
			return fmt.Errorf("%d of %d entries were not deleted: %v", len(failed), len(entries), failed[0])
		}
		held = held[len(entries):]
	}
	return nil
}
