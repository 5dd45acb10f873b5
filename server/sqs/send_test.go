package sqs

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/queen-mq/queen-sqs/server/digest"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/wire"
)

func TestLane(t *testing.T) {
	for _, c := range []struct {
		key   string
		width int
		want  string
	}{
		{"00000000-0000-0000-0000-000000000001", 64, "13"},
		{"", 64, "20"},
		{"anything", 1, "0"},
		{"anything", 0, "0"},
		{"anything", -3, "0"},
	} {
		if got := Lane(c.key, c.width); got != c.want {
			t.Errorf("Lane(%q, %d) = %s, want %s", c.key, c.width, got, c.want)
		}
	}
	seen := map[string]bool{}
	for i := range 1000 {
		seen[Lane(fmt.Sprint(i), 8)] = true
	}
	wantSet(t, keys(seen), "0", "1", "2", "3", "4", "5", "6", "7")
}

func TestSendAnswersDigests(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", nil)
	answer := r.sendTo(url, "This is a test message")
	if got := names(answer); !slices.Equal(got, []string{"MD5OfMessageBody", "MessageId"}) {
		t.Errorf("members %v", got)
	}
	if got := answer.Get("MD5OfMessageBody").Text(); got != "fafb00f5732ab283681e124bf8747ed1" {
		t.Errorf("body digest %s", got)
	}
	if _, err := uuid.Parse(answer.Get("MessageId").Text()); err != nil {
		t.Errorf("MessageId: %v", err)
	}

	answer = r.sendTo(url, "x",
		"MessageAttributes", attributeSet(
			"str", typed("String", "StringValue", "hello"),
			"bin", typed("Binary", "BinaryValue", base64.StdEncoding.EncodeToString([]byte("\x00\x01\x02\xff"))),
			"num", typed("Number", "StringValue", "42"),
			"custom", typed("String.foo", "StringValue", "bar")),
		"MessageSystemAttributes", attributeSet("AWSTraceHeader", typed("String", "StringValue", "Root=1-5759e988-bd862e3fe1be46a994272793")))
	wantMap(t, map[string]string{
		"a": answer.Get("MD5OfMessageAttributes").Text(), "s": answer.Get("MD5OfMessageSystemAttributes").Text(),
	}, map[string]string{"a": "59a923d8b436253750446d622c646886", "s": "62a56dd927315f2b2e12832b84617ea5"})
}

func TestRoundTrip(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", nil)
	for _, body := range []string{
		"plain", `{"json":"\"quoted\""}`, "\"&quot;&quot;\r", "a\r\nb\tc", "<x>&amp;</x>", "héllo 😀 \u2028", `{"b":"looks like an envelope"}`, "\\", " ",
	} {
		sent := r.sendTo(url, body, "MessageAttributes", attributeSet(
			"mail", typed("String.email", "StringValue", "a@b"),
			"zip", typed("Binary.gzip", "BinaryValue", "AP8="),
			"n", typed("Number.int", "StringValue", " 1614717034367 ")))
		got := r.receiveOne(url)
		if got.body() != body || got.id() != sent.Get("MessageId").Text() || got.get("MD5OfBody") != digest.Body(body) ||
			got.get("MD5OfBody") != sent.Get("MD5OfMessageBody").Text() ||
			got.get("MD5OfMessageAttributes") != sent.Get("MD5OfMessageAttributes").Text() {
			t.Fatalf("sent %q, got %q", body, got.body())
		}
		attrs := got.Get("MessageAttributes")
		if attrs.Kind() != wire.KindMap {
			t.Errorf("MessageAttributes are not a map")
		}
		for name, want := range map[string][2]string{
			"mail": {"String.email", "a@b"}, "zip": {"Binary.gzip", "AP8="}, "n": {"Number.int", " 1614717034367 "},
		} {
			a := attrs.Object().Get(name).Object()
			if got := a.Get("DataType").Text(); got != want[0] {
				t.Errorf("%s: type %q", name, got)
			}
			if got := a.Get("StringValue").Text() + a.Get("BinaryValue").Text(); got != want[1] {
				t.Errorf("%s: value %q", name, got)
			}
		}
		r.delete(url, got)
	}
}

