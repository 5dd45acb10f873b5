package httpclient

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

func TestHealth(t *testing.T) {
	ctx := context.Background()
	h, err := once(t, 503, `{"status":"unhealthy","database":"disconnected","engine":"segments-rust","version":"1.3.0"}`).Health(ctx)
	if err != nil || h.Healthy() || h.Database != "disconnected" || h.Version != "1.3.0" {
		t.Errorf("got %+v, %v", h, err)
	}
	var status *queen.StatusError
	if _, err := once(t, 404, "nope").Health(ctx); !errors.As(err, &status) || status.Code != 404 {
		t.Errorf("got %v", err)
	}
	// Every unknown page of a broker is its dashboard.
	_, err = once(t, 200, "<html>").Health(ctx)
	wantBodyError(t, "a page", err)
}

func TestCapabilities(t *testing.T) {
	later := queen.Capabilities{Offsets: true, Attempts: true}
	for body, want := range map[string]queen.Capabilities{
		`{"status":"healthy","database":"connected","engine":"segments-rust","version":"1.3.0"}`: {},
		`{"status":"healthy","engine":"segments-rust","version":"1.0.4"}`:                        {},
		`{"status":"healthy","engine":"segments-rust","version":"1.4.0"}`:                        later,
		`{"status":"healthy","engine":"segments-rust","version":"v1.6.0-rc.1"}`:                  later,
		`{"status":"healthy","engine":"segments-rust","version":"1.10.0"}`:                       later,
		`{"status":"settling","engine":"raft"}`:                                                  later,
		`{"status":"healthy","engine":"raft","version":"2.0.0"}`:                                 later,
		`{"status":"healthy","engine":"novel","version":"dev"}`:                                  {},
		`{"status":"healthy","engine":"queen-sqs","version":"0.1","capabilities":{"offsets":true,"attempts":true,"messageClaims":true,"keepsIds":true,"exactPayloads":true}}`: {
			Offsets: true, Attempts: true, MessageClaims: true, KeepsIDs: true, ExactPayloads: true},
	} {
		got, err := newClient(t, newRecorder(t, answer{status: 200, body: body}).URL).Capabilities(context.Background())
		if err != nil || !strings.Contains(body, `"`+got.Engine+`"`) || !strings.Contains(body, got.Version) {
			t.Errorf("%s: got %+v, %v", body, got, err)
		}
		got.Engine, got.Version = "", ""
		if got != want {
			t.Errorf("%s: got %+v, want %+v", body, got, want)
		}
	}
}

