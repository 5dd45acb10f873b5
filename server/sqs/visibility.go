package sqs

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/receipt"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// visibilityChange is one wanted change. Seconds of 0 is a release.
type visibilityChange struct {
	opened
	seconds int
}

func (s *Service) changeMessageVisibility(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	queue, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	c, given, err := s.readChange(req.Params, queue)
	if err != nil {
		return nil, s.unlessNoQueue(ctx, req, queue, err)
	}
	if !given {
		return nil, missing("VisibilityTimeout")
	}
	return nil, s.change(ctx, s.tokens.Of(req), queue, []visibilityChange{c})[0]
}

func (s *Service) changeMessageVisibilityBatch(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	queue, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	entries, err := batchEntries(req.Params)
	if err != nil {
		return nil, err
	}
	var (
		changes []visibilityChange
		places  []int
		errs    = make([]error, len(entries))
	)
	for i, e := range entries {
		c, given, err := s.readChange(e.params, queue)
		if err == nil && !given {
			c.seconds, err = s.defaultVisibility(ctx, req, queue)
		}
		if errs[i] = err; err == nil {
			changes = append(changes, c)
			places = append(places, i)
		}
	}
	if len(changes) == 0 {
		if err := s.unlessNoQueue(ctx, req, queue, errs[0]); fault.Is(err, fault.QueueDoesNotExist) {
			return nil, err
		}
		return batchAnswer(entries, nil, errs), nil
	}
	for i, err := range s.change(ctx, s.tokens.Of(req), queue, changes) {
		errs[places[i]] = err
	}
	return batchAnswer(entries, nil, errs), nil
}

// readChange reads one change; given says whether it names a timeout.
func (s *Service) readChange(p *wire.Object, queue string) (c visibilityChange, given bool, err error) {
	if c.opened, err = s.openHandle(p, queue); err != nil {
		return c, false, err
	}
	c.seconds, given, err = ranged(p, "VisibilityTimeout", 0, longestVisibility, reasonVisibility)
	return c, given, err
}

func (s *Service) defaultVisibility(ctx context.Context, req *wire.Request, queue string) (int, error) {
	q, err := s.registry.Queue(ctx, s.tokens.Of(req), queue)
	if err != nil {
		return 0, brokerFault(err)
	}
	return visibilityOf(q), nil
}

// change makes at least one change. The verdicts are in the order of changes.
func (s *Service) change(ctx context.Context, tok queen.Token, queue string, changes []visibilityChange) []error {
	errs := make([]error, len(changes))
	if !registry.IsFIFO(queue) {
		var running sync.WaitGroup
		for i := 1; i < len(changes); i++ {
			running.Go(func() { errs[i] = s.changeSingle(ctx, tok, changes[i]) })
		}
		errs[0] = s.changeSingle(ctx, tok, changes[0])
		running.Wait()
		return errs
	}
	handles := make([]receipt.Handle, len(changes))
	for i, c := range changes {
		handles[i] = c.Handle
	}
	eachClaim(handles, func(id claimID, members []int) {
		s.changeClaim(ctx, tok, id, changes, members, errs)
	})
	return errs
}

// changeSingle changes a message of a standard queue, which is the whole of its
// claim. A longer lease is never shortened (QS-06, VisibilityNeverShortened).
func (s *Service) changeSingle(ctx context.Context, tok queen.Token, c visibilityChange) error {
	if c.seconds > 0 {
		return s.extend(ctx, tok, c.LeaseID, c.seconds)
	}
	return s.giveBack(ctx, tok, claimID{c.PartitionID, c.LeaseID}, c.TransactionID)
}

func (s *Service) extend(ctx context.Context, tok queen.Token, lease string, seconds int) error {
	l, err := s.broker.ExtendLease(ctx, tok, lease, seconds)
	if err != nil {
		return brokerFault(err)
	}
	if l.Renewed == 0 {
		return fault.MessageNotInflight.Default()
	}
	return nil
}

