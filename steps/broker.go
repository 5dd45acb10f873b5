package steps

import (
	"context"
	"fmt"
	"regexp"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/target"
)

// reaching are the steps that go past the gateway to its broker; the suite reads
// them before a scenario starts.
var reaching = regexp.MustCompile(`^(the broker (answers every call with|answers no call|answers what|only buffers|commits no|has a queue)|a native producer)\b`)

func (w *World) registerBroker(sc *godog.ScenarioContext) {
	sc.Step(`^the broker answers every call with the status (\d+)(?: and asks to wait (\d+) seconds)?$`, func(status, wait string) error {
		return w.failBroker("status " + status + " " + wait)
	})
	sc.Step(`^the broker answers no call$`, func() error { return w.failBroker("silence") })
	sc.Step(`^the broker answers what cannot be read$`, func() error { return w.failBroker("nonsense") })
	sc.Step(`^the broker only buffers what is pushed$`, func() error { return w.failBroker("buffering") })
	sc.Step(`^the broker commits no transaction$`, func() error { return w.failBroker("rolling back") })
	sc.Step(`^the broker works again$`, func() error { return w.failBroker("") })
	sc.Step(`^the broker has a queue "([^"]*)" that nobody created here$`, func(ctx context.Context, queue string) error {
		door, err := w.backDoor()
		if err != nil {
			return err
		}
		return door.MakeNative(ctx, w.real(queue))
	})
	sc.Step(`^a native producer pushes '(.*)' to lane "([^"]*)" of "([^"]*)"$`, func(ctx context.Context, payload, lane, queue string) error {
		door, err := w.backDoor()
		if err != nil {
			return err
		}
		return door.PushNative(ctx, w.real(queue), lane, payload)
	})
}

func (w *World) failBroker(how string) error {
	door, err := w.backDoor()
	if err != nil {
		return err
	}
	return door.Fail(how)
}

func (w *World) backDoor() (target.BackDoor, error) {
	if err := w.unlooked(); err != nil {
		return nil, err
	}
	door, ok := w.target.(target.BackDoor)
	if !ok || !w.private {
		return nil, fmt.Errorf("the broker behind %s cannot be reached", w.target.Name())
	}
	return door, nil
}
