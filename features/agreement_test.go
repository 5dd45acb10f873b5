package features_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/queen-mq/queen-sqs/features"
	"github.com/queen-mq/queen-sqs/steps"
	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/conform"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// document is what godog itself says about a run, which knows nothing of the
// harness's verdicts.
type document []struct {
	URI      string `json:"uri"`
	Elements []struct {
		Name  string `json:"name"`
		Steps []struct {
			Result struct {
				Status string `json:"status"`
			} `json:"result"`
		} `json:"steps"`
	} `json:"elements"`
}

func inProcess(t *testing.T) target.Source {
	t.Helper()
	source, err := target.InProcess("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	})
	return source
}

// byTest runs the suite of TestFeatures and answers godog's status of each
// scenario, the rows of an outline one after the other.
func byTest(t *testing.T, corpus fs.FS, protocol client.Protocol, only string) map[string][]steps.Status {
	t.Helper()
	errors, err := steps.ReadErrors(strings.NewReader(features.ErrorTable()))
	if err != nil {
		t.Fatal(err)
	}
	s := &steps.Suite{Source: inProcess(t), Protocol: protocol, Errors: errors, Report: steps.NewReport()}
	filter := s.Tags()
	if only != "" {
		filter += " && " + only
	}
	var out bytes.Buffer
	run := features.Suite(s, []string{"."}, filter, 4)
	run.Options.Format, run.Options.Output, run.Options.FS = "cucumber", &out, corpus
	run.Run()
	var doc document
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatalf("%v in %.200s", err, out.String())
	}
	found := map[string][]steps.Status{}
	for _, f := range doc {
		for _, e := range f.Elements {
			status := steps.Passed
			for _, st := range e.Steps {
				switch st.Result.Status {
				case "passed":
				case "skipped":
					if status == steps.Passed {
						status = steps.NotRun
					}
				default:
					status = steps.Failed
				}
			}
			key := f.URI + ": " + e.Name
			found[key] = append(found[key], status)
		}
	}
	return found
}

// byHarness runs the same as sqs-conform run does.
func byHarness(t *testing.T, corpus fs.FS, protocol client.Protocol, only string) (map[string][]steps.Status, *conform.Result) {
	t.Helper()
	r, err := conform.Run(t.Context(), conform.Options{
		Source: inProcess(t), Protocols: []client.Protocol{protocol}, Tags: only, Corpus: corpus, Concurrency: 4,
	})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]steps.Status{}
	for _, v := range r.Scenarios {
		key := v.Feature + ": " + v.Scenario
		found[key] = append(found[key], v.Status)
	}
	return found, r
}

// The harness and the test run one corpus and must come to one verdict on each
// scenario. Those of a broken broker and those that are very wide are left to
// TestFeatures: they are neither different nor quick.
func TestTheHarnessAgreesWithTheTest(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the corpus twice over each protocol")
	}
	const only = "~@broken-broker && ~@wide"
	for _, protocol := range []client.Protocol{client.JSON, client.Query} {
		want := byTest(t, features.FS(), protocol, only)
		got, r := byHarness(t, features.FS(), protocol, only)
		scenarios := 0
		for name, statuses := range want {
			scenarios += len(statuses)
			if fmt.Sprint(got[name]) != fmt.Sprint(statuses) {
				t.Errorf("%s over %s: the test says %v and the harness %v", name, protocol, statuses, got[name])
			}
		}
		if len(want) != len(got) || scenarios != len(r.Scenarios) || scenarios < 500 {
			t.Errorf("%d scenarios over %s in the test and %d in the harness", scenarios, protocol, len(r.Scenarios))
		}
		if total := r.Total; total.Passed+total.Failed+total.NotRun != scenarios {
			t.Errorf("%+v of %d scenarios over %s", total, scenarios, protocol)
		}
	}
}

// inverted is a feature of the corpus that says the opposite in one place, and a
// few that fail or cannot be run in other ways.
func inverted(t *testing.T) fs.FS {
	t.Helper()
	text, err := fs.ReadFile(features.FS(), "delete_queue.feature")
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{
		"inverted.feature": {Data: []byte(`Feature: verdicts
  Scenario: what holds
    Given a queue "q"
    When I receive a message from "q"
    Then the receive returns nothing

  Scenario: what is inverted
    Given a queue "q"
    When I receive a message from "q"
    Then the receive returns "a"

  Scenario: an error that does not come
    Given a queue "q"
    When I ask for the URL of "q"
    Then the call fails with QueueDoesNotExist

  Scenario: a failure nobody looks at
    When I ask for the URL of "missing"

  Scenario: a step that nobody knows
    Given a queue "q"
    When I juggle

  @amazon
  Scenario: what only Amazon shows
    Given a queue "q"
`)},
		"delete_queue.feature": {Data: text},
	}
}

func TestWhatIsInvertedFailsInBoth(t *testing.T) {
	want := map[string]steps.Status{
		"what holds": steps.Passed, "what is inverted": steps.Failed, "an error that does not come": steps.Failed,
		"a failure nobody looks at": steps.Failed, "a step that nobody knows": steps.Failed, "what only Amazon shows": steps.NotRun,
	}
	for _, protocol := range []client.Protocol{client.JSON, client.Query} {
		test := byTest(t, inverted(t), protocol, "")
		harness, r := byHarness(t, inverted(t), protocol, "")
		for name, status := range want {
			key := "inverted.feature: " + name
			for who, found := range map[string]map[string][]steps.Status{"test": test, "harness": harness} {
				if fmt.Sprint(found[key]) != fmt.Sprint([]steps.Status{status}) {
					t.Errorf("%q over %s is %v in the %s", name, protocol, found[key], who)
				}
			}
		}
		if !r.Failed() || r.Total.Failed != 4 || r.Total.NotRun != 1 {
			t.Errorf("the harness counts %+v", r.Total)
		}
		for _, v := range r.Scenarios {
			if v.Scenario == "what is inverted" && (v.Step != `the receive returns "a"` || v.Action != "ReceiveMessage" || v.Why == "") {
				t.Errorf("it failed at %q, after %s, because %q", v.Step, v.Action, v.Why)
			}
		}
	}
}
