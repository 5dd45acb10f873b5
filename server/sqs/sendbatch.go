package sqs

import (
	"context"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

func (s *Service) sendMessageBatch(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	q, err := s.queue(ctx, req)
	if err != nil {
		return nil, err
	}
	entries, err := batchEntries(req.Params)
	if err != nil {
		return nil, err
	}
	if err := checkBatchIDs(q, entries); err != nil {
		return nil, err
	}
	if sent := batchBytes(entries); sent > largestBatchBytes {
		return nil, fault.BatchRequestTooLong.Withf(
			"Batch requests cannot be longer than %d bytes. You have sent %d bytes.", largestBatchBytes, sent)
	}

	outs := make([]*outgoing, len(entries))
	errs := make([]error, len(entries))
	for i, e := range entries {
		outs[i], errs[i] = prepare(q, e.params, req.TraceHeader)
		if errs[i] == nil && outs[i].bytes > q.MaximumMessageSize() {
			errs[i] = fault.InvalidParameterValue.Withf(
				"One or more parameters cannot be validated. Reason: Message must be shorter than %d bytes.", q.MaximumMessageSize())
		}
	}
	answers := make([]*wire.Object, len(entries))
	now, nowAt := choose(outs, errs, func(o *outgoing) bool { return o.delay == 0 })
	if err := s.sendNow(ctx, s.tokens.Of(req), q, now, nowAt, answers, errs); err != nil {
		return nil, err
	}
	later, laterAt := choose(outs, errs, func(o *outgoing) bool { return o.delay > 0 })
	if err := s.sendLater(ctx, s.tokens.Of(req), q, later, laterAt, answers, errs); err != nil {
		if len(now) == 0 {
			return nil, err
		}
		// The others are sent: failing the request would have them sent again.
		for _, at := range laterAt {
			errs[at] = err
		}
	}
	return batchAnswer(entries, answers, errs), nil
}

// sendNow pushes the entries without a delay, in one call. places are the
// messages' positions in the request.
func (s *Service) sendNow(ctx context.Context, tok queen.Token, q *registry.Queue, outs []*outgoing, places []int, answers []*wire.Object, errs []error) error {
	if len(outs) == 0 {
		return nil
	}
	results, err := s.push(ctx, tok, q, outs)
	if err != nil {
		return err
	}
	for i, r := range results {
		at := places[i]
		if errs[at] = pushVerdict(r); errs[at] == nil {
			answers[at] = outs[i].answer(r.MessageID, s.sentSequence(q, r))
		}
	}
	return nil
}

// sendLater schedules the entries with a delay, in one call.
func (s *Service) sendLater(ctx context.Context, tok queen.Token, q *registry.Queue, outs []*outgoing, places []int, answers []*wire.Object, errs []error) error {
	if len(outs) == 0 {
		return nil
	}
	results, err := s.schedule(ctx, tok, q, outs)
	if err != nil {
		return err
	}
	for i, r := range results {
		at := places[i]
		if errs[at] = timerVerdict(r); errs[at] == nil {
			answers[at] = outs[i].answer(r.MessageID, "")
		}
	}
	return nil
}

func choose(outs []*outgoing, errs []error, wanted func(*outgoing) bool) (batch []*outgoing, places []int) {
	for i, out := range outs {
		if errs[i] == nil && wanted(out) {
			batch = append(batch, out)
			places = append(places, i)
		}
	}
	return batch, places
}

// checkBatchIDs refuses a whole FIFO batch for an entry without its ids, as AWS
// does, and with InvalidParameterValue where a single send would answer
// MissingParameter (recorded).
func checkBatchIDs(q *registry.Queue, entries []batchEntry) error {
	if !q.FIFO() {
		return nil
	}
	for _, e := range entries {
		if e.params.Get("MessageGroupId").IsNull() {
			return fault.InvalidParameterValue.With(missing("MessageGroupId").Message())
		}
	}
	for _, e := range entries {
		if !e.params.Get("MessageDeduplicationId").IsNull() {
			continue
		}
		if _, err := deduplicationID(q, "", ""); err != nil {
			return err
		}
	}
	return nil
}

// batchBytes is the size of all messages of a batch. What cannot be read adds
// nothing: its entry fails by itself.
func batchBytes(entries []batchEntry) int {
	size := 0
	for _, e := range entries {
		body, _ := e.params.Str("MessageBody")
		size += len(body)
		if attrs, err := messageAttributes(e.params); err == nil {
			size += attributeBytes(attrs)
		}
	}
	return size
}
