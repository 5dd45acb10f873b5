package sqs

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

const (
	// refills is how often a receive claims again because a redrive took away
	// what it had.
	refills = 2
	// momentaryLease is the lease in seconds of messages that are given back with
	// the answer. Without a lease one receive could claim a message ten times.
	momentaryLease = 10
	// cleanupTime bounds what is done for a client that is gone.
	cleanupTime = 5 * time.Second
)

// receiving is one ReceiveMessage under way.
//
// A broker claims a run of one lane under one lease, and an ack completes all
// below it. A claim of one message is therefore exactly an SQS delivery, and on
// a standard queue a receive is up to ten such claims. On a FIFO queue it is one
// claim of one group, kept in order by a delete-set (fifo.go).
type receiving struct {
	*Service
	tok queen.Token
	q   *registry.Queue

	max  int
	wait time.Duration
	// visibility is in seconds; 0 makes the messages receivable again at once.
	visibility int
	attemptID  string
	system     selection
	user       selection

	// counted says that the broker counts deliveries itself.
	counted bool
	claims  []*claim
}

// claim is what one pop claimed: messages of one lane under one lease.
type claim struct {
	partitionID, lease string
	// open are the messages that are neither completed nor moved away, in lane
	// order. Its first is the only one a release may name.
	open []*delivery
	// handed are those of open that the client gets.
	handed []*delivery
	// roster is a FIFO claim's delete-set as stored, at rosterVersion.
	roster        deleteSet
	rosterVersion int64
}

// delivery is one claimed message.
type delivery struct {
	queen.Message
	content envelope.Message
	// received is how often consumers got the message, this time and its life in
	// other queues included.
	received int
}

func (s *Service) receiveMessage(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	q, err := s.queue(ctx, req)
	if err != nil {
		return nil, err
	}
	r, err := s.newReceiving(q, req)
	if err != nil {
		return nil, err
	}
	if r.attemptID != "" {
		if messages, ok, err := r.remembered(ctx); err != nil || ok {
			return receiveAnswer(messages), brokerFault(err)
		}
	}
	capabilities, err := s.broker.Capabilities(ctx)
	if err != nil {
		return nil, brokerFault(err)
	}
	r.counted = capabilities.Attempts

	err = r.collect(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		r.release(ctx, r.claims)
		return nil, brokerFault(err)
	}
	messages := r.messages()
	if r.attemptID != "" && len(messages) > 0 {
		messages = r.remember(ctx, messages)
	}
	if r.visibility == 0 {
		r.release(ctx, r.claims)
	}
	return receiveAnswer(messages), nil
}

