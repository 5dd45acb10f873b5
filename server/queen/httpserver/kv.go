package httpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// kvFault is a refused key/value operation: its reason, and what a person reads.
type kvFault struct{ reason, detail string }

func (f *kvFault) Error() string { return f.detail }

func badKV(reason, detail string) answer {
	return answer{status: 400, body: newObject(160).text("detail", detail).text("error", "kv_bad_request").text("reason", reason).close()}
}

func (s *Server) kv(r *request) answer {
	d, err := parse(r.body)
	if err != nil {
		return badKV("kv_bad_body", err.Error())
	}
	list, err := operations(d)
	if err != nil {
		return badKV("kv_bad_body", err.Error())
	}
	ops := make([]queen.KVOp, len(list))
	for i, d := range list {
		if ops[i], err = readKVOp(i, d); err != nil {
			var fault *kvFault
			if errors.As(err, &fault) {
				return badKV(fault.reason, fault.detail)
			}
			return badKV("kv_bad_body", err.Error())
		}
	}
	results, refused := s.runKV(r, ops)
	if refused != nil {
		return *refused
	}
	o := newObject(32 + 160*len(results))
	o.list("results", len(results), func(out []byte, i int) []byte {
		return appendKVResult(&object{out: append(out, '{')}, &results[i], i).close()
	})
	return ok(o.close())
}

// operations finds the list of operations: in the member of that name, or the
// body itself is the list.
func operations(d document) ([]document, error) {
	if d.isObject() {
		fields, err := d.fields()
		if err != nil {
			return nil, err
		}
		d = fields["operations"]
	}
	if !d.isArray() {
		return nil, errors.New(`body must be an array of operations, or {"operations":[...]}`)
	}
	return d.list(), nil
}

func (s *Server) runKV(r *request, ops []queen.KVOp) ([]queen.KVResult, *answer) {
	results, err := s.engine.KV(r.ctx, "", ops)
	if err == nil {
		return results, nil
	}
	var lost *queen.PreconditionError
	if !errors.As(err, &lost) {
		a := failure(err, "kv_error")
		return nil, &a
	}
	o := newObject(128 + len(lost.Value))
	if lost.FailedIndex >= 0 {
		o.int("failedIndex", int64(lost.FailedIndex))
	}
	o.text("kvReason", string(lost.Reason)).bool("ok", false).text("reason", "kv_precondition")
	a := ok(o.document("value", lost.Value).int("version", lost.Version).close())
	return nil, &a
}

// readKVOp reads an operation. It refuses what a queen.KVOp could not tell apart
// from something legal; the rest is the engine's to judge.
func readKVOp(i int, d document) (op queen.KVOp, err error) {
	fault := func(reason, format string, args ...any) error {
		return &kvFault{reason, fmt.Sprintf("op at index %d", i) + fmt.Sprintf(format, args...)}
	}
	if !d.isObject() {
		return op, fault("kv_bad_request", " is not an object")
	}
	f, err := d.fields()
	if err != nil {
		return op, fault("kv_bad_body", ": %s", err)
	}
	for _, name := range []string{"tenant", "tenantId", "tenant_id", "_tenant"} {
		if f[name] != nil {
			return op, fault("kv_tenant_not_an_input", " carries a tenant field; the tenant is an argument of kv_apply_v1")
		}
	}
	word, err := optional(f["op"])
	if err != nil {
		return op, fault("kv_unknown_op", ": unknown operation '%s'", f["op"])
	}
	op.Op = queen.KVVerb(word)
	if f["ns"] == nil || !f["ns"].isString() {
		return op, &kvFault{"kv_bad_namespace", "namespace NULL does not match ^[a-z0-9][a-z0-9._-]{0,63}$"}
	}
	for name, into := range map[string]*string{"ns": &op.NS, "key": &op.Key, "prefix": &op.Prefix, "after": &op.After} {
		if *into, err = optional(f[name]); err != nil {
			return op, fault("kv_bad_request", ": %s must be a string", name)
		}
	}
	if err := readKVRead(&op, f, fault); err != nil {
		return op, err
	}
	return op, readKVWrite(&op, f, fault)
}

func optional(d document) (string, error) {
	text, _, err := d.optionalText()
	return text, err
}

type faultFunc func(reason, format string, args ...any) error

func readKVRead(op *queen.KVOp, f map[string]document, fault faultFunc) error {
	if d := f["keys"]; d.isArray() {
		op.Keys = []string{}
		for _, d := range d.list() {
			key, err := d.text()
			if err != nil {
				return fault("kv_bad_key", ": keys must be strings")
			}
			op.Keys = append(op.Keys, key)
		}
	} else if op.Op == queen.KVGetMany {
		return fault("kv_bad_request", ": getMany needs an array of keys")
	}
	if d := f["limit"]; d.isNumber() {
		n, err := strconv.ParseFloat(string(d), 64)
		if err == nil {
			op.Limit = int(min(max(n, 1), 1000))
		}
	}
	op.KeysOnly = isTrue(f["keysOnly"])
	op.Required = isTrue(f["required"])
	return nil
}

func isTrue(d document) bool { return string(d) == "true" }

