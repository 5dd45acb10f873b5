package embedded

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/btree"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// readBudget is how many bytes of values one call reads before it cuts its page
// (queen-wire 10.2).
const readBudget = 4 << 20

// kvStore is the key/value map in byte order of (namespace, key).
type kvStore struct {
	mu       sync.Mutex
	rows     *btree.BTreeG[*kvRow]
	versions counter
	expiry   *btree.BTreeG[*kvRow] // rows that expire, soonest first
	last     *write
	alarm    clock.Timer
	due      int64
	ran      int64
}

type kvRow struct {
	name    string // namespace, 0, key
	value   json.RawMessage
	version int64
	expires int64 // microseconds, 0 for never
	updated int64
}

var jsonNull = json.RawMessage("null")

func (s *kvStore) init() {
	s.rows = btree.NewG(32, func(a, b *kvRow) bool { return a.name < b.name })
	s.expiry = btree.NewG(32, func(a, b *kvRow) bool {
		return a.expires < b.expires || a.expires == b.expires && a.name < b.name
	})
	s.versions.row = metaVersions
}

func kvName(ns, key string) string { return ns + "\x00" + key }

// key is the row's key without its namespace.
func (r *kvRow) key() string { return r.name[strings.IndexByte(r.name, 0)+1:] }

// get answers the effective row: an expired one is absent.
func (s *kvStore) get(name string, now int64) *kvRow {
	r, ok := s.rows.Get(&kvRow{name: name})
	if !ok || r.expires != 0 && r.expires <= now {
		return nil
	}
	return r
}

func (s *kvStore) put(r *kvRow) {
	if old, ok := s.rows.ReplaceOrInsert(r); ok && old.expires != 0 {
		s.expiry.Delete(old)
	}
	if r.expires != 0 {
		s.expiry.ReplaceOrInsert(r)
	}
}

func (s *kvStore) remove(name string) {
	if old, ok := s.rows.Delete(&kvRow{name: name}); ok && old.expires != 0 {
		s.expiry.Delete(old)
	}
}

// KV implements queen.Broker. The call is one unit at one instant: operations on
// single keys run in byte order of their keys, then the reads of many.
func (e *Engine) KV(ctx context.Context, _ queen.Token, ops []queen.KVOp) ([]queen.KVResult, error) {
	if err := e.enter(ctx, "kv"); err != nil {
		return nil, err
	}
	defer e.leave()
	if err := checkKV(ops); err != nil {
		return nil, err
	}
	c := e.begin(scope{kv: true})
	run := newKVRun(c)
	if err := run.all(ops); err != nil {
		return nil, firstError(c.abandon(), err)
	}
	run.commit(c)
	return run.results, c.finish()
}

// kvRun carries operations out on top of the store without changing it; commit
// does that.
type kvRun struct {
	c       *command
	store   *kvStore
	now     int64
	writes  map[string]*kvRow // nil marks a removal
	results []queen.KVResult
	budget  int
}

func newKVRun(c *command) *kvRun {
	return &kvRun{c: c, store: &c.e.kv, now: c.now, writes: map[string]*kvRow{}, budget: readBudget}
}

func (k *kvRun) all(ops []queen.KVOp) error {
	k.results = make([]queen.KVResult, len(ops))
	var singles, many []int
	for i := range ops {
		switch ops[i].Op {
		case queen.KVGetMany, queen.KVGetPrefix:
			many = append(many, i)
		default:
			singles = append(singles, i)
		}
	}
	slices.SortStableFunc(singles, func(a, b int) int {
		return strings.Compare(kvName(ops[a].NS, ops[a].Key), kvName(ops[b].NS, ops[b].Key))
	})
	for _, i := range singles {
		r := k.single(&ops[i])
		k.results[i] = r
		if ops[i].Required && ops[i].Op != queen.KVGet && !r.Applied {
			return &queen.PreconditionError{FailedIndex: i, Reason: r.Reason, Version: r.Version, Value: r.Value}
		}
	}
	for _, i := range many {
		if ops[i].Op == queen.KVGetMany {
			k.results[i] = k.getMany(&ops[i])
		} else {
			k.results[i] = k.getPrefix(&ops[i])
		}
	}
	return nil
}

func (k *kvRun) row(name string) *kvRow {
	if r, ok := k.writes[name]; ok {
		return r
	}
	return k.store.get(name, k.now)
}

