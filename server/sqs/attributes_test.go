package sqs

import (
	"maps"
	"testing"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/registry"
)

func TestCheckAttributesOneByOne(t *testing.T) {
	const out, unknown = "InvalidParameterValueException", "InvalidAttributeName"
	cases := []struct {
		name, value    string
		fifo, creating bool
		kind, text     string // no kind: accepted
	}{
		{name: "VisibilityTimeout", value: "0"},
		{name: "VisibilityTimeout", value: " 43200 "},
		{name: "VisibilityTimeout", value: "43201", kind: out, text: "Invalid value for the parameter VisibilityTimeout: must be 0 to 43200"},
		{name: "VisibilityTimeout", value: "-1", kind: out},
		{name: "VisibilityTimeout", value: "", kind: out},
		{name: "VisibilityTimeout", value: "1.5", kind: out},
		{name: "VisibilityTimeout", value: "99999999999999999999", kind: out},
		{name: "MessageRetentionPeriod", value: "60"},
		{name: "MessageRetentionPeriod", value: "59", kind: out},
		{name: "MessageRetentionPeriod", value: "1209600"},
		{name: "MessageRetentionPeriod", value: "1209601", kind: out},
		{name: "MaximumMessageSize", value: "1024"},
		{name: "MaximumMessageSize", value: "1023", kind: out},
		{name: "MaximumMessageSize", value: "1048576"},
		{name: "MaximumMessageSize", value: "1048577", kind: out},
		{name: "DelaySeconds", value: "900"},
		{name: "DelaySeconds", value: "901", kind: out},
		{name: "ReceiveMessageWaitTimeSeconds", value: "20"},
		{name: "ReceiveMessageWaitTimeSeconds", value: "21", kind: out},
		{name: "KmsDataKeyReusePeriodSeconds", value: "60"},
		{name: "KmsDataKeyReusePeriodSeconds", value: "59", kind: out},
		{name: "KmsMasterKeyId", value: "anything at all"},
		{name: "SqsManagedSseEnabled", value: "TRUE"},
		{name: "SqsManagedSseEnabled", value: "yes", kind: out, text: "Invalid value for the parameter SqsManagedSseEnabled: must be true or false"},
		{name: "Policy", value: `{"Version":"2012-10-17","Statement":[]}`},
		{name: "Policy", value: ""},
		{name: "Policy", value: "{", kind: "InvalidAttributeValue", text: "Invalid value for the parameter Policy."},
		{name: "Policy", value: "[]", kind: "InvalidAttributeValue"},
		{name: "queen.dedupWindowSeconds", value: "31536000"},
		{name: "queen.dedupWindowSeconds", value: "0", kind: out},
		{name: "queen.partitions", value: "100000", creating: true},
		{name: "queen.partitions", value: "100001", creating: true, kind: out},
		{name: "queen.partitions", value: "8", kind: unknown, text: "Unknown Attribute queen.partitions."},
		{name: "queen.partitions", value: "8", creating: true, fifo: true, kind: unknown},

		{name: "FifoQueue", value: "true", fifo: true, creating: true},
		{name: "FifoQueue", value: "maybe", fifo: true, creating: true, kind: out},
		{name: "FifoQueue", value: "true", fifo: true},
		{name: "FifoQueue", value: "true", kind: unknown, text: "Unknown Attribute FifoQueue."},
		{name: "FifoQueue", value: "false", kind: unknown, text: "Unknown Attribute FifoQueue."},
		{name: "FifoQueue", value: "false", creating: true, kind: unknown, text: "Unknown Attribute FifoQueue."},
		{name: "ContentBasedDeduplication", value: "True", fifo: true},
		{name: "ContentBasedDeduplication", value: "false", creating: true, kind: unknown, text: "Unknown Attribute ContentBasedDeduplication."},
		{name: "DeduplicationScope", value: "queue", fifo: true},
		{name: "DeduplicationScope", value: "group", fifo: true, kind: out, text: "Invalid value for the parameter DeduplicationScope: must be messageGroup or queue"},
		{name: "DeduplicationScope", value: "queue", creating: true, kind: unknown,
			text: "You can specify the DeduplicationScope only when FifoQueue is set to true."},
		{name: "FifoThroughputLimit", value: "perQueue", fifo: true},
		{name: "FifoThroughputLimit", value: "", fifo: true, kind: out},
		{name: "FifoThroughputLimit", value: "perQueue", creating: true, kind: unknown,
			text: "You can specify the FifoThroughputLimit only when FifoQueue is set to true."},

		{name: "QueueArn", value: "x", kind: unknown, text: "Unknown Attribute QueueArn."},
		{name: "ApproximateNumberOfMessages", value: "1", creating: true, kind: unknown},
		{name: "Foobar", value: "x", kind: unknown, text: "Unknown Attribute Foobar."},
		{name: "visibilitytimeout", value: "1", kind: unknown},
		{name: "All", value: "1", kind: unknown},
	}
	for _, c := range cases {
		_, err := checkAttributes(map[string]string{c.name: c.value}, c.fifo, c.creating)
		switch {
		case c.kind == "" && err != nil:
			t.Errorf("%s=%q refused: %v", c.name, c.value, err)
		case c.kind != "" && err == nil:
			t.Errorf("%s=%q taken, want %s", c.name, c.value, c.kind)
		case c.kind != "" && fault.From(err).Kind.JSON != c.kind:
			t.Errorf("%s=%q is %v, want %s", c.name, c.value, err, c.kind)
		case c.text != "" && fault.From(err).Message() != c.text:
			t.Errorf("%s=%q says %q, want %q", c.name, c.value, fault.From(err).Message(), c.text)
		}
	}
}

