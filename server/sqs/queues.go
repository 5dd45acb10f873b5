package sqs

import (
	"cmp"
	"context"
	"encoding/base64"
	"strconv"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

const (
	badStandardName = "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"
	badFIFOName     = "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length"
)

// createQueue makes a queue, or answers the one that is there when the supplied
// attributes are those it has now. The record comes first and decides; the
// broker is configured from it afterwards, also on a repeat, which repairs a
// queue whose broker half was lost.
func (s *Service) createQueue(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := requiredText(req.Params, "QueueName")
	if err != nil {
		return nil, err
	}
	supplied, err := textMapParam(req.Params, "Attributes")
	if err != nil {
		return nil, err
	}
	tags, err := creationTags(req.Params)
	if err != nil {
		return nil, err
	}

	tok := s.tokens.Of(req)
	if err := s.checkRedrive(ctx, tok, name, supplied); err != nil {
		return nil, err
	}
	declaredFIFO, err := checkQueueName(name, supplied)
	if err != nil {
		return nil, err
	}
	checked, err := checkAttributes(supplied, registry.IsFIFO(name), true)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(checkTags(tags), checkTagCount(len(tags))); err != nil {
		return nil, err
	}

	q, deletedRecently, err := s.registry.QueueOrTombstone(ctx, tok, name)
	switch {
	case err != nil:
		return nil, brokerFault(err)
	case q != nil:
	case registry.IsFIFO(name) && !declaredFIFO:
		// An existing one may be named so (QS-21, FIFOQueueAgainWithoutFifoQueue).
		return nil, fault.InvalidParameterValue.With(badStandardName)
	case deletedRecently:
		return nil, fault.QueueDeletedRecently.Default()
	default:
		if q, err = s.newQueue(ctx, tok, name, checked, tags); err != nil {
			return nil, brokerFault(err)
		}
	}

	if differs := s.firstDifference(q, checked); differs != "" {
		return nil, fault.QueueNameExists.Withf("A queue already exists with the same name and a different value for attribute %s", differs)
	}
	if err := s.configureInForce(ctx, tok, q); err != nil {
		return nil, brokerFault(err)
	}
	return wire.NewObject().Set("QueueUrl", wire.String(s.queueURL(req, name))), nil
}

// newQueue stores a record unless another CreateQueue is faster, and answers the
// one in force.
func (s *Service) newQueue(ctx context.Context, tok queen.Token, name string, checked, tags map[string]string) (*registry.Queue, error) {
	foreign, err := s.registry.BrokerHasQueue(ctx, tok, name)
	if err != nil {
		return nil, err
	}
	if foreign { // QS-20: a configure would rewrite the options of somebody's live queue
		return nil, fault.QueueNameExists.With("A queue with this name already exists in the broker, and it was not made through this service.")
	}
	q := &registry.Queue{Name: name, Attributes: map[string]string{}, Tags: tags}
	if err := merge(q, checked); err != nil {
		return nil, err
	}
	if _, ok := q.Attributes[registry.Partitions]; !ok && !q.FIFO() {
		q.Attributes[registry.Partitions] = strconv.Itoa(s.defaultPartitions)
	}
	inForce, _, err := s.registry.CreateQueue(ctx, tok, q)
	return inForce, err
}

// checkQueueName refuses a name that no queue can have, and a FifoQueue
// attribute that contradicts it. It answers whether FifoQueue says true.
func checkQueueName(name string, supplied map[string]string) (declaredFIFO bool, err error) {
	declaredFIFO, _ = wire.ParseBool(supplied[registry.FifoQueue])
	switch {
	case declaredFIFO && !(registry.IsFIFO(name) && validQueueName(name)):
		return false, fault.InvalidParameterValue.With(badFIFOName)
	case !validQueueName(name):
		return false, fault.InvalidParameterValue.With(badStandardName)
	}
	return declaredFIFO, nil
}

// deleteQueue removes the broker's queue, then the record, leaving a tombstone.
// A crash in between leaves a record without its broker half, which the next
// CreateQueue repairs and the next DeleteQueue removes.
func (s *Service) deleteQueue(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	tok := s.tokens.Of(req)
	if _, err := s.registry.QueueFresh(ctx, tok, name); err != nil {
		return nil, brokerFault(err)
	}
	// A delayed message would make the broker's queue again when it falls due, and
	// a queue without a record can never be created (QS-20, BrokerQueueNotAdopted).
	if err := s.cancelTimers(ctx, tok, name); err != nil {
		return nil, brokerFault(err)
	}
	if _, err := s.broker.DeleteQueue(ctx, tok, name); err != nil {
		return nil, brokerFault(err)
	}
	if err := s.forgetAttempts(ctx, tok, name); err != nil {
		return nil, brokerFault(err)
	}
	if err := s.registry.DeleteQueue(ctx, tok, name); err != nil {
		return nil, brokerFault(err)
	}
	// So would a send or a receive that had read the record just before: until
	// here they could, from here on the tombstone keeps the name free.
	if _, err := s.broker.DeleteQueue(ctx, tok, name); err != nil {
		s.lines.Warn("a deleted queue may have left an empty one in the broker", "queue", name, "error", err)
	}
	s.registry.ForgetBrokerQueues()
	return nil, nil
}

// getQueueURL answers the URL of a queue by its name. The owner's account is not
// looked at: there is one account.
func (s *Service) getQueueURL(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := requiredText(req.Params, "QueueName")
	if err != nil {
		return nil, err
	}
	if !validQueueName(name) {
		return nil, fault.QueueDoesNotExist.Default()
	}
	if _, err := s.registry.Queue(ctx, s.tokens.Of(req), name); err != nil {
		return nil, brokerFault(err)
	}
	return wire.NewObject().Set("QueueUrl", wire.String(s.queueURL(req, name))), nil
}

// mostListed is the largest page of a listing of queues, and the default.
const mostListed = 1000

// listQueues answers URLs in the order of the names.
func (s *Service) listQueues(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	prefix, _, err := textParam(req.Params, "QueueNamePrefix")
	if err != nil {
		return nil, err
	}
	limit, after, err := listingParams(req.Params)
	if err != nil {
		return nil, err
	}
	names, more, err := s.registry.QueueNames(ctx, s.tokens.Of(req), prefix, after, limit)
	if err != nil {
		return nil, brokerFault(err)
	}
	answer := wire.NewObject()
	if len(names) > 0 {
		answer.Set("QueueUrls", s.urlList(req, names))
	}
	if more {
		answer.Set("NextToken", wire.String(pageToken(names[len(names)-1])))
	}
	return answer, nil
}

func (s *Service) urlList(req *wire.Request, names []string) wire.Value {
	urls := make([]wire.Value, len(names))
	for i, name := range names {
		urls[i] = wire.String(s.queueURL(req, name))
	}
	return wire.List(urls...)
}

// listingParams reads MaxResults and NextToken of a listing of queues. After is
// the queue that the last page ended with.
func listingParams(p *wire.Object) (limit int, after string, err error) {
	n, present, err := p.Int("MaxResults")
	switch {
	case err != nil:
		return 0, "", wrongType(err)
	case !present:
		n = mostListed
	case n < 1 || n > mostListed:
		return 0, "", fault.InvalidParameterValue.Withf("Value for parameter MaxResults is invalid. Reason: must be 1 to %d.", mostListed)
	}
	token, _, err := textParam(p, "NextToken")
	if err != nil || token == "" {
		return int(n), "", err
	}
	name, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || !validQueueName(string(name)) {
		return 0, "", fault.InvalidParameterValue.With("Invalid or expired NextToken")
	}
	return int(n), string(name), nil
}

// pageToken is the NextToken of a page that ended with that queue.
func pageToken(name string) string { return base64.RawURLEncoding.EncodeToString([]byte(name)) }