// A broker is asked once, and again when a call brought no answer: it may have
// been upgraded. While it cannot be asked, the old answer stands.
func TestCapabilitiesAreAskedAgain(t *testing.T) {
	ctx := context.Background()
	r := newRecorder(t,
		answer{status: 502},
		answer{status: 200, body: `{"status":"healthy","database":"connected","engine":"segments-rust","version":"1.3.0"}`},
		answer{status: 502},
		answer{status: 503, body: `{"status":"unhealthy","database":"disconnected","engine":"segments-rust","version":"1.5.2"}`})
	var log bytes.Buffer
	c, err := New(Config{URL: r.URL, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Capabilities(ctx); err == nil {
		t.Fatal("nothing is known yet")
	}
	for range 3 {
		if caps, err := c.Capabilities(ctx); err != nil || caps.Version != "1.3.0" || caps.Offsets {
			t.Fatalf("got %+v, %v", caps, err)
		}
	}
	c.lost.Store(true)
	if caps, err := c.Capabilities(ctx); err != nil || caps.Version != "1.3.0" {
		t.Fatalf("got %+v, %v", caps, err)
	}
	if caps, err := c.Capabilities(ctx); err != nil || caps.Version != "1.5.2" || !caps.Offsets || !caps.Attempts {
		t.Fatalf("got %+v, %v", caps, err)
	}
	if n := len(r.requests()); n != 4 {
		t.Errorf("asked %d times", n)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "version=1.3.0") || !strings.Contains(lines[0], "offsets, delivery counts") || strings.Contains(lines[1], "delivery counts") {
		t.Errorf("logged\n%s", log.String())
	}
}

// A version that is not in the table is judged by what its answers carry.
func TestCapabilitiesOfAnUnknownVersion(t *testing.T) {
	ctx := context.Background()
	r := newRecorder(t,
		answer{status: 200, body: `{"status":"healthy","engine":"novel","version":"nightly"}`},
		answer{status: 201, body: `[{"index":0,"message_id":"m","status":"queued","offset":0}]`},
		answer{status: 200, body: `{"leaseId":"l","partitionId":"p","messages":[{"id":"m","deliveryAttempt":1}]}`})
	c := newClient(t, r.URL)
	if caps, err := c.Capabilities(ctx); err != nil || caps.Offsets || caps.Attempts {
		t.Fatalf("got %+v, %v", caps, err)
	}
	if _, err := c.Push(ctx, "", make([]queen.PushItem, 1)); err != nil {
		t.Fatal(err)
	}
	if caps, _ := c.Capabilities(ctx); !caps.Offsets || caps.Attempts {
		t.Errorf("after a push: %+v", caps)
	}
	if _, err := c.Pop(ctx, "", queen.PopRequest{Queue: "q"}); err != nil {
		t.Fatal(err)
	}
	if caps, _ := c.Capabilities(ctx); !caps.Offsets || !caps.Attempts {
		t.Errorf("after a pop: %+v", caps)
	}
}

// still is a clock that stands until it is moved.
type still struct {
	clock.Clock
	now time.Time
}

func (s *still) Now() time.Time { return s.now }

// While PostgreSQL is away, 1.x answers a pop as if the queue were empty.
func TestEmptyPopIsDoubted(t *testing.T) {
	ctx := context.Background()
	empty := answer{status: 204}
	up := answer{status: 200, body: `{"status":"healthy","database":"connected","engine":"segments-rust","version":"1.3.0"}`}
	down := answer{status: 503, body: `{"status":"unhealthy","database":"disconnected","engine":"segments-rust","version":"1.3.0"}`}
	r := newRecorder(t, empty, up, empty, empty, down, empty, up, empty, empty)
	clk := &still{now: time.Now()}
	c, err := New(Config{URL: r.URL, Log: slog.New(slog.DiscardHandler), Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	pop := func(lane *string) error {
		_, err := c.Pop(ctx, "", queen.PopRequest{Queue: "q", Lane: lane})
		return err
	}
	if err := pop(nil); err != nil {
		t.Errorf("healthy: %v", err)
	}
	if err := pop(nil); err != nil {
		t.Errorf("healthy a moment ago: %v", err)
	}
	clk.now = clk.now.Add(believe)
	var status *queen.StatusError
	if err := pop(nil); !errors.As(err, &status) || status.Code != 503 || status.RetryAfter != time.Second {
		t.Errorf("the database is away: %v", err)
	}
	if err := pop(nil); err != nil {
		t.Errorf("it is back: %v", err)
	}
	clk.now = clk.now.Add(believe)
	// A pinned pop says itself when the database is away.
	if err := pop(lane("a")); err != nil {
		t.Error(err)
	}
	if n := len(r.requests()); n != 8 {
		t.Errorf("%d requests", n)
	}
}

func TestWhatHealthProves(t *testing.T) {
	for _, tt := range []struct {
		answer answer
		away   bool
	}{
		{answer{status: 200, body: `{"status":"healthy","engine":"x"}`}, false},
		{answer{status: 200, body: `{"status":"settling","engine":"raft"}`}, false},
		{answer{status: 200, body: `{"status":"unhealthy"}`}, true},
		{answer{status: 200, body: `{"status":"degraded","database":"disconnected"}`}, true},
		{answer{status: 503, body: `{"status":"settling","engine":"raft"}`}, true},
		{answer{status: 502, body: "bad gateway"}, true},
		{answer{status: 404, body: "a front that hides it"}, false},
		{answer{status: 200, body: "<html>"}, false},
	} {
		c := newClient(t, newRecorder(t, tt.answer).URL)
		if err := c.databaseAway(context.Background()); (err != nil) != tt.away {
			t.Errorf("%+v: got %v", tt.answer, err)
		}
	}
	gone := newRecorder(t)
	gone.Close()
	if err := newClient(t, gone.URL).databaseAway(context.Background()); err == nil {
		t.Error("a broker that does not answer was believed")
	}
}

// Brokers without a database of their own to lose are believed without a
// question.
func TestEmptyPopIsBelieved(t *testing.T) {
	for _, health := range []string{
		`{"status":"healthy","engine":"raft","version":"2.1.0"}`,
		`{"status":"healthy","database":"connected","engine":"embedded","version":"1","capabilities":{"offsets":true}}`,
	} {
		r := newRecorder(t, answer{status: 200, body: health}, answer{status: 204})
		c := newClient(t, r.URL)
		if _, err := c.Capabilities(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Pop(context.Background(), "", queen.PopRequest{Queue: "q"}); err != nil {
			t.Fatal(err)
		}
		if n := len(r.requests()); n != 2 {
			t.Errorf("%s: %d requests", health, n)
		}
	}
}
