package embedded

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// The limits of queen-wire 10.3.
const (
	maxKVOps   = 256
	maxKVKeys  = 1024
	maxKVValue = 65536
	maxKVKey   = 512
)

var namespacePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// kvFault is a refused operation before it is worded for its route.
type kvFault struct {
	code   int
	kind   string // the error member
	reason string
	detail string
}

func (f *kvFault) refusal() error {
	if f.detail == "" {
		return refusal(f.code, field{"error", f.kind}, field{"reason", f.reason})
	}
	return refusal(f.code, field{"detail", f.detail}, field{"error", f.kind}, field{"reason", f.reason})
}

func badKV(reason, format string, args ...any) *kvFault {
	return &kvFault{400, "kv_bad_request", reason, fmt.Sprintf(format, args...)}
}

// checkKV refuses a call before anything of it runs.
func checkKV(ops []queen.KVOp) error {
	if len(ops) > maxKVOps {
		return badKV("kv_too_many_ops", "%d ops in one call, the ceiling is %d", len(ops), maxKVOps).refusal()
	}
	if n := countKeys(ops); n > maxKVKeys {
		return badKV("kv_too_many_keys", "%d keys in one call, the ceiling is %d", n, maxKVKeys).refusal()
	}
	for i := range ops {
		if f := checkShape(i, &ops[i]); f != nil {
			return f.refusal()
		}
		if f := checkNames(i, &ops[i]); f != nil {
			return f.refusal()
		}
	}
	if f := checkOneWrite(ops); f != nil {
		return f.refusal()
	}
	return nil
}

func countKeys(ops []queen.KVOp) (n int) {
	for i := range ops {
		switch ops[i].Op {
		case queen.KVGetMany:
			n += len(ops[i].Keys)
		case queen.KVGetPrefix:
			n += pageLimit(ops[i].Limit)
		default:
			n++
		}
	}
	return n
}

func writes(op *queen.KVOp) bool {
	switch op.Op {
	case queen.KVPut, queen.KVPutIfAbsent, queen.KVDelete, queen.KVIncr:
		return true
	}
	return false
}

func checkOneWrite(ops []queen.KVOp) *kvFault {
	seen := map[string]bool{}
	for i := range ops {
		if !writes(&ops[i]) {
			continue
		}
		name := kvName(ops[i].NS, ops[i].Key)
		if seen[name] {
			return badKV("kv_duplicate_key_in_call", "a key may be written at most once per kv_apply_v1 call; it is what makes the intra-space lock order total")
		}
		seen[name] = true
	}
	return nil
}

// checkShape judges the members an operation has.
func checkShape(i int, op *queen.KVOp) *kvFault {
	switch op.Op {
	case queen.KVGet, queen.KVGetMany, queen.KVDelete:
	case queen.KVGetPrefix:
		if op.Prefix == "" {
			return badKV("kv_prefix_required", "op at index %d: getPrefix needs a non-empty prefix", i)
		}
	case queen.KVPut, queen.KVPutIfAbsent:
		if f := checkValue(i, op); f != nil {
			return f
		}
	case queen.KVIncr:
		if f := checkIncr(i, op); f != nil {
			return f
		}
	default:
		return badKV("kv_unknown_op", "op at index %d: unknown operation '%s'", i, op.Op)
	}
	if op.Expect != nil && *op.Expect < 0 {
		return badKV("kv_bad_expect", "op at index %d: expect must be a non-negative integer version (0 = must not exist)", i)
	}
	return nil
}

func checkValue(i int, op *queen.KVOp) *kvFault {
	value := trimJSON(op.Value)
	switch {
	case op.Value == nil:
		return badKV("kv_bad_request", "op at index %d: %s needs a value (\"value\": null is legal, an absent value is not)", i, op.Op)
	case len(value) > maxKVValue:
		return &kvFault{413, "payload_too_large", "kv_value_too_large",
			fmt.Sprintf("op at index %d: value is %d bytes, the ceiling is %d", i, len(value), maxKVValue)}
	case !json.Valid(value):
		return badKV("kv_bad_body", "op at index %d: value is not JSON", i)
	}
	return checkExpiry(i, op)
}

func checkExpiry(i int, op *queen.KVOp) *kvFault {
	if op.TTLSeconds < 0 {
		return badKV("kv_bad_ttl", "op at index %d: ttlSeconds must be an integer greater than zero", i)
	}
	given := 0
	if op.TTLSeconds > 0 {
		given++
	}
	if op.Forever {
		given++
	}
	if given != 1 {
		return badKV("kv_expiry_not_specified", "op at index %d: exactly one of ttlSeconds (integer > 0) and forever:true is required, got %d", i, given)
	}
	return nil
}

func checkIncr(i int, op *queen.KVOp) *kvFault {
	if op.Expect != nil {
		return badKV("kv_bad_request", "op at index %d: incr takes no expect", i)
	}
	if op.Delta == "" {
		return &kvFault{500, "kv_error", `null value in column "value" of relation "kv" violates not-null constraint`, ""}
	}
	for _, n := range []*json.Number{&op.Delta, op.Min, op.Max} {
		if n == nil {
			continue
		}
		if _, ok := parseDecimal(string(*n)); !ok {
			return badKV("kv_bad_request", "op at index %d: delta, min and max must be numbers", i)
		}
	}
	return checkExpiry(i, op)
}

// checkNames judges namespace and keys.
func checkNames(i int, op *queen.KVOp) *kvFault {
	if !namespacePattern.MatchString(op.NS) {
		return badKV("kv_bad_namespace", "namespace '%s' does not match %s", op.NS, namespacePattern)
	}
	keys := []string{op.Key}
	switch op.Op {
	case queen.KVGetMany:
		keys = op.Keys
	case queen.KVGetPrefix:
		keys = []string{op.Prefix}
	}
	for _, key := range keys {
		switch {
		case key == "":
			return badKV("kv_bad_key", "the key must be non-empty")
		case len(key) > maxKVKey:
			return &kvFault{413, "payload_too_large", "kv_key_too_large",
				fmt.Sprintf("key is %d bytes, the ceiling is %d", len(key), maxKVKey)}
		case strings.IndexByte(key, 0) >= 0:
			return &kvFault{500, "kv_error", "unsupported Unicode escape sequence", ""}
		}
	}
	return nil
}
