package sqs

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
)

func TestAttributesOfANewQueue(t *testing.T) {
	r := newRig(t)
	before := r.clock.Now()
	got := r.get(r.create("q", nil), "All")
	for _, name := range []string{"CreatedTimestamp", "LastModifiedTimestamp"} {
		seconds, err := strconv.ParseInt(got[name], 10, 64)
		if err != nil || seconds < before.Unix() || seconds > r.clock.Now().Unix() {
			t.Errorf("%s is %q, want the epoch second of now", name, got[name])
		}
		delete(got, name)
	}
	wantMap(t, got, map[string]string{
		"ApproximateNumberOfMessages":           "0",
		"ApproximateNumberOfMessagesDelayed":    "0",
		"ApproximateNumberOfMessagesNotVisible": "0",
		"DelaySeconds":                          "0",
		"MaximumMessageSize":                    "1048576",
		"MessageRetentionPeriod":                "345600",
		"QueueArn":                              "arn:aws:sqs:queen-1:000000000000:q",
		"ReceiveMessageWaitTimeSeconds":         "0",
		"VisibilityTimeout":                     "30",
		"queen.partitions":                      "8",
	})
}

func TestAttributesOfANewFIFOQueue(t *testing.T) {
	r := newRig(t)
	got := r.get(r.create("q.fifo", map[string]string{"FifoQueue": "true"}), "All")
	if got["FifoQueue"] != "true" || got["ContentBasedDeduplication"] != "false" {
		t.Errorf("got %v", got)
	}
	for _, absent := range []string{"DeduplicationScope", "FifoThroughputLimit", "SqsManagedSseEnabled", "queen.partitions", "queen.dedupWindowSeconds"} {
		if value, ok := got[absent]; ok {
			t.Errorf("%s is reported as %q", absent, value)
		}
	}
}

func TestAttributesOfTheAWSProfile(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.Profile = divergences.AWS })
	standard := r.get(r.create("q", nil), "All")
	if len(standard) != 12 || standard["SqsManagedSseEnabled"] != "true" {
		t.Errorf("%d attributes, want the 12 recorded: %v", len(standard), standard)
	}
	fifo := r.get(r.create("q.fifo", map[string]string{"FifoQueue": "true"}), "All")
	if len(fifo) != 16 || fifo["DeduplicationScope"] != "queue" || fifo["FifoThroughputLimit"] != "perQueue" {
		t.Errorf("%d attributes, want the 16 recorded: %v", len(fifo), fifo)
	}
}

func TestGetQueueAttributesByName(t *testing.T) {
	r := newRig(t)
	url := r.create("q", map[string]string{"VisibilityTimeout": "69"})
	wantMap(t, r.get(url, "QueueArn", "VisibilityTimeout"),
		map[string]string{"QueueArn": "arn:aws:sqs:queen-1:000000000000:q", "VisibilityTimeout": "69"})
	wantMap(t, r.get(url, "KmsMasterKeyId", "DelaySeconds", "DelaySeconds"), map[string]string{"DelaySeconds": "0"})
	wantMap(t, r.get(url, "VisibilityTimeout", "All"), r.get(url, "All"))

	for _, names := range [][]string{nil, {}, {"Policy", "KmsMasterKeyId", "SqsManagedSseEnabled", "FifoQueue"}} {
		answer := r.do("GetQueueAttributes", "QueueUrl", url, "AttributeNames", names)
		if answer == nil || answer.Len() != 0 {
			t.Errorf("%v answered %v, want a result without Attributes", names, answer)
		}
	}
	r.refuse(fault.InvalidAttributeName, "Unknown Attribute Foobar.",
		"GetQueueAttributes", "QueueUrl", url, "AttributeNames", []string{"All", "Foobar"})
	r.refuse(fault.QueueDoesNotExist, "", "GetQueueAttributes", "QueueUrl", "nowhere", "AttributeNames", []string{"Foobar"})
	r.refuse(fault.MissingParameter, "The request must contain the parameter QueueUrl.", "GetQueueAttributes")
}

