package steps

import (
	"context"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
)

func (w *World) registerReceipts(sc *godog.ScenarioContext) {
	sc.Step(`^I delete "([^"]*)" from "([^"]*)"$`, func(ctx context.Context, body, queue string) error {
		return w.withHandle(ctx, "DeleteMessage", body, queue, nil)
	})
	sc.Step(`^I change the visibility of "([^"]*)" in "([^"]*)" to (\d+) seconds?$`, func(ctx context.Context, body, queue, seconds string) error {
		return w.withHandle(ctx, "ChangeMessageVisibility", body, queue, client.Params{"VisibilityTimeout": typed("VisibilityTimeout", seconds)})
	})
	sc.Step(`^I delete a batch from "([^"]*)":$`, func(ctx context.Context, queue string, t *godog.Table) error {
		return w.batch(ctx, "DeleteMessageBatch", queue, t)
	})
	sc.Step(`^I change the visibility of a batch in "([^"]*)":$`, func(ctx context.Context, queue string, t *godog.Table) error {
		return w.batch(ctx, "ChangeMessageVisibilityBatch", queue, t)
	})
	sc.Step(`^I delete the received messages from "([^"]*)" in one batch$`, func(ctx context.Context, queue string) error {
		entries := []any{}
		for i, m := range w.received {
			entries = append(entries, client.Params{"Id": "m" + string(rune('0'+i)), "ReceiptHandle": m["ReceiptHandle"]})
		}
		return w.call(ctx, "DeleteMessageBatch", client.Params{"QueueUrl": w.url(queue), "Entries": entries})
	})
}

// withHandle calls an action on the message of a body by its latest receipt
// handle, or by the nth as "body#n".
func (w *World) withHandle(ctx context.Context, action, body, queue string, more client.Params) error {
	h, err := w.handle(body)
	if err != nil {
		return err
	}
	p := client.Params{"QueueUrl": w.url(queue), "ReceiptHandle": h}
	for k, v := range more {
		p[k] = v
	}
	return w.call(ctx, action, p)
}

func (w *World) batch(ctx context.Context, action, queue string, t *godog.Table) error {
	entries, err := w.entries(t)
	if err != nil {
		return err
	}
	return w.call(ctx, action, client.Params{"QueueUrl": w.url(queue), "Entries": entries})
}
