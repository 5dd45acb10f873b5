package queen

import (
	"encoding/json"
	"fmt"
	"time"
)

// TransportError is a call that brought no answer: the broker could not be
// reached, hung past the deadline or closed the connection. Whether a write
// happened is unknown.
type TransportError struct{ Err error }

func (e *TransportError) Error() string { return "queen: no answer: " + e.Err.Error() }
func (e *TransportError) Unwrap() error { return e.Err }

// StatusError is an answer outside 200 to 299.
type StatusError struct {
	Code int
	// Body is the answer's text; at most 200 bytes of it may reach a log line and
	// none of it a client.
	Body string
	// RetryAfter is set when the broker named a whole number of seconds.
	RetryAfter    time.Duration
	HasRetryAfter bool
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("queen: status %d: %s", e.Code, Clip(e.Body))
}

// BodyError is an answer of 200 to 299 that cannot be used: unreadable, or with
// results that do not cover the request exactly once, or a refused transaction
// with Reason as the broker spelled it.
type BodyError struct {
	Reason string
	Detail string
}

func (e *BodyError) Error() string {
	if e.Detail == "" {
		return "queen: unusable answer: " + e.Reason
	}
	return "queen: unusable answer: " + e.Reason + ": " + Clip(e.Detail)
}

// DuplicateError refuses a transaction because a pushed transaction id is within
// the dedup window of its lane.
type DuplicateError struct{ Detail string }

func (e *DuplicateError) Error() string { return "queen: duplicate: " + Clip(e.Detail) }

// PreconditionError refuses a call because a Required KV operation lost.
type PreconditionError struct {
	// FailedIndex is the lost operation's place among the KV operations, or
	// negative when the broker did not say.
	FailedIndex int
	Reason      KVReason
	Version     int64
	Value       json.RawMessage
}

func (e *PreconditionError) Error() string {
	return fmt.Sprintf("queen: key/value precondition lost: operation %d: %s", e.FailedIndex, e.Reason)
}

// Clip cuts a broker's text to what may reach a log line: 200 bytes.
func Clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
