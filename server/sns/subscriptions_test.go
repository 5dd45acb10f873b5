package sns

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

func TestSubscribe(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	arn := r.sub(topic, "q", nil)
	if !regexp.MustCompile(`^` + arnPrefix + `t:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$`).MatchString(arn) {
		t.Errorf("%s", arn)
	}
	wantMap(t, r.attributes("GetSubscriptionAttributes", "SubscriptionArn", arn), map[string]string{
		"ConfirmationWasAuthenticated": "true", "Endpoint": queueARN + "q", "Owner": testAccount, "PendingConfirmation": "false",
		"Protocol": "sqs", "RawMessageDelivery": "false", "SubscriptionArn": arn, "TopicArn": topic,
		"SubscriptionPrincipal": "arn:aws:iam::" + testAccount + ":root",
	})
	got := string(wire.AppendJSONObject(nil, r.do("ListSubscriptionsByTopic", "TopicArn", topic)))
	if want := `{"Subscriptions":[{"SubscriptionArn":"` + arn + `","Owner":"` + testAccount + `","Protocol":"sqs","Endpoint":"` + queueARN + `q","TopicArn":"` + topic + `"}]}`; got != want {
		t.Errorf("%s", got)
	}
	if got := r.attributes("GetTopicAttributes", "TopicArn", topic)["SubscriptionsConfirmed"]; got != "1" {
		t.Errorf("%s subscriptions", got)
	}
}

func TestSubscribeRefusals(t *testing.T) {
	r := newRig(t)
	topic, fifo := r.topic("t", nil), r.topic("t.fifo", nil)
	q, qfifo := r.queue("q"), r.queue("q.fifo")
	for _, c := range []struct{ topic, protocol, endpoint, text string }{
		{topic, "test-protocol", "x", "Invalid parameter: Amazon SNS does not support this protocol string: test-protocol"},
		{topic, "https", "https://example.com/", "Invalid parameter: Protocol Reason: this deployment delivers to sqs and not to https"},
		{topic, "sqs", "unknown", "Invalid parameter: SQS endpoint ARN"},
		{topic, "sqs", "http://localhost:9324/000000000000/q", "Invalid parameter: SQS endpoint ARN"},
		{topic, "sqs", qfifo, "Invalid parameter: Invalid parameter: Endpoint Reason: FIFO SQS Queues can not be subscribed to standard SNS topics"},
		{topic, "sqs", queueARN + "absent", "Invalid parameter: Endpoint Reason: the queue does not exist"},
		{topic, "sqs", "arn:aws:sqs:eu-west-1:000000000000:q", "Invalid parameter: Endpoint Reason: the queue is of another region or account than this deployment"},
	} {
		r.refuse(fault.InvalidParameter, c.text, "Subscribe", "TopicArn", c.topic, "Protocol", c.protocol, "Endpoint", c.endpoint)
	}
	r.refuse(fault.InvalidParameter, "Invalid parameter: Protocol Reason: no value for required parameter", "Subscribe", "TopicArn", topic, "Endpoint", q)
	r.refuse(fault.InvalidParameter, "Invalid parameter: Endpoint Reason: no value for required parameter", "Subscribe", "TopicArn", topic, "Protocol", "sqs")
	r.do("Subscribe", "TopicArn", fifo, "Protocol", "sqs", "Endpoint", q)
	r.do("Subscribe", "TopicArn", fifo, "Protocol", "sqs", "Endpoint", qfifo)

	amazon := newRig(t, func(c *Config) {
		c.Profile = divergences.NewProfile("of the test", divergences.SubscribedQueueMustExist)
	})
	amazon.do("Subscribe", "TopicArn", amazon.topic("t", nil), "Protocol", "sqs", "Endpoint", queueARN+"absent")
}

