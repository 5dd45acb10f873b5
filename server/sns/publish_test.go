package sns

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

func TestPublishEnvelope(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	r.sub(topic, "q", nil)
	r.sub(topic, "raw", map[string]string{"RawMessageDelivery": "true"})
	id := member1(r.do("Publish", "TopicArn", topic, "Message", "say \"hi\" <é>", "Subject", "s",
		"MessageAttributes", attrs("z", "Number", "99.12", "b", "Binary.x", "AgME", "a", "String.Array", `["x"]`)), "MessageId")

	got := r.drain("q")
	if len(got) != 1 {
		t.Fatalf("%d messages", len(got))
	}
	m := envelope.Decode(got[0].Payload)
	at := r.clock.Now().UTC().Format(timestamp)
	want := `{"Type":"Notification","MessageId":"` + id + `","TopicArn":"` + topic + `","Subject":"s","Message":"say \"hi\" <é>","Timestamp":"` + at[:len(at)-4]
	if !strings.HasPrefix(m.Body, want) || !regexp.MustCompile(`\.\d\d\dZ","SignatureVersion":"1","MessageAttributes":\{"a":\{"Type":"String\.Array","Value":"\[\\"x\\"\]"\},"b":\{"Type":"Binary\.x","Value":"AgME"\},"z":\{"Type":"Number","Value":"99\.12"\}\}\}$`).MatchString(m.Body) {
		t.Errorf("%s", m.Body)
	}
	if len(m.Attributes) != 0 || len(m.System) != 0 || got[0].ID == id {
		t.Errorf("%+v", m)
	}
	raw := r.drain("raw")
	m = envelope.Decode(raw[0].Payload)
	if m.Body != "say \"hi\" <é>" || !slices.Equal(m.Attributes, []envelope.Attribute{
		{Name: "a", Type: "String.Array", Value: `["x"]`}, {Name: "b", Type: "Binary.x", Value: "\x02\x03\x04"}, {Name: "z", Type: "Number", Value: "99.12"},
	}) {
		t.Errorf("%+v", m)
	}
	r.do("SetTopicAttributes", "TopicArn", topic, "AttributeName", "SignatureVersion", "AttributeValue", "2")
	r.do("Publish", "TargetArn", topic, "Message", "m")
	if body := r.bodies("q")[0]; !strings.Contains(body, `"SignatureVersion":"2"}`) || strings.Contains(body, "Subject") {
		t.Errorf("%s", body)
	}
}

// Raw delivery switched on and off takes effect on the next publish.
func TestPublishRawSwitched(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	arn := r.sub(topic, "q", nil)
	r.do("SetSubscriptionAttributes", "SubscriptionArn", arn, "AttributeName", "RawMessageDelivery", "AttributeValue", "true")
	r.do("Publish", "TopicArn", topic, "Message", "m")
	r.want("raw", r.bodies("q"), []string{"m"})
	r.do("SetSubscriptionAttributes", "SubscriptionArn", arn, "AttributeName", "RawMessageDelivery", "AttributeValue", "false")
	r.do("Publish", "TopicArn", topic, "Message", "m")
	r.want("enveloped", r.messages("q"), []string{"m"})
}

