package sqs

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
)

func TestCreateQueueAnswersItsURL(t *testing.T) {
	r := newRig(t)
	if got, want := r.create("orders", nil), testBase+"/000000000000/orders"; got != want {
		t.Fatalf("URL %q, want %q", got, want)
	}
	got, _ := r.do("GetQueueUrl", "QueueName", "orders", "QueueOwnerAWSAccountId", "999999999999").Str("QueueUrl")
	if got != testBase+"/000000000000/orders" {
		t.Fatalf("GetQueueUrl answered %q", got)
	}
}

func TestCreateQueueAgain(t *testing.T) {
	r := newRig(t)
	made := map[string]string{"ReceiveMessageWaitTimeSeconds": "1", "DelaySeconds": "1"}
	url := r.create("q", made)
	for _, same := range []map[string]string{made, nil, {}, {"DelaySeconds": "1"}, {"DelaySeconds": " 1"}, {"VisibilityTimeout": "30"}} {
		if got := r.create("q", same); got != url {
			t.Fatalf("again with %v: %q, want %q", same, got, url)
		}
	}
	const text = "A queue already exists with the same name and a different value for attribute DelaySeconds"
	r.refuse(fault.QueueNameExists, text, "CreateQueue", "QueueName", "q",
		"Attributes", map[string]string{"ReceiveMessageWaitTimeSeconds": "1", "DelaySeconds": "2"})

	// What counts is what the queue has now.
	r.do("SetQueueAttributes", "QueueUrl", url, "Attributes", map[string]string{"DelaySeconds": "2"})
	r.create("q", map[string]string{"ReceiveMessageWaitTimeSeconds": "1", "DelaySeconds": "2"})
	r.refuse(fault.QueueNameExists, text, "CreateQueue", "QueueName", "q", "Attributes", made)
}

func TestCreateQueueAgainLeavesTagsAlone(t *testing.T) {
	r := newRig(t)
	r.do("CreateQueue", "QueueName", "q", "tags", map[string]string{"team": "a"})
	r.do("CreateQueue", "QueueName", "q", "tags", map[string]string{"team": "b", "more": "c"})
	wantMap(t, texts(r.do("ListQueueTags", "QueueUrl", "q").Get("Tags")), map[string]string{"team": "a"})
}

func TestCreateQueueRefusesNames(t *testing.T) {
	r := newRig(t)
	fifo := map[string]string{"FifoQueue": "true"}
	cases := []struct {
		name       string
		attributes map[string]string
		text       string
	}{
		{"queue/x/", nil, badStandardName},
		{"a.b", nil, badStandardName},
		{strings.Repeat("x", 81), nil, badStandardName},
		{"plain.fifo", nil, badStandardName},
		{"plain.fifo", map[string]string{"FifoQueue": "false"}, badStandardName},
		{"plain", fifo, badFIFOName},
		{".fifo", fifo, badFIFOName},
		{"a b.fifo", fifo, badFIFOName},
	}
	for _, c := range cases {
		r.refuse(fault.InvalidParameterValue, c.text, "CreateQueue", "QueueName", c.name, "Attributes", c.attributes)
	}
	r.refuse(fault.MissingParameter, "The request must contain the parameter QueueName.", "CreateQueue")
	r.refuse(fault.MissingParameter, "", "CreateQueue", "QueueName", "")
	wantList(t, list(r.do("ListQueues").Get("QueueUrls")))
}

func TestCreateFIFOQueue(t *testing.T) {
	r := newRig(t)
	url := r.create("q.fifo", map[string]string{"FifoQueue": "True", "ContentBasedDeduplication": "true"})
	if !strings.HasSuffix(url, "/q.fifo") {
		t.Fatalf("URL %q", url)
	}
	r.create("q.fifo", map[string]string{"FifoQueue": "true"})
	r.create("q.fifo", nil) // QS-21
	r.refuse(fault.QueueNameExists, "A queue already exists with the same name and a different value for attribute ContentBasedDeduplication",
		"CreateQueue", "QueueName", "q.fifo", "Attributes", map[string]string{"FifoQueue": "true", "ContentBasedDeduplication": "false"})
	r.refuse(fault.QueueNameExists, "A queue already exists with the same name and a different value for attribute FifoQueue",
		"CreateQueue", "QueueName", "q.fifo", "Attributes", map[string]string{"FifoQueue": "false"})
}

