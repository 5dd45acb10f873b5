package awsquery

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

func decoded(t *testing.T, rawQuery, body string) string {
	t.Helper()
	_, _, params, err := Decode("/", []byte(rawQuery), []byte(body))
	if err != nil {
		t.Fatalf("%s | %s: %v", rawQuery, body, err)
	}
	return string(wire.AppendJSONObject(nil, params))
}

func TestDecodeParams(t *testing.T) {
	for _, c := range []struct{ name, query, body, want string }{
		{"body wins", "QueueUrl=a&Label=q", "QueueUrl=b", `{"QueueUrl":"b","Label":"q"}`},
		{"the later scalar wins", "", "Label=a&Label=b", `{"Label":"b"}`},
		{"a structure beats a scalar", "", "X=1&X.Y=2&Z.Y=3&Z=4", `{"X":{"Y":"2"},"Z":{"Y":"3"}}`},
		{"not of the action", "AWSAccessKeyId=k&Signature=s&SignatureMethod=m&SignatureVersion=2&SecurityToken=t&Timestamp=1&Expires=2&X-Amz-Date=3&x-amz-signature=4&Version=2012-11-05", "Label=l", `{"Label":"l"}`},
		{"empty pairs", "&&", "&Label=l&&=x&.=y&member=z", `{"Label":"l"}`},
		{"no equals sign", "", "Label", `{"Label":""}`},
		{"equals signs in a value", "", "Label=a=b==", `{"Label":"a=b=="}`},
		{"escapes", "Label=a%20b+c%2b%26%3D%e2%82%ac", "", `{"Label":"a b c+&=€"}`},
		{"escaped name", "", "Attribute%2E1%2EName=a&Attribute%2E1%2EValue=b", `{"Attributes":{"a":"b"}}`},
		{"transparent parts", "", "Entries.member.1.Id=a&..Label..=l&Tag.entry.1.Key=k", `{"Entries":[{"Id":"a"}],"Label":"l","Tags":{"k":""},"tags":{"k":""}}`},
		{"indices sort and close up", "", "TagKey.10=c&TagKey.2=b&TagKey.0=a&TagKey.18446744073709551615=d", `{"TagKeys":["a","b","c","d"]}`},
		{"leading zeros", "", "TagKey.01=a&TagKey.1=b&TagKey.00=z", `{"TagKeys":["z","b"]}`},
		{"a number too large is a name", "", "X.18446744073709551616=a", `{"X":{"18446744073709551616":"a"}}`},
		{"no numbers", "", "X.-1=a&X.+1=b&X.1e1=c", `{"X":{"-1":"a"," 1":"b","1e1":"c"}}`},
		{"a number at the root is a name", "", "1=a", `{"1":"a"}`},
		{"a list beats names", "", "TagKey.a=x&TagKey.1=y", `{"TagKeys":["y"]}`},
		{"unnumbered list", "", "AttributeName=All", `{"AttributeNames":["All"]}`},
		{"empty list", "", "AttributeName=&Entries=&Attribute=&MessageAttribute=", `{"AttributeNames":[],"Entries":[],"Attributes":{},"MessageAttributes":{}}`},
		{"unnumbered structure", "", "SendMessageBatchRequestEntry.Id=a", `{"Entries":[{"Id":"a"}]}`},
		{"unnumbered pair", "", "Attribute.Name=a&Attribute.Value=b", `{"Attributes":{"a":"b"}}`},
		{"members as a map", "", "Attributes.VisibilityTimeout=5&Tags.Tag=t", `{"Attributes":{"VisibilityTimeout":"5"},"Tags":{"Tag":"t"},"tags":{"Tag":"t"}}`},
		{"pair spellings", "", "Attribute.1.Name=a&Attribute.1.Value=1&Attribute.2.Key=b&Attribute.2.Value=2&Attribute.3.key=c&Attribute.3.value=3", `{"Attributes":{"a":"1","b":"2","c":"3"}}`},
		{"a missing value is empty", "", "Attribute.1.Name=a&MessageAttribute.1.Name=m", `{"Attributes":{"a":""},"MessageAttributes":{"m":{}}}`},
		{"a missing name is empty", "", "Attribute.1.Value=a&Attribute.2=b", `{"Attributes":{"":"b"}}`},
		{"the later of two pairs", "", "Tag.2.Key=k&Tag.2.Value=b&Tag.1.Key=k&Tag.1.Value=a", `{"Tags":{"k":"b"},"tags":{"k":"b"}}`},
		{"a scalar is no map", "", "Attribute=x", `{"Attributes":"x"}`},
		{"setter", "", "AttributeName=DisplayName&AttributeValue=", `{"AttributeName":"DisplayName","AttributeValue":""}`},
		{"no setter", "", "AttributeName.1=a&AttributeValue=b", `{"AttributeNames":["a"],"AttributeValue":"b"}`},
		{"singular and plural", "", "MessageAttributes.1.Name=a&MessageAttributes.1.Value.DataType=String&MessageAttributeNames.1=b&TagKeys.member.1=c&AWSAccountIds.1=d&Actions.1=e&MessageSystemAttributeNames.1=f",
			`{"MessageAttributes":{"a":{"DataType":"String"}},"MessageAttributeNames":["b"],"TagKeys":["c"],"AWSAccountIds":["d"],"Actions":["e"],"MessageSystemAttributeNames":["f"]}`},
		{"list values", "", "MessageAttribute.1.Name=a&MessageAttribute.1.Value.StringListValue.1=x&MessageAttribute.1.Value.BinaryListValue.1=y", `{"MessageAttributes":{"a":{"StringListValues":["x"],"BinaryListValues":["y"]}}}`},
		{"sparse batch with attributes", "", "SendMessageBatchRequestEntry.7.Id=b&SendMessageBatchRequestEntry.member.3.Id=a&SendMessageBatchRequestEntry.7.MessageAttribute.2.Name=n&SendMessageBatchRequestEntry.7.MessageAttribute.2.Value.DataType=Number",
			`{"Entries":[{"Id":"a"},{"Id":"b","MessageAttributes":{"n":{"DataType":"Number"}}}]}`},
		{"32 parts", "", strings.Repeat("a.", 31) + "a=1", strings.Repeat(`{"a":`, 32) + `"1"` + strings.Repeat("}", 32)},
	} {
		got := decoded(t, "Action=SendMessage&"+c.query, c.body)
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	// Tags of SNS stay a list, with a key that is there twice.
	if got := decoded(t, "", "Action=TagResource&Tags.member.1.Key=a&Tags.member.1.Value=1&Tags.member.2.Key=a&Tags.member.2.Value=2"); got != `{"Tags":[{"Key":"a","Value":"1"},{"Key":"a","Value":"2"}],"tags":[{"Key":"a","Value":"1"},{"Key":"a","Value":"2"}]}` {
		t.Error(got)
	}
	// SNS has no list of that name.
	if got := decoded(t, "", "Action=SetTopicAttributes&AttributeName=a"); got != `{"AttributeName":"a"}` {
		t.Error(got)
	}
}

func TestDecodeService(t *testing.T) {
	for _, c := range []struct {
		query, body string
		service     wire.Service
		action      string
		ok          bool
	}{
		{"", "Action=SendMessage&Version=2012-11-05", wire.SQS, "SendMessage", true},
		{"", "Action=SendMessage", wire.SQS, "SendMessage", true},
		{"", "Action=%20SendMessage+", wire.SQS, "SendMessage", true},
		{"", "Action=SendMessage&Version=2008-01-01", wire.SQS, "SendMessage", true},
		{"", "Action=Publish", wire.SNS, "Publish", true},
		{"", "Action=Publish&Version=", wire.SNS, "Publish", true},
		{"Version=2010-03-31", "Action=Publish", wire.SNS, "Publish", true},
		{"Action=ListTopics&Version=2010-03-31", "", wire.SNS, "ListTopics", true},
		{"Action=ListQueues", "Action=SendMessage", wire.SQS, "SendMessage", true},
		{"", "Action=Publish&Version=2012-11-05", wire.SQS, "Publish", false},
		{"", "Action=SendMessage&Version=2010-03-31", wire.SNS, "SendMessage", false},
		{"", "Action=sendMessage", wire.SQS, "sendMessage", false},
		{"", "Action=FooBar&Version=2010-03-31", wire.SNS, "FooBar", false},
		{"", "", wire.SQS, "", false},
		{"", "Action=", wire.SQS, "", false},
		{"", `{"QueueUrl":"a%zz"}`, wire.SQS, "", false},
	} {
		service, action, params, err := Decode("/", []byte(c.query), []byte(c.body))
		if service != c.service || action != c.action || (err == nil) != c.ok || (params != nil) != c.ok {
			t.Errorf("%s | %s: %v %q %v", c.query, c.body, service, action, err)
		}
		if err != nil && (err.Kind != fault.InvalidAction || err.Message() != fault.InvalidAction.Text) {
			t.Errorf("%s | %s: %v", c.query, c.body, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	many := &strings.Builder{}
	for i := range maxNodes {
		fmt.Fprintf(many, "&k%d=", i)
	}
	for _, c := range []struct{ name, body, message string }{
		{"percent at the end", "Label=secret%", "A parameter of the request has a malformed percent escape."},
		{"one digit", "Label=secret%4", "A parameter of the request has a malformed percent escape."},
		{"no digits", "Label=%zzsecret", "A parameter of the request has a malformed percent escape."},
		{"in a name", "secret%=1", "A parameter of the request has a malformed percent escape."},
		{"no UTF-8", "Label=secret%ff", "A parameter of the request is not valid UTF-8."},
		{"raw bytes", "Label=secret\xc3", "A parameter of the request is not valid UTF-8."},
		{"two halves of a character", "%c3=%a9", "A parameter of the request is not valid UTF-8."},
		{"half of a pair", "Label=%ed%a0%80", "A parameter of the request is not valid UTF-8."},
		{"33 parts", strings.Repeat("a.", 32) + "a=1", "A parameter name of the request has more than 32 parts."},
		{"40 transparent parts", strings.Repeat(".", 39) + "=1", "A parameter name of the request has more than 32 parts."},
		{"too many", many.String(), "The request has too many parameters."},
	} {
		// The action is found on both sides of the bad parameter.
		for _, body := range []string{c.body + "&Action=SendMessage", "Action=SendMessage&" + c.body} {
			_, action, _, err := Decode("/", nil, []byte(body))
			if err == nil || err.Kind != fault.InvalidParameterValue || err.Message() != c.message || action != "SendMessage" {
				t.Errorf("%s: %q %v", c.name, action, err)
			}
		}
	}
}

func TestDecodeKeepsNothingOfTheRequest(t *testing.T) {
	query, body := []byte("Action=SendMessage&QueueUrl=u"), []byte("MessageBody=a%20b")
	_, _, params, err := Decode("/", query, body)
	if err != nil {
		t.Fatal(err)
	}
	clear(query)
	clear(body)
	for range 3 {
		if _, _, _, err := Decode("/", nil, []byte("Action=TagQueue&Tag.1.Key=x&Tag.1.Value=y")); err != nil {
			t.Fatal(err)
		}
	}
	if got := string(wire.AppendJSONObject(nil, params)); got != `{"QueueUrl":"u","MessageBody":"a b"}` {
		t.Errorf("after the buffers were used again: %s", got)
	}
}

// TestDecodeManyNames reads wide trees, found through the index by name.
func TestDecodeManyNames(t *testing.T) {
	const n = 20000
	form := &strings.Builder{}
	form.WriteString("Action=SendMessage")
	for round := range 2 {
		for i := range n {
			fmt.Fprintf(form, "&k%d=%d&L.%d=%d", i, round, n-i, round)
		}
	}
	_, _, params, err := Decode("/", nil, []byte(form.String()))
	if err != nil {
		t.Fatal(err)
	}
	if params.Len() != n+1 || len(params.Get("L").Items()) != n {
		t.Fatalf("%d members, %d items", params.Len(), len(params.Get("L").Items()))
	}
	for _, name := range []string{"k0", "k16", "k17", "k19999"} {
		if params.Get(name).Text() != "1" {
			t.Errorf("%s is %q", name, params.Get(name).Text())
		}
	}
}

func TestCheckPath(t *testing.T) {
	for _, c := range []struct {
		path, action string
		kind         *fault.Kind
		message      string
	}{
		{"/", "", nil, ""},
		{"/", "CreateQueue", nil, ""},
		{"/000000000000/jobs", "SendMessage", nil, ""},
		{"/000000000000/jobs", "GetQueueUrl", nil, ""},
		{"/000000000000/jobs", "FooBar", nil, ""},
		{"/000000000000/jobs", "CreateQueue", fault.InvalidAction, "The action CreateQueue is not valid for this endpoint."},
		{"/000000000000/jobs", "ListQueues", fault.InvalidAction, "The action ListQueues is not valid for this endpoint."},
		{"/000000000000/jobs", "", fault.UnknownOperation, fault.UnknownOperation.Text},
	} {
		err := checkPath(c.path, c.action)
		if c.kind == nil {
			if err != nil {
				t.Errorf("%s %s: %v", c.path, c.action, err)
			}
			continue
		}
		if err == nil || err.Kind != c.kind || err.Message() != c.message {
			t.Errorf("%s %s: %v", c.path, c.action, err)
		}
	}
}

func FuzzQuery(f *testing.F) {
	for _, s := range []string{
		"Action=SendMessage&Version=2012-11-05&QueueUrl=http%3A%2F%2Flocalhost%2F0%2Fq&MessageBody=a+b&MessageAttribute.1.Name=n&MessageAttribute.1.Value.DataType=String",
		"Action=CreateTopic&Tags.member.1.Key=a&Tags.member.1.Value=b&Attributes.entry.1.key=k&Attributes.entry.1.value=v",
		"A.1=x&A.02=y&A.B=z&A=w&AttributeName=All&AttributeValue=v", "Attribute.Name=a&Attribute.1=b&Tag=x&Entries=", "%c3=%a9&%=%zz&.=&=&&", "a.a.a.a.a.a.1.1.1.1=b",
	} {
		f.Add([]byte(s), []byte(s))
	}
	f.Fuzz(func(t *testing.T, query, body []byte) {
		Decode("/", query, body)
		query = append([]byte("Action=SendMessage&"), query...)
		_, action, params, err := Decode("/", query, body)
		if (params == nil) != (err != nil) {
			t.Fatalf("%v, %v", params, err)
		}
		again := func() any {
			_, _, params, _ := Decode("/", query, body)
			return texts(wire.Struct(params))
		}
		if err == nil && !reflect.DeepEqual(texts(wire.Struct(params)), again()) {
			t.Fatal("two readings differ")
		}
		if err != nil || action != "SendMessage" {
			return
		}
		// The standard library agrees about names without parts and lifts.
		want, bad := url.ParseQuery(string(query) + "&" + string(body))
		if bad != nil {
			return // it refuses semicolons as well
		}
		for name := range want {
			if strings.Contains(name, ".") {
				clear(want)
			}
		}
		for name, values := range want {
			if _, lifted := lifts[name]; lifted || transparent(name) || name == "tags" {
				continue
			}
			if v := params.Get(name); v.Kind() == wire.KindString && v.Text() != values[len(values)-1] {
				t.Fatalf("%q is %q, want %q", name, v.Text(), values[len(values)-1])
			}
		}
		// What was read is text that can be written.
		if _, _, _, err := Decode("/", nil, []byte("Action=SendMessage&MessageBody="+url.QueryEscape(string(wire.AppendJSONObject(nil, params))))); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkDecodeSendMessage(b *testing.B) {
	form := []byte("Action=SendMessage&Version=2012-11-05&QueueUrl=http%3A%2F%2Flocalhost%3A9324%2F000000000000%2Fjobs&MessageBody=" + strings.Repeat("x", 256) +
		"&MessageAttribute.1.Name=kind&MessageAttribute.1.Value.DataType=String&MessageAttribute.1.Value.StringValue=order")
	b.ReportAllocs()
	b.SetBytes(int64(len(form)))
	for b.Loop() {
		if _, _, _, err := Decode("/", nil, form); err != nil {
			b.Fatal(err)
		}
	}
}
