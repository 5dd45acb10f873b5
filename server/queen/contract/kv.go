package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// namespace holds the suite's key/value rows.
const namespace = "probe"

// kv runs operations in the suite's namespace. A target that limits the rate of
// calls is asked again.
func (t *T) kv(ops ...queen.KVOp) []queen.KVResult {
	t.Helper()
	results, err := t.tryKV(ops...)
	t.ok(err)
	if len(results) != len(ops) {
		t.Fatalf("%d operations, %d results", len(ops), len(results))
	}
	return results
}

func (t *T) tryKV(ops ...queen.KVOp) ([]queen.KVResult, error) {
	for i := range ops {
		if ops[i].NS == "" {
			ops[i].NS = namespace
		}
	}
	for {
		results, err := t.Broker.KV(t.Context(), t.Token, ops)
		var refused *queen.StatusError
		if !errors.As(err, &refused) || refused.Code != 429 {
			return results, err
		}
		time.Sleep(time.Second)
	}
}

func (t *T) put(key, value string, expect *int64) queen.KVResult {
	t.Helper()
	return t.kv(queen.KVOp{Op: queen.KVPut, Key: t.key(key), Value: json.RawMessage(value), TTLSeconds: 600, Expect: expect})[0]
}

func (t *T) get(key string) queen.KVResult {
	t.Helper()
	return t.kv(queen.KVOp{Op: queen.KVGet, Key: t.key(key)})[0]
}

func (t *T) del(key string, expect *int64) queen.KVResult {
	t.Helper()
	return t.kv(queen.KVOp{Op: queen.KVDelete, Key: t.key(key), Expect: expect})[0]
}

func (t *T) incr(key, delta string, change ...func(*queen.KVOp)) queen.KVResult {
	t.Helper()
	op := queen.KVOp{Op: queen.KVIncr, Key: t.key(key), Delta: json.Number(delta), TTLSeconds: 600}
	for _, f := range change {
		f(&op)
	}
	return t.kv(op)[0]
}

func number(s string) *json.Number { n := json.Number(s); return &n }

// applied expects an operation to have been carried out.
func (t *T) applied(r queen.KVResult, value string) queen.KVResult {
	t.Helper()
	t.want("applied, reason, value", []any{r.Applied, r.Reason, string(r.Value)}, []any{true, "", value})
	return r
}

// lost expects an operation to have lost against what is there.
func (t *T) lost(r queen.KVResult, reason queen.KVReason, value string, version int64) {
	t.Helper()
	t.want("applied, reason, value, version", []any{r.Applied, r.Reason, string(r.Value), r.Version}, []any{false, reason, value, version})
}

