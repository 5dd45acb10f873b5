package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// body is what a message record leaves to the journal: the payload, and the
// transaction id when it is not the message id.
type body struct {
	txn     string
	payload json.RawMessage
}

func (b *body) size() int64 { return int64(len(b.txn)+len(b.payload)) + 64 }

// bodyCache bounds the bodies in the heap. The oldest stay: they are popped
// first.
type bodyCache struct {
	limit     int64
	unbounded bool
	used      atomic.Int64
}

func (c *bodyCache) init(limit int64, unbounded bool) { c.limit, c.unbounded = limit, unbounded }

// admit answers a copy of the body to keep, or nil when there is no room.
func (c *bodyCache) admit(txn string, payload []byte) *body {
	b := &body{txn: txn, payload: payload}
	if c.used.Add(b.size()) > c.limit && !c.unbounded {
		c.used.Add(-b.size())
		return nil
	}
	b.payload = append(make([]byte, 0, len(payload)), payload...)
	return b
}

func (c *bodyCache) release(b **body) {
	if *b == nil {
		return
	}
	c.used.Add(-(*b).size())
	*b = nil
}

// messageRow is a message in the journal. A large payload has a row of its own.
func messageRow(r *record, txn string, payload []byte) (row []byte, apart bool) {
	apart = len(payload) > inlineBody
	var w rowWriter = make([]byte, 0, 64+len(txn)+len(payload))
	w.uid(r.id)
	w.uid(r.key)
	w.int(r.at)
	w.bool(apart)
	w.text(txn)
	if !apart {
		w.rest(payload)
	}
	return w, apart
}

// readMessageRow reads a record, and its body when that is in the row.
func readMessageRow(row []byte) (r record, txn string, payload []byte, apart bool, err error) {
	in := rowReader{b: row}
	r.id = in.uid()
	r.key = in.uid()
	r.at = in.int()
	apart = in.bool()
	txn = in.text()
	return r, txn, in.b, apart, in.err
}

// bodyReader reads bodies of claimed messages from the journal as it was when
// the claim was made, whatever is deleted meanwhile.
type bodyReader struct {
	snap *pebble.Snapshot
	// it stands on the row that was read last.
	it *pebble.Iterator
}

func (e *Engine) bodyReader() *bodyReader {
	if e.journal.db == nil {
		return nil
	}
	return &bodyReader{snap: e.journal.db.NewSnapshot()}
}

func (r *bodyReader) close() {
	if r == nil {
		return
	}
	if r.it != nil {
		r.it.Close()
	}
	r.snap.Close()
}

// read answers a body. Reading neighbours in order is cheap.
func (r *bodyReader) read(q, l uint64, off int64) (*body, error) {
	if r == nil {
		return nil, errors.New("a body is missing in memory")
	}
	key := messageKey(q, l, off)
	if r.it == nil {
		it, err := r.snap.NewIter(&pebble.IterOptions{
			LowerBound: numKey(spaceMessage, q), UpperBound: numKey(spaceMessage, q+1),
		})
		if err != nil {
			return nil, fmt.Errorf("message row: %w", err)
		}
		r.it = it
	}
	if !(r.it.Valid() && r.it.Next() && bytes.Equal(r.it.Key(), key)) && !(r.it.SeekGE(key) && bytes.Equal(r.it.Key(), key)) {
		return nil, fmt.Errorf("message row: %w", firstError(r.it.Error(), pebble.ErrNotFound))
	}
	row, err := r.it.ValueAndErr()
	if err != nil {
		return nil, fmt.Errorf("message row: %w", err)
	}
	return bodyOf(r.snap, row, q, l, off)
}

func readBody(from pebble.Reader, q, l uint64, off int64) (*body, error) {
	row, closer, err := from.Get(messageKey(q, l, off))
	if err != nil {
		return nil, fmt.Errorf("message row: %w", err)
	}
	defer closer.Close()
	return bodyOf(from, row, q, l, off)
}

// bodyOf takes the body out of a message's row, or reads the row of its own.
func bodyOf(from pebble.Reader, row []byte, q, l uint64, off int64) (*body, error) {
	_, txn, payload, apart, err := readMessageRow(row)
	if err != nil {
		return nil, fmt.Errorf("message row: %w", err)
	}
	if !apart {
		return &body{txn: txn, payload: bytes.Clone(payload)}, nil
	}
	large, closer, err := from.Get(bodyKey(q, l, off))
	if err != nil {
		return nil, fmt.Errorf("body row: %w", err)
	}
	defer closer.Close()
	return &body{txn: txn, payload: bytes.Clone(large)}, nil
}
