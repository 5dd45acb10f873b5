package evidence

import (
	"encoding/json"
	"fmt"
)

// Kind is how good the evidence for a text is.
type Kind string

// The kinds, the best first.
const (
	// Recorded: the text is in an answer of package recorded.
	Recorded Kind = "recorded"
	// Asserted: a test that is validated against AWS asserts it, or an older
	// revision of the recordings had it.
	Asserted Kind = "asserted"
	// Hint: Amazon is known by it, and nothing confirms that.
	Hint Kind = "hint"
)

// Text is the exact text of one error of Amazon's.
type Text struct {
	// Section of sqs.md, which says when Amazon answers it.
	Section string `json:"section"`
	Kind    Kind   `json:"kind"`
	// Text is the wording; <...> stands for what changes.
	Text string `json:"text"`
	// Feature is the file of features/ whose scenario has this gateway return it.
	// For errors.csv it is the standard message that scenarios ask for by name.
	Feature string `json:"feature,omitempty"`
	// Reason says why this gateway does not return it; empty when Feature is set.
	Reason string `json:"reason,omitempty"`
}

// SQSTexts are the error texts of SQS. Those of SNS have no list: the replay of
// the recorded answers compares them.
func SQSTexts() ([]Text, error) {
	const name = "texts/sqs.json"
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var texts []Text
	if err := json.Unmarshal(text, &texts); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return texts, nil
}
