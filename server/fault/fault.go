// Package fault is the closed catalog of errors a client can be answered with.
// SDKs key their retries and their exception classes on these strings, so a
// code is never made up where it is raised: adding one is a reviewed change of
// catalog.go.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind is one error of the catalog, in both spellings.
type Kind struct {
	// JSON is the shape name in the body's __type, behind Namespace and "#".
	JSON      string
	Namespace string
	// Query is the XML Code and the first part of x-amzn-query-error.
	Query string
	// Status is the HTTP status, the same over both protocols.
	Status int
	// Receiver marks a fault of ours; everything else is the Sender's.
	Receiver bool
	// Text is the default message; QueryText replaces it over Query where AWS was
	// recorded to word the two differently.
	Text      string
	QueryText string
}

// Side is "Sender" or "Receiver".
func (k *Kind) Side() string {
	if k.Receiver {
		return "Receiver"
	}
	return "Sender"
}

// Default is the kind with its default message.
func (k *Kind) Default() *Error { return &Error{Kind: k} }

// With is the kind with a message of its own. Messages never carry a queue URL,
// a receipt handle (other than where AWS echoes it) or a broker's text.
func (k *Kind) With(message string) *Error { return &Error{Kind: k, text: message} }

// Withf is With, formatted.
func (k *Kind) Withf(format string, args ...any) *Error {
	return k.With(fmt.Sprintf(format, args...))
}

// Error is one error on its way to a client.
type Error struct {
	Kind *Kind
	// RetryAfter goes into the retry-after header of a throttled answer, rounded
	// up to whole seconds; zero sends none.
	RetryAfter time.Duration
	// Cause is for the log, never for the client.
	Cause error

	text string
}

// Because attaches a cause for the log.
func (e *Error) Because(err error) *Error {
	e.Cause = err
	return e
}

// Message is the text over AWS JSON.
func (e *Error) Message() string {
	if e.text != "" {
		return e.text
	}
	return e.Kind.Text
}

// QueryMessage is the text over Query.
func (e *Error) QueryMessage() string {
	if e.text == "" && e.Kind.QueryText != "" {
		return e.Kind.QueryText
	}
	return e.Message()
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Kind.JSON + ": " + e.Message() + ": " + e.Cause.Error()
	}
	return e.Kind.JSON + ": " + e.Message()
}

func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether err is an error of that kind.
func Is(err error, k *Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == k
}

// From is err as an Error of the catalog; one that is none becomes
// InternalFailure with err as its cause.
func From(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return InternalFailure.Default().Because(err)
}