func TestPublishRefusals(t *testing.T) {
	r := newRig(t)
	topic, fifo := r.topic("t", nil), r.topic("t.fifo", nil)
	r.sub(topic, "q", nil)
	for _, c := range []struct {
		text  string
		pairs []any
	}{
		{"Invalid parameter: TopicArn or TargetArn Reason: no value for required parameter", []any{"Message", "m"}},
		{"Invalid parameter: Empty message", []any{"TopicArn", topic, "Message", ""}},
		{"Invalid parameter: Empty message", []any{"TopicArn", topic}},
		{"Invalid parameter: Subject", []any{"TopicArn", topic, "Message", "m", "Subject", ""}},
		{"Invalid parameter: Subject", []any{"TopicArn", topic, "Message", "m", "Subject", strings.Repeat("s", 101)}},
		{"Invalid parameter: Subject", []any{"TopicArn", topic, "Message", "m", "Subject", "two\nlines"}},
		{"Invalid parameter: Subject", []any{"TopicArn", topic, "Message", "m", "Subject", " s"}},
		{"Invalid parameter: Subject", []any{"TopicArn", topic, "Message", "m", "Subject", "é"}},
		{"Invalid parameter: Message too long", []any{"TopicArn", topic, "Message", strings.Repeat("m", 264000)}},
		{"Invalid parameter: Message too long", []any{"TopicArn", topic, "Message", strings.Repeat("m", 262145-len("aStringv")), "MessageAttributes", attrs("a", "String", "v")}},
		{"Invalid parameter: Message Reason: invalid character U+0001", []any{"TopicArn", topic, "Message", "a\x01"}},
		{"Invalid parameter: TargetArn Reason: No endpoint found for the target arn specified", []any{"TargetArn", arnPrefix + "endpoint/APNS/app/1", "Message", "m"}},
		{"Invalid parameter: TargetArn Reason: An ARN must have at least 6 elements, not 1", []any{"TargetArn", "x", "Message", "m"}},
		{"Invalid parameter: PhoneNumber Reason: +1a234 is not valid to publish to", []any{"PhoneNumber", "+1a234", "Message", "m"}},
		{"Invalid parameter: PhoneNumber Reason: this deployment sends no text messages", []any{"PhoneNumber", "+15551234567", "Message", "m"}},
		{"Invalid parameter: MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is not valid for this topic type", []any{"TopicArn", topic, "Message", "m", "MessageDeduplicationId", "d"}},
		{"Invalid parameter: MessageGroupId Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length", []any{"TopicArn", topic, "Message", "m", "MessageGroupId", "a b"}},
		{"Invalid parameter: The MessageGroupId parameter is required for FIFO topics", []any{"TopicArn", fifo, "Message", "m"}},
		{"Invalid parameter: The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly", []any{"TopicArn", fifo, "Message", "m", "MessageGroupId", "g"}},
	} {
		r.refuse(fault.InvalidParameter, c.text, "Publish", c.pairs...)
	}
	r.want("the queue", r.bodies("q"), nil)
	r.do("Publish", "TopicArn", topic, "Message", strings.Repeat("m", 262144-len("aStringv")), "MessageAttributes", attrs("a", "String", "v"))
	if got := r.messages("q"); len(got) != 1 || len(got[0]) != 262144-len("aStringv") {
		t.Error("the largest message did not arrive")
	}
	r.do("Publish", "TopicArn", topic, "Message", "m", "Subject", strings.Repeat("s", 100))
}

func TestMessageStructure(t *testing.T) {
	const noDefault = "Invalid parameter: Message Structure - No default entry in JSON message body"
	const unparsed = "Invalid parameter: Message Structure - JSON message body failed to parse"
	r := newRig(t)
	topic := r.topic("t", nil)
	r.sub(topic, "q", map[string]string{"RawMessageDelivery": "true"})
	for _, c := range []struct{ message, refused, delivered string }{
		{`{"sqs":"s"}`, noDefault, ""},
		{`{"default":{"object":"test"}}`, noDefault, ""},
		{`{"default":null}`, noDefault, ""},
		{`{"default": "d"} }`, unparsed, ""},
		{`[]`, unparsed, ""},
		{`plain`, unparsed, ""},
		{`{"default":"d","default":"e"}`, "", "e"},
		{`{"default":"d","sqs":"s"}`, "", "s"},
		{`{"default":"d","sqs":{"object":"test"}}`, "", "d"},
		{`{"default":"d","http":"h"}`, "", "d"},
		{`{"default":""}`, "Invalid parameter: Empty message", ""},
	} {
		pairs := []any{"TopicArn", topic, "MessageStructure", "json", "Message", c.message}
		if c.refused != "" {
			r.refuse(fault.InvalidParameter, c.refused, "Publish", pairs...)
			continue
		}
		r.do("Publish", pairs...)
		r.want(c.message, r.bodies("q"), []string{c.delivered})
	}
	r.refuse(fault.InvalidParameter, "", "Publish", "TopicArn", topic, "MessageStructure", "xml", "Message", "m")
	// What counts is what was sent.
	r.refuse(fault.InvalidParameter, "Invalid parameter: Message too long", "Publish", "TopicArn", topic, "MessageStructure", "json",
		"Message", `{"default":"d","http":"`+strings.Repeat("h", 262144)+`"}`)
}