// giveBack releases a claim by its head.
func (s *Service) giveBack(ctx context.Context, tok queen.Token, id claimID, head string) error {
	results, err := s.ack(ctx, tok, []queen.Ack{{
		TransactionID: head, PartitionID: id.partitionID, LeaseID: id.lease, Status: queen.Retry,
	}})
	switch {
	case err != nil:
		return err
	case results[0].Success:
		return nil
	case results[0].Retryable():
		return fault.ServiceUnavailable.Default().Because(&queen.BodyError{Reason: "release not written", Detail: results[0].Error})
	default:
		return fault.MessageNotInflight.Default()
	}
}

// changeClaim makes the changes of one FIFO claim: the longest extension, which
// covers all of its messages (QS-05, ExtendingOneExtendsFIFOBatch), and then
// the release, which returns all of them (QS-04, ZeroVisibilityReturnsFIFOBatch).
func (s *Service) changeClaim(ctx context.Context, tok queen.Token, id claimID, changes []visibilityChange, members []int, errs []error) {
	key := deleteSetKey(id.partitionID, id.lease)
	set, version, err := s.deleteSet(ctx, tok, key)
	if err != nil {
		for _, at := range members {
			errs[at] = brokerFault(err)
		}
		return
	}
	var longer, back []int
	longest := 0
	for _, at := range members {
		c := changes[at]
		switch {
		case set.deleted(c.MessageID):
			errs[at] = fault.InvalidParameterValue.Withf(
				"Value %s for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.", clip(c.text))
		case c.seconds > 0:
			longer = append(longer, at)
			longest = max(longest, c.seconds)
		default:
			back = append(back, at)
		}
	}
	if len(longer) > 0 {
		err := s.extend(ctx, tok, id.lease, longest)
		if err == nil {
			s.prolong(ctx, tok, key, set, version, longest)
		}
		for _, at := range longer {
			errs[at] = err
		}
	}
	if len(back) > 0 {
		// From here on a handle of this claim may have to be asked about: the rest
		// of the claim, given back with this message, is somebody else's soon.
		s.amend(ctx, tok, key, set, version, func(d *deleteSet) { d.Until = min(d.Until, 1) })
		err := s.releaseClaim(ctx, tok, id, set)
		for _, at := range back {
			errs[at] = err
		}
	}
}

// prolong lets a delete-set live as long as its extended claim.
func (s *Service) prolong(ctx context.Context, tok queen.Token, key string, set deleteSet, version int64, seconds int) {
	until := s.clock.Now().Add(time.Duration(seconds) * time.Second).UnixMilli()
	s.amend(ctx, tok, key, set, version, func(d *deleteSet) {
		d.Life = max(d.Life, int64(seconds)+deleteSetSlack)
		d.Until = max(d.Until, until)
	})
}

// amend changes a delete-set, as far as it can be changed; it was read at that
// version.
func (s *Service) amend(ctx context.Context, tok queen.Token, key string, set deleteSet, version int64, edit func(*deleteSet)) {
	if version == 0 {
		return
	}
	for range changeAttempts {
		edit(&set)
		_, won, err := s.registry.PutIf(ctx, tok, key, set, set.life(), version)
		if won {
			return
		}
		if err == nil {
			set, version, err = s.deleteSet(ctx, tok, key)
		}
		if err != nil || version == 0 {
			break
		}
	}
	s.lines.Debug("the record of a claim was not amended")
}

// releaseClaim returns what is left of a FIFO claim. It names the first member
// that is not deleted, and never another one.
func (s *Service) releaseClaim(ctx context.Context, tok queen.Token, id claimID, set deleteSet) error {
	if head, ok := set.head(); ok {
		return s.giveBack(ctx, tok, id, head)
	}
	// Without a record there is no name to release by. Whether the claim is live
	// is found out by an extension too short to matter.
	if err := s.extend(ctx, tok, id.lease, 1); err != nil {
		return err
	}
	return fault.ServiceUnavailable.With("The message cannot be released now. It becomes visible when its visibility timeout ends.").
		Because(errors.New("live claim without a delete-set"))
}
