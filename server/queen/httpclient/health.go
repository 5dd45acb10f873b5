package httpclient

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// healthAnswer is /health. Capabilities is there when a broker that is not Queen
// itself says what it can do.
type healthAnswer struct {
	queen.Health
	Capabilities *queen.Capabilities `json:"capabilities"`
}

// Health is the broker's own account, also when it comes with code 503.
func (c *Client) Health(ctx context.Context) (queen.Health, error) {
	h, _, err := c.health(ctx)
	return h.Health, err
}

// health also answers the status code, 0 when there was no answer.
func (c *Client) health(ctx context.Context) (healthAnswer, int, error) {
	var h healthAnswer
	code, header, body, err := c.exchange(ctx, call{method: http.MethodGet, path: "/health", timeout: healthTimeout})
	if err != nil {
		return h, 0, err
	}
	parsed := json.Unmarshal(body, &h) == nil && h.Status != ""
	switch {
	case parsed && (code == http.StatusOK || code == http.StatusServiceUnavailable):
		return h, code, nil
	case code < 200 || code > 299:
		return healthAnswer{}, code, statusError(code, header, body)
	}
	return healthAnswer{}, code, &queen.BodyError{Reason: "no health object", Detail: string(body)}
}

// broker is what is known of the broker behind the URL.
type broker struct {
	known atomic.Pointer[verdict]
	// asking is held by the one caller who asks.
	asking chan struct{}
	// What answers carried, for a broker whose version says nothing.
	sawOffset, sawAttempt atomic.Bool
}

// verdict is what /health led to.
type verdict struct {
	caps queen.Capabilities
	// certain is false for a version this client has no table row for.
	certain bool
	// database says that the broker stands on a database that it can lose.
	database bool
}

// Capabilities asks /health at the first call and after a call that brought no
// answer, since what answers next may be a newer broker. It goes on with what it
// knew while the broker cannot be asked.
func (c *Client) Capabilities(ctx context.Context) (queen.Capabilities, error) {
	b := &c.broker
	v := b.known.Load()
	if v == nil || c.lost.Load() {
		asked, err := c.ask(ctx)
		if err != nil && v == nil {
			return queen.Capabilities{}, err
		}
		if err == nil {
			v = asked
		}
	}
	caps := v.caps
	if !v.certain {
		caps.Offsets = caps.Offsets || b.sawOffset.Load()
		caps.Attempts = caps.Attempts || b.sawAttempt.Load()
	}
	return caps, nil
}

// ask lets one caller ask. The others go on with the older answer, and wait only
// when there is none.
func (c *Client) ask(ctx context.Context) (*verdict, error) {
	b := &c.broker
	old := b.known.Load()
	select {
	case b.asking <- struct{}{}:
	default:
		if old != nil {
			return old, nil
		}
		select {
		case b.asking <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer func() { <-b.asking }()
	if old = b.known.Load(); old != nil && !c.lost.Load() {
		return old, nil
	}
	// Cleared first: a call that fails meanwhile asks again.
	c.lost.Store(false)
	h, _, err := c.health(ctx)
	if err != nil {
		c.lost.Store(true)
		return nil, err
	}
	v := judge(h)
	if old != nil && old.caps == v.caps {
		return old, nil
	}
	if old != nil {
		b.sawOffset.Store(false)
		b.sawAttempt.Store(false)
	}
	b.known.Store(&v)
	c.announce(v)
	return &v, nil
}

// judge knows the versions. Offsets and delivery counts are there from 1.4 on;
// only an engine that says so keeps ids and payloads.
func judge(h healthAnswer) verdict {
	v := verdict{database: h.Database != "" || h.Engine == "segments-rust"}
	if h.Capabilities != nil {
		v.database = false
		v.caps, v.certain = *h.Capabilities, true
		v.caps.Engine, v.caps.Version = h.Engine, h.Version
		return v
	}
	v.caps = queen.Capabilities{Engine: h.Engine, Version: h.Version}
	major, minor, ok := version(h.Version)
	switch {
	case h.Engine == "raft", ok && major >= 2, ok && major == 1 && minor >= 4:
		v.caps.Offsets, v.caps.Attempts, v.certain = true, true, true
	case ok && major == 1:
		v.certain = true
	}
	return v
}

// version reads the first two numbers of a version.
func version(text string) (major, minor int, ok bool) {
	parts := strings.SplitN(strings.TrimPrefix(text, "v"), ".", 3)
	if len(parts) < 2 {
		return 0, 0, false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return major, minor, err1 == nil && err2 == nil
}

func (c *Client) announce(v verdict) {
	lacks := []string{}
	for _, fact := range []struct {
		has  bool
		what string
	}{
		{v.caps.Offsets, "offsets"},
		{v.caps.Attempts, "delivery counts"},
		{v.caps.MessageClaims, "leases per message"},
		{v.caps.KeepsIDs, "acks of messages older than the hash window"},
		{v.caps.ExactPayloads, "payloads byte for byte in transactions"},
	} {
		if !fact.has {
			lacks = append(lacks, fact.what)
		}
	}
	c.log.Info("broker found", "url", c.base, "engine", v.caps.Engine, "version", v.caps.Version,
		"version_known", v.certain, "lacks", strings.Join(lacks, ", "))
}

// quotesText reports whether the broker delivers a timer's payload that is no
// JSON as a JSON string, as it does from 1.4 on.
func (b *broker) quotesText() bool {
	v := b.known.Load()
	return v != nil && v.certain && v.caps.Offsets
}

// mayPretendEmpty reports whether an empty pop of this broker needs a second
// look. A broker that was never asked may be any.
func (b *broker) mayPretendEmpty() bool {
	v := b.known.Load()
	return v == nil || v.database
}