func (k *kvRun) single(op *queen.KVOp) queen.KVResult {
	name := kvName(op.NS, op.Key)
	row := k.row(name)
	res := queen.KVResult{Op: op.Op, Key: op.Key}
	switch op.Op {
	case queen.KVGet:
		if row != nil {
			res.Found, res.Value, res.Version = true, row.value, row.version
			res.ExpiresAt, res.UpdatedAt = instant(row.expires), instant(row.updated)
		}
	case queen.KVDelete:
		k.delete(&res, name, row, op.Expect)
	case queen.KVIncr:
		k.incr(&res, name, row, op)
	case queen.KVPutIfAbsent:
		k.put(&res, name, row, op, queen.Version(0))
	default:
		k.put(&res, name, row, op, op.Expect)
	}
	return res
}

// met judges an expectation against the effective row; a lost one fills the
// result with the winner.
func met(res *queen.KVResult, row *kvRow, expect *int64) bool {
	switch {
	case expect == nil:
		return true
	case row == nil && *expect == 0:
		return true
	case row == nil:
		res.Reason, res.Value = queen.KVAbsent, jsonNull
		return false
	case *expect == row.version:
		return true
	}
	res.Reason, res.Value, res.Version = queen.KVVersion, row.value, row.version
	if *expect == 0 {
		res.Reason = queen.KVExists
	}
	return false
}

func (k *kvRun) put(res *queen.KVResult, name string, row *kvRow, op *queen.KVOp, expect *int64) {
	if !met(res, row, expect) {
		return
	}
	value := json.RawMessage(slices.Clone(trimJSON(op.Value)))
	k.write(res, &kvRow{name: name, value: value, expires: k.expires(op), updated: k.now})
}

func (k *kvRun) delete(res *queen.KVResult, name string, row *kvRow, expect *int64) {
	if row == nil && expect == nil {
		res.Reason, res.Value = queen.KVAbsent, jsonNull
		return
	}
	if !met(res, row, expect) {
		return
	}
	res.Applied, res.Value = true, jsonNull
	if row != nil {
		res.Value, res.Version = row.value, row.version
		k.writes[name] = nil
	}
}

func (k *kvRun) incr(res *queen.KVResult, name string, row *kvRow, op *queen.KVOp) {
	sum, _ := parseDecimal(string(op.Delta))
	now := decimal{}
	expires := int64(0)
	if row == nil {
		expires = k.expires(op)
	} else {
		current, ok := parseDecimal(string(row.value))
		if !ok {
			res.Reason, res.Value, res.Version = queen.KVType, json.RawMessage("0"), row.version
			return
		}
		now, expires, res.Version = current, row.expires, row.version
		sum = sum.add(current)
	}
	if outside(sum, op.Min, -1) || outside(sum, op.Max, 1) {
		res.Reason = queen.KVLimit
		res.Value = json.RawMessage(now.String())
		if row != nil {
			res.Value = row.value
		}
		return
	}
	value := json.RawMessage(sum.String())
	k.write(res, &kvRow{name: name, value: value, expires: expires, updated: k.now})
}

func (k *kvRun) write(res *queen.KVResult, r *kvRow) {
	r.version = int64(k.store.versions.next(k.c))
	k.writes[r.name] = r
	res.Applied, res.Value, res.Version = true, r.value, r.version
}

// outside reports whether the sum lies beyond a bound: below it for side -1,
// above it for side 1.
func outside(sum decimal, bound *json.Number, side int) bool {
	if bound == nil {
		return false
	}
	b, _ := parseDecimal(string(*bound))
	return sum.cmp(b) == side
}

// maxTTL keeps an expiry within what a time can say.
const maxTTL = 200 * 365 * 24 * 3600

func (k *kvRun) expires(op *queen.KVOp) int64 {
	if op.Forever {
		return 0
	}
	return k.now + min(op.TTLSeconds, maxTTL)*1e6
}

func (r *kvRow) result() queen.KVRow {
	return queen.KVRow{
		Key: r.key(), Value: r.value, Version: r.version,
		ExpiresAt: instant(r.expires), UpdatedAt: instant(r.updated),
	}
}

func (k *kvRun) getMany(op *queen.KVOp) queen.KVResult {
	res := queen.KVResult{Op: op.Op, Rows: []queen.KVRow{}, Missing: []string{}}
	keys := slices.Sorted(slices.Values(op.Keys))
	for _, key := range keys {
		row := k.row(kvName(op.NS, key))
		if row == nil {
			res.Missing = append(res.Missing, key)
			continue
		}
		if k.budget <= 0 {
			res.Truncated = true
			continue
		}
		k.budget -= len(row.value)
		res.Rows = append(res.Rows, row.result())
	}
	return res
}

