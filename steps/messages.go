package steps

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

func (w *World) registerMessages(sc *godog.ScenarioContext) {
	sc.Step(`^I send ("[^"]*") to "([^"]*)"$`, func(ctx context.Context, body, queue string) error {
		bodies, err := w.quotedList(body)
		if err != nil {
			return err
		}
		return w.call(ctx, "SendMessage", client.Params{"QueueUrl": w.url(queue), "MessageBody": bodies[0]})
	})
	sc.Step(`^((?:"[^"]*"(?:, | and )?)+) (?:was|were) sent to "([^"]*)"$`, func(ctx context.Context, list, queue string) error {
		bodies, err := w.quotedList(list)
		if err != nil {
			return err
		}
		for _, b := range bodies {
			if err := w.must(ctx, "SendMessage", client.Params{"QueueUrl": w.url(queue), "MessageBody": b}); err != nil {
				return err
			}
		}
		return nil
	})
	sc.Step(`^(\d+) messages were sent to "([^"]*)"$`, w.sendMany)
	sc.Step(`^I send to "([^"]*)":$`, func(ctx context.Context, queue string, t *godog.Table) error {
		return w.sendTo(ctx, "SendMessage", queue, t)
	})
	sc.Step(`^I send a batch to "([^"]*)":$`, w.sendBatch)
	sc.Step(`^I receive (?:a message|up to (\d+) messages) from "([^"]*)"`+
		`(?: with a visibility timeout of (\d+) seconds?)?`+
		`(?: waiting up to (\d+) seconds?)?`+
		`(?: asking for (.+))?$`, w.receive)
	sc.Step(`^I receive and delete everything in "([^"]*)"$`, func(ctx context.Context, queue string) error {
		return w.drain(ctx, queue, true)
	})
	sc.Step(`^I receive everything in "([^"]*)" and keep it$`, func(ctx context.Context, queue string) error {
		return w.drain(ctx, queue, false)
	})

	sc.Step(`^(the receive|this gateway|Amazon) returns nothing$`, func(ctx context.Context, subject string) error {
		return w.returned(ctx, subject, "", false)
	})
	sc.Step(`^(the receive|this gateway|Amazon) returns ("[^"]*"(?:, "[^"]*")*)$`, func(ctx context.Context, subject, bodies string) error {
		return w.returned(ctx, subject, bodies, false)
	})
	sc.Step(`^(the receive|this gateway|Amazon) returns ("[^"]*"(?:, "[^"]*")*) in this order$`, func(ctx context.Context, subject, bodies string) error {
		return w.returned(ctx, subject, bodies, true)
	})
	sc.Step(`^(the receive|this gateway|Amazon) returns (\d+) messages?$`, func(ctx context.Context, subject string, n int) error {
		if err := w.unlooked(); err != nil {
			return err
		}
		if !w.sideApplies(subject) {
			return nil
		}
		if err := w.askAgain(ctx, n); err != nil {
			return err
		}
		if len(w.received) != n {
			return fmt.Errorf("the receive returned %d messages", len(w.received))
		}
		return nil
	})
	sc.Step(`^the receive returns at least (\d+) messages?$`, func(ctx context.Context, n int) error {
		if err := w.unlooked(); err != nil {
			return err
		}
		if err := w.askAgain(ctx, n); err != nil {
			return err
		}
		if len(w.received) < n {
			return fmt.Errorf("the receive returned %d messages", len(w.received))
		}
		return nil
	})
	sc.Step(`^(the|this gateway's|Amazon's) message "([^"]*)" has:$`, func(ctx context.Context, subject, body string, t *godog.Table) error {
		return w.messageHas(ctx, subject, body, t, false)
	})
	sc.Step(`^(the|this gateway's|Amazon's) message "([^"]*)" has exactly:$`, func(ctx context.Context, subject, body string, t *godog.Table) error {
		return w.messageHas(ctx, subject, body, t, true)
	})
}

func (w *World) sendMany(ctx context.Context, n int, queue string) error {
	for first := 1; first <= n; first += 10 {
		entries := []any{}
		for i := first; i <= min(first+9, n); i++ {
			entries = append(entries, client.Params{"Id": "m" + strconv.Itoa(i), "MessageBody": "message " + strconv.Itoa(i)})
		}
		if err := w.must(ctx, "SendMessageBatch", client.Params{"QueueUrl": w.url(queue), "Entries": entries}); err != nil {
			return err
		}
		if got := len(list(w.last.answer["Successful"])); got != len(entries) {
			return fmt.Errorf("%d of %d entries were sent: %v", got, len(entries), w.last.answer)
		}
	}
	return nil
}

func (w *World) sendTo(ctx context.Context, action, queue string, t *godog.Table) error {
	p, err := w.params(t)
	if err != nil {
		return err
	}
	p["QueueUrl"] = w.url(queue)
	return w.call(ctx, action, p)
}

// sendBatch reads a table with a heading row of entry members.
func (w *World) sendBatch(ctx context.Context, queue string, t *godog.Table) error {
	entries, err := w.entries(t)
	if err != nil {
		return err
	}
	return w.call(ctx, "SendMessageBatch", client.Params{"QueueUrl": w.url(queue), "Entries": entries})
}

