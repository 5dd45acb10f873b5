package client

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
)

// echo answers every request with a fixed answer and keeps the request.
func echo(t *testing.T, contentType, body string) (Config, *http.Request, *[]byte) {
	t.Helper()
	var got http.Request
	var sent []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = *r
		sent, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return Config{Endpoints: []string{s.URL}, Region: "r", Credentials: Credentials{AccessKeyID: "A", Secret: "S"}}, &got, &sent
}

func withTransport(cfg Config) Config {
	cfg.Transport = http.DefaultTransport
	return cfg
}

// What the raw client writes has to be what the SDK of that protocol writes, for
// everything the SDK can say.
var requests = []struct {
	action string
	params Params
}{
	{"CreateQueue", Params{"QueueName": "q", "Attributes": Params{"DelaySeconds": "1", "VisibilityTimeout": "2"}, "Tags": Params{"a": "b", "c": ""}}},
	{"SendMessage", Params{"QueueUrl": "http://h/1/q", "MessageBody": "b&=\n\u00e9", "DelaySeconds": int64(5), "MessageAttributes": Params{
		"bin": Params{"DataType": "Binary", "BinaryValue": []byte{0, 1, 255}},
		"str": Params{"DataType": "String", "StringValue": "x"},
	}, "MessageSystemAttributes": Params{"AWSTraceHeader": Params{"DataType": "String", "StringValue": "y"}}}},
	{"ReceiveMessage", Params{"QueueUrl": "u", "AttributeNames": []any{"All"}, "MessageAttributeNames": []any{"a", "b.*"}, "MaxNumberOfMessages": int64(3), "WaitTimeSeconds": int64(2)}},
	{"DeleteMessageBatch", Params{"QueueUrl": "u", "Entries": []any{Params{"Id": "1", "ReceiptHandle": "h"}, Params{"Id": "2", "ReceiptHandle": "i"}}}},
	{"ChangeMessageVisibility", Params{"QueueUrl": "u", "ReceiptHandle": "h", "VisibilityTimeout": int64(0)}},
	{"ChangeMessageVisibilityBatch", Params{"QueueUrl": "u", "Entries": []any{Params{"Id": "1", "ReceiptHandle": "h", "VisibilityTimeout": int64(7)}}}},
	{"UntagQueue", Params{"QueueUrl": "u", "TagKeys": []any{"a", "b"}}},
	{"AddPermission", Params{"QueueUrl": "u", "Label": "l", "AWSAccountIds": []any{"1"}, "Actions": []any{"SendMessage"}}},
}

func TestRawJSONIsWhatTheSDKSends(t *testing.T) {
	cfg, _, sent := echo(t, "application/x-amz-json-1.0", "{}")
	for _, r := range requests {
		var bodies [2]any
		for i, c := range []Client{newV2(withTransport(cfg)), NewRaw(JSON, cfg, &Recorder{})} {
			if _, err := c.Call(t.Context(), SQS, r.action, r.params); err != nil {
				t.Fatalf("%s: %v", r.action, err)
			}
			if err := json.Unmarshal(*sent, &bodies[i]); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(bodies[0], bodies[1]) {
			t.Errorf("%s: the SDK sends %v, the raw client %v", r.action, bodies[0], bodies[1])
		}
	}
}

func TestRawQueryIsWhatTheSDKSends(t *testing.T) {
	cfg, _, sent := echo(t, "text/xml", "<R><SendMessageResult><MD5OfMessageBody>79de3e54e9f635d62ce8949a90d6bbfe</MD5OfMessageBody></SendMessageResult></R>")
	for _, r := range requests {
		var forms [2]url.Values
		for i, c := range []Client{newV1(withTransport(cfg)), NewRaw(Query, cfg, &Recorder{})} {
			if _, err := c.Call(t.Context(), SQS, r.action, r.params); err != nil {
				t.Fatalf("%s: %v", r.action, err)
			}
			form, err := url.ParseQuery(string(*sent))
			if err != nil {
				t.Fatal(err)
			}
			forms[i] = form
		}
		// The SDK walks its maps in no order, so names meet their values first.
		if a, b := paired(forms[0]), paired(forms[1]); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: the SDK sends %v, the raw client %v", r.action, a, b)
		}
	}
}

// paired replaces the numbers of map entries by their names.
func paired(form url.Values) map[string]string {
	out := map[string]string{}
	for k, v := range form {
		prefix, rest, ok := strings.Cut(k, ".")
		if !ok {
			out[k] = v[0]
			continue
		}
		n, member, _ := strings.Cut(rest, ".")
		for _, key := range []string{"Name", "Key"} {
			if name := form.Get(prefix + "." + n + "." + key); name != "" {
				n = name
			}
		}
		out[prefix+"."+n+"."+member] = v[0]
	}
	return out
}

