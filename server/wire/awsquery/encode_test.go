package awsquery

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

const requestID = "f9b95a5c-4a25-5e3f-9bb6-d1a8a2f4c7e0"

const metadata = `  <ResponseMetadata>
    <RequestId>` + requestID + `</RequestId>
  </ResponseMetadata>
`

func TestAppendResult(t *testing.T) {
	for _, c := range []struct {
		action string
		result string // "" for none
		want   string // the Result element
	}{
		{"DeleteQueue", "", ""},
		{"ReceiveMessage", `{}`, "  <ReceiveMessageResult/>\n"},
		{"ReceiveMessage", `{"Messages":[]}`, "  <ReceiveMessageResult>\n  </ReceiveMessageResult>\n"},
		{"ListQueues", `{"QueueUrls":["b","a"],"NextToken":null}`, `  <ListQueuesResult>
    <QueueUrl>b</QueueUrl>
    <QueueUrl>a</QueueUrl>
  </ListQueuesResult>
`},
		{"ListDeadLetterSourceQueues", `{"queueUrls":["a"],"NextToken":"t"}`, `  <ListDeadLetterSourceQueuesResult>
    <NextToken>t</NextToken>
    <QueueUrl>a</QueueUrl>
  </ListDeadLetterSourceQueuesResult>
`},
		{"GetQueueAttributes", `{"Attributes":{"VisibilityTimeout":"30","QueueArn":"a","Policy":""}}`, `  <GetQueueAttributesResult>
    <Attribute>
      <Name>Policy</Name>
      <Value></Value>
    </Attribute>
    <Attribute>
      <Name>QueueArn</Name>
      <Value>a</Value>
    </Attribute>
    <Attribute>
      <Name>VisibilityTimeout</Name>
      <Value>30</Value>
    </Attribute>
  </GetQueueAttributesResult>
`},
		{"ListQueueTags", `{"Tags":{"k":"v"}}`, `  <ListQueueTagsResult>
    <Tag>
      <Key>k</Key>
      <Value>v</Value>
    </Tag>
  </ListQueueTagsResult>
`},
		{"SendMessageBatch", `{"Successful":[{"MessageId":"m","Id":"1"}],"Failed":[{"Id":"2","SenderFault":true,"Code":"InvalidParameterValueException","Message":"a & b"},{"Id":"3","SenderFault":false,"Code":"ServiceUnavailable"},{"Id":"4","Code":"Code"}]}`, `  <SendMessageBatchResult>
    <BatchResultErrorEntry>
      <Code>InvalidParameterValue</Code>
      <Id>2</Id>
      <Message>a &amp; b</Message>
      <SenderFault>true</SenderFault>
    </BatchResultErrorEntry>
    <BatchResultErrorEntry>
      <Code>ServiceUnavailable</Code>
      <Id>3</Id>
      <SenderFault>false</SenderFault>
    </BatchResultErrorEntry>
    <BatchResultErrorEntry>
      <Code>Code</Code>
      <Id>4</Id>
    </BatchResultErrorEntry>
    <SendMessageBatchResultEntry>
      <Id>1</Id>
      <MessageId>m</MessageId>
    </SendMessageBatchResultEntry>
  </SendMessageBatchResult>
`},
		{"ChangeMessageVisibilityBatch", `{"Failed":[{"Id":"2","SenderFault":true,"Code":"MessageNotInflight","Message":"m"}]}`, `  <ChangeMessageVisibilityBatchResult>
    <BatchResultErrorEntry>
      <Code>AWS.SimpleQueueService.MessageNotInflight</Code>
      <Id>2</Id>
      <Message>m</Message>
      <SenderFault>true</SenderFault>
    </BatchResultErrorEntry>
  </ChangeMessageVisibilityBatchResult>
`},
		{"ReceiveMessage", `{"Messages":[{"Body":"<\"'>\r\n","MessageAttributes":{"b":{"DataType":"String","StringValue":"x"},"a":{"DataType":"Binary","BinaryValue":"AA=="}},"Attributes":{"SentTimestamp":"1"},"MessageId":"m"}]}`, `  <ReceiveMessageResult>
    <Message>
      <Attribute>
        <Name>SentTimestamp</Name>
        <Value>1</Value>
      </Attribute>
      <Body>&lt;&quot;&apos;&gt;&#xD;
</Body>
      <MessageAttribute>
        <Name>a</Name>
        <Value>
          <BinaryValue>AA==</BinaryValue>
          <DataType>Binary</DataType>
        </Value>
      </MessageAttribute>
      <MessageAttribute>
        <Name>b</Name>
        <Value>
          <DataType>String</DataType>
          <StringValue>x</StringValue>
        </Value>
      </MessageAttribute>
      <MessageId>m</MessageId>
    </Message>
  </ReceiveMessageResult>
`},
		{"ListMessageMoveTasks", `{"Results":[{"Status":"RUNNING","StartedTimestamp":1700000000000}]}`, `  <ListMessageMoveTasksResult>
    <ListMessageMoveTasksResultEntry>
      <StartedTimestamp>1700000000000</StartedTimestamp>
      <Status>RUNNING</Status>
    </ListMessageMoveTasksResultEntry>
  </ListMessageMoveTasksResult>
`},
		{"TagResource", `{}`, "  <TagResourceResult/>\n"},
		{"Unsubscribe", "", ""},
		{"ListTopics", `{"Topics":[]}`, `  <ListTopicsResult>
    <Topics/>
  </ListTopicsResult>
`},
		{"ListTopics", `{"Topics":[{"TopicArn":"b"},{"TopicArn":"a"}],"NextToken":"n"}`, `  <ListTopicsResult>
    <NextToken>n</NextToken>
    <Topics>
      <member>
        <TopicArn>b</TopicArn>
      </member>
      <member>
        <TopicArn>a</TopicArn>
      </member>
    </Topics>
  </ListTopicsResult>
`},
		{"GetTopicAttributes", `{"Attributes":{"b":"1","a":""}}`, `  <GetTopicAttributesResult>
    <Attributes>
      <entry>
        <key>a</key>
        <value></value>
      </entry>
      <entry>
        <key>b</key>
        <value>1</value>
      </entry>
    </Attributes>
  </GetTopicAttributesResult>
`},
		{"GetTopicAttributes", `{"Attributes":{}}`, `  <GetTopicAttributesResult>
    <Attributes/>
  </GetTopicAttributesResult>
`},
		{"ListTagsForResource", `{"Tags":[{"Value":"v","Key":"k"}]}`, `  <ListTagsForResourceResult>
    <Tags>
      <member>
        <Key>k</Key>
        <Value>v</Value>
      </member>
    </Tags>
  </ListTagsForResourceResult>
`},
		{"PublishBatch", `{"Successful":[],"Failed":[{"Id":"1","Code":"InvalidParameterException"}]}`, `  <PublishBatchResult>
    <Failed>
      <member>
        <Code>InvalidParameter</Code>
        <Id>1</Id>
      </member>
    </Failed>
    <Successful/>
  </PublishBatchResult>
`},
	} {
		service, _ := wire.ServiceOf(c.action)
		head := `<?xml version="1.0"?><` + c.action + `Response xmlns="http://queue.amazonaws.com/doc/2012-11-05/">` + "\n"
		if service == wire.SNS {
			head = "<" + c.action + `Response xmlns="http://sns.amazonaws.com/doc/2010-03-31/">` + "\n"
		}
		var result *wire.Object
		if c.result != "" {
			result = object(t, c.result)
		}
		want := head + c.want + metadata + "</" + c.action + "Response>\n"
		if got := string(AppendResult(nil, service, c.action, requestID, result)); got != want {
			t.Errorf("%s %s:\n%s", c.action, c.result, got)
		}
	}
}

