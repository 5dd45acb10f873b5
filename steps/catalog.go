package steps

import (
	"context"
	"fmt"

	"github.com/cucumber/godog"
)

// Steps of the error catalog.
func (w *World) registerCatalog(sc *godog.ScenarioContext) {
	sc.Step(`^no trouble$`, func() {})
	sc.Step(`^a raw client calls (\w+) with the parameters:$`, func(ctx context.Context, action string, doc *godog.DocString) error {
		p, err := w.jsonParams(doc.Content)
		if err != nil {
			return err
		}
		w.raw.Signing = w.signing
		return w.callWith(ctx, w.raw, action, p)
	})
	sc.Step(`^the call is answered with an error of the status (\d+)$`, func(status int) error {
		w.last.looked = true
		if w.last.err == nil || w.last.err.Status != status {
			return fmt.Errorf("%s was answered %v, error %v", w.last.action, w.last.answer, w.last.err)
		}
		return nil
	})
}
