package registry

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

const (
	queuePrefix = "qs:q:"

	// TombstoneLife is how long a deleted queue's name stays taken.
	TombstoneLife = 60 * time.Second
	// PurgeWindow is how long a queue cannot be purged again.
	PurgeWindow = 60 * time.Second
)

func queueKey(name string) string     { return Key("qs", "q", name) }
func tombstoneKey(name string) string { return Key("qs", "qdel", name) }
func purgeKey(name string) string     { return Key("qs", "purge", name) }

// stamp is the value of a tombstone and of a purge window.
type stamp struct {
	At int64 `json:"ts"`
}

// Queue reads a queue's record, at most the cache's TTL old. A missing queue is
// ErrNotFound, and never a remembered one: a queue that another instance has
// just made is found.
func (r *Registry) Queue(ctx context.Context, tok queen.Token, name string) (*Queue, error) {
	key := cacheKey{r.credential(tok), name}
	q, ok, since := r.queues.get(key)
	if ok {
		return q, nil
	}
	q, err := r.readQueue(ctx, tok, name)
	if err != nil {
		return nil, err
	}
	r.queues.put(key, q, since)
	return q, nil
}

// QueueFresh reads a queue's record past the cache. A missing queue is
// ErrNotFound.
func (r *Registry) QueueFresh(ctx context.Context, tok queen.Token, name string) (*Queue, error) {
	since := r.queues.mark()
	q, err := r.readQueue(ctx, tok, name)
	if errors.Is(err, ErrNotFound) {
		r.queues.drop(name)
	}
	if err != nil {
		return nil, err
	}
	r.queues.put(cacheKey{r.credential(tok), name}, q, since)
	return q, nil
}

func (r *Registry) readQueue(ctx context.Context, tok queen.Token, name string) (*Queue, error) {
	row, err := r.Get(ctx, tok, queueKey(name))
	if err != nil {
		return nil, err
	}
	return r.decodeQueue(name, row), nil
}

// QueuesFresh reads the records of many queues past the cache. Missing ones are
// left out.
func (r *Registry) QueuesFresh(ctx context.Context, tok queen.Token, names []string) (map[string]*Queue, error) {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = queueKey(name)
	}
	rows, err := r.GetMany(ctx, tok, keys)
	if err != nil {
		return nil, err
	}
	queues := make(map[string]*Queue, len(rows))
	for _, name := range names {
		if row, ok := rows[queueKey(name)]; ok {
			queues[name] = r.decodeQueue(name, row)
		}
	}
	return queues, nil
}

// QueueNames answers up to limit names that begin with prefix, in byte order,
// after the name after (exclusive; empty for the beginning), and whether there
// are more.
func (r *Registry) QueueNames(ctx context.Context, tok queen.Token, prefix, after string, limit int) (names []string, more bool, err error) {
	rows, more, err := r.Page(ctx, tok, queuePrefix+Key(prefix), afterQueue(after), limit, true)
	if err != nil {
		return nil, false, err
	}
	names = make([]string, len(rows))
	for i, row := range rows {
		names[i] = strings.TrimPrefix(row.Key, queuePrefix)
	}
	return names, more, nil
}

// Queues answers up to limit records in byte order of their names, after the
// name after (exclusive), and whether there are more.
func (r *Registry) Queues(ctx context.Context, tok queen.Token, after string, limit int) (queues []*Queue, more bool, err error) {
	rows, more, err := r.Page(ctx, tok, queuePrefix, afterQueue(after), limit, false)
	if err != nil {
		return nil, false, err
	}
	queues = make([]*Queue, len(rows))
	for i, row := range rows {
		queues[i] = r.decodeQueue(strings.TrimPrefix(row.Key, queuePrefix), row)
	}
	return queues, more, nil
}

func afterQueue(name string) string {
	if name == "" {
		return ""
	}
	return queueKey(name)
}

