package sqs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/fault"
)

func redriveTo(arn, count string) string {
	return fmt.Sprintf(`{"deadLetterTargetArn": %q, "maxReceiveCount": %s}`, arn, count)
}

func TestRedrivePolicyIsKeptByteForByte(t *testing.T) {
	r := newRig(t)
	r.create("dlq", nil)
	url := r.create("q", nil)
	arn := r.queueARN("dlq")
	for _, doc := range []string{redriveTo(arn, `"42"`), redriveTo(arn, "42"), redriveTo(arn, "1000"), redriveTo(arn, `" 1 "`)} {
		r.do("SetQueueAttributes", "QueueUrl", url, "Attributes", map[string]string{"RedrivePolicy": doc})
		wantMap(t, r.get(url, "RedrivePolicy"), map[string]string{"RedrivePolicy": doc})
		r.create("q", map[string]string{"RedrivePolicy": doc})
	}
	r.do("SetQueueAttributes", "QueueUrl", url, "Attributes", map[string]string{"RedrivePolicy": ""})
	wantMap(t, r.get(url, "RedrivePolicy"), map[string]string{})
}

func TestRedrivePolicyRefusals(t *testing.T) {
	r := newRig(t)
	r.create("dlq", nil)
	r.create("dlq.fifo", map[string]string{"FifoQueue": "true"})
	url := r.create("q", nil)
	dlq := r.queueARN("dlq")
	cases := []struct{ doc, reason string }{
		{"nonsense", "Redrive policy is not a valid JSON map"},
		{"[]", "Redrive policy is not a valid JSON map"},
		{"null", "Redrive policy is not a valid JSON map"},
		{`{"maxReceiveCount":3}`, "Redrive policy does not contain mandatory attribute: deadLetterTargetArn"},
		{`{"deadLetterTargetArn":"` + dlq + `"}`, "Redrive policy does not contain mandatory attribute: maxReceiveCount"},
		{`{"deadLetterTargetArn": "dummy", "maxReceiveCount": 42}`, "Invalid value for deadLetterTargetArn"},
		{redriveTo("arn:aws:sqs:elsewhere:000000000000:dlq", "3"), "Invalid value for deadLetterTargetArn"},
		{`{"deadLetterTargetArn":5,"maxReceiveCount":3}`, "Invalid value for deadLetterTargetArn"},
		{redriveTo(dlq, `"invalid"`), "Invalid value for maxReceiveCount: invalid, valid values are from 1 to 1000 both inclusive"},
		{redriveTo(dlq, "0"), "Invalid value for maxReceiveCount: 0, valid values are from 1 to 1000 both inclusive"},
		{redriveTo(dlq, "1001"), "Invalid value for maxReceiveCount: 1001, valid values are from 1 to 1000 both inclusive"},
		{redriveTo(dlq, "2.5"), "Invalid value for maxReceiveCount: 2.5, valid values are from 1 to 1000 both inclusive"},
		{redriveTo(r.queueARN("absent"), "3"), "Dead letter target does not exist"},
		{redriveTo(r.queueARN("dlq.fifo"), "3"), "Dead-letter queue must be of the same type as its source queue"},
		{redriveTo(r.queueARN("q"), "3"), "Dead-letter queue must be another queue than its source queue"}, // QS-24
	}
	for _, c := range cases {
		text := "Value " + c.doc + " for parameter RedrivePolicy is invalid. Reason: " + c.reason + "."
		attributes := map[string]string{"RedrivePolicy": c.doc}
		r.refuse(fault.InvalidParameterValue, text, "SetQueueAttributes", "QueueUrl", url, "Attributes", attributes)
		r.refuse(fault.InvalidParameterValue, text, "CreateQueue", "QueueName", "q", "Attributes", attributes)
	}
	wantMap(t, r.get(url, "RedrivePolicy"), map[string]string{})
	r.refuse(fault.InvalidParameterValue, "", "CreateQueue", "QueueName", "made", "Attributes", map[string]string{"RedrivePolicy": redriveTo(r.queueARN("made"), "3")})
	r.refuse(fault.QueueDoesNotExist, "", "GetQueueUrl", "QueueName", "made")
}

func TestRedrivePolicyIsQuotedWithABound(t *testing.T) {
	r := newRig(t)
	url := r.create("q", nil)
	doc := strings.Repeat("é", 300)
	r.refuse(fault.InvalidParameterValue,
		"Value "+strings.Repeat("é", 256)+"… for parameter RedrivePolicy is invalid. Reason: Redrive policy is not a valid JSON map.",
		"SetQueueAttributes", "QueueUrl", url, "Attributes", map[string]string{"RedrivePolicy": doc})
}

func TestRedriveAllowPolicy(t *testing.T) {
	r := newRig(t)
	url := r.create("q", nil)
	source := `"arn:aws:sqs:eu-west-1:123456789012:src"`
	many := strings.TrimSuffix(strings.Repeat(source+",", 11), ",")
	good := []string{
		`{"redrivePermission":"allowAll"}`,
		`{"redrivePermission": "denyAll"}`,
		`{"redrivePermission":"byQueue","sourceQueueArns":[` + source + `]}`,
		``,
	}
	bad := []string{
		`x`, `[]`, `null`, `{}`, `{"redrivePermission":"some"}`, `{"redrivePermission":1}`,
		`{"redrivePermission":"allowAll","sourceQueueArns":[` + source + `]}`,
		`{"redrivePermission":"byQueue"}`,
		`{"redrivePermission":"byQueue","sourceQueueArns":[]}`,
		`{"redrivePermission":"byQueue","sourceQueueArns":["src"]}`,
		`{"redrivePermission":"byQueue","sourceQueueArns":[` + many + `]}`,
	}
	for _, doc := range bad {
		r.refuse(fault.InvalidParameterValue, "", "SetQueueAttributes", "QueueUrl", url, "Attributes", map[string]string{"RedriveAllowPolicy": doc})
	}
	wantMap(t, r.get(url, "RedriveAllowPolicy"), map[string]string{})
	for _, doc := range good {
		r.do("SetQueueAttributes", "QueueUrl", url, "Attributes", map[string]string{"RedriveAllowPolicy": doc})
		if got := r.get(url, "RedriveAllowPolicy")["RedriveAllowPolicy"]; got != doc {
			t.Errorf("got %q, want %q", got, doc)
		}
	}
}