func (s *Service) newReceiving(q *registry.Queue, req *wire.Request) (*receiving, error) {
	r := &receiving{Service: s, tok: s.tokens.Of(req), q: q, max: 1}
	n, present, err := ranged(req.Params, "MaxNumberOfMessages", 1, mostMessages, reasonMessages)
	if err != nil {
		return nil, err
	}
	if present {
		r.max = n
	}
	n, present, err = ranged(req.Params, "WaitTimeSeconds", 0, mostWait, reasonWait)
	if err != nil {
		return nil, err
	}
	if !present {
		n = min(max(q.Seconds(registry.ReceiveMessageWaitTimeSeconds), 0), mostWait)
	}
	r.wait = time.Duration(n) * time.Second
	n, present, err = ranged(req.Params, "VisibilityTimeout", 0, longestVisibility, reasonVisibility)
	if err != nil {
		return nil, err
	}
	if !present || (n == 0 && !s.profile.MatchesAmazon(divergences.ZeroVisibilityOnReceive)) {
		n = visibilityOf(q)
	}
	r.visibility = n
	if r.system, err = selectionOf(req.Params, "AttributeNames", "MessageSystemAttributeNames"); err != nil {
		return nil, err
	}
	if r.user, err = selectionOf(req.Params, "MessageAttributeNames"); err != nil {
		return nil, err
	}
	if q.FIFO() {
		if r.attemptID, _, err = idParam(req.Params, "ReceiveRequestAttemptId"); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// visibilityOf is a queue's visibility timeout in seconds.
func visibilityOf(q *registry.Queue) int {
	return min(max(q.Seconds(registry.VisibilityTimeout), 0), longestVisibility)
}

// collect claims until the answer is full or there is nothing to claim. An error
// means that the client gets nothing; what is claimed by then is the caller's
// to release.
func (r *receiving) collect(ctx context.Context) error {
	wait := r.wait
	for range 1 + refills {
		fresh, err := r.claimMore(ctx, r.max-r.handed(), wait)
		wait = 0
		r.claims = append(r.claims, fresh...)
		took := false
		if err == nil && len(fresh) > 0 {
			took, err = r.screen(ctx, fresh)
		}
		if err != nil && ctx.Err() == nil && r.handed() > 0 {
			r.lines.Warn("a receive answers what it had before the broker failed", "error", err)
			return nil
		}
		if err != nil || !took || r.handed() >= r.max {
			return err
		}
	}
	return nil
}

func (r *receiving) handed() int {
	n := 0
	for _, c := range r.claims {
		n += len(c.handed)
	}
	return n
}

func (r *receiving) claimMore(ctx context.Context, want int, wait time.Duration) ([]*claim, error) {
	if r.q.FIFO() {
		c, err := r.pop(ctx, want, wait)
		if c == nil {
			return nil, err
		}
		return []*claim{c}, nil
	}
	return r.claimSingles(ctx, want, wait)
}

// claimSingles claims up to want messages, each under a lease of its own. The
// first claim says whether there is anything at all: only then do the others
// run, beside one another, and none starts once another found nothing left. A
// failed claim counts only when no other succeeded; after one that says that the
// others would fail too, none is tried.
func (r *receiving) claimSingles(ctx context.Context, want int, wait time.Duration) ([]*claim, error) {
	first, err := r.pop(ctx, 1, wait)
	if want == 1 || (first == nil && (err == nil || wait > 0 || hopeless(err))) {
		return nonNil(first), err
	}

	var (
		found   = make([]*claim, want)
		errs    = make([]error, want)
		drained atomic.Bool
		running sync.WaitGroup
	)
	found[0], errs[0] = first, err
	claimOne := func(i int) {
		if drained.Load() {
			return
		}
		found[i], errs[i] = r.pop(ctx, 1, 0)
		if found[i] == nil && errs[i] == nil {
			drained.Store(true)
		}
	}
	for i := 1; i < want-1; i++ {
		running.Go(func() { claimOne(i) })
	}
	claimOne(want - 1)
	running.Wait()

	claims := nonNil(found...)
	if err := errors.Join(errs...); err != nil {
		if len(claims) == 0 {
			return nil, err
		}
		r.lines.Warn("a claim of a receive failed beside others", "error", err)
	}
	return claims, nil
}

// hopeless says that a broker which failed like this would do so again at once:
// it does not answer, or wants fewer calls.
func hopeless(err error) bool {
	var status *queen.StatusError
	if errors.As(err, &status) {
		return status.Code == http.StatusTooManyRequests || status.Code == http.StatusServiceUnavailable
	}
	var transport *queen.TransportError
	return errors.As(err, &transport)
}

func nonNil(claims ...*claim) []*claim {
	kept := claims[:0]
	for _, c := range claims {
		if c != nil {
			kept = append(kept, c)
		}
	}
	return kept
}

// pop makes one claim; nil when there is nothing.
func (r *receiving) pop(ctx context.Context, batch int, wait time.Duration) (*claim, error) {
	lease := r.visibility
	if lease == 0 {
		lease = momentaryLease
	}
	if wait > 0 {
		// Only the wait may be cut short: a claim under way that is given up may
		// have been made, and its messages would be hidden until the lease ends.
		defer wire.Park(ctx)()
	}
	res, err := r.broker.Pop(ctx, r.tok, queen.PopRequest{
		Queue: r.q.Name, Batch: batch, Partitions: 1, Wait: wait, LeaseSeconds: lease,
	})
	if err != nil || len(res.Messages) == 0 {
		return nil, err
	}
	return newClaim(res), nil
}

func newClaim(res queen.PopResult) *claim {
	c := &claim{partitionID: res.Messages[0].PartitionID, lease: res.LeaseID, open: make([]*delivery, len(res.Messages))}
	for i, m := range res.Messages {
		c.open[i] = &delivery{Message: m, content: envelope.Decode(m.Payload)}
		c.open[i].Payload = nil // decoded; a body can be large
	}
	c.handed = c.open
	return c
}

// screen completes fresh claims: counts deliveries, keeps back what was deleted
// before and moves what was received too often to the dead-letter queue. It
// reports whether it took messages away that a refill could replace. After an
// error the fresh claims hand out nothing.
func (r *receiving) screen(ctx context.Context, fresh []*claim) (took bool, err error) {
	if r.q.FIFO() {
		took, err = r.enroll(ctx, fresh[0])
	} else {
		err = r.countSingles(ctx, fresh)
	}
	if err != nil {
		r.release(ctx, fresh)
		for _, c := range fresh {
			c.open, c.handed = nil, nil
		}
		return false, err
	}
	return r.sift(ctx, fresh) || took, nil
}

// release gives claims back, so that their messages are receivable at once. It
// works for a client that is gone too. A failure is only logged: the messages
// come back when their leases end.
func (r *receiving) release(ctx context.Context, claims []*claim) {
	var acks []queen.Ack
	for _, c := range claims {
		if len(c.open) > 0 {
			acks = append(acks, queen.Ack{TransactionID: c.open[0].TransactionID, PartitionID: c.partitionID, LeaseID: c.lease, Status: queen.Retry})
		}
	}
	if len(acks) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	if _, err := r.broker.Ack(ctx, r.tok, queen.DefaultGroup, acks); err != nil {
		r.lines.Warn("claims could not be given back; their messages return when the leases end", "error", err)
	}
}

func receiveAnswer(messages []wire.Value) *wire.Object {
	answer := wire.NewObject()
	if len(messages) > 0 {
		answer.Set("Messages", wire.List(messages...))
	}
	return answer
}
