package awsquery

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/awserr"
	"github.com/aws/aws-sdk-go/aws/credentials"
	"github.com/aws/aws-sdk-go/aws/request"
	"github.com/aws/aws-sdk-go/aws/session"
	"github.com/aws/aws-sdk-go/service/sns"
	"github.com/aws/aws-sdk-go/service/sqs"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
	"github.com/queen-mq/queen-sqs/server/wire/awsjson"
)

// The tests of this file speak through a real SDK of the Query time, aws-sdk-go
// v1 1.44, and through forms that botocore 1.29.165 serialized.

// recorded is one request: its parameters as AWS JSON has them, and the form
// that botocore made of them.
type recorded struct {
	Action string
	Params json.RawMessage
	Form   string
}

func recordings(t *testing.T) []recorded {
	t.Helper()
	doc, err := os.ReadFile("testdata/botocore-1.29.165.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []recorded
	if err := json.Unmarshal(doc, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// texts is a value as Query knows it: every scalar a text.
func texts(v wire.Value) any {
	switch v.Kind() {
	case wire.KindNull:
		return nil
	case wire.KindList:
		list := []any{}
		for _, item := range v.Items() {
			list = append(list, texts(item))
		}
		return list
	case wire.KindObject, wire.KindMap:
		m := map[string]any{}
		for _, member := range v.Object().Members() {
			m[member.Name] = texts(member.Value)
		}
		return m
	}
	return v.Text()
}

func fromJSON(t *testing.T, action string, doc []byte) any {
	t.Helper()
	prefix := wire.SQSTarget
	if s, _ := wire.ServiceOf(action); s == wire.SNS {
		prefix = wire.SNSTarget
	}
	_, _, params, err := awsjson.Decode(prefix+action, doc)
	if err != nil {
		t.Fatal(err)
	}
	return texts(wire.Struct(params))
}

// wireHTTP is an http.RoundTripper that keeps the request and responds with a
// document.
type wireHTTP struct {
	form     []byte
	status   int
	response []byte
}

func (w *wireHTTP) RoundTrip(r *http.Request) (*http.Response, error) {
	w.form, _ = io.ReadAll(r.Body)
	return &http.Response{
		StatusCode: w.status, Request: r, Body: io.NopCloser(bytes.NewReader(w.response)),
		Header: http.Header{"Content-Type": {XMLContentType}},
	}, nil
}

// call makes the SDK's request of an action, its input read from the AWS JSON
// document.
func (w *wireHTTP) call(t *testing.T, action string, doc []byte) *request.Request {
	t.Helper()
	t.Setenv("AWS_CA_BUNDLE", "") // it needs a transport of its own
	s := session.Must(session.NewSession(&aws.Config{
		Region: aws.String("queen-1"), Endpoint: aws.String("http://localhost:9324"),
		Credentials: credentials.NewStaticCredentials("k", "s", ""),
		HTTPClient:  &http.Client{Transport: w}, MaxRetries: aws.Int(0),
		DisableComputeChecksums: aws.Bool(true), DisableParamValidation: aws.Bool(true),
	}))
	client := reflect.ValueOf(sqs.New(s))
	if service, _ := wire.ServiceOf(action); service == wire.SNS {
		client = reflect.ValueOf(sns.New(s))
	}
	method := client.MethodByName(action + "Request")
	input := reflect.New(method.Type().In(0).Elem())
	if err := json.Unmarshal(doc, input.Interface()); err != nil {
		t.Fatal(err)
	}
	return method.Call([]reflect.Value{input})[0].Interface().(*request.Request)
}

// TestBothCodecsAgree decodes every action over both protocols, over Query as
// two SDKs spell it.
func TestBothCodecsAgree(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range recordings(t) {
		seen[r.Action] = true
		want := fromJSON(t, r.Action, r.Params)
		sdk := wireHTTP{status: 200, response: []byte("<x/>")}
		if err := sdk.call(t, r.Action, r.Params).Send(); err != nil {
			t.Fatalf("%s: %v", r.Action, err)
		}
		for client, form := range map[string][]byte{"botocore": []byte(r.Form), "aws-sdk-go": sdk.form} {
			service, action, params, err := Decode("/", nil, form)
			if err != nil || action != r.Action {
				t.Fatalf("%s, %s: %q %v", r.Action, client, action, err)
			}
			if known, _ := wire.ServiceOf(r.Action); service != known {
				t.Errorf("%s, %s: service %v", r.Action, client, service)
			}
			if got := texts(wire.Struct(params)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: %s\n got %v\nwant %v", r.Action, client, form, got, want)
			}
			// A GET has the same in its query string.
			if _, _, params, err = Decode("/", form, nil); err != nil || !reflect.DeepEqual(texts(wire.Struct(params)), want) {
				t.Errorf("%s, %s, in the query string: %v", r.Action, client, err)
			}
		}
	}
	for _, a := range append(append([]string(nil), wire.SQSActions...), wire.SNSActions...) {
		if !seen[a] {
			t.Errorf("no request of %s", a)
		}
	}
}

// results are results as AWS JSON has them; for an action that is not here there
// is none.
var results = map[string][]string{
	"CancelMessageMoveTask":        {`{"ApproximateNumberOfMessagesMoved":7}`},
	"ChangeMessageVisibilityBatch": {`{"Successful":[{"Id":"1"}],"Failed":[{"Id":"2","SenderFault":true,"Code":"AWS.SimpleQueueService.MessageNotInflight","Message":"m"}]}`},
	"CreateQueue":                  {`{"QueueUrl":"http://localhost:9324/000000000000/jobs"}`},
	"DeleteMessageBatch":           {`{"Successful":[{"Id":"1"},{"Id":"2"}]}`, `{"Failed":[{"Id":"1","SenderFault":true,"Code":"ReceiptHandleIsInvalid","Message":"<&>"}]}`},
	"GetQueueAttributes":           {`{"Attributes":{"VisibilityTimeout":"30","Policy":"{\"a\":\"'b'\"}\r\n","Empty":""}}`, `{}`},
	"GetQueueUrl":                  {`{"QueueUrl":"u"}`},
	"ListDeadLetterSourceQueues":   {`{"queueUrls":["a","b"],"NextToken":"t"}`},
	"ListMessageMoveTasks":         {`{"Results":[{"TaskHandle":"h","Status":"RUNNING","SourceArn":"s","MaxNumberOfMessagesPerSecond":5,"ApproximateNumberOfMessagesMoved":1,"ApproximateNumberOfMessagesToMove":2,"StartedTimestamp":1700000000000},{"Status":"FAILED","FailureReason":"r"}]}`},
	"ListQueueTags":                {`{"Tags":{"b":"2","a":""}}`, `{}`},
	"ListQueues":                   {`{"QueueUrls":["b","a"],"NextToken":"t"}`, `{}`},
	"ReceiveMessage": {`{}`, `{"Messages":[{"MessageId":"m","ReceiptHandle":"r+/=","MD5OfBody":"d","Body":" line\r\n\ttab \"<é€😀>\" ","Attributes":{"SentTimestamp":"1","ApproximateReceiveCount":"2"},` +
		`"MD5OfMessageAttributes":"e","MessageAttributes":{"blob":{"DataType":"Binary","BinaryValue":"AAEC/w=="},"n":{"DataType":"Number","StringValue":"42"}}},{"Body":"second"}]}`},
	"SendMessage":               {`{"MessageId":"m","MD5OfMessageBody":"d","MD5OfMessageAttributes":"e","MD5OfMessageSystemAttributes":"f","SequenceNumber":"18"}`},
	"SendMessageBatch":          {`{"Successful":[{"Id":"b","MessageId":"m","MD5OfMessageBody":"d"},{"Id":"a","MessageId":"n","SequenceNumber":"1"}],"Failed":[{"Id":"c","SenderFault":false,"Code":"ServiceUnavailable","Message":"m"}]}`},
	"StartMessageMoveTask":      {`{"TaskHandle":"h"}`},
	"ConfirmSubscription":       {`{"SubscriptionArn":"a"}`},
	"CreateTopic":               {`{"TopicArn":"a"}`},
	"GetSubscriptionAttributes": {`{"Attributes":{"RawMessageDelivery":"true","FilterPolicy":"{\"a\":[\"b\"]}"}}`},
	"GetTopicAttributes":        {`{"Attributes":{"Owner":"o","DisplayName":""}}`},
	"ListSubscriptions":         {`{"Subscriptions":[{"SubscriptionArn":"s","Owner":"o","Protocol":"sqs","Endpoint":"e","TopicArn":"t"}],"NextToken":"n"}`},
	"ListSubscriptionsByTopic":  {`{"Subscriptions":[]}`},
	"ListTagsForResource":       {`{"Tags":[{"Key":"b","Value":"1"},{"Key":"a","Value":""}]}`},
	"ListTopics":                {`{"Topics":[{"TopicArn":"b"},{"TopicArn":"a"}]}`, `{"Topics":[]}`},
	"Publish":                   {`{"MessageId":"m","SequenceNumber":"10000000000000000000"}`},
	"PublishBatch":              {`{"Successful":[{"Id":"1","MessageId":"m"}],"Failed":[{"Id":"2","SenderFault":true,"Code":"InvalidParameter","Message":"m"}]}`, `{"Successful":[{"Id":"1","MessageId":"m"}],"Failed":[]}`},
	"Subscribe":                 {`{"SubscriptionArn":"a"}`},
	"TagResource":               {`{}`},
	"UntagResource":             {`{}`},
}

// TestSDKReadsResponses has the SDK read every action's response.
func TestSDKReadsResponses(t *testing.T) {
	for _, action := range append(append([]string(nil), wire.SQSActions...), wire.SNSActions...) {
		docs, ok := results[action]
		if !ok {
			docs = []string{""}
		}
		service, _ := wire.ServiceOf(action)
		for _, doc := range docs {
			var result *wire.Object
			if doc != "" {
				result = object(t, doc)
			}
			sdk := wireHTTP{status: 200, response: AppendResult(nil, service, action, requestID, result)}
			r := sdk.call(t, action, []byte("{}"))
			if err := r.Send(); err != nil {
				t.Errorf("%s: %v\n%s", action, err, sdk.response)
				continue
			}
			want := reflect.New(reflect.TypeOf(r.Data).Elem()).Interface()
			if doc != "" {
				if err := json.Unmarshal([]byte(doc), want); err != nil {
					t.Fatal(err)
				}
			}
			// Empty lists cannot be told from absent ones in some shapes.
			got, _ := json.Marshal(r.Data)
			expected, _ := json.Marshal(want)
			if !bytes.Equal(bytes.ReplaceAll(got, []byte("[]"), []byte("null")), bytes.ReplaceAll(expected, []byte("[]"), []byte("null"))) {
				t.Errorf("%s:\n got %s\nwant %s\n%s", action, got, expected, sdk.response)
			}
		}
	}
}

// object reads a response written as JSON.
func object(t testing.TB, doc string) *wire.Object {
	t.Helper()
	_, _, o, err := awsjson.Decode("AmazonSQS.ListQueues", []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	if o.Has("Tags") {
		// The decoder of requests mirrors this name.
		bare := wire.NewObject()
		for _, m := range o.Members() {
			if m.Name != "tags" {
				bare.Set(m.Name, m.Value)
			}
		}
		return bare
	}
	return o
}

func TestSDKReadsErrors(t *testing.T) {
	for _, k := range fault.Catalog() {
		if k == fault.UnknownOperation {
			continue
		}
		for service, action := range map[wire.Service]string{wire.SQS: "GetQueueUrl", wire.SNS: "GetTopicAttributes"} {
			sdk := wireHTTP{status: k.Status, response: AppendError(nil, service, "", requestID, k.With("a <b> & \"c\""))}
			err, ok := sdk.call(t, action, []byte("{}")).Send().(awserr.RequestFailure)
			if !ok || err.Code() != k.Query || err.Message() != "a <b> & \"c\"" || err.StatusCode() != k.Status || err.RequestID() != requestID {
				t.Errorf("%s: %v\n%s", k.Query, err, sdk.response)
			}
		}
	}
}
