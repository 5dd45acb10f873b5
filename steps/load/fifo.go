package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// FIFO is a load on one FIFO queue: senders fill its groups in order while
// consumers receive, delete in any order, sometimes do not delete, sometimes
// give back and sometimes are too late.
type FIFO struct {
	Client *Client
	Queue  string // URL; of a standard queue to see what the judge says to one
	// Groups get Messages together, evenly.
	Groups, Messages   int
	Senders, Consumers int
	Seed               uint64
	// Forget, GiveBack and Late are how many of a hundred messages are not
	// deleted, deliveries given back, and deliveries deleted too late.
	Forget, GiveBack, Late int
	// Progress, when set, is called now and then with the number of messages
	// deleted.
	Progress func(deleted int)
}

// LongestFIFOVisibility is the longest visibility timeout a receive of the load
// asks for; they are one second to this.
const LongestFIFOVisibility = 3 * time.Second

// Run sends and consumes everything and answers what was seen. It ends early,
// without an error, when breakOff is not nil and answers true. An error is a call
// that failed other than by the load's design.
func (f *FIFO) Run(ctx context.Context, breakOff func(*FIFOHistory) bool) (*FIFOHistory, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h := &FIFOHistory{}
	perGroup := f.Messages / f.Groups
	for g := range f.Groups {
		h.Sent(groupName(g), perGroup)
	}
	var deleted atomic.Int64
	goal := int64(perGroup * f.Groups)
	stop := func() bool {
		return ctx.Err() != nil || deleted.Load() >= goal || (breakOff != nil && breakOff(h))
	}
	var running sync.WaitGroup
	start := func(work func() error) {
		running.Go(func() {
			if err := work(); err != nil {
				cancel(err)
			}
		})
	}
	for s := range f.Senders {
		start(func() error { return f.send(ctx, s, perGroup, stop) })
	}
	for c := range f.Consumers {
		random := rand.New(rand.NewPCG(f.Seed, uint64(c)))
		start(func() error {
			for !stop() {
				if err := f.consume(ctx, h, random, &deleted); err != nil {
					return err
				}
				if f.Progress != nil && c == 0 {
					f.Progress(int(deleted.Load()))
				}
			}
			return nil
		})
	}
	running.Wait()
	return h, context.Cause(ctx)
}

func groupName(g int) string { return fmt.Sprint("group-", g) }

// send fills the groups of one sender, number after number, a batch at a time.
func (f *FIFO) send(ctx context.Context, sender, perGroup int, stop func() bool) error {
	type entry struct{ Id, MessageBody, MessageGroupId, MessageDeduplicationId string }
	var batch []any
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		var out batchOutput
		err := f.Client.Call(ctx, "SendMessageBatch", map[string]any{"QueueUrl": f.Queue, "Entries": batch}, &out)
		if err == nil && len(out.Failed) > 0 {
			err = fmt.Errorf("an entry failed with %s: %s", out.Failed[0].Code, out.Failed[0].Message)
		}
		batch = batch[:0]
		return err
	}
	fifo := strings.HasSuffix(f.Queue, ".fifo")
	for number := 1; number <= perGroup; number++ {
		for g := sender; g < f.Groups; g += f.Senders {
			if stop() {
				return nil
			}
			e := entry{Id: strconv.Itoa(len(batch)), MessageBody: fmt.Sprint(groupName(g), "/", number), MessageGroupId: groupName(g)}
			if fifo {
				e.MessageDeduplicationId = e.MessageBody
				batch = append(batch, e)
			} else {
				batch = append(batch, map[string]string{"Id": e.Id, "MessageBody": e.MessageBody, "MessageGroupId": e.MessageGroupId})
			}
			if len(batch) == 10 {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	return flush()
}

// held is what one receive answered of one group.
type held struct {
	delivery int
	numbers  []int
	handles  []string
}

// consume makes one receive and does with its messages what chance says.
func (f *FIFO) consume(ctx context.Context, h *FIFOHistory, random *rand.Rand, deleted *atomic.Int64) error {
	visibility := time.Duration(1+random.IntN(int(LongestFIFOVisibility/time.Second))) * time.Second
	var out struct{ Messages []Message }
	asked := time.Now()
	err := f.Client.Call(ctx, "ReceiveMessage", map[string]any{
		"QueueUrl": f.Queue, "MaxNumberOfMessages": 1 + random.IntN(10), "VisibilityTimeout": int(visibility.Seconds()),
		"WaitTimeSeconds": 0, "MessageSystemAttributeNames": []string{"MessageGroupId"},
	}, &out)
	answered := time.Now()
	if err != nil {
		return ended(ctx, err)
	}
	if len(out.Messages) == 0 {
		pause(ctx, 10*time.Millisecond)
		return nil
	}
	groups, err := byGroup(out.Messages)
	if err != nil {
		return err
	}
	for group, g := range groups {
		g.delivery = h.Delivered(group, g.numbers, asked, answered, visibility)
	}
	late := random.IntN(100) < f.Late
	if late {
		pause(ctx, time.Until(asked.Add(visibility+time.Duration(random.IntN(200))*time.Millisecond)))
	}
	for _, g := range groups {
		if err := f.settle(ctx, h, g, random, deleted); err != nil {
			return err
		}
	}
	return nil
}

func byGroup(messages []Message) (map[string]*held, error) {
	groups := map[string]*held{}
	for _, m := range messages {
		group := m.Attributes["MessageGroupId"]
		from, n, _ := strings.Cut(m.Body, "/")
		number, err := strconv.Atoi(n)
		if err != nil || from != group {
			return nil, fmt.Errorf("message %q was received from group %q", m.Body, group)
		}
		if groups[group] == nil {
			groups[group] = &held{}
		}
		groups[group].numbers = append(groups[group].numbers, number)
		groups[group].handles = append(groups[group].handles, m.ReceiptHandle)
	}
	return groups, nil
}

// settle deletes the messages of a delivery in any order, but for those that are
// forgotten, and may give the rest back.
func (f *FIFO) settle(ctx context.Context, h *FIFOHistory, g *held, random *rand.Rand, deleted *atomic.Int64) error {
	giveBack := random.IntN(100) < f.GiveBack
	rest := -1
	for _, i := range random.Perm(len(g.numbers)) {
		if giveBack || random.IntN(100) < f.Forget {
			rest = i
			continue
		}
		asked := time.Now()
		outcome, err := f.delete(ctx, g.handles[i])
		if err != nil {
			return err
		}
		h.Deleted(g.delivery, g.numbers[i], asked, time.Now(), outcome)
		if outcome == Done {
			deleted.Add(1)
		}
	}
	if !giveBack || rest < 0 {
		return nil
	}
	h.Released(g.delivery, time.Now())
	err := f.Client.Call(ctx, "ChangeMessageVisibility", map[string]any{"QueueUrl": f.Queue, "ReceiptHandle": g.handles[rest], "VisibilityTimeout": 0}, nil)
	var refused *StatusError
	if errors.As(err, &refused) && refused.Status == 400 {
		return nil // it was visible already
	}
	return ended(ctx, err)
}

// delete deletes one message; one that expired is refused.
func (f *FIFO) delete(ctx context.Context, handle string) (Outcome, error) {
	err := f.Client.Delete(ctx, f.Queue, handle)
	var refused *StatusError
	switch {
	case err == nil:
		return Done, nil
	case errors.As(err, &refused) && refused.Status == 400:
		return Refused, nil
	default:
		return Unknown, ended(ctx, err)
	}
}

// ended is err, or nil when it comes from the end of the run.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
