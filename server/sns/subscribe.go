package sns

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/queuename"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

const protocolSQS = "sqs"

// otherProtocols are those of Amazon SNS that are not served (SN-16,
// OnlyQueuesSubscribe).
var otherProtocols = []string{"http", "https", "email", "email-json", "sms", "application", "lambda", "firehose"}

// subscribeAttempts is how often a Subscribe looks again after somebody else
// changed the topic's subscriptions.
const subscribeAttempts = 64

// subscribe makes a subscription of a queue, or answers the one there is. A
// queue of the deployment is confirmed at once, so that the answer is always the
// ARN.
func (s *Service) subscribe(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	topic, err := s.topicName(req.Params, "TopicArn")
	if err != nil {
		return nil, err
	}
	endpoint, err := subscribedEndpoint(req.Params)
	if err != nil {
		return nil, err
	}
	sent, err := texts(req.Params, "Attributes")
	if err != nil {
		return nil, err
	}
	wanted := &registry.Subscription{
		Topic: topic, ID: uuid.NewString(), Protocol: protocolSQS, Endpoint: endpoint, Attributes: map[string]string{},
	}
	if err := s.merge(wanted, sent, amongAttributes); err != nil {
		return nil, err
	}
	tok := s.tokens.Of(req)
	if _, err := s.registry.Topic(ctx, tok, topic); err != nil {
		return nil, topicFault(err)
	}
	if err := s.checkEndpoint(ctx, tok, topic, endpoint); err != nil {
		return nil, err
	}
	arn, err := s.addOrFind(ctx, tok, wanted, sent)
	if err != nil {
		return nil, err
	}
	return wire.NewObject(wire.Member{Name: "SubscriptionArn", Value: wire.String(arn)}), nil
}

// addOrFind stores a subscription unless the topic has one of the same queue.
// Two Subscribes at once cannot make two: whichever comes second finds the topic
// changed and looks again.
func (s *Service) addOrFind(ctx context.Context, tok queen.Token, wanted *registry.Subscription, sent map[string]string) (arn string, err error) {
	for range subscribeAttempts {
		t, err := s.registry.Topic(ctx, tok, wanted.Topic)
		if err != nil {
			return "", topicFault(err)
		}
		subscribers, _, err := s.subscribers.Of(ctx, tok, t)
		if err != nil {
			return "", brokerFault(err)
		}
		for _, have := range subscribers {
			if s.sameEndpoint(have.record.Endpoint, wanted.Endpoint) {
				return have.record.ARN, s.sameSubscription(have.record, wanted, sent)
			}
		}
		added, err := s.registry.AddSubscription(ctx, tok, t, wanted)
		if err == nil {
			return added.ARN, nil
		}
		if !errors.Is(err, registry.ErrConflict) {
			return "", brokerFault(err)
		}
	}
	return "", brokerFault(registry.ErrConflict)
}

// subscribedEndpoint reads Protocol and Endpoint.
func subscribedEndpoint(p *wire.Object) (string, error) {
	protocol, err := required(p, "Protocol")
	if err != nil {
		return "", err
	}
	endpoint, present, err := text(p, "Endpoint")
	switch {
	case err != nil:
		return "", err
	case slices.Contains(otherProtocols, protocol):
		return "", invalid("Protocol Reason: this deployment delivers to sqs and not to %s", protocol)
	case protocol != protocolSQS:
		return "", invalid("Amazon SNS does not support this protocol string: %s", clip(protocol))
	case !present:
		return "", missing("Endpoint")
	case !isQueueARN(endpoint):
		return "", invalid("SQS endpoint ARN")
	}
	return endpoint, nil
}

// isQueueARN reports whether a text has the form of the ARN of a queue, whosever
// it is.
func isQueueARN(arn string) bool {
	parts := strings.Split(arn, ":")
	return len(parts) == 6 && parts[0] == "arn" && parts[2] == "sqs" && queuename.Valid(parts[5])
}

// queueOf is the queue of this deployment that an endpoint names.
func (s *Service) queueOf(endpoint string) (name string, ok bool) {
	return queuename.FromARN(endpoint, s.region, s.account)
}

