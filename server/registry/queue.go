package registry

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"time"
)

// Names of queue attributes, as clients spell them.
const (
	VisibilityTimeout             = "VisibilityTimeout"
	MessageRetentionPeriod        = "MessageRetentionPeriod"
	MaximumMessageSize            = "MaximumMessageSize"
	DelaySeconds                  = "DelaySeconds"
	ReceiveMessageWaitTimeSeconds = "ReceiveMessageWaitTimeSeconds"
	RedrivePolicy                 = "RedrivePolicy"
	RedriveAllowPolicy            = "RedriveAllowPolicy"
	Policy                        = "Policy"
	KmsMasterKeyID                = "KmsMasterKeyId"
	KmsDataKeyReusePeriodSeconds  = "KmsDataKeyReusePeriodSeconds"
	SqsManagedSseEnabled          = "SqsManagedSseEnabled"
	FifoQueue                     = "FifoQueue"
	ContentBasedDeduplication     = "ContentBasedDeduplication"
	DeduplicationScope            = "DeduplicationScope"
	FifoThroughputLimit           = "FifoThroughputLimit"
	// DedupWindowSeconds and Partitions are the gateway's own.
	DedupWindowSeconds = "queen.dedupWindowSeconds"
	Partitions         = "queen.partitions"
)

// FIFOSuffix makes a name that of a FIFO queue (or topic).
const FIFOSuffix = ".fifo"

// LargestMessage is the most bytes MaximumMessageSize can allow, and its default.
const LargestMessage = 1048576

// Defaults of the attributes that every queue has (recorded from AWS,
// 2025-12-10).
var Defaults = map[string]int{
	VisibilityTimeout:             30,
	MessageRetentionPeriod:        345600,
	MaximumMessageSize:            LargestMessage,
	DelaySeconds:                  0,
	ReceiveMessageWaitTimeSeconds: 0,
}

// unstampedWidth is that of a record that has lost its queen.partitions.
const unstampedWidth = 64

// Queue is the record of a queue. One that the Registry hands out is shared:
// change a Clone.
type Queue struct {
	Name string
	// Attributes are those that were set, as they were sent. An attribute not in
	// here has its default.
	Attributes map[string]string
	Tags       map[string]string
	// Created and Modified are whole milliseconds.
	Created  time.Time
	Modified time.Time
	ARN      string
	// Version is the store's; 0 on a record that was never stored.
	Version int64
}

// Redrive is where a queue's messages go that were received too often.
type Redrive struct {
	DeadLetterTargetARN string
	// MaxReceiveCount is how often a consumer sees a message, 1 or more.
	MaxReceiveCount int
}

// IsFIFO reports whether a name is that of a FIFO queue.
func IsFIFO(name string) bool { return strings.HasSuffix(name, FIFOSuffix) }

// FIFO reports whether the queue is a FIFO queue.
func (q *Queue) FIFO() bool { return IsFIFO(q.Name) }

// Width is the number of lanes of a standard queue, 1 or more, and 0 for a FIFO
// queue, whose lanes are its message groups.
func (q *Queue) Width() int {
	if q.FIFO() {
		return 0
	}
	n, ok := q.number(Partitions)
	if !ok {
		return unstampedWidth
	}
	return max(n, 1)
}

// Seconds is the value in force of an attribute that is a whole number (not
// only of seconds): the stored one, else the default, else 0.
func (q *Queue) Seconds(attribute string) int {
	if n, ok := q.number(attribute); ok {
		return n
	}
	return Defaults[attribute]
}

// MaximumMessageSize is the most bytes a message may have.
func (q *Queue) MaximumMessageSize() int {
	return min(q.Seconds(MaximumMessageSize), LargestMessage)
}

// ContentBasedDeduplication reports whether a message without a deduplication
// id is deduplicated by its body.
func (q *Queue) ContentBasedDeduplication() bool {
	return q.FIFO() && strings.EqualFold(strings.TrimSpace(q.Attributes[ContentBasedDeduplication]), "true")
}

// DedupWindow is how many seconds a deduplication id stays taken: 0 for a
// standard queue, 300 for a FIFO queue, unless queen.dedupWindowSeconds says
// otherwise.
func (q *Queue) DedupWindow() int {
	if n, ok := q.number(DedupWindowSeconds); ok {
		return n
	}
	if q.FIFO() {
		return 300
	}
	return 0
}

