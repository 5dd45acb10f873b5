package rows

import (
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

func TestTheFilesAreRight(t *testing.T) {
	s, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Rows) < 77 || len(s.Questions) < 19 {
		t.Errorf("%d rows and %d questions: the files were not read", len(s.Rows), len(s.Questions))
	}
	first := 0
	for _, r := range s.Rows {
		if r.FirstMet > 0 {
			first++
		}
	}
	if first != 10 {
		t.Errorf("%d rows are those that users meet first", first)
	}
}

func TestWhatARowHolds(t *testing.T) {
	s, err := Read(folder(nil))
	if err != nil {
		t.Fatal(err)
	}
	want := Row{
		ID: "QS-01", Name: "SomeName", Surface: "Sending", Class: Accepted, Title: "A title",
		Amazon: "It does.", Here: "It does not.", Sentence: "It does not do so.",
		Profiles: Profiles{Queen: Open, AWS: Closed}, FirstMet: 1,
		Evidence: []Evidence{{Recorded: "test_it", Date: "2025-11-17"}, {Documented: "a page"}},
		Questions: []Question{{
			ID: "does_it", Row: "QS-01", Asks: "Does it?",
			Calls: []Call{{Action: "ReceiveMessage", With: map[string]any{"QueueUrl": "u", "VisibilityTimeout": 0, "Attributes": map[string]any{"a": "1"}}, As: "got", WaitSeconds: 3}},
			Answers: []Answer{
				{Is: "yes", If: map[string]string{"got.Messages.count": "1"}, Says: "It does."},
				{Is: "no", If: map[string]string{"got": "error"}, Says: "It does not."},
			},
			Here: "no", Amazon: "yes", Differs: Deliberate,
		}},
	}
	if len(s.Rows) != 2 || !reflect.DeepEqual(s.Rows[0], want) {
		t.Errorf("read %+v\nwant %+v", s.Rows, want)
	}
	if len(s.Questions) != 2 || s.Questions[0].Seconds() != 3 || s.Questions[1].Row != "" {
		t.Errorf("questions %+v", s.Questions)
	}
}

const one = `id: QS-01
name: SomeName
surface: Sending
class: accepted
title: A title
amazon: It does.
here: It does not.
sentence: It does not do so.
profiles: {queen: open, aws: closed}
firstMet: 1
evidence:
  - recorded: test_it
    date: 2025-11-17
  - documented: a page
questions:
  - id: does_it
    asks: Does it?
    calls:
      - action: ReceiveMessage
        with: {QueueUrl: u, VisibilityTimeout: 0, Attributes: {a: "1"}}
        as: got
        waitSeconds: 3
    answers:
      - is: "yes"
        if: {got.Messages.count: "1"}
        says: It does.
      - is: "no"
        if: {got: error}
        says: It does not.
    here: "no"
    amazon: "yes"
    differs: deliberate
`

const two = `id: QS-02
name: OtherName
surface: Receiving
class: settled
title: Another title
amazon: It does too.
here: The same.
sentence: It does that.
profiles: {queen: closed, aws: closed}
evidence:
  - recorded: test_other
`

const noRow = `questions:
  - id: other
    asks: What else?
    calls:
      - action: ListQueues
        with: {}
        as: l
    answers:
      - {is: a, if: {l: ok}, says: A.}
      - {is: b, if: {l: error}, says: B.}
    here: a
    amazon: a
    evidence:
      - recorded: test_list
    differs: accepted
`

// folder is two rows and a question without one, with some text replaced.
func folder(replaced []string) fs.FS {
	r := strings.NewReplacer(replaced...)
	return fstest.MapFS{
		"QS-01.yaml": {Data: []byte(r.Replace(one))},
		"QS-02.yaml": {Data: []byte(r.Replace(two))},
		NoRow:        {Data: []byte(r.Replace(noRow))},
	}
}