// The table of what subscribing again answers (recorded 2025-10-06).
func TestSubscribeAgain(t *testing.T) {
	const differ = "Invalid parameter: Attributes Reason: Subscription already exists with different attributes"
	r := newRig(t)
	topic := r.topic("t", nil)
	arn := r.sub(topic, "q", map[string]string{"RawMessageDelivery": "True", "FilterPolicy": `{"a":["b"]}`})
	again := func(attributes map[string]string) []any {
		return []any{"TopicArn", topic, "Protocol", "sqs", "Endpoint", queueARN + "q", "Attributes", attributes}
	}
	for _, attributes := range []map[string]string{
		nil, {}, {"RawMessageDelivery": "true"}, {"RawMessageDelivery": "TRUE", "FilterPolicyScope": "MessageAttributes"},
		{"FilterPolicyScope": "MessageAttributes"}, {"FilterPolicy": `{ "a" : [ "b" ] }`},
	} {
		if got := member1(r.do("Subscribe", again(attributes)...), "SubscriptionArn"); got != arn {
			t.Errorf("%v: %s", attributes, got)
		}
	}
	for _, attributes := range []map[string]string{
		{"RawMessageDelivery": "false", "FilterPolicyScope": "MessageBody"}, {"RawMessageDelivery": "false"},
		{"FilterPolicy": `{"a":["c"]}`}, {"FilterPolicy": ""}, {"SubscriptionRoleArn": "role"},
	} {
		r.refuse(fault.InvalidParameter, differ, "Subscribe", again(attributes)...)
	}
	if got := r.attributes("GetSubscriptionAttributes", "SubscriptionArn", arn); got["RawMessageDelivery"] != "true" || got["FilterPolicy"] != `{"a":["b"]}` {
		t.Errorf("%v", got)
	}
}

// Everybody who subscribes one queue at once, on two gateways, has one
// subscription; everybody who subscribes a queue of their own has one too.
func TestSubscribeAtOnce(t *testing.T) {
	one := newRig(t)
	two := newRigOn(t, one.broker, one.clock)
	topic := one.topic("t", nil)
	shared := one.queue("shared")
	for i := range 12 {
		one.queue(fmt.Sprint("own", i))
	}
	var mu sync.Mutex
	arns := map[string]int{}
	var wg sync.WaitGroup
	for i := range 12 {
		r := []*rig{one, two}[i%2]
		for _, endpoint := range []string{shared, fmt.Sprint(queueARN, "own", i)} {
			wg.Go(func() {
				answer, err := r.try("Subscribe", "TopicArn", topic, "Protocol", "sqs", "Endpoint", endpoint)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				arns[member1(answer, "SubscriptionArn")]++
				mu.Unlock()
			})
		}
	}
	wg.Wait()
	if _, all := one.pages("ListSubscriptionsByTopic", "Subscriptions", "SubscriptionArn", "TopicArn", topic); len(arns) != 13 || len(all) != 13 {
		t.Errorf("%d answered, %d listed", len(arns), len(all))
	}
}

// The texts of what is wrong with an attribute differ by action in how they
// begin (recorded).
func TestSubscriptionAttributeRefusals(t *testing.T) {
	r := newRig(t)
	topic, fifo := r.topic("t", nil), r.topic("t.fifo", nil)
	standard, ofFIFO, mixed := r.sub(topic, "q", nil), r.sub(fifo, "q.fifo", nil), r.sub(fifo, "other", nil)
	dlq, dlqFIFO := r.queue("dlq"), r.queue("dlq.fifo")
	redrive := func(arn string) string { return `{"deadLetterTargetArn":"` + arn + `"}` }
	for _, c := range []struct{ sub, name, value, text string }{
		{standard, "RawMessageDelivery", "test-ValUe", "RawMessageDelivery: Invalid value [test-ValUe]. Must be true or false."},
		{standard, "RawMessageDelivery", "", "RawMessageDelivery: Invalid value []. Must be true or false."},
		{standard, "FakeAttribute", "x", "AttributeName"},
		{standard, "FilterPolicyScope", "RandomValue", "FilterPolicyScope: Invalid value [RandomValue]. Please use either MessageBody or MessageAttributes"},
		{standard, "RedrivePolicy", redrive("fake-arn"), "RedrivePolicy: deadLetterTargetArn is an invalid arn"},
		{standard, "RedrivePolicy", "{}", "RedrivePolicy: deadLetterTargetArn is an invalid arn"},
		{standard, "RedrivePolicy", redrive(dlqFIFO), "RedrivePolicy: must use a standard queue as DLQ for a subscription to a standard topic."},
		{ofFIFO, "RedrivePolicy", redrive(dlq), "RedrivePolicy: must use a FIFO queue as DLQ for a FIFO Subscription to a FIFO Topic."},
		{standard, "DeliveryPolicy", "x", "DeliveryPolicy: failed to parse JSON."},
	} {
		r.refuse(fault.InvalidParameter, "Invalid parameter: "+c.text, "SetSubscriptionAttributes",
			"SubscriptionArn", c.sub, "AttributeName", c.name, "AttributeValue", c.value)
	}
	_, err := r.try("SetSubscriptionAttributes", "SubscriptionArn", standard, "AttributeName", "RedrivePolicy", "AttributeValue", "{invalidjson}")
	first, _, _ := strings.Cut(fault.From(err).Message(), "\n")
	if first != "Invalid parameter: RedrivePolicy: failed to parse JSON. Unexpected character ('i' (code 105)): was expecting double-quote to start field name" {
		t.Errorf("%s", first)
	}
	r.do("SetSubscriptionAttributes", "SubscriptionArn", mixed, "AttributeName", "RedrivePolicy", "AttributeValue", redrive(dlq))
	const among = "Invalid parameter: Attributes Reason: "
	for _, c := range []struct{ name, value, text string }{
		{"RawMessageDelivery", "wrongvalue", "RawMessageDelivery: Invalid value [wrongvalue]. Must be true or false."},
		{"Fake", "x", "Unknown attribute: Fake"},
	} {
		r.refuse(fault.InvalidParameter, among+c.text, "Subscribe", "TopicArn", topic, "Protocol", "sqs", "Endpoint", dlq,
			"Attributes", map[string]string{c.name: c.value})
	}
	r.refuse(fault.NotFound, "Subscription does not exist", "SetSubscriptionAttributes",
		"SubscriptionArn", topic+":00000000-0000-4000-8000-000000000000", "AttributeName", "RawMessageDelivery", "AttributeValue", "true")
}

