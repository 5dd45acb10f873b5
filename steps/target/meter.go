package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Meter carries requests, counts them by action, and stops carrying them where
// a limit is reached. It is safe for concurrent use.
type Meter struct {
	// Next carries the requests; nil means http.DefaultTransport.
	Next http.RoundTripper
	// Timeout of one request and its answer; zero means none.
	Timeout time.Duration
	// Limit is how many units may be spent, zero for any number. What deletes or
	// lists is carried beyond it, so that nothing is left behind.
	Limit int64

	mu    sync.Mutex
	calls map[string]int64
	units int64
}

// unitBytes is how much of a request or an answer Amazon bills as one request.
const unitBytes = 64 << 10

// UnitPrice is what Amazon charges for a unit at most, in US dollars: the price
// of FIFO queues, which is the higher one.
const UnitPrice = 0.50 / 1e6

// ErrSpent is answered for a request beyond the limit.
var ErrSpent = errors.New("the limit of billed requests is reached")

// tidies are the actions that leave less behind, and those that find it.
func tidies(action string) bool {
	return strings.HasPrefix(action, "Delete") && !strings.HasPrefix(action, "DeleteMessage") ||
		action == "Unsubscribe" || action == "ListQueues" || action == "ListTopics"
}

// RoundTrip implements http.RoundTripper. The answer is read whole.
func (m *Meter) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		req.Body.Close()
	}
	if err := req.Context().Err(); err != nil {
		return nil, err // it would count and not be sent
	}
	action := actionOf(req, body)
	if err := m.admit(action, int64(len(body))); err != nil {
		return nil, err
	}
	ctx, cancel := req.Context(), context.CancelFunc(func() {})
	if m.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, m.Timeout)
	}
	defer cancel()
	out := req.Clone(ctx)
	if req.Body != nil {
		out.Body = io.NopCloser(bytes.NewReader(body))
	}
	next := m.Next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	m.mu.Lock()
	m.units += max(units(int64(len(answer)))-units(int64(len(body))), 0)
	m.mu.Unlock()
	return resp, nil
}

func (m *Meter) admit(action string, size int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	cost := units(size)
	if m.Limit > 0 && m.units+cost > m.Limit && !tidies(action) {
		return fmt.Errorf("%w: %s", ErrSpent, action)
	}
	if m.calls == nil {
		m.calls = map[string]int64{}
	}
	m.calls[action]++
	m.units += cost
	return nil
}

func units(size int64) int64 { return max(1, (size+unitBytes-1)/unitBytes) }

// Units is what was spent: a request is one for each 64 KiB of it or its answer.
func (m *Meter) Units() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.units
}

// Calls is how many requests were sent, by action.
func (m *Meter) Calls() map[string]int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.calls)
}

// actionOf reads the action off a request in either protocol.
func actionOf(req *http.Request, body []byte) string {
	if _, action, ok := strings.Cut(req.Header.Get("X-Amz-Target"), "."); ok {
		return action
	}
	for _, form := range []string{string(body), req.URL.RawQuery} {
		for part := range strings.SplitSeq(form, "&") {
			if action, ok := strings.CutPrefix(part, "Action="); ok {
				return action
			}
		}
	}
	return "(none)"
}
