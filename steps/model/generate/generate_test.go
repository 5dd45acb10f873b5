package generate_test

import (
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/wire"
	"github.com/queen-mq/queen-sqs/steps/model"
	"github.com/queen-mq/queen-sqs/steps/model/generate"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// Every generated request is answered as its rule says, and every answer is one
// that the model has.
func TestGenerated(t *testing.T) {
	source, err := target.InProcess("")
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	gateway, err := source.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	used := map[int]int{}
	for _, protocol := range []string{model.JSON, model.Query} {
		for service, operations := range map[string][]string{model.SQS: wire.SQSActions, model.SNS: wire.SNSActions} {
			r, err := generate.Run(t.Context(), gateway.Config(), generate.Cases(service, protocol, operations))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s over %s:\n%s", service, protocol, r.Write())
			for _, f := range r.Findings {
				t.Error(f)
			}
			for rule, n := range r.Used {
				used[rule] += n
			}
		}
	}
	for i, r := range generate.Rules() {
		if used[i] == 0 {
			t.Errorf("rule %d (%v %v %v) decides nothing", i, r.Operations, r.Members, r.Changes)
		}
		kind, rest, _ := strings.Cut(r.Source, ": ")
		switch kind {
		case "model", "recorded", "contract", "documented":
		case "register":
			if _, ok := divergences.Find(divergences.ID(rest)); !ok {
				t.Errorf("rule %d: the register has no %s", i, rest)
			}
		default:
			t.Errorf("rule %d: the source is %q", i, r.Source)
		}
	}
}