// The table of message attributes (recorded 2024-11-15): for Publish, and as the
// first of two entries, which fails both.
func TestMessageAttributeRefusals(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	r.sub(topic, "q", nil)
	empty := func(kind string) string {
		return "The message attribute 'attr1' must contain non-empty message attribute value for message attribute type '" + kind + "'."
	}
	field := func(kind, field string) string {
		return "The message attribute 'attr1' with type '" + kind + "' must use field '" + field + "'."
	}
	const badType = "The message attribute 'attr1' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String."
	value := func(pairs ...any) *wire.Object { return object(pairs...) }
	long := strings.Repeat("n", 257)
	for _, c := range []struct {
		name  string
		value *wire.Object
		text  string
	}{
		{"attr1", value("DataType", "String", "StringValue", ""), empty("String")},
		{"attr1", value("DataType", "String"), empty("String")},
		{"attr1", value("DataType", "Binary", "BinaryValue", ""), empty("Binary")},
		{"attr1", value("DataType", "String", "BinaryValue", "AgME"), field("String", "String")},
		{"attr1", value("DataType", "Number", "BinaryValue", "AgME"), field("Number", "String")},
		{"attr1", value("DataType", "Binary", "StringValue", "x"), field("Binary", "Binary")},
		{"attr1", value("DataType", "InvalidType", "StringValue", "x"), badType},
		{"attr1", value("DataType", "String.", "StringValue", "x"), badType},
		{"attr1", value("DataType", "Stringprefixed", "StringValue", "x"), badType},
		{"attr1", value("DataType", "", "StringValue", "x"), badType},
		{"attr1", value("DataType", "Number", "StringValue", "x"), "Could not cast message attribute 'attr1' value to number."},
		{"attr1", value("DataType", "Binary", "BinaryValue", "?"), "The value of message attribute 'attr1' is not base64."},
		{"attr1", value("DataType", "String", "StringValue", "\x01"), "Invalid character U+0001 was found in the value of message attribute 'attr1'."},
		{long, value("DataType", "String", "StringValue", "x"), "Length of message attribute name must be less than 256 bytes."},
		{"a^*?", value("DataType", "String", "StringValue", "x"), "Invalid non-alphanumeric character '#x5E' was found in the message attribute name. Can only include alphanumeric characters, hyphens, underscores, or dots."},
		{".abc", value("DataType", "String", "StringValue", "x"), "Invalid message attribute name starting with character '.' was found."},
		{"abc.", value("DataType", "String", "StringValue", "x"), "Invalid message attribute name ending with character '.' was found."},
		{"a..bc", value("DataType", "String", "StringValue", "x"), "Message attribute name can not have successive '.' character."},
		{"AWS.x", value("DataType", "String", "StringValue", "x"), ""},
	} {
		attributes := object(c.name, c.value)
		r.refuse(fault.ParameterValueInvalid, c.text, "Publish", "TopicArn", topic, "Message", "m", "MessageAttributes", attributes)
		r.refuse(fault.ParameterValueInvalid, c.text, "PublishBatch", "TopicArn", topic, "PublishBatchRequestEntries", []*wire.Object{
			object("Id", "1", "Message", "m", "MessageAttributes", attributes), object("Id", "2", "Message", "m"),
		})
	}
	untyped := object("attr1", object("StringValue", "x"))
	const tail = "failed to satisfy constraint: Member must not be null"
	r.refuse(fault.ValidationError, "1 validation error detected: Value null at 'messageAttributes.attr1.member.dataType' "+tail,
		"Publish", "TopicArn", topic, "Message", "m", "MessageAttributes", untyped)
	r.refuse(fault.ValidationError, "1 validation error detected: Value null at 'publishBatchRequestEntries.1.member.messageAttributes.attr1.member.dataType' "+tail,
		"PublishBatch", "TopicArn", topic, "PublishBatchRequestEntries", []*wire.Object{object("Id", "1", "Message", "m", "MessageAttributes", untyped)})
	r.want("the queue", r.bodies("q"), nil)
	r.do("Publish", "TopicArn", topic, "Message", "m", "MessageAttributes", attrs("attr1", "String.prefixed", "x", strings.Repeat("n", 256), "String.  prefixed.", "y"))
}

