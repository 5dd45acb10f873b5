package replay

import (
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/divergences"
)

func TestEveryRecordedAnswerIsEqualOrExplained(t *testing.T) {
	report, err := Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := report.Write(&out); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + out.String())
	if len(report.Faults) > 0 {
		t.Fail()
	}
}

func TestExplanationsNameRows(t *testing.T) {
	for _, e := range explanations {
		if _, found := divergences.Find(e.row); e.row != "" && !found {
			t.Errorf("%s %s is explained by %s, which is no row", e.test, e.path, e.row)
		}
		if e.why == "" {
			t.Errorf("%s %s is explained by %s without a word", e.test, e.path, e.by())
		}
	}
}
