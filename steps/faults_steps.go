package steps

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/faults"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// breakable is the tag of scenarios that break the broker under the gateway.
const breakable = "@broken-broker"

func (w *World) registerFaults(sc *godog.ScenarioContext) {
	var names []string
	for _, f := range faults.All {
		names = append(names, f.Name)
	}
	// The longer of two names that begin alike has to be tried first.
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	sc.Step(`^the broker (`+strings.Join(names, "|")+`)(?: to (\w+) calls)?$`, w.breakBroker)
	sc.Step(`^the fault ends$`, func(ctx context.Context) error {
		b, err := w.broken()
		if err != nil {
			return err
		}
		return errors.Join(b.Broker.Restore(), b.Settled(ctx))
	})
	sc.Step(`^nothing of the calls is left in the gateway$`, func(ctx context.Context) error {
		b, err := w.broken()
		if err != nil {
			return err
		}
		return b.Settled(ctx)
	})
	sc.Step(`^requests carry the header "([^":]*): ([^"]*)"$`, func(name, value string) error {
		cfg := w.target.Config()
		cfg.Transport = withHeader{cfg.Transport, name, value}
		w.sdk = client.New(w.suite.Protocol, cfg, w.recorder)
		return nil
	})
	sc.Step(`^the client tries to (.+)$`, w.try)
	sc.Step(`^the client can (.+)$`, func(ctx context.Context, what string) error {
		if err := w.try(ctx, what); err != nil {
			return err
		}
		return w.unlooked()
	})
	sc.Step(`^an SDK sends it again$`, func() error { return w.retried(true) })
	sc.Step(`^an SDK does not send it again$`, func() error { return w.retried(false) })
	sc.Step(`^the broker got (\d+) (\w+) calls?$`, w.brokerGot)
	sc.Step(`^the entries fail with (\w+), which is not the sender's fault$`, w.entriesFail)
	sc.Step(`^no call to the broker has the header "([^"]*)" or the text "([^"]*)"$`, w.brokerNeverSaw)
	sc.Step(`^every call to the broker carries the gateway's own token$`, w.ownToken)
}

// withHeader adds a header that no signature covers.
type withHeader struct {
	http.RoundTripper
	name, value string
}

func (h withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(h.name, h.value)
	return h.RoundTripper.RoundTrip(r)
}

// breakable starts the scenario's own gateway over a broker that can be broken.
func (w *World) breakable(p *godog.Scenario) (target.Target, error) {
	source, ok := w.suite.Source.(target.BreakableSource)
	if !ok {
		w.suite.Report.notRun(w.suite.Protocol, p, "its broker cannot be broken")
		return nil, godog.ErrSkip
	}
	return source.Breakable()
}

func (w *World) broken() (*target.Breakable, error) {
	b, ok := w.target.(*target.Breakable)
	if !ok {
		return nil, fmt.Errorf("the scenario is not tagged %s", breakable)
	}
	return b, nil
}

// breakBroker begins a fault. The connections that the gateway keeps are closed
// before, or the next call would find out about them and not about the fault.
func (w *World) breakBroker(ctx context.Context, name, route string) error {
	if err := w.unlooked(); err != nil {
		return err
	}
	b, err := w.broken()
	if err != nil {
		return err
	}
	if err := b.Settled(ctx); err != nil {
		return err
	}
	f, _ := faults.Named(name)
	var routes []faults.Route
	if route != "" {
		if !slices.Contains(faults.Routes, faults.Route(route)) {
			return fmt.Errorf("there is no route %q", route)
		}
		routes = []faults.Route{faults.Route(route)}
	}
	b.Broker.Forget()
	return b.Broker.Break(f, routes...)
}

