package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/divergences/evidence/recorded"
	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// What the in-process gateway is called.
const (
	account = "000000000000"
	region  = "queen-1"
)

// tree is a tree of parameters or of an answer.
type tree = map[string]any

// script does again what a recorded test did, and holds the answers against the
// recorded ones.
type script func(*run)

// run is one recorded test being done again.
type run struct {
	ctx    context.Context
	test   recorded.Test
	target target.Target
	// spoken is the client of the protocol that was recorded, json the one that
	// made the queues in every recording.
	spoken, json *wire
	shift        time.Duration
	match        *matcher
	compared     map[string]bool
	// differing are the answers with a difference.
	differing map[string]bool
}

// wire is a client with the exchanges it had.
type wire struct {
	*client.Raw
	rec *client.Recorder
}

// failure ends a script that cannot go on.
type failure struct{ error }

func (r *run) fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// perform runs a script against a gateway of its own.
func perform(ctx context.Context, source target.Source, test recorded.Test, do script) (r *run, err error) {
	t, err := source.Private(ctx, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	r = &run{ctx: ctx, test: test, target: t, match: newMatcher(t.Config().Endpoints[0]), compared: map[string]bool{}, differing: map[string]bool{}}
	r.json = r.client(client.JSON)
	r.spoken = r.json
	if r.query() {
		r.spoken = r.client(client.Query)
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			err = p.error
		default:
			panic(p)
		}
	}()
	do(r)
	for name := range test.Answers {
		if !r.compared[name] {
			r.fail("the script does not ask for %q", name)
		}
	}
	return r, nil
}

func (r *run) client(p client.Protocol) *wire {
	cfg := r.target.Config()
	cfg.Now = func() time.Time { return time.Now().Add(r.shift) }
	rec := &client.Recorder{}
	return &wire{client.NewRaw(p, cfg, rec), rec}
}

// query reports whether the test spoke Query to SQS.
func (r *run) query() bool { return strings.Contains(r.test.Name, "[sqs_query") }

// parameter is what stands in the test's brackets behind the protocol.
func (r *run) parameter() string {
	_, p, _ := strings.Cut(strings.TrimSuffix(r.test.Name, "]"), "[")
	for _, protocol := range []string{"sqs_query", "sqs"} {
		if p == protocol {
			return ""
		}
		if rest, ok := strings.CutPrefix(p, protocol+"-"); ok {
			return rest
		}
	}
	return p
}

// answered is an answer with the protocol it came in.
type answered struct {
	tree
	untyped bool
}

// over calls an action and answers what an SDK hands to its caller, errors
// included, in the shape of the recordings.
func (r *run) over(w *wire, service, action string, p tree) answered {
	if service == client.SNS {
		w = &wire{&client.Raw{Protocol: client.Query, Config: w.Config}, w.rec}
	}
	return r.send(w, w.Encode(service, action, p), action)
}

// send sends a request of an action as it is.
func (r *run) send(w *wire, call client.Request, action string) answered {
	untyped := w.Protocol == client.Query
	x, err := w.Send(r.ctx, call)
	if err != nil {
		r.fail("%s: %w", action, err)
	}
	status := tree{"HTTPHeaders": tree{}, "HTTPStatusCode": int64(x.Status)}
	if x.Status >= 300 {
		e := client.DecodeError(x)
		members := tree{"Code": e.Code, "Message": e.Message, "Type": e.Fault}
		if !untyped {
			members["QueryErrorCode"] = e.Type
		}
		if untyped && strings.Contains(string(x.Body), "<Detail") {
			members["Detail"] = nil
		}
		return answered{tree{"Error": members, "ResponseMetadata": status}, untyped}
	}
	out := tree{}
	if len(x.Body) > 0 { // an action without output answers JSON with no body
		if out, err = client.Decode(x, action); err != nil {
			r.fail("%s: %w", action, err)
		}
	}
	out["ResponseMetadata"] = status
	return answered{out, untyped}
}

// sqs calls an action of SQS in the recorded protocol.
func (r *run) sqs(action string, p tree) answered { return r.over(r.spoken, client.SQS, action, p) }

// sns calls an action of SNS.
func (r *run) sns(action string, p tree) answered { return r.over(r.json, client.SNS, action, p) }

// do calls an action of SQS that has to succeed.
func (r *run) do(action string, p tree) answered { return r.good(action, r.sqs(action, p)) }

// tell calls an action of SNS that has to succeed.
func (r *run) tell(action string, p tree) answered { return r.good(action, r.sns(action, p)) }

func (r *run) good(action string, a answered) answered {
	if e, failed := a.tree["Error"]; failed {
		r.fail("%s failed: %v", action, e)
	}
	return a
}

// expect holds an answer against the recorded one of that name.
func (r *run) expect(name string, a answered) {
	want, ok := r.recorded(name).(tree)
	if !ok {
		r.fail("%q is no answer in the recording", name)
	}
	// The recorder shows the body's message of a modelled error a second time.
	if e, failed := a.tree["Error"].(tree); failed && want["message"] != nil && !a.untyped {
		a.tree["message"] = e["Message"]
	}
	// The recorder compared these texts without where in the document the fault
	// was, and kept what it compared beside them.
	if e, failed := want["Error"].(tree); failed && e["_normalized"] != nil {
		if got, failed := a.tree["Error"].(tree); failed {
			got["_normalized"], _, _ = strings.Cut(got["Message"].(string), "\n")
		}
	}
	r.compare(name, want, a.tree, a.untyped)
}

// expectPart holds a part of an answer, or a value made of some, against the
// recorded value of that name.
func (r *run) expectPart(name string, v any) { r.compare(name, r.recorded(name), v, r.query()) }

func (r *run) recorded(name string) any {
	want, ok := r.test.Answers[name]
	if !ok {
		r.fail("nothing is recorded as %q", name)
	}
	if r.compared[name] {
		r.fail("%q is compared twice", name)
	}
	r.compared[name] = true
	return want
}

func (r *run) compare(name string, want, got any, untyped bool) {
	before := len(r.match.found)
	r.match.match(name, want, got, untyped)
	r.differing[name] = len(r.match.found) > before
}

// advance moves the gateway's clock.
func (r *run) advance(d time.Duration) {
	if err := r.target.Advance(r.ctx, d); err != nil {
		r.fail("moving the clock: %w", err)
	}
	r.shift += d
}
