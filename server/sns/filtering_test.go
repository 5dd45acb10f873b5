package sns

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// policies is a topic's subscribers q0, q1, ... with a policy each, raw.
func (r *rig) policies(topic string, docs ...map[string]string) (queues []string) {
	r.t.Helper()
	for i, doc := range docs {
		if doc == nil {
			doc = map[string]string{}
		}
		doc["RawMessageDelivery"] = "true"
		queues = append(queues, fmt.Sprint("q", i))
		r.sub(topic, queues[i], doc)
	}
	return queues
}

func TestFilteredPublish(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	queues := r.policies(topic, nil,
		map[string]string{"FilterPolicy": `{"kind":["order"]}`},
		map[string]string{"FilterPolicy": `{"kind":[{"anything-but":"order"}]}`},
		map[string]string{"FilterPolicy": `{"price":[{"numeric":[">",0,"<=",100]}]}`},
		map[string]string{"FilterPolicy": `{"kind":{"of":["order"]}}`, "FilterPolicyScope": "MessageBody"},
		map[string]string{"FilterPolicy": `{"store":[{"exists":false}]}`},
		map[string]string{"FilterPolicy": `{"list":["b"]}`},
	)
	for _, c := range []struct {
		message    string
		attributes *wire.Object
		reaches    []int
	}{
		{"plain", nil, []int{0}},
		{"order", attrs("kind", "String", "order"), []int{0, 1, 5}},
		{"other", attrs("kind", "String", "Order", "price", "Number", "99.12"), []int{0, 2, 3, 5}},
		{"dear", attrs("price", "Number", "111", "store", "String", "s"), []int{0}},
		{`{"kind":{"of":"order"}}`, nil, []int{0, 4}},
		{`{"kind.of":"order"}`, attrs("kind", "String", "order"), []int{0, 1, 4, 5}},
		{"list", attrs("list", "String.Array", `["a","b"]`), []int{0, 5, 6}},
	} {
		pairs := []any{"TopicArn", topic, "Message", c.message}
		if c.attributes != nil {
			pairs = append(pairs, "MessageAttributes", c.attributes)
		}
		r.do("Publish", pairs...)
		for i, q := range queues {
			var want []string
			if slices.Contains(c.reaches, i) {
				want = []string{c.message}
			}
			r.want(fmt.Sprint(c.message, " in ", q), r.bodies(q), want)
		}
	}
	// What a body's policy sees is the text for queues.
	r.do("Publish", "TopicArn", topic, "MessageStructure", "json", "Message", `{"default":"d","sqs":"{\"kind\":{\"of\":\"order\"}}"}`)
	r.want("the text for queues", r.bodies("q4"), []string{`{"kind":{"of":"order"}}`})
}

// Each entry of a batch is filtered by itself.
func TestFilteredBatch(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	queues := r.policies(topic, nil, map[string]string{"FilterPolicy": `{"kind":["order"]}`})
	answer := r.do("PublishBatch", "TopicArn", topic, "PublishBatchRequestEntries", []*wire.Object{
		entry("1"), entry("2", "MessageAttributes", attrs("kind", "String", "order")),
	})
	if len(answer.Get("Successful").Items()) != 2 {
		t.Error("an entry failed")
	}
	all := r.bodies(queues[0])
	slices.Sort(all)
	r.want("without a policy", all, []string{"message 1", "message 2"})
	r.want("with a policy", r.bodies(queues[1]), []string{"message 2"})
}

func TestFilterPolicyLife(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	arn := r.sub(topic, "q", map[string]string{"RawMessageDelivery": "true"})
	set := func(name, value string) {
		t.Helper()
		r.do("SetSubscriptionAttributes", "SubscriptionArn", arn, "AttributeName", name, "AttributeValue", value)
	}
	publish := func(want ...string) {
		t.Helper()
		r.do("Publish", "TopicArn", topic, "Message", `{"a":{"b":"c"}}`)
		r.want("the queue", r.bodies("q"), want)
	}
	const nested = `{"a":{"b":[{"prefix":"c"}]}}`
	r.refuse(fault.InvalidParameter, "Invalid parameter: Filter policy scope MessageAttributes does not support nested filter policy",
		"SetSubscriptionAttributes", "SubscriptionArn", arn, "AttributeName", "FilterPolicy", "AttributeValue", nested)
	publish(`{"a":{"b":"c"}}`)
	set("FilterPolicyScope", "MessageBody")
	set("FilterPolicy", nested)
	publish(`{"a":{"b":"c"}}`)
	set("FilterPolicy", `{"a":{"b":["x"]}}`)
	publish()
	r.refuse(fault.InvalidParameter, "Invalid parameter: Filter policy scope MessageAttributes does not support nested filter policy",
		"SetSubscriptionAttributes", "SubscriptionArn", arn, "AttributeName", "FilterPolicyScope", "AttributeValue", "MessageAttributes")
	publish()
	set("FilterPolicy", "")
	publish(`{"a":{"b":"c"}}`)
	set("FilterPolicy", "{}")
	publish(`{"a":{"b":"c"}}`)
	if got := r.attributes("GetSubscriptionAttributes", "SubscriptionArn", arn)["FilterPolicy"]; got != "{}" {
		t.Errorf("FilterPolicy is %q", got)
	}
}

