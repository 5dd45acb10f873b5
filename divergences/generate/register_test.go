package main

import (
	"bytes"
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/queen-mq/queen-sqs/divergences/evidence"
	"github.com/queen-mq/queen-sqs/divergences/measured"
	"github.com/queen-mq/queen-sqs/divergences/rows"
)

const top = "../.."

// loaded is the register of this module. That it can be loaded means that every
// row is shown by scenarios, every tag of a scenario has its row, no difference is
// unexplained, and no answer is to a question that is not asked.
func loaded(t *testing.T) *register {
	t.Helper()
	r, err := load(top)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.entries) < 77 {
		t.Fatalf("%d rows only", len(r.entries))
	}
	return r
}

func TestGeneratedFilesAreFresh(t *testing.T) {
	files, err := render(top)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(have, want) {
			t.Errorf("%s is stale; write it with\n  go generate ./divergences", name)
		}
	}
	if len(files) != 5 {
		t.Errorf("%d files", len(files))
	}
}

// What users have to be told is in each form of the register, and of the rows that
// they meet first in the README.
func TestEverySentenceTravels(t *testing.T) {
	r := loaded(t)
	unescape := strings.NewReplacer("&lt;", "<", "&gt;", ">", `\*`, "*", `\|`, "|")
	for _, name := range []string{readmeFile, markdownFile, jsonFile, pageFile} {
		text, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			t.Fatal(err)
		}
		plain := unescape.Replace(string(text))
		switch name {
		case pageFile:
			plain = html.UnescapeString(string(text))
		case jsonFile:
			var doc struct{ Rows []struct{ Sentence string } }
			if err := json.Unmarshal(text, &doc); err != nil {
				t.Fatal(err)
			}
			plain = ""
			for _, row := range doc.Rows {
				plain += row.Sentence + "\n"
			}
		}
		for _, e := range r.entries {
			there := strings.Contains(plain, e.Sentence)
			if !there && (name != readmeFile || e.FirstMet > 0) {
				t.Errorf("%s does not have the sentence of %s", name, e.ID)
			}
		}
	}
}

// one is a register of one row, by its features, its questions' answers and the
// days of recordings.
type one struct {
	row     rows.Row
	feature string
	runs    map[string]evidence.Run
	days    map[string]string
}

