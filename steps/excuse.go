package steps

import (
	"context"
	"errors"
	"strings"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/target"
)

// interrupted is why scenarios were not run, or not to their end, once the run's
// context has ended.
const interrupted = "the run was interrupted"

// spent reports whether an error says that the limit of billed requests is
// reached. It is found by its text, because one of the SDKs hands on no more.
func spent(err error) bool { return strings.Contains(err.Error(), target.ErrSpent.Error()) }

// excuse turns the failure of a step into the end of the scenario where the run
// is interrupted or has spent what it may: that says nothing about the target.
func (w *World) excuse(ctx context.Context, _ *godog.Step, _ godog.StepResultStatus, err error) (context.Context, error) {
	switch {
	case err == nil || errors.Is(err, godog.ErrSkip) || w.target == nil:
		return ctx, nil
	case ctx.Err() != nil:
		w.excused = interrupted
	case spent(err):
		w.excused = target.ErrSpent.Error()
		w.suite.Report.stop()
	default:
		return ctx, nil
	}
	return ctx, godog.ErrSkip
}
