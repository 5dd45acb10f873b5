package sqs

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
)

// Receive counts. A broker from 1.4 on counts deliveries. For one that does not,
// each delivery adds one to a counter of its message in the key/value store, all
// of a receive in one call; the answer is the exact count.

// countOps count one delivery of each message. They are empty when the broker
// counts.
func (r *receiving) countOps(messages []*delivery) []queen.KVOp {
	if r.counted {
		return nil
	}
	ops := make([]queen.KVOp, len(messages))
	for i, d := range messages {
		ops[i] = queen.KVOp{
			Op: queen.KVIncr, NS: registry.Namespace, Key: countKey(d.ID), Delta: "1",
			TTLSeconds: int64(max(1, r.q.Seconds(registry.MessageRetentionPeriod))),
		}
	}
	return ops
}

func countKey(messageID string) string { return registry.Key("qs", "rc", messageID) }

// setCounts gives messages their counts: the broker's, or those of the answers
// to countOps.
func (r *receiving) setCounts(messages []*delivery, counters []queen.KVResult) {
	for i, d := range messages {
		count := d.Attempt
		if !r.counted {
			count = 0
			if n, ok := registry.WholeNumber(json.RawMessage(counters[i].Value)); ok {
				count = n
			}
		}
		d.received = carriedCount(d.content) + max(count, 1)
	}
}

// countSingles counts the deliveries of a standard queue's claims.
func (r *receiving) countSingles(ctx context.Context, claims []*claim) error {
	messages := make([]*delivery, 0, len(claims))
	for _, c := range claims {
		messages = append(messages, c.open...)
	}
	ops := r.countOps(messages)
	var counters []queen.KVResult
	if len(ops) > 0 {
		var err error
		if counters, err = r.broker.KV(ctx, r.tok, ops); err != nil {
			return err
		}
		if len(counters) != len(ops) {
			return &queen.BodyError{Reason: "the answer does not cover the operations"}
		}
	}
	r.setCounts(messages, counters)
	return nil
}

// carriedCount is how often consumers got the message before it was copied here.
func carriedCount(m envelope.Message) int {
	text, _ := m.SystemValue(envelope.ReceiveCount)
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// Counters of settled messages. They would go by themselves when the retention
// period is over; dropping them early keeps the store small. It happens behind
// the answers, many in one call, and a lost one does not matter.
const (
	mostUncounted = 8192 // waiting to be dropped; beyond it they are left to expire
	uncountCall   = 256
)

type uncounter struct {
	mu      sync.Mutex
	waiting map[queen.Token][]string
	size    int
	running bool
}

// uncount drops the counters of messages that are gone.
func (s *Service) uncount(ctx context.Context, tok queen.Token, messageIDs ...string) {
	if c, err := s.broker.Capabilities(ctx); err != nil || c.Attempts {
		return
	}
	u := &s.uncounted
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.size+len(messageIDs) > mostUncounted {
		return
	}
	if u.waiting == nil {
		u.waiting = map[queen.Token][]string{}
	}
	u.waiting[tok] = append(u.waiting[tok], messageIDs...)
	u.size += len(messageIDs)
	if !u.running {
		u.running = s.background.start(s.dropCounters)
	}
}

// dropCounters works until nothing waits. While one call is under way the next
// one's worth gathers.
func (s *Service) dropCounters(ctx context.Context) {
	for {
		tok, ids := s.uncounted.take()
		if len(ids) == 0 {
			return
		}
		ops := make([]queen.KVOp, len(ids))
		for i, id := range ids {
			ops[i] = queen.KVOp{Op: queen.KVDelete, NS: registry.Namespace, Key: countKey(id)}
		}
		call, cancel := context.WithTimeout(ctx, cleanupTime)
		_, err := s.broker.KV(call, tok, ops)
		cancel()
		if err != nil {
			s.lines.Debug("receive counters are left to expire", "error", err)
		}
	}
}

func (u *uncounter) take() (queen.Token, []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for tok, ids := range u.waiting {
		n := min(len(ids), uncountCall)
		taken := unique(ids[:n])
		if n == len(ids) {
			delete(u.waiting, tok)
		} else {
			u.waiting[tok] = ids[n:]
		}
		u.size -= n
		return tok, taken
	}
	u.running = false
	return "", nil
}

// unique drops repeated ids: a key may be written once per call.
func unique(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	kept := make([]string, 0, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			kept = append(kept, id)
		}
	}
	return kept
}
