package divergences

import (
	"embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/queen-mq/queen-sqs/divergences/questions"
)

// What sqs-conform settle was answered, one file for each target. Only what
// Amazon itself answered has effect on the register.
//
//go:embed evidence/*.json
var answered embed.FS

// Answers is a file of evidence: what one target answered to the questions.
type Answers struct {
	// Target names it; Amazon says that it was Amazon itself.
	Target  string `json:"target"`
	Amazon  bool   `json:"amazon"`
	Date    string `json:"date"` // YYYY-MM-DD
	Command string `json:"command"`
	// Requests is how many were sent, those that delete included.
	Requests int64 `json:"requests"`
	// Dollars is what they cost at most.
	Dollars float64        `json:"dollars"`
	Answers []SettleAnswer `json:"answers"`
}

// SettleAnswer is the answer to one question.
type SettleAnswer struct {
	Question string `json:"question"`
	Row      string `json:"row,omitempty"`
	// Is is the answer, empty where it is none of the expected ones or the question
	// was not asked, for which NotAsked says why.
	Is       string `json:"is,omitempty"`
	NotAsked string `json:"notAsked,omitempty"`
	// Here and Recorded are what this gateway does and what Amazon is known to do.
	Here     string `json:"here"`
	Recorded string `json:"recorded,omitempty"`
	// Calls are those made, with ids, accounts and names replaced.
	Calls []SettleCall `json:"calls,omitempty"`
}

// SettleCall is one call and what came of it.
type SettleCall struct {
	Action string `json:"action"`
	Status int    `json:"status"`
	// Answer is the answer's members by their paths, Error its code and text.
	Answer map[string]string `json:"answer,omitempty"`
	Error  string            `json:"error,omitempty"`
}

// settled answers the rows with what Amazon has answered: an unsettled row all of
// whose questions have an answer is settled where this gateway answers the same,
// and gets the class its question names where it does not.
func settled(rows []Row, evidence []Answers, asked []questions.Question) []Row {
	slices.SortStableFunc(evidence, func(a, b Answers) int { return strings.Compare(a.Date, b.Date) })
	for i := range rows {
		r := &rows[i]
		if r.Class != Unsettled {
			continue
		}
		var says []string
		var proofs []Evidence
		open, class := 0, Settled
		for _, q := range asked {
			if ID(q.Row) != r.ID {
				continue
			}
			answer, date := amazons(evidence, q)
			if answer.Is == "" {
				open++
				continue
			}
			says = append(says, answer.Says)
			proofs = append(proofs, recorded("settle_"+q.ID, date))
			if answer.Is != q.Here {
				class = Class(q.Differs)
			}
		}
		if open > 0 || len(says) == 0 {
			continue
		}
		r.Class, r.Amazon, r.NotShown = class, strings.Join(says, " "), ""
		r.Evidence = slices.Concat(proofs, slices.DeleteFunc(slices.Clone(r.Evidence), func(e Evidence) bool { return e.Source == Unknown }))
		if class == Settled {
			r.Closed = Everywhere
		}
	}
	return rows
}

// amazons is the newest answer of Amazon's to a question, and its date.
func amazons(evidence []Answers, q questions.Question) (questions.Answer, string) {
	var found questions.Answer
	var date string
	for _, e := range evidence {
		if !e.Amazon {
			continue
		}
		for _, given := range e.Answers {
			for _, a := range q.Answers {
				if given.Question == q.ID && given.Is == a.Is {
					found, date = a, e.Date
				}
			}
		}
	}
	return found, date
}

// Evidenced are all files of evidence.
func Evidenced() []Answers {
	entries, err := answered.ReadDir("evidence")
	if err != nil {
		panic(err)
	}
	all := make([]Answers, 0, len(entries))
	for _, e := range entries {
		text, err := answered.ReadFile("evidence/" + e.Name())
		if err != nil {
			panic(err)
		}
		var a Answers
		if err := json.Unmarshal(text, &a); err != nil {
			panic(err) // a test reads every file
		}
		all = append(all, a)
	}
	return all
}
