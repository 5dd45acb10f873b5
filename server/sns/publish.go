package sns

import (
	"context"
	"strings"

	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// publish sends one message to the subscribers of a topic. The answer has no
// SequenceNumber (SN-02, NoSequenceNumberOnPublish).
func (s *Service) publish(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	tok := s.tokens.Of(req)
	t, err := s.target(ctx, tok, req.Params)
	if err != nil {
		return nil, err
	}
	m, err := s.readMessage(t, req.Params, "messageAttributes", req.TraceHeader)
	if err != nil {
		return nil, err
	}
	if err := m.checkGroup(); err != nil {
		return nil, err
	}
	if err := m.checkDedup(); err != nil {
		return nil, err
	}
	if m.bytes > mostBytes {
		return nil, invalid("Message too long")
	}
	if err := s.fanOut(ctx, tok, m); err != nil {
		return nil, err
	}
	return wire.NewObject(wire.Member{Name: "MessageId", Value: wire.String(m.id)}), nil
}

// target is the topic that a Publish names by its TopicArn, or by a TargetArn,
// which works alike (recorded).
func (s *Service) target(ctx context.Context, tok queen.Token, p *wire.Object) (*registry.Topic, error) {
	if number, present, err := text(p, "PhoneNumber"); err != nil {
		return nil, err
	} else if present {
		return nil, phoneFault(number)
	}
	member := "TopicArn"
	if !p.Has(member) {
		member = "TargetArn"
	}
	arn, present, err := text(p, member)
	if err != nil {
		return nil, err
	}
	if !present {
		return nil, missing("TopicArn or TargetArn")
	}
	if parts, err := s.arnParts(member, arn); err == nil && member == "TargetArn" && strings.HasPrefix(parts[5], "endpoint/") {
		return nil, invalid("TargetArn Reason: No endpoint found for the target arn specified")
	}
	name, err := s.topicOf(member, arn)
	if err != nil {
		return nil, err
	}
	t, err := s.registry.Topic(ctx, tok, name)
	return t, topicFault(err)
}

// phoneFault refuses a phone number: with AWS's text one that is none
// (recorded), and with ours the others, because no text messages are sent here.
func phoneFault(number string) error {
	digits := strings.TrimPrefix(number, "+")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return invalid("PhoneNumber Reason: %s is not valid to publish to", clip(number))
	}
	return invalid("PhoneNumber Reason: this deployment sends no text messages")
}