func TestCheckAttributesNamesTheFirstInOrder(t *testing.T) {
	_, err := checkAttributes(map[string]string{"Zeta": "1", "DelaySeconds": "901", "Alpha": "1"}, false, true)
	wantFault(t, err, fault.InvalidAttributeName, "Unknown Attribute Alpha.")
}

func TestStoredValues(t *testing.T) {
	got, err := checkAttributes(map[string]string{
		"SqsManagedSseEnabled": " TRUE", "DelaySeconds": "007", "KmsMasterKeyId": "", "KmsDataKeyReusePeriodSeconds": "300",
	}, false, false)
	if err != nil {
		t.Fatal(err)
	}
	wantMap(t, got, map[string]string{"SqsManagedSseEnabled": "true", "DelaySeconds": "007", "KmsMasterKeyId": ""})
}

func TestMerge(t *testing.T) {
	cases := []struct {
		what                string
		before, given, want map[string]string
		kind                *fault.Kind
	}{
		{what: "named ones change, others stay",
			before: map[string]string{"DelaySeconds": "1", "VisibilityTimeout": "5"},
			given:  map[string]string{"DelaySeconds": "2"},
			want:   map[string]string{"DelaySeconds": "2", "VisibilityTimeout": "5"}},
		{what: "an empty value removes",
			before: map[string]string{"Policy": "{}", "RedrivePolicy": "{}", "DelaySeconds": "1"},
			given:  map[string]string{"Policy": "", "RedrivePolicy": "", "RedriveAllowPolicy": ""},
			want:   map[string]string{"DelaySeconds": "1"}},
		{what: "a key turns managed encryption off",
			given: map[string]string{"KmsMasterKeyId": "k", "KmsDataKeyReusePeriodSeconds": "300"},
			want:  map[string]string{"KmsMasterKeyId": "k", "KmsDataKeyReusePeriodSeconds": "300", "SqsManagedSseEnabled": "false"}},
		{what: "without the key it stays off",
			before: map[string]string{"KmsMasterKeyId": "k", "KmsDataKeyReusePeriodSeconds": "300", "SqsManagedSseEnabled": "false"},
			given:  map[string]string{"KmsMasterKeyId": ""},
			want:   map[string]string{"SqsManagedSseEnabled": "false"}},
		{what: "managed encryption removes the key",
			before: map[string]string{"KmsMasterKeyId": "k", "KmsDataKeyReusePeriodSeconds": "300", "SqsManagedSseEnabled": "false"},
			given:  map[string]string{"SqsManagedSseEnabled": "true"},
			want:   map[string]string{"SqsManagedSseEnabled": "true"}},
		{what: "high throughput needs the scope",
			given: map[string]string{"FifoThroughputLimit": "perMessageGroupId"}, kind: fault.InvalidParameterValue},
		{what: "high throughput with the scope that is there",
			before: map[string]string{"DeduplicationScope": "messageGroup"},
			given:  map[string]string{"FifoThroughputLimit": "perMessageGroupId"},
			want:   map[string]string{"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"}},
		{what: "the scope cannot be taken away from high throughput",
			before: map[string]string{"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"},
			given:  map[string]string{"DeduplicationScope": "queue"}, kind: fault.InvalidParameterValue},
	}
	for _, c := range cases {
		q := (&registry.Queue{Name: "q", Attributes: c.before}).Clone()
		err := merge(q, c.given)
		switch {
		case c.kind != nil && !fault.Is(err, c.kind):
			t.Errorf("%s: %v, want %s", c.what, err, c.kind.JSON)
		case c.kind == nil && (err != nil || !maps.Equal(q.Attributes, c.want)):
			t.Errorf("%s: %v, %v; want %v", c.what, q.Attributes, err, c.want)
		}
	}
}