// One transaction reaches everybody; without anybody there is none.
func TestPublishIsOneTransaction(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	r.do("Publish", "TopicArn", topic, "Message", "nobody")
	if got := r.broker.transactions(); len(got) != 0 {
		t.Errorf("transactions %v", got)
	}
	var queues []string
	for i := range 40 {
		queues = append(queues, fmt.Sprint("q", i))
		r.sub(topic, queues[i], nil)
	}
	r.do("Publish", "TopicArn", topic, "Message", "m")
	if got := r.broker.transactions(); !slices.Equal(got, []int{40}) {
		t.Errorf("transactions %v", got)
	}
	for _, q := range queues {
		r.want(q, r.messages(q), []string{"m"})
	}
}

// Beyond 256 subscribers, and beyond 8 MiB, it is several (SN-03).
func TestPublishInBundles(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	const n = 300
	for i := range n {
		r.sub(topic, fmt.Sprint("q", i), map[string]string{"RawMessageDelivery": "true"})
	}
	r.do("Publish", "TopicArn", topic, "Message", "m")
	if got := r.broker.transactions(); !slices.Equal(got, []int{256, 44}) {
		t.Errorf("transactions %v", got)
	}
	large := strings.Repeat("x", 200_000)
	r.do("Publish", "TopicArn", topic, "Message", large)
	sizes := r.broker.transactions()
	sum := 0
	for _, size := range sizes {
		sum += size
	}
	if sum != n || slices.Max(sizes) != 41 {
		t.Errorf("transactions %v", sizes)
	}
	for i := range n {
		got := r.bodies(fmt.Sprint("q", i))
		slices.Sort(got)
		r.want("a queue", got, []string{"m", large})
	}
}

// A broker that refuses delivers to nobody and fails the publish.
func TestPublishFailsWhole(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	for i := range 3 {
		r.sub(topic, fmt.Sprint("q", i), nil)
	}
	for _, c := range []struct {
		err  error
		kind *fault.Kind
	}{
		{&queen.TransportError{Err: fmt.Errorf("down")}, fault.ServiceUnavailable},
		{&queen.StatusError{Code: 500}, fault.ServiceUnavailable},
		{&queen.StatusError{Code: 429}, fault.RequestThrottled},
		{&queen.StatusError{Code: 403}, fault.AccessDenied},
		{&queen.StatusError{Code: 400, Body: "secret"}, fault.InvalidParameter},
		{&queen.BodyError{Reason: "db_error"}, fault.InternalFailure},
	} {
		r.broker.refuse = func(int, queen.Transaction) error { return c.err }
		r.refuse(c.kind, "", "Publish", "TopicArn", topic, "Message", "m")
		answer := r.do("PublishBatch", "TopicArn", topic, "PublishBatchRequestEntries", []*wire.Object{object("Id", "1", "Message", "m")})
		failed := answer.Get("Failed").Items()
		if len(failed) != 1 || len(answer.Get("Successful").Items()) != 0 || member1(failed[0].Object(), "Code") != c.kind.Query {
			t.Errorf("%s", wire.AppendJSONObject(nil, answer))
		}
	}
	r.broker.refuse = nil
	r.want("a queue", r.bodies("q1"), nil)
}

