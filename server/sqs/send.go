package sqs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/queen-mq/queen-sqs/server/digest"
	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// timerPrefix begins the keys of the timers that deliver delayed messages.
const timerPrefix = "sqs."

// outgoing is one message on its way to the broker.
type outgoing struct {
	message envelope.Message
	payload json.RawMessage
	lane    string
	// dedup is a FIFO message's deduplication id and its name in acks.
	dedup string
	delay time.Duration
	// bytes is the message's size as AWS counts it.
	bytes int
}

func (s *Service) sendMessage(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	q, err := s.queue(ctx, req)
	if err != nil {
		return nil, err
	}
	out, err := prepare(q, req.Params, req.TraceHeader)
	if err != nil {
		return nil, err
	}
	if out.bytes > q.MaximumMessageSize() {
		return nil, fault.InvalidParameterValue.Withf(
			"One or more parameters are invalid. Reason: Message must be shorter than %d bytes.", q.MaximumMessageSize())
	}
	if out.delay > 0 {
		scheduled, err := s.schedule(ctx, s.tokens.Of(req), q, []*outgoing{out})
		if err != nil {
			return nil, err
		}
		if err := timerVerdict(scheduled[0]); err != nil {
			return nil, err
		}
		return out.answer(scheduled[0].MessageID, ""), nil
	}
	results, err := s.push(ctx, s.tokens.Of(req), q, []*outgoing{out})
	if err != nil {
		return nil, err
	}
	if err := pushVerdict(results[0]); err != nil {
		return nil, err
	}
	return out.answer(results[0].MessageID, s.sentSequence(q, results[0])), nil
}

// prepare checks one message, but for its size, and makes it ready.
func prepare(q *registry.Queue, p *wire.Object, traceHeader string) (*outgoing, error) {
	body, err := messageBody(p)
	if err != nil {
		return nil, err
	}
	out := &outgoing{message: envelope.Message{Body: body}}
	if out.message.Attributes, err = messageAttributes(p); err != nil {
		return nil, err
	}
	if out.message.System, err = systemAttributes(p); err != nil {
		return nil, err
	}
	delay, delayed, err := ranged(p, "DelaySeconds", 0, longestDelay, reasonDelay)
	if err != nil {
		return nil, err
	}
	out.delay = time.Duration(delay) * time.Second
	group, grouped, err := idParam(p, "MessageGroupId")
	if err != nil {
		return nil, err
	}
	dedup, named, err := idParam(p, "MessageDeduplicationId")
	if err != nil {
		return nil, err
	}

	out.bytes = len(body) + attributeBytes(out.message.Attributes)
	if !q.FIFO() {
		if named {
			return nil, notForThisType("MessageDeduplicationId", dedup)
		}
		if grouped {
			out.message.SetSystem(envelope.MessageGroupID, group)
		}
		out.lane = Lane(uuid.NewString(), q.Width())
	} else {
		if !grouped {
			return nil, missing("MessageGroupId")
		}
		// A delay of zero is accepted, any other is not (recorded).
		if delayed && delay > 0 {
			return nil, notForThisType("DelaySeconds", strconv.Itoa(delay))
		}
		if out.dedup, err = deduplicationID(q, dedup, body); err != nil {
			return nil, err
		}
		out.lane = group
	}

	sent := out.message
	if _, chosen := sent.SystemValue(envelope.TraceHeader); !chosen && envelope.UsableTrace(traceHeader) {
		// The header of the HTTP request becomes the attribute (recorded), but only
		// what was sent as an attribute is in a digest.
		sent.System = append(sent.System[:len(sent.System):len(sent.System)], envelope.Entry{Name: envelope.TraceHeader, Value: traceHeader})
	}
	out.payload = envelope.Encode(sent)
	return out, nil
}

func messageBody(p *wire.Object) (string, error) {
	body, _, err := textParam(p, "MessageBody")
	if err != nil {
		return "", err
	}
	if body == "" {
		return "", missing("MessageBody")
	}
	if r, bad := envelope.Forbidden(body); bad {
		return "", fault.InvalidMessageContents.Withf("Invalid character %U was found in the message body.", r)
	}
	return body, nil
}