func TestSendRefusals(t *testing.T) {
	r := newRig(t)
	standard := r.create("orders", map[string]string{"MaximumMessageSize": "1024"})
	fifo := r.create("orders.fifo", map[string]string{"FifoQueue": "true"})
	content := r.create("content.fifo", map[string]string{"FifoQueue": "true", "ContentBasedDeduplication": "true"})
	badID := func(name, value string) string {
		return "Value " + value + " for parameter " + name + " is invalid. Reason: " + name + " can only include alphanumeric and punctuation characters. 1 to 128 in length."
	}
	attr := func(name string, o *wire.Object) []any {
		return []any{"MessageBody", "x", "MessageAttributes", attributeSet(name, o)}
	}
	ok := func(name string, o *wire.Object) []any { return attr(name, o) }
	str := func(value string) *wire.Object { return typed("String", "StringValue", value) }
	for _, c := range []struct {
		why    string
		url    string
		params []any
		kind   *fault.Kind
		text   string
	}{
		{"no body", standard, nil, fault.MissingParameter, "The request must contain the parameter MessageBody."},
		{"empty body", standard, []any{"MessageBody", ""}, fault.MissingParameter, "The request must contain the parameter MessageBody."},
		{"body null", standard, []any{"MessageBody", wire.Null()}, fault.MissingParameter, "The request must contain the parameter MessageBody."},
		{"body a list", standard, []any{"MessageBody", []string{"x"}}, fault.InvalidParameterValue, ""},
		{"U+0000", standard, []any{"MessageBody", "a\x00"}, fault.InvalidMessageContents, ""},
		{"U+0008", standard, []any{"MessageBody", "\x08"}, fault.InvalidMessageContents, ""},
		{"U+0013", standard, []any{"MessageBody", "\x13"}, fault.InvalidMessageContents, ""},
		{"U+FFFF", standard, []any{"MessageBody", "\uFFFF"}, fault.InvalidMessageContents, ""},
		{"too long", standard, []any{"MessageBody", long(1025)}, fault.InvalidParameterValue,
			"One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes."},
		{"just fits", standard, []any{"MessageBody", long(1024)}, nil, ""},
		{"attributes count", standard, []any{"MessageBody", long(1017), "MessageAttributes", attributeSet("k", str("x"))}, fault.InvalidParameterValue,
			"One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes."},
		{"attributes fit", standard, []any{"MessageBody", long(1016), "MessageAttributes", attributeSet("k", str("x"))}, nil, ""},
		{"system attributes are free", standard, []any{"MessageBody", long(1024), "MessageSystemAttributes",
			attributeSet("AWSTraceHeader", str("Root=1"))}, nil, ""},

		{"empty value", standard, attr("ErrorDetails", str("")), fault.InvalidParameterValue,
			"Message (user) attribute 'ErrorDetails' must contain a non-empty value of type 'String'."},
		{"no value", standard, attr("a", params("DataType", "String")), fault.InvalidParameterValue,
			"Message (user) attribute 'a' must contain a non-empty value of type 'String'."},
		{"text value under Binary", standard, attr("a", typed("Binary", "StringValue", "x")), fault.InvalidParameterValue,
			"Message (user) attribute 'a' must contain a non-empty value of type 'Binary'."},
		{"empty number", standard, attr("a", typed("Number", "StringValue", "")), fault.InvalidParameterValue,
			"Message (user) attribute 'a' must contain a non-empty value of type 'Number'."},
		{"no type", standard, attr("a", params("StringValue", "x")), fault.InvalidParameterValue,
			"The message attribute 'a' must contain a non-empty message attribute type."},
		{"blank type", standard, attr("a", typed(" ", "StringValue", "x")), fault.InvalidParameterValue,
			"The message attribute 'a' must contain a non-empty message attribute type."},
		{"unknown type", standard, attr("a", typed("Invalid", "StringValue", "x")), fault.InvalidParameterValue, ""},
		{"type in lower case", standard, attr("a", typed("string", "StringValue", "x")), fault.InvalidParameterValue, ""},
		{"type ends in a dot", standard, attr("a", typed("String.", "StringValue", "x")), fault.InvalidParameterValue, ""},
		{"type too long", standard, attr("a", typed("Number."+long(256), "StringValue", "1")), fault.InvalidParameterValue, ""},
		{"no number", standard, attr("a", typed("Number", "StringValue", "abc")), fault.InvalidParameterValue,
			"Can't cast the value of message (user) attribute 'a' to a number."},
		{"infinity", standard, attr("a", typed("Number", "StringValue", "inf")), fault.InvalidParameterValue, ""},
		{"hexadecimal", standard, attr("a", typed("Number", "StringValue", "0x1p2")), fault.InvalidParameterValue, ""},
		{"decimal", standard, ok("a", typed("Number", "StringValue", "-1.5e-3")), nil, ""},
		{"no base64", standard, attr("a", typed("Binary", "BinaryValue", "?")), fault.InvalidParameterValue, ""},
		{"U+0008 in a value", standard, attr("a", str("\x08")), fault.InvalidParameterValue, ""},
		{"U+000B in a value", standard, attr("a", str("\x0b")), fault.InvalidParameterValue, ""},
		{"list values", standard, attr("a", params("DataType", "String", "StringValue", "x", "StringListValues", []string{"x"})),
			fault.UnsupportedOperation, "Message attribute list values in SendMessage operation are not supported."},
		{"empty list values", standard, ok("a", params("DataType", "String", "StringValue", "x", "BinaryListValues", []string{})), nil, ""},
		{"attribute no structure", standard, []any{"MessageBody", "x", "MessageAttributes", map[string]string{"a": "x"}}, fault.InvalidParameterValue, ""},
		{"attributes no map", standard, []any{"MessageBody", "x", "MessageAttributes", "x"}, fault.InvalidParameterValue, ""},

		{"name empty", standard, attr("", str("x")), fault.InvalidParameterValue, ""},
		{"name aWs.", standard, attr("aWs.x", str("x")), fault.InvalidParameterValue, ""},
		{"name AMAZON.", standard, attr("AMAZON.x", str("x")), fault.InvalidParameterValue, ""},
		{"name AWSx", standard, ok("AWSx", str("x")), nil, ""},
		{"name begins with a dot", standard, attr(".x", str("x")), fault.InvalidParameterValue, ""},
		{"name ends with a dot", standard, attr("x.", str("x")), fault.InvalidParameterValue, ""},
		{"name with two dots", standard, attr("x..y", str("x")), fault.InvalidParameterValue, ""},
		{"name !", standard, attr("a!", str("x")), fault.InvalidParameterValue, ""},
		{"name §", standard, attr("a§", str("x")), fault.InvalidParameterValue, ""},
		{"name (", standard, attr("a(", str("x")), fault.InvalidParameterValue, ""},
		{"name quote", standard, attr(`a"`, str("x")), fault.InvalidParameterValue, ""},
		{"name space", standard, attr("a b", str("x")), fault.InvalidParameterValue, ""},
		{"name of 257", standard, attr(long(257), str("x")), fault.InvalidParameterValue, ""},
		{"name of 256", standard, ok(long(256), str("x")), nil, ""},
		{"name of letters", standard, ok("attr.1øßä", str("x")), nil, ""},

		{"system name", standard, []any{"MessageBody", "x", "MessageSystemAttributes", attributeSet("SenderId", str("x"))},
			fault.InvalidParameterValue, "Message system attribute name 'SenderId' is invalid."},
		{"reserved system name", standard, []any{"MessageBody", "x", "MessageSystemAttributes", attributeSet("queen.sourceQueue", str("x"))},
			fault.InvalidParameterValue, "Message system attribute name 'queen.sourceQueue' is invalid."},
		{"system type", standard, []any{"MessageBody", "x", "MessageSystemAttributes", attributeSet("AWSTraceHeader", typed("String.x", "StringValue", "x"))},
			fault.InvalidParameterValue, ""},
		{"system list values", standard, []any{"MessageBody", "x", "MessageSystemAttributes",
			attributeSet("AWSTraceHeader", params("DataType", "String", "StringValue", "x", "StringListValues", []string{"x"}))},
			fault.UnsupportedOperation, "Message attribute list values in SendMessage operation are not supported."},
		{"system value empty", standard, []any{"MessageBody", "x", "MessageSystemAttributes", attributeSet("AWSTraceHeader", str(""))},
			fault.InvalidParameterValue, ""},
		{"system value illegal", standard, []any{"MessageBody", "x", "MessageSystemAttributes", attributeSet("AWSTraceHeader", str("\x01"))},
			fault.InvalidParameterValue, ""},

		{"delay negative", standard, []any{"MessageBody", "x", "DelaySeconds", -1}, fault.InvalidParameterValue,
			"Value -1 for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900."},
		{"delay 901", standard, []any{"MessageBody", "x", "DelaySeconds", "901"}, fault.InvalidParameterValue,
			"Value 901 for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900."},
		{"delay no number", standard, []any{"MessageBody", "x", "DelaySeconds", "soon"}, fault.InvalidParameterValue, ""},
		{"delay 900", standard, []any{"MessageBody", "x", "DelaySeconds", "900"}, nil, ""},

		{"group empty", standard, []any{"MessageBody", "x", "MessageGroupId", ""}, fault.InvalidParameterValue, badID("MessageGroupId", "")},
		{"group of 129", standard, []any{"MessageBody", "x", "MessageGroupId", long(129)}, fault.InvalidParameterValue, badID("MessageGroupId", long(129))},
		{"group with a space", standard, []any{"MessageBody", "x", "MessageGroupId", "group 123"}, fault.InvalidParameterValue, badID("MessageGroupId", "group 123")},
		{"group on a standard queue", standard, []any{"MessageBody", "x", "MessageGroupId", "test"}, nil, ""},
		{"dedup id on a standard queue", standard, []any{"MessageBody", "x", "MessageDeduplicationId", "d"}, fault.InvalidParameterValue,
			"Value d for parameter MessageDeduplicationId is invalid. Reason: The request include parameter that is not valid for this queue type."},

		{"no group", fifo, []any{"MessageBody", "x", "MessageDeduplicationId", "d"}, fault.MissingParameter, "The request must contain the parameter MessageGroupId."},
		{"no dedup id", fifo, []any{"MessageBody", "x", "MessageGroupId", "g"}, fault.InvalidParameterValue,
			"The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"},
		{"dedup id empty", fifo, []any{"MessageBody", "x", "MessageGroupId", "g", "MessageDeduplicationId", ""}, fault.InvalidParameterValue, badID("MessageDeduplicationId", "")},
		{"dedup id of 129", fifo, []any{"MessageBody", "x", "MessageGroupId", "g", "MessageDeduplicationId", long(129)}, fault.InvalidParameterValue, badID("MessageDeduplicationId", long(129))},
		{"dedup id with a control", fifo, []any{"MessageBody", "x", "MessageGroupId", "g", "MessageDeduplicationId", "a\x08"}, fault.InvalidParameterValue, ""},
		{"dedup id of 128", fifo, []any{"MessageBody", "x", "MessageGroupId", "g", "MessageDeduplicationId", long(128)}, nil, ""},
		{"content is the id", content, []any{"MessageBody", "x", "MessageGroupId", long(128)}, nil, ""},
		{"delay on FIFO", fifo, []any{"MessageBody", "x", "MessageGroupId", "g", "MessageDeduplicationId", "2", "DelaySeconds", 2}, fault.InvalidParameterValue,
			"Value 2 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type."},
		{"zero delay on FIFO", fifo, []any{"MessageBody", "x", "MessageGroupId", "g", "MessageDeduplicationId", "0", "DelaySeconds", 0}, nil, ""},

		{"no such queue", testBase + "/" + testAccount + "/nope", []any{"MessageBody", "x"}, fault.QueueDoesNotExist, ""},
		{"foreign account", testBase + "/111111111111/orders", []any{"MessageBody", "x"}, fault.QueueDoesNotExist, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			_, err := r.try("SendMessage", append([]any{"QueueUrl", c.url}, c.params...)...)
			if c.kind == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			wantFault(t, err, c.kind, c.text)
		})
	}
}

