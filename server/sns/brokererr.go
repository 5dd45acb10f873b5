package sns

import (
	"errors"

	"github.com/queen-mq/queen-sqs/server/brokerfault"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/registry"
)

var brokerWords = brokerfault.Words{
	Missing: fault.NotFound,
	TooLarge: func() *fault.Error {
		return invalid("Attributes Reason: attributes and tags together must be shorter than %d bytes", registry.MaxValueBytes)
	},
	Refused: func(status int) *fault.Error { return invalid("the broker refused the request with status %d", status) },
}

// brokerFault is what a client is told when the broker or the registry failed.
func brokerFault(err error) error { return brokerWords.Of(err) }

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
