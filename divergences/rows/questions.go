package rows

// Question is one about what Amazon SQS or SNS does: what to call, how to read
// what comes back, and which answers are possible. "sqs-conform settle" asks it.
type Question struct {
	ID string `yaml:"id"`
	// Row is the id of the row it stands under, empty where there is none.
	Row  string `yaml:"-"`
	Asks string `yaml:"asks"`
	// Calls are made in order. Each is made whatever came of those before.
	Calls []Call `yaml:"calls"`
	// Answers are tried in order; the first whose conditions hold is the answer.
	Answers []Answer `yaml:"answers"`
	// Here is this gateway's answer in profile queen. Amazon is Amazon's, empty
	// where it is not known; the evidence for it is that of the row.
	Here   string `yaml:"here"`
	Amazon string `yaml:"amazon"`
	// Evidence is for Amazon's answer to a question that has no row.
	Evidence []Evidence `yaml:"evidence"`
	// Differs is the class of an unsettled row once Amazon has answered otherwise
	// than this gateway.
	Differs Class `yaml:"differs"`
}

// Call is one call. Strings in With may hold ${run}, which every name begins
// with, ${NAME.Member} of an earlier response, ${arn:sqs:QUEUE} and ${x*N}.
type Call struct {
	Action string         `yaml:"action"`
	With   map[string]any `yaml:"with"`
	// As is the name under which conditions speak of the response.
	As string `yaml:"as"`
	// WaitSeconds is how long to wait before it.
	WaitSeconds int `yaml:"waitSeconds"`
}

// Answer is one a question may have. If maps NAME to "ok", "error" or "error
// CODE: TEXT", and NAME.Member to a value, "absent", "=NAME.Member" for the same
// value, "!=NAME.Member" for another one, or "~N digits". Lists have a member
// count.
type Answer struct {
	Is string            `yaml:"is"`
	If map[string]string `yaml:"if"`
	// Says is the answer as a sentence about Amazon.
	Says string `yaml:"says"`
}

// Seconds is how long a question has to wait for real, its calls apart.
func (q Question) Seconds() int {
	n := 0
	for _, c := range q.Calls {
		n += c.WaitSeconds
	}
	return n
}

// Questions are all questions.
func Questions() ([]Question, error) {
	s, err := Load()
	return s.Questions, err
}
