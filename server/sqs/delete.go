package sqs

import (
	"context"
	"strings"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/receipt"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// A delete reads no queue record: the handle says all, and the name in it
// whether the queue is FIFO.

func (s *Service) deleteMessage(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	queue, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	h, err := s.openHandle(req.Params, queue)
	if err != nil {
		return nil, s.unlessNoQueue(ctx, req, queue, err)
	}
	return nil, s.deleteHandles(ctx, s.tokens.Of(req), queue, []opened{h})[0]
}

func (s *Service) deleteMessageBatch(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	queue, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	entries, err := batchEntries(req.Params)
	if err != nil {
		return nil, err
	}
	handles, places, errs := s.openHandles(entries, queue)
	if len(handles) == 0 {
		if err := s.unlessNoQueue(ctx, req, queue, errs[0]); fault.Is(err, fault.QueueDoesNotExist) {
			return nil, err
		}
		return batchAnswer(entries, nil, errs), nil
	}
	for i, err := range s.deleteHandles(ctx, s.tokens.Of(req), queue, handles) {
		errs[places[i]] = err
	}
	return batchAnswer(entries, nil, errs), nil
}

// opened is a receipt handle and the text it was sent as.
type opened struct {
	receipt.Handle
	text string
}

// openHandle reads the ReceiptHandle among the parameters.
func (s *Service) openHandle(p *wire.Object, queue string) (opened, error) {
	text, err := requiredText(p, "ReceiptHandle")
	if err != nil {
		return opened{}, err
	}
	h, err := s.handles.Open(text, queue)
	if err != nil {
		return opened{}, fault.ReceiptHandleIsInvalid.Withf(`The input receipt handle "%s" is not a valid receipt handle.`, clip(text))
	}
	return opened{h, text}, nil
}

// openHandles reads the handles of entries. places are the positions of the
// good ones, errs says what is wrong with the others.
func (s *Service) openHandles(entries []batchEntry, queue string) (handles []opened, places []int, errs []error) {
	errs = make([]error, len(entries))
	for i, e := range entries {
		h, err := s.openHandle(e.params, queue)
		if err != nil {
			errs[i] = err
			continue
		}
		handles = append(handles, h)
		places = append(places, i)
	}
	return handles, places, errs
}

// unlessNoQueue is err, or, when there is no such queue, that: only a request
// that fails anyway pays for the question.
func (s *Service) unlessNoQueue(ctx context.Context, req *wire.Request, queue string, err error) error {
	if exists, lookup := s.queueExists(ctx, s.tokens.Of(req), queue); lookup == nil && !exists {
		return fault.QueueDoesNotExist.Default()
	}
	return err
}

func (s *Service) deleteHandles(ctx context.Context, tok queen.Token, queue string, handles []opened) []error {
	if registry.IsFIFO(queue) {
		return s.deleteFIFO(ctx, tok, handles)
	}
	return s.deleteSingles(ctx, tok, handles)
}

// deleteSingles deletes messages of a standard queue, each the whole of its
// claim. A message that is gone already is as good as deleted.
//
// A handle outlives its lease, and deleting with it must still delete (recorded).
// That is safe here without the lease: the message is the next of its lane or
// done, so that the ack completes it alone. If somebody else holds it now, their
// delivery was a repetition.
func (s *Service) deleteSingles(ctx context.Context, tok queen.Token, handles []opened) []error {
	errs := make([]error, len(handles))
	acks := make([]queen.Ack, len(handles))
	ids := make([]string, len(handles))
	for i, h := range handles {
		acks[i] = queen.Ack{TransactionID: h.TransactionID, PartitionID: h.PartitionID, LeaseID: h.LeaseID, Status: queen.Completed}
		ids[i] = h.MessageID
	}
	results, err := s.ack(ctx, tok, acks)
	if err != nil {
		return fill(errs, err)
	}
	var late []queen.Ack
	var places []int
	for i, r := range results {
		switch {
		case r.Success:
		case r.Retryable():
			errs[i] = fault.ServiceUnavailable.Default().Because(&queen.BodyError{Reason: "ack not written", Detail: r.Error})
		case leaseOver(r):
			acks[i].LeaseID = ""
			late = append(late, acks[i])
			places = append(places, i)
		default:
			s.lines.Debug("a delete found nothing to delete", "verdict", queen.Clip(r.Error))
		}
	}
	if len(late) > 0 {
		results, err := s.ack(ctx, tok, late)
		for i, at := range places {
			switch {
			case err != nil:
				errs[at] = err
			case results[i].Retryable():
				errs[at] = fault.ServiceUnavailable.Default().Because(&queen.BodyError{Reason: "ack not written", Detail: results[i].Error})
			case !results[i].Success:
				s.lines.Debug("a delete after its claim found nothing to delete", "verdict", queen.Clip(results[i].Error))
			}
		}
	}
	s.uncount(ctx, tok, ids...)
	return errs
}

// ack settles messages; the verdicts are in the order of the acks.
func (s *Service) ack(ctx context.Context, tok queen.Token, acks []queen.Ack) ([]queen.AckResult, error) {
	results, err := s.broker.Ack(ctx, tok, queen.DefaultGroup, acks)
	if err != nil {
		return nil, brokerFault(err)
	}
	if len(results) != len(acks) {
		return nil, brokerFault(&queen.BodyError{Reason: "the ack answer does not cover the acks"})
	}
	return results, nil
}

// leaseOver says that an ack was refused because its lease is.
func leaseOver(r queen.AckResult) bool {
	return strings.HasPrefix(r.Error, "invalid or expired lease")
}

func fill(errs []error, err error) []error {
	for i := range errs {
		errs[i] = err
	}
	return errs
}
