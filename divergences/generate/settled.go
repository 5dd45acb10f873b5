package main

import (
	"slices"
	"strings"

	"github.com/queen-mq/queen-sqs/divergences/evidence"
	"github.com/queen-mq/queen-sqs/divergences/rows"
)

// settle returns a row with what Amazon has answered: an unsettled row all of
// whose questions have an answer is settled where this gateway answers the same,
// and gets the class its question names where it does not.
func settle(e entry, runs map[string]evidence.Run) entry {
	if e.Class != rows.Unsettled || len(e.Questions) == 0 {
		return e
	}
	var says []string
	var proofs []proof
	class := rows.Settled
	for _, q := range e.Questions {
		answer, date := amazonsAnswer(q, runs)
		if answer.Is == "" {
			return e
		}
		says = append(says, answer.Says)
		proofs = append(proofs, proof{Source: rows.Recorded, What: "settle_" + q.ID, Date: date})
		if answer.Is != q.Here {
			class = q.Differs
		}
	}
	e.Class, e.Amazon, e.NotShown = class, strings.Join(says, " "), ""
	known := slices.DeleteFunc(slices.Clone(e.Proofs), func(p proof) bool { return p.Source == rows.Unknown })
	e.Proofs = append(proofs, known...)
	if class == rows.Settled {
		e.Profiles = rows.Profiles{Queen: rows.Closed, AWS: rows.Closed}
	}
	return e
}

// amazonsAnswer is Amazon's newest answer to a question, and its date.
func amazonsAnswer(q rows.Question, runs map[string]evidence.Run) (found rows.Answer, date string) {
	for _, run := range runs {
		if !run.Amazon || run.Date < date {
			continue
		}
		for _, given := range run.Answers {
			for _, a := range q.Answers {
				if given.Question == q.ID && given.Is == a.Is {
					found, date = a, run.Date
				}
			}
		}
	}
	return found, date
}
