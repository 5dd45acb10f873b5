package registry

import (
	"container/list"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
)

// cacheKey is (who asked, what for).
type cacheKey struct {
	who  credential
	name string
}

type cacheEntry[V any] struct {
	key     cacheKey
	value   V
	expires time.Time
}

// cache keeps values for a fixed time, at most bound of them. Because all live
// equally long, the list is in the order in which they expire.
type cache[V any] struct {
	clock clock.Clock
	ttl   time.Duration
	bound int

	mu      sync.Mutex
	entries map[cacheKey]*list.Element
	order   *list.List
	// dropped counts drops, so that a read which began before one cannot put the
	// old value back after it.
	dropped uint64
}

func newCache[V any](c clock.Clock, ttl time.Duration, bound int) *cache[V] {
	return &cache[V]{clock: c, ttl: ttl, bound: bound, entries: map[cacheKey]*list.Element{}, order: list.New()}
}

// get answers the value, or what put needs to know to store a fresh one.
func (c *cache[V]) get(k cacheKey) (value V, ok bool, since uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expire(c.clock.Now())
	if e, found := c.entries[k]; found {
		return e.Value.(*cacheEntry[V]).value, true, c.dropped
	}
	return value, false, c.dropped
}

// put stores a value that was read after since was answered, unless something
// was dropped in between.
func (c *cache[V]) put(k cacheKey, v V, since uint64) {
	if c.ttl <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if since != c.dropped {
		return
	}
	now := c.clock.Now()
	if e, found := c.entries[k]; found {
		c.remove(e)
	}
	c.entries[k] = c.order.PushBack(&cacheEntry[V]{key: k, value: v, expires: now.Add(c.ttl)})
	c.expire(now)
	for len(c.entries) > c.bound {
		c.remove(c.order.Front())
	}
}

// mark is the since of a read that does not look into the cache.
func (c *cache[V]) mark() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dropped
}

// drop forgets the name, whoever asked for it.
func (c *cache[V]) drop(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropped++
	var next *list.Element
	for e := c.order.Front(); e != nil; e = next {
		next = e.Next()
		if e.Value.(*cacheEntry[V]).key.name == name {
			c.remove(e)
		}
	}
}

func (c *cache[V]) expire(now time.Time) {
	for e := c.order.Front(); e != nil && !now.Before(e.Value.(*cacheEntry[V]).expires); e = c.order.Front() {
		c.remove(e)
	}
}

func (c *cache[V]) remove(e *list.Element) {
	c.order.Remove(e)
	delete(c.entries, e.Value.(*cacheEntry[V]).key)
}
