// Package brokerfault says what a client is told when the broker or the registry
// failed. A broker's own text goes to the log as the cause, never to a client.
package brokerfault

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
)

// Words are one service's errors for what the services spell differently.
type Words struct {
	// Missing is the error of a record or queue that is not there.
	Missing *fault.Kind
	// TooLarge is the error of a record that outgrew the store.
	TooLarge func() *fault.Error
	// Refused is the error of a request that the broker refused with a status of
	// the 4xx range.
	Refused func(status int) *fault.Error
}

// Of is err as the client is told. Nil and errors of the catalog pass through.
func (w Words) Of(err error) error {
	if err == nil {
		return nil
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	return w.classify(err).Because(err)
}

func (w Words) classify(err error) *fault.Error {
	var (
		status       *queen.StatusError
		transport    *queen.TransportError
		duplicate    *queen.DuplicateError
		precondition *queen.PreconditionError
	)
	switch {
	case errors.Is(err, registry.ErrNotFound):
		return w.Missing.Default()
	case errors.Is(err, registry.ErrTooLarge):
		return w.TooLarge()
	case errors.As(err, &status):
		return w.status(status)
	case errors.Is(err, registry.ErrConflict), errors.As(err, &transport), errors.As(err, &precondition),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.ServiceUnavailable.Default()
	case errors.As(err, &duplicate):
		return w.Refused(http.StatusConflict)
	default: // *queen.BodyError among others
		return fault.InternalFailure.Default()
	}
}

func (w Words) status(err *queen.StatusError) *fault.Error {
	switch {
	case err.Code >= 500:
		return fault.ServiceUnavailable.Default()
	case err.Code == http.StatusNotFound:
		return w.Missing.Default()
	case err.Code == http.StatusTooManyRequests:
		f := fault.RequestThrottled.Default()
		f.RetryAfter = max(err.RetryAfter, time.Second)
		return f
	case err.Code == http.StatusUnauthorized, err.Code == http.StatusForbidden:
		return fault.AccessDenied.With("The broker refused the credential that this gateway presented to it.")
	case err.Code >= 400:
		return w.Refused(err.Code)
	default:
		return fault.InternalFailure.Default()
	}
}