func TestCounters(t *testing.T) {
	r := newRig(t)
	url := r.create("q", nil)
	names := []string{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed"}
	want := func(visible, notVisible, delayed string) {
		t.Helper()
		wantMap(t, r.get(url, names...), map[string]string{names[0]: visible, names[1]: notVisible, names[2]: delayed})
	}
	r.push("q", "0", 2)
	r.push("q", "1", 4)
	r.delay("q", "sqs.1", "sqs.2", "somebody.else")
	want("6", "0", "2")
	r.claim("q", 1)
	want("5", "1", "2")
	r.clock.Advance(31 * time.Second)
	want("6", "0", "2")
	wantMap(t, r.get(url, names[2]), map[string]string{names[2]: "2"})
	wantMap(t, r.get(url, names[1]), map[string]string{names[1]: "0"})
}

// hiding is a broker that can tell which messages the queue's delay hides.
type hiding struct {
	queen.Broker
	hidden int64
}

func (h *hiding) Depth(ctx context.Context, tok queen.Token, queue, group string) (queen.Depth, error) {
	d, err := h.Broker.Depth(ctx, tok, queue, group)
	d.Hidden = h.hidden
	return d, err
}

func TestCountersWithAQueueDelay(t *testing.T) {
	h := &hiding{}
	r := newRig(t, func(cfg *Config) { h.Broker = cfg.Broker; cfg.Broker = h })
	url := r.create("q", map[string]string{"DelaySeconds": "10"})
	names := []string{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesDelayed"}
	r.push("q", "0", 3)
	h.hidden = 2
	wantMap(t, r.get(url, names...), map[string]string{names[0]: "1", names[1]: "2"})
	wantMap(t, r.get(url, names[1]), map[string]string{names[1]: "2"})
	r.delay("q", "sqs.1")
	h.hidden = 0
	wantMap(t, r.get(url, names...), map[string]string{names[0]: "3", names[1]: "1"})
}

func TestSetQueueAttributes(t *testing.T) {
	r := newRig(t)
	url := r.create("q", map[string]string{"DelaySeconds": "1"})
	created := r.get(url, "CreatedTimestamp")["CreatedTimestamp"]
	r.clock.Advance(5 * time.Second)
	answer := r.do("SetQueueAttributes", "QueueUrl", url, "Attributes",
		map[string]string{"MaximumMessageSize": "2048", "VisibilityTimeout": "69", "DelaySeconds": "420"})
	if answer != nil {
		t.Errorf("answered %v, want no result", answer)
	}
	got := r.get(url, "All")
	for name, want := range map[string]string{
		"MaximumMessageSize": "2048", "VisibilityTimeout": "69", "DelaySeconds": "420",
		"MessageRetentionPeriod": "345600", "CreatedTimestamp": created,
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if got["LastModifiedTimestamp"] <= created {
		t.Errorf("modified at %s, created at %s", got["LastModifiedTimestamp"], created)
	}
}

func TestSetQueueAttributesRefusals(t *testing.T) {
	r := newRig(t)
	url := r.create("q", nil)
	fifo := r.create("q.fifo", map[string]string{"FifoQueue": "true"})
	before, beforeFIFO := r.get(url, "All"), r.get(fifo, "All")
	r.refuse(fault.MissingParameter, "The request must contain the parameter Attribute.Name.", "SetQueueAttributes", "QueueUrl", url)
	r.refuse(fault.QueueDoesNotExist, "", "SetQueueAttributes", "QueueUrl", "nowhere", "Attributes", map[string]string{"DelaySeconds": "1"})
	set := func(url string, kind *fault.Kind, text string, attributes map[string]string) {
		t.Helper()
		r.refuse(kind, text, "SetQueueAttributes", "QueueUrl", url, "Attributes", attributes)
	}
	set(url, fault.InvalidAttributeName, "Unknown Attribute FifoQueue.", map[string]string{"FifoQueue": "true"})
	set(url, fault.InvalidAttributeName, "Unknown Attribute FifoQueue.", map[string]string{"FifoQueue": "false"})
	set(url, fault.InvalidAttributeName, "Unknown Attribute queen.partitions.", map[string]string{"queen.partitions": "9"})
	set(url, fault.InvalidAttributeName, "", map[string]string{"DelaySeconds": "5", "Nonsense": "1"})
	set(url, fault.InvalidParameterValue, "", map[string]string{"VisibilityTimeout": "5", "DelaySeconds": "901"})
	set(url, fault.InvalidAttributeName, "You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.",
		map[string]string{"KmsMasterKeyId": "k", "SqsManagedSseEnabled": "true"})
	set(fifo, fault.InvalidAttributeValue, "Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported.",
		map[string]string{"FifoQueue": "False"})
	set(fifo, fault.InvalidParameterValue, "", map[string]string{"FifoThroughputLimit": "perMessageGroupId"})
	wantMap(t, r.get(url, "All"), before)
	wantMap(t, r.get(fifo, "All"), beforeFIFO)

	r.do("SetQueueAttributes", "QueueUrl", fifo, "Attributes", map[string]string{"FifoQueue": "true"})
	delete(beforeFIFO, "LastModifiedTimestamp")
	after := r.get(fifo, "All")
	delete(after, "LastModifiedTimestamp")
	wantMap(t, after, beforeFIFO)
}

func TestSetQueueAttributesRemoves(t *testing.T) {
	r := newRig(t)
	url := r.create("q", nil)
	set := func(attributes map[string]string) {
		t.Helper()
		r.do("SetQueueAttributes", "QueueUrl", url, "Attributes", attributes)
	}
	set(map[string]string{"Policy": "", "RedrivePolicy": ""})
	set(map[string]string{"Policy": `{"Version":"2012-10-17"}`})
	wantMap(t, r.get(url, "Policy", "RedrivePolicy"), map[string]string{"Policy": `{"Version":"2012-10-17"}`})
	set(map[string]string{"Policy": ""})
	wantMap(t, r.get(url, "Policy"), map[string]string{})
}

func TestEncryptionAttributes(t *testing.T) {
	r := newRig(t)
	url := r.create("q", nil)
	names := []string{"KmsMasterKeyId", "KmsDataKeyReusePeriodSeconds", "SqsManagedSseEnabled"}
	steps := []struct{ set, want map[string]string }{
		{map[string]string{"KmsMasterKeyId": "testKeyId", "KmsDataKeyReusePeriodSeconds": "6000"},
			map[string]string{"KmsMasterKeyId": "testKeyId", "KmsDataKeyReusePeriodSeconds": "6000", "SqsManagedSseEnabled": "false"}},
		{map[string]string{"KmsMasterKeyId": "", "KmsDataKeyReusePeriodSeconds": "300"},
			map[string]string{"SqsManagedSseEnabled": "false"}},
		{map[string]string{"KmsMasterKeyId": "other", "SqsManagedSseEnabled": "false"},
			map[string]string{"KmsMasterKeyId": "other", "SqsManagedSseEnabled": "false"}},
		{map[string]string{"SqsManagedSseEnabled": "true"}, map[string]string{"SqsManagedSseEnabled": "true"}},
	}
	for _, step := range steps {
		r.do("SetQueueAttributes", "QueueUrl", url, "Attributes", step.set)
		wantMap(t, r.get(url, names...), step.want)
	}

	all := map[string]string{"KmsMasterKeyId": "alias/aws/sqs", "KmsDataKeyReusePeriodSeconds": "297", "SqsManagedSseEnabled": "false"}
	wantMap(t, r.get(r.create("made", all), names...), all)
	r.create("made", all)
}

func TestHighThroughputRoundTrip(t *testing.T) {
	r := newRig(t)
	url := r.create("q.fifo", map[string]string{"FifoQueue": "true"})
	names := []string{"DeduplicationScope", "FifoThroughputLimit"}
	for _, values := range []map[string]string{
		{"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"},
		{"DeduplicationScope": "queue", "FifoThroughputLimit": "perQueue"},
	} {
		r.do("SetQueueAttributes", "QueueUrl", url, "Attributes", values)
		wantMap(t, r.get(url, names...), values)
	}
}