// TestRecordedLength is what was recorded of a response of SNS: its length.
func TestRecordedLength(t *testing.T) {
	result := wire.NewObject().SetString("MessageId", requestID)
	if n := len(AppendResult(nil, wire.SNS, "Publish", requestID, result)); n != 294 {
		t.Errorf("%d bytes, recorded were 294", n)
	}
	result.SetString("SequenceNumber", "10000000000000000000")
	if n := len(AppendResult(nil, wire.SNS, "Publish", requestID, result)); n != 352 {
		t.Errorf("%d bytes, recorded were 352", n)
	}
}

func TestMapsByKind(t *testing.T) {
	o := wire.NewObject().Set("Other", wire.Map(wire.NewObject().Set("k", wire.String("v")).Set("n", wire.Null())))
	want := "    <Other>\n      <entry>\n        <key>k</key>\n        <value>v</value>\n      </entry>\n    </Other>\n"
	for _, service := range []wire.Service{wire.SQS, wire.SNS} {
		if got := string(AppendResult(nil, service, "X", requestID, o)); !strings.Contains(got, want) {
			t.Errorf("%v: %s", service, got)
		}
	}
}

func TestManyMembers(t *testing.T) {
	o := wire.NewObject()
	for i := range 50 {
		o.Set(fmt.Sprintf("k%02d", 49-i), wire.String("v"))
	}
	got := string(AppendResult(nil, wire.SQS, "ListQueueTags", requestID, wire.NewObject().Set("Tags", wire.Map(o))))
	at := -1
	for i := range 50 {
		next := strings.Index(got, fmt.Sprintf("<Key>k%02d</Key>", i))
		if next <= at {
			t.Fatalf("k%02d is out of order", i)
		}
		at = next
	}
	if o.Members()[0].Name != "k49" {
		t.Error("the response was changed")
	}
}

