package awsjson

import (
	"encoding/json"
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/jsontext"
	"github.com/queen-mq/queen-sqs/server/wire"
)

func TestDecodeAction(t *testing.T) {
	for _, c := range []struct {
		target  string
		service wire.Service
		action  string
	}{
		{"AmazonSQS.SendMessage", wire.SQS, "SendMessage"},
		{" AmazonSQS.SendMessage\t", wire.SQS, "SendMessage"},
		{"AmazonSimpleNotificationService.Publish", wire.SNS, "Publish"},
		{"AmazonSQS.", wire.SQS, ""},
		{"AmazonSQS.sendMessage", wire.SQS, ""},
		{"AmazonSQS.Publish", wire.SQS, ""},
		{"AmazonSimpleNotificationService.SendMessage", wire.SNS, ""},
		{"AmazonSQS.v2.SendMessage", wire.SQS, ""},
		{"AmazonSQSv20121105.SendMessage", wire.SQS, ""},
		{"", wire.SQS, ""},
	} {
		service, action, _, err := Decode(c.target, []byte("{}"))
		if service != c.service || action != c.action {
			t.Errorf("%q: %v %q", c.target, service, action)
		}
		if (err == nil) != (c.action != "") || err != nil && err.Kind != fault.InvalidAction {
			t.Errorf("%q: %v", c.target, err)
		}
	}
	for _, a := range append(wire.SQSActions, wire.SNSActions...) {
		want, _ := wire.ServiceOf(a)
		prefix := wire.SQSTarget
		if want == wire.SNS {
			prefix = wire.SNSTarget
		}
		if service, action, _, err := Decode(prefix+a, nil); err != nil || service != want || action != a {
			t.Errorf("%s: %v %q %v", a, service, action, err)
		}
	}
	if _, _, _, err := Decode("AmazonSQS.Nope", []byte("not json")); err == nil || err.Kind != fault.InvalidAction {
		t.Errorf("an unknown action with a bad body: %v", err)
	}
}

func TestDecodeBody(t *testing.T) {
	for _, body := range []string{"", " \r\n", "null", " {} ", "{}"} {
		_, _, params, err := Decode("AmazonSQS.ListQueues", []byte(body))
		if err != nil || params == nil || params.Len() != 0 {
			t.Errorf("%q: %v, %v", body, params, err)
		}
	}
	for _, body := range []string{"[]", `"secret"`, "1", "true", "secret", "{", `{"a":secret}`, "{} {}", "Action=ListQueues", "\xff\xfe"} {
		_, action, _, err := Decode("AmazonSQS.ListQueues", []byte(body))
		if err == nil || err.Kind != fault.InvalidParameterValue || action != "ListQueues" {
			t.Errorf("%q: %q %v", body, action, err)
			continue
		}
		if strings.Contains(err.Message(), "secret") {
			t.Errorf("%q: the message repeats it: %s", body, err.Message())
		}
	}
	_, _, _, err := Decode("AmazonSQS.ListQueues", []byte(`{"a":}`))
	if got, want := err.Message(), "The request body is not a valid JSON document: no value at byte 5."; got != want {
		t.Errorf("message %q", got)
	}
}

func TestDecodeKeepsNothingOfTheBody(t *testing.T) {
	body := []byte(`{"QueueUrl":"u","MessageBody":"a\nb","DelaySeconds":15}`)
	_, _, params, err := Decode("AmazonSQS.SendMessage", body)
	if err != nil {
		t.Fatal(err)
	}
	for i := range body {
		body[i] = 'x'
	}
	if got := string(AppendResult(nil, params)); got != `{"QueueUrl":"u","MessageBody":"a\nb","DelaySeconds":15}` {
		t.Errorf("after the body was used again: %s", got)
	}
}

func TestTags(t *testing.T) {
	for _, c := range []struct{ target, body, want string }{
		{"AmazonSQS.CreateQueue", `{"tags":{"a":"b"}}`, `{"tags":{"a":"b"},"Tags":{"a":"b"}}`},
		{"AmazonSQS.TagQueue", `{"Tags":{"a":"b"}}`, `{"Tags":{"a":"b"},"tags":{"a":"b"}}`},
		{"AmazonSQS.TagQueue", `{"Tags":{"a":"b"},"tags":null}`, `{"Tags":{"a":"b"},"tags":{"a":"b"}}`},
		{"AmazonSQS.CreateQueue", `{"tags":{"a":"b"},"Tags":{"c":"d"}}`, `{"tags":{"a":"b"},"Tags":{"c":"d"}}`},
		{"AmazonSQS.TagQueue", `{"Tags":null}`, `{}`},
		{"AmazonSimpleNotificationService.TagResource", `{"Tags":[{"Key":"a","Value":"1"},{"Key":"a"}]}`, `{"Tags":[{"Key":"a","Value":"1"},{"Key":"a"}],"tags":[{"Key":"a","Value":"1"},{"Key":"a"}]}`},
		{"AmazonSimpleNotificationService.TagResource", `{"Tags":["x"]}`, `{"Tags":["x"],"tags":["x"]}`},
		{"AmazonSQS.TagQueue", `{"Tags":[{"Key":"a","Value":"1"}]}`, `{"Tags":[{"Key":"a","Value":"1"}],"tags":[{"Key":"a","Value":"1"}]}`},
	} {
		_, _, params, err := Decode(c.target, []byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendResult(nil, params)); got != c.want {
			t.Errorf("%s %s: %s", c.target, c.body, got)
		}
	}
}