func TestSubscriptionAttributes(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	arn := r.sub(topic, "q", map[string]string{"FilterPolicy": "", "FilterPolicyScope": "MessageBody", "RawMessageDelivery": "TrUe"})
	get := func() map[string]string { return r.attributes("GetSubscriptionAttributes", "SubscriptionArn", arn) }
	set := func(name, value string) {
		t.Helper()
		if r.do("SetSubscriptionAttributes", "SubscriptionArn", arn, "AttributeName", name, "AttributeValue", value) != nil {
			t.Error("SetSubscriptionAttributes has a result")
		}
	}
	if got := get(); len(got) != 9 || got["RawMessageDelivery"] != "true" {
		t.Errorf("%v", got)
	}
	set("FilterPolicy", `{"a": [null, {"anything-but": "b"}]}`)
	if got := get(); got["FilterPolicy"] != `{"a": [null, {"anything-but": "b"}]}` || got["FilterPolicyScope"] != "MessageBody" {
		t.Errorf("%v", got)
	}
	set("FilterPolicy", "")
	if got := get(); len(got) != 9 {
		t.Errorf("%v", got)
	}
	set("DeliveryPolicy", `{"requestPolicy":{"headerContentType":"text/csv"}}`)
	if got := get()["DeliveryPolicy"]; got != `{"healthyRetryPolicy":null,"sicklyRetryPolicy":null,"throttlePolicy":null,"requestPolicy":{"headerContentType":"text/csv"},"guaranteed":false}` {
		t.Errorf("%s", got)
	}
	set("DeliveryPolicy", "")
	set("RedrivePolicy", `{"deadLetterTargetArn": "`+r.queue("dlq")+`"}`)
	if got := get(); len(got) != 10 || got["RedrivePolicy"] != `{"deadLetterTargetArn": "`+queueARN+`dlq"}` {
		t.Errorf("%v", got)
	}
}

func TestUnsubscribe(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	arn := r.sub(topic, "q", nil)
	if r.do("Unsubscribe", "SubscriptionArn", arn) != nil {
		t.Error("Unsubscribe has a result")
	}
	r.do("Unsubscribe", "SubscriptionArn", arn)
	r.refuse(fault.NotFound, "Subscription does not exist", "GetSubscriptionAttributes", "SubscriptionArn", arn)
	r.do("Publish", "TopicArn", topic, "Message", "m")
	r.want("the queue", r.bodies("q"), nil)
	if again := r.sub(topic, "q", nil); again == arn {
		t.Error("a new subscription has the ARN of the one that is gone")
	}
	for arn, text := range map[string]string{
		"randomstring":                           "Invalid parameter: SubscriptionArn Reason: An ARN must have at least 6 elements, not 1",
		"pending confirmation":                   "Invalid parameter: SubscriptionArn Reason: An ARN must have at least 6 elements, not 1",
		"arn:aws:sns:us-east-1:random":           "Invalid parameter: SubscriptionArn Reason: An ARN must have at least 6 elements, not 5",
		topic:                                    "Invalid parameter: SubscriptionId",
		topic + ":no id":                         "Invalid parameter: SubscriptionId",
		"arn:aws:sns:us-east-1:000000000000:t:0": "Invalid parameter: SubscriptionArn",
	} {
		for _, action := range []string{"Unsubscribe", "GetSubscriptionAttributes", "SetSubscriptionAttributes"} {
			r.refuse(fault.InvalidParameter, text, action, "SubscriptionArn", arn, "AttributeName", "RawMessageDelivery")
		}
	}
	r.refuse(fault.InvalidParameter, "Invalid parameter: SubscriptionArn Reason: no value for required parameter", "Unsubscribe")
}