func TestTraceHeader(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", nil)
	const header = "Root=1-3152b799-8954dae64eda91bc9a23a7e8;Parent=7fa8c0f79203be72;Sampled=1"
	req := request("SendMessage", params("QueueUrl", url, "MessageBody", "x"))
	req.TraceHeader = header
	answer, err := r.send(req)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Has("MD5OfMessageSystemAttributes") {
		t.Error("a header that was no attribute is digested")
	}
	got := r.receiveOne(url)
	if got.system("AWSTraceHeader") != header {
		t.Errorf("AWSTraceHeader %q", got.system("AWSTraceHeader"))
	}
	r.delete(url, got)

	req = request("SendMessage", params("QueueUrl", url, "MessageBody", "x",
		"MessageSystemAttributes", attributeSet("AWSTraceHeader", typed("String", "StringValue", "mine"))))
	req.TraceHeader = header
	if _, err := r.send(req); err != nil {
		t.Fatal(err)
	}
	if got := r.receiveOne(url); got.system("AWSTraceHeader") != "mine" {
		t.Errorf("the header replaced the attribute: %q", got.system("AWSTraceHeader"))
	}
}

func TestFairQueueGroup(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", nil)
	answer := r.sendTo(url, "message", "MessageGroupId", "test")
	if got := names(answer); !slices.Equal(got, []string{"MD5OfMessageBody", "MessageId"}) {
		t.Errorf("members %v", got)
	}
	got := r.receiveOne(url)
	attrs := got.Get("Attributes").Object()
	if got.system("MessageGroupId") != "test" || attrs.Has("SequenceNumber") || attrs.Has("MessageDeduplicationId") {
		t.Errorf("attributes %v", names(attrs))
	}
}