func TestAppendResult(t *testing.T) {
	empty := wire.NewObject()
	for _, c := range []struct {
		o    *wire.Object
		want string
	}{
		{nil, `{}`},
		{empty, `{}`},
		{wire.NewObject(wire.Member{Name: "A", Value: wire.Null()}), `{}`},
		{wire.NewObject().Set("Messages", wire.List()).Set("N", wire.Null()).Set("Tags", wire.Map(empty)).Set("S", wire.Struct(nil)), `{"Messages":[],"Tags":{},"S":{}}`},
		{wire.NewObject().Set("b", wire.Int(-5)).Set("a", wire.Bool(false)).Set("", wire.List(wire.Null(), wire.Number("1.50"))), `{"b":-5,"a":false,"":[null,1.50]}`},
	} {
		if got := string(AppendResult(nil, c.o)); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	if got := string(AppendResult([]byte("before"), nil)); got != "before{}" {
		t.Errorf("not appended: %s", got)
	}
}

// TestStringsRoundTrip sends every character that JSON can hold through the
// encoder and back.
func TestStringsRoundTrip(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) {
			all.WriteRune(r)
		}
	}
	out := jsontext.AppendString(nil, all.String())
	var s string
	if err := json.Unmarshal(out, &s); err != nil || s != all.String() {
		t.Errorf("the standard library reads it differently: %v", err)
	}
	if v, err := parse(string(out)); err != nil || v.Text() != all.String() {
		t.Errorf("the own parser reads it differently: %v", err)
	}
	if got := string(jsontext.AppendString(nil, "a\xffb\xed\xa0\x80\"")); got != "\"a\ufffdb\ufffd\ufffd\ufffd\\\"\"" {
		t.Errorf("invalid UTF-8: %q", got)
	}
	if got := string(jsontext.AppendString(nil, "\"\\/\b\f\n\r\t\x00\x1f\x7f<&\u2028")); got != `"\"\\/\u0008\u000c\n\r\t\u0000\u001f`+"\x7f<&\u2028\"" {
		t.Errorf("escapes: %s", got)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err          *fault.Error
		body, header string
	}{
		{fault.QueueDoesNotExist.Default(), `{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"The specified queue does not exist."}`, "AWS.SimpleQueueService.NonExistentQueue;Sender"},
		{fault.QueueNameExists.With("a \"b\"\n"), `{"__type":"com.amazonaws.sqs#QueueNameExists","message":"a \"b\"\n"}`, "QueueAlreadyExists;Sender"},
		{fault.MissingParameter.With("The request must contain the parameter X."), `{"__type":"com.amazon.coral.service#MissingRequiredParameterException","message":"The request must contain the parameter X."}`, "MissingParameter;Sender"},
		{fault.ServiceUnavailable.Default(), `{"__type":"com.amazon.coral.service#ServiceUnavailable","message":"The request has failed due to a temporary failure of the server."}`, "ServiceUnavailable;Receiver"},
		{fault.NotFound.With("Topic does not exist"), `{"__type":"com.amazonaws.sns#NotFoundException","message":"Topic does not exist"}`, "NotFound;Sender"},
	} {
		if got := string(AppendError(nil, c.err)); got != c.body {
			t.Errorf("body %s", got)
		}
		if got := QueryError(c.err); got != c.header {
			t.Errorf("header %s", got)
		}
	}
	for _, k := range fault.Catalog() {
		if !json.Valid(AppendError(nil, k.Default())) {
			t.Errorf("%s: invalid JSON", k.JSON)
		}
	}
}

// TestRandomStrings checks the encoder against bytes that need not be text.
func TestRandomStrings(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 2000 {
		b := make([]byte, r.Intn(20))
		for i := range b {
			b[i] = []byte("a\"\\\n\x00\xc3\xa9\xf0\x9f\x98\x80\xff")[r.Intn(12)]
		}
		var s string
		if err := json.Unmarshal(jsontext.AppendString(nil, string(b)), &s); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if want := strings.Map(func(r rune) rune { return r }, string(b)); s != want {
			t.Fatalf("%q: %q, want %q", b, s, want)
		}
	}
}

var sendMessage = []byte(`{"QueueUrl":"http://localhost:9324/000000000000/jobs","MessageBody":"` + strings.Repeat("x", 256) + `","MessageAttributes":{"kind":{"DataType":"String","StringValue":"order"}}}`)

func BenchmarkDecodeSendMessage(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(sendMessage)))
	for b.Loop() {
		if _, _, _, err := Decode("AmazonSQS.SendMessage", sendMessage); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeEscapes(b *testing.B) {
	body := AppendResult(nil, wire.NewObject().Set("MessageBody", wire.String(string(sendMessage))))
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, _, _, err := Decode("AmazonSQS.SendMessage", body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeReceiveMessage(b *testing.B) {
	var messages []wire.Value
	for range 10 {
		messages = append(messages, wire.Struct(wire.NewObject().
			SetString("MessageId", "5fea7756-0ea4-451a-a703-a558b933e274").
			SetString("ReceiptHandle", strings.Repeat("h", 120)).
			SetString("MD5OfBody", "fafb00f5732ab283681e124bf8747ed1").
			SetString("Body", strings.Repeat("x", 256))))
	}
	result := wire.NewObject().Set("Messages", wire.List(messages...))
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendResult(buf[:0], result)
	}
	b.SetBytes(int64(len(buf)))
}