func TestConfirmSubscription(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct{ topic, begins string }{
		{arnPrefix + "absent", "Invalid parameter: Token"},
		{"not-an-arn", "Invalid parameter: Topic"},
		{"arn:aws:sns:us-east-1:000000000000:t", "Invalid parameter: Topic"},
	} {
		_, err := r.try("ConfirmSubscription", "TopicArn", c.topic, "Token", "abc123")
		if !fault.Is(err, fault.InvalidParameter) || !strings.HasPrefix(fault.From(err).Message(), c.begins) {
			t.Errorf("%s: %v", c.topic, err)
		}
	}
	r.refuse(fault.InvalidParameter, "Invalid parameter: Token Reason: no value for required parameter", "ConfirmSubscription", "TopicArn", arnPrefix+"t")
}

func TestListSubscriptions(t *testing.T) {
	r := newRig(t)
	a, b := r.topic("a", nil), r.topic("b", nil)
	r.sub(b, "q", nil)
	var want []string
	for i := range 101 {
		want = append(want, r.sub(a, fmt.Sprint("q", i), nil))
	}
	slices.Sort(want)
	sizes, all := r.pages("ListSubscriptionsByTopic", "Subscriptions", "SubscriptionArn", "TopicArn", a)
	if !slices.Equal(sizes, []int{100, 1}) || !slices.Equal(all, want) {
		t.Errorf("pages of %v", sizes)
	}
	if sizes, all := r.pages("ListSubscriptions", "Subscriptions", "TopicArn"); !slices.Equal(sizes, []int{100, 2}) || all[101] != b {
		t.Errorf("pages of %v", sizes)
	}
	token := member1(r.do("ListSubscriptionsByTopic", "TopicArn", a), "NextToken")
	r.refuse(fault.InvalidParameter, "Invalid parameter: NextToken", "ListSubscriptionsByTopic", "TopicArn", b, "NextToken", token)
}

// A deleted topic takes its subscriptions along, more than one call can delete,
// and a topic made again has none.
func TestDeleteTopicCascades(t *testing.T) {
	r := newRig(t)
	topic, kept := r.topic("t", nil), r.topic("t2", nil)
	var arns []string
	for i := range 300 {
		arns = append(arns, r.sub(topic, fmt.Sprint("q", i), nil))
	}
	r.sub(kept, "q0", nil)
	r.do("DeleteTopic", "TopicArn", topic)
	r.do("DeleteTopic", "TopicArn", topic)
	r.refuse(fault.NotFound, "", "ListSubscriptionsByTopic", "TopicArn", topic)
	r.refuse(fault.NotFound, "Subscription does not exist", "GetSubscriptionAttributes", "SubscriptionArn", arns[299])
	r.do("Unsubscribe", "SubscriptionArn", arns[0])
	if _, all := r.pages("ListSubscriptions", "Subscriptions", "TopicArn"); !slices.Equal(all, []string{kept}) {
		t.Errorf("%v", all)
	}
	r.topic("t", nil)
	r.do("Publish", "TopicArn", topic, "Message", "m")
	r.want("a former subscriber", r.bodies("q7"), nil)
}