// A member that is no pointer cannot be left out or cannot be zero: the SDK must
// not be used for what it would say wrongly.
func TestWhatTheSDKCannotSayIsSentRaw(t *testing.T) {
	cfg, _, sent := echo(t, "application/x-amz-json-1.0", "{}")
	for _, c := range []struct {
		action string
		params Params
		has    string
		hasNot string
	}{
		{"ReceiveMessage", Params{"VisibilityTimeout": int64(0)}, `"VisibilityTimeout":0`, ""},
		{"ReceiveMessage", Params{"WaitTimeSeconds": int64(0)}, `"WaitTimeSeconds":0`, "VisibilityTimeout"},
		{"ReceiveMessage", Params{"MaxNumberOfMessages": "soon"}, `"soon"`, ""},
		{"ReceiveMessage", Params{}, "{", "MaxNumberOfMessages"},
		{"SendMessage", Params{"DelaySeconds": int64(0)}, `"DelaySeconds":0`, ""},
		{"SendMessage", Params{"MessageBody": "a"}, `"a"`, "DelaySeconds"},
		{"ChangeMessageVisibility", Params{"VisibilityTimeout": int64(0)}, `"VisibilityTimeout":0`, ""},
		{"ChangeMessageVisibility", Params{"QueueUrl": "u"}, `"u"`, "VisibilityTimeout"},
		{"ChangeMessageVisibilityBatch", Params{"Entries": []any{Params{"Id": "1", "VisibilityTimeout": int64(0)}}}, `"VisibilityTimeout":0`, ""},
		{"ChangeMessageVisibilityBatch", Params{"Entries": []any{Params{"Id": "1"}}}, `"1"`, "VisibilityTimeout"},
		{"SendMessageBatch", Params{"Entries": []any{Params{"Id": "1", "DelaySeconds": int64(0)}}}, `"DelaySeconds":0`, ""},
		{"SendMessageBatch", Params{"Entries": []any{Params{"Id": "1"}}}, `"1"`, "DelaySeconds"},
		{"CreateQueue", Params{"Unknown": "x"}, `"Unknown":"x"`, ""},
		{"SendMessageBatch", Params{"Entries": []any{}}, `"Entries":[]`, ""},
	} {
		if _, err := New(JSON, cfg, &Recorder{}).Call(t.Context(), SQS, c.action, c.params); err != nil {
			t.Fatalf("%s %v: %v", c.action, c.params, err)
		}
		body := string(*sent)
		if !strings.Contains(body, c.has) || (c.hasNot != "" && strings.Contains(body, c.hasNot)) {
			t.Errorf("%s %v was sent as %s", c.action, c.params, body)
		}
	}
}

func TestAnswersReadAlike(t *testing.T) {
	answers := []struct {
		action, json, xml string
		want              Params
	}{
		{"ReceiveMessage",
			`{"Messages":[{"MessageId":"i","Body":"b","MD5OfBody":"92eb5ffee6ae2fec3ad71c777531578f","Attributes":{"SentTimestamp":"1"},"MessageAttributes":{"k":{"DataType":"Binary","BinaryValue":"AAE="}}}]}`,
			`<ReceiveMessageResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><ReceiveMessageResult><Message><MessageId>i</MessageId><Body>b</Body><MD5OfBody>92eb5ffee6ae2fec3ad71c777531578f</MD5OfBody><Attribute><Name>SentTimestamp</Name><Value>1</Value></Attribute><MessageAttribute><Name>k</Name><Value><DataType>Binary</DataType><BinaryValue>AAE=</BinaryValue></Value></MessageAttribute></Message></ReceiveMessageResult></ReceiveMessageResponse>`,
			Params{"Messages": []any{Params{"MessageId": "i", "Body": "b", "MD5OfBody": "92eb5ffee6ae2fec3ad71c777531578f", "Attributes": Params{"SentTimestamp": "1"}, "MessageAttributes": Params{"k": Params{"DataType": "Binary", "BinaryValue": []byte{0, 1}}}}}}},
		{"ListQueues", `{"QueueUrls":["a","b"]}`,
			`<ListQueuesResponse><ListQueuesResult><QueueUrl>a</QueueUrl><QueueUrl>b</QueueUrl></ListQueuesResult></ListQueuesResponse>`,
			Params{"QueueUrls": []any{"a", "b"}}},
		{"ListDeadLetterSourceQueues", `{"queueUrls":["a"]}`,
			`<ListDeadLetterSourceQueuesResponse><ListDeadLetterSourceQueuesResult><QueueUrl>a</QueueUrl></ListDeadLetterSourceQueuesResult></ListDeadLetterSourceQueuesResponse>`,
			Params{"QueueUrls": []any{"a"}}},
		{"ListQueueTags", `{"Tags":{"k":"v"}}`,
			`<ListQueueTagsResponse><ListQueueTagsResult><Tag><Key>k</Key><Value>v</Value></Tag></ListQueueTagsResult></ListQueueTagsResponse>`,
			Params{"Tags": Params{"k": "v"}}},
		{"DeleteQueue", `{}`, `<DeleteQueueResponse><ResponseMetadata/></DeleteQueueResponse>`, Params{}},
	}
	for _, a := range answers {
		for _, protocol := range []Protocol{JSON, Query} {
			body, contentType := a.json, "application/x-amz-json-1.0"
			if protocol == Query {
				body, contentType = a.xml, "text/xml"
			}
			cfg, _, _ := echo(t, contentType, body)
			for name, c := range map[string]Client{"SDK": New(protocol, cfg, &Recorder{}), "raw": NewRaw(protocol, cfg, &Recorder{})} {
				got, err := c.Call(t.Context(), SQS, a.action, Params{})
				if err != nil {
					t.Fatalf("%s over %s, %s: %v", a.action, protocol, name, err)
				}
				if !reflect.DeepEqual(got, a.want) {
					t.Errorf("%s over %s, %s: %v, want %v", a.action, protocol, name, got, a.want)
				}
			}
		}
	}
}