func entry(id string, pairs ...any) *wire.Object {
	return params(append([]any{"Id", id}, pairs...)...)
}

func (r *rig) batch(url string, entries ...*wire.Object) *wire.Object {
	r.t.Helper()
	return r.do("SendMessageBatch", "QueueUrl", url, "Entries", entries)
}

// verdicts are the ids of a batch's successes, and id=code of its failures.
func verdicts(answer *wire.Object) (good, bad []string) {
	for _, v := range answer.Get("Successful").Items() {
		good = append(good, v.Object().Get("Id").Text())
	}
	for _, v := range answer.Get("Failed").Items() {
		bad = append(bad, v.Object().Get("Id").Text()+"="+v.Object().Get("Code").Text())
	}
	return good, bad
}

func TestSendBatch(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", nil)
	var entries []*wire.Object
	for i := range 10 {
		e := entry(fmt.Sprintf("id-%d", i), "MessageBody", fmt.Sprint("body ", i))
		if i%2 == 0 {
			e.Set("MessageAttributes", attributeSet("k", typed("String", "StringValue", "x")))
		}
		entries = append(entries, e)
	}
	answer := r.batch(url, entries...)
	if answer.Has("Failed") {
		t.Error("Failed is there although nothing failed")
	}
	ids := map[string]bool{}
	for i, v := range answer.Get("Successful").Items() {
		o := v.Object()
		ids[o.Get("MessageId").Text()] = true
		if o.Get("Id").Text() != fmt.Sprintf("id-%d", i) || o.Get("MD5OfMessageBody").Text() != digest.Body(fmt.Sprint("body ", i)) ||
			o.Has("MD5OfMessageAttributes") != (i%2 == 0) || o.Has("SequenceNumber") {
			t.Errorf("entry %d: %v", i, o)
		}
	}
	if len(ids) != 10 {
		t.Errorf("%d distinct message ids", len(ids))
	}
	if got := r.drain(url); len(got) != 10 {
		t.Errorf("received %v", got)
	}
}

