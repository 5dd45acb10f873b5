package sqs

import (
	"context"
	"errors"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
)

// idsKept is how long a broker that forgets the ids of messages is asked to keep
// them, in seconds. Such a broker (Queen 1.x) finds a message by its id for
// fifteen minutes after it was sent; then the release of a message, the delete
// of a part of a FIFO batch, a redrive and a move task fail for older ones. The
// remedy is to keep consumed messages longer, and its price is that every ack
// which the broker answers by id reads the ids of that whole time, 35 ms with
// 10,000 consumed messages in a lane. A day covers the longest visibility
// timeout (12 hours) behind half a day of backlog.
const idsKept = 86400

// options is what the broker is told about a queue: always the whole bag,
// because a configure replaces what it does not name. Dead-lettering is done by
// the gateway into a real queue, so the broker's own is off.
func options(q *registry.Queue, keepsIDs bool) queen.Options {
	opts := queen.DefaultOptions()
	opts.LeaseTime = q.Seconds(registry.VisibilityTimeout)
	opts.DeadLetterQueue = false
	opts.DelayedProcessing = q.Seconds(registry.DelaySeconds)
	opts.RetentionEnabled = true
	opts.RetentionSeconds = q.Seconds(registry.MessageRetentionPeriod)
	opts.DedupWindowSeconds = q.DedupWindow()
	if policy, ok := q.Redrive(); ok {
		opts.RetryLimit = policy.MaxReceiveCount
	}
	if !keepsIDs {
		opts.CompletedRetentionSeconds = min(opts.RetentionSeconds, idsKept)
	}
	return opts
}

func (s *Service) configure(ctx context.Context, tok queen.Token, q *registry.Queue) error {
	can, err := s.broker.Capabilities(ctx)
	if err != nil {
		return err
	}
	_, err = s.broker.Configure(ctx, tok, q.Name, options(q, can.KeepsIDs))
	s.registry.ForgetBrokerQueues()
	return err
}

// configurePasses is how often configureInForce chases a record that keeps
// changing.
const configurePasses = 3

// configureInForce configures the broker from the record and makes sure that it
// was the last one: of two concurrent changes the slower configure must not
// leave the broker with the loser's options.
func (s *Service) configureInForce(ctx context.Context, tok queen.Token, q *registry.Queue) error {
	for range configurePasses {
		if err := s.configure(ctx, tok, q); err != nil {
			return err
		}
		latest, err := s.registry.QueueFresh(ctx, tok, q.Name)
		if errors.Is(err, registry.ErrNotFound) {
			return s.undoConfigure(ctx, tok, q.Name)
		}
		if err != nil {
			return err
		}
		if latest.Version == q.Version {
			return nil
		}
		q = latest
	}
	return fault.ServiceUnavailable.Default()
}

// undoConfigure takes back the broker's half of a queue that was deleted
// meanwhile. The tombstone keeps anybody from having made a new one since.
func (s *Service) undoConfigure(ctx context.Context, tok queen.Token, name string) error {
	if _, err := s.broker.DeleteQueue(ctx, tok, name); err != nil {
		return err
	}
	s.registry.ForgetBrokerQueues()
	return registry.ErrNotFound
}
