package registry

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

const subscriptionPrefix = "qs:s:"

func subscriptionKey(topic, id string) string { return Key("qs", "s", topic, id) }

func subscriptionsPrefix(topic string) string { return Key("qs", "s", topic) + ":" }

// MostSubscriptions is how many subscriptions of a topic are served (SN-13,
// SubscriptionsAboveLimit).
const MostSubscriptions = 10000

// Names of subscription attributes, as clients spell them. RedrivePolicy is
// that of queues.
const (
	RawMessageDelivery  = "RawMessageDelivery"
	FilterPolicy        = "FilterPolicy"
	FilterPolicyScope   = "FilterPolicyScope"
	DeliveryPolicy      = "DeliveryPolicy"
	SubscriptionRoleArn = "SubscriptionRoleArn"
)

// Subscription is the record of a subscription. One that the Registry hands out
// is shared: change a Clone.
type Subscription struct {
	// Topic is the topic's name and ID the last part of the ARN.
	Topic, ID string
	Protocol  string
	// Endpoint is the queue's ARN as it was sent.
	Endpoint string
	Owner    string
	// Attributes are those that were set. An attribute not in here has its
	// default.
	Attributes map[string]string
	// Created is in whole milliseconds.
	Created time.Time
	ARN     string
	// Version is the store's; 0 on a record that was never stored.
	Version int64
}

// Clone is a copy that may be changed. Its maps are not nil.
func (s *Subscription) Clone() *Subscription {
	c := *s
	c.Attributes = cloned(s.Attributes)
	return &c
}

// Raw reports whether messages are delivered without an envelope.
func (s *Subscription) Raw() bool {
	return strings.EqualFold(strings.TrimSpace(s.Attributes[RawMessageDelivery]), "true")
}

type storedSubscription struct {
	Protocol   string            `json:"protocol"`
	Endpoint   string            `json:"endpoint"`
	Owner      string            `json:"owner"`
	Attributes map[string]string `json:"attributes"`
	Created    int64             `json:"createdTs"`
	ARN        string            `json:"arn"`
}

func (s *Subscription) stored() storedSubscription {
	return storedSubscription{s.Protocol, s.Endpoint, s.Owner, cloned(s.Attributes), s.Created.UnixMilli(), s.ARN}
}

// put is the operation that stores the record over the version it was read at.
func (s *Subscription) put() (queen.KVOp, error) {
	version := s.Version
	op, err := PutOp(subscriptionKey(s.Topic, s.ID), s.stored(), Forever, &version)
	op.Required = true
	return op, err
}

// decodeSubscription reads a record as far as it can be read. Ok is false for a
// key that names no subscription.
func (r *Registry) decodeSubscription(row Row) (s *Subscription, ok bool) {
	topic, id, ok := strings.Cut(strings.TrimPrefix(row.Key, subscriptionPrefix), ":")
	if !ok {
		return nil, false
	}
	s = &Subscription{Topic: topic, ID: id, Version: row.Version}
	var members map[string]json.RawMessage
	bad := json.Unmarshal(row.Value, &members) != nil
	bad = !decodeMember(members["protocol"], &s.Protocol) || bad
	bad = !decodeMember(members["endpoint"], &s.Endpoint) || bad
	bad = !decodeMember(members["owner"], &s.Owner) || bad
	bad = !decodeTexts(members["attributes"], &s.Attributes) || bad
	var created int64
	bad = !decodeMember(members["createdTs"], &created) || bad
	bad = !decodeMember(members["arn"], &s.ARN) || bad
	s.Created = time.UnixMilli(created).UTC()
	if s.ARN == "" {
		s.ARN = r.TopicARN(topic) + ":" + id
	}
	if s.Owner == "" {
		s.Owner = r.account
	}
	if bad {
		r.lines.Warn("a subscription record cannot be read in full; defaults stand in", "topic", topic, "subscription", id)
	}
	return s, true
}

// Subscription reads a subscription's record. Subscriptions are not cached
// here. A missing one is ErrNotFound.
func (r *Registry) Subscription(ctx context.Context, tok queen.Token, topic, id string) (*Subscription, error) {
	row, err := r.Get(ctx, tok, subscriptionKey(topic, id))
	if err != nil {
		return nil, err
	}
	s, ok := r.decodeSubscription(row)
	if !ok {
		return nil, ErrNotFound
	}
	return s, nil
}

// SubscriptionPage is one page of a listing. Next is where the next page begins
// and empty on the last one.
type SubscriptionPage struct {
	Subscriptions []*Subscription
	Next          string
}

// Subscriptions reads up to limit subscriptions of a topic, or of all topics
// when topic is empty, after the Next of the page before (empty for the
// beginning).
func (r *Registry) Subscriptions(ctx context.Context, tok queen.Token, topic, after string, limit int) (SubscriptionPage, error) {
	prefix := subscriptionPrefix
	if topic != "" {
		prefix = subscriptionsPrefix(topic)
	}
	rows, more, err := r.Page(ctx, tok, prefix, after, limit, false)
	if err != nil {
		return SubscriptionPage{}, err
	}
	var page SubscriptionPage
	for _, row := range rows {
		if s, ok := r.decodeSubscription(row); ok {
			page.Subscriptions = append(page.Subscriptions, s)
		}
	}
	if more {
		page.Next = rows[len(rows)-1].Key
	}
	return page, nil
}