func TestWhatIsWrongIsFound(t *testing.T) {
	for want, replaced := range map[string][]string{
		"QS-01.yaml: yaml":                                   {"title: A title", "tittle: A title"},
		"already defined":                                    {"title: A title", "title: A title\ntitle: B"},
		"QS-02.yaml: its id is \"QS-03\"":                    {"id: QS-02", "id: QS-03"},
		"QS-01.yaml: title is missing":                       {"title: A title", ""},
		"QS-01.yaml: amazon is missing":                      {"amazon: It does.", ""},
		"QS-01.yaml: here is missing":                        {"here: It does not.", ""},
		"QS-01.yaml: sentence is missing":                    {"sentence: It does not do so.", ""},
		"QS-01.yaml: sentence is no sentence":                {"It does not do so.", "It does not do so"},
		"QS-01.yaml: notShown is no sentence":                {"firstMet: 1", "firstMet: 1\nnotShown: no"},
		"the name \"someName\" is no exported identifier":    {"SomeName", "someName"},
		"QS-02.yaml: its name is that of QS-01":              {"OtherName", "SomeName"},
		"QS-02.yaml: its title is that of QS-01":             {"Another title", "A title"},
		"QS-02.yaml: its sentence is that of QS-01":          {"It does that.", "It does not do so."},
		"there is no surface \"Sendings\"":                   {"Sending", "Sendings"},
		"is of the other service":                            {"surface: Sending", "surface: SNS topics"},
		"there is no class \"excepted\"":                     {"class: accepted", "class: excepted"},
		"in profile aws it has to be open or closed, not \"": {"aws: closed", "aws: shut"},
		"in profile queen it has to be open or closed":       {"queen: open, ", ""},
		"cannot be further from Amazon":                      {"queen: closed, aws: closed", "queen: closed, aws: open"},
		"firstMet is 2":                                      {"firstMet: 1", "firstMet: 2"},
		"firstMet 1 is that of QS-01":                        {"title: Another title", "title: Another title\nfirstMet: 1"},
		"is not YYYY-MM-DD: 17-11-2025":                      {"2025-11-17", "17-11-2025"},
		"is not YYYY-MM-DD: 2025-02-30":                      {"2025-11-17", "2025-02-30"},
		"only what is recorded has a date":                   {"documented: a page", "documented: a page\n    date: 2025-01-01"},
		"names no recorded test":                             {"test_it", "a test"},
		"is either recorded or documented":                   {"documented: a page", "documented: a page\n    unknown: all"},
		"QS-02.yaml: evidence is missing":                    {"evidence:\n  - recorded: test_other", ""},
		"it is settled without a recording":                  {"recorded: test_other", "documented: it"},
		"it has to be closed":                                {"queen: closed, aws: closed", "queen: open, aws: closed"},
		"no question asks about it":                          {"class: settled", "class: unsettled"},
		"its evidence leaves no question":                    {"class: settled", "class: unsettled"},
		"here is \"maybe\", which is none":                   {`here: "no"`, "here: maybe"},
		"amazon is \"maybe\", which is none":                 {`amazon: "yes"`, "amazon: maybe"},
		"an answer needs is, if and says, and is there once": {`is: "no"`, `is: "yes"`},
		"it needs id, asks, calls and two answers":           {"asks: Does it?", ""},
		"a call needs an action":                             {"action: ReceiveMessage", `action: ""`},
		"differs is deliberate or accepted":                  {"differs: deliberate", "differs: settled"},
		"the evidence is that of the row":                    {"differs: deliberate", "differs: deliberate\n    evidence: [{recorded: test_x}]"},
		"has no evidence for it":                             {"  - recorded: test_it\n    date: 2025-11-17\n  - documented: a page", "  - unknown: all"},
		"no-row.yaml: its question is that of QS-01":         {"id: other", "id: does_it"},
		"Amazon's answer and the evidence for it go":         {"    evidence:\n      - recorded: test_list\n", ""},
		"depth needs title":                                  {"firstMet: 1", "firstMet: 1\ndepth: {title: t}"},
	} {
		if _, err := Read(folder(replaced)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	gap := fstest.MapFS{"QS-02.yaml": {Data: []byte(two)}}
	if _, err := Read(gap); err == nil || !strings.Contains(err.Error(), "so QS-01 is due") {
		t.Errorf("a gap: %v", err)
	}
	other := fstest.MapFS{"XX-01.yaml": {Data: []byte(strings.ReplaceAll(one, "QS-01", "XX-01"))}}
	if _, err := Read(other); err == nil || !strings.Contains(err.Error(), "is due") {
		t.Errorf("another prefix: %v", err)
	}
}
