package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// Namespace is where all of the gateway's rows live in the key/value store.
const Namespace = "queen-sqs"

// MaxValueBytes is the largest JSON text the store takes as a value.
const MaxValueBytes = 65536

// Forever is the lifetime of a row that stays until it is deleted.
const Forever time.Duration = 0

// pageRows is how many rows or keys one read asks for at most.
const (
	pageRows = 1000
	manyKeys = 256
)

// Key joins the parts of a row's key with colons, escaping in each what would
// be ambiguous: bytes outside A-Z a-z 0-9 . _ - become %XX.
func Key(parts ...string) string {
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteByte(':')
		}
		escapeTo(&b, part)
	}
	return b.String()
}

func escapeTo(b *strings.Builder, s string) {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
}

// Row is one row of the store. Version is compared for equality only and is
// never 0 on a row that exists.
type Row struct {
	Key     string
	Value   json.RawMessage
	Version int64
}

// Rows are the gateway's rows in a broker's key/value store. Errors are the
// broker's, except where a method says otherwise. Lifetimes are whole seconds,
// rounded up; Forever keeps the row.
type Rows struct {
	Broker queen.Broker
}

// Get reads a row. An absent one is ErrNotFound.
func (s Rows) Get(ctx context.Context, tok queen.Token, key string) (Row, error) {
	res, err := s.one(ctx, tok, queen.KVOp{Op: queen.KVGet, NS: Namespace, Key: key})
	if err != nil {
		return Row{}, err
	}
	if !res.Found {
		return Row{}, ErrNotFound
	}
	return Row{Key: key, Value: res.Value, Version: res.Version}, nil
}

// GetMany reads rows by their keys, each at a moment of its own. Absent ones
// are left out.
func (s Rows) GetMany(ctx context.Context, tok queen.Token, keys []string) (map[string]Row, error) {
	rows := make(map[string]Row, len(keys))
	window := manyKeys
	for len(keys) > 0 {
		ask := keys[:min(window, len(keys))]
		res, err := s.one(ctx, tok, queen.KVOp{Op: queen.KVGetMany, NS: Namespace, Keys: ask})
		if err != nil {
			return nil, err
		}
		settled := make(map[string]bool, len(ask))
		for _, row := range res.Rows {
			rows[row.Key] = Row{Key: row.Key, Value: row.Value, Version: row.Version}
			settled[row.Key] = true
		}
		for _, key := range res.Missing {
			settled[key] = true
		}
		var cut []string // by the broker's read budget: it names these nowhere
		for _, key := range ask {
			if !settled[key] {
				cut = append(cut, key)
			}
		}
		if len(cut) == len(ask) {
			if window == 1 {
				return nil, &queen.BodyError{Reason: "getMany answers neither a row nor its absence"}
			}
			window = max(1, window/2)
		}
		keys = append(cut, keys[len(ask):]...)
	}
	return rows, nil
}

// Page reads up to limit rows whose keys begin with prefix, in byte order,
// after the key after (exclusive; empty for the beginning). More says that the
// store has further ones. Values are left out when keysOnly.
func (s Rows) Page(ctx context.Context, tok queen.Token, prefix, after string, limit int, keysOnly bool) (rows []Row, more bool, err error) {
	for len(rows) < limit {
		res, err := s.one(ctx, tok, queen.KVOp{
			Op: queen.KVGetPrefix, NS: Namespace, Prefix: prefix, After: after,
			Limit: min(limit-len(rows), pageRows), KeysOnly: keysOnly,
		})
		if err != nil {
			return nil, false, err
		}
		for _, row := range res.Rows {
			rows = append(rows, Row{Key: row.Key, Value: row.Value, Version: row.Version})
		}
		if !res.Truncated {
			return rows, false, nil
		}
		next := res.NextAfter
		if next == "" && len(res.Rows) > 0 {
			next = res.Rows[len(res.Rows)-1].Key
		}
		if next <= after {
			return nil, false, &queen.BodyError{Reason: "getPrefix does not move on"}
		}
		after = next
	}
	return rows, true, nil
}

// Put writes a row whatever is there.
func (s Rows) Put(ctx context.Context, tok queen.Token, key string, value any, lifetime time.Duration) error {
	op, err := PutOp(key, value, lifetime, nil)
	if err != nil {
		return err
	}
	_, err = s.one(ctx, tok, op)
	return err
}

// PutIf writes a row if its version is still the one given; 0 means that there
// must be none. Losing is not an error: won is false and row is the winner,
// with version 0 when there is none any more.
func (s Rows) PutIf(ctx context.Context, tok queen.Token, key string, value any, lifetime time.Duration, version int64) (row Row, won bool, err error) {
	op, err := PutOp(key, value, lifetime, &version)
	if err != nil {
		return Row{}, false, err
	}
	res, err := s.one(ctx, tok, op)
	if err != nil {
		return Row{}, false, err
	}
	if res.Applied {
		return Row{Key: key, Value: op.Value, Version: res.Version}, true, nil
	}
	return Row{Key: key, Value: res.Value, Version: res.Version}, false, nil
}

// Delete removes a row whatever is there.
func (s Rows) Delete(ctx context.Context, tok queen.Token, key string) error {
	_, err := s.one(ctx, tok, queen.KVOp{Op: queen.KVDelete, NS: Namespace, Key: key})
	return err
}

// DeleteIf removes a row if its version is still the one given.
func (s Rows) DeleteIf(ctx context.Context, tok queen.Token, key string, version int64) (won bool, err error) {
	res, err := s.one(ctx, tok, queen.KVOp{Op: queen.KVDelete, NS: Namespace, Key: key, Expect: &version})
	return res.Applied, err
}

// PutOp is the operation that writes a row, for calls of several operations. A
// nil expect writes whatever is there. A value over MaxValueBytes is
// ErrTooLarge.
func PutOp(key string, value any, lifetime time.Duration, expect *int64) (queen.KVOp, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return queen.KVOp{}, fmt.Errorf("registry: encode %s: %w", key, err)
	}
	if len(text) > MaxValueBytes {
		return queen.KVOp{}, ErrTooLarge
	}
	op := queen.KVOp{Op: queen.KVPut, NS: Namespace, Key: key, Value: text, Expect: expect}
	if lifetime == Forever {
		op.Forever = true
	} else {
		op.TTLSeconds = max(1, int64((lifetime+time.Second-1)/time.Second))
	}
	return op, nil
}

func (s Rows) one(ctx context.Context, tok queen.Token, op queen.KVOp) (queen.KVResult, error) {
	results, err := s.Broker.KV(ctx, tok, []queen.KVOp{op})
	if err != nil {
		return queen.KVResult{}, err
	}
	if len(results) != 1 {
		return queen.KVResult{}, &queen.BodyError{Reason: "the answer does not cover the operations"}
	}
	return results[0], nil
}
