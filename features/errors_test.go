package features

import (
	"slices"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/divergences/evidence"
	"github.com/queen-mq/queen-sqs/divergences/evidence/recorded"
	"github.com/queen-mq/queen-sqs/steps"
	"github.com/queen-mq/queen-sqs/steps/model"
)

// undeclared are the errors that Amazon's models do not have, or have otherwise,
// each with where it is known from.
var undeclared = map[string]string{
	"InvalidAction":              "documented: Common Errors",
	"UnknownOperationException":  "asserted: test_get_without_query_returns_unknown_operation",
	"InvalidParameterValue":      "recorded: test_send_receive_max_number_of_messages",
	"MissingParameter":           "recorded: test_send_empty_message",
	"MissingAuthenticationToken": "documented: Common Errors",
	"SignatureDoesNotMatch":      "documented: Common Errors",
	"IncompleteSignature":        "documented: Common Errors",
	"InvalidClientTokenId":       "documented: Common Errors",
	"AccessDenied":               "documented: Common Errors",
	"ServiceUnavailable":         "documented: Common Errors",
	"InternalFailure":            "documented: Common Errors",
	"RequestEntityTooLarge":      "claimed: the published contract of Queen's SQS",
	"ValidationError":            "recorded: test_empty_or_wrong_message_attributes; the model of SNS spells the code ValidationException",
}

// documentedTexts are the standard messages that no recording has.
var documentedTexts = map[string]string{
	"InvalidAction":              "Common Errors",
	"MissingAuthenticationToken": "Common Errors",
	"InvalidClientTokenId":       "Common Errors",
}

// The codes, statuses and sides of errors.csv are those of the models that
// Amazon publishes.
func TestErrorsAreThoseOfAmazonsModels(t *testing.T) {
	table, err := steps.ReadErrors(strings.NewReader(ErrorTable()))
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range table {
		declared := false
		for _, service := range []string{model.SQS, model.SNS} {
			shape := model.Of(service, model.JSON).Shapes[row.JSON]
			if shape == nil || !shape.Exception {
				continue
			}
			d := model.Error(service, row.JSON)
			declared = declared || d.Query == row.Query &&
				(d.Status == 0 || d.Status == row.Status && d.Sender == (row.Fault == "Sender"))
		}
		if declared == (undeclared[name] != "") {
			t.Errorf("%+v: a model has it: %v; otherwise known from %q", row, declared, undeclared[name])
		}
	}
	for name := range undeclared {
		if _, ok := table[name]; !ok {
			t.Errorf("errors.csv has no %s", name)
		}
	}
}

// The standard messages of errors.csv are Amazon's, by the evidence.
func TestStandardMessagesAreOnRecord(t *testing.T) {
	table, err := steps.ReadErrors(strings.NewReader(ErrorTable()))
	if err != nil {
		t.Fatal(err)
	}
	texts, err := evidence.SQSTexts()
	if err != nil {
		t.Fatal(err)
	}
	known, err := recorded.Strings()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		known = append(known, text.Text)
	}
	for name, row := range table {
		for _, message := range []string{row.Message, row.QueryMessage} {
			if message == "" {
				continue
			}
			if onRecord := slices.Contains(known, message); onRecord == (documentedTexts[name] != "") {
				t.Errorf("%s: %q is on record: %v; documented: %q", name, message, onRecord, documentedTexts[name])
			}
		}
	}
}

// What is said to be recorded is in a recording, and nothing else is.
func TestRecordedTextsAreInARecording(t *testing.T) {
	texts, err := evidence.SQSTexts()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := recorded.Strings()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range texts {
		found := slices.ContainsFunc(answers, pattern(x.Text).MatchString)
		if found != (x.Kind == evidence.Recorded) {
			t.Errorf("%q is %s; a recording has it: %v", x.Text, x.Kind, found)
		}
	}
}