// sameEndpoint compares by queue: the partition of an ARN does not matter.
func (s *Service) sameEndpoint(a, b string) bool {
	if a == b {
		return true
	}
	left, ok := s.queueOf(a)
	right, both := s.queueOf(b)
	return ok && both && left == right
}

// checkEndpoint refuses a FIFO queue on a standard topic as AWS does (SN-08; the
// reverse is accepted), and a queue that this deployment does not know (SN-11).
func (s *Service) checkEndpoint(ctx context.Context, tok queen.Token, topic, endpoint string) error {
	if registry.IsFIFO(endpoint) && !registry.IsFIFO(topic) {
		return invalid("Invalid parameter: Endpoint Reason: FIFO SQS Queues can not be subscribed to standard SNS topics")
	}
	if s.profile.MatchesAmazon(divergences.SubscribedQueueMustExist) {
		return nil
	}
	name, ok := s.queueOf(endpoint)
	if !ok {
		return invalid("Endpoint Reason: the queue is of another region or account than this deployment")
	}
	_, err := s.registry.QueueFresh(ctx, tok, name)
	if errors.Is(err, registry.ErrNotFound) {
		return invalid("Endpoint Reason: the queue does not exist")
	}
	return brokerFault(err)
}

// sameSubscription refuses to subscribe a queue again with other attributes.
// Those that were sent are compared with the values in force, the others are not
// looked at (SN-10, settled: recorded 2025-10-06).
func (s *Service) sameSubscription(have, wanted *registry.Subscription, sent map[string]string) error {
	for name := range sent {
		if !sameDocument(subscriptionValue(have, name), subscriptionValue(wanted, name)) {
			return badAttribute(amongAttributes, "Subscription already exists with different attributes")
		}
	}
	return nil
}

// subscriptionValue is the value of an attribute that is in force.
func subscriptionValue(sub *registry.Subscription, name string) string {
	value := sub.Attributes[name]
	switch {
	case name == registry.RawMessageDelivery:
		return fmt.Sprint(sub.Raw())
	case name == registry.FilterPolicyScope && value == "":
		return scopeAttributes
	}
	return value
}

// merge sets attributes of a subscription after checking them, all or none. An
// empty value removes an attribute that can be absent.
func (s *Service) merge(sub *registry.Subscription, sent map[string]string, prefix string) error {
	merged := sub.Clone()
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		a, ok := subscriptionAttributes[name]
		if !ok && prefix == ofAttribute {
			return invalid("AttributeName")
		}
		if !ok {
			return badAttribute(prefix, "Unknown attribute: "+clip(name))
		}
		value, why := a.check(name, sent[name])
		if why == "" && name == registry.RedrivePolicy && value != "" {
			why = s.redriveFlaw(sub, value)
		}
		if why != "" {
			return badAttribute(prefix, why)
		}
		if value == "" {
			delete(merged.Attributes, name)
		} else {
			merged.Attributes[name] = value
		}
	}
	_, policy := sent[registry.FilterPolicy]
	_, scope := sent[registry.FilterPolicyScope]
	if policy || scope {
		if _, err := compilePolicy(merged); err != nil {
			return filterFault(prefix, err)
		}
	}
	sub.Attributes = merged.Attributes
	return nil
}

// confirmSubscription can never succeed: a queue is confirmed when it is
// subscribed, so that no token was ever handed out (SN-09,
// NothingToConfirm). The topic is checked as to its form only: AWS looks at the token and not at the topic (recorded).
func (s *Service) confirmSubscription(_ context.Context, req *wire.Request) (*wire.Object, error) {
	arn, err := required(req.Params, "TopicArn")
	if err != nil {
		return nil, err
	}
	if _, err := s.topicOf("Topic", arn); err != nil {
		return nil, invalid("Topic")
	}
	if _, err := required(req.Params, "Token"); err != nil {
		return nil, err
	}
	return nil, fault.InvalidParameter.With("Invalid parameter: Token Reason: " +
		"every subscription of this deployment is a queue's and was confirmed when it was made; there is nothing to confirm")
}
