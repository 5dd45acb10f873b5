package steps

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// World is the state of one scenario.
type World struct {
	suite    *Suite
	scenario *godog.Scenario
	ctx      context.Context // the scenario's, for what a text in a step refers to
	target   target.Target
	private  bool // the target is the scenario's own

	scope    string // what every real queue name begins with
	recorder *client.Recorder
	sdk      client.Client
	raw      *client.Raw
	signing  client.Signing // of raw requests

	queues  map[string]string   // name in the scenario -> URL
	created map[string]bool     // URLs to delete afterwards
	doubt   bool                // whether more was created than is known
	left    []string            // what could not be deleted
	vars    map[string]string   // remembered values
	sent    map[string]string   // body -> MessageId
	handles map[string][]string // body -> receipt handles, oldest first

	sns snsWorld // topics and subscriptions

	oracle oracle // looks at every answer

	last     outcome
	received []client.Params
	// receiving is what the receive asked for that returned received, nil when it
	// is not to be asked again.
	receiving client.Params
	deleting  bool          // what it returns is deleted at once
	ahead     []*godog.Step // of the scenario, behind the step that runs
	settling  settling
	waiting   []*background
	excused   string // why the scenario came to no end, which is not its target's fault
}

// outcome is what came of the last call.
type outcome struct {
	action   string
	answer   client.Params
	err      *client.APIError
	exchange *client.Exchange
	looked   bool // a step has looked at the error, if there is one
}

func (w *World) reset() {
	b := make([]byte, 5)
	rand.Read(b)
	w.scope = "c" + hex.EncodeToString(b)
	w.queues, w.created = map[string]string{}, map[string]bool{}
	w.vars, w.sent, w.handles = map[string]string{}, map[string]string{}, map[string][]string{}
	w.sns = newSNSWorld()
	w.connect()
}

// connect makes the clients, anew after a restart.
func (w *World) connect() {
	w.recorder = &client.Recorder{Watch: w.oracle.check}
	w.sdk = client.New(w.suite.Protocol, w.target.Config(), w.recorder)
	w.raw = client.NewRaw(w.suite.Protocol, w.target.Config(), w.recorder)
}

// real is the name on the target of a queue the scenario calls name.
func (w *World) real(name string) string { return w.scope + "-" + name }

// url is the URL of a queue, as it was answered or as it would be.
func (w *World) url(name string) string {
	if u, ok := w.queues[name]; ok {
		return u
	}
	return w.target.Config().Endpoints[0] + "/" + w.target.Account() + "/" + w.real(name)
}

func (w *World) arn(name string) string {
	return "arn:aws:sqs:" + w.target.Config().Region + ":" + w.accountOf(name) + ":" + w.real(name)
}

// accountOf reads the account off a queue's URL, which is how one learns it.
func (w *World) accountOf(name string) string {
	parts := strings.Split(w.url(name), "/")
	return parts[len(parts)-2]
}

// call makes one call through the SDK. An error the endpoint answers is kept for
// the next step to look at; any other fails the step.
func (w *World) call(ctx context.Context, action string, p client.Params) error {
	return w.callWith(ctx, w.sdk, action, p)
}

func (w *World) callWith(ctx context.Context, c client.Client, action string, p client.Params) error {
	if err := w.unlooked(); err != nil {
		return err
	}
	if err := w.settle(ctx, action); err != nil {
		return err
	}
	w.suite.Report.called(action, w.suite.Protocol, w.scenario)
	service := client.SQS
	if snsActions[action] {
		service, c, p = client.SNS, w.snsClient(c), snsParams(action, p)
	}
	answer, err := w.begun(ctx, action, func(ctx context.Context) (client.Params, error) { return c.Call(ctx, service, action, p) })
	var refused *client.APIError
	if err != nil && !errors.As(err, &refused) {
		return fmt.Errorf("%s: %w", action, err)
	}
	w.last = outcome{action: action, answer: answer, err: refused, exchange: w.recorder.Last()}
	if refused == nil {
		w.unsettle(action, p)
	}
	w.learn(p)
	return nil
}

// must is call for a step that has no other outcome than success.
func (w *World) must(ctx context.Context, action string, p client.Params) error {
	if err := w.call(ctx, action, p); err != nil {
		return err
	}
	return w.unlooked()
}

// unlooked is the error of the last call if no step has looked at it: a call
// that fails must never pass unnoticed.
func (w *World) unlooked() error {
	if w.last.err == nil || w.last.looked {
		return nil
	}
	return fmt.Errorf("%s failed: %w", w.last.action, w.last.err)
}

// learn keeps from an answer what later steps refer to.
func (w *World) learn(p client.Params) {
	if w.last.err != nil || w.last.answer == nil {
		return
	}
	a := w.last.answer
	w.learnSNS(p)
	switch w.last.action {
	case "CreateQueue":
		if u, ok := a["QueueUrl"].(string); ok {
			w.created[u] = true
			name, _ := p["QueueName"].(string)
			if n, ok := strings.CutPrefix(name, w.scope+"-"); ok {
				w.queues[n] = u
			}
		}
	case "SendMessage":
		body, _ := p["MessageBody"].(string)
		if id, ok := a["MessageId"].(string); ok {
			w.sent[body] = id
		}
	case "SendMessageBatch":
		w.learnBatch(p, a)
	case "ReceiveMessage":
		w.received = messagesOf(a)
		w.learnReceived(w.received)
	}
}

func (w *World) learnBatch(p, a client.Params) {
	bodies := map[any]string{}
	for _, e := range list(p["Entries"]) {
		bodies[e["Id"]], _ = e["MessageBody"].(string)
	}
	for _, e := range list(a["Successful"]) {
		if id, ok := e["MessageId"].(string); ok {
			w.sent[bodies[e["Id"]]] = id
		}
	}
}

func (w *World) learnReceived(messages []client.Params) {
	for _, m := range messages {
		body, _ := m["Body"].(string)
		handle, _ := m["ReceiptHandle"].(string)
		w.handles[body] = append(w.handles[body], handle)
	}
}

func messagesOf(answer client.Params) []client.Params { return list(answer["Messages"]) }

func list(v any) []client.Params {
	items, _ := v.([]any)
	var out []client.Params
	for _, item := range items {
		if m, ok := item.(client.Params); ok {
			out = append(out, m)
		}
	}
	return out
}

// sideApplies reports whether a step that speaks of subject is checked here, and
// marks the last outcome as looked at either way.
func (w *World) sideApplies(subject string) bool {
	w.last.looked = true
	switch side := w.target.Abilities().Side; {
	case strings.HasPrefix(subject, string(target.ThisGateway)):
		return side == target.ThisGateway
	case strings.HasPrefix(subject, string(target.Amazon)):
		return side == target.Amazon
	}
	return true
}