func readKVWrite(op *queen.KVOp, f map[string]document, fault faultFunc) error {
	if d := f["value"]; d != nil {
		op.Value = json.RawMessage(d)
	}
	if d := f["ttlSeconds"]; d != nil {
		n, err := strconv.ParseInt(string(d), 10, 64)
		if err != nil || n <= 0 {
			return fault("kv_bad_ttl", ": ttlSeconds must be an integer greater than zero")
		}
		op.TTLSeconds = n
	}
	op.Forever = isTrue(f["forever"])
	if d := f["expect"]; d != nil {
		n, err := strconv.ParseInt(string(d), 10, 64)
		if err != nil || n < 0 {
			return fault("kv_bad_expect", ": expect must be a non-negative integer version (0 = must not exist)")
		}
		op.Expect = &n
	}
	for name, into := range map[string]**json.Number{"min": &op.Min, "max": &op.Max} {
		if d := f[name]; d.isNumber() {
			n := json.Number(d)
			*into = &n
		} else if !d.isNull() {
			return fault("kv_bad_request", ": %s must be a number", name)
		}
	}
	if d := f["delta"]; d.isNumber() {
		op.Delta = json.Number(d)
	} else if !d.isNull() {
		return fault("kv_bad_request", ": delta must be a number")
	}
	return nil
}

// appendKVResult writes one result; index is its place among all results.
func appendKVResult(o *object, v *queen.KVResult, index int) *object {
	switch v.Op {
	case queen.KVGet:
		if v.Found {
			o.offset("expiresAt", v.ExpiresAt)
		}
		o.bool("found", v.Found).int("index", int64(index)).text("key", v.Key).text("op", string(v.Op))
		if v.Found {
			o.offset("updatedAt", v.UpdatedAt).document("value", v.Value).int("version", v.Version)
		}
	case queen.KVGetMany:
		o.int("index", int64(index)).list("missing", len(v.Missing), func(out []byte, i int) []byte {
			return appendText(out, v.Missing[i])
		})
		o.text("op", string(v.Op)).list("rows", len(v.Rows), kvRows(v.Rows)).bool("truncated", v.Truncated)
	case queen.KVGetPrefix:
		o.int("index", int64(index)).textOrNull("nextAfter", v.NextAfter).text("op", string(v.Op))
		o.list("rows", len(v.Rows), kvRows(v.Rows)).bool("truncated", v.Truncated)
	default:
		o.bool("applied", v.Applied).int("index", int64(index)).text("key", v.Key).text("op", string(v.Op))
		if !v.Applied {
			o.text("reason", string(v.Reason))
		}
		o.document("value", v.Value).int("version", v.Version)
	}
	return o
}

// kvRows writes rows; one that was asked for without its value has none.
func kvRows(rows []queen.KVRow) func(out []byte, i int) []byte {
	return func(out []byte, i int) []byte {
		row := &rows[i]
		o := &object{out: append(out, '{')}
		o.offset("expiresAt", row.ExpiresAt).text("key", row.Key).offset("updatedAt", row.UpdatedAt)
		if row.Value != nil {
			o.document("value", row.Value)
		}
		return o.int("version", row.Version).close()
	}
}

// The routes of single keys. They take everything from the path and the body;
// a query would end up in access logs.

func (s *Server) kvOne(r *request, verb queen.KVVerb, members ...string) answer {
	if r.query != "" {
		return badKV("kv_no_query_string", "the KV path routes take no query parameters; prefix reads live only in the POST /api/v1/kv body")
	}
	f := map[string]document{}
	if len(r.body) > 0 && verb != queen.KVGet || verb == queen.KVPut {
		d, err := parse(r.body)
		if err != nil {
			return badKV("kv_bad_body", err.Error())
		}
		if !d.isObject() && !(verb == queen.KVDelete && d.isNull()) {
			return badKV("kv_bad_body", "body must be a JSON object")
		}
		if d.isObject() {
			if f, err = d.fields(); err != nil {
				return badKV("kv_bad_body", err.Error())
			}
		}
	}
	for _, name := range []string{"op", "ns", "namespace", "key"} {
		if f[name] != nil {
			return badKV("kv_field_in_path", "`"+name+"` is taken from the URL on this route and must not be in the body")
		}
	}
	taken := map[string]document{}
	for _, name := range members {
		if f[name] != nil {
			taken[name] = f[name]
		}
	}
	op := queen.KVOp{Op: verb, NS: r.param(0), Key: r.param(1), Required: isTrue(taken["required"])}
	fault := func(reason, format string, args ...any) error {
		return &kvFault{reason, "op at index 0" + fmt.Sprintf(format, args...)}
	}
	if err := readKVWrite(&op, taken, fault); err != nil {
		var f *kvFault
		errors.As(err, &f)
		return badKV(f.reason, f.detail)
	}
	results, refused := s.runKV(r, []queen.KVOp{op})
	if refused != nil {
		return *refused
	}
	a := ok(appendKVResult(newObject(192), &results[0], 0).close())
	if verb == queen.KVGet && results[0].Found {
		a.etag = strconv.Quote(strconv.FormatInt(results[0].Version, 10))
	}
	return a
}

func (s *Server) kvGet(r *request) answer { return s.kvOne(r, queen.KVGet) }

func (s *Server) kvPut(r *request) answer {
	return s.kvOne(r, queen.KVPut, "value", "ttlSeconds", "forever", "expect", "required")
}

func (s *Server) kvDelete(r *request) answer { return s.kvOne(r, queen.KVDelete, "expect", "required") }