// try makes the call of a row of the outlines: on the queue "q" or "q.fifo",
// whose message "held" is in flight, or on "r" or "r.fifo".
func (w *World) try(ctx context.Context, what string) error {
	on := func(queue string, p client.Params) client.Params {
		p["QueueUrl"] = w.url(queue)
		return p
	}
	entries := func(member string, values ...any) []any {
		var list []any
		for i, v := range values {
			list = append(list, client.Params{"Id": "e" + strconv.Itoa(i), member: v})
		}
		return list
	}
	switch what {
	case "send":
		return w.call(ctx, "SendMessage", on("r", client.Params{"MessageBody": "sent"}))
	case "send later":
		return w.call(ctx, "SendMessage", on("r", client.Params{"MessageBody": "later", "DelaySeconds": int64(900)}))
	case "send a batch":
		return w.call(ctx, "SendMessageBatch", on("r", client.Params{"Entries": entries("MessageBody", "one", "two", "three")}))
	case "send to a group":
		return w.call(ctx, "SendMessage", on("r.fifo", client.Params{"MessageBody": "sent", "MessageGroupId": "g", "MessageDeduplicationId": "d"}))
	case "receive":
		return w.call(ctx, "ReceiveMessage", on("r", client.Params{}))
	case "receive up to ten":
		return w.call(ctx, "ReceiveMessage", on("r", client.Params{"MaxNumberOfMessages": int64(10)}))
	case "wait for a message":
		return w.call(ctx, "ReceiveMessage", on("r", client.Params{"WaitTimeSeconds": int64(1)}))
	case "receive from a group":
		return w.call(ctx, "ReceiveMessage", on("r.fifo", client.Params{}))
	case "create a queue":
		return w.call(ctx, "CreateQueue", client.Params{"QueueName": w.real("new")})
	}
	action, p := "", client.Params{}
	switch strings.TrimSuffix(what, " of a group") {
	case "delete":
		action = "DeleteMessage"
	case "delete a batch":
		action = "DeleteMessageBatch"
	case "change the visibility":
		action, p["VisibilityTimeout"] = "ChangeMessageVisibility", int64(60)
	case "give the message back":
		action, p["VisibilityTimeout"] = "ChangeMessageVisibility", int64(0)
	default:
		return fmt.Errorf("%q is none of the calls of the outlines", what)
	}
	queue, body := "q", "held"
	if strings.HasSuffix(what, " of a group") {
		queue, body = "q.fifo", "first"
	}
	handle, err := w.handle(body)
	if err != nil {
		return err
	}
	if action == "DeleteMessageBatch" {
		p["Entries"] = entries("ReceiptHandle", handle)
	} else {
		p["ReceiptHandle"] = handle
	}
	return w.call(ctx, action, on(queue, p))
}

func (w *World) retried(should bool) error {
	if w.last.err == nil {
		return fmt.Errorf("%s succeeded: %v", w.last.action, w.last.answer)
	}
	if got := client.Retried(w.suite.Protocol, w.last.err); got != should {
		return fmt.Errorf("sent again: %v, after %w", got, w.last.err)
	}
	return nil
}

func (w *World) brokerGot(n int, route string) error {
	b, err := w.broken()
	if err != nil {
		return err
	}
	if got := b.Broker.Counts()[faults.Route(route)]; got != n {
		return fmt.Errorf("the broker got %d: %v", got, b.Broker.Counts())
	}
	return nil
}

func (w *World) entriesFail(code string) error {
	if err := w.unlooked(); err != nil {
		return err
	}
	want := w.suite.Errors[code].JSON
	if !w.overJSON() {
		want = w.suite.Errors[code].Query
	}
	failed, good := list(w.last.answer["Failed"]), list(w.last.answer["Successful"])
	if len(failed) == 0 || len(good) > 0 {
		return fmt.Errorf("the answer is %v", w.last.answer)
	}
	for _, e := range failed {
		if e["Code"] != want || e["SenderFault"] != false {
			return fmt.Errorf("an entry failed with %v", e)
		}
	}
	return nil
}

// brokerNeverSaw looks at everything but the bodies, which the client may fill
// as it likes.
func (w *World) brokerNeverSaw(header, text string) error {
	b, err := w.broken()
	if err != nil {
		return err
	}
	calls := b.Broker.Calls()
	if len(calls) == 0 {
		return errors.New("no call reached the broker")
	}
	for _, c := range calls {
		if _, has := c.Header[http.CanonicalHeaderKey(header)]; has {
			return fmt.Errorf("%s %s carries %s", c.Method, c.Target, header)
		}
		if all := fmt.Sprint(c.Target, c.Header); strings.Contains(all, text) {
			return fmt.Errorf("the call is %s %s", c.Method, all)
		}
	}
	return nil
}

func (w *World) ownToken() error {
	b, err := w.broken()
	if err != nil {
		return err
	}
	for _, c := range b.Broker.Calls() {
		got := c.Header["Authorization"]
		if c.Route == faults.Health && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0] != "Bearer "+target.BrokerToken {
			return fmt.Errorf("%s %s carries %q", c.Method, c.Target, got)
		}
	}
	return nil
}