// A queue that is gone is left out, or stood in for by the subscription's
// dead-letter queue, which gets just what the queue would have.
func TestDeadLetters(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	dlq := r.queue("dlq")
	redrive := `{"deadLetterTargetArn":"` + dlq + `"}`
	lost := r.sub(topic, "lost", nil)
	r.sub(topic, "raw", map[string]string{"RawMessageDelivery": "true", "RedrivePolicy": redrive})
	r.sub(topic, "kept", map[string]string{"RawMessageDelivery": "true", "RedrivePolicy": redrive})
	r.removeQueue("lost")
	r.removeQueue("raw")
	r.do("Publish", "TopicArn", topic, "Message", "one", "MessageAttributes", attrs("a", "Number", "1"))
	r.want("the queue that is there", r.bodies("kept"), []string{"one"})
	got := r.drain("dlq")
	if len(got) != 1 {
		t.Fatalf("%d dead letters", len(got))
	}
	if m := envelope.Decode(got[0].Payload); m.Body != "one" || len(m.Attributes) != 1 || m.System != nil {
		t.Errorf("%+v", m)
	}
	r.do("SetSubscriptionAttributes", "SubscriptionArn", lost, "AttributeName", "RedrivePolicy", "AttributeValue", redrive)
	r.do("Publish", "TopicArn", topic, "Message", "two")
	bodies := r.bodies("dlq")
	slices.Sort(bodies)
	if len(bodies) != 2 || bodies[0] != "two" && bodies[1] != "two" {
		t.Errorf("%q", bodies)
	}
	r.removeQueue("dlq")
	r.do("Publish", "TopicArn", topic, "Message", "three")
}

// A message group of a standard topic arrives as a system attribute; the trace
// header of the request does so on any topic.
func TestSystemAttributes(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	r.sub(topic, "q", nil)
	r.do("Publish", "TopicArn", topic, "Message", "m", "MessageGroupId", "g")
	if m := envelope.Decode(r.drain("q")[0].Payload); !slices.Equal(m.System, []envelope.Entry{{Name: "MessageGroupId", Value: "g"}}) {
		t.Errorf("%+v", m)
	}
	const trace = "Root=1-5759e988-bd862e3fe1be46a994272793"
	_, err := r.Handlers()["Publish"](t.Context(), &wire.Request{
		Params: object("TopicArn", topic, "Message", "m"), TraceHeader: trace,
	})
	if err != nil {
		t.Fatal(err)
	}
	if m := envelope.Decode(r.drain("q")[0].Payload); !slices.Equal(m.System, []envelope.Entry{{Name: "AWSTraceHeader", Value: trace}}) {
		t.Errorf("%+v", m)
	}
}

func entry(id string, pairs ...any) *wire.Object {
	return object(append([]any{"Id", id, "Message", "message " + id}, pairs...)...)
}

func TestPublishBatch(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	r.sub(topic, "q", nil)
	answer := r.do("PublishBatch", "TopicArn", topic, "PublishBatchRequestEntries", []*wire.Object{
		entry("b"), entry("a", "Subject", "s"), entry("valid-message_123", "MessageStructure", "json", "Message", `{"default":"d","sqs":"s"}`),
	})
	if got := string(wire.AppendJSONObject(nil, answer)); !regexp.MustCompile(`^\{"Successful":\[\{"Id":"b","MessageId":"[^"]+"\},\{"Id":"a","MessageId":"[^"]+"\},\{"Id":"valid-message_123","MessageId":"[^"]+"\}\],"Failed":\[\]\}$`).MatchString(got) {
		t.Errorf("%s", got)
	}
	ids := map[string]bool{}
	for _, item := range answer.Get("Successful").Items() {
		ids[member1(item.Object(), "MessageId")] = true
	}
	for _, body := range r.bodies("q") {
		var n struct{ MessageId string }
		if err := json.Unmarshal([]byte(body), &n); err != nil || !ids[n.MessageId] {
			t.Errorf("%s", body)
		}
		delete(ids, n.MessageId)
	}
	if len(ids) > 0 {
		t.Errorf("not delivered: %v", ids)
	}
}

