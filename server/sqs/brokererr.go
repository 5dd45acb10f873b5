package sqs

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
)

// brokerFault is what a client is told when the broker or the registry failed.
// The broker's own text goes to the log as the cause and never to the client.
// Nil and errors of the catalog pass through.
func brokerFault(err error) error {
	if err == nil {
		return nil
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	return classify(err).Because(err)
}

func classify(err error) *fault.Error {
	var (
		status       *queen.StatusError
		transport    *queen.TransportError
		duplicate    *queen.DuplicateError
		precondition *queen.PreconditionError
	)
	switch {
	case errors.Is(err, registry.ErrNotFound):
		return fault.QueueDoesNotExist.Default()
	case errors.Is(err, registry.ErrConflict):
		return fault.ServiceUnavailable.Default()
	case errors.Is(err, registry.ErrTooLarge):
		return fault.InvalidParameterValue.With("The attributes and tags of a queue together must be shorter than 65536 bytes.")
	case errors.As(err, &status):
		return statusFault(status)
	case errors.As(err, &transport), errors.As(err, &precondition):
		return fault.ServiceUnavailable.Default()
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.ServiceUnavailable.Default()
	case errors.As(err, &duplicate):
		return fault.InvalidParameterValue.Default()
	default: // *queen.BodyError among others
		return fault.InternalFailure.Default()
	}
}

func statusFault(err *queen.StatusError) *fault.Error {
	switch {
	case err.Code >= 500:
		return fault.ServiceUnavailable.Default()
	case err.Code == http.StatusNotFound:
		return fault.QueueDoesNotExist.Default()
	case err.Code == http.StatusTooManyRequests:
		f := fault.RequestThrottled.Default()
		f.RetryAfter = max(err.RetryAfter, time.Second)
		return f
	case err.Code == http.StatusUnauthorized, err.Code == http.StatusForbidden:
		return fault.AccessDenied.With("The broker refused the credential that this gateway presented to it.")
	case err.Code >= 400:
		return fault.InvalidParameterValue.Withf("The broker refused the request with status %d.", err.Code)
	default:
		return fault.InternalFailure.Default()
	}
}