func TestAppendError(t *testing.T) {
	got := string(AppendError([]byte("before "), wire.SQS, "GetQueueUrl", requestID, fault.QueueDoesNotExist.Default()))
	want := `before <?xml version="1.0"?><ErrorResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/">
  <Error>
    <Type>Sender</Type>
    <Code>AWS.SimpleQueueService.NonExistentQueue</Code>
    <Message>The specified queue does not exist for this wsdl version.</Message>
    <Detail/>
  </Error>
  <RequestId>` + requestID + `</RequestId>
</ErrorResponse>
`
	if got != want {
		t.Error(got)
	}
	got = string(AppendError(nil, wire.SNS, "Publish", requestID, fault.InternalFailure.With("a < b")))
	want = `<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/">
  <Error>
    <Type>Receiver</Type>
    <Code>InternalFailure</Code>
    <Message>a &lt; b</Message>
  </Error>
  <RequestId>` + requestID + `</RequestId>
</ErrorResponse>
`
	if got != want {
		t.Error(got)
	}
	got = string(AppendError(nil, wire.SQS, "DeleteMessageBatch", requestID, fault.EmptyBatchRequest.Default()))
	if strings.Contains(got, "Detail") {
		t.Errorf("DeleteMessageBatch has a Detail: %s", got)
	}
	if got := string(AppendError(nil, wire.SQS, "", requestID, fault.UnknownOperation.Default())); got != "<UnknownOperationException/>\n" {
		t.Error(got)
	}
}

// TestTextRoundTrip sends every character through the encoder and an XML parser.
func TestTextRoundTrip(t *testing.T) {
	var all, want strings.Builder
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		all.WriteRune(r)
		if r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r != 0xFFFE && r != 0xFFFF {
			want.WriteRune(r)
		} else {
			want.WriteRune(0xFFFD)
		}
	}
	var got string
	if err := xml.Unmarshal(append(appendText([]byte("<x>"), all.String()), "</x>"...), &got); err != nil {
		t.Fatal(err)
	}
	if got != want.String() {
		t.Error("some character did not come back")
	}
	if got := string(appendText(nil, "a\xffb\xed\xa0\x80&")); got != "a\uFFFDb\uFFFD\uFFFD\uFFFD&amp;" {
		t.Errorf("invalid UTF-8: %q", got)
	}
}

