package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/queen-mq/queen-sqs/divergences/evidence"
	"github.com/queen-mq/queen-sqs/divergences/evidence/recorded"
	"github.com/queen-mq/queen-sqs/divergences/measured"
	"github.com/queen-mq/queen-sqs/divergences/rows"
)

// register is everything the documents are made of.
type register struct {
	// entries are the rows in the order of their ids.
	entries  []entry
	measured measured.All
}

// entry is a row with what is known about it from elsewhere.
type entry struct {
	rows.Row
	// Proofs are the row's evidence, with the days of the recordings, and the
	// answers of Amazon to its questions.
	Proofs    []proof
	Scenarios []scenario
}

// proof is a piece of evidence as documents show it.
type proof struct {
	Source string `json:"source"`
	// What names the recording, the page or the claim, or says what is missing.
	What string `json:"what"`
	// Date is when Amazon answered so, YYYY-MM-DD; empty where it is not on record.
	Date string `json:"date,omitempty"`
}

// load reads the rows and everything that belongs to them, and checks that they
// fit. The error names everything that is wrong.
func load(root string) (*register, error) {
	source, err := rows.Load()
	if err != nil {
		return nil, err
	}
	runs, err := evidence.Runs()
	if err != nil {
		return nil, err
	}
	days, err := recorded.Days()
	if err != nil {
		return nil, err
	}
	m, err := measured.Load()
	if err != nil {
		return nil, err
	}
	corpus, err := readCorpus(os.DirFS(filepath.Join(root, "features")))
	if err != nil {
		return nil, err
	}
	return build(source, runs, days, m, corpus)
}

// build puts the register together.
func build(source rows.Source, runs map[string]evidence.Run, days map[string]string, m measured.All, c corpus) (*register, error) {
	r := &register{measured: m}
	var wrong []error
	report := func(id, format string, a ...any) {
		wrong = append(wrong, fmt.Errorf("%s: %s", id, fmt.Sprintf(format, a...)))
	}
	asked := map[string]rows.Question{}
	for _, q := range source.Questions {
		asked[q.ID] = q
	}
	for name, run := range runs {
		for _, a := range run.Answers {
			if q, ok := asked[a.Question]; !ok || q.Row != a.Row {
				report("divergences/evidence/"+name, "it answers a question %q of %q, which is not asked there", a.Question, a.Row)
			}
		}
	}
	rowed := map[string]bool{}
	for _, row := range source.Rows {
		rowed[row.ID] = true
		e := entry{Row: row, Scenarios: c.shows[row.ID]}
		for _, v := range row.Evidence {
			p, err := prove(v, days)
			if err != nil {
				report(row.ID, "%v", err)
			}
			e.Proofs = append(e.Proofs, p)
		}
		e = settle(e, runs)
		if row.Depth != nil {
			if _, ok := tables[row.Depth.Measured]; !ok {
				report(row.ID, "nothing called %q is measured", row.Depth.Measured)
			}
		}
		for _, s := range e.Scenarios {
			if s.ID == "" {
				report(s.Feature, "%q shows %s and has no id", s.Name, row.ID)
			}
		}
		if problem := e.shown(); problem != "" {
			report(row.ID, "%s", problem)
		}
		r.entries = append(r.entries, e)
	}
	for id, scenarios := range c.shows {
		if !rowed[id] {
			report(scenarios[0].Feature, "%q is tagged @%s, and there is no such row", scenarios[0].Name, id)
		}
	}
	for _, s := range c.unexplained {
		report(s.Feature, "%q tells this gateway from Amazon and is tagged with no row", s.Name)
	}
	return r, errors.Join(wrong...)
}

// prove finds the day of a recording.
func prove(v rows.Evidence, days map[string]string) (proof, error) {
	source, what := v.Source()
	p := proof{Source: source, What: what, Date: v.Date}
	if source != rows.Recorded {
		return p, nil
	}
	if day := days[what]; day != "" {
		if v.Date != "" {
			return p, fmt.Errorf("the recording of %s has its own date, %s: leave it out", what, day)
		}
		p.Date = day
	}
	return p, nil
}

// shown says what is wrong with the scenarios of a row, or nothing. Scenarios
// show both sides of it, or the row says why one cannot be shown. What both sides
// do alike is Amazon's side only where there is no difference.
func (e entry) shown() string {
	here, amazon := false, false
	for _, s := range e.Scenarios {
		here = here || s.Here || s.alike()
		amazon = amazon || s.Amazon || s.alike() && e.Profiles.Queen == rows.Closed
	}
	switch {
	case len(e.Scenarios) == 0:
		return "no scenario shows it: tag one @" + e.ID
	case !here:
		return "no scenario shows what this gateway does"
	case !amazon && e.NotShown == "":
		return "no scenario shows what Amazon does, and notShown does not say why"
	case amazon && e.NotShown != "":
		return "notShown says that a side cannot be shown, and both are"
	}
	return ""
}

// surfaces are the entries by surface, in the order of documents.
func (r *register) surfaces() []group {
	var groups []group
	for _, s := range rows.Surfaces() {
		g := group{Surface: s}
		for _, e := range r.entries {
			if e.Surface == s {
				g.Entries = append(g.Entries, e)
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// group is the rows of a surface.
type group struct {
	Surface rows.Surface
	Entries []entry
}

func (r *register) count(c rows.Class) int {
	n := 0
	for _, e := range r.entries {
		if e.Class == c {
			n++
		}
	}
	return n
}
