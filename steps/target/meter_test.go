package target

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// metered is a server that answers so many bytes, and what sends it an action
// through a meter.
func metered(t *testing.T, m *Meter, answer int) (send func(ctx context.Context, action string, size int) error, received *atomic.Int64) {
	t.Helper()
	received = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		received.Add(1)
		_, _ = io.WriteString(w, strings.Repeat("a", answer))
	}))
	t.Cleanup(s.Close)
	return func(ctx context.Context, action string, size int) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader(strings.Repeat("r", size)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Amz-Target", "AmazonSQS."+action)
		resp, err := m.RoundTrip(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if body, err := io.ReadAll(resp.Body); err != nil || len(body) != answer {
			t.Errorf("%d bytes of the answer came, %v", len(body), err)
		}
		return nil
	}, received
}

func TestAMeterCountsAsAmazonBills(t *testing.T) {
	for _, c := range []struct {
		request, answer int
		units           int64
	}{
		{0, 0, 1},
		{unitBytes, 1, 1},
		{unitBytes + 1, 1, 2},
		{1, 2*unitBytes + 1, 3},
		{3 * unitBytes, 2 * unitBytes, 3},
	} {
		m := &Meter{}
		send, _ := metered(t, m, c.answer)
		if err := send(t.Context(), "ReceiveMessage", c.request); err != nil || m.Units() != c.units {
			t.Errorf("%d bytes answered by %d are %d units and not %d: %v", c.request, c.answer, m.Units(), c.units, err)
		}
	}
}

func TestAMeterStopsAtItsLimit(t *testing.T) {
	m := &Meter{Limit: 2}
	send, received := metered(t, m, 0)
	for _, action := range []string{"CreateQueue", "SendMessage"} {
		if err := send(t.Context(), action, 1); err != nil {
			t.Fatal(err)
		}
	}
	for _, action := range []string{"CreateQueue", "DeleteMessage", "DeleteMessageBatch", "Publish"} {
		if err := send(t.Context(), action, 1); !errors.Is(err, ErrSpent) {
			t.Errorf("%s: %v", action, err)
		}
	}
	// Nothing is to be left behind, whatever that costs.
	for _, action := range []string{"ListQueues", "DeleteQueue", "ListTopics", "DeleteTopic", "Unsubscribe"} {
		if err := send(t.Context(), action, 1); err != nil {
			t.Errorf("%s: %v", action, err)
		}
	}
	want := map[string]int64{"CreateQueue": 1, "SendMessage": 1, "ListQueues": 1, "DeleteQueue": 1, "ListTopics": 1, "DeleteTopic": 1, "Unsubscribe": 1}
	if !maps.Equal(m.Calls(), want) || received.Load() != 7 {
		t.Errorf("counted %v, and %d were received", m.Calls(), received.Load())
	}
}

func TestAMeterCountsOnlyWhatIsSent(t *testing.T) {
	m := &Meter{}
	send, received := metered(t, m, 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := send(ctx, "SendMessage", 1); !errors.Is(err, context.Canceled) || m.Units() != 0 || len(m.Calls()) != 0 || received.Load() != 0 {
		t.Errorf("%v: counted %v, and %d were received", err, m.Calls(), received.Load())
	}
}
