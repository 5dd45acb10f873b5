// Package divergences is what is known about the differences between this
// gateway and Amazon, as data.
package divergences

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Text is one error text that Amazon was recorded to answer, or, in section 28,
// is known by without a recording.
type Text struct {
	// Section of the record of Amazon's answers.
	Section string `json:"section"`
	// Text is the wording; <...> stands for what changes.
	Text string `json:"text"`
	// Feature is the file of features/ whose scenario has this gateway answer it.
	// For errors.csv it is the standard message that scenarios ask for by name.
	Feature string `json:"feature,omitempty"`
	// Reason says why this gateway does not answer it; empty when Feature is set.
	Reason string `json:"reason,omitempty"`
}

//go:embed texts_sqs.json
var sqsTexts []byte

// SQSTexts are the error texts of SQS.
func SQSTexts() ([]Text, error) {
	var texts []Text
	if err := json.Unmarshal(sqsTexts, &texts); err != nil {
		return nil, fmt.Errorf("texts_sqs.json: %w", err)
	}
	return texts, nil
}