func TestPublishBatchRefusals(t *testing.T) {
	const (
		group     = "Invalid parameter: The MessageGroupId parameter is required for FIFO topics"
		dedup     = "Invalid parameter: The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"
		structure = "Invalid parameter: Message Structure - No default entry in JSON message body"
		tooLong   = "The length of all the messages put together is more than the limit."
	)
	r := newRig(t)
	topic, fifo := r.topic("t", nil), r.topic("t.fifo", nil)
	r.sub(topic, "q", nil)
	r.sub(fifo, "q.fifo", nil)
	var eleven []*wire.Object
	for i := range 11 {
		eleven = append(eleven, entry(fmt.Sprint(i)))
	}
	noDefault := []any{"MessageStructure", "json", "Message", `{"sqs":"s"}`}
	id := "The Id of a batch entry in the batch request "
	for _, c := range []struct {
		kind    *fault.Kind
		text    string
		topic   string
		entries []*wire.Object
	}{
		{fault.SNSEmptyBatchRequest, "The batch request doesn't contain any entries.", topic, nil},
		{fault.SNSTooManyEntriesInBatchRequest, "The batch request contains more entries than permissible.", fifo, eleven},
		{fault.SNSBatchEntryIdsNotDistinct, "Two or more batch entries in the request have the same Id.", fifo, []*wire.Object{entry("a"), entry("a")}},
		{fault.SNSInvalidBatchEntryID, id + "contains an impermissible character: message.id", topic, []*wire.Object{entry("message.id")}},
		{fault.SNSInvalidBatchEntryID, id + "contains an impermissible character: msg@123#test", topic, []*wire.Object{entry("msg@123#test")}},
		{fault.SNSInvalidBatchEntryID, id + "is too long: " + strings.Repeat("x", 81), topic, []*wire.Object{entry(strings.Repeat("x", 81))}},
		{fault.SNSInvalidBatchEntryID, "", topic, []*wire.Object{object("Message", "m")}},
		{fault.InvalidParameter, structure, fifo, []*wire.Object{entry("a", noDefault...)}},
		{fault.InvalidParameter, structure, topic, []*wire.Object{entry("a"), entry("b", noDefault...)}},
		{fault.InvalidParameter, group, fifo, []*wire.Object{entry("a", "MessageGroupId", "g"), entry("b")}},
		{fault.InvalidParameter, dedup, fifo, []*wire.Object{entry("a", "MessageGroupId", "g")}},
		{fault.InvalidParameter, "", topic, []*wire.Object{entry("a"), entry("b", "MessageDeduplicationId", "d")}},
		{fault.InvalidParameter, "Invalid parameter: Empty message", topic, []*wire.Object{entry("a"), object("Id", "b")}},
		{fault.SNSBatchRequestTooLong, tooLong, topic, []*wire.Object{entry("a", "Message", strings.Repeat("x", 131072)), entry("b", "Message", strings.Repeat("x", 131073))}},
	} {
		r.refuse(c.kind, c.text, "PublishBatch", "TopicArn", c.topic, "PublishBatchRequestEntries", c.entries)
	}
	r.want("the queue", r.bodies("q"), nil)
	r.want("the FIFO queue", r.bodies("q.fifo"), nil)
	r.do("PublishBatch", "TopicArn", topic, "PublishBatchRequestEntries", []*wire.Object{
		entry(strings.Repeat("x", 80), "Message", strings.Repeat("x", 131072)), entry("b", "Message", strings.Repeat("x", 131072)),
	})
}

// A subscription record of another gateway's making that makes no sense is left
// out and hurts nobody.
func TestForeignSubscriptions(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t", nil)
	r.sub(topic, "q", nil)
	for id, value := range map[string]any{
		"1": map[string]any{"protocol": "https", "endpoint": "https://example.com/"},
		"2": map[string]any{"protocol": "sqs", "endpoint": 7},
		"3": "nothing",
	} {
		if err := r.registry.Put(t.Context(), testToken, registry.Key("qs", "s", "t", id), value, registry.Forever); err != nil {
			t.Fatal(err)
		}
	}
	r.clock.Advance(registry.DefaultTTL)
	r.do("Publish", "TopicArn", topic, "Message", "m")
	r.want("the queue", r.messages("q"), []string{"m"})
	r.do("ListSubscriptions")
}
