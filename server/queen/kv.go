package queen

import (
	"encoding/json"
	"time"
)

// KVVerb names a key/value operation.
type KVVerb string

// The key/value operations.
const (
	KVGet         KVVerb = "get"
	KVGetMany     KVVerb = "getMany"
	KVGetPrefix   KVVerb = "getPrefix"
	KVPut         KVVerb = "put"
	KVPutIfAbsent KVVerb = "putIfAbsent"
	KVDelete      KVVerb = "delete"
	KVIncr        KVVerb = "incr"
)

// KVOp is one operation on the key/value store, an ordered map of (namespace,
// key) to JSON. The JSON form is Queen's own. Put, PutIfAbsent and Incr need an
// expiry: exactly one of TTLSeconds and Forever.
type KVOp struct {
	Op  KVVerb `json:"op"`
	NS  string `json:"ns"`
	Key string `json:"key,omitempty"`
	// Keys belongs to GetMany.
	Keys []string `json:"keys,omitempty"`
	// Prefix, Limit (1 to 1000, 0 means 100), After (exclusive) and KeysOnly
	// belong to GetPrefix.
	Prefix   string `json:"prefix,omitempty"`
	Limit    int    `json:"limit,omitempty"`
	After    string `json:"after,omitempty"`
	KeysOnly bool   `json:"keysOnly,omitempty"`
	// Value belongs to Put; at most 65536 bytes of JSON text.
	Value json.RawMessage `json:"value,omitempty"`
	// Delta, Min and Max belong to Incr.
	Delta      json.Number  `json:"delta,omitempty"`
	Min        *json.Number `json:"min,omitempty"`
	Max        *json.Number `json:"max,omitempty"`
	TTLSeconds int64        `json:"ttlSeconds,omitempty"`
	Forever    bool         `json:"forever,omitempty"`
	// Expect makes a Put or Delete conditional: 0 means the key must be absent,
	// another number that it must have this version. Nil means always.
	Expect *int64 `json:"expect,omitempty"`
	// Required makes a lost operation fail the whole call.
	Required bool `json:"required,omitempty"`
}

// Version is an Expect condition.
func Version(v int64) *int64 { return &v }

// KVReason says why an operation was not applied.
type KVReason string

// The reasons of an operation that was not applied.
const (
	KVExists  KVReason = "exists"
	KVAbsent  KVReason = "absent"
	KVVersion KVReason = "version"
	KVLimit   KVReason = "limit"
	KVType    KVReason = "type"
)

// KVResult answers one operation. Which members are set depends on the verb:
// Get sets Found and the row; Put, Delete and Incr set Applied or Reason with
// the row that won; GetMany sets Rows and Missing; GetPrefix sets Rows,
// Truncated and NextAfter. A version is compared for equality only.
type KVResult struct {
	Op      KVVerb
	Key     string
	Found   bool
	Applied bool
	Reason  KVReason
	Value   json.RawMessage
	Version int64
	// ExpiresAt is zero for a row that stays forever.
	ExpiresAt time.Time
	UpdatedAt time.Time

	Rows    []KVRow
	Missing []string
	// Truncated says that the limit or the read budget cut the page. Keys of a
	// GetMany that the budget cut are in neither Rows nor Missing.
	Truncated bool
	NextAfter string
}

// KVRow is one row of a GetMany or GetPrefix.
type KVRow struct {
	Key       string
	Value     json.RawMessage
	Version   int64
	ExpiresAt time.Time
	UpdatedAt time.Time
}
