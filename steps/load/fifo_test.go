package load

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/sigv4"
)

// startGateway starts a gateway in this process, at the pace of real time.
func startGateway(t *testing.T, connections int) *Client {
	t.Helper()
	gateway, err := server.Start(server.Options{
		Config: server.Config{Credentials: []sigv4.Credential{{AccessKeyID: AccessKeyID, Secret: Secret}}},
		Clock:  clock.System(),
	})
	if err != nil {
		t.Fatal(err)
	}
	client := NewClient(gateway.Endpoint(), connections)
	t.Cleanup(func() {
		client.Close()
		if err := gateway.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return client
}

func fifoLoad(t *testing.T, name string, attributes map[string]string) *FIFO {
	t.Helper()
	client := startGateway(t, 12)
	attrs := map[string]string{"VisibilityTimeout": "3"}
	maps.Copy(attrs, attributes)
	queue, err := client.CreateQueue(t.Context(), name, attrs)
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return &FIFO{
		Client: client, Queue: queue, Groups: 50, Messages: 2000, Senders: 4, Consumers: 8,
		Seed: seed, Forget: 3, GiveBack: 5, Late: 2,
	}
}

// TestFIFOLoad is a small run of what sqs-conform bench fifo does at full size.
func TestFIFOLoad(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	f := fifoLoad(t, "load.fifo", map[string]string{"FifoQueue": "true"})
	h, err := f.Run(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range h.Violations(true) {
		t.Error(v)
	}
	deliveries, messages := h.Counts()
	t.Logf("%d deliveries of %d messages, %d sent", deliveries, messages, f.Messages)
	if messages <= f.Messages {
		t.Error("no message was delivered twice: nothing was tried")
	}
}

// The same load on a queue that keeps no order is what the judge is for.
func TestFIFOLoadOnAQueueWithoutOrder(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	f := fifoLoad(t, "load", nil)
	h, err := f.Run(ctx, func(h *FIFOHistory) bool { return h.enough(500) })
	if err != nil {
		t.Fatal(err)
	}
	found := h.Violations(false)
	if len(found) == 0 {
		t.Fatal("a standard queue passes for a FIFO queue")
	}
	t.Logf("%d violations, the first: %s", len(found), found[0])
}

func (h *FIFOHistory) enough(deliveries int) bool {
	n, _ := h.Counts()
	return n >= deliveries
}
