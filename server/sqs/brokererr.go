package sqs

import (
	"github.com/queen-mq/queen-sqs/server/brokerfault"
	"github.com/queen-mq/queen-sqs/server/fault"
)

var brokerWords = brokerfault.Words{
	Missing: fault.QueueDoesNotExist,
	TooLarge: func() *fault.Error {
		return fault.InvalidParameterValue.With("The attributes and tags of a queue together must be shorter than 65536 bytes.")
	},
	Refused: func(status int) *fault.Error {
		return fault.InvalidParameterValue.Withf("The broker refused the request with status %d.", status)
	},
}

// brokerFault is what a client is told when the broker or the registry failed.
func brokerFault(err error) error { return brokerWords.Of(err) }
