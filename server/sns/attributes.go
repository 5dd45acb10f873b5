package sns

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Names of topic attributes, as clients spell them.
const (
	displayName               = "DisplayName"
	fifoTopic                 = "FifoTopic"
	contentBasedDeduplication = "ContentBasedDeduplication"
	fifoThroughputScope       = "FifoThroughputScope"
	signatureVersion          = "SignatureVersion"
	tracingConfig             = "TracingConfig"
	topicPolicy               = "Policy"
	deliveryPolicy            = "DeliveryPolicy"
	effectiveDeliveryPolicy   = "EffectiveDeliveryPolicy"
)

// attribute is what can be set. An empty value removes an attribute, but for
// those that are one of a few words.
type attribute struct {
	// createOnly ones cannot be changed, fifoOnly ones belong to FIFO topics.
	createOnly, fifoOnly bool
	// words are the values there are, nil for any. Their case does not matter when
	// anyCase is set; they are kept as they are written here.
	words   []string
	anyCase bool
	// wrong is the end of AWS's sentence about another value than one of words.
	wrong string
	// rewrite checks a value and answers what is kept of it, or what is wrong.
	rewrite func(value string) (kept, why string)
}

var flag = attribute{words: []string{"true", "false"}, anyCase: true, wrong: "Must be true or false."}

func word(wrong string, words ...string) attribute { return attribute{words: words, wrong: wrong} }

// topicAttributes are the attributes of a topic that a client can set. What has
// no effect here is kept and reported.
var topicAttributes = func() map[string]attribute {
	table := map[string]attribute{
		displayName:               {},
		topicPolicy:               {rewrite: jsonObject},
		deliveryPolicy:            {rewrite: rewriteTopicDelivery},
		"ArchivePolicy":           {rewrite: jsonObject, fifoOnly: true},
		"KmsMasterKeyId":          {},
		signatureVersion:          word("Must be 1 or 2.", "1", "2"),
		tracingConfig:             word("Please use either PassThrough or Active", "PassThrough", "Active"),
		contentBasedDeduplication: flag,
		fifoThroughputScope:       word("Please use either Topic or MessageGroup", "Topic", "MessageGroup"),
		fifoTopic:                 flag,
	}
	for name, change := range map[string]func(*attribute){
		contentBasedDeduplication: func(a *attribute) { a.fifoOnly = true },
		fifoThroughputScope:       func(a *attribute) { a.fifoOnly = true },
		fifoTopic:                 func(a *attribute) { a.createOnly = true },
	} {
		a := table[name]
		change(&a)
		table[name] = a
	}
	// Logs of deliveries are kept by AWS's platform; the settings read back as they
	// were given (recorded with those of Lambda).
	for _, protocol := range []string{"Application", "Firehose", "HTTP", "Lambda", "SQS"} {
		table[protocol+"SuccessFeedbackRoleArn"] = attribute{}
		table[protocol+"FailureFeedbackRoleArn"] = attribute{}
		table[protocol+"SuccessFeedbackSampleRate"] = attribute{rewrite: percentage}
	}
	return table
}()

// subscriptionAttributes are the attributes of a subscription that a client can
// set. Policies are checked where both of their halves are known.
var subscriptionAttributes = map[string]attribute{
	registry.RawMessageDelivery:  flag,
	registry.FilterPolicy:        {},
	registry.FilterPolicyScope:   word("Please use either MessageBody or MessageAttributes", scopeAttributes, scopeBody),
	registry.DeliveryPolicy:      {rewrite: rewriteSubscriptionDelivery},
	registry.RedrivePolicy:       {},
	registry.SubscriptionRoleArn: {},
}

// Values of FilterPolicyScope.
const (
	scopeAttributes = "MessageAttributes"
	scopeBody       = "MessageBody"
)

// check answers what is kept of a value, empty for an attribute to remove, or
// what is wrong with it.
func (a attribute) check(name, value string) (kept, why string) {
	if a.words != nil {
		for _, w := range a.words {
			if w == value || a.anyCase && strings.EqualFold(w, value) {
				return w, ""
			}
		}
		return "", fmt.Sprintf("%s: Invalid value [%s]. %s", name, clip(value), a.wrong)
	}
	if value == "" || a.rewrite == nil {
		return value, ""
	}
	kept, why = a.rewrite(value)
	if why != "" {
		return "", name + ": " + why
	}
	return kept, ""
}

func jsonObject(value string) (kept, why string) {
	if !isObject(value) {
		return "", "failed to parse JSON."
	}
	return value, ""
}

func isObject(doc string) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal([]byte(doc), &members) == nil && members != nil
}

func percentage(value string) (kept, why string) {
	if n, err := strconv.Atoi(strings.TrimSpace(value)); err != nil || n < 0 || n > 100 {
		return "", fmt.Sprintf("Invalid value [%s]. Must be 0 to 100.", clip(value))
	}
	return value, ""
}

// Prefixes of what is wrong with an attribute: where many are sent, and where
// one is set (recorded with subscriptions).
const (
	amongAttributes = "Invalid parameter: Attributes Reason: "
	ofAttribute     = "Invalid parameter: "
)

func badAttribute(prefix, why string) *fault.Error { return fault.InvalidParameter.With(prefix + why) }

// topicValues checks the attributes of a CreateTopic and answers what is kept of
// them. One that is empty counts as not sent, but for DisplayName.
func topicValues(sent map[string]string, fifo bool) (map[string]string, error) {
	kept := make(map[string]string, len(sent))
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		a, ok := topicAttributes[name]
		if !ok {
			return nil, badAttribute(amongAttributes, "Unknown attribute: "+clip(name))
		}
		value, why := a.check(name, sent[name])
		if why == "" && a.fifoOnly && !fifo && value != "false" {
			why = name + ": can only be set for a FIFO topic"
		}
		if why != "" {
			return nil, badAttribute(amongAttributes, why)
		}
		if value != "" || name == displayName {
			kept[name] = value
		}
	}
	return kept, nil
}

// topicDefaults are the values that count as set where a topic is created again.
func topicDefaults(fifo bool) map[string]string {
	return map[string]string{
		displayName:               "",
		fifoTopic:                 strconv.FormatBool(fifo),
		contentBasedDeduplication: "false",
		signatureVersion:          "1",
		tracingConfig:             "PassThrough",
		fifoThroughputScope:       "Topic",
	}
}

// sameDocument compares texts, those that are JSON by what they say.
func sameDocument(a, b string) bool {
	if a == b {
		return true
	}
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	left, _ := json.Marshal(x)
	right, _ := json.Marshal(y)
	return string(left) == string(right)
}

// attributesAnswer is an answer of attributes in the order of their names.
func attributesAnswer(values map[string]string) *wire.Object {
	o := wire.NewObject()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		o.Set(name, wire.String(values[name]))
	}
	return wire.NewObject(wire.Member{Name: "Attributes", Value: wire.Map(o)})
}
