package divergences

import (
	"regexp"
	"slices"
	"testing"

	"github.com/queen-mq/queen-sqs/divergences/questions"
)

func TestQuestionsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	asked := map[ID]bool{}
	for _, q := range questions.All() {
		if seen[q.ID] || q.Asks == "" || len(q.Calls) == 0 || len(q.Answers) < 2 {
			t.Errorf("%s is incomplete, or there twice", q.ID)
		}
		seen[q.ID], asked[ID(q.Row)] = true, true
		if _, ok := Find(ID(q.Row)); !ok && q.Row != "" {
			t.Errorf("%s is about %s, which the register does not have", q.ID, q.Row)
		}
		if !slices.Contains(Classes(), Class(q.Differs)) || Class(q.Differs) == Unsettled || Class(q.Differs) == Settled {
			t.Errorf("%s makes a row that differs %q", q.ID, q.Differs)
		}
		known := func(is string) bool {
			return slices.ContainsFunc(q.Answers, func(a questions.Answer) bool { return a.Is == is && a.Says != "" })
		}
		if !known(q.Here) || q.Amazon != "" && (!known(q.Amazon) || q.Source == "") {
			t.Errorf("%s: here %q, Amazon %q by %q", q.ID, q.Here, q.Amazon, q.Source)
		}
	}
	for _, r := range sourceRows() {
		if r.Class == Unsettled && !asked[r.ID] {
			t.Errorf("%s is unsettled and no question asks about it", r.ID)
		}
	}
}

// What Amazon answers changes the class; what others answer changes nothing.
func TestAnAnswerSettlesARow(t *testing.T) {
	q := questions.Question{ID: "q", Row: "QS-99", Here: "yes", Differs: "accepted", Answers: []questions.Answer{{Is: "yes", Says: "It does."}, {Is: "no", Says: "It does not."}}}
	ask := func(amazon bool, is string) Row {
		rows := []Row{{ID: "QS-99", Class: Unsettled, Amazon: "Not known.", NotShown: "x", Evidence: []Evidence{unknown("not asked")}}}
		return settled(rows, []Answers{{Amazon: amazon, Date: "2026-12-01", Answers: []SettleAnswer{{Question: "q", Is: is}}}}, []questions.Question{q})[0]
	}
	if r := ask(true, "yes"); r.Class != Settled || r.Closed != Everywhere || r.Amazon != "It does." || r.Evidence[0] != recorded("settle_q", "2026-12-01") || len(r.Evidence) != 1 {
		t.Errorf("the same answer: %+v", r)
	}
	if r := ask(true, "no"); r.Class != Accepted || r.Closed != Open || r.Amazon != "It does not." {
		t.Errorf("another answer: %+v", r)
	}
	for _, r := range []Row{ask(false, "yes"), ask(true, ""), ask(true, "perhaps")} {
		if r.Class != Unsettled || r.Amazon != "Not known." {
			t.Errorf("no answer of Amazon's: %+v", r)
		}
	}
}

// Evidence names nobody: no account but the one of examples, no id, no key.
func TestEvidenceIsAnonymous(t *testing.T) {
	if len(Evidenced()) == 0 {
		t.Error("there is no evidence")
	}
	secret := regexp.MustCompile(`\b\d{12}\b|[0-9a-f]{8}-[0-9a-f]{4}|\bAKIA|\bASIA|https?://`)
	entries, err := answered.ReadDir("evidence")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := answered.ReadFile("evidence/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if found := secret.Find(text); found != nil {
			t.Errorf("%s holds %q", e.Name(), found)
		}
	}
}
