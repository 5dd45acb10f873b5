package model_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/sns"
	"github.com/queen-mq/queen-sqs/server/wire"
	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/model"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// unserved are the operations of SNS that are not answered.
func unserved() []string {
	list := slices.Clone(sns.SharedNames)
	for _, names := range sns.PlatformActions {
		list = append(list, names...)
	}
	return list
}

// The models say what there is: every operation of SQS is served, and of SNS
// those that are its API; the others are filed by name.
func TestEveryOperationIsAccountedFor(t *testing.T) {
	for _, protocol := range []string{model.JSON, model.Query} {
		if got := model.Of(model.SQS, protocol).Names(); !slices.Equal(got, sorted(wire.SQSActions)) || len(got) != 23 {
			t.Errorf("the model of SQS over %s has %v", protocol, got)
		}
	}
	if len(wire.SNSActions) != 17 {
		t.Errorf("%d operations of SNS are served", len(wire.SNSActions))
	}
	all := append(slices.Clone(wire.SNSActions), unserved()...)
	if got := model.Of(model.SNS, model.Query).Names(); !slices.Equal(got, sorted(all)) {
		t.Errorf("the model of SNS has %v", got)
	}
}

// Asked in either protocol, what is served is not InvalidAction, and all else
// is.
func TestServedAndUnserved(t *testing.T) {
	source, err := target.InProcess("")
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	gateway, err := source.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	unknown := func(protocol client.Protocol, service, operation string) bool {
		raw := client.NewRaw(protocol, gateway.Config(), &client.Recorder{})
		x, err := raw.Send(t.Context(), raw.Encode(service, operation, client.Params{}))
		if err != nil {
			t.Fatal(err)
		}
		asked := model.Asked{Service: service, Operation: operation, Protocol: string(protocol)}
		for _, p := range model.Check(asked, model.Answer{Status: x.Status, Header: x.Header, Body: x.Body}) {
			t.Error(p)
		}
		return x.Status >= 300 && client.DecodeError(x).Code == "InvalidAction"
	}
	for _, protocol := range []client.Protocol{client.JSON, client.Query} {
		for _, operation := range wire.SQSActions {
			if unknown(protocol, model.SQS, operation) {
				t.Errorf("SQS %s over %s is InvalidAction", operation, protocol)
			}
		}
		for _, operation := range wire.SNSActions {
			if unknown(protocol, model.SNS, operation) {
				t.Errorf("SNS %s over %s is InvalidAction", operation, protocol)
			}
		}
		for _, operation := range unserved() {
			if !unknown(protocol, model.SNS, operation) {
				t.Errorf("SNS %s over %s is not InvalidAction", operation, protocol)
			}
		}
	}
}

func sorted(names []string) []string {
	list := slices.Clone(names)
	slices.Sort(list)
	return list
}

func TestExceptionsHaveSources(t *testing.T) {
	for _, e := range model.Exceptions() {
		kind, rest, _ := strings.Cut(e.Source, ": ")
		switch kind {
		case "recorded", "documented", "contract":
		case "register":
			if _, ok := divergences.Find(divergences.ID(rest)); !ok {
				t.Errorf("%s: the register has no %s", e.Where, rest)
			}
		default:
			t.Errorf("%s: the source is %q", e.Where, e.Source)
		}
		if e.Why == "" || rest == "" {
			t.Errorf("%s: no reason", e.Where)
		}
	}
}

const (
	result    = `<ReceiveMessageResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><ReceiveMessageResult>`
	resultEnd = `</ReceiveMessageResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></ReceiveMessageResponse>`
	errorHead = `<ErrorResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><Error><Type>Sender</Type><Code>`
	errorTail = `</Code><Message>m</Message><Detail/></Error><RequestId>r</RequestId></ErrorResponse>`
)

