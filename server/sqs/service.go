// Package sqs is the 23 actions of Amazon SQS, composed from the verbs of a
// Queen broker. It knows neither wire protocol: a request arrives as a tree of
// values and an answer leaves as one.
//
// Where Amazon was recorded to answer something, that is what these actions
// answer, except for the divergences of the register, whose register
// rows (QS-nn) are named in the code that makes them.
package sqs

import (
	"context"
	"errors"
	"log/slog"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/action"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/receipt"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/sampled"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Config is what a Service is made of. Broker, Registry, Handles and Clock are
// required.
type Config struct {
	Broker   queen.Broker
	Registry *registry.Registry
	// Tokens are what the broker is called with for each access key.
	Tokens action.Tokens
	// Handles mints and opens receipt handles. Its secret must be the same on
	// all instances in front of one broker.
	Handles *receipt.Sealer
	Clock   clock.Clock
	// Region and Account are labels: a part of every ARN, and Account of every
	// queue URL. They default to "queen-1" and "000000000000".
	Region  string
	Account string
	// DefaultPartitions is the width stamped into new standard queues that name
	// none, 1 to 100000; 0 means 64.
	DefaultPartitions int
	// Profile says in which register rows the gateway does what Amazon does. The
	// zero value is profile queen.
	Profile divergences.Profile
	// Log may be nil. Bodies, secrets, receipt handles and queue URLs never reach
	// it.
	Log *slog.Logger
}

// Service answers the actions of SQS. It holds no state but caches. Close ends
// what it does behind its answers.
type Service struct {
	broker            queen.Broker
	registry          *registry.Registry
	handles           *receipt.Sealer
	clock             clock.Clock
	tokens            action.Tokens
	region            string
	account           string
	defaultPartitions int
	profile           divergences.Profile
	lines             *sampled.Log

	backstage
}

// New makes a Service. It does not call the broker.
func New(cfg Config) *Service {
	if cfg.Region == "" {
		cfg.Region = "queen-1"
	}
	if cfg.Account == "" {
		cfg.Account = "000000000000"
	}
	if cfg.DefaultPartitions == 0 {
		cfg.DefaultPartitions = 64
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{
		broker:            cfg.Broker,
		registry:          cfg.Registry,
		handles:           cfg.Handles,
		clock:             cfg.Clock,
		tokens:            cfg.Tokens,
		region:            cfg.Region,
		account:           cfg.Account,
		defaultPartitions: cfg.DefaultPartitions,
		profile:           cfg.Profile,
		lines:             sampled.New(cfg.Log, cfg.Clock),
	}
}

// Handlers is the table of contents: every action of SQS and the method that
// answers it.
func (s *Service) Handlers() map[string]wire.Handler {
	return map[string]wire.Handler{
		// Queues.
		"CreateQueue": s.createQueue,
		"DeleteQueue": s.deleteQueue,
		"GetQueueUrl": s.getQueueURL,
		"ListQueues":  s.listQueues,
		"PurgeQueue":  s.purgeQueue,

		// Attributes, tags, permissions.
		"GetQueueAttributes": s.getQueueAttributes,
		"SetQueueAttributes": s.setQueueAttributes,
		"ListQueueTags":      s.listQueueTags,
		"TagQueue":           s.tagQueue,
		"UntagQueue":         s.untagQueue,
		"AddPermission":      s.addPermission,
		"RemovePermission":   s.removePermission,

		// Messages.
		"SendMessage":                  s.sendMessage,
		"SendMessageBatch":             s.sendMessageBatch,
		"ReceiveMessage":               s.receiveMessage,
		"DeleteMessage":                s.deleteMessage,
		"DeleteMessageBatch":           s.deleteMessageBatch,
		"ChangeMessageVisibility":      s.changeMessageVisibility,
		"ChangeMessageVisibilityBatch": s.changeMessageVisibilityBatch,

		// Dead letters.
		"ListDeadLetterSourceQueues": s.listDeadLetterSourceQueues,
		"StartMessageMoveTask":       s.startMessageMoveTask,
		"CancelMessageMoveTask":      s.cancelMessageMoveTask,
		"ListMessageMoveTasks":       s.listMessageMoveTasks,
	}
}

// queue resolves the queue a request addresses and reads its record, at most 3
// seconds old. A missing one is QueueDoesNotExist.
func (s *Service) queue(ctx context.Context, req *wire.Request) (*registry.Queue, error) {
	name, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	q, err := s.registry.Queue(ctx, s.tokens.Of(req), name)
	if err != nil {
		return nil, brokerFault(err)
	}
	return q, nil
}

// queueExists reports whether the registry knows a queue of that name.
func (s *Service) queueExists(ctx context.Context, tok queen.Token, name string) (bool, error) {
	_, err := s.registry.Queue(ctx, tok, name)
	if errors.Is(err, registry.ErrNotFound) {
		return false, nil
	}
	return err == nil, brokerFault(err)
}
