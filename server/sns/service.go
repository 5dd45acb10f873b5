// Package sns is the 17 actions of Amazon SNS that are its API, composed from
// the verbs of a Queen broker. A topic is a record in the key/value store, a
// subscription another, and a publish one transaction over all the queues it
// reaches. It knows neither wire protocol.
//
// Where Amazon was recorded to answer something, that is what these actions
// answer, except for the divergences of the register, whose register
// rows (SN-nn) are named in the code that makes them.
package sns

import (
	"log/slog"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/action"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/sampled"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Config is what a Service is made of. Broker, Registry and Clock are required.
type Config struct {
	Broker   queen.Broker
	Registry *registry.Registry
	// Tokens are what the broker is called with for each access key.
	Tokens action.Tokens
	Clock  clock.Clock
	// Region and Account are labels, a part of every ARN. They default to "queen-1"
	// and "000000000000", and must be those of the Registry.
	Region  string
	Account string
	// Profile says in which register rows the gateway does what Amazon does. The
	// zero value is profile queen.
	Profile divergences.Profile
	// Log may be nil. Messages, secrets and endpoints as sent never reach it.
	Log *slog.Logger
}

// Service answers the actions of SNS. It holds no state but caches.
type Service struct {
	broker      queen.Broker
	registry    *registry.Registry
	subscribers *registry.Subscribers[*subscriber]
	clock       clock.Clock
	tokens      action.Tokens
	region      string
	account     string
	profile     divergences.Profile
	lines       *sampled.Log
	order       groupLocks
}

// New makes a Service. It does not call the broker.
func New(cfg Config) *Service {
	if cfg.Region == "" {
		cfg.Region = "queen-1"
	}
	if cfg.Account == "" {
		cfg.Account = "000000000000"
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{
		broker:   cfg.Broker,
		registry: cfg.Registry,
		clock:    cfg.Clock,
		tokens:   cfg.Tokens,
		region:   cfg.Region,
		account:  cfg.Account,
		profile:  cfg.Profile,
		lines:    sampled.New(cfg.Log, cfg.Clock),
		order:    newGroupLocks(),
	}
	s.subscribers = registry.NewSubscribers(cfg.Registry, s.compile)
	return s
}

// Handlers is the table of contents: every action of SNS that is answered and
// the method that answers it.
func (s *Service) Handlers() map[string]wire.Handler {
	return map[string]wire.Handler{
		// Topics.
		"CreateTopic":        s.createTopic,
		"DeleteTopic":        s.deleteTopic,
		"ListTopics":         s.listTopics,
		"GetTopicAttributes": s.getTopicAttributes,
		"SetTopicAttributes": s.setTopicAttributes,

		// Tags.
		"TagResource":         s.tagResource,
		"UntagResource":       s.untagResource,
		"ListTagsForResource": s.listTagsForResource,

		// Subscriptions.
		"Subscribe":                 s.subscribe,
		"Unsubscribe":               s.unsubscribe,
		"ConfirmSubscription":       s.confirmSubscription,
		"ListSubscriptions":         s.listSubscriptions,
		"ListSubscriptionsByTopic":  s.listSubscriptionsByTopic,
		"GetSubscriptionAttributes": s.getSubscriptionAttributes,
		"SetSubscriptionAttributes": s.setSubscriptionAttributes,

		// Messages.
		"Publish":      s.publish,
		"PublishBatch": s.publishBatch,
	}
}