func deduplicationID(q *registry.Queue, explicit, body string) (string, error) {
	if explicit != "" {
		return explicit, nil
	}
	if !q.ContentBasedDeduplication() {
		return "", fault.InvalidParameterValue.With(
			"The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly")
	}
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:]), nil
}

// push sends messages for now. The results are in the order of the messages.
func (s *Service) push(ctx context.Context, tok queen.Token, q *registry.Queue, outs []*outgoing) ([]queen.PushResult, error) {
	items := make([]queen.PushItem, len(outs))
	for i, out := range outs {
		items[i] = queen.PushItem{Queue: q.Name, Partition: out.lane, Payload: out.payload}
		if q.FIFO() {
			items[i].TransactionID = &out.dedup
		}
	}
	results, err := s.broker.Push(ctx, tok, items)
	if err != nil {
		return nil, brokerFault(err)
	}
	if len(results) != len(items) {
		return nil, brokerFault(&queen.BodyError{Reason: "the push answer does not cover the items"})
	}
	return results, nil
}

// pushVerdict is what a client is told of a push's verdict. A buffered message
// is with the broker but not in its database, and may be dropped when it gets
// there: only a retry makes it safe.
func pushVerdict(r queen.PushResult) error {
	if r.Status == queen.Queued || r.Status == queen.Duplicate {
		return nil
	}
	return fault.ServiceUnavailable.Default().Because(&queen.BodyError{Reason: "push status " + string(r.Status)})
}

// schedule sends messages for later. The results are in the order of the
// messages and each has a MessageID. Messages are delivered by timers, which add
// their delay to the queue's own (QS-11, DelaysAddUp).
func (s *Service) schedule(ctx context.Context, tok queen.Token, q *registry.Queue, outs []*outgoing) ([]queen.TimerResult, error) {
	ops := make([]queen.TimerOp, len(outs))
	for i, out := range outs {
		id := uuid.NewString()
		ops[i] = queen.TimerOp{
			Op: queen.TimerSchedule, Queue: q.Name, Key: timerPrefix + id,
			Partition: out.lane, Delay: out.delay, Txn: id, Payload: out.payload,
		}
	}
	results, err := s.broker.ScheduleTimers(ctx, tok, ops)
	if err != nil {
		return nil, brokerFault(err)
	}
	if len(results) != len(ops) {
		return nil, brokerFault(&queen.BodyError{Reason: "the timer answer does not cover the operations"})
	}
	for i := range results {
		if results[i].MessageID == "" {
			results[i].MessageID = ops[i].Txn
		}
	}
	return results, nil
}

func timerVerdict(r queen.TimerResult) error {
	if r.OK {
		return nil
	}
	return fault.ServiceUnavailable.Default().Because(&queen.BodyError{Reason: "timer status " + string(r.Status)})
}

func (s *Service) sentSequence(q *registry.Queue, r queen.PushResult) string {
	if !q.FIFO() {
		return ""
	}
	return s.sequence(r.Offset, r.MessageID)
}

// answer is what the sender is told. Digests of nothing are left out.
func (o *outgoing) answer(messageID, sequence string) *wire.Object {
	return wire.NewObject(
		wire.Member{Name: "MD5OfMessageBody", Value: wire.String(digest.Body(o.message.Body))},
	).
		SetString("MD5OfMessageAttributes", attributesMD5(o.message.Attributes)).
		SetString("MD5OfMessageSystemAttributes", systemMD5(sentSystem(o.message.System))).
		Set("MessageId", wire.String(messageID)).
		SetString("SequenceNumber", sequence)
}

// sentSystem leaves out what travels among the system entries without being a
// system attribute that was sent.
func sentSystem(entries []envelope.Entry) []envelope.Entry {
	for i, e := range entries {
		if e.Name == envelope.MessageGroupID {
			return append(entries[:i:i], entries[i+1:]...)
		}
	}
	return entries
}