func TestCreateQueueConfiguresTheBroker(t *testing.T) {
	var configured []queen.Options
	r := newRig(t, spy(func(o queen.Options) { configured = append(configured, o) }))
	url := r.create("q", map[string]string{"VisibilityTimeout": "11", "DelaySeconds": "3", "MessageRetentionPeriod": "600"})
	r.create("dlq", nil)
	r.do("SetQueueAttributes", "QueueUrl", url, "Attributes", map[string]string{
		"RedrivePolicy": fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":"7"}`, r.queueARN("dlq"))})
	r.create("q", nil) // configures from the record, not from the request

	want := queen.DefaultOptions()
	want.LeaseTime, want.DelayedProcessing, want.RetentionSeconds = 11, 3, 600
	want.RetentionEnabled, want.DeadLetterQueue, want.DedupWindowSeconds = true, false, 0
	if configured[0] != want {
		t.Errorf("on create %+v, want %+v", configured[0], want)
	}
	want.RetryLimit = 7
	for _, got := range configured[2:] {
		if got != want {
			t.Errorf("later %+v, want %+v", got, want)
		}
	}
	if len(configured) != 4 {
		t.Errorf("%d configures, want 4", len(configured))
	}
}

func TestOptionsOfABrokerThatForgetsIDs(t *testing.T) {
	r := newRig(t)
	r.create("short.fifo", map[string]string{"FifoQueue": "true", "MessageRetentionPeriod": "600", "queen.dedupWindowSeconds": "900"})
	r.create("long", nil)
	short, _ := r.registry.Queue(context.Background(), "token", "short.fifo")
	long, _ := r.registry.Queue(context.Background(), "token", "long")
	if got := options(short, false); got.CompletedRetentionSeconds != 600 || got.DedupWindowSeconds != 900 {
		t.Errorf("short: %+v", got)
	}
	if got := options(long, false).CompletedRetentionSeconds; got != 86400 {
		t.Errorf("long: kept for %d s, want a day", got)
	}
	if got := options(long, true).CompletedRetentionSeconds; got != 0 {
		t.Errorf("a broker that keeps ids is told %d", got)
	}
}

// A queue that the broker has and the registry has not is somebody else's.
func TestCreateQueueNeverAdopts(t *testing.T) {
	r := newRig(t)
	r.push("native", "0", 1)
	r.refuse(fault.QueueNameExists, "", "CreateQueue", "QueueName", "native")
	r.refuse(fault.QueueDoesNotExist, "", "GetQueueUrl", "QueueName", "native")
	infos, err := r.broker.ListQueues(context.Background(), "token")
	if err != nil || len(infos) != 1 || infos[0].Messages != 1 {
		t.Fatalf("the native queue is now %+v, %v", infos, err)
	}
}

func TestCreateQueueRepairsALostBrokerHalf(t *testing.T) {
	r := newRig(t)
	url := r.create("q", map[string]string{"VisibilityTimeout": "5"})
	if _, err := r.broker.DeleteQueue(context.Background(), "token", "q"); err != nil {
		t.Fatal(err)
	}
	r.refuse(fault.QueueDoesNotExist, "", "GetQueueAttributes", "QueueUrl", url, "AttributeNames", []string{"All"})
	r.create("q", nil)
	r.get(url, "All")
}

func TestDeleteQueue(t *testing.T) {
	r := newRig(t)
	url := r.create("q", nil)
	r.delay("q", "sqs.1")
	if answer := r.do("DeleteQueue", "QueueUrl", url); answer != nil {
		t.Fatalf("answered %v, want no result", answer)
	}
	for _, action := range []string{"GetQueueAttributes", "DeleteQueue", "PurgeQueue", "ListQueueTags", "ListDeadLetterSourceQueues"} {
		r.refuse(fault.QueueDoesNotExist, "The specified queue does not exist.", action, "QueueUrl", url)
	}
	r.refuse(fault.QueueDoesNotExist, "", "GetQueueUrl", "QueueName", "q")
	wantList(t, list(r.do("ListQueues").Get("QueueUrls")))

	const text = "You must wait 60 seconds after deleting a queue before you can create another with the same name."
	r.refuse(fault.QueueDeletedRecently, text, "CreateQueue", "QueueName", "q")
	r.clock.Advance(59 * time.Second)
	r.refuse(fault.QueueDeletedRecently, text, "CreateQueue", "QueueName", "q")
	// The delayed message was due by now and must not have brought the queue back.
	r.clock.Advance(10 * time.Second)
	r.create("q", nil)
	wantMap(t, r.get(url, "ApproximateNumberOfMessages"), map[string]string{"ApproximateNumberOfMessages": "0"})
}

func TestDeleteQueueEndsThePurgeWindow(t *testing.T) {
	r := newRig(t)
	url := r.create("q", nil)
	r.clock.Advance(time.Minute)
	r.do("PurgeQueue", "QueueUrl", url)
	r.do("DeleteQueue", "QueueUrl", url)
	r.clock.Advance(61 * time.Second)
	r.create("q", nil)
	r.do("PurgeQueue", "QueueUrl", url)
}

func TestGetQueueURLRefusals(t *testing.T) {
	r := newRig(t)
	r.refuse(fault.MissingParameter, "The request must contain the parameter QueueName.", "GetQueueUrl")
	r.refuse(fault.QueueDoesNotExist, "The specified queue does not exist.", "GetQueueUrl", "QueueName", "nowhere")
	r.refuse(fault.QueueDoesNotExist, "", "GetQueueUrl", "QueueName", "no/where")
}

func TestListQueuesPages(t *testing.T) {
	r := newRig(t)
	want := make([]string, 10)
	for i := range want {
		want[9-i] = r.create(fmt.Sprintf("page-%d", 9-i), nil)
	}
	other := r.create("other", nil)

	all := r.do("ListQueues")
	wantList(t, list(all.Get("QueueUrls")), append([]string{other}, want...)...)
	if all.Has("NextToken") {
		t.Error("a token although nothing follows")
	}
	whole := r.do("ListQueues", "QueueNamePrefix", "page-", "MaxResults", "10")
	wantList(t, list(whole.Get("QueueUrls")), want...)
	if whole.Has("NextToken") {
		t.Error("a token although the page holds all")
	}
	first := r.do("ListQueues", "QueueNamePrefix", "page-", "MaxResults", 2)
	wantList(t, list(first.Get("QueueUrls")), want[:2]...)
	token, ok := first.Str("NextToken")
	if !ok {
		t.Fatal("no token although 8 follow")
	}
	second := r.do("ListQueues", "QueueNamePrefix", "page-", "MaxResults", 10, "NextToken", token)
	wantList(t, list(second.Get("QueueUrls")), want[2:]...)
	if second.Has("NextToken") {
		t.Error("a token although nothing follows")
	}

	if none := r.do("ListQueues", "QueueNamePrefix", "absent"); none == nil || none.Len() != 0 {
		t.Errorf("no match answered %v, want a result without members", none)
	}
	if none := r.do("ListQueues", "QueueNamePrefix", "a b%"); none.Len() != 0 {
		t.Errorf("an impossible prefix answered %v", none)
	}
	for _, n := range []any{0, 1001, "-1"} {
		r.refuse(fault.InvalidParameterValue, "Value for parameter MaxResults is invalid. Reason: must be 1 to 1000.", "ListQueues", "MaxResults", n)
	}
	r.refuse(fault.InvalidParameterValue, "", "ListQueues", "MaxResults", "many")
	for _, bad := range []string{"!", pageToken("a b") + "=", pageToken("a/b")} {
		r.refuse(fault.InvalidParameterValue, "Invalid or expired NextToken", "ListQueues", "NextToken", bad)
	}
}

// spy reports every configure of the broker.
func spy(saw func(queen.Options)) rigOption {
	return func(cfg *Config) { cfg.Broker = configureSpy{cfg.Broker, saw} }
}

type configureSpy struct {
	queen.Broker
	saw func(queen.Options)
}

func (s configureSpy) Configure(ctx context.Context, tok queen.Token, queue string, opts queen.Options) (queen.Options, error) {
	s.saw(opts)
	return s.Broker.Configure(ctx, tok, queue, opts)
}
