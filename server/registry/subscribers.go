package registry

import (
	"context"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// topicCacheBound is how many topics' subscribers are kept.
const topicCacheBound = 4096

// subscribersLife is how long a list is kept for what it was compiled to; it is
// read again long before.
const subscribersLife = time.Hour

// Subscribers keeps what somebody makes of each subscription of a topic, such
// as a compiled filter policy. A subscription is compiled once for each version
// of it.
type Subscribers[T any] struct {
	registry *Registry
	compile  func(*Subscription) T
	lists    *cache[*subscriberList[T]]
}

type subscriberList[T any] struct {
	items []T
	// compiled finds what a row was compiled to.
	compiled map[rowVersion]T
	// topic is the topic's version before the list was read: a list is never older
	// than the version it stands for.
	topic int64
	read  time.Time
}

type rowVersion struct {
	key     string
	version int64
}

// NewSubscribers makes an empty cache. compile must be safe for concurrent use.
func NewSubscribers[T any](r *Registry, compile func(*Subscription) T) *Subscribers[T] {
	return &Subscribers[T]{r, compile, newCache[*subscriberList[T]](r.clock, subscribersLife, topicCacheBound)}
}

// Of answers the subscribers of a topic that was just read, in the byte order of
// their ids. They are those of that moment: every change of a subscription moves
// its topic's version on. A gateway of another make may not do so; its changes
// are seen after the cache's TTL. Truncated says that there are more than
// MostSubscriptions.
func (s *Subscribers[T]) Of(ctx context.Context, tok queen.Token, t *Topic) (items []T, truncated bool, err error) {
	r := s.registry
	key := cacheKey{r.credential(tok), t.Name}
	known, ok, since := s.lists.get(key)
	if ok && known.topic == t.Version && r.clock.Now().Sub(known.read) < r.ttl {
		return known.items, len(known.items) >= MostSubscriptions, nil
	}
	list := &subscriberList[T]{compiled: map[rowVersion]T{}, topic: t.Version, read: r.clock.Now()}
	rows, truncated, err := r.Page(ctx, tok, subscriptionsPrefix(t.Name), "", MostSubscriptions, false)
	if err != nil {
		return nil, false, err
	}
	for _, row := range rows {
		id := rowVersion{row.Key, row.Version}
		var item T
		found := false
		if ok {
			item, found = known.compiled[id]
		}
		if !found {
			record, isOne := r.decodeSubscription(row)
			if !isOne {
				continue
			}
			item = s.compile(record)
		}
		list.items = append(list.items, item)
		list.compiled[id] = item
	}
	if r.ttl > 0 {
		s.lists.put(key, list, since)
	}
	return list.items, truncated, nil
}
