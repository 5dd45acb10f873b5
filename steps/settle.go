package steps

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// settling is what a scenario has changed that another instance of a distributed
// target may not have noticed yet. The target's Abilities state the times, and
// the run waits exactly as long: what is seen afterwards must be right.
type settling struct {
	records time.Time // from then on every instance knows the records
	pushes  time.Time // from then on every receive finds what was sent
}

// changesRecords are the actions whose effect instances learn from the record of
// a queue, a topic or a subscription, which they may keep for a while. Amazon says of the
// same changes that they take up to 60 seconds. Creating is none of them: what is
// missing is never remembered.
var changesRecords = map[string]bool{
	"SetQueueAttributes": true, "DeleteQueue": true, "AddPermission": true, "RemovePermission": true,
	"TagQueue": true, "UntagQueue": true,
	"SetTopicAttributes": true, "DeleteTopic": true, "Subscribe": true, "Unsubscribe": true,
	"ConfirmSubscription": true, "SetSubscriptionAttributes": true, "TagResource": true, "UntagResource": true,
}

// finds are the actions that look at the messages of a queue.
var finds = map[string]bool{"ReceiveMessage": true, "GetQueueAttributes": true}

func (w *World) unsettle(action string, _ client.Params) {
	a := w.target.Abilities()
	switch {
	case changesRecords[action]:
		w.settling.records = time.Now().Add(a.RecordsSettle)
	case strings.HasPrefix(action, "SendMessage"), strings.HasPrefix(action, "Publish"):
		w.settling.pushes = time.Now().Add(a.PushesSettle)
	case strings.HasPrefix(action, "ChangeMessageVisibility"):
		w.settling.pushes = time.Now().Add(a.ReleasesSettle)
	}
}

// settle waits before a call for what must have settled. A call that changes a
// record reads it past every cache, and needs no wait.
func (w *World) settle(ctx context.Context, action string) error {
	if changesRecords[action] || strings.HasPrefix(action, "Create") {
		return nil
	}
	until := w.settling.records
	if finds[action] && w.settling.pushes.After(until) {
		until = w.settling.pushes
	}
	left := time.Until(until)
	if left <= 0 {
		return nil
	}
	w.suite.Report.settled(left)
	select {
	case <-time.After(left):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lookAhead keeps the steps that follow the one that begins.
func (w *World) lookAhead(ctx context.Context, st *godog.Step) (context.Context, error) {
	if w.scenario == nil {
		return ctx, nil
	}
	for i, s := range w.scenario.Steps {
		if s.Id == st.Id {
			w.ahead = w.scenario.Steps[i+1:]
		}
	}
	return ctx, nil
}

var returnsNothing = regexp.MustCompile(`^(the receive|this gateway|Amazon) returns nothing$`)

// expectsNothing reports whether the step after a receive says that it returns
// nothing here.
func (w *World) expectsNothing() bool {
	for _, st := range w.ahead {
		m := returnsNothing.FindStringSubmatch(st.Text)
		if m == nil {
			return false
		}
		if m[1] == "the receive" || m[1] == string(w.target.Abilities().Side) {
			return true
		}
	}
	return false
}

// askAgain repeats a receive that returned fewer than want messages, where
// messages may be found late, and adds what it gets to what was received.
func (w *World) askAgain(ctx context.Context, want int) error {
	late := w.target.Abilities().MessagesLate
	if late == 0 || w.receiving == nil || len(w.received) >= want {
		return nil
	}
	begun, delayed := time.Now(), false
	for len(w.received) < want {
		if time.Since(begun) >= late {
			if delayed {
				break
			}
			delayed = true
			again, err := w.delayAgain(ctx)
			if err != nil {
				return err
			}
			late += again
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
		had := w.received
		if err := w.must(ctx, "ReceiveMessage", w.receiving); err != nil {
			return err
		}
		got := w.received
		for _, m := range got {
			if !w.deleting {
				break
			}
			if err := w.must(ctx, "DeleteMessage", client.Params{"QueueUrl": w.receiving["QueueUrl"], "ReceiptHandle": m["ReceiptHandle"]}); err != nil {
				return err
			}
		}
		w.received = append(had, got...)
	}
	w.suite.Report.foundLate(w.scenario, time.Since(begun), len(w.received) >= want)
	return nil
}

// find looks for a message among those received, and asks again for one that may
// be found late.
func (w *World) find(ctx context.Context, is func(client.Params) bool) (client.Params, error) {
	for seen := 0; ; {
		for _, m := range w.received[min(seen, len(w.received)):] {
			if is(m) {
				return m, nil
			}
		}
		seen = len(w.received)
		if err := w.askAgain(ctx, seen+1); err != nil || len(w.received) == seen {
			return nil, err
		}
	}
}

// withBody is a message with that body.
func withBody(body string) func(client.Params) bool {
	return func(m client.Params) bool { return m["Body"] == body }
}

// delayAgain is the delay of the queue that a receive is asked again of, where
// it may have begun anew.
func (w *World) delayAgain(ctx context.Context) (time.Duration, error) {
	if !w.target.Abilities().DelaysAgain {
		return 0, nil
	}
	had := w.received
	err := w.must(ctx, "GetQueueAttributes", client.Params{"QueueUrl": w.receiving["QueueUrl"], "AttributeNames": []any{"DelaySeconds"}})
	w.received = had
	if err != nil {
		return 0, err
	}
	attributes, _ := w.last.answer["Attributes"].(client.Params)
	seconds, _ := attributes["DelaySeconds"].(string)
	return duration(seconds, "seconds"), nil
}

// maybeMore reports whether a queue in which a receive found nothing says that it
// has messages, where they may be found late and it is not later than until.
// Those may also be messages behind others that are in flight.
func (w *World) maybeMore(ctx context.Context, queue string, until time.Time) (bool, error) {
	if w.target.Abilities().MessagesLate == 0 || time.Now().After(until) {
		return false, nil
	}
	p := client.Params{"QueueUrl": w.url(queue), "AttributeNames": []any{"ApproximateNumberOfMessages"}}
	if err := w.must(ctx, "GetQueueAttributes", p); err != nil {
		return false, err
	}
	attributes, _ := w.last.answer["Attributes"].(client.Params)
	if attributes["ApproximateNumberOfMessages"] == "0" {
		return false, nil
	}
	select {
	case <-time.After(100 * time.Millisecond):
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