const (
	defaultPage = 100
	maxPage     = 1000
)

// pageLimit reads a page size: 0 means the default, anything else is clamped.
func pageLimit(n int) int {
	if n == 0 {
		return defaultPage
	}
	return min(max(n, 1), maxPage)
}

func (k *kvRun) getPrefix(op *queen.KVOp) queen.KVResult {
	res := queen.KVResult{Op: op.Op, Rows: []queen.KVRow{}}
	limit := pageLimit(op.Limit)
	prefix, after := kvName(op.NS, op.Prefix), kvName(op.NS, op.After)
	add := func(row *kvRow) bool {
		if !strings.HasPrefix(row.name, prefix) {
			return row.name < prefix
		}
		if op.After != "" && row.name <= after || row.expires != 0 && row.expires <= k.now {
			return true
		}
		if len(res.Rows) == limit || k.budget <= 0 {
			res.Truncated = true
			return false
		}
		r := row.result()
		if op.KeysOnly {
			r.Value = nil
		} else {
			k.budget -= len(row.value)
		}
		res.Rows = append(res.Rows, r)
		return true
	}
	k.scan(max(prefix, after), add)
	if res.Truncated && len(res.Rows) > 0 {
		res.NextAfter = res.Rows[len(res.Rows)-1].Key
	}
	return res
}

// scan walks the rows from a name on, with the writes of this call on top.
func (k *kvRun) scan(from string, visit func(*kvRow) bool) {
	var fresh []*kvRow
	for name, r := range k.writes {
		if r != nil && name >= from {
			fresh = append(fresh, r)
		}
	}
	slices.SortFunc(fresh, func(a, b *kvRow) int { return strings.Compare(a.name, b.name) })
	more := true
	k.store.rows.AscendGreaterOrEqual(&kvRow{name: from}, func(stored *kvRow) bool {
		for more && len(fresh) > 0 && fresh[0].name < stored.name {
			more = visit(fresh[0])
			fresh = fresh[1:]
		}
		if _, written := k.writes[stored.name]; !written && more {
			more = visit(stored)
		}
		if more && len(fresh) > 0 && fresh[0].name == stored.name {
			more = visit(fresh[0])
			fresh = fresh[1:]
		}
		return more
	})
	for more && len(fresh) > 0 {
		more = visit(fresh[0])
		fresh = fresh[1:]
	}
}

// commit writes everything. A run that is not committed has used up versions,
// which is no harm: they are only never used again.
func (k *kvRun) commit(c *command) {
	for name, r := range k.writes {
		if r == nil {
			k.store.remove(name)
			c.delete(kvKey(name))
			continue
		}
		k.store.put(r)
		c.set(kvKey(name), r.encode())
	}
}

// arm sets the alarm that removes expired rows. They read as absent before it
// rings.
func (s *kvStore) arm(e *Engine, now int64) {
	first, ok := s.expiry.Min()
	if !ok {
		stop(&s.alarm)
		s.due = 0
		return
	}
	due := max(first.expires, s.ran+sweepPause)
	if s.alarm != nil && s.due <= due {
		return
	}
	stop(&s.alarm)
	s.due = due
	s.alarm = e.clock.AfterFunc(time.Duration(due-now)*time.Microsecond, func() { e.alarmed(e.sweepKV) })
}

func (e *Engine) sweepKV() {
	c := e.begin(scope{kv: true})
	s := &e.kv
	stop(&s.alarm)
	s.due, s.ran = 0, c.now
	for {
		r, ok := s.expiry.Min()
		if !ok || r.expires > c.now {
			break
		}
		s.remove(r.name)
		c.delete(kvKey(r.name))
	}
	if err := c.finish(); err != nil {
		e.log.Error("sweeping the key/value store", "error", err)
	}
}

func (r *kvRow) encode() []byte {
	var w rowWriter
	w.int(r.version)
	w.int(r.expires)
	w.int(r.updated)
	w.rest(r.value)
	return w
}

func decodeKV(name string, row []byte) (*kvRow, error) {
	in := rowReader{b: row}
	r := &kvRow{name: name, version: in.int(), expires: in.int(), updated: in.int()}
	r.value = slices.Clone(in.b)
	return r, in.err
}
