package registry

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// brokerLists remembers which queues the broker has, per principal. The list is
// long and asked for only by CreateQueue, so one refresh at a time runs for a
// principal, and an old list is better than a slow or failed new one.
type brokerLists struct {
	broker queen.Broker
	clock  clock.Clock
	ttl    time.Duration
	log    *slog.Logger

	mu    sync.Mutex
	lists map[credential]*brokerList
	// dropped counts drops, as in cache.
	dropped uint64
}

type brokerList struct {
	names   map[string]bool // nil until the first success
	settled time.Time       // when the last refresh ended that left names
	running *listRefresh
}

// listRefresh is one question to the broker. Its failure is that of everybody
// who waited for it and of nobody later: a broker that is back is asked again.
type listRefresh struct {
	done chan struct{}
	err  error // set when done is closed
}

func newBrokerLists(b queen.Broker, c clock.Clock, ttl time.Duration, log *slog.Logger) *brokerLists {
	return &brokerLists{broker: b, clock: c, ttl: ttl, log: log, lists: map[credential]*brokerList{}}
}

// BrokerHasQueue reports whether the broker has a queue of that name, with or
// without a record, as of the last few seconds.
func (r *Registry) BrokerHasQueue(ctx context.Context, tok queen.Token, name string) (bool, error) {
	return r.brokerLists.has(ctx, tok, r.credential(tok), name)
}

// ForgetBrokerQueues makes the next BrokerHasQueue ask the broker: after a queue
// was configured or deleted there.
func (r *Registry) ForgetBrokerQueues() { r.brokerLists.drop() }

func (b *brokerLists) has(ctx context.Context, tok queen.Token, who credential, name string) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		l := b.list(who)
		switch {
		case l.names != nil && (l.running != nil || b.clock.Now().Sub(l.settled) < b.ttl):
			return l.names[name], nil
		case l.running != nil:
			running := l.running
			b.mu.Unlock()
			select {
			case <-running.done:
			case <-ctx.Done():
			}
			b.mu.Lock()
			if err := ctx.Err(); err != nil {
				return false, err
			}
			if running.err != nil {
				return false, running.err
			}
		default:
			names, err := b.refresh(ctx, tok, l)
			return names[name], err
		}
	}
}

// refresh asks the broker, and answers the old list when that fails and there
// is one. It is called with mu held and gives it up meanwhile.
func (b *brokerLists) refresh(ctx context.Context, tok queen.Token, l *brokerList) (map[string]bool, error) {
	running, since := &listRefresh{done: make(chan struct{})}, b.dropped
	l.running = running
	b.mu.Unlock()
	infos, err := b.broker.ListQueues(ctx, tok)
	b.mu.Lock()
	defer close(running.done)
	l.running = nil

	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err() // the caller left; that says nothing about the broker
	}
	var names map[string]bool
	if err == nil {
		names = make(map[string]bool, len(infos))
		for _, info := range infos {
			names[info.Name] = true
		}
	}
	if since == b.dropped && (err == nil || l.names != nil) {
		l.settled = b.clock.Now()
		if err == nil {
			l.names = names
		}
	}
	if err != nil && l.names != nil {
		b.log.Warn("the broker's queue list could not be refreshed; an old one stands in", "error", err)
		return l.names, nil
	}
	running.err = err
	return names, err
}

// list answers the principal's list. It is called with mu held.
func (b *brokerLists) list(who credential) *brokerList {
	if l, ok := b.lists[who]; ok {
		return l
	}
	if len(b.lists) >= brokerListCacheBound {
		b.evict()
	}
	l := &brokerList{}
	b.lists[who] = l
	return l
}

// evict makes room by forgetting the list that was refreshed longest ago.
func (b *brokerLists) evict() {
	var oldest credential
	var at time.Time
	found := false
	for who, l := range b.lists {
		if !found || l.settled.Before(at) {
			oldest, at, found = who, l.settled, true
		}
	}
	delete(b.lists, oldest)
}

func (b *brokerLists) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dropped++
	for _, l := range b.lists {
		if l.running == nil {
			*l = brokerList{}
		} else {
			l.names, l.settled = nil, time.Time{}
		}
	}
}