func TestSendBatchRefusals(t *testing.T) {
	r := newRig(t)
	standard := r.create("orders", map[string]string{"MaximumMessageSize": "2048"})
	wide := r.create("wide", map[string]string{"MaximumMessageSize": "1048576"})
	fifo := r.create("orders.fifo", map[string]string{"FifoQueue": "true"})
	const badEntryID = "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long."
	many := func(n int) (entries []*wire.Object) {
		for i := range n {
			entries = append(entries, entry(fmt.Sprint(i), "MessageBody", "x"))
		}
		return entries
	}
	one := func(id string) []*wire.Object { return []*wire.Object{entry(id, "MessageBody", "x")} }
	half := func(n int) []*wire.Object {
		return []*wire.Object{entry("a", "MessageBody", long(524288)), entry("b", "MessageBody", long(n))}
	}
	for _, c := range []struct {
		why     string
		url     string
		entries any
		kind    *fault.Kind
		text    string
	}{
		{"no entries", standard, wire.Null(), fault.EmptyBatchRequest, ""},
		{"empty list", standard, many(0), fault.EmptyBatchRequest, ""},
		{"no list", standard, "x", fault.EmptyBatchRequest, ""},
		{"eleven", standard, many(11), fault.TooManyEntriesInBatchRequest, "Maximum number of entries per request are 10. You have sent 11."},
		{"id with a colon", standard, one("message:1"), fault.InvalidBatchEntryID, badEntryID},
		{"id empty", standard, one(""), fault.InvalidBatchEntryID, badEntryID},
		{"id of 81", standard, one(long(81)), fault.InvalidBatchEntryID, badEntryID},
		{"id twice", standard, append(one("a"), one("a")...), fault.BatchEntryIdsNotDistinct, "Id a repeated."},
		{"all together too long", wide, half(524289), fault.BatchRequestTooLong,
			"Batch requests cannot be longer than 1048576 bytes. You have sent 1048577 bytes."},
		{"all together just fit", wide, half(524288), nil, ""},
		{"a queue's limit is not the batch's", standard, []*wire.Object{entry("a", "MessageBody", long(2048)), entry("b", "MessageBody", "x")}, nil, ""},
		{"no group", fifo, []*wire.Object{
			entry("a", "MessageBody", "x", "MessageGroupId", "g", "MessageDeduplicationId", "1"), entry("b", "MessageBody", "x", "MessageDeduplicationId", "2")},
			fault.InvalidParameterValue, "The request must contain the parameter MessageGroupId."},
		{"no dedup id", fifo, []*wire.Object{
			entry("a", "MessageBody", "x", "MessageGroupId", "g", "MessageDeduplicationId", "1"), entry("b", "MessageBody", "x", "MessageGroupId", "g")},
			fault.InvalidParameterValue, "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"},
		{"no such queue", testBase + "/" + testAccount + "/nope", many(1), fault.QueueDoesNotExist, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			answer, err := r.try("SendMessageBatch", "QueueUrl", c.url, "Entries", c.entries)
			if c.kind != nil {
				wantFault(t, err, c.kind, c.text)
				return
			}
			if err != nil || answer.Has("Failed") {
				t.Fatal(answer, err)
			}
		})
	}
	if got := r.counts(fifo); got[0] != "0" {
		t.Errorf("a refused batch left %s messages", got[0])
	}
}

