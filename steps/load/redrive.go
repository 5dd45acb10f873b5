package load

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Redrive is a load on a queue with a dead-letter queue whose gateway may be
// killed at any moment: senders send, consumers delete what is good and fail
// with what is poison, and now and then with what is good too.
type Redrive struct {
	Client *Client
	// Queue and Dead are URLs, both standard or both FIFO.
	Queue, Dead string
	Messages    int // that must be answered
	Senders     int
	Consumers   int
	Seed        uint64
	// Visibility of the queue; Poison and Fail are how many of a hundred messages
	// are poison and how many receives of a good one fail.
	Visibility   time.Duration
	Poison, Fail int

	answered atomic.Int64
	settled  atomic.Int64 // messages deleted from the queue, about
	mu       sync.Mutex
	fates    map[string]*fate // by body
}

// fate is what is known of one message.
type fate struct {
	sent  bool // the send was answered
	done  bool // a delete was answered while the message was held for sure
	maybe bool // a delete may have worked
	dead  int  // how often it was found in the dead-letter queue
}

func (r *Redrive) fate(body string) *fate {
	if r.fates == nil {
		r.fates = map[string]*fate{}
	}
	if r.fates[body] == nil {
		r.fates[body] = &fate{}
	}
	return r.fates[body]
}

func (r *Redrive) note(body string, change func(*fate)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r.fate(body))
}

// Answered is how many sends were answered so far.
func (r *Redrive) Answered() int { return int(r.answered.Load()) }

// Settled is how many messages were deleted from the queue so far.
func (r *Redrive) Settled() int { return int(r.settled.Load()) }