// A crash in the middle of a DeleteTopic leaves a topic with fewer
// subscriptions, or none at all and no topic, never a subscription without its
// topic; deleting again finishes it.
func TestDeleteTopicInterrupted(t *testing.T) {
	for fail := range 4 {
		r := newRig(t)
		topic := r.topic("t", nil)
		for i := range 260 {
			r.sub(topic, fmt.Sprint("q", i), nil)
		}
		broken := newRigOn(t, &watched{Broker: &kvStops{Broker: r.broker, after: fail}}, r.clock)
		_, err := broken.try("DeleteTopic", "TopicArn", topic)
		if fail < 3 && err == nil {
			t.Errorf("%d: answered", fail)
		}
		_, left := r.pages("ListSubscriptions", "Subscriptions", "TopicArn")
		if _, err := r.try("GetTopicAttributes", "TopicArn", topic); err != nil && len(left) > 0 {
			t.Errorf("%d: %d subscriptions of no topic", fail, len(left))
		}
		r.do("DeleteTopic", "TopicArn", topic)
		if _, left := r.pages("ListSubscriptions", "Subscriptions", "TopicArn"); len(left) > 0 {
			t.Errorf("%d: %d subscriptions left", fail, len(left))
		}
	}
}

// kvStops is a broker that is gone after so many writes to its key/value store.
type kvStops struct {
	queen.Broker
	after int
}

func (b *kvStops) KV(ctx context.Context, tok queen.Token, ops []queen.KVOp) ([]queen.KVResult, error) {
	if slices.ContainsFunc(ops, func(op queen.KVOp) bool { return op.Op == queen.KVDelete || op.Op == queen.KVPut }) {
		if b.after == 0 {
			return nil, &queen.TransportError{Err: context.DeadlineExceeded}
		}
		b.after--
	}
	return b.Broker.KV(ctx, tok, ops)
}

// Whoever subscribes while a topic is deleted either gets NotFound or is deleted
// with it.
func TestSubscribeWhileDeleting(t *testing.T) {
	for range 10 {
		r := newRig(t)
		topic := r.topic("t", nil)
		for i := range 5 {
			r.queue(fmt.Sprint("q", i))
		}
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				_, err := r.try("Subscribe", "TopicArn", topic, "Protocol", "sqs", "Endpoint", fmt.Sprint(queueARN, "q", i))
				if err != nil && !fault.Is(err, fault.NotFound) {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if _, err := r.try("DeleteTopic", "TopicArn", topic); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if _, left := r.pages("ListSubscriptions", "Subscriptions", "TopicArn"); len(left) > 0 {
			t.Fatalf("%d subscriptions of no topic", len(left))
		}
	}
}

// A change on one gateway holds for the next publish on another, without any
// time passing.
func TestChangesHoldEverywhereAtOnce(t *testing.T) {
	one := newRig(t)
	two := newRigOn(t, one.broker, one.clock)
	topic := one.topic("t", nil)
	arn := one.sub(topic, "q", map[string]string{"RawMessageDelivery": "true"})
	publish := func(message string) { two.do("Publish", "TopicArn", topic, "Message", message) }
	publish("one")
	one.sub(topic, "q2", map[string]string{"RawMessageDelivery": "true"})
	publish("two")
	one.do("Unsubscribe", "SubscriptionArn", arn)
	publish("three")
	if got := one.bodies("q"); !slices.Contains(got, "one") || !slices.Contains(got, "two") || len(got) != 2 {
		t.Errorf("%q", got)
	}
	if got := one.bodies("q2"); !slices.Contains(got, "two") || !slices.Contains(got, "three") || len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// A subscription is compiled once for each version of it.
func TestCompiledOnce(t *testing.T) {
	r := newRig(t)
	compiled := map[string]int{}
	subs := registry.NewSubscribers(r.registry, func(s *registry.Subscription) string {
		compiled[s.ID]++
		return s.ID
	})
	topic := r.topic("t", nil)
	arn := r.sub(topic, "a", nil)
	list := func() int {
		record, err := r.registry.Topic(context.Background(), testToken, "t")
		if err != nil {
			t.Fatal(err)
		}
		items, truncated, err := subs.Of(context.Background(), testToken, record)
		if err != nil || truncated {
			t.Fatal(err, truncated)
		}
		return len(items)
	}
	list()
	list()
	r.sub(topic, "b", nil)
	r.clock.Advance(2 * registry.DefaultTTL)
	list()
	r.do("SetSubscriptionAttributes", "SubscriptionArn", arn, "AttributeName", "RawMessageDelivery", "AttributeValue", "true")
	if n := list(); n != 2 {
		t.Errorf("%d subscribers", n)
	}
	if counts := slices.Sorted(maps.Values(compiled)); !slices.Equal(counts, []int{1, 2}) {
		t.Errorf("compiled %v times", counts)
	}
}
