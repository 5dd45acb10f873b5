package sqs

import (
	"context"
	"errors"
	"strings"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

const (
	timerPage = 200
	// mostTimersCancelled bounds the work of one call.
	mostTimersCancelled = 5000
)

// purgeQueue removes every message, in flight and delayed ones included, before
// it answers (QS-17, SynchronousPurge). The broker's queue is deleted and made
// again, so that the lanes have new ids and no older receipt handle works any more.
func (s *Service) purgeQueue(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	tok := s.tokens.Of(req)
	q, err := s.registry.QueueFresh(ctx, tok, name)
	if err != nil {
		return nil, brokerFault(err)
	}
	claimed, err := s.registry.ClaimPurge(ctx, tok, name)
	if err != nil {
		return nil, brokerFault(err)
	}
	if !claimed {
		return nil, fault.PurgeQueueInProgress.Withf("Only one PurgeQueue operation on %s is allowed every 60 seconds.", name)
	}
	return nil, brokerFault(s.purge(ctx, tok, q))
}

func (s *Service) purge(ctx context.Context, tok queen.Token, q *registry.Queue) error {
	if err := s.cancelTimers(ctx, tok, q.Name); err != nil {
		return err
	}
	if _, err := s.broker.DeleteQueue(ctx, tok, q.Name); err != nil {
		return err
	}
	if err := s.forgetAttempts(ctx, tok, q.Name); err != nil {
		return err
	}
	if err := s.configure(ctx, tok, q); err != nil {
		return err
	}
	// Writing the record back at its version finds out whether it was deleted or
	// changed while the broker's queue was away.
	inForce, stored, err := s.registry.StoreQueue(ctx, tok, q)
	switch {
	case errors.Is(err, registry.ErrNotFound):
		return s.undoConfigure(ctx, tok, q.Name)
	case err != nil || stored:
		return err
	default:
		return s.configureInForce(ctx, tok, inForce)
	}
}

// cancelTimers takes back the delayed messages of a queue, at most
// mostTimersCancelled. Timers of other keys are somebody else's, and one that is
// being delivered at this moment stays.
func (s *Service) cancelTimers(ctx context.Context, tok queen.Token, name string) error {
	after := timerPrefix // sorts just before the first key that begins with it
	for cancelled := 0; ; {
		page, err := s.broker.ListTimers(ctx, tok, name, after, timerPage)
		if err != nil {
			return err
		}
		var ops []queen.TimerOp
		for _, row := range page.Rows {
			after = row.Key
			if strings.HasPrefix(row.Key, timerPrefix) {
				ops = append(ops, queen.TimerOp{Op: queen.TimerCancel, Queue: name, Key: row.Key, Txn: row.Txn})
			}
		}
		if len(ops) > 0 {
			if _, err := s.broker.ScheduleTimers(ctx, tok, ops); err != nil {
				return err
			}
		}
		// Keys come in byte order: past the last of ours there is none.
		if len(ops) < len(page.Rows) || len(page.Rows) == 0 || !page.Truncated {
			return nil
		}
		if cancelled += len(ops); cancelled >= mostTimersCancelled {
			s.lines.Warn("more delayed messages than one call takes back; the rest is delivered when due",
				"queue", name, "cancelled", cancelled)
			return nil
		}
	}
}