// Run sends and consumes until everything is sent and quiet says that the
// gateway will not be killed any more, then until the queue is empty, and takes
// the dead letters. Failing calls are expected until quiet.
func (r *Redrive) Run(ctx context.Context, quiet func() bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var attempts atomic.Int64
	var sending, consuming sync.WaitGroup
	var empty atomic.Bool
	for s := range r.Senders {
		random := rand.New(rand.NewPCG(r.Seed, uint64(1000+s)))
		sending.Go(func() {
			for ctx.Err() == nil && r.Answered() < r.Messages {
				kind := "good"
				if random.IntN(100) < r.Poison {
					kind = "poison"
				}
				r.send(ctx, fmt.Sprint(kind, "-", attempts.Add(1)))
			}
		})
	}
	for c := range r.Consumers {
		random := rand.New(rand.NewPCG(r.Seed, uint64(c)))
		consuming.Go(func() {
			for ctx.Err() == nil && !empty.Load() {
				calm := quiet()
				err := r.consume(ctx, random)
				if err != nil && calm && ctx.Err() == nil {
					cancel(fmt.Errorf("after the last start: %w", err))
				}
			}
		})
	}
	sending.Wait()
	for ctx.Err() == nil && !(quiet() && r.isEmpty(ctx)) {
		pause(ctx, 100*time.Millisecond)
	}
	empty.Store(true)
	consuming.Wait()
	if ctx.Err() == nil {
		if err := r.bury(ctx); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

func (r *Redrive) send(ctx context.Context, body string) {
	in := map[string]any{"QueueUrl": r.Queue, "MessageBody": body}
	if strings.HasSuffix(r.Queue, ".fifo") {
		in["MessageGroupId"] = "group-" + body[len(body)-1:]
		in["MessageDeduplicationId"] = body
	}
	if r.Client.Call(ctx, "SendMessage", in, nil) != nil {
		pause(ctx, 10*time.Millisecond)
		return
	}
	r.note(body, func(f *fate) { f.sent = true })
	r.answered.Add(1)
}

// consume makes one receive and deletes what does not fail.
func (r *Redrive) consume(ctx context.Context, random *rand.Rand) error {
	asked := time.Now()
	messages, err := r.Client.Receive(ctx, r.Queue, 10, 0)
	if err != nil || len(messages) == 0 {
		pause(ctx, 10*time.Millisecond)
		return err
	}
	// What failed is given back last: with it goes the rest of its FIFO batch.
	var failures []Message
	for _, m := range messages {
		if strings.HasPrefix(m.Body, "poison") || random.IntN(100) < r.Fail {
			failures = append(failures, m)
			continue
		}
		r.note(m.Body, func(f *fate) { f.maybe = true })
		failed := r.Client.Delete(ctx, r.Queue, m.ReceiptHandle)
		var refused *StatusError
		switch {
		case failed == nil && time.Since(asked) < r.Visibility:
			r.note(m.Body, func(f *fate) { f.done = true })
			r.settled.Add(1)
		case failed == nil, errors.As(failed, &refused) && refused.Status == 400:
			// Too late: the message may be anywhere.
		default:
			err = errors.Join(err, failed)
			pause(ctx, 10*time.Millisecond)
		}
	}
	for _, m := range failures {
		if random.IntN(2) == 0 {
			err = errors.Join(err, r.giveBack(ctx, m))
		}
	}
	return err
}

func (r *Redrive) giveBack(ctx context.Context, m Message) error {
	err := r.Client.Call(ctx, "ChangeMessageVisibility", map[string]any{"QueueUrl": r.Queue, "ReceiptHandle": m.ReceiptHandle, "VisibilityTimeout": 0}, nil)
	var refused *StatusError
	if errors.As(err, &refused) && refused.Status == 400 {
		return nil
	}
	return err
}

// isEmpty reports whether nothing is in the queue, held or not.
func (r *Redrive) isEmpty(ctx context.Context) bool {
	n, err := r.inside(ctx, r.Queue)
	return err == nil && n == 0
}

func (r *Redrive) inside(ctx context.Context, queue string) (int, error) {
	var out struct{ Attributes map[string]string }
	names := []string{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"}
	if err := r.Client.Call(ctx, "GetQueueAttributes", map[string]any{"QueueUrl": queue, "AttributeNames": names}, &out); err != nil {
		return 0, err
	}
	total := 0
	for _, name := range names {
		n := 0
		if _, err := fmt.Sscan(out.Attributes[name], &n); err != nil {
			return 0, fmt.Errorf("%s is %q", name, out.Attributes[name])
		}
		total += n
	}
	return total, nil
}

// bury takes everything out of the dead-letter queue.
func (r *Redrive) bury(ctx context.Context) error {
	for ctx.Err() == nil {
		messages, err := r.Client.Receive(ctx, r.Dead, 10, 0)
		if err != nil {
			return err
		}
		for _, m := range messages {
			r.note(m.Body, func(f *fate) { f.dead++ })
		}
		if len(messages) > 0 {
			if err := r.Client.DeleteBatch(ctx, r.Dead, messages); err != nil {
				return err
			}
			continue
		}
		if n, err := r.inside(ctx, r.Dead); err != nil || n == 0 {
			return err
		}
	}
	return nil
}

// RedriveOutcome counts what became of the messages whose sends were answered.
type RedriveOutcome struct {
	Consumed, Dead int
	// Unsure were consumed by a delete that was not answered or came late.
	Unsure int
}

// Judge answers what became of the messages, and a sentence for every message
// that is not in exactly one of consumed and dead-lettered.
func (r *Redrive) Judge() (out RedriveOutcome, wrong []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, body := range slices.Sorted(maps.Keys(r.fates)) {
		f := r.fates[body]
		switch {
		case f.dead > 1:
			wrong = append(wrong, fmt.Sprintf("%s is %d times in the dead-letter queue", body, f.dead))
		case f.done && f.dead > 0:
			wrong = append(wrong, body+" was consumed and is in the dead-letter queue")
		case strings.HasPrefix(body, "poison") && f.done:
			wrong = append(wrong, body+" was consumed and is poison")
		case f.dead == 1:
			out.Dead++
		case f.done:
			out.Consumed++
		case f.maybe:
			out.Unsure++
		case f.sent:
			wrong = append(wrong, body+" was sent and is lost")
		}
	}
	return out, wrong
}