// CreateQueue stores a record unless the queue has one already. It answers the
// record in force, and whether that is q. Created, Modified and ARN are set
// here.
func (r *Registry) CreateQueue(ctx context.Context, tok queen.Token, q *Queue) (inForce *Queue, created bool, err error) {
	q = q.Clone()
	q.Created = r.clock.Now().Truncate(time.Millisecond)
	q.Modified = q.Created
	q.ARN = r.QueueARN(q.Name)
	return r.storeQueue(ctx, tok, q, 0)
}

// StoreQueue writes a record if the store still has the version it was read at.
// It answers the record in force and whether that is q. A record that is gone
// is ErrNotFound: a deleted queue is never written back.
func (r *Registry) StoreQueue(ctx context.Context, tok queen.Token, q *Queue) (inForce *Queue, stored bool, err error) {
	return r.storeQueue(ctx, tok, q.Clone(), q.Version)
}

func (r *Registry) storeQueue(ctx context.Context, tok queen.Token, q *Queue, version int64) (*Queue, bool, error) {
	row, won, err := r.PutIf(ctx, tok, queueKey(q.Name), q.stored(), Forever, version)
	if err != nil {
		return nil, false, err
	}
	r.queues.drop(q.Name)
	if !won && row.Version == 0 {
		return nil, false, ErrNotFound
	}
	if !won {
		return r.decodeQueue(q.Name, row), false, nil
	}
	q.Version = row.Version
	return q, true, nil
}

// ChangeQueue reads a record, applies modify to a copy of it and stores that.
// When another writer was faster, modify is applied to the winner once more; a
// second loss is ErrConflict. Modify may be called twice and its error ends the
// change. A missing queue is ErrNotFound. Modified is modify's to set.
func (r *Registry) ChangeQueue(ctx context.Context, tok queen.Token, name string, modify func(*Queue) error) (*Queue, error) {
	q, err := r.QueueFresh(ctx, tok, name)
	if err != nil {
		return nil, err
	}
	for range 2 {
		changed := q.Clone()
		if err := modify(changed); err != nil {
			return nil, err
		}
		inForce, stored, err := r.StoreQueue(ctx, tok, changed)
		if err != nil {
			return nil, err
		}
		if stored {
			return inForce, nil
		}
		q = inForce
	}
	return nil, ErrConflict
}

// DeleteQueue removes a queue's record and its purge window and leaves a
// tombstone, in one step.
func (r *Registry) DeleteQueue(ctx context.Context, tok queen.Token, name string) error {
	tombstone, err := PutOp(tombstoneKey(name), stamp{r.clock.Now().UnixMilli()}, TombstoneLife, nil)
	if err != nil {
		return err
	}
	_, err = r.broker.KV(ctx, tok, []queen.KVOp{
		{Op: queen.KVDelete, NS: Namespace, Key: queueKey(name)},
		{Op: queen.KVDelete, NS: Namespace, Key: purgeKey(name)},
		tombstone,
	})
	r.queues.drop(name)
	return err
}

// ClaimPurge takes the queue's purge window. It answers false when the window
// of an earlier purge is still open.
func (r *Registry) ClaimPurge(ctx context.Context, tok queen.Token, name string) (bool, error) {
	_, won, err := r.PutIf(ctx, tok, purgeKey(name), stamp{r.clock.Now().UnixMilli()}, PurgeWindow, 0)
	return won, err
}

// QueueOrTombstone reads, past the cache and at one moment, what there is of a
// name: its record, or nil and whether it was deleted recently.
func (r *Registry) QueueOrTombstone(ctx context.Context, tok queen.Token, name string) (q *Queue, deletedRecently bool, err error) {
	results, err := r.broker.KV(ctx, tok, []queen.KVOp{
		{Op: queen.KVGet, NS: Namespace, Key: queueKey(name)},
		{Op: queen.KVGet, NS: Namespace, Key: tombstoneKey(name)},
	})
	if err != nil {
		return nil, false, err
	}
	if len(results) != 2 {
		return nil, false, &queen.BodyError{Reason: "the answer does not cover the operations"}
	}
	record, tombstone := results[0], results[1]
	if !record.Found {
		return nil, tombstone.Found, nil
	}
	return r.decodeQueue(name, Row{Value: record.Value, Version: record.Version}), false, nil
}
