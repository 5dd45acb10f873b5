package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/conform"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// Tags of scenarios that are the same on both sides and wait for nothing, those
// that are not for Amazon, and one in which the gateway differs.
const (
	quickTags   = "@QS-22,@QS-39,@QS-46,@SN-15,@SN-20"
	notRunTags  = "@QS-43,@restart,@wide"
	differsTags = "@QS-18 && ~@amazon && ~@QS-26"
)

func (a *amazon) run(ctx context.Context, args ...string) (out, said string, err error) {
	var o, s bytes.Buffer
	args = slices.Concat(a.signed(), []string{"--region", "queen-1", "--max-wait", "1s"}, args)
	err = runCorpus(ctx, args, a.to, &o, &s)
	return o.String(), s.String(), err
}

// onAmazon are the flags of a run against the stand-in that writes a report, and
// what reads it.
func onAmazon(t *testing.T, args ...string) ([]string, func() *conform.Result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	return slices.Concat([]string{"--aws", "--account", account, "--report", file}, args), func() *conform.Result {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r conform.Result
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("conformance-secret-key")) || strings.Contains(r.Command, account) || strings.Contains(r.Command, "AKIDCONFORMANCE") {
			t.Errorf("the report tells what is secret: %s", r.Command)
		}
		return &r
	}
}

// counted holds what a run says it has sent against what was received, and
// fails where something is left behind.
func (a *amazon) counted(t *testing.T, out string, r *conform.Result) {
	t.Helper()
	sent := int64(0)
	for _, n := range r.Requests {
		sent += n
	}
	if sent != int64(a.asked) || r.Billed != a.billed {
		t.Errorf("the run counts %d requests and %d units, and %d and %d were received", sent, r.Billed, a.asked, a.billed)
	}
	if want := float64(a.billed) * target.UnitPrice; r.Dollars != want {
		t.Errorf("the run says $%v, the bill $%v", r.Dollars, want)
	}
	if want := fmt.Sprintf("%d requests were sent", a.asked); !strings.Contains(out, want) {
		t.Errorf("it does not say %q: %s", want, out)
	}
	if left := a.left(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestARunDoesNotAskAmazonUnlessToldSo(t *testing.T) {
	for why, args := range map[string][]string{
		"ask it with --aws":       {"--endpoint", "https://sns.eu-west-1.amazonaws.com"},
		"--account":               {"--aws"},
		"12 digits":               {"--aws", "--account", "mine"},
		"another account":         {"--aws", "--account", "111111111111"},
		"exclude each other":      {"--aws", "--account", account, "--endpoint", "http://127.0.0.1:1"},
		"are about an --endpoint": {"--aws", "--account", account, "--clock"},
		"limit of billed":         {"--aws", "--account", account, "--limit", "0"},
	} {
		a := standIn(t, account)
		_, _, err := a.run(t.Context(), append(args, "--tags", quickTags)...)
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v: %v", args, err)
		}
		if a.asked != 0 {
			t.Errorf("%v: %d requests were sent", args, a.asked)
		}
	}
}

func TestTheWholeRunAgainstAmazon(t *testing.T) {
	a := standIn(t, account)
	args, report := onAmazon(t, "--limit", "1000", "--tags", quickTags+","+notRunTags)
	out, said, err := a.run(t.Context(), args...)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{
		"This asks Amazon, in the account " + account + " and the region queen-1", "creates and deletes", "queues and topics",
		"at most 1000 billed requests", "at most $0.0010",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q first: %s", want, said)
		}
	}
	r := report()
	a.counted(t, out, r)
	if a.whose != 1 || a.sns == 0 || r.Side != string(target.Amazon) {
		t.Errorf("asked whose the credentials are %d times and SNS %d times, as %s", a.whose, a.sns, r.Side)
	}
	if r.Total.Passed != 10 || r.Total.Failed != 0 {
		t.Errorf("%+v", r.Total)
	}
	for _, why := range []string{"the target cannot be restarted", "it states what this gateway does", "it is wide, and is left to one gateway"} {
		if !slices.ContainsFunc(r.NotRun(), func(n conform.Reason) bool { return n.Why == why }) || !strings.Contains(out, why) {
			t.Errorf("nothing was not run because %s: %v", why, r.NotRun())
		}
	}
	// Each scenario has names of its own, of the kind that was announced.
	shape := regexp.MustCompile(`^c[0-9a-f]{10}-`)
	scopes := map[string]bool{}
	for _, name := range a.made {
		scopes[shape.FindString(name)] = true
	}
	if scopes[""] || len(scopes) != 10 {
		t.Errorf("10 scenarios created %v", a.made)
	}
}