func TestRequestsAlternateOverEndpoints(t *testing.T) {
	var hits [2]int
	var hosts []string
	var endpoints []string
	for i := range hits {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			hits[i]++
			hosts = append(hosts, r.Host)
			io.WriteString(w, "{}")
		}))
		t.Cleanup(s.Close)
		endpoints = append(endpoints, s.URL)
	}
	c := New(JSON, Config{Endpoints: endpoints, Region: "r", Credentials: Credentials{AccessKeyID: "A", Secret: "S"}}, &Recorder{})
	for range 4 {
		if _, err := c.Call(t.Context(), SQS, "ListQueues", Params{}); err != nil {
			t.Fatal(err)
		}
	}
	if hits != [2]int{2, 2} {
		t.Errorf("the endpoints were asked %v times", hits)
	}
	for _, h := range hosts {
		if "http://"+h != endpoints[0] {
			t.Errorf("Host was %s: the signature covers the first endpoint's", h)
		}
	}
}

func TestRequestsAreSignedWithTheGivenTime(t *testing.T) {
	at := time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)
	for _, protocol := range []Protocol{JSON, Query} {
		cfg, got, _ := echo(t, "", map[Protocol]string{JSON: "{}", Query: "<R/>"}[protocol])
		cfg.Now = func() time.Time { return at }
		for _, c := range []Client{New(protocol, cfg, &Recorder{}), NewRaw(protocol, cfg, &Recorder{})} {
			if _, err := c.Call(t.Context(), SQS, "ListQueues", Params{}); err != nil {
				t.Fatal(err)
			}
			if date := got.Header.Get("X-Amz-Date"); date != "20310203T040506Z" {
				t.Errorf("%s: signed at %s", protocol, date)
			}
		}
	}
}

func TestErrorsReadAlike(t *testing.T) {
	for _, protocol := range []Protocol{JSON, Query} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("x-amzn-requestid", "id")
			w.Header().Set("x-amzn-query-error", "AWS.X;Sender")
			w.WriteHeader(403)
			if protocol == JSON {
				io.WriteString(w, `{"__type":"com.amazonaws.sqs#X","message":"m"}`)
				return
			}
			io.WriteString(w, `<ErrorResponse><Error><Type>Sender</Type><Code>AWS.X</Code><Message>m</Message><Detail/></Error><RequestId>id</RequestId></ErrorResponse>`)
		}))
		cfg := Config{Endpoints: []string{s.URL}, Region: "r", Credentials: Credentials{AccessKeyID: "A", Secret: "S"}}
		want := APIError{Code: "AWS.X", Fault: "Sender", Message: "m", Status: 403, RequestID: "id"}
		if protocol == JSON {
			want.Type = "X"
		}
		for _, c := range []Client{New(protocol, cfg, &Recorder{}), NewRaw(protocol, cfg, &Recorder{})} {
			_, err := c.Call(t.Context(), SQS, "ListQueues", Params{})
			got, ok := err.(*APIError)
			if !ok {
				t.Fatalf("%s: %v", protocol, err)
			}
			plain := *got
			plain.SDK = ""
			if plain != want {
				t.Errorf("%s: %+v, want %+v", protocol, plain, want)
			}
		}
		s.Close()
	}
}
