package steps

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

const errorTable = `name,json,query,status,fault,message,query_message
QueueDoesNotExist,QueueDoesNotExist,AWS.SimpleQueueService.NonExistentQueue,400,Sender,The specified queue does not exist.,The specified queue does not exist for this wsdl version.
MissingParameter,MissingRequiredParameterException,MissingParameter,400,Sender,,
`

// runFeature runs one scenario's steps against a source and answers whether the
// suite was content.
func runFeature(t *testing.T, source target.Source, protocol client.Protocol, steps string) (ok bool, r *Report) {
	t.Helper()
	table, err := ReadErrors(strings.NewReader(errorTable))
	if err != nil {
		t.Fatal(err)
	}
	r = NewReport()
	s := &Suite{Source: source, Protocol: protocol, Errors: table, Report: r}
	code := godog.TestSuite{
		ScenarioInitializer: s.Register,
		Options: &godog.Options{
			Format: "progress", Output: io.Discard, NoColors: true, Strict: true, Tags: s.Tags(),
			FeatureContents: []godog.Feature{{Name: "x.feature", Contents: []byte("Feature: x\n" + steps)}},
		},
	}.Run()
	return code == 0, r
}

func gateway(t *testing.T) target.Source {
	t.Helper()
	s, err := target.InProcess("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// A check that does not check is worse than none: each of these scenarios says
// something untrue, undefined or unfinished, and has to fail.
func TestWhatHasToFailFails(t *testing.T) {
	source := gateway(t)
	for name, steps := range map[string]string{
		"an undefined step":            "Given a queue \"q\"\n When I juggle",
		"no steps":                     "",
		"an unnoticed failure, at end": "When I ask for the URL of \"missing\"",
		"an unnoticed failure":         "When I ask for the URL of \"missing\"\n And I create the queue \"q\"",
		"success instead of failure":   "When I create the queue \"q\"\n Then the call fails with MissingParameter",
		"the wrong error":              "When I ask for the URL of \"missing\"\n Then the call fails with MissingParameter",
		"an error nobody knows":        "When I ask for the URL of \"missing\"\n Then the call fails with Nonsense",
		"the wrong message":            "When I ask for the URL of \"missing\"\n Then the call fails with QueueDoesNotExist and message \"no\"",
		"the wrong body":               "Given a queue \"q\"\n When I send \"a\" to \"q\"\n And I receive a message from \"q\"\n Then the receive returns \"b\"",
		"nothing instead of a message": "Given a queue \"q\"\n When I receive a message from \"q\"\n Then the receive returns \"a\"",
		"a member too many":            "Given a queue \"q\"\n When I send \"a\" to \"q\"\n Then the answer has exactly:\n | MessageId | <uuid> |",
		"a member missing":             "Given a queue \"q\"\n When I ask for the URL of \"q\"\n Then the answer has:\n | MessageId | <uuid> |",
		"a member that is there":       "Given a queue \"q\"\n When I ask for the URL of \"q\"\n Then the answer has:\n | QueueUrl | <absent> |",
		"an unknown reference":         "Given a queue \"q\"\n When I send \"${nothing}\" to \"q\"",
		"the wrong counters":           "Given a queue \"q\"\n Then \"q\" has 1 message, 0 in flight and 0 delayed",
		"the wrong status":             "Given a queue \"q\"\n Then the status is 400",
		"this gateway's half":          "Given a queue \"q\"\n When I receive a message from \"q\"\n Then this gateway returns \"a\"",
		"a given that fails":           "Given a queue \"q\" with attributes:\n | Foobar | 1 |",
		"a receive that does not wait": "Given a queue \"q\"\n And \"a\" was sent to \"q\"\n When a receive from \"q\" waits for up to 20 seconds\n Then the waiting receive returns nothing",
	} {
		for _, p := range []client.Protocol{client.JSON, client.Query} {
			if ok, _ := runFeature(t, source, p, "Scenario: s\n"+steps); ok {
				t.Errorf("%s over %s passes", name, p)
			}
		}
	}
}

func TestWhatHasToPassPasses(t *testing.T) {
	source := gateway(t)
	for name, steps := range map[string]string{
		"Amazon's half is not checked here": "Given a queue \"q\"\n When I receive a message from \"q\"\n Then Amazon returns \"a\"",
		"the clock moves":                   "Given a queue \"q\"\n And \"a\" was sent to \"q\"\n When I receive a message from \"q\"\n And 31 seconds pass\n And I receive a message from \"q\"\n Then the receive returns \"a\"",
	} {
		for _, p := range []client.Protocol{client.JSON, client.Query} {
			if ok, r := runFeature(t, source, p, "Scenario: s\n"+steps); !ok || r.Ran(p) != 1 {
				t.Errorf("%s over %s fails", name, p)
			}
		}
	}
}

func TestScenariosOfTheOtherProtocolAreLeftOut(t *testing.T) {
	source := gateway(t)
	if ok, r := runFeature(t, source, client.JSON, "@query\nScenario: s\nGiven a queue \"q\"\nThen the status is 400"); !ok || r.Ran(client.JSON) != 0 {
		t.Error("a @query scenario ran over JSON")
	}
	if ok, _ := runFeature(t, source, client.Query, "@query\nScenario: s\nGiven a queue \"q\"\nThen the status is 400"); ok {
		t.Error("a @query scenario did not run over Query")
	}
}

func TestEverythingCreatedIsDeleted(t *testing.T) {
	source := gateway(t)
	scenario := "Scenario: s\nGiven a queue \"a\"\nAnd a FIFO queue \"b.fifo\"\nWhen I create the queue \"c\"\nAnd the client calls CreateQueue with:\n | QueueName | literal |\nThen the call succeeds"
	failing := scenario + "\nAnd the status is 400"
	for _, s := range []string{scenario, failing} {
		runFeature(t, source, client.JSON, s)
		shared, err := source.Shared(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		left, err := client.NewRaw(client.JSON, shared.Config(), &client.Recorder{}).Call(t.Context(), client.SQS, "ListQueues", client.Params{})
		if err != nil || len(left) != 0 {
			t.Errorf("queues are left: %v (%v)", left, err)
		}
	}
}

// still is a target that has no abilities.
type still struct{ target.Target }

func (s still) Abilities() target.Abilities { return target.Abilities{Side: target.Amazon} }

type stillSource struct{ target.Source }

func (s stillSource) Shared(ctx context.Context) (target.Target, error) {
	t, err := s.Source.Shared(ctx)
	return still{t}, err
}

func (s stillSource) Private(ctx context.Context, durable bool) (target.Target, error) {
	return s.Shared(ctx)
}

func TestWhatATargetCannotShowIsNotRunAndSaid(t *testing.T) {
	source := stillSource{gateway(t)}
	for scenario, why := range map[string]string{
		"Scenario: s\nGiven a queue \"q\"\nWhen 30 minutes pass":                                                                           "it needs 30m0s and the clock cannot be moved",
		"Scenario: s\nGiven a queue \"q\"\nWhen a receive from \"q\" waits for up to 99 seconds\nThen the waiting receive returns nothing": "it needs 1m39s and the clock cannot be moved",
		"@restart\nScenario: s\nGiven a queue \"q\"\nWhen the gateway is stopped and started again":                                        "the target cannot be restarted",
		"@signatures\nScenario: s\nGiven requests are not signed":                                                                          "the target checks no signatures",
		"@gateway\nScenario: s\nGiven a queue \"q\"\nThen the status is 400":                                                               "it states what this gateway does",
		"Scenario: s\nGiven a queue \"q\"\nWhen 15 seconds pass\nAnd 15 seconds pass\nThen I do juggle":                                    "",
	} {
		ok, r := runFeature(t, source, client.JSON, scenario)
		if why == "" { // undefined steps fail even where nothing is run
			if ok {
				t.Error("an undefined step passes in a scenario that is not run")
			}
			continue
		}
		if got := r.NotRun(); !ok || r.Ran(client.JSON) != 0 || len(got) != 1 || !strings.HasSuffix(got[0], why) {
			t.Errorf("%q: ok %v, not run %q", scenario, ok, got)
		}
		var out strings.Builder
		r.Write(&out)
		if !strings.Contains(out.String(), "not run: 1") || !strings.Contains(out.String(), why) {
			t.Errorf("the report says %s", out.String())
		}
	}
	if ok, _ := runFeature(t, source, client.JSON, "Scenario: s\nGiven a queue \"q\"\nWhen I receive a message from \"q\"\nThen Amazon returns \"a\""); ok {
		t.Error("Amazon's half is not checked on Amazon's side")
	}
}
