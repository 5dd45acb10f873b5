package sqs

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strconv"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/digest"
	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/receipt"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// messages are the messages as the client gets them.
func (r *receiving) messages() []wire.Value {
	var list []wire.Value
	for _, c := range r.claims {
		for _, d := range c.handed {
			list = append(list, wire.Struct(r.messageObject(c, d)))
		}
	}
	return list
}

// messageObject is one message of an answer. Everything is sanitized before it
// is digested, so that the digests describe what is sent.
func (r *receiving) messageObject(c *claim, d *delivery) *wire.Object {
	body := envelope.Sanitize(d.content.Body)
	o := wire.NewObject(
		wire.Member{Name: "MessageId", Value: wire.String(r.messageID(d))},
		wire.Member{Name: "ReceiptHandle", Value: wire.String(r.handles.Mint(receipt.Handle{
			Queue: r.q.Name, PartitionID: c.partitionID, TransactionID: d.TransactionID, LeaseID: c.lease, MessageID: d.ID,
		}))},
		wire.Member{Name: "MD5OfBody", Value: wire.String(digest.Body(body))},
		wire.Member{Name: "Body", Value: wire.String(body)},
	)
	if system := r.systemAttributes(d); system.Len() > 0 {
		o.Set("Attributes", wire.Map(system))
	}
	if chosen := r.userAttributes(d); len(chosen) > 0 {
		o.Set("MD5OfMessageAttributes", wire.String(attributesMD5(chosen)))
		o.Set("MessageAttributes", wire.Map(attributeMap(chosen)))
	}
	return o
}

// messageID is the id a client knows the message by. A copy is a new message
// with a new id to the broker (QS-23).
func (r *receiving) messageID(d *delivery) string {
	if d.content.OriginalID != "" && r.profile.MatchesAmazon(divergences.DeadLetterHasNewMessageID) {
		return d.content.OriginalID
	}
	return d.ID
}

// systemAttributes are the system attributes asked for, in the order of their
// names. SenderId and ApproximateFirstReceiveTimestamp are never among them
// (QS-08, SenderAndFirstReceiveAbsent).
func (r *receiving) systemAttributes(d *delivery) *wire.Object {
	if r.system.none() {
		return nil
	}
	known := []envelope.Entry{{Name: "ApproximateReceiveCount", Value: strconv.Itoa(d.received)}}
	add := func(name, value string) {
		if value != "" {
			known = append(known, envelope.Entry{Name: name, Value: value})
		}
	}
	if !d.CreatedAt.IsZero() {
		add("SentTimestamp", strconv.FormatInt(d.CreatedAt.UnixMilli(), 10))
	}
	if r.q.FIFO() {
		add(envelope.MessageGroupID, envelope.Sanitize(d.Partition))
		add("MessageDeduplicationId", envelope.Sanitize(d.TransactionID))
		add("SequenceNumber", r.sequence(d.Offset, d.ID))
	}
	source, _ := d.content.SystemValue(envelope.SourceQueue)
	if source != "" {
		add("DeadLetterQueueSourceArn", r.queueARN(envelope.Sanitize(source)))
	}
	ours := !r.profile.MatchesAmazon(divergences.DeadLetterHasNewMessageID)
	if ours {
		add("queen.originalMessageId", envelope.Sanitize(d.content.OriginalID))
	}
	for _, e := range d.content.System {
		taken := slices.ContainsFunc(known, func(k envelope.Entry) bool { return k.Name == e.Name })
		if taken || e.Name == envelope.ReceiveCount || (e.Name == envelope.SourceQueue && !ours) {
			continue
		}
		add(envelope.Sanitize(e.Name), envelope.Sanitize(e.Value))
	}
	slices.SortFunc(known, func(a, b envelope.Entry) int { return cmp.Compare(a.Name, b.Name) })

	o := wire.NewObject()
	for _, e := range known {
		if r.system.has(e.Name) {
			o.Set(e.Name, wire.String(e.Value))
		}
	}
	return o
}

func (r *receiving) userAttributes(d *delivery) []envelope.Attribute {
	if r.user.none() || len(d.content.Attributes) == 0 {
		return nil
	}
	var chosen []envelope.Attribute
	for _, a := range d.content.Attributes {
		if !r.user.has(a.Name) {
			continue
		}
		a.Name, a.Type = envelope.Sanitize(a.Name), envelope.Sanitize(a.Type)
		if !a.Binary() {
			a.Value = envelope.Sanitize(a.Value)
		}
		chosen = append(chosen, a)
	}
	return chosen
}

func attributeMap(attrs []envelope.Attribute) *wire.Object {
	o := wire.NewObject()
	for _, a := range attrs {
		value := wire.Member{Name: "StringValue", Value: wire.String(a.Value)}
		if a.Binary() {
			value = wire.Member{Name: "BinaryValue", Value: wire.String(base64.StdEncoding.EncodeToString([]byte(a.Value)))}
		}
		o.Set(a.Name, wire.Struct(wire.NewObject(value, wire.Member{Name: "DataType", Value: wire.String(a.Type)})))
	}
	return o
}
