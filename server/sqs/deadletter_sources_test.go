package sqs

import (
	"context"
	"fmt"
	"testing"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/registry"
)

func TestListDeadLetterSourceQueues(t *testing.T) {
	r := newRig(t)
	dlq := r.create("dlq", nil)
	other := r.create("other", nil)
	var want []string
	for i := range 5 {
		want = append(want, r.create(fmt.Sprint("src-", i), map[string]string{"RedrivePolicy": redriveTo(r.queueARN("dlq"), "3")}))
	}
	r.create("elsewhere", map[string]string{"RedrivePolicy": redriveTo(r.queueARN("other"), "3")})

	all := r.do("ListDeadLetterSourceQueues", "QueueUrl", dlq)
	wantList(t, list(all.Get("queueUrls")), want...)
	if all.Len() != 1 {
		t.Errorf("members beside queueUrls: %v", all)
	}
	first := r.do("ListDeadLetterSourceQueues", "QueueUrl", dlq, "MaxResults", 2)
	wantList(t, list(first.Get("queueUrls")), want[:2]...)
	token, _ := first.Str("NextToken")
	rest := r.do("ListDeadLetterSourceQueues", "QueueUrl", dlq, "MaxResults", 3, "NextToken", token)
	wantList(t, list(rest.Get("queueUrls")), want[2:]...)
	if rest.Has("NextToken") {
		t.Error("a token although no queue follows")
	}

	none := r.do("ListDeadLetterSourceQueues", "QueueUrl", "elsewhere")
	if !none.Has("queueUrls") || len(list(none.Get("queueUrls"))) != 0 {
		t.Errorf("no sources answered %v", none)
	}
	wantList(t, list(r.do("ListDeadLetterSourceQueues", "QueueUrl", other).Get("queueUrls")), testBase+"/000000000000/elsewhere")
	r.refuse(fault.InvalidParameterValue, "Value for parameter MaxResults is invalid. Reason: must be 1 to 1000.",
		"ListDeadLetterSourceQueues", "QueueUrl", dlq, "MaxResults", 1001)
	r.refuse(fault.InvalidParameterValue, "Invalid or expired NextToken", "ListDeadLetterSourceQueues", "QueueUrl", dlq, "NextToken", "?")
}

// A scan that found nothing within its budget still says where to go on.
func TestListDeadLetterSourceQueuesScanBudget(t *testing.T) {
	r := newRig(t)
	dlq := r.create("dlq", nil)
	const records = sourcePage*mostSourcePages + 10
	for i := range records {
		q := &registry.Queue{Name: fmt.Sprintf("q-%06d", i)}
		if i == records-1 {
			q.Attributes = map[string]string{"RedrivePolicy": redriveTo(r.queueARN("dlq"), "3")}
		}
		if _, _, err := r.registry.CreateQueue(context.Background(), "token", q); err != nil {
			t.Fatal(err)
		}
	}
	first := r.do("ListDeadLetterSourceQueues", "QueueUrl", dlq)
	token, ok := first.Str("NextToken")
	if !ok || len(list(first.Get("queueUrls"))) != 0 {
		t.Fatalf("the first call answered %v", first)
	}
	second := r.do("ListDeadLetterSourceQueues", "QueueUrl", dlq, "NextToken", token)
	wantList(t, list(second.Get("queueUrls")), testBase+"/000000000000/"+fmt.Sprintf("q-%06d", records-1))
}
