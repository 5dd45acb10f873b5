package sns

import (
	"context"
	"maps"
	"strconv"
	"strings"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// createTopic makes a topic, or answers the one there is. What is sent again
// must already be so; what is not sent is not looked at (recorded). The name is
// checked against FifoTopic before anything else, also for a topic that exists
// (SN-15, FIFOTopicAgainWithoutFifoTopic).
func (s *Service) createTopic(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := required(req.Params, "Name")
	if err != nil {
		return nil, err
	}
	sent, err := texts(req.Params, "Attributes")
	if err != nil {
		return nil, err
	}
	fifo := registry.IsFIFO(name)
	if !validTopicName(name) || fifo != strings.EqualFold(strings.TrimSpace(sent[fifoTopic]), "true") {
		return nil, invalid("Topic Name")
	}
	values, err := topicValues(sent, fifo)
	if err != nil {
		return nil, err
	}
	tags, err := tagList(req.Params)
	if err != nil {
		return nil, err
	}
	stored := maps.Clone(values)
	if !fifo {
		delete(stored, fifoTopic)
	}
	t, created, err := s.registry.CreateTopic(ctx, s.tokens.Of(req), &registry.Topic{Name: name, Attributes: stored, Tags: tags})
	if err != nil {
		return nil, brokerFault(err)
	}
	if !created {
		if err := sameTopic(t, values, tags); err != nil {
			return nil, err
		}
	}
	return wire.NewObject(wire.Member{Name: "TopicArn", Value: wire.String(t.ARN)}), nil
}

// sameTopic refuses to create a topic again with other attributes or tags.
func sameTopic(t *registry.Topic, values, tags map[string]string) error {
	defaults := topicDefaults(t.FIFO())
	for name, value := range values {
		current, ok := t.Attributes[name]
		if !ok {
			current = defaults[name]
		}
		if !sameDocument(current, value) {
			return badAttribute(amongAttributes, "Topic already exists with different attributes")
		}
	}
	for key, value := range tags {
		if current, ok := t.Tags[key]; !ok || current != value {
			return invalid("Tags Reason: Topic already exists with different tags")
		}
	}
	return nil
}

// deleteTopic removes a topic and all of its subscriptions. Any well-formed ARN
// is fine, as often as it is sent (recorded).
func (s *Service) deleteTopic(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.topicName(req.Params, "TopicArn")
	if err != nil {
		return nil, err
	}
	return nil, brokerFault(s.registry.DeleteTopic(ctx, s.tokens.Of(req), name))
}

func (s *Service) listTopics(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	after, err := nextToken(req.Params, validTopicName)
	if err != nil {
		return nil, err
	}
	names, more, err := s.registry.TopicNames(ctx, s.tokens.Of(req), after, pageSize)
	if err != nil {
		return nil, brokerFault(err)
	}
	topics := make([]wire.Value, len(names))
	for i, name := range names {
		topics[i] = wire.Struct(wire.NewObject(wire.Member{Name: "TopicArn", Value: wire.String(s.registry.TopicARN(name))}))
	}
	next := ""
	if more {
		next = names[len(names)-1]
	}
	return page("Topics", topics, next), nil
}

// getTopicAttributes answers what was set, what has a default, and the counts.
// Policy and EffectiveDeliveryPolicy are answered only where there is something
// to them (SN-12).
func (s *Service) getTopicAttributes(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.topicName(req.Params, "TopicArn")
	if err != nil {
		return nil, err
	}
	t, err := s.registry.Topic(ctx, s.tokens.Of(req), name)
	if err != nil {
		return nil, topicFault(err)
	}
	confirmed, err := s.registry.CountSubscriptions(ctx, s.tokens.Of(req), name)
	if err != nil {
		return nil, brokerFault(err)
	}
	values := map[string]string{displayName: ""}
	if t.FIFO() {
		values[fifoTopic] = "true"
		values[contentBasedDeduplication] = "false"
	}
	maps.Copy(values, t.Attributes)
	values["TopicArn"] = t.ARN
	values["Owner"] = s.account
	values["SubscriptionsConfirmed"] = strconv.Itoa(confirmed)
	values["SubscriptionsPending"] = "0"
	values["SubscriptionsDeleted"] = "0"
	if policy := values[deliveryPolicy]; policy != "" || s.profile.MatchesAmazon(divergences.TopicAttributesOnlyWhenSet) {
		values[effectiveDeliveryPolicy] = effectiveTopicDelivery(policy)
	}
	if values[topicPolicy] == "" && s.profile.MatchesAmazon(divergences.TopicAttributesOnlyWhenSet) {
		values[topicPolicy] = s.defaultPolicy(t.ARN)
	}
	return attributesAnswer(values), nil
}

// defaultPolicy is the policy of a topic that has none of its own (recorded).
func (s *Service) defaultPolicy(arn string) string {
	return `{"Version":"2008-10-17","Id":"__default_policy_ID","Statement":[{"Sid":"__default_statement_ID","Effect":"Allow",` +
		`"Principal":{"AWS":"*"},"Action":["SNS:GetTopicAttributes","SNS:SetTopicAttributes","SNS:AddPermission",` +
		`"SNS:RemovePermission","SNS:DeleteTopic","SNS:Subscribe","SNS:ListSubscriptionsByTopic","SNS:Publish"],` +
		`"Resource":"` + arn + `","Condition":{"StringEquals":{"AWS:SourceOwner":"` + s.account + `"}}}]}`
}

// setTopicAttributes sets one attribute. A missing value removes it.
func (s *Service) setTopicAttributes(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	topic, err := s.topicName(req.Params, "TopicArn")
	if err != nil {
		return nil, err
	}
	name, value, present, err := setter(req.Params)
	if err != nil {
		return nil, err
	}
	a, ok := topicAttributes[name]
	if !ok || a.createOnly {
		return nil, invalid("AttributeName")
	}
	if present {
		kept, why := a.check(name, value)
		if why == "" && a.fifoOnly && !registry.IsFIFO(topic) {
			why = name + ": can only be set for a FIFO topic"
		}
		if why != "" {
			return nil, badAttribute(ofAttribute, why)
		}
		value = kept
	}
	_, err = s.registry.ChangeTopic(ctx, s.tokens.Of(req), topic, func(t *registry.Topic) error {
		if value == "" {
			delete(t.Attributes, name)
		} else {
			t.Attributes[name] = value
		}
		return nil
	})
	return nil, topicFault(err)
}

// setter reads the pair AttributeName and AttributeValue.
func setter(p *wire.Object) (name, value string, present bool, err error) {
	if name, err = required(p, "AttributeName"); err != nil {
		return "", "", false, err
	}
	value, present, err = text(p, "AttributeValue")
	return name, value, present, err
}
