// Package evidence holds what is known about Amazon as data: the answers that
// "sqs-conform settle" was given, the exact texts of errors, and, in package
// recorded, recorded answers. What each means for users is said in the register
// row that cites it.
package evidence

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
)

//go:embed *.json texts/*.json
var files embed.FS

// Run is one file of answers: what one target answered to the questions of the
// register rows. Only what Amazon itself answered has effect on the register.
type Run struct {
	// Target names it; Amazon says that it was Amazon itself.
	Target  string `json:"target"`
	Amazon  bool   `json:"amazon"`
	Date    string `json:"date"` // YYYY-MM-DD
	Command string `json:"command"`
	// Requests is how many were sent, those that delete included.
	Requests int64 `json:"requests"`
	// Dollars is what they cost at most.
	Dollars float64  `json:"dollars"`
	Answers []Answer `json:"answers"`
}

// Answer is the answer to one question.
type Answer struct {
	Question string `json:"question"`
	Row      string `json:"row,omitempty"`
	// Is is the answer, empty where it is none of the expected ones or the question
	// was not asked, for which NotAsked says why.
	Is       string `json:"is,omitempty"`
	NotAsked string `json:"notAsked,omitempty"`
	// Here and Recorded are what this gateway does and what Amazon was known to do
	// when it was asked.
	Here     string `json:"here"`
	Recorded string `json:"recorded,omitempty"`
	// Calls are those made, with ids, accounts and names replaced.
	Calls []Call `json:"calls,omitempty"`
}

// Call is one call and what came of it.
type Call struct {
	Action string `json:"action"`
	Status int    `json:"status"`
	// Answer is the response's members by their paths, Error its code and text.
	Answer map[string]string `json:"answer,omitempty"`
	Error  string            `json:"error,omitempty"`
}

// Runs are all files of answers, by name.
func Runs() (map[string]Run, error) {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, err
	}
	runs := make(map[string]Run, len(names))
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var r Run
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		runs[name] = r
	}
	return runs, nil
}