// OfListing reports whether a Next belongs to the listing of a topic, or of all
// topics when topic is empty.
func OfListing(topic, next string) bool {
	prefix := subscriptionPrefix
	if topic != "" {
		prefix = subscriptionsPrefix(topic)
	}
	return len(next) > len(prefix) && strings.HasPrefix(next, prefix)
}

// CountSubscriptions counts the subscriptions of a topic, up to
// MostSubscriptions.
func (r *Registry) CountSubscriptions(ctx context.Context, tok queen.Token, topic string) (int, error) {
	rows, _, err := r.Page(ctx, tok, subscriptionsPrefix(topic), "", MostSubscriptions, true)
	return len(rows), err
}

// AddSubscription stores a new subscription of a topic on condition that the
// topic, and thereby the list of its subscriptions, is as it was read. Otherwise
// it is ErrConflict, and the caller looks again. Created, Owner and ARN are set
// here.
func (r *Registry) AddSubscription(ctx context.Context, tok queen.Token, t *Topic, s *Subscription) (*Subscription, error) {
	s = s.Clone()
	s.Topic, s.Owner, s.Version = t.Name, r.account, 0
	s.Created = r.clock.Now().Truncate(time.Millisecond)
	s.ARN = t.ARN + ":" + s.ID
	version, err := r.writeSubscription(ctx, tok, t, s)
	s.Version = version
	return s, err
}

func (r *Registry) writeSubscription(ctx context.Context, tok queen.Token, t *Topic, s *Subscription) (version int64, err error) {
	put, err := s.put()
	if err != nil {
		return 0, err
	}
	results, err := r.broker.KV(ctx, tok, []queen.KVOp{t.touch(), put})
	var lost *queen.PreconditionError
	switch {
	case errors.As(err, &lost):
		return 0, ErrConflict
	case err != nil:
		return 0, err
	case len(results) != 2:
		return 0, &queen.BodyError{Reason: "the answer does not cover the operations"}
	}
	return results[1].Version, nil
}

// ChangeSubscription reads a record, applies modify to a copy of it and stores
// that. When another writer was faster, modify is applied to the winner; after
// changeAttempts of that it is ErrConflict. A subscription that does not exist,
// or whose topic does not, is ErrNotFound; an error of modify ends the change
// and is answered.
func (r *Registry) ChangeSubscription(ctx context.Context, tok queen.Token, topic, id string, modify func(*Subscription) error) (*Subscription, error) {
	for range changeAttempts {
		t, s, err := r.topicAndSubscription(ctx, tok, topic, id)
		if err != nil {
			return nil, err
		}
		if t == nil || s == nil {
			return nil, ErrNotFound
		}
		changed := s.Clone()
		if err := modify(changed); err != nil {
			return nil, err
		}
		version, err := r.writeSubscription(ctx, tok, t, changed)
		if errors.Is(err, ErrConflict) {
			continue
		}
		changed.Version = version
		return changed, err
	}
	return nil, ErrConflict
}

// DeleteSubscription removes a subscription. One that does not exist is fine.
func (r *Registry) DeleteSubscription(ctx context.Context, tok queen.Token, topic, id string) error {
	for range changeAttempts {
		t, s, err := r.topicAndSubscription(ctx, tok, topic, id)
		if err != nil || s == nil {
			return err
		}
		ops := []queen.KVOp{{Op: queen.KVDelete, NS: Namespace, Key: subscriptionKey(topic, id)}}
		if t != nil {
			ops = append(ops, t.touch())
		}
		_, err = r.broker.KV(ctx, tok, ops)
		var lost *queen.PreconditionError
		if !errors.As(err, &lost) {
			return err
		}
	}
	return ErrConflict
}

// topicAndSubscription reads both at one moment; what is missing is nil.
func (r *Registry) topicAndSubscription(ctx context.Context, tok queen.Token, topic, id string) (*Topic, *Subscription, error) {
	key := subscriptionKey(topic, id)
	results, err := r.broker.KV(ctx, tok, []queen.KVOp{
		{Op: queen.KVGet, NS: Namespace, Key: topicKey(topic)},
		{Op: queen.KVGet, NS: Namespace, Key: key},
	})
	if err != nil {
		return nil, nil, err
	}
	if len(results) != 2 {
		return nil, nil, &queen.BodyError{Reason: "the answer does not cover the operations"}
	}
	var t *Topic
	if results[0].Found {
		t = r.decodeTopic(topic, Row{Value: results[0].Value, Version: results[0].Version})
	}
	if !results[1].Found {
		return t, nil, nil
	}
	s, _ := r.decodeSubscription(Row{Key: key, Value: results[1].Value, Version: results[1].Version})
	return t, s, nil
}
