package sqs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// breaking is a broker that stops answering at one call: fuse counts down, and
// the call that finds it at 1 is done or not, but brings no answer.
type breaking struct {
	queen.Broker
	fuse int
	done bool // whether the broken call took effect
}

var errNoAnswer = &queen.TransportError{Err: errors.New("connection reset")}

// broken reports whether this call brings no answer, and whether to do it.
func (b *breaking) broken() (broken, do bool) {
	b.fuse--
	if b.fuse != 0 {
		return false, true
	}
	return true, b.done
}

func breakable[T any](b *breaking, call func() (T, error)) (T, error) {
	broken, do := b.broken()
	var answer T
	var err error
	if do {
		answer, err = call()
	}
	if broken {
		var none T
		return none, errNoAnswer
	}
	return answer, err
}

func (b *breaking) Configure(ctx context.Context, tok queen.Token, queue string, opts queen.Options) (queen.Options, error) {
	return breakable(b, func() (queen.Options, error) { return b.Broker.Configure(ctx, tok, queue, opts) })
}

func (b *breaking) DeleteQueue(ctx context.Context, tok queen.Token, queue string) (bool, error) {
	return breakable(b, func() (bool, error) { return b.Broker.DeleteQueue(ctx, tok, queue) })
}

func (b *breaking) ListQueues(ctx context.Context, tok queen.Token) ([]queen.QueueInfo, error) {
	return breakable(b, func() ([]queen.QueueInfo, error) { return b.Broker.ListQueues(ctx, tok) })
}

func (b *breaking) Depth(ctx context.Context, tok queen.Token, queue, group string) (queen.Depth, error) {
	return breakable(b, func() (queen.Depth, error) { return b.Broker.Depth(ctx, tok, queue, group) })
}

func (b *breaking) CountTimers(ctx context.Context, tok queen.Token, queue, prefix string) (int, error) {
	return breakable(b, func() (int, error) { return b.Broker.CountTimers(ctx, tok, queue, prefix) })
}

func (b *breaking) ListTimers(ctx context.Context, tok queen.Token, queue, after string, limit int) (queen.TimerPage, error) {
	return breakable(b, func() (queen.TimerPage, error) { return b.Broker.ListTimers(ctx, tok, queue, after, limit) })
}

func (b *breaking) ScheduleTimers(ctx context.Context, tok queen.Token, ops []queen.TimerOp) ([]queen.TimerResult, error) {
	return breakable(b, func() ([]queen.TimerResult, error) { return b.Broker.ScheduleTimers(ctx, tok, ops) })
}

func (b *breaking) KV(ctx context.Context, tok queen.Token, ops []queen.KVOp) ([]queen.KVResult, error) {
	return breakable(b, func() ([]queen.KVResult, error) { return b.Broker.KV(ctx, tok, ops) })
}

// eachBreak runs an action against a broker that breaks at its first call, at
// its second and so on until it gets through, each time on a fresh rig, and lets
// after look at what a failed run left behind.
func eachBreak(t *testing.T, action func(r *rig) error, after func(r *rig, err error)) {
	t.Helper()
	for _, done := range []bool{false, true} {
		for call := 1; ; call++ {
			if call > 50 {
				t.Fatal("the action never gets through")
			}
			b := &breaking{done: done}
			r := newRig(t, func(cfg *Config) { b.Broker = cfg.Broker; cfg.Broker = b })
			r.create("dlq", nil)
			r.create("q", map[string]string{"VisibilityTimeout": "9"})
			r.push("q", "0", 1)
			r.delay("q", "sqs.1")
			r.clock.Advance(5 * time.Second) // past the caches
			b.fuse = call
			err := action(r)
			through := b.fuse > 0
			b.fuse = 0
			if !through && err != nil && !fault.Is(err, fault.ServiceUnavailable) {
				t.Errorf("call %d: %v, want ServiceUnavailable", call, err)
			}
			after(r, err)
			if through {
				if err != nil {
					t.Errorf("nothing broke: %v", err)
				}
				break
			}
		}
	}
}

func TestDeleteQueueCanBeRepeated(t *testing.T) {
	eachBreak(t, func(r *rig) error {
		_, err := r.try("DeleteQueue", "QueueUrl", "q")
		return err
	}, func(r *rig, err error) {
		if err != nil {
			if _, err := r.try("DeleteQueue", "QueueUrl", "q"); err != nil && !fault.Is(err, fault.QueueDoesNotExist) {
				r.t.Errorf("the repeat: %v", err)
			}
		}
		r.refuse(fault.QueueDoesNotExist, "", "GetQueueUrl", "QueueName", "q")
		r.refuse(fault.QueueDeletedRecently, "", "CreateQueue", "QueueName", "q")
		r.clock.Advance(61 * time.Second)
		r.create("q", nil)
		wantMap(r.t, r.get("q", counterNames...), counted("0", "0", "0"))
	})
}

