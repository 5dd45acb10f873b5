package wire

import (
	"strings"
	"testing"
)

func TestSniff(t *testing.T) {
	filler := "MessageBody=" + strings.Repeat("x", earlyBytes)
	for _, c := range []struct {
		name, target, accept, query, body string
		want                              Sniffed
	}{
		{"json sqs", "AmazonSQS.SendMessage", "", "", "{}", Sniffed{JSON, SQS, false}},
		{"json sns", "AmazonSimpleNotificationService.Publish", "", "", "{}", Sniffed{JSON, SNS, false}},
		{"json asks no other json", "AmazonSQS.X", "application/json", "", "", Sniffed{JSON, SQS, false}},
		{"spaces around the target", " AmazonSQS.SendMessage ", "", "", "", Sniffed{JSON, SQS, false}},
		{"blank target", "  ", "", "", "Action=Publish", Sniffed{Query, SNS, false}},
		{"old perl client", "AmazonSQSv20121105.SendMessage", "", "", "Action=SendMessage&Version=2012-11-05", Sniffed{Query, SQS, false}},
		{"foreign target", "DynamoDB_20120810.PutItem", "", "", `{"a":1}`, Sniffed{Query, SQS, false}},
		{"sns by version", "", "", "", "Action=SendMessage&Version=2010-03-31", Sniffed{Query, SNS, false}},
		{"version in the query", "", "", "Version=2010-03-31", "", Sniffed{Query, SNS, false}},
		{"body beats query", "", "", "Version=2010-03-31", "Version=2012-11-05", Sniffed{Query, SQS, false}},
		{"an unknown version is SQS's", "", "", "", "Action=Publish&Version=2009-02-01", Sniffed{Query, SQS, false}},
		{"no version, sns action", "", "", "Action=ListTopics", "", Sniffed{Query, SNS, false}},
		{"no version, no action", "", "", "", "", Sniffed{Query, SQS, false}},
		{"version too far in", "", "", "", filler + "&Version=2010-03-31", Sniffed{Query, SQS, false}},
		{"a name that only ends in Version", "", "", "", "XVersion=2010-03-31", Sniffed{Query, SQS, false}},
		{"json response", "", "application/json", "", "", Sniffed{Query, SQS, true}},
		{"json first", "", "application/json, text/plain, */*", "", "", Sniffed{Query, SQS, true}},
		{"xml first", "", "text/xml, application/json", "", "", Sniffed{Query, SQS, false}},
		{"json in other letters, with parameters", "", "text/html, Application/JSON;charset=utf-8;q=0.5", "", "", Sniffed{Query, SQS, true}},
		{"json refused", "", "application/json;q=0.0, text/xml", "", "", Sniffed{Query, SQS, false}},
		{"anything", "", "*/*", "", "", Sniffed{Query, SQS, false}},
		{"another json", "", "application/x-amz-json-1.0", "", "", Sniffed{Query, SQS, false}},
	} {
		if got := Sniff(c.target, c.accept, []byte(c.query), []byte(c.body)); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestIsQueuePath(t *testing.T) {
	for path, want := range map[string]bool{
		"/000000000000/jobs": true, "/000000000000/jobs/": true, "/a/b.fifo": true,
		"": false, "/": false, "//": false, "/jobs": false, "/jobs/": false, "//jobs": false,
		"/a/b/c": false, "a/b": false, "/a//": false,
	} {
		if got := IsQueuePath(path); got != want {
			t.Errorf("IsQueuePath(%q) = %v", path, got)
		}
	}
}