// Redrive is the queue's redrive policy. Ok is false when it has none, or one
// that cannot be read.
func (q *Queue) Redrive() (policy Redrive, ok bool) {
	doc := q.Attributes[RedrivePolicy]
	if doc == "" {
		return Redrive{}, false
	}
	return ParseRedrive(doc)
}

// ParseRedrive reads a RedrivePolicy document: an object with
// deadLetterTargetArn and maxReceiveCount, the latter a number or a string of
// one. Ok is false when it is not that, or the count is below 1.
func ParseRedrive(doc string) (policy Redrive, ok bool) {
	var raw struct {
		Target string          `json:"deadLetterTargetArn"`
		Count  json.RawMessage `json:"maxReceiveCount"`
	}
	if json.Unmarshal([]byte(doc), &raw) != nil || raw.Target == "" {
		return Redrive{}, false
	}
	n, ok := WholeNumber(raw.Count)
	if !ok || n < 1 {
		return Redrive{}, false
	}
	return Redrive{DeadLetterTargetARN: raw.Target, MaxReceiveCount: n}, true
}

// WholeNumber reads a JSON number, or a JSON string of one.
func WholeNumber(raw json.RawMessage) (int, bool) {
	text := strings.TrimSpace(string(raw))
	if strings.HasPrefix(text, `"`) {
		if json.Unmarshal(raw, &text) != nil {
			return 0, false
		}
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	return n, err == nil
}

func (q *Queue) number(attribute string) (int, bool) {
	text, ok := q.Attributes[attribute]
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	return n, err == nil
}

// Clone is a copy that may be changed. Its maps are not nil.
func (q *Queue) Clone() *Queue {
	c := *q
	c.Attributes = cloned(q.Attributes)
	c.Tags = cloned(q.Tags)
	return &c
}

func cloned(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return maps.Clone(m)
}

// storedQueue is a record as the store has it.
type storedQueue struct {
	Attributes map[string]string `json:"attributes"`
	Tags       map[string]string `json:"tags"`
	Created    int64             `json:"createdTs"`
	Modified   int64             `json:"modifiedTs"`
	ARN        string            `json:"arn"`
}

func (q *Queue) stored() storedQueue {
	return storedQueue{
		Attributes: cloned(q.Attributes),
		Tags:       cloned(q.Tags),
		Created:    q.Created.UnixMilli(),
		Modified:   q.Modified.UnixMilli(),
		ARN:        q.ARN,
	}
}

// decodeQueue reads a record as far as it can be read: a member that cannot
// gets its default, because a queue with one bad member is still a queue.
func (r *Registry) decodeQueue(name string, row Row) *Queue {
	q := &Queue{Name: name, Version: row.Version}
	var members map[string]json.RawMessage
	bad := json.Unmarshal(row.Value, &members) != nil
	bad = !decodeTexts(members["attributes"], &q.Attributes) || bad
	bad = !decodeTexts(members["tags"], &q.Tags) || bad
	var created, modified int64
	bad = !decodeMember(members["createdTs"], &created) || bad
	bad = !decodeMember(members["modifiedTs"], &modified) || bad
	bad = !decodeMember(members["arn"], &q.ARN) || bad
	if modified == 0 {
		modified = created
	}
	q.Created, q.Modified = time.UnixMilli(created).UTC(), time.UnixMilli(modified).UTC()
	if q.ARN == "" {
		q.ARN = r.QueueARN(name)
	}
	if bad {
		r.lines.Warn("a queue record cannot be read in full; defaults stand in", "queue", name)
	}
	return q
}

func decodeMember[T any](raw json.RawMessage, to *T) bool {
	if raw == nil {
		return true
	}
	var v T
	if json.Unmarshal(raw, &v) != nil {
		return false
	}
	*to = v
	return true
}

func decodeTexts(raw json.RawMessage, to *map[string]string) bool {
	var members map[string]json.RawMessage
	ok := decodeMember(raw, &members)
	*to = make(map[string]string, len(members))
	for name, value := range members {
		var text string
		if !decodeMember(value, &text) {
			ok = false
			continue
		}
		(*to)[name] = text
	}
	return ok
}

// QueueARN is the ARN of a queue of that name.
func (r *Registry) QueueARN(name string) string {
	return "arn:aws:sqs:" + r.region + ":" + r.account + ":" + name
}