// What the checker has to find, and what it has to let pass.
func TestCheckFinds(t *testing.T) {
	sqs := func(op, protocol string) model.Asked {
		return model.Asked{Service: model.SQS, Operation: op, Protocol: protocol}
	}
	for name, c := range map[string]struct {
		asked  model.Asked
		status int
		code   string // x-amzn-query-error
		body   string
		want   model.Kind // empty for none
	}{
		"good json":                 {sqs("ReceiveMessage", model.JSON), 200, "", `{"Messages":[{"Body":"b","Attributes":{"SentTimestamp":"1"}}]}`, ""},
		"a member the model lacks":  {sqs("ReceiveMessage", model.JSON), 200, "", `{"Messages":[{"Bodies":"b"}]}`, model.UnknownMember},
		"a number for a string":     {sqs("ReceiveMessage", model.JSON), 200, "", `{"Messages":[{"Body":1}]}`, model.WrongType},
		"an unknown attribute":      {sqs("ReceiveMessage", model.JSON), 200, "", `{"Messages":[{"Attributes":{"Sent":"1"}}]}`, model.NotInEnum},
		"one of this gateway":       {sqs("ReceiveMessage", model.JSON), 200, "", `{"Messages":[{"Attributes":{"queen.sourceQueue":"q"}}]}`, ""},
		"bad base64":                {sqs("ReceiveMessage", model.JSON), 200, "", `{"Messages":[{"MessageAttributes":{"a":{"DataType":"Binary","BinaryValue":"?"}}}]}`, model.WrongType},
		"no DataType":               {sqs("ReceiveMessage", model.JSON), 200, "", `{"Messages":[{"MessageAttributes":{"a":{"StringValue":"v"}}}]}`, model.MissingMember},
		"a required list":           {sqs("ListDeadLetterSourceQueues", model.JSON), 200, "", `{}`, model.MissingMember},
		"a member twice":            {sqs("GetQueueUrl", model.JSON), 200, "", `{"QueueUrl":"a","QueueUrl":"b"}`, model.Malformed},
		"more than one document":    {sqs("GetQueueUrl", model.JSON), 200, "", `{"QueueUrl":"a"}{}`, model.Malformed},
		"a result of none":          {sqs("DeleteQueue", model.JSON), 200, "", `{"QueueUrl":"a"}`, model.UnknownMember},
		"a string for a number":     {sqs("CancelMessageMoveTask", model.JSON), 200, "", `{"ApproximateNumberOfMessagesMoved":"2"}`, model.WrongType},
		"an entry's unknown code":   {sqs("SendMessageBatch", model.JSON), 200, "", `{"Failed":[{"Id":"a","SenderFault":true,"Code":"Nonsense"}]}`, model.UndeclaredError},
		"a declared error":          {sqs("PurgeQueue", model.JSON), 403, "AWS.SimpleQueueService.PurgeQueueInProgress;Sender", `{"__type":"com.amazonaws.sqs#PurgeQueueInProgress","message":"m"}`, ""},
		"an undeclared error":       {sqs("PurgeQueue", model.JSON), 400, "InvalidAttributeName;Sender", `{"__type":"com.amazonaws.sqs#InvalidAttributeName","message":"m"}`, model.UndeclaredError},
		"a wrong status":            {sqs("PurgeQueue", model.JSON), 400, "AWS.SimpleQueueService.PurgeQueueInProgress;Sender", `{"__type":"com.amazonaws.sqs#PurgeQueueInProgress","message":"m"}`, model.WrongStatus},
		"a wrong code":              {sqs("PurgeQueue", model.JSON), 403, "PurgeQueueInProgress;Sender", `{"__type":"com.amazonaws.sqs#PurgeQueueInProgress","message":"m"}`, model.WrongCode},
		"no query error":            {sqs("PurgeQueue", model.JSON), 403, "", `{"__type":"com.amazonaws.sqs#PurgeQueueInProgress","message":"m"}`, model.Malformed},
		"a common error":            {sqs("PurgeQueue", model.JSON), 400, "MissingParameter;Sender", `{"__type":"com.amazon.coral.service#MissingRequiredParameterException","message":"m"}`, ""},
		"good xml":                  {sqs("ReceiveMessage", model.Query), 200, "", result + `<Message><Body>b</Body><Attribute><Name>SentTimestamp</Name><Value>1</Value></Attribute></Message>` + resultEnd, ""},
		"a wrapped list":            {sqs("ReceiveMessage", model.Query), 200, "", result + `<Messages><Message><Body>b</Body></Message></Messages>` + resultEnd, model.UnknownMember},
		"a key called Key":          {sqs("ReceiveMessage", model.Query), 200, "", result + `<Message><Attribute><Key>SentTimestamp</Key><Value>1</Value></Attribute></Message>` + resultEnd, model.Malformed},
		"a member twice in xml":     {sqs("ReceiveMessage", model.Query), 200, "", result + `<Message><Body>b</Body><Body>b</Body></Message>` + resultEnd, model.Malformed},
		"no request id":             {sqs("DeleteQueue", model.Query), 200, "", `<DeleteQueueResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><ResponseMetadata/></DeleteQueueResponse>`, model.MissingMember},
		"a wrong namespace":         {sqs("DeleteQueue", model.Query), 200, "", `<DeleteQueueResponse><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></DeleteQueueResponse>`, model.Malformed},
		"a result of none in xml":   {sqs("DeleteQueue", model.Query), 200, "", `<DeleteQueueResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><DeleteQueueResult/><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></DeleteQueueResponse>`, model.UnknownMember},
		"a good error in xml":       {sqs("DeleteQueue", model.Query), 400, "", errorHead + "AWS.SimpleQueueService.NonExistentQueue" + errorTail, ""},
		"an undeclared one in xml":  {sqs("DeleteQueue", model.Query), 400, "", errorHead + "QueueDoesNotExist" + errorTail, model.UndeclaredError},
		"a wrong status in xml":     {sqs("DeleteQueue", model.Query), 404, "", errorHead + "AWS.SimpleQueueService.NonExistentQueue" + errorTail, model.WrongStatus},
		"an operation nobody knows": {sqs("Juggle", model.JSON), 200, "", `{}`, model.Malformed},
	} {
		h := http.Header{}
		h.Set("Content-Type", "application/x-amz-json-1.0")
		if c.asked.Protocol == model.Query {
			h.Set("Content-Type", "text/xml")
		}
		if c.code != "" {
			h.Set("x-amzn-query-error", c.code)
		}
		problems := model.Check(c.asked, model.Answer{Status: c.status, Header: h, Body: []byte(c.body)})
		if c.want == "" && len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
		}
		if c.want != "" && (len(problems) != 1 || problems[0].Kind != c.want) {
			t.Errorf("%s: %v, not %s", name, problems, c.want)
		}
	}
}

// Both protocols decode to one tree.
func TestDecode(t *testing.T) {
	h := http.Header{"Content-Type": {"application/x-amz-json-1.0"}}
	asked := model.Asked{Service: model.SQS, Operation: "ReceiveMessage", Protocol: model.JSON}
	a, _ := model.Decode(asked, model.Answer{Status: 200, Header: h, Body: []byte(
		`{"Messages":[{"Body":"b","MessageAttributes":{"k":{"DataType":"Binary","BinaryValue":"AQI="}}}]}`)})
	asked.Protocol = model.Query
	b, _ := model.Decode(asked, model.Answer{Status: 200, Header: h, Body: []byte(result +
		`<Message><Body>b</Body><MessageAttribute><Name>k</Name><Value><DataType>Binary</DataType><BinaryValue>AQI=</BinaryValue></Value></MessageAttribute></Message>` + resultEnd)})
	for _, tree := range []map[string]any{a, b} {
		m := tree["Messages"].([]any)[0].(map[string]any)
		attribute := m["MessageAttributes"].(map[string]any)["k"].(map[string]any)
		if m["Body"] != "b" || string(attribute["BinaryValue"].([]byte)) != "\x01\x02" {
			t.Errorf("decoded as %v", tree)
		}
	}
}
