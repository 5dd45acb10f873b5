package steps

import (
	"context"
	"errors"
	"strings"

	"github.com/cucumber/godog"
)

// Where gateways are killed under the scenarios, a request can be cut after it
// was sent. If it was one that must not be done twice, such as a send to a
// standard queue or a receive, nobody can know what the scenario may expect: it
// ends there, and is run again from its beginning. A scenario none of whose
// requests was lost so is held to every step of it.

// cut reports whether a request of the scenario was lost.
func (w *World) cut() bool {
	if w.target == nil || !w.target.Abilities().Cuts {
		return false
	}
	for _, b := range w.waiting {
		if b.rec.Lost() {
			return true
		}
	}
	return w.recorder.Lost()
}

// forgiveCut turns the failure of a step into the end of the scenario.
func (w *World) forgiveCut(ctx context.Context, _ *godog.Step, _ godog.StepResultStatus, err error) (context.Context, error) {
	if err == nil || errors.Is(err, godog.ErrSkip) || !w.cut() {
		return ctx, nil
	}
	w.suite.Report.cut(w.suite.Protocol, w.scenario)
	return ctx, godog.ErrSkip
}

// key tells scenarios apart from run to run. Rows of an outline differ in their
// steps.
func key(sc *godog.Scenario) string {
	var b strings.Builder
	b.WriteString(sc.Uri + "\n" + sc.Name)
	for _, st := range sc.Steps {
		b.WriteString("\n" + st.Text)
		if st.Argument != nil && st.Argument.DataTable != nil {
			for _, row := range st.Argument.DataTable.Rows {
				for _, c := range row.Cells {
					b.WriteString("|" + c.Value)
				}
			}
		}
	}
	return b.String()
}