func (o one) build(t *testing.T) (*register, error) {
	t.Helper()
	c, err := readCorpus(fstest.MapFS{"a_b.feature": {Data: []byte("Feature: f\n\n" + o.feature)}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range o.row.Questions {
		o.row.Questions[i].Row = o.row.ID
	}
	return build(rows.Source{Rows: []rows.Row{o.row}, Questions: o.row.Questions}, o.runs, o.days, measured.All{}, c)
}

func row() rows.Row {
	return rows.Row{
		ID: "QS-01", Profiles: rows.Profiles{Queen: rows.Open, AWS: rows.Open},
		Evidence: []rows.Evidence{{Recorded: "test_a"}},
	}
}

const shown = `  @id:a-b.01 @QS-01
  Scenario: both
    Then this gateway returns "a"
    But Amazon returns "b"
`

func TestScenariosBelongToRows(t *testing.T) {
	closed := row()
	closed.Profiles = rows.Profiles{Queen: rows.Closed, AWS: rows.Closed}
	notShown := row()
	notShown.NotShown = "It cannot be."
	deep := row()
	deep.Depth = &rows.Depth{Measured: "height"}
	for name, c := range map[string]struct {
		row     rows.Row
		feature string
		want    string // part of the error, empty for none
	}{
		"both sides":                 {row(), shown, ""},
		"alike where nothing is":     {closed, "  @id:a-b.01 @QS-01\n  Scenario: s\n    Then the receive returns \"a\"\n", ""},
		"alike where something is":   {row(), "  @id:a-b.01 @QS-01\n  Scenario: s\n    Then the receive returns \"a\"\n", "no scenario shows what Amazon does"},
		"a tag for this gateway":     {notShown, "  @id:a-b.01 @QS-01 @gateway\n  Scenario: s\n    Then the receive returns \"a\"\n", ""},
		"only Amazon":                {row(), "  @id:a-b.01 @QS-01 @amazon\n  Scenario: s\n    Then the receive returns \"a\"\n", "no scenario shows what this gateway does"},
		"shown although not":         {notShown, shown, "both are"},
		"no scenario":                {row(), "  @id:a-b.01\n  Scenario: s\n    Then the receive returns \"a\"\n", "tag one @QS-01"},
		"a scenario without id":      {row(), strings.Replace(shown, "@id:a-b.01 ", "", 1), "has no id"},
		"a tag without a row":        {row(), shown + strings.NewReplacer("QS-01", "QS-77", ".01", ".02").Replace(shown), `"both" is tagged @QS-77`},
		"a difference without a row": {row(), shown + strings.NewReplacer(" @QS-01", "", ".01", ".02").Replace(shown), "tagged with no row"},
		"an unknown measurement":     {deep, shown, `nothing called "height" is measured`},
	} {
		_, err := one{row: c.row, feature: c.feature}.build(t)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An outline is one scenario, whatever side its examples are about.
func TestAnOutlineIsOneScenario(t *testing.T) {
	r, err := one{row: row(), feature: `  @id:a-b.07 @QS-01
  Scenario Outline: what <side> does
    Then <side> returns "a"

    Examples:
      | side         |
      | this gateway |
      | Amazon       |
`}.build(t)
	if err != nil {
		t.Fatal(err)
	}
	want := []scenario{{ID: "a-b.07", Feature: "a_b.feature", Name: "what <side> does", Here: true, Amazon: true}}
	if got := r.entries[0].Scenarios; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestTheDayOfARecordingIsInTheRecording(t *testing.T) {
	o := one{row: row(), feature: shown, days: map[string]string{"test_a": "2025-11-17"}}
	r, err := o.build(t)
	if err != nil || r.entries[0].Proofs[0] != (proof{rows.Recorded, "test_a", "2025-11-17"}) {
		t.Errorf("%v, %+v", err, r)
	}
	o.row.Evidence[0].Date = "2025-11-17"
	if _, err := o.build(t); err == nil || !strings.Contains(err.Error(), "has its own date") {
		t.Errorf("a date that is on file is written again: %v", err)
	}
	o.days = nil
	if r, err := o.build(t); err != nil || r.entries[0].Proofs[0].Date != "2025-11-17" {
		t.Errorf("a date that is not on file: %v, %+v", err, r)
	}
}

// What Amazon answers changes the class; what others answer changes nothing.
func TestAnAnswerOfAmazonSettlesARow(t *testing.T) {
	ask := func(runs ...evidence.Run) entry {
		o := one{row: row(), feature: "  @id:a-b.01 @QS-01\n  Scenario: s\n    Then this gateway returns \"a\"\n    But Amazon returns \"b\"\n", runs: map[string]evidence.Run{}}
		o.row.Class, o.row.Amazon = rows.Unsettled, "Not known."
		o.row.Evidence = []rows.Evidence{{Documented: "a page"}, {Unknown: "not asked"}}
		o.row.Questions = []rows.Question{{
			ID: "q", Here: "yes", Differs: rows.Accepted,
			Answers: []rows.Answer{{Is: "yes", Says: "It does."}, {Is: "no", Says: "It does not."}},
		}}
		for i, run := range runs {
			o.runs[string(rune('a'+i))+".json"] = run
		}
		r, err := o.build(t)
		if err != nil {
			t.Fatal(err)
		}
		return r.entries[0]
	}
	answered := func(amazon bool, date, is string) evidence.Run {
		return evidence.Run{Amazon: amazon, Date: date, Answers: []evidence.Answer{{Question: "q", Row: "QS-01", Is: is}}}
	}
	e := ask(answered(true, "2026-12-01", "yes"))
	want := []proof{{rows.Recorded, "settle_q", "2026-12-01"}, {rows.Documented, "a page", ""}}
	if e.Class != rows.Settled || e.Profiles.Queen != rows.Closed || e.Profiles.AWS != rows.Closed || e.Amazon != "It does." || !slices.Equal(e.Proofs, want) {
		t.Errorf("the same answer: %+v", e)
	}
	if e := ask(answered(true, "2026-12-01", "no")); e.Class != rows.Accepted || e.Profiles.Queen != rows.Open || e.Amazon != "It does not." {
		t.Errorf("another answer: %+v", e)
	}
	if e := ask(answered(true, "2026-12-02", "yes"), answered(true, "2026-12-01", "no")); e.Amazon != "It does." {
		t.Errorf("the newest answer does not count: %+v", e)
	}
	for _, e := range []entry{ask(answered(false, "2026-12-01", "yes")), ask(answered(true, "2026-12-01", "")), ask(answered(true, "2026-12-01", "perhaps")), ask()} {
		if e.Class != rows.Unsettled || e.Amazon != "Not known." || len(e.Proofs) != 2 {
			t.Errorf("no answer of Amazon's: %+v", e)
		}
	}
}

func TestAnAnswerToNoQuestionIsRefused(t *testing.T) {
	o := one{row: row(), feature: shown, runs: map[string]evidence.Run{"x.json": {Answers: []evidence.Answer{{Question: "gone", Row: "QS-01"}}}}}
	if _, err := o.build(t); err == nil || !strings.Contains(err.Error(), `evidence/x.json: it answers a question "gone"`) {
		t.Errorf("%v", err)
	}
}

func TestTheReadmeHasAPlace(t *testing.T) {
	r := loaded(t)
	text, err := r.readme([]byte("before\n" + readmeBegin + "old\n" + readmeEnd + "after\n"))
	if err != nil || !strings.HasPrefix(string(text), "before\n"+readmeBegin+"What users") || !strings.HasSuffix(string(text), readmeEnd+"after\n") || strings.Contains(string(text), "old\n") {
		t.Errorf("%v: %s", err, text)
	}
	if _, err := r.readme([]byte("no place\n")); err == nil {
		t.Error("a README without a place is written")
	}
}

func TestWrapAndNumber(t *testing.T) {
	for _, line := range strings.Split(wrap(strings.Repeat("word ", 100)), "\n") {
		if len(line) > 120 || strings.TrimSpace(line) != line {
			t.Errorf("%q", line)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := number(n); got != want {
			t.Errorf("%d is %s", n, got)
		}
	}
}
