package rows

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	goName   = regexp.MustCompile(`^[A-Z][A-Za-z0-9]+$`)
	testName = regexp.MustCompile(`^test_[a-z0-9_]+$`)
)

// check reports what is wrong with the rows, one by one and among each other.
func (s Source) check() (wrong []error) {
	report := func(id, format string, a ...any) {
		wrong = append(wrong, fmt.Errorf("%s.yaml: %s", id, fmt.Sprintf(format, a...)))
	}
	next := map[string]int{"QS": 1, "SN": 1}
	unique := map[string]string{} // what must not be there twice, and whose it is
	once := func(id, what, value string) {
		key := what + " " + value
		if other := unique[key]; other != "" {
			report(id, "its %s is that of %s: %s", what, other, value)
		}
		unique[key] = id
	}
	first := map[int]string{}
	for _, r := range s.Rows {
		prefix, _, _ := strings.Cut(r.ID, "-")
		if want := fmt.Sprintf("%s-%02d", prefix, next[prefix]); next[prefix] == 0 || r.ID != want {
			report(r.ID, "ids are numbered without gaps, so %s is due", want)
		}
		next[prefix]++
		for _, problem := range r.problems() {
			report(r.ID, "%s", problem)
		}
		once(r.ID, "name", r.Name)
		once(r.ID, "title", r.Title)
		once(r.ID, "sentence", r.Sentence)
		if r.FirstMet != 0 {
			if other := first[r.FirstMet]; other != "" {
				report(r.ID, "firstMet %d is that of %s", r.FirstMet, other)
			}
			first[r.FirstMet] = r.ID
		}
	}
	for n, id := range first {
		if n < 1 || n > len(first) {
			report(id, "firstMet is %d: the %d rows that are met first are numbered without gaps", n, len(first))
		}
	}
	for _, q := range s.Questions {
		in := q.Row
		if in == "" {
			in = strings.TrimSuffix(NoRow, ".yaml")
		}
		once(in, "question", q.ID)
		for _, problem := range q.problems() {
			report(in, "question %s: %s", q.ID, problem)
		}
	}
	return wrong
}

// problems is what is wrong with a row by itself.
func (r Row) problems() (problems []string) {
	add := func(format string, a ...any) { problems = append(problems, fmt.Sprintf(format, a...)) }
	if !goName.MatchString(r.Name) {
		add("the name %q is no exported identifier of Go", r.Name)
	}
	if !slices.Contains(Surfaces(), r.Surface) {
		add("there is no surface %q", r.Surface)
	} else if strings.HasPrefix(string(r.Surface), "SNS") != r.SNS() {
		add("the surface %q is of the other service", r.Surface)
	}
	if !slices.Contains(Classes(), r.Class) {
		add("there is no class %q", r.Class)
	}
	if r.Title == "" {
		add("title is missing")
	}
	for _, text := range []struct{ key, text string }{{"amazon", r.Amazon}, {"here", r.Here}, {"sentence", r.Sentence}, {"notShown", r.NotShown}} {
		switch {
		case text.text == "" && text.key != "notShown":
			add("%s is missing", text.key)
		case text.text != "" && !strings.HasSuffix(text.text, ".") && !strings.HasSuffix(text.text, `."`):
			add("%s is no sentence: %q", text.key, text.text)
		}
	}
	for _, state := range []struct {
		profile string
		state   State
	}{{"queen", r.Profiles.Queen}, {"aws", r.Profiles.AWS}} {
		if state.state != Open && state.state != Closed {
			add("in profile %s it has to be open or closed, not %q", state.profile, state.state)
		}
	}
	if r.Profiles.Queen == Closed && r.Profiles.AWS == Open {
		add("profile aws cannot be further from Amazon than profile queen")
	}
	problems = append(problems, evidenceProblems(r.Evidence)...)
	sources := map[string]bool{}
	for _, e := range r.Evidence {
		source, _ := e.Source()
		sources[source] = true
	}
	switch {
	case len(r.Evidence) == 0:
		add("evidence is missing")
	case r.Class == Settled && !sources[Recorded]:
		add("it is settled without a recording")
	case r.Class == Settled && r.Profiles.Queen == Open:
		add("it is settled, so every profile follows the recording: it has to be closed")
	case r.Class == Unsettled && !sources[Documented] && !sources[Claimed] && !sources[Unknown]:
		add("it is unsettled and its evidence leaves no question")
	}
	if r.Class == Unsettled && len(r.Questions) == 0 {
		add("it is unsettled and no question asks about it")
	}
	for _, q := range r.Questions {
		if len(q.Evidence) > 0 {
			add("question %s: the evidence is that of the row", q.ID)
		}
		if q.Amazon != "" && !sources[Recorded] && !sources[Documented] {
			add("question %s: Amazon's answer is known, and the row has no evidence for it", q.ID)
		}
	}
	if d := r.Depth; d != nil && (d.Title == "" || d.Measured == "" || len(d.Before) == 0 || len(d.After) == 0) {
		add("depth needs title, measured, before and after")
	}
	return problems
}

func evidenceProblems(all []Evidence) (problems []string) {
	add := func(format string, a ...any) { problems = append(problems, fmt.Sprintf(format, a...)) }
	for _, e := range all {
		source, what := e.Source()
		switch {
		case source == "":
			add("a piece of evidence is either recorded or documented or claimed or unknown: %+v", e)
		case source == Recorded && !testName.MatchString(what):
			add("%q names no recorded test", what)
		case source != Recorded && e.Date != "":
			add("only what is recorded has a date: %s", what)
		}
		if e.Date != "" {
			if _, err := time.Parse(time.DateOnly, e.Date); err != nil {
				add("the date of %s is not YYYY-MM-DD: %s", what, e.Date)
			}
		}
	}
	return problems
}

// problems is what is wrong with a question by itself.
func (q Question) problems() (problems []string) {
	add := func(format string, a ...any) { problems = append(problems, fmt.Sprintf(format, a...)) }
	if q.ID == "" || q.Asks == "" || len(q.Calls) == 0 || len(q.Answers) < 2 {
		add("it needs id, asks, calls and two answers at least")
	}
	for _, c := range q.Calls {
		if c.Action == "" || c.WaitSeconds < 0 {
			add("a call needs an action, and waits for no less than 0 seconds: %+v", c)
		}
	}
	known := map[string]bool{}
	for _, a := range q.Answers {
		if a.Is == "" || a.Says == "" || len(a.If) == 0 || known[a.Is] {
			add("an answer needs is, if and says, and is there once: %q", a.Is)
		}
		known[a.Is] = true
	}
	if !known[q.Here] {
		add("here is %q, which is none of the answers", q.Here)
	}
	if q.Amazon != "" && !known[q.Amazon] {
		add("amazon is %q, which is none of the answers", q.Amazon)
	}
	if q.Row == "" && (q.Amazon == "") != (len(q.Evidence) == 0) {
		add("it has no row, so Amazon's answer and the evidence for it go together")
	}
	problems = append(problems, evidenceProblems(q.Evidence)...)
	if q.Differs != Deliberate && q.Differs != Accepted {
		add("differs is deliberate or accepted, not %q", q.Differs)
	}
	return problems
}
