package steps

import (
	"context"
	"fmt"
	"strings"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

func (w *World) registerQueues(sc *godog.ScenarioContext) {
	w.registerCounting(sc)
	sc.Step(`^a queue "([^"]*)"$`, func(ctx context.Context, name string) error {
		return w.createQueue(ctx, name, nil, nil)
	})
	sc.Step(`^a queue "([^"]*)" with attributes:$`, func(ctx context.Context, name string, t *godog.Table) error {
		return w.createQueue(ctx, name, t, nil)
	})
	sc.Step(`^a queue "([^"]*)" with tags:$`, func(ctx context.Context, name string, t *godog.Table) error {
		return w.createQueue(ctx, name, nil, t)
	})
	sc.Step(`^a FIFO queue "([^"]*)"$`, func(ctx context.Context, name string) error {
		return w.createQueue(ctx, name, fifo(), nil)
	})
	sc.Step(`^a FIFO queue "([^"]*)" with attributes:$`, func(ctx context.Context, name string, t *godog.Table) error {
		t.Rows = append(t.Rows, fifo().Rows...)
		return w.createQueue(ctx, name, t, nil)
	})

	sc.Step(`^I create the queue "([^"]*)"$`, func(ctx context.Context, name string) error {
		return w.call(ctx, "CreateQueue", client.Params{"QueueName": w.real(name)})
	})
	sc.Step(`^I create the queue "([^"]*)" with attributes:$`, func(ctx context.Context, name string, t *godog.Table) error {
		attributes, err := w.pairs(t)
		if err != nil {
			return err
		}
		return w.call(ctx, "CreateQueue", client.Params{"QueueName": w.real(name), "Attributes": attributes})
	})
	sc.Step(`^I create the queue "([^"]*)" with tags:$`, func(ctx context.Context, name string, t *godog.Table) error {
		tags, err := w.pairs(t)
		if err != nil {
			return err
		}
		return w.call(ctx, "CreateQueue", client.Params{"QueueName": w.real(name), "Tags": tags})
	})
	sc.Step(`^I delete the queue "([^"]*)"$`, func(ctx context.Context, name string) error {
		return w.call(ctx, "DeleteQueue", client.Params{"QueueUrl": w.url(name)})
	})
	sc.Step(`^I ask for the URL of "([^"]*)"$`, func(ctx context.Context, name string) error {
		return w.call(ctx, "GetQueueUrl", client.Params{"QueueName": w.real(name)})
	})
	sc.Step(`^I list the queues whose names begin with "([^"]*)"$`, func(ctx context.Context, prefix string) error {
		return w.call(ctx, "ListQueues", client.Params{"QueueNamePrefix": w.real(prefix)})
	})
	sc.Step(`^I ask for the attributes? (.+) of "([^"]*)"$`, func(ctx context.Context, names, queue string) error {
		p := client.Params{"QueueUrl": w.url(queue)}
		if err := set(p, "AttributeNames", strings.ReplaceAll(names, " and ", ",")); err != nil {
			return err
		}
		return w.call(ctx, "GetQueueAttributes", p)
	})
	sc.Step(`^I set the attributes of "([^"]*)":$`, func(ctx context.Context, queue string, t *godog.Table) error {
		attributes, err := w.pairs(t)
		if err != nil {
			return err
		}
		return w.call(ctx, "SetQueueAttributes", client.Params{"QueueUrl": w.url(queue), "Attributes": attributes})
	})
	sc.Step(`^the list names exactly the queues (.+)$`, w.listNames)
	sc.Step(`^the list names no queue$`, func() error { return w.listNames("") })
	sc.Step(`^the answer's QueueUrl is the URL of "([^"]*)"$`, func(name string) error {
		if err := w.unlooked(); err != nil {
			return err
		}
		got, _ := w.last.answer["QueueUrl"].(string)
		path := "/" + w.accountOf(name) + "/" + w.real(name)
		// Elsewhere the host may be one of the service's own choosing.
		if w.target.Abilities().Side == target.ThisGateway {
			path = w.target.Config().Endpoints[0] + path
		}
		if !strings.HasSuffix(got, path) || !strings.Contains(got, "://") {
			return fmt.Errorf("QueueUrl is %q, not %s", got, path)
		}
		return nil
	})
	sc.Step(`^"([^"]*)" has (\d+) messages?, (\d+) in flight and (\d+) delayed$`, w.counters)
	sc.Step(`^(this gateway|Amazon) counts (\d+) messages?, (\d+) in flight and (\d+) delayed in "([^"]*)"$`,
		func(ctx context.Context, subject, visible, inFlight, delayed, queue string) error {
			if err := w.unlooked(); err != nil || !w.sideApplies(subject) {
				return err
			}
			return w.counters(ctx, queue, visible, inFlight, delayed)
		})
}

func fifo() *godog.Table { return table("FifoQueue", "true") }

// createQueue makes a queue that the scenario takes for granted.
func (w *World) createQueue(ctx context.Context, name string, attributes, tags *godog.Table) error {
	p := client.Params{"QueueName": w.real(name)}
	for member, t := range map[string]*godog.Table{"Attributes": attributes, "Tags": tags} {
		if t == nil {
			continue
		}
		m, err := w.pairs(t)
		if err != nil {
			return err
		}
		p[member] = m
	}
	return w.must(ctx, "CreateQueue", p)
}

// pairs reads a two-column table as a map of strings.
func (w *World) pairs(t *godog.Table) (client.Params, error) {
	out := client.Params{}
	for _, row := range t.Rows {
		if len(row.Cells) != 2 {
			return nil, fmt.Errorf("a table of names and values has two columns, not %d", len(row.Cells))
		}
		v, err := w.expand(row.Cells[1].Value)
		if err != nil {
			return nil, err
		}
		out[row.Cells[0].Value] = v
	}
	return out, nil
}

func (w *World) listNames(names string) error {
	if err := w.unlooked(); err != nil {
		return err
	}
	want, err := w.quotedList(names)
	if err != nil {
		return err
	}
	got, _ := w.last.answer["QueueUrls"].([]any)
	if len(got) != len(want) {
		return fmt.Errorf("the list is %v, not %v", got, want)
	}
	for i, name := range want {
		if u, _ := got[i].(string); !strings.HasSuffix(u, "/"+w.real(name)) {
			return fmt.Errorf("the list is %v, in place %d not %q", got, i+1, name)
		}
	}
	return nil
}

// counters compares the three approximate numbers. Elsewhere they lag, so they
// are asked for again for a while there.
func (w *World) counters(ctx context.Context, queue string, visible, inFlight, delayed string) error {
	want := client.Params{
		"ApproximateNumberOfMessages":           visible,
		"ApproximateNumberOfMessagesNotVisible": inFlight,
		"ApproximateNumberOfMessagesDelayed":    delayed,
	}
	names := []any{}
	for n := range want {
		names = append(names, n)
	}
	for tries := w.patience(60); ; tries-- {
		if err := w.must(ctx, "GetQueueAttributes", client.Params{"QueueUrl": w.url(queue), "AttributeNames": names}); err != nil {
			return err
		}
		got, _ := w.last.answer["Attributes"].(client.Params)
		if len(got) == len(want) && got["ApproximateNumberOfMessages"] == visible &&
			got["ApproximateNumberOfMessagesNotVisible"] == inFlight && got["ApproximateNumberOfMessagesDelayed"] == delayed {
			return nil
		}
		if tries <= 1 {
			return fmt.Errorf("the counters of %s are %v", queue, got)
		}
		w.second(ctx)
	}
}