// A scenario that fails is said to, and leaves nothing.
func TestAFailedRunLeavesNothing(t *testing.T) {
	a := standIn(t, account)
	args, report := onAmazon(t, "--tags", differsTags)
	out, said, err := a.run(t.Context(), args...)
	if !errors.Is(err, errFailed) {
		t.Errorf("%v: %s", err, out)
	}
	r := report()
	a.counted(t, out, r)
	if r.Total.Failed == 0 || !strings.Contains(said, "failed over json") {
		t.Errorf("%+v: %s", r.Total, said)
	}
}

// At the limit nothing more is sent but what deletes, and no scenario begins,
// even one that lists only. That is no fault of the endpoint, and of every
// scenario the run says why it was not run.
func TestARunStopsAtItsLimit(t *testing.T) {
	a := standIn(t, account)
	args, report := onAmazon(t, "--limit", "3", "--quiet",
		"--features", "error_catalog.feature,native_producers.feature,restart.feature,delays.feature,sns_publish.feature,signatures.feature")
	out, _, err := a.run(t.Context(), args...)
	if err != nil {
		t.Error(err)
	}
	r := report()
	a.counted(t, out, r)
	billed := slices.DeleteFunc(slices.Clone(a.calls), deletes)
	if len(billed) > 3 || r.Total.Failed > 0 || r.Total.Passed > 0 || r.Total.NotRun < 100 {
		t.Errorf("%v were sent, and came to %+v: %s", billed, r.Total, out)
	}
	for _, why := range []string{
		target.ErrSpent.Error(), "its broker cannot be reached", "the target cannot be restarted", "it states what this gateway does",
		"it is wide, and is left to one gateway", "it needs 11s and the clock cannot be moved",
	} {
		if !slices.ContainsFunc(r.NotRun(), func(n conform.Reason) bool { return n.Why == why }) {
			t.Errorf("nothing was not run because %s: %v", why, r.NotRun())
		}
	}
}

func deletes(action string) bool {
	return slices.Contains([]string{"DeleteQueue", "DeleteTopic", "Unsubscribe", "ListQueues", "ListTopics"}, action)
}

// An interrupt in the middle of every call leaves nothing behind, and is no
// failure of the endpoint. After it only what deletes is sent.
func TestAnInterruptedRunLeavesNothing(t *testing.T) {
	for at := 1; at <= 8; at++ {
		for _, protocol := range []string{"json", "query"} {
			a := standIn(t, account)
			ctx, cancel := context.WithCancel(t.Context())
			a.onCall = func(n int, _ string) bool {
				if n == at {
					cancel()
				}
				return n == at
			}
			args, report := onAmazon(t, "--tags", quickTags, "--protocol", protocol, "--concurrency", "1")
			out, _, err := a.run(ctx, args...)
			cancel()
			if err == nil || !strings.Contains(err.Error(), "what it had created is deleted") {
				t.Errorf("interrupted at call %d over %s: %v", at, protocol, err)
				continue
			}
			r := report()
			a.counted(t, out, r)
			if r.Total.Failed > 0 || !slices.ContainsFunc(r.NotRun(), func(n conform.Reason) bool { return n.Why == "the run was interrupted" }) {
				t.Errorf("interrupted at call %d over %s: %+v: %s", at, protocol, r.Total, out)
			}
			if after := a.calls[at:]; slices.ContainsFunc(after, func(action string) bool { return !deletes(action) }) {
				t.Errorf("interrupted at call %d over %s, it sends %v", at, protocol, after)
			}
		}
	}
}

// What may have been created is looked for, and deleting is tried again.
func TestTroubleAtAmazonLeavesNothing(t *testing.T) {
	for _, protocol := range []string{"json", "query"} {
		for action, trouble := range map[string]string{
			"CreateQueue": "lost", "CreateTopic": "lost", "DeleteQueue": "unavailable", "DeleteTopic": "unavailable",
		} {
			a := standIn(t, account)
			done := false
			a.trouble = func(called string) string {
				if called != action || done {
					return ""
				}
				done = true
				return trouble
			}
			args, report := onAmazon(t, "--tags", quickTags, "--protocol", protocol)
			out, _, err := a.run(t.Context(), args...)
			if lost := trouble == "lost"; lost != errors.Is(err, errFailed) || !lost && err != nil {
				t.Errorf("%s %s over %s: %v", action, trouble, protocol, err)
			}
			a.counted(t, out, report())
		}
	}
}

