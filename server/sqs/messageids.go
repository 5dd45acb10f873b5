package sqs

import (
	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// idParam reads an id that a client chooses: a message group, a deduplication id
// or an attempt id. An empty one is present and refused.
func idParam(p *wire.Object, name string) (id string, present bool, err error) {
	id, present, err = textParam(p, name)
	if err != nil || !present {
		return "", false, err
	}
	if validID(id) {
		return id, true, nil
	}
	return "", true, fault.InvalidParameterValue.Withf(
		"Value %s for parameter %s is invalid. Reason: %s can only include alphanumeric and punctuation characters. 1 to 128 in length.",
		clip(id), name, name)
}

func validID(id string) bool { return envelope.ValidID(id) }

// notForThisType refuses a parameter on a queue of the other type, in the words
// AWS was recorded to use.
func notForThisType(name, value string) *fault.Error {
	return fault.InvalidParameterValue.Withf(
		"Value %s for parameter %s is invalid. Reason: The request include parameter that is not valid for this queue type.",
		clip(value), name)
}

// clip bounds what an error text repeats of a client's own text, in bytes.
func clip(text string) string {
	const most = 1024
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}

// ranged reads a whole number of lo to hi. The reason is what AWS says about
// one outside.
func ranged(p *wire.Object, name string, lo, hi int64, reason string) (n int, present bool, err error) {
	v, present, err := p.Int(name)
	if !present {
		return 0, false, nil
	}
	if err != nil {
		text, _ := p.Str(name)
		return 0, true, fault.InvalidParameterValue.Withf(
			"Value %s for parameter %s is invalid. Reason: Must be a whole number.", clip(text), name)
	}
	if v < lo || v > hi {
		text, _ := p.Str(name)
		return 0, true, fault.InvalidParameterValue.Withf("Value %s for parameter %s is invalid. Reason: %s", clip(text), name, reason)
	}
	return int(v), true, nil
}

// Ranges of message parameters. The reasons of MaxNumberOfMessages and
// WaitTimeSeconds are recorded; VisibilityTimeout's follows their pattern.
const (
	mostMessages         = 10
	mostWait             = 20
	longestVisibility    = 43200
	longestDelay         = 900
	reasonMessages       = "Must be between 1 and 10, if provided."
	reasonWait           = "Must be >= 0 and <= 20, if provided."
	reasonVisibility     = "Must be >= 0 and <= 43200, if provided."
	reasonDelay          = "DelaySeconds must be >= 0 and <= 900."
	largestBatch         = 10
	largestBatchBytes    = 1048576 // of all messages of a batch, whatever the queue allows (recorded 2025-08-19)
	longestAttributeName = 256
	longestTypeLabel     = 256
)