func TestSendBatchFailsEntriesAlone(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", map[string]string{"MaximumMessageSize": "1024"})
	answer := r.batch(url,
		entry("fits", "MessageBody", long(1024)),
		entry("long", "MessageBody", long(1025)),
		entry("illegal", "MessageBody", "\x01"),
		entry("empty"),
		entry("later", "MessageBody", "later", "DelaySeconds", 10))
	good, bad := verdicts(answer)
	wantList(t, good, "fits", "later")
	wantList(t, bad, "long=InvalidParameterValue", "illegal=InvalidMessageContents", "empty=MissingParameter")
	first := answer.Get("Failed").Items()[0].Object()
	if first.Get("Message").Text() != "One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes." ||
		first.Get("SenderFault").Text() != "true" || first.Get("SenderFault").Kind() != wire.KindBool {
		t.Errorf("failed entry %v", first)
	}

	if answer := r.batch(url, entry("only", "MessageBody", "\x01")); answer.Has("Successful") {
		t.Error("Successful is there although nothing succeeded")
	}
}

func TestDelay(t *testing.T) {
	r := newRig(t)
	url := r.create("orders", nil)
	sent := r.sendTo(url, "later", "DelaySeconds", 30)
	r.batch(url, entry("now", "MessageBody", "now"), entry("later", "MessageBody", "batch", "DelaySeconds", "30"))
	wantMap(t, r.get(url, "ApproximateNumberOfMessagesDelayed"), map[string]string{"ApproximateNumberOfMessagesDelayed": "2"})
	wantList(t, r.drain(url), "now")

	r.clock.Advance(31e9)
	arrived := map[string]string{}
	for range 2 { // both may be in one lane
		m := r.receiveOne(url)
		arrived[m.body()] = m.id()
		r.delete(url, m)
	}
	wantSet(t, keys(arrived), "later", "batch")
	if want := sent.Get("MessageId").Text(); arrived["later"] != want {
		t.Errorf("sent as %s, arrived as %s", want, arrived["later"])
	}
	wantMap(t, r.get(url, "ApproximateNumberOfMessagesDelayed"), map[string]string{"ApproximateNumberOfMessagesDelayed": "0"})
}

