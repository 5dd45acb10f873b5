package sns

import (
	"context"
	"fmt"

	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// unsubscribe removes a subscription. One that does not exist is fine
// (recorded).
func (s *Service) unsubscribe(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	topic, id, err := s.subscriptionID(req.Params)
	if err != nil {
		return nil, err
	}
	return nil, brokerFault(s.registry.DeleteSubscription(ctx, s.tokens.Of(req), topic, id))
}

func (s *Service) listSubscriptions(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	return s.listing(ctx, req, "")
}

// listSubscriptionsByTopic answers NotFound for a topic that does not exist, not
// an empty list.
func (s *Service) listSubscriptionsByTopic(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	topic, err := s.topicName(req.Params, "TopicArn")
	if err != nil {
		return nil, err
	}
	if _, err := s.registry.Topic(ctx, s.tokens.Of(req), topic); err != nil {
		return nil, topicFault(err)
	}
	return s.listing(ctx, req, topic)
}

// listing is a page of the subscriptions of a topic, or of all when topic is
// empty, in the byte order of topic and id.
func (s *Service) listing(ctx context.Context, req *wire.Request, topic string) (*wire.Object, error) {
	after, err := nextToken(req.Params, func(key string) bool { return registry.OfListing(topic, key) })
	if err != nil {
		return nil, err
	}
	found, err := s.registry.Subscriptions(ctx, s.tokens.Of(req), topic, after, pageSize)
	if err != nil {
		return nil, brokerFault(err)
	}
	items := make([]wire.Value, len(found.Subscriptions))
	for i, sub := range found.Subscriptions {
		items[i] = wire.Struct(wire.NewObject(
			wire.Member{Name: "SubscriptionArn", Value: wire.String(sub.ARN)},
			wire.Member{Name: "Owner", Value: wire.String(sub.Owner)},
			wire.Member{Name: "Protocol", Value: wire.String(sub.Protocol)},
			wire.Member{Name: "Endpoint", Value: wire.String(sub.Endpoint)},
			wire.Member{Name: "TopicArn", Value: wire.String(s.registry.TopicARN(sub.Topic))},
		))
	}
	return page("Subscriptions", items, found.Next), nil
}

// getSubscriptionAttributes answers the nine attributes that every subscription
// has and those that were set. A filter policy and its scope show only together,
// the scope with its default (recorded).
func (s *Service) getSubscriptionAttributes(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	topic, id, err := s.subscriptionID(req.Params)
	if err != nil {
		return nil, err
	}
	sub, err := s.registry.Subscription(ctx, s.tokens.Of(req), topic, id)
	if err != nil {
		return nil, subscriptionFault(err)
	}
	values := map[string]string{
		"SubscriptionArn":              sub.ARN,
		"TopicArn":                     s.registry.TopicARN(sub.Topic),
		"Protocol":                     sub.Protocol,
		"Endpoint":                     sub.Endpoint,
		"Owner":                        sub.Owner,
		"PendingConfirmation":          "false",
		"ConfirmationWasAuthenticated": "true",
		registry.RawMessageDelivery:    fmt.Sprint(sub.Raw()),
		// A deployment is one account, and its access keys are that account's.
		"SubscriptionPrincipal": "arn:aws:iam::" + s.account + ":root",
	}
	for _, name := range []string{
		registry.FilterPolicy, registry.DeliveryPolicy, registry.RedrivePolicy, registry.SubscriptionRoleArn,
	} {
		if value := sub.Attributes[name]; value != "" {
			values[name] = value
		}
	}
	if values[registry.FilterPolicy] != "" {
		values[registry.FilterPolicyScope] = subscriptionValue(sub, registry.FilterPolicyScope)
	}
	return attributesAnswer(values), nil
}

// setSubscriptionAttributes sets one attribute; it holds from the next publish
// on. A missing value reads as an empty one.
func (s *Service) setSubscriptionAttributes(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	topic, id, err := s.subscriptionID(req.Params)
	if err != nil {
		return nil, err
	}
	name, value, _, err := setter(req.Params)
	if err != nil {
		return nil, err
	}
	_, err = s.registry.ChangeSubscription(ctx, s.tokens.Of(req), topic, id, func(sub *registry.Subscription) error {
		return s.merge(sub, map[string]string{name: value}, ofAttribute)
	})
	return nil, subscriptionFault(err)
}
