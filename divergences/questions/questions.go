// Package questions holds the open questions about Amazon SQS and SNS as data:
// what to call, how to read the answer, and which answers are known.
package questions

import (
	_ "embed"
	"encoding/json"
)

//go:embed questions.json
var file []byte

// Question is one.
type Question struct {
	ID string `json:"id"`
	// Row is the register's row it is about, empty where there is none.
	Row  string `json:"row"`
	Asks string `json:"asks"`
	// Calls are made in order. Each is made whatever came of those before.
	Calls []Call `json:"calls"`
	// Answers are tried in order; the first whose conditions hold is the answer.
	Answers []Answer `json:"answers"`
	// Here is this gateway's answer in profile queen. Amazon is Amazon's, empty
	// where it is not known, by Source.
	Here   string `json:"here"`
	Amazon string `json:"amazon,omitempty"`
	Source string `json:"source,omitempty"`
	// Differs is the class of an unsettled row once Amazon has answered otherwise
	// than this gateway.
	Differs string `json:"differs"`
}

// Call is one call. Strings in With may hold ${run}, what every name begins with,
// ${NAME.Member} of an earlier answer, ${arn:sqs:QUEUE} and ${x*N}.
type Call struct {
	Action string         `json:"action"`
	With   map[string]any `json:"with"`
	// As is the name under which conditions speak of the answer.
	As string `json:"as,omitempty"`
	// WaitSeconds is how long to wait before it.
	WaitSeconds int `json:"waitSeconds,omitempty"`
}

// Answer is one a question may have. If maps NAME to "ok", "error" or "error
// CODE: TEXT", and NAME.Member to a value, "absent", "=NAME.Member" for the same
// value, "!=NAME.Member" for another one, or "~N digits". Lists have a member
// count.
type Answer struct {
	Is string            `json:"is"`
	If map[string]string `json:"if"`
	// Says is the answer as a sentence about Amazon.
	Says string `json:"says"`
}

// All are all questions.
func All() []Question {
	var all []Question
	if err := json.Unmarshal(file, &all); err != nil {
		panic(err) // a test reads the file
	}
	return all
}

// Seconds is how long a question has to wait for real, its calls apart.
func (q Question) Seconds() int {
	n := 0
	for _, c := range q.Calls {
		n += c.WaitSeconds
	}
	return n
}
