package sqs

import (
	"context"

	"github.com/queen-mq/queen-sqs/server/wire"
)

const (
	sourcePage = 200
	// mostSourcePages bounds the scan of one call.
	mostSourcePages = 64
)

// listDeadLetterSourceQueues answers the queues whose RedrivePolicy names the
// queue. There is no index of them: the records are scanned, and a scan that
// reaches its bound is continued with the NextToken, even when it found nothing
// so far.
func (s *Service) listDeadLetterSourceQueues(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	target, err := s.queue(ctx, req)
	if err != nil {
		return nil, err
	}
	limit, after, err := listingParams(req.Params)
	if err != nil {
		return nil, err
	}

	var sources []string
	more := true
	for page := 0; more && page < mostSourcePages && len(sources) < limit; page++ {
		queues, further, err := s.registry.Queues(ctx, s.tokens.Of(req), after, sourcePage)
		if err != nil {
			return nil, brokerFault(err)
		}
		more = further
		for i, q := range queues {
			after = q.Name
			policy, ok := q.Redrive()
			if !ok {
				continue
			}
			if name, ok := s.nameFromARN(policy.DeadLetterTargetARN); !ok || name != target.Name {
				continue
			}
			if sources = append(sources, q.Name); len(sources) == limit {
				more = further || i < len(queues)-1
				break
			}
		}
	}

	answer := wire.NewObject().Set("queueUrls", s.urlList(req, sources))
	if more {
		answer.Set("NextToken", wire.String(pageToken(after)))
	}
	return answer, nil
}
