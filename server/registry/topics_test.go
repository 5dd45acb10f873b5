package registry

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
)

func topicRegistry(t *testing.T) *Registry {
	t.Helper()
	clk := clock.NewShifted()
	engine, err := embedded.Open(embedded.Config{Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return New(Config{Broker: engine, Clock: clk, Region: "r", Account: "a"})
}

// Records are those of the published contract, and a change of a subscription
// leaves the text of its topic as it is.
func TestTopicRecords(t *testing.T) {
	r, ctx := topicRegistry(t), context.Background()
	made, created, err := r.CreateTopic(ctx, "", &Topic{Name: "t.fifo", Attributes: map[string]string{"FifoTopic": "true"}})
	if err != nil || !created || !made.FIFO() || made.ARN != "arn:aws:sns:r:a:t.fifo" {
		t.Fatalf("%+v %v", made, err)
	}
	before, err := r.Get(ctx, "", "qs:t:t.fifo")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(before.Value), `{"attributes":{"FifoTopic":"true"},"tags":{},"createdTs":1`) || !strings.HasSuffix(string(before.Value), `,"arn":"arn:aws:sns:r:a:t.fifo"}`) {
		t.Errorf("%s", before.Value)
	}
	sub, err := r.AddSubscription(ctx, "", made, &Subscription{ID: "1", Protocol: "sqs", Endpoint: "arn:aws:sqs:r:a:q"})
	if err != nil || sub.ARN != "arn:aws:sns:r:a:t.fifo:1" || sub.Version == 0 {
		t.Fatalf("%+v %v", sub, err)
	}
	row, err := r.Get(ctx, "", "qs:s:t.fifo:1")
	if err != nil || !strings.HasPrefix(string(row.Value), `{"protocol":"sqs","endpoint":"arn:aws:sqs:r:a:q","owner":"a","attributes":{},"createdTs":1`) {
		t.Errorf("%s %v", row.Value, err)
	}
	after, err := r.Get(ctx, "", "qs:t:t.fifo")
	if err != nil || string(after.Value) != string(before.Value) || after.Version == before.Version {
		t.Errorf("%+v %v", after, err)
	}
	// What was read before that is too old to subscribe with.
	if _, err := r.AddSubscription(ctx, "", made, &Subscription{ID: "2"}); !errors.Is(err, ErrConflict) {
		t.Errorf("%v", err)
	}
	if _, err := r.Subscription(ctx, "", "t.fifo", "2"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
}

func TestTopicRecordsAreReadLeniently(t *testing.T) {
	r, ctx := topicRegistry(t), context.Background()
	for key, value := range map[string]any{
		"qs:t:t":   map[string]any{"attributes": map[string]any{"DisplayName": "d", "Policy": 1}, "tags": 7},
		"qs:s:t:1": map[string]any{"attributes": "none", "endpoint": "e", "arn": ""},
	} {
		if err := r.Put(ctx, "", key, value, Forever); err != nil {
			t.Fatal(err)
		}
	}
	topic, err := r.Topic(ctx, "", "t")
	if err != nil || topic.ARN != "arn:aws:sns:r:a:t" || len(topic.Attributes) != 1 || topic.Tags == nil {
		t.Errorf("%+v %v", topic, err)
	}
	sub, err := r.Subscription(ctx, "", "t", "1")
	if err != nil || sub.ARN != "arn:aws:sns:r:a:t:1" || sub.Owner != "a" || sub.Endpoint != "e" || sub.Raw() {
		t.Errorf("%+v %v", sub, err)
	}
}

func TestTopicTooLarge(t *testing.T) {
	r, ctx := topicRegistry(t), context.Background()
	large := map[string]string{"Policy": strings.Repeat("x", MaxValueBytes)}
	if _, _, err := r.CreateTopic(ctx, "", &Topic{Name: "t", Attributes: large}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
	made, _, err := r.CreateTopic(ctx, "", &Topic{Name: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.AddSubscription(ctx, "", made, &Subscription{ID: "1", Attributes: large}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
	refused := errors.New("refused")
	if _, err := r.ChangeTopic(ctx, "", "t", func(*Topic) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("%v", err)
	}
	for _, err := range []error{
		func() error {
			_, err := r.ChangeTopic(ctx, "", "absent", func(*Topic) error { return nil })
			return err
		}(),
		func() error {
			_, err := r.ChangeSubscription(ctx, "", "t", "absent", func(*Subscription) error { return nil })
			return err
		}(),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%v", err)
		}
	}
}