func TestPushVerdicts(t *testing.T) {
	status := queen.Queued
	w := &watched{onPush: func(items []queen.PushItem) ([]queen.PushResult, error) {
		res := make([]queen.PushResult, len(items))
		for i := range res {
			res[i] = queen.PushResult{MessageID: uuid.NewString(), Status: queen.Queued, Offset: int64(i)}
		}
		res[len(res)-1].Status = status
		return res, nil
	}}
	r := newRig(t, watch(w))
	standard := r.create("orders", nil)
	fifo := r.create("orders.fifo", map[string]string{"FifoQueue": "true", "ContentBasedDeduplication": "true"})
	for _, c := range []struct {
		status         queen.PushStatus
		standard, fifo bool
	}{
		{queen.Queued, true, true},
		{queen.Duplicate, true, true},
		{queen.Buffered, false, false},
		{queen.PushFailed, false, false},
		{queen.PushError, false, false},
		{"", false, false},
	} {
		status = c.status
		_, err := r.try("SendMessage", "QueueUrl", standard, "MessageBody", "x")
		if (err == nil) != c.standard || (err != nil && !fault.Is(err, fault.ServiceUnavailable)) {
			t.Errorf("%q on a standard queue: %v", c.status, err)
		}
		_, err = r.try("SendMessage", "QueueUrl", fifo, "MessageBody", "x", "MessageGroupId", "g")
		if (err == nil) != c.fifo || (err != nil && !fault.Is(err, fault.ServiceUnavailable)) {
			t.Errorf("%q on a FIFO queue: %v", c.status, err)
		}
	}
	for _, status = range []queen.PushStatus{queen.PushFailed, queen.Buffered} {
		good, bad := verdicts(r.batch(standard, entry("a", "MessageBody", "x"), entry("b", "MessageBody", "x")))
		wantList(t, good, "a")
		wantList(t, bad, "b=ServiceUnavailable")
	}

	w.onPush = func([]queen.PushItem) ([]queen.PushResult, error) { return nil, errBroken }
	r.refuse(fault.ServiceUnavailable, "", "SendMessage", "QueueUrl", standard, "MessageBody", "x")
	r.refuse(fault.ServiceUnavailable, "", "SendMessageBatch", "QueueUrl", standard, "Entries", []*wire.Object{entry("a", "MessageBody", "x")})
}

// Messages that are sent must not be sent again because others were not.
func TestSendBatchWithoutTimers(t *testing.T) {
	w := &watched{onTimer: func([]queen.TimerOp) ([]queen.TimerResult, error) { return nil, errBroken }}
	r := newRig(t, watch(w))
	url := r.create("orders", nil)
	good, bad := verdicts(r.batch(url, entry("now", "MessageBody", "x"), entry("later", "MessageBody", "x", "DelaySeconds", 1)))
	wantList(t, good, "now")
	wantList(t, bad, "later=ServiceUnavailable")
	r.refuse(fault.ServiceUnavailable, "", "SendMessageBatch", "QueueUrl", url, "Entries", []*wire.Object{entry("a", "MessageBody", "x", "DelaySeconds", 1)})
}

func TestClip(t *testing.T) {
	if got := clip(strings.Repeat("x", 2000)); len(got) > 1030 {
		t.Errorf("%d bytes", len(got))
	}
}
