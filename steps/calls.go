package steps

import (
	"context"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// Generic calls: any action with any parameters, through the SDK where it can
// express them.
func (w *World) registerCalls(sc *godog.ScenarioContext) {
	sc.Step(`^the client calls (\w+)$`, func(ctx context.Context, action string) error {
		return w.call(ctx, action, client.Params{})
	})
	sc.Step(`^the client calls (\w+) with:$`, func(ctx context.Context, action string, t *godog.Table) error {
		p, err := w.params(t)
		if err != nil {
			return err
		}
		return w.call(ctx, action, p)
	})
	sc.Step(`^the client calls (\w+) with the parameters:$`, func(ctx context.Context, action string, doc *godog.DocString) error {
		p, err := w.jsonParams(doc.Content)
		if err != nil {
			return err
		}
		return w.call(ctx, action, p)
	})
	sc.Step(`^a raw client calls (\w+) with:$`, func(ctx context.Context, action string, t *godog.Table) error {
		p, err := w.params(t)
		if err != nil {
			return err
		}
		w.raw.Signing = w.signing
		return w.callWith(ctx, w.raw, action, p)
	})
}

func table(cells ...string) *godog.Table {
	t := &godog.Table{}
	for i := 0; i < len(cells); i += 2 {
		t.Rows = append(t.Rows, row(cells[i], cells[i+1]))
	}
	return t
}