var kvVerdictCases = []testCase{
	{"10.2", "verdicts of put", func(t *T) {
		first := t.applied(t.put("a", "1", nil), "1")
		second := t.applied(t.put("a", `{"x":1}`, nil), `{"x":1}`)
		if first.Version <= 0 || second.Version <= 0 || first.Version == second.Version {
			t.Fatalf("versions %d and %d", first.Version, second.Version)
		}
		t.applied(t.put("b", "1", queen.Version(0)), "1")
		t.lost(t.put("a", "2", queen.Version(0)), queen.KVExists, `{"x":1}`, second.Version)
		third := t.applied(t.put("a", "3", queen.Version(second.Version)), "3")
		t.lost(t.put("a", "4", queen.Version(second.Version)), queen.KVVersion, "3", third.Version)
		t.lost(t.put("nope", "4", queen.Version(second.Version)), queen.KVAbsent, "null", 0)
		t.want("created nothing", t.get("nope").Found, false)
	}},
	{"10.2", "putIfAbsent is put with expect 0 under its own name", func(t *T) {
		op := queen.KVOp{Op: queen.KVPutIfAbsent, Key: t.key("p"), Value: str("v"), Forever: true}
		r := t.kv(op)[0]
		t.applied(r, `"v"`)
		again := t.kv(op)[0]
		t.lost(again, queen.KVExists, `"v"`, r.Version)
		t.want("op", again.Op, queen.KVPutIfAbsent)
		t.del("p", nil)
	}},
	{"10.2", "verdicts of delete", func(t *T) {
		a := t.put("a", "5", nil)
		t.want("version of what was removed", t.applied(t.del("a", nil), "5").Version, a.Version)
		t.lost(t.del("a", nil), queen.KVAbsent, "null", 0)
		t.want("version", t.applied(t.del("a", queen.Version(0)), "null").Version, 0)
		b := t.put("b", "1", nil)
		t.lost(t.del("b", queen.Version(0)), queen.KVExists, "1", b.Version)
		t.lost(t.del("b", queen.Version(b.Version+1)), queen.KVVersion, "1", b.Version)
		t.applied(t.del("b", queen.Version(b.Version)), "1")
		t.lost(t.del("b", queen.Version(b.Version)), queen.KVAbsent, "null", 0)
	}},
	{"10.2", "verdicts of incr", func(t *T) {
		t.applied(t.incr("n", "5"), "5")
		v := t.applied(t.incr("n", "-2"), "3").Version
		t.lost(t.incr("n", "10", func(o *queen.KVOp) { o.Max = number("9") }), queen.KVLimit, "3", v)
		t.lost(t.incr("n", "-10", func(o *queen.KVOp) { o.Min = number("0") }), queen.KVLimit, "3", v)
		t.lost(t.incr("n2", "10", func(o *queen.KVOp) { o.Max = number("9") }), queen.KVLimit, "0", 0)
		t.applied(t.incr("n", "6", func(o *queen.KVOp) { o.Max = number("9") }), "9")
		t.applied(t.incr("n", "0.5"), "9.5")
		obj := t.put("obj", `{"o":1}`, nil)
		t.lost(t.incr("obj", "1"), queen.KVType, "0", obj.Version)
		digits := t.put("digits", `"7"`, nil)
		t.lost(t.incr("digits", "1"), queen.KVType, "0", digits.Version)
	}},
	{"10.2", "incr is exact beyond 2^53", func(t *T) {
		t.put("big", "9007199254740993", nil)
		t.applied(t.incr("big", "2"), "9007199254740995")
	}},
	{"10.2", "incr keeps the expiry of the row", func(t *T) {
		t.applied(t.incr("n", "1"), "1")
		before := t.get("n").ExpiresAt
		t.incr("n", "1", func(o *queen.KVOp) { o.TTLSeconds, o.Forever = 0, true })
		if after := t.get("n").ExpiresAt; before.IsZero() || !after.Equal(before) {
			t.Fatalf("expiry %v, before %v", after, before)
		}
	}},
	{"10.2", "concurrent increments lose nothing", func(t *T) {
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for range 10 {
					if _, err := t.tryKV(queen.KVOp{Op: queen.KVIncr, Key: t.key("n"), Delta: "1", TTLSeconds: 60}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		t.want("value", string(t.get("n").Value), "40")
	}},
	{"10.2", "a key that was deleted comes back with a version never used before", func(t *T) {
		seen := map[int64]bool{}
		for range 5 {
			v := t.put("a", "1", nil).Version
			if seen[v] {
				t.Fatalf("version %d twice", v)
			}
			seen[v] = true
			t.del("a", nil)
		}
	}},
}

var kvReadCases = []testCase{
	{"10.2", "get, getMany and getPrefix", func(t *T) {
		for _, k := range []string{"B", "a", "b", "c", "é"} {
			t.put("pre:"+k, fmt.Sprintf("%q", k), nil)
		}
		one := t.get("pre:a")
		t.want("get", []any{one.Found, string(one.Value), one.ExpiresAt.After(one.UpdatedAt), one.Key}, []any{true, `"a"`, true, t.key("pre:a")})
		t.want("absent", []any{t.get("zz").Found, t.get("zz").Key}, []any{false, t.key("zz")})

		many := t.kv(queen.KVOp{Op: queen.KVGetMany, Keys: []string{t.key("pre:b"), t.key("zz"), t.key("pre:a"), t.key("pre:b")}})[0]
		t.want("rows in key order, one asked twice comes twice", t.rows(many), "a b b")
		t.want("missing", many.Missing, []string{t.key("zz")})

		prefix := queen.KVOp{Op: queen.KVGetPrefix, Prefix: t.key("pre:")}
		all := t.kv(prefix)[0]
		t.want("rows", []any{t.rows(all), all.Truncated, all.NextAfter}, []any{"B a b c é", false, ""})
		prefix.Limit = 2
		page := t.kv(prefix)[0]
		t.want("page", []any{t.rows(page), page.Truncated, page.NextAfter}, []any{"B a", true, t.key("pre:a")})
		prefix.After, prefix.Limit = page.NextAfter, 1000
		t.want("rest", t.rows(t.kv(prefix)[0]), "b c é")
		prefix.After, prefix.KeysOnly = "", true
		keys := t.kv(prefix)[0]
		t.want("keys only", []any{len(keys.Rows), len(keys.Rows[0].Value), keys.Rows[0].Version > 0}, []any{5, 0, true})
		prefix.Prefix = t.key("none:")
		t.want("nothing", len(t.kv(prefix)[0].Rows), 0)
		t.want("no operations", len(t.kv()), 0)
	}},
	{"10.2", "single keys run in key order, the reads of many see them", func(t *T) {
		r := t.kv(
			queen.KVOp{Op: queen.KVGetMany, Keys: []string{t.key("k")}},
			queen.KVOp{Op: queen.KVGet, Key: t.key("k")},
			queen.KVOp{Op: queen.KVPut, Key: t.key("k"), Value: str("v"), TTLSeconds: 60},
			queen.KVOp{Op: queen.KVGet, Key: t.key("k")},
			queen.KVOp{Op: queen.KVGetPrefix, Prefix: t.key("k")})
		t.want("getMany, get before, get after, getPrefix",
			[]any{len(r[0].Rows), r[1].Found, r[3].Found, len(r[4].Rows)}, []any{1, false, true, 1})
	}},
	{"10.2", "the read budget of 4 MiB cuts a page", func(t *T) {
		var keys []string
		for i := range 80 {
			t.put(fmt.Sprintf("fat:%02d", i), string(blob(65000)), nil)
			keys = append(keys, t.key(fmt.Sprintf("fat:%02d", i)))
		}
		page := t.kv(queen.KVOp{Op: queen.KVGetPrefix, Prefix: t.key("fat:"), Limit: 1000})[0]
		t.want("rows, truncated, next", []any{len(page.Rows), page.Truncated, page.NextAfter}, []any{65, true, t.key("fat:64")})
		many := t.kv(queen.KVOp{Op: queen.KVGetMany, Keys: keys})[0]
		t.want("rows, missing, truncated", []any{len(many.Rows), len(many.Missing), many.Truncated}, []any{65, 0, true})
		for _, k := range keys {
			t.kv(queen.KVOp{Op: queen.KVDelete, Key: k})
		}
	}},
	{"10.2", "required aborts the whole call", func(t *T) {
		win := t.put("a", `{"w":1}`, nil)
		_, err := t.tryKV(
			queen.KVOp{Op: queen.KVPut, Key: t.key("b"), Value: str("new"), TTLSeconds: 60},
			queen.KVOp{Op: queen.KVPut, Key: t.key("a"), Value: str("x"), TTLSeconds: 60, Expect: queen.Version(0), Required: true})
		t.precondition(err, 1, queen.KVExists, win.Version, `{"w":1}`)
		t.want("nothing was written", t.get("b").Found, false)
		_, err = t.tryKV(queen.KVOp{Op: queen.KVIncr, Key: t.key("n"), Delta: "5", Max: number("1"), TTLSeconds: 60, Required: true})
		t.precondition(err, 0, queen.KVLimit, 0, "0")
		_, err = t.tryKV(queen.KVOp{Op: queen.KVDelete, Key: t.key("none"), Required: true})
		t.precondition(err, 0, queen.KVAbsent, 0, "null")
	}},
	{"10.2", "a lost required operation tells a large winner", func(t *T) {
		win := t.put("a", string(blob(6000)), nil)
		_, err := t.tryKV(queen.KVOp{Op: queen.KVPut, Key: t.key("a"), Value: str("x"), TTLSeconds: 60, Expect: queen.Version(0), Required: true})
		var lost *queen.PreconditionError
		if !errors.As(err, &lost) {
			t.Fatalf("got %v", err)
		}
		if t.differs("10.2 cut details") {
			t.want("index", lost.FailedIndex < 0, true)
			return
		}
		t.precondition(err, 0, queen.KVExists, win.Version, string(blob(6000)))
	}},
}

// rows are the keys of a page without this case's prefix.
func (t *T) rows(r queen.KVResult) string {
	out := ""
	for i, row := range r.Rows {
		if i > 0 {
			out += " "
		}
		out += row.Key[len(t.key("pre:")):]
	}
	return out
}

func (t *T) precondition(err error, index int, reason queen.KVReason, version int64, value string) {
	t.Helper()
	var lost *queen.PreconditionError
	if !errors.As(err, &lost) {
		t.Fatalf("got %v (%T), want a lost precondition", err, err)
	}
	t.want("index, reason, version, value", []any{lost.FailedIndex, lost.Reason, lost.Version, string(lost.Value)}, []any{index, reason, version, value})
}

var kvExpiryCases = []testCase{
	{"10.2", "an expired row is absent, and its key gets a new version", func(t *T) {
		old := t.kv(queen.KVOp{Op: queen.KVPut, Key: t.key("a"), Value: str("v"), TTLSeconds: 1},
			queen.KVOp{Op: queen.KVIncr, Key: t.key("n"), Delta: "7", TTLSeconds: 1})
		t.pass(1100 * time.Millisecond)
		t.want("get", t.get("a").Found, false)
		t.want("getPrefix", len(t.kv(queen.KVOp{Op: queen.KVGetPrefix, Prefix: t.name})[0].Rows), 0)
		t.lost(t.put("a", "1", queen.Version(old[0].Version)), queen.KVAbsent, "null", 0)
		t.applied(t.incr("n", "1"), "1")
		again := t.applied(t.put("a", "1", queen.Version(0)), "1")
		t.want("same version", again.Version == old[0].Version, false)
	}},
	{"10.2", "a put replaces the expiry", func(t *T) {
		t.put("a", "1", nil)
		t.kv(queen.KVOp{Op: queen.KVPut, Key: t.key("a"), Value: str("v"), Forever: true})
		t.want("expires", t.get("a").ExpiresAt.IsZero(), true)
		t.kv(queen.KVOp{Op: queen.KVPut, Key: t.key("a"), Value: str("v"), TTLSeconds: 100 * 365 * 86400})
		t.want("expires", t.get("a").ExpiresAt.IsZero(), false)
		t.del("a", nil)
	}},
	{"10.2", "an expiry is mandatory", func(t *T) {
		for _, op := range []queen.KVOp{
			{Op: queen.KVPut, Key: t.key("x"), Value: str("v")},
			{Op: queen.KVPut, Key: t.key("x"), Value: str("v"), TTLSeconds: 5, Forever: true},
			{Op: queen.KVIncr, Key: t.key("x"), Delta: "1"},
		} {
			_, err := t.tryKV(op)
			t.status(err, 400, `"kv_bad_request"`, `"kv_expiry_not_specified"`)
		}
		_, err := t.tryKV(queen.KVOp{Op: queen.KVPut, Key: t.key("x"), Value: str("v"), TTLSeconds: -1})
		t.status(err, 400, `"kv_bad_ttl"`)
	}},
}

var kvRefusalCases = []testCase{
	{"10.3", "refusals by name", func(t *T) {
		long := func(n int) string { return string(blob(n + 2)[1 : n+1]) }
		for _, c := range []struct {
			op    queen.KVOp
			code  int
			parts []string
		}{
			{queen.KVOp{Op: "touch", Key: "a"}, 400, []string{"kv_unknown_op", "unknown operation 'touch'"}},
			{queen.KVOp{Op: queen.KVGet, NS: "Probe", Key: "a"}, 400, []string{"kv_bad_namespace"}},
			{queen.KVOp{Op: queen.KVGet, NS: long(65), Key: "a"}, 400, []string{"kv_bad_namespace"}},
			{queen.KVOp{Op: queen.KVGet}, 400, []string{"kv_bad_key"}},
			{queen.KVOp{Op: queen.KVGet, Key: long(513)}, 413, []string{"payload_too_large", "kv_key_too_large", "key is 513 bytes, the ceiling is 512"}},
			{queen.KVOp{Op: queen.KVGet, Key: "a\x00b"}, 500, []string{"kv_error"}},
			{queen.KVOp{Op: queen.KVPut, Key: "y", Forever: true}, 400, []string{`"reason":"kv_bad_request"`}},
			{queen.KVOp{Op: queen.KVPut, Key: "y", Value: str("v"), Expect: queen.Version(-1), Forever: true}, 400, []string{"kv_bad_expect"}},
			{queen.KVOp{Op: queen.KVIncr, Key: "y", Delta: "1", Expect: queen.Version(0), Forever: true}, 400, []string{"incr takes no expect"}},
			{queen.KVOp{Op: queen.KVIncr, Key: "y", Forever: true}, 500, []string{"kv_error"}},
			{queen.KVOp{Op: queen.KVGetPrefix}, 400, []string{"kv_prefix_required"}},
			{queen.KVOp{Op: queen.KVPut, Key: "y", Value: blob(65537), TTLSeconds: 60}, 413, []string{"kv_value_too_large", "value is 65537 bytes, the ceiling is 65536"}},
		} {
			_, err := t.tryKV(c.op)
			t.status(err, c.code, c.parts...)
		}
	}},
	{"10.3", "what is just allowed", func(t *T) {
		t.kv(queen.KVOp{Op: queen.KVGet, Key: string(blob(514)[1:513])})
		t.kv(queen.KVOp{Op: queen.KVGet, Key: "a\x01\n"})
		t.applied(t.put("v", string(blob(65536)), nil), string(blob(65536)))
		t.applied(t.put("null", "null", nil), "null")
		var ops []queen.KVOp
		for i := range 256 {
			ops = append(ops, queen.KVOp{Op: queen.KVGet, Key: t.key(fmt.Sprint(i))})
		}
		t.kv(ops...)
		_, err := t.tryKV(append(ops, ops[0])...)
		t.status(err, 400, "kv_too_many_ops", "257 ops in one call, the ceiling is 256")
	}},
	{"10.3", "a call reads at most 1024 keys", func(t *T) {
		keys := make([]string, 1024)
		for i := range keys {
			keys[i] = t.key(fmt.Sprint(i))
		}
		t.want("missing", len(t.kv(queen.KVOp{Op: queen.KVGetMany, Keys: keys})[0].Missing), 1024)
		_, err := t.tryKV(queen.KVOp{Op: queen.KVGetMany, Keys: append(keys, "x")})
		t.status(err, 400, "kv_too_many_keys", "1025 keys in one call, the ceiling is 1024")
		prefix := queen.KVOp{Op: queen.KVGetPrefix, Prefix: "g", Limit: 1000}
		small := prefix
		small.Limit = 100
		_, err = t.tryKV(prefix, small)
		t.status(err, 400, "1100 keys in one call, the ceiling is 1024")
	}},
	{"10.3", "a key is written at most once per call", func(t *T) {
		_, err := t.tryKV(
			queen.KVOp{Op: queen.KVPut, Key: t.key("k"), Value: str("v"), TTLSeconds: 60},
			queen.KVOp{Op: queen.KVDelete, Key: t.key("k")})
		t.status(err, 400, "kv_duplicate_key_in_call")
		t.want("written", t.get("k").Found, false)
	}},
}