func TestCreateQueueCanBeRepeated(t *testing.T) {
	attributes := map[string]string{"DelaySeconds": "4"}
	eachBreak(t, func(r *rig) error {
		_, err := r.try("CreateQueue", "QueueName", "new", "Attributes", attributes)
		return err
	}, func(r *rig, _ error) {
		r.clock.Advance(5 * time.Second) // a failed list of the broker's queues is remembered for 3
		r.create("new", attributes)
		if got := r.get("new", "All"); got["DelaySeconds"] != "4" || got["queen.partitions"] != "8" {
			r.t.Errorf("the queue has %v", got)
		}
	})
}

func TestSetQueueAttributesCanBeRepeated(t *testing.T) {
	attributes := map[string]string{"VisibilityTimeout": "4"}
	eachBreak(t, func(r *rig) error {
		_, err := r.try("SetQueueAttributes", "QueueUrl", "q", "Attributes", attributes)
		return err
	}, func(r *rig, _ error) {
		r.do("SetQueueAttributes", "QueueUrl", "q", "Attributes", attributes)
		if len(r.claim("q", 1)) != 1 {
			r.t.Error("the message is gone")
		}
		wantMap(r.t, r.get("q", counterNames...), counted("0", "1", "1"))
		r.clock.Advance(4 * time.Second)
		wantMap(r.t, r.get("q", counterNames...), counted("1", "0", "1"))
	})
}

// A purge that failed keeps its window, and the next one finishes the work.
func TestPurgeQueueCanBeRepeated(t *testing.T) {
	eachBreak(t, func(r *rig) error {
		_, err := r.try("PurgeQueue", "QueueUrl", "q")
		return err
	}, func(r *rig, _ error) {
		r.clock.Advance(time.Minute)
		r.do("PurgeQueue", "QueueUrl", "q")
		wantMap(r.t, r.get("q", counterNames...), counted("0", "0", "0"))
		wantMap(r.t, r.get("q", "VisibilityTimeout"), map[string]string{"VisibilityTimeout": "9"})
	})
}

func TestReadsAnswerTheBrokersFailure(t *testing.T) {
	for _, call := range [][]any{
		{"GetQueueAttributes", "QueueUrl", "q", "AttributeNames", []string{"All"}},
		{"GetQueueUrl", "QueueName", "q"},
		{"ListQueues"},
		{"ListQueueTags", "QueueUrl", "q"},
		{"ListDeadLetterSourceQueues", "QueueUrl", "q"},
		{"TagQueue", "QueueUrl", "q", "Tags", map[string]string{"a": "b"}},
		{"UntagQueue", "QueueUrl", "q", "TagKeys", []string{"a"}},
		{"SetQueueAttributes", "QueueUrl", "q", "Attributes", map[string]string{"RedrivePolicy": redriveTo(New(Config{}).queueARN("dlq"), "3")}},
	} {
		eachBreak(t, func(r *rig) error {
			_, err := r.try(call[0].(string), call[1:]...)
			return err
		}, func(r *rig, _ error) { r.do(call[0].(string), call[1:]...) })
	}
}

func TestConcurrentCreatesAgreeOnOneQueue(t *testing.T) {
	r := newRig(t)
	const clients = 16
	var wg sync.WaitGroup
	won := make(chan string, clients)
	for i := range clients {
		wg.Go(func() {
			delay := fmt.Sprint(i % 4)
			_, err := r.try("CreateQueue", "QueueName", "q", "Attributes", map[string]string{"DelaySeconds": delay})
			switch {
			case err == nil:
				won <- delay
			case !fault.Is(err, fault.QueueNameExists):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	close(won)
	inForce := r.get("q", "DelaySeconds")["DelaySeconds"]
	n := 0
	for delay := range won {
		n++
		if delay != inForce {
			t.Errorf("a client was told that its queue delays by %s s; it delays by %s", delay, inForce)
		}
	}
	if n != clients/4 {
		t.Errorf("%d clients succeeded, want the %d that asked for what is there", n, clients/4)
	}
}

func TestConcurrentSetsLeaveTheBrokerWithTheRecord(t *testing.T) {
	var mu sync.Mutex
	var last queen.Options
	r := newRig(t, func(cfg *Config) { cfg.Broker = lastConfigured{cfg.Broker, &mu, &last} })
	r.create("q", nil)
	for range 20 {
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				_, err := r.try("SetQueueAttributes", "QueueUrl", "q", "Attributes", map[string]string{"VisibilityTimeout": fmt.Sprint(10 + i)})
				if err != nil && !fault.Is(err, fault.ServiceUnavailable) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		// One that gave up is repeated by its client.
		r.do("SetQueueAttributes", "QueueUrl", "q", "Attributes", map[string]string{"DelaySeconds": "0"})
		if record := r.get("q", "VisibilityTimeout")["VisibilityTimeout"]; record != fmt.Sprint(last.LeaseTime) {
			t.Fatalf("the record says %s s and the broker %d s", record, last.LeaseTime)
		}
	}
}

// lastConfigured keeps the options that the broker has.
type lastConfigured struct {
	queen.Broker
	mu   *sync.Mutex
	last *queen.Options
}

func (l lastConfigured) Configure(ctx context.Context, tok queen.Token, queue string, opts queen.Options) (queen.Options, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	opts, err := l.Broker.Configure(ctx, tok, queue, opts)
	*l.last = opts
	return opts, err
}