// The texts of a bad policy begin as the action has it (recorded).
func TestFilterPolicyRefusals(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	q := r.queue("q")
	arn := r.sub(topic, "q2", nil)
	for _, c := range []struct{ policy, text string }{
		{`{"key_a":"value_one"}`, `FilterPolicy: "key_a" must be an object or an array`},
		{`{"key":[]}`, `FilterPolicy: Empty arrays are not allowed`},
		{`{"key":[{"suffix":100}]}`, `FilterPolicy: suffix match pattern must be a string`},
		{`{"a":[1],"b":[1],"c":[1],"d":[1],"e":[1],"f":[1]}`, `FilterPolicy: Filter policy can not have more than 5 keys`},
	} {
		r.refuse(fault.InvalidParameter, "Invalid parameter: Attributes Reason: "+c.text, "Subscribe", "TopicArn", topic, "Protocol", "sqs",
			"Endpoint", q, "Attributes", map[string]string{"FilterPolicy": c.policy})
		r.refuse(fault.InvalidParameter, "Invalid parameter: "+c.text, "SetSubscriptionAttributes",
			"SubscriptionArn", arn, "AttributeName", "FilterPolicy", "AttributeValue", c.policy)
	}
	for policy, begins := range map[string]string{
		"{invalidjson}": "Invalid parameter: FilterPolicy: failed to parse JSON. Unexpected character ('i' (code 105)): was expecting double-quote to start field name",
		"invalid-json":  "Invalid parameter: FilterPolicy: failed to parse JSON. Unrecognized token 'invalid': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
	} {
		_, err := r.try("SetSubscriptionAttributes", "SubscriptionArn", arn, "AttributeName", "FilterPolicy", "AttributeValue", policy)
		if !strings.HasPrefix(fault.From(err).Message(), begins) {
			t.Errorf("%s: %v", policy, err)
		}
	}
}

// A stored policy that cannot be read lets nothing through.
func TestUnreadableStoredPolicy(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	queues := r.policies(topic, nil, nil)
	record, err := r.registry.Subscriptions(t.Context(), testToken, "t", "", 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, sub := range record.Subscriptions {
		if !strings.HasSuffix(sub.Endpoint, queues[1]) {
			continue
		}
		if _, err := r.registry.ChangeSubscription(t.Context(), testToken, "t", sub.ID, func(s *registry.Subscription) error {
			s.Attributes[registry.FilterPolicy] = "{"
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	r.do("Publish", "TopicArn", topic, "Message", "m")
	r.want("without a policy", r.bodies(queues[0]), []string{"m"})
	r.want("with a bad policy", r.bodies(queues[1]), nil)
}

// BenchmarkPublish publishes to 1,000 subscriptions with a policy each, of which
// one wants the message.
func BenchmarkPublish(b *testing.B) {
	r := newRig(b)
	topic := r.topic("t", nil)
	for i := range 1000 {
		r.sub(topic, fmt.Sprint("q", i), map[string]string{
			"FilterPolicy": fmt.Sprintf(`{"tenant":["tenant-%d",{"prefix":"shared-%d-"}],"kind":[{"anything-but":["ping-%d"]}],"price":[{"numeric":[">=",%d]}]}`, i, i, i, i%100),
		})
	}
	publish := []any{"TopicArn", topic, "Message", "m", "MessageAttributes",
		attrs("tenant", "String", "tenant-417", "kind", "String", "order", "price", "Number", "99.5")}
	r.do("Publish", publish...)
	b.ReportAllocs()
	for b.Loop() {
		r.do("Publish", publish...)
	}
}

// BenchmarkPublishToAll publishes to 1,000 subscriptions that all want the
// message.
func BenchmarkPublishToAll(b *testing.B) {
	r := newRig(b)
	topic := r.topic("t", nil)
	for i := range 1000 {
		r.sub(topic, fmt.Sprint("q", i), map[string]string{
			"FilterPolicy": fmt.Sprintf(`{"kind":["order","only-%d"]}`, i),
		})
	}
	publish := []any{"TopicArn", topic, "Message", "m", "MessageAttributes", attrs("kind", "String", "order")}
	r.do("Publish", publish...)
	b.ReportAllocs()
	for b.Loop() {
		r.do("Publish", publish...)
	}
}
