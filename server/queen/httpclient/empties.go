package httpclient

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// believe is how long a broker that has its database is believed to have it.
const believe = time.Second

// empties decides whether an empty pop may be believed. It asks the broker at
// most once in a second, and callers that come while it asks share the answer.
type empties struct {
	// ask answers nil when the database is there.
	ask   func(context.Context) error
	clock clock.Clock

	mu     sync.Mutex
	good   time.Time
	asking *question
}

type question struct {
	done chan struct{}
	err  error
}

func (e *empties) doubt(ctx context.Context) error {
	e.mu.Lock()
	now := e.clock.Now()
	if since := now.Sub(e.good); since >= 0 && since < believe {
		e.mu.Unlock()
		return nil
	}
	q := e.asking
	if q == nil {
		q = &question{done: make(chan struct{})}
		e.asking = q
		// Not under the caller's context: the others want the answer too.
		go e.answer(q, now)
	}
	e.mu.Unlock()
	select {
	case <-q.done:
		return q.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *empties) answer(q *question, asked time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), healthTimeout)
	defer cancel()
	q.err = e.ask(ctx)
	e.mu.Lock()
	if q.err == nil {
		e.good = asked
	}
	e.asking = nil
	e.mu.Unlock()
	close(q.done)
}

// databaseAway answers an error when the broker says that it has lost its
// database, or does not answer any more. A front that does not pass /health on
// proves nothing.
func (c *Client) databaseAway(ctx context.Context) error {
	h, code, err := c.health(ctx)
	unanswered := err != nil && code == 0
	if !unanswered && code < 500 && h.Status != "unhealthy" && h.Database != "disconnected" {
		return nil
	}
	return &queen.StatusError{
		Code:          http.StatusServiceUnavailable,
		Body:          "the queue looks empty, but the broker is " + either(h.Status, "not answering") + ", its database " + either(h.Database, "unknown"),
		RetryAfter:    time.Second,
		HasRetryAfter: true,
	}
}