func TestQueryCodes(t *testing.T) {
	for _, k := range fault.Catalog() {
		service := wire.SQS
		if k.Namespace == "com.amazonaws.sns" {
			service = wire.SNS
		}
		if got := queryCode(service, k.JSON); got != k.Query {
			t.Errorf("%s: %s, want %s", k.JSON, got, k.Query)
		}
		if got := queryCode(service, k.Query); got != k.Query && k.JSON != k.Query {
			t.Errorf("%s is translated again, to %s", k.Query, got)
		}
	}
	if got := queryCode(wire.SNS, "QueueDoesNotExist"); got != "AWS.SimpleQueueService.NonExistentQueue" {
		t.Errorf("the other service's: %s", got)
	}
	if got := queryCode(wire.SQS, "ResourceNotFoundException"); got != "ResourceNotFoundException" {
		t.Errorf("SQS's own: %s", got)
	}
	if got := queryCode(wire.SNS, "ResourceNotFoundException"); got != "ResourceNotFound" {
		t.Errorf("SNS's own: %s", got)
	}
}

func TestAppendJSONResult(t *testing.T) {
	tail := `"ResponseMetadata":{"RequestId":"` + requestID + `"}}}`
	for _, c := range []struct{ action, result, want string }{
		{"ListQueues", `{"QueueUrls":["b","a"]}`, `{"ListQueuesResponse":{"ListQueuesResult":{"queueUrls":["b","a"]},` + tail},
		{"ListQueues", `{}`, `{"ListQueuesResponse":{"ListQueuesResult":{},` + tail},
		{"DeleteQueue", ``, `{"DeleteQueueResponse":{` + tail},
		{"GetQueueAttributes", `{"Attributes":{"b":"2","a":"\"1"}}`, `{"GetQueueAttributesResponse":{"GetQueueAttributesResult":{"Attributes":[{"Name":"a","Value":"\"1"},{"Name":"b","Value":"2"}]},` + tail},
		{"ReceiveMessage", `{"Messages":[{"MessageId":"m","Body":"b","Attributes":{"SentTimestamp":"1"},"MessageAttributes":{"k":{"StringValue":"v","DataType":"String"}}}]}`,
			`{"ReceiveMessageResponse":{"ReceiveMessageResult":{"messages":[{"Attributes":[{"Name":"SentTimestamp","Value":"1"}],"Body":"b","MessageAttributes":[{"Name":"k","Value":{"DataType":"String","StringValue":"v"}}],"MessageId":"m"}]},` + tail},
		{"SendMessage", `{"MessageId":"m","SequenceNumber":null}`, `{"SendMessageResponse":{"SendMessageResult":{"MessageId":"m"},` + tail},
		{"SendMessageBatch", `{"Failed":[{"Id":"2","SenderFault":true,"Code":"QueueDoesNotExist"}]}`, `{"SendMessageBatchResponse":{"SendMessageBatchResult":{"Failed":[{"Code":"AWS.SimpleQueueService.NonExistentQueue","Id":"2","SenderFault":true}]},` + tail},
		{"ListQueueTags", `{"Tags":{"a":"b"}}`, `{"ListQueueTagsResponse":{"ListQueueTagsResult":{"Tags":[{"Key":"a","Value":"b"}]},` + tail},
		{"GetTopicAttributes", `{"Attributes":{"b":"2","a":"1"}}`, `{"GetTopicAttributesResponse":{"GetTopicAttributesResult":{"Attributes":{"a":"1","b":"2"}},` + tail},
	} {
		service, _ := wire.ServiceOf(c.action)
		var result *wire.Object
		if c.result != "" {
			result = object(t, c.result)
		}
		if got := string(AppendJSONResult(nil, service, c.action, requestID, result)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.action, got, c.want)
		}
	}
}

func TestAppendJSONError(t *testing.T) {
	got := string(AppendJSONError(nil, requestID, checkPath("/0/q", "ListQueues")))
	want := `{"Error":{"Code":"InvalidAction","Message":"The action ListQueues is not valid for this endpoint.","Type":"Sender"},"RequestId":"` + requestID + `"}`
	if got != want || !json.Valid([]byte(got)) {
		t.Error(got)
	}
	if !IsXMLOnly(checkPath("/0/q", "")) || IsXMLOnly(fault.InvalidAction.Default()) {
		t.Error("only an unknown operation is always written in XML")
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
		buf = AppendResult(buf[:0], wire.SQS, "ReceiveMessage", requestID, result)
	}
	b.SetBytes(int64(len(buf)))
}
