package sqs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Attributes that are computed when they are asked for.
const (
	allAttributes      = "All"
	queueArn           = "QueueArn"
	createdTimestamp   = "CreatedTimestamp"
	modifiedTimestamp  = "LastModifiedTimestamp"
	messagesVisible    = "ApproximateNumberOfMessages"
	messagesNotVisible = "ApproximateNumberOfMessagesNotVisible"
	messagesDelayed    = "ApproximateNumberOfMessagesDelayed"
)

// valueKind is what an attribute's value must be.
type valueKind uint8

const (
	wholeNumber valueKind = iota + 1 // between lo and hi
	boolean
	oneOf    // the words
	freeText // an empty one removes the attribute
	document // JSON, checked further by the attribute's own rules; an empty one removes
)

// attribute is what there is to know about a queue attribute.
type attribute struct {
	kind   valueKind
	lo, hi int
	words  []string
	// createOnly ones cannot be set later, readOnly ones never.
	createOnly bool
	readOnly   bool
	// fifoOnly and standardOnly ones belong to that type of queue.
	fifoOnly     bool
	standardOnly bool
	// refused is the text for a fifoOnly attribute on a standard queue, where AWS
	// was recorded to say more than that it is unknown (2024-05-15).
	refused string
}

// attributes is every attribute a client can name. Ranges are AWS's documented
// ones; those of the queen. attributes are this gateway's.
var attributes = map[string]attribute{
	registry.VisibilityTimeout:             {kind: wholeNumber, lo: 0, hi: 43200},
	registry.MessageRetentionPeriod:        {kind: wholeNumber, lo: 60, hi: 1209600},
	registry.MaximumMessageSize:            {kind: wholeNumber, lo: 1024, hi: registry.LargestMessage},
	registry.DelaySeconds:                  {kind: wholeNumber, lo: 0, hi: 900},
	registry.ReceiveMessageWaitTimeSeconds: {kind: wholeNumber, lo: 0, hi: 20},

	registry.RedrivePolicy:                {kind: document},
	registry.RedriveAllowPolicy:           {kind: document},
	registry.Policy:                       {kind: document},
	registry.KmsMasterKeyID:               {kind: freeText},
	registry.KmsDataKeyReusePeriodSeconds: {kind: wholeNumber, lo: 60, hi: 86400},
	registry.SqsManagedSseEnabled:         {kind: boolean},

	registry.FifoQueue:                 {kind: boolean, fifoOnly: true},
	registry.ContentBasedDeduplication: {kind: boolean, fifoOnly: true},
	registry.DeduplicationScope: {kind: oneOf, words: []string{"messageGroup", "queue"}, fifoOnly: true,
		refused: "You can specify the DeduplicationScope only when FifoQueue is set to true."},
	registry.FifoThroughputLimit: {kind: oneOf, words: []string{"perQueue", "perMessageGroupId"}, fifoOnly: true,
		refused: "You can specify the FifoThroughputLimit only when FifoQueue is set to true."},

	registry.DedupWindowSeconds: {kind: wholeNumber, lo: 1, hi: 31536000},
	registry.Partitions:         {kind: wholeNumber, lo: 1, hi: 100000, createOnly: true, standardOnly: true},

	queueArn:           {readOnly: true},
	createdTimestamp:   {readOnly: true},
	modifiedTimestamp:  {readOnly: true},
	messagesVisible:    {readOnly: true},
	messagesNotVisible: {readOnly: true},
	messagesDelayed:    {readOnly: true},
}

func unknownAttribute(name string) *fault.Error {
	return fault.InvalidAttributeName.Withf("Unknown Attribute %s.", excerpt(name))
}

// checkAttributes checks the attributes of a CreateQueue or SetQueueAttributes
// in the order of their names, and answers the values to store: booleans in
// lower case (as AWS gives them back), everything else as sent.
func checkAttributes(values map[string]string, fifo, creating bool) (map[string]string, error) {
	checked := make(map[string]string, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		a, ok := attributes[name]
		switch {
		case !ok, a.readOnly, a.createOnly && !creating, a.standardOnly && fifo, a.fifoOnly && !fifo && a.refused == "":
			return nil, unknownAttribute(name)
		case a.fifoOnly && !fifo:
			return nil, fault.InvalidAttributeName.With(a.refused)
		}
		value, err := a.check(name, values[name])
		if err != nil {
			return nil, err
		}
		checked[name] = value
	}
	key, keyGiven := checked[registry.KmsMasterKeyID]
	if key != "" && checked[registry.SqsManagedSseEnabled] == "true" {
		return nil, fault.InvalidAttributeName.With("You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.")
	}
	if keyGiven && key == "" { // without a key there is no period (recorded)
		delete(checked, registry.KmsDataKeyReusePeriodSeconds)
	}
	return checked, nil
}