// What cannot be deleted is named, and what can be is deleted all the same.
func TestWhatIsLeftIsSaid(t *testing.T) {
	a := standIn(t, account)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a.trouble = func(action string) string {
		if action == "DeleteTopic" {
			return "refused"
		}
		return ""
	}
	a.onCall = func(_ int, action string) bool {
		if action == "Subscribe" { // by then there are a topic and a queue
			cancel()
		}
		return action == "Subscribe"
	}
	args, report := onAmazon(t, "--tags", "@SN-29 && ~@gateway", "--concurrency", "1", "--protocol", "json")
	out, _, err := a.run(ctx, args...)
	if err == nil || strings.Contains(err.Error(), "is deleted") {
		t.Errorf("it says %v", err)
	}
	left := a.left(t)
	if len(left) != 1 || !strings.Contains(left[0], ":sns:") {
		t.Fatalf("left behind: %v", left)
	}
	r := report()
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	said := r.Left()
	if len(said) != 1 || !strings.Contains(left[0], said[0]) || !strings.Contains(out, "Left behind, because it could not be deleted:\n  "+said[0]+"\n") ||
		!strings.Contains(page.String(), "Left behind, because it could not be deleted: <code>"+said[0]) {
		t.Errorf("it says that %v is left, and %v is: %s", said, left, out)
	}
}

// A blemish of every answer fails every scenario, unless only behaviour is asked
// for.
func TestModelsCanBeLeftToOthers(t *testing.T) {
	shared, behind := inFront(t)
	behind.ModifyResponse = func(r *http.Response) error {
		r.Header.Set("Content-Type", "application/json")
		return nil
	}
	proxy := httptest.NewServer(behind)
	defer proxy.Close()
	keys := shared.Config().Credentials
	for _, models := range []bool{true, false} {
		var out bytes.Buffer
		err := runCorpus(t.Context(), []string{
			"--endpoint", proxy.URL, "--side", "gateway", "--akid", keys.AccessKeyID, "--secret", keys.Secret, "--region", shared.Config().Region,
			"--protocol", "json", "--features", "queue_tags.feature", fmt.Sprint("--models=", models), "--quiet",
		}, reach{}, &out, io.Discard)
		if failed := errors.Is(err, errFailed); failed != models || err != nil && !failed {
			t.Errorf("--models=%v: %v: %s", models, err, out.String())
		}
	}
}

// What is at an endpoint of one's own is deleted first, and only there.
func TestAnOwnedEndpointIsEmptiedFirst(t *testing.T) {
	shared, _ := inFront(t)
	keys, c := shared.Config().Credentials, client.New(client.Query, shared.Config(), &client.Recorder{})
	for i := range 1010 { // more than a page of each
		if _, err := c.Call(t.Context(), client.SQS, "CreateQueue", client.Params{"QueueName": fmt.Sprint("old", i)}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 110 {
		if _, err := c.Call(t.Context(), client.SNS, "CreateTopic", client.Params{"Name": fmt.Sprint("old", i)}); err != nil {
			t.Fatal(err)
		}
	}
	there := func() int {
		queues, err := c.Call(t.Context(), client.SQS, "ListQueues", client.Params{"QueueNamePrefix": "old"})
		if err != nil {
			t.Fatal(err)
		}
		topics, err := c.Call(t.Context(), client.SNS, "ListTopics", client.Params{})
		if err != nil {
			t.Fatal(err)
		}
		q, _ := queues["QueueUrls"].([]any)
		s, _ := topics["Topics"].([]any)
		return len(q) + len(s)
	}
	run := func(more ...string) string {
		var said bytes.Buffer
		args := append([]string{
			"--endpoint", shared.Config().Endpoints[0], "--side", "gateway", "--akid", keys.AccessKeyID, "--secret", keys.Secret,
			"--region", shared.Config().Region, "--features", "queue_tags.feature",
		}, more...)
		if err := runCorpus(t.Context(), args, reach{}, io.Discard, &said); err != nil {
			t.Error(err)
		}
		return said.String()
	}
	before := there()
	if said := run(); there() != before || strings.Contains(said, "are deleted") {
		t.Errorf("an endpoint that others use has %d of %d: %s", there(), before, said)
	}
	if said := run("--owned"); there() != 0 || !strings.Contains(said, "1120 queues and topics that were at") {
		t.Errorf("%d are left: %s", there(), said)
	}
}

func TestCommandLineIsHowToDoItAgain(t *testing.T) {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.Bool("models", true, "")
	flags.Bool("quiet", false, "")
	flags.Bool("clock", false, "")
	flags.String("tags", "", "")
	flags.String("akid", "", "")
	if err := flags.Parse([]string{"--models=false", "--quiet", "--clock", "--tags", "@a && ~@b", "--akid", "AKIDSECRET"}); err != nil {
		t.Fatal(err)
	}
	if got, want := commandLine("run", flags), "sqs-conform run --akid ... --clock --models=false --tags '@a && ~@b'"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