func TestFirstDifference(t *testing.T) {
	s := New(Config{})
	standard := &registry.Queue{Name: "q", Attributes: map[string]string{"DelaySeconds": "01", "queen.partitions": "8"}}
	fifo := &registry.Queue{Name: "q.fifo", Attributes: map[string]string{"FifoQueue": "true"}}
	cases := []struct {
		q        *registry.Queue
		supplied map[string]string
		want     string
	}{
		{standard, nil, ""},
		{standard, map[string]string{"DelaySeconds": "1"}, ""},
		{standard, map[string]string{"DelaySeconds": "2"}, "DelaySeconds"},
		{standard, map[string]string{"VisibilityTimeout": "30", "MaximumMessageSize": "1048576"}, ""},
		{standard, map[string]string{"VisibilityTimeout": "31", "MessageRetentionPeriod": "60"}, "MessageRetentionPeriod"},
		{standard, map[string]string{"SqsManagedSseEnabled": "true"}, ""},
		{standard, map[string]string{"SqsManagedSseEnabled": "false"}, "SqsManagedSseEnabled"},
		{standard, map[string]string{"Policy": "", "RedrivePolicy": "", "KmsMasterKeyId": ""}, ""},
		{standard, map[string]string{"Policy": "{}"}, "Policy"},
		{standard, map[string]string{"queen.partitions": "8"}, ""},
		{standard, map[string]string{"queen.partitions": "9"}, "queen.partitions"},
		{fifo, map[string]string{"FifoQueue": "true", "ContentBasedDeduplication": "false"}, ""},
		{fifo, map[string]string{"ContentBasedDeduplication": "true"}, "ContentBasedDeduplication"},
		{fifo, map[string]string{"FifoQueue": "false"}, "FifoQueue"},
		{fifo, map[string]string{"DeduplicationScope": "queue", "FifoThroughputLimit": "perQueue"}, ""},
		{fifo, map[string]string{"DeduplicationScope": "messageGroup"}, "DeduplicationScope"},
		{fifo, map[string]string{"queen.dedupWindowSeconds": "300"}, ""},
	}
	for _, c := range cases {
		if got := s.firstDifference(c.q, c.supplied); got != c.want {
			t.Errorf("%v against %v: %q, want %q", c.supplied, c.q.Attributes, got, c.want)
		}
	}
}
