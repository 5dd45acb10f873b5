package sns

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

// topicFault is brokerFault where the record that may be missing is a topic.
func topicFault(err error) error {
	if errors.Is(err, registry.ErrNotFound) {
		return noTopic()
	}
	return brokerFault(err)
}

func noTopic() *fault.Error { return fault.NotFound.With("Topic does not exist") }

// subscriptionFault is brokerFault where the record that may be missing is a
// subscription.
func subscriptionFault(err error) error {
	if errors.Is(err, registry.ErrNotFound) {
		return fault.NotFound.With("Subscription does not exist")
	}
	return brokerFault(err)
}

func classify(err error) *fault.Error {
	var (
		status       *queen.StatusError
		transport    *queen.TransportError
		precondition *queen.PreconditionError
	)
	switch {
	case errors.Is(err, registry.ErrNotFound):
		return fault.NotFound.Default()
	case errors.Is(err, registry.ErrTooLarge):
		return invalid("Attributes Reason: attributes and tags together must be shorter than %d bytes", registry.MaxValueBytes)
	case errors.As(err, &status):
		return statusFault(status)
	case errors.Is(err, registry.ErrConflict), errors.As(err, &transport), errors.As(err, &precondition),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.ServiceUnavailable.Default()
	default: // *queen.BodyError among others
		return fault.InternalFailure.Default()
	}
}

func statusFault(err *queen.StatusError) *fault.Error {
	switch {
	case err.Code >= 500:
		return fault.ServiceUnavailable.Default()
	case err.Code == http.StatusNotFound:
		return fault.NotFound.Default()
	case err.Code == http.StatusTooManyRequests:
		f := fault.RequestThrottled.Default()
		f.RetryAfter = max(err.RetryAfter, time.Second)
		return f
	case err.Code == http.StatusUnauthorized, err.Code == http.StatusForbidden:
		return fault.AccessDenied.With("The broker refused the credential that this gateway presented to it.")
	case err.Code >= 400:
		return invalid("the broker refused the request with status %d", err.Code)
	default:
		return fault.InternalFailure.Default()
	}
}