// entries reads a table with a heading row of member paths, one entry a row. An
// empty cell leaves the member out.
func (w *World) entries(t *godog.Table) ([]any, error) {
	entries := []any{}
	for _, row := range t.Rows[1:] {
		entry := client.Params{}
		for i, cell := range row.Cells {
			if cell.Value == "" {
				continue
			}
			v, err := w.expand(cell.Value)
			if err != nil {
				return nil, err
			}
			if err := set(entry, t.Rows[0].Cells[i].Value, v); err != nil {
				return nil, err
			}
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

func (w *World) receive(ctx context.Context, most, queue, visibility, wait, asking string) error {
	p := client.Params{"QueueUrl": w.url(queue)}
	w.receiving, w.deleting = p, false
	for name, v := range map[string]string{"MaxNumberOfMessages": most, "VisibilityTimeout": visibility, "WaitTimeSeconds": wait} {
		if v != "" {
			p[name] = typed(name, v)
		}
	}
	if err := w.asking(p, asking); err != nil {
		return err
	}
	w.received = nil
	if err := w.call(ctx, "ReceiveMessage", p); err != nil || w.last.err != nil || w.expectsNothing() {
		return err
	}
	return w.askAgain(ctx, 1)
}

// asking reads what a receive asks for: "all attributes" (system and message),
// "the system attributes A, B", "the message attributes a, b", joined by "and".
func (w *World) asking(p client.Params, what string) error {
	if what == "" {
		return nil
	}
	if what == "all attributes" {
		p["AttributeNames"], p["MessageAttributeNames"] = []any{"All"}, []any{"All"}
		return nil
	}
	for part := range strings.SplitSeq(what, " and the ") {
		part = strings.TrimPrefix(part, "the ")
		if names, ok := cutNames(part, "system attribute"); ok {
			p["AttributeNames"] = names
		} else if names, ok := cutNames(part, "message attribute"); ok {
			p["MessageAttributeNames"] = names
		} else {
			return fmt.Errorf("cannot ask for %q", part)
		}
	}
	return nil
}

func cutNames(s, kind string) ([]any, bool) {
	rest, ok := strings.CutPrefix(s, kind)
	if !ok {
		return nil, false
	}
	out := []any{}
	for n := range strings.SplitSeq(strings.TrimPrefix(rest, "s"), ",") {
		out = append(out, strings.TrimSpace(n))
	}
	return out, true
}

// drainLag is how long a drain waits for what a queue says it has and does not
// give. Messages behind others in flight are among that; the step that looks at
// what was drained asks for longer.
const drainLag = 3 * time.Second

// drain receives, and deletes when told to, until the queue has nothing more to
// give. All it got is what the receive returned.
func (w *World) drain(ctx context.Context, queue string, deleting bool) error {
	var all []client.Params
	p := client.Params{"QueueUrl": w.url(queue), "MaxNumberOfMessages": int64(10), "AttributeNames": []any{"All"}, "MessageAttributeNames": []any{"All"}}
	empties, late := 1, min(w.target.Abilities().MessagesLate, drainLag)
	if a := w.target.Abilities(); !a.MovesClock && a.Side == target.Amazon {
		empties = 3
		p["WaitTimeSeconds"] = int64(1)
	}
	found := time.Now()
	for none := 0; none < empties; {
		if err := w.must(ctx, "ReceiveMessage", p); err != nil {
			return err
		}
		got := w.received
		if len(got) == 0 {
			more, err := w.maybeMore(ctx, queue, found.Add(late))
			if err != nil {
				return err
			}
			if !more {
				none++
			}
			continue
		}
		none, found = 0, time.Now()
		all = append(all, got...)
		if len(all) > 10000 {
			return fmt.Errorf("%s does not run dry", queue)
		}
		for _, m := range got {
			if !deleting {
				break
			}
			if err := w.must(ctx, "DeleteMessage", client.Params{"QueueUrl": w.url(queue), "ReceiptHandle": m["ReceiptHandle"]}); err != nil {
				return err
			}
		}
	}
	w.received, w.receiving, w.deleting = all, p, deleting
	return nil
}

func (w *World) returned(ctx context.Context, subject, quotedBodies string, ordered bool) error {
	if err := w.unlooked(); err != nil {
		return err
	}
	if !w.sideApplies(subject) {
		return nil
	}
	want, err := w.quotedList(quotedBodies)
	if err != nil {
		return err
	}
	if err := w.askAgain(ctx, len(want)); err != nil {
		return err
	}
	var got []string
	for _, m := range w.received {
		body, _ := m["Body"].(string)
		got = append(got, body)
	}
	return sameBodies(got, want, ordered)
}

func sameBodies(got, want []string, ordered bool) error {
	a, b := slices.Clone(got), slices.Clone(want)
	if !ordered {
		slices.Sort(a)
		slices.Sort(b)
	}
	if slices.Equal(a, b) {
		return nil
	}
	return fmt.Errorf("the receive returned %s, not %s", short(fmt.Sprintf("%q", got)), short(fmt.Sprintf("%q", want)))
}

func (w *World) messageHas(ctx context.Context, subject, body string, t *godog.Table, exactly bool) error {
	if err := w.unlooked(); err != nil {
		return err
	}
	if !w.sideApplies(subject) {
		return nil
	}
	want, err := w.expand(body)
	if err != nil {
		return err
	}
	m, err := w.find(ctx, withBody(want))
	if err != nil {
		return err
	}
	if m == nil {
		return fmt.Errorf("no message %q was received", short(want))
	}
	return w.compare(fmt.Sprintf("message %q", short(want)), m, t, exactly)
}
