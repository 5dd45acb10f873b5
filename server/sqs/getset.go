package sqs

import (
	"context"
	"slices"
	"strconv"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// getQueueAttributes answers the attributes asked for, those that the queue does
// not have left out. The broker is asked for counts only when they are asked for.
func (s *Service) getQueueAttributes(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	asked, err := textListParam(req.Params, "AttributeNames")
	if err != nil {
		return nil, err
	}
	tok := s.tokens.Of(req)
	q, err := s.registry.QueueFresh(ctx, tok, name)
	if err != nil {
		return nil, brokerFault(err)
	}
	all, err := checkAsked(q, asked)
	if err != nil {
		return nil, err
	}

	wants := func(names ...string) bool {
		return all || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(asked, n) })
	}
	values := s.reported(q)
	values[queueArn] = q.ARN
	values[createdTimestamp] = strconv.FormatInt(q.Created.Unix(), 10)
	values[modifiedTimestamp] = strconv.FormatInt(q.Modified.Unix(), 10)
	if wants(messagesVisible, messagesNotVisible, messagesDelayed) {
		counts, err := s.count(ctx, tok, q, wants)
		if err != nil {
			return nil, brokerFault(err)
		}
		values[messagesVisible] = strconv.FormatInt(counts.visible, 10)
		values[messagesNotVisible] = strconv.FormatInt(counts.notVisible, 10)
		values[messagesDelayed] = strconv.FormatInt(counts.delayed, 10)
	}
	if !all {
		for name := range values {
			if !slices.Contains(asked, name) {
				delete(values, name)
			}
		}
	}

	answer := wire.NewObject()
	if len(values) > 0 {
		answer.Set("Attributes", textMap(values))
	}
	return answer, nil
}

// checkAsked refuses a name that is no attribute, and answers whether all are
// asked for.
func checkAsked(q *registry.Queue, asked []string) (all bool, err error) {
	for _, name := range asked {
		if name == allAttributes {
			all = true
			continue
		}
		_, known := attributes[name]
		_, stored := q.Attributes[name]
		if !known && !stored {
			return false, unknownAttribute(name)
		}
	}
	return all, nil
}

// counts are a queue's messages, each in one of three states.
type counts struct{ visible, notVisible, delayed int64 }

// count asks the broker: one call for the messages in lanes and one for those
// that are still timers, each only when it is wanted. Messages of a blocked
// FIFO group count as visible, as at AWS. Messages that the queue's own delay
// hides are told apart only by a broker that reports them; others count them as
// visible.
func (s *Service) count(ctx context.Context, tok queen.Token, q *registry.Queue, wants func(...string) bool) (counts, error) {
	var c counts
	hides := q.Seconds(registry.DelaySeconds) > 0
	if wants(messagesVisible, messagesNotVisible) || hides {
		depth, err := s.broker.Depth(ctx, tok, q.Name, queen.DefaultGroup)
		if err != nil {
			return counts{}, err
		}
		c.visible = max(depth.Ready-depth.Hidden, 0)
		c.notVisible = depth.Processing
		c.delayed = depth.Hidden
	}
	if wants(messagesDelayed) {
		timers, err := s.broker.CountTimers(ctx, tok, q.Name, timerPrefix)
		if err != nil {
			return counts{}, err
		}
		c.delayed += int64(timers)
	}
	return c, nil
}

// setQueueAttributes changes the attributes named and leaves the others. An
// empty value removes one that can be absent. The record is changed first, by
// compare-and-set, and the broker configured from the record in force.
func (s *Service) setQueueAttributes(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	supplied, err := textMapParam(req.Params, "Attributes")
	if err != nil {
		return nil, err
	}
	tok := s.tokens.Of(req)
	if _, err := s.registry.Queue(ctx, tok, name); err != nil {
		return nil, brokerFault(err)
	}
	if len(supplied) == 0 {
		return nil, missing("Attribute.Name")
	}
	if err := s.checkRedrive(ctx, tok, name, supplied); err != nil {
		return nil, err
	}
	checked, err := checkAttributes(supplied, registry.IsFIFO(name), false)
	if err != nil {
		return nil, err
	}
	if checked[registry.FifoQueue] == "false" {
		return nil, fault.InvalidAttributeValue.With("Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported.")
	}
	q, err := s.registry.ChangeQueue(ctx, tok, name, func(q *registry.Queue) error {
		q.Modified = s.clock.Now()
		return merge(q, checked)
	})
	if err != nil {
		return nil, brokerFault(err)
	}
	return nil, brokerFault(s.configureInForce(ctx, tok, q))
}
