package sqs

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Receive request attempt ids. The answer of a receive that named one is stored
// for its visibility timeout, and the next receive of that name gets it again,
// deletes in between or not (QS-12, AttemptReplaysDeletedMessages).

// largestAnswer is the most bytes of JSON that are remembered (QS-13,
// LargeReceiveNotReplayed).
const largestAnswer = 48 << 10

// answeredMessage is a message of an answer, as stored.
type answeredMessage struct {
	MessageID              string                       `json:"MessageId"`
	ReceiptHandle          string                       `json:"ReceiptHandle"`
	MD5OfBody              string                       `json:"MD5OfBody"`
	Body                   string                       `json:"Body"`
	Attributes             map[string]string            `json:"Attributes,omitempty"`
	MD5OfMessageAttributes string                       `json:"MD5OfMessageAttributes,omitempty"`
	MessageAttributes      map[string]answeredAttribute `json:"MessageAttributes,omitempty"`
}

type answeredAttribute struct {
	StringValue *string `json:"StringValue,omitempty"`
	BinaryValue *string `json:"BinaryValue,omitempty"`
	DataType    string  `json:"DataType"`
}

type attemptRecord struct {
	Messages []answeredMessage `json:"m"`
}

func (r *receiving) attemptKey() string {
	return registry.Key("qs", "rra", r.q.Name, r.attemptID)
}

// forgetPage is how many remembered answers are dropped in one call.
const forgetPage = 200

// forgetAttempts drops the remembered answers of a queue whose messages are
// gone.
func (s *Service) forgetAttempts(ctx context.Context, tok queen.Token, queue string) error {
	if !registry.IsFIFO(queue) {
		return nil
	}
	for more, after := true, ""; more; {
		var rows []registry.Row
		var err error
		rows, more, err = s.registry.Page(ctx, tok, registry.Key("qs", "rra", queue)+":", after, forgetPage, true)
		if err != nil || len(rows) == 0 {
			return err
		}
		ops := make([]queen.KVOp, len(rows))
		for i, row := range rows {
			after = row.Key
			ops[i] = queen.KVOp{Op: queen.KVDelete, NS: registry.Namespace, Key: row.Key}
		}
		if _, err := s.broker.KV(ctx, tok, ops); err != nil {
			return err
		}
	}
	return nil
}

// remembered is the answer that the attempt id had before, if it had one.
func (r *receiving) remembered(ctx context.Context) (messages []wire.Value, ok bool, err error) {
	row, err := r.registry.Get(ctx, r.tok, r.attemptKey())
	if errors.Is(err, registry.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	messages, ok = readAttempt(row.Value)
	return messages, ok, nil
}

// remember stores an answer under the attempt id. When another receive of the
// same id was faster, this one gives its claims back and answers the same as
// that one. It answers what the client gets.
func (r *receiving) remember(ctx context.Context, messages []wire.Value) []wire.Value {
	record := attemptRecord{Messages: make([]answeredMessage, len(messages))}
	for i, m := range messages {
		record.Messages[i] = asAnswered(m.Object())
	}
	text, err := json.Marshal(record)
	if err != nil || len(text) > largestAnswer {
		r.lines.Warn("an answer is too large to be remembered for its attempt id", "queue", r.q.Name, "bytes", len(text))
		return messages
	}
	life := time.Duration(max(1, r.visibility)) * time.Second
	row, won, err := r.registry.PutIf(ctx, r.tok, r.attemptKey(), json.RawMessage(text), life, 0)
	if err != nil {
		r.lines.Warn("an answer could not be remembered for its attempt id", "queue", r.q.Name, "error", err)
		return messages
	}
	if won {
		return messages
	}
	theirs, ok := readAttempt(row.Value)
	if !ok {
		return messages
	}
	r.release(ctx, r.claims)
	return theirs
}

func readAttempt(raw json.RawMessage) ([]wire.Value, bool) {
	var record attemptRecord
	if json.Unmarshal(raw, &record) != nil || len(record.Messages) == 0 {
		return nil, false
	}
	messages := make([]wire.Value, len(record.Messages))
	for i, m := range record.Messages {
		messages[i] = wire.Struct(m.object())
	}
	return messages, true
}

func asAnswered(o *wire.Object) answeredMessage {
	text := func(name string) string { return o.Get(name).Text() }
	m := answeredMessage{
		MessageID: text("MessageId"), ReceiptHandle: text("ReceiptHandle"), MD5OfBody: text("MD5OfBody"),
		Body: text("Body"), MD5OfMessageAttributes: text("MD5OfMessageAttributes"),
	}
	for _, a := range o.Get("Attributes").Object().Members() {
		if m.Attributes == nil {
			m.Attributes = map[string]string{}
		}
		m.Attributes[a.Name] = a.Value.Text()
	}
	for _, a := range o.Get("MessageAttributes").Object().Members() {
		if m.MessageAttributes == nil {
			m.MessageAttributes = map[string]answeredAttribute{}
		}
		value := a.Value.Object()
		stored := answeredAttribute{DataType: value.Get("DataType").Text()}
		if s, ok := value.Str("StringValue"); ok {
			stored.StringValue = &s
		}
		if b, ok := value.Str("BinaryValue"); ok {
			stored.BinaryValue = &b
		}
		m.MessageAttributes[a.Name] = stored
	}
	return m
}

// object is the stored message as it was answered: attributes come in the order
// of their names.
func (m answeredMessage) object() *wire.Object {
	o := wire.NewObject(
		wire.Member{Name: "MessageId", Value: wire.String(m.MessageID)},
		wire.Member{Name: "ReceiptHandle", Value: wire.String(m.ReceiptHandle)},
		wire.Member{Name: "MD5OfBody", Value: wire.String(m.MD5OfBody)},
		wire.Member{Name: "Body", Value: wire.String(m.Body)},
	)
	if len(m.Attributes) > 0 {
		attrs := wire.NewObject()
		for _, name := range slices.Sorted(maps.Keys(m.Attributes)) {
			attrs.Set(name, wire.String(m.Attributes[name]))
		}
		o.Set("Attributes", wire.Map(attrs))
	}
	o.SetString("MD5OfMessageAttributes", m.MD5OfMessageAttributes)
	if len(m.MessageAttributes) > 0 {
		attrs := wire.NewObject()
		for _, name := range slices.Sorted(maps.Keys(m.MessageAttributes)) {
			a := m.MessageAttributes[name]
			value := wire.NewObject()
			if a.StringValue != nil {
				value.Set("StringValue", wire.String(*a.StringValue))
			}
			if a.BinaryValue != nil {
				value.Set("BinaryValue", wire.String(*a.BinaryValue))
			}
			attrs.Set(name, wire.Struct(value.Set("DataType", wire.String(a.DataType))))
		}
		o.Set("MessageAttributes", wire.Map(attrs))
	}
	return o
}