func (a attribute) check(name, value string) (stored string, err error) {
	switch a.kind {
	case wholeNumber:
		n, ok := wire.ParseInt(value)
		if !ok || n < int64(a.lo) || n > int64(a.hi) {
			return "", invalidValue(name, fmt.Sprintf("must be %d to %d", a.lo, a.hi))
		}
	case boolean:
		if _, ok := wire.ParseBool(value); !ok {
			return "", invalidValue(name, "must be true or false")
		}
		return strings.ToLower(strings.TrimSpace(value)), nil
	case oneOf:
		if !slices.Contains(a.words, value) {
			return "", invalidValue(name, "must be "+strings.Join(a.words, " or "))
		}
	case document:
		if name == registry.Policy && value != "" && !isObject(value) {
			return "", fault.InvalidAttributeValue.With("Invalid value for the parameter Policy.")
		}
	}
	return value, nil
}

func invalidValue(name, why string) *fault.Error {
	return fault.InvalidParameterValue.Withf("Invalid value for the parameter %s: %s", name, why)
}

func isObject(text string) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &o) == nil && o != nil
}

// merge puts checked attributes into a queue's and applies the rules that they
// share with the ones already there. It changes q.
func merge(q *registry.Queue, values map[string]string) error {
	for name, value := range values {
		if value == "" { // only kinds that an empty value removes come this far with one
			delete(q.Attributes, name)
			continue
		}
		q.Attributes[name] = value
	}
	mergeEncryption(q, values)
	if q.Attributes[registry.FifoThroughputLimit] == "perMessageGroupId" &&
		q.Attributes[registry.DeduplicationScope] != "messageGroup" {
		return invalidValue(registry.FifoThroughputLimit, "perMessageGroupId needs a DeduplicationScope of messageGroup")
	}
	return nil
}

// mergeEncryption keeps one kind of encryption at a time, as AWS was recorded to
// do (2025-12-10): a KMS key turns SqsManagedSseEnabled off, turning that on
// removes the key, and removing the key leaves it off.
func mergeEncryption(q *registry.Queue, values map[string]string) {
	key, keyGiven := values[registry.KmsMasterKeyID]
	switch {
	case keyGiven && key == "":
		delete(q.Attributes, registry.KmsDataKeyReusePeriodSeconds)
	case keyGiven:
		q.Attributes[registry.SqsManagedSseEnabled] = "false"
	case values[registry.SqsManagedSseEnabled] == "true":
		delete(q.Attributes, registry.KmsMasterKeyID)
		delete(q.Attributes, registry.KmsDataKeyReusePeriodSeconds)
	}
}

// reported are the attributes a client is shown, apart from the computed ones.
func (s *Service) reported(q *registry.Queue) map[string]string {
	shown := map[string]string{}
	for name, n := range registry.Defaults {
		shown[name] = fmt.Sprint(n)
	}
	if q.FIFO() {
		shown[registry.FifoQueue] = "true"
		shown[registry.ContentBasedDeduplication] = "false"
	}
	if s.profile.MatchesAmazon(divergences.QueueAttributesOnlyWhenSet) {
		maps.Copy(shown, implied(q))
	}
	maps.Copy(shown, q.Attributes)
	if s.profile.MatchesAmazon(divergences.GatewayQueueAttributes) {
		delete(shown, registry.Partitions)
		delete(shown, registry.DedupWindowSeconds)
	}
	return shown
}

// implied are the values of attributes that count although nobody set them and
// profile queen does not report them (QS-18).
func implied(q *registry.Queue) map[string]string {
	values := map[string]string{
		registry.SqsManagedSseEnabled: fmt.Sprint(q.Attributes[registry.KmsMasterKeyID] == ""),
	}
	if q.FIFO() {
		values[registry.DeduplicationScope] = "queue"
		values[registry.FifoThroughputLimit] = "perQueue"
	}
	return values
}

// firstDifference is the first attribute, in the order of the names, that is
// supplied with another value than the queue has now; empty when there is none.
// An attribute that is not supplied is not compared.
func (s *Service) firstDifference(q *registry.Queue, supplied map[string]string) string {
	current := implied(q)
	current[registry.DedupWindowSeconds] = fmt.Sprint(q.DedupWindow())
	maps.Copy(current, s.reported(q))
	maps.Copy(current, q.Attributes)
	for _, name := range slices.Sorted(maps.Keys(supplied)) {
		if !sameValue(attributes[name].kind, supplied[name], current[name]) {
			return name
		}
	}
	return ""
}

func sameValue(kind valueKind, a, b string) bool {
	switch kind {
	case wholeNumber:
		x, ok := wire.ParseInt(a)
		y, ok2 := wire.ParseInt(b)
		return ok && ok2 && x == y
	case boolean:
		return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
	default:
		return a == b
	}
}
