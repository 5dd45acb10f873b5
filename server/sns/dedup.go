package sns

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/maphash"
	"strconv"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
)

// dedupWindow is how long a deduplication id stays taken, counted from the first
// publish.
const dedupWindow = 5 * time.Minute

// published is the row that a message of a FIFO topic leaves behind: it is
// written in the transaction that delivers the message, so that of two publishes
// with one deduplication id one delivers and both have its answer, on whichever
// instances they are.
type published struct {
	ID string `json:"id"`
	// After is there while the message has not reached all subscribers yet: the
	// last subscription it has reached. Whoever publishes the message again goes on
	// from there.
	After string `json:"after,omitempty"`
}

// dedupKey is the row's key. The scope of an id is the whole topic (recorded),
// or the message group where FifoThroughputScope says so. A topic that is made
// again remembers nothing.
func (m *message) dedupKey() string {
	h := sha256.New()
	h.Write([]byte(strconv.FormatInt(m.topic.Created.UnixMilli(), 10)))
	if m.topic.Attributes[fifoThroughputScope] == "MessageGroup" {
		h.Write([]byte("\x00" + m.group))
	}
	h.Write([]byte("\x00\x00" + m.dedup))
	return registry.Key("qs", "td", m.topic.Name, hex.EncodeToString(h.Sum(nil)))
}

// publishAttempts is how often deliverOnce looks at what others did.
const publishAttempts = 64

// deliverOnce delivers a message of a FIFO topic unless it was published within
// the window, and leaves in m the id of the message that was. Deliveries are in
// the order of their subscriptions.
func (s *Service) deliverOnce(ctx context.Context, tok queen.Token, m *message, deliveries []delivery) error {
	key := m.dedupKey()
	var (
		record  published
		version int64
		most    = mostPushes
	)
	for range publishAttempts + len(deliveries) {
		left := beyond(deliveries, record.After)
		chunk := left[:bundle(left, m, most)]
		next := published{ID: m.id}
		if len(chunk) < len(left) {
			next.After = chunk[len(chunk)-1].subscription
		}
		won, err := s.commitOnce(ctx, tok, m, chunk, key, next, version)
		var (
			lost      *queen.PreconditionError
			duplicate *queen.DuplicateError
		)
		switch {
		case err == nil && next.After == "":
			return nil
		case err == nil:
			record, version, most = next, won, mostPushes
		case errors.As(err, &lost):
			if record, version, err = s.winner(ctx, tok, key, lost); err != nil {
				return err
			}
			if version != 0 {
				m.rename(record.ID)
			}
			if version != 0 && record.After == "" {
				s.lines.Info("a message was published again within the deduplication window; it is delivered once", "topic", m.topic.Name)
				return nil
			}
		case errors.As(err, &duplicate) && len(chunk) > 1:
			// Somebody sent that id to one of these queues directly, or another topic
			// did. The others must get the message nevertheless.
			most = len(chunk) / 2
		case errors.As(err, &duplicate):
			deliveries = without(deliveries, chunk[0].subscription)
			most = mostPushes
		default:
			return err
		}
	}
	return registry.ErrConflict
}

// commitOnce delivers a bundle and writes the row in one transaction, and
// answers the row's new version. Without anything to deliver it needs none.
func (s *Service) commitOnce(ctx context.Context, tok queen.Token, m *message, chunk []delivery, key string, next published, version int64) (int64, error) {
	op, err := registry.PutOp(key, next, dedupWindow, &version)
	if err != nil {
		return 0, err
	}
	op.Required = true
	var results []queen.KVResult
	if len(chunk) == 0 {
		results, err = s.broker.KV(ctx, tok, []queen.KVOp{op})
	} else {
		var tx queen.TransactionResult
		tx, err = s.broker.Transaction(ctx, tok, queen.Transaction{Pushes: pushes(chunk, m), KV: []queen.KVOp{op}})
		results = tx.KV
	}
	if err == nil && len(results) != 1 {
		err = &queen.BodyError{Reason: "the answer does not cover the operations"}
	}
	if err != nil {
		return 0, err
	}
	return results[0].Version, nil
}

// winner is the row that a lost precondition met, with version 0 when it is gone
// by now. A broker may leave it out of its refusal.
func (s *Service) winner(ctx context.Context, tok queen.Token, key string, lost *queen.PreconditionError) (published, int64, error) {
	row := registry.Row{Value: lost.Value, Version: lost.Version}
	if row.Version == 0 {
		var err error
		row, err = s.registry.Get(ctx, tok, key)
		if errors.Is(err, registry.ErrNotFound) {
			return published{}, 0, nil
		}
		if err != nil {
			return published{}, 0, err
		}
	}
	var record published
	if json.Unmarshal(row.Value, &record) != nil || record.ID == "" {
		return published{}, 0, &queen.BodyError{Reason: "the row of a published message cannot be read"}
	}
	return record, row.Version, nil
}

// beyond are the deliveries to subscriptions after the one named.
func beyond(deliveries []delivery, after string) []delivery {
	for len(deliveries) > 0 && deliveries[0].subscription <= after {
		deliveries = deliveries[1:]
	}
	return deliveries
}

func without(deliveries []delivery, subscription string) []delivery {
	kept := make([]delivery, 0, len(deliveries))
	for _, d := range deliveries {
		if d.subscription != subscription {
			kept = append(kept, d)
		}
	}
	return kept
}

// groupLocks keep the publishes of one message group in one order on this
// instance. A publish that fits one transaction needs no lock: its place is the
// same for every subscriber.
type groupLocks struct {
	seed  maphash.Seed
	slots []chan struct{}
}

func newGroupLocks() groupLocks {
	l := groupLocks{seed: maphash.MakeSeed(), slots: make([]chan struct{}, 64)}
	for i := range l.slots {
		l.slots[i] = make(chan struct{}, 1)
	}
	return l
}

// lock waits for its turn in the group of a topic and answers what ends it.
func (l *groupLocks) lock(ctx context.Context, topic, group string) (unlock func(), err error) {
	slot := l.slots[maphash.String(l.seed, topic+"\x00"+group)%uint64(len(l.slots))]
	select {
	case slot <- struct{}{}:
		return func() { <-slot }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
