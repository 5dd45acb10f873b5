package awsquery

import "testing"

// TestOldClients decodes forms in the ways of clients that no SDK here speaks
// for: everything in the URL and signed by the old scheme, names without
// numbers, plurals, one segment too many.
func TestOldClients(t *testing.T) {
	for _, c := range []struct{ name, query, body, want string }{
		{"boto 2, GET", "AWSAccessKeyId=AK&Action=GetQueueAttributes&AttributeName=All&SignatureMethod=HmacSHA256&SignatureVersion=2&Timestamp=2026-01-01T00%3A00%3A00Z&Version=2012-11-05&Signature=a%2Bb%3D", "",
			`{"AttributeNames":["All"]}`},
		{"boto 2, SetQueueAttributes", "Action=SetQueueAttributes&Attribute.Name=VisibilityTimeout&Attribute.Value=60&Version=2012-11-05", "",
			`{"Attributes":{"VisibilityTimeout":"60"}}`},
		{"perl", "", "Action=ReceiveMessage&AttributeName=All&MaxNumberOfMessages=10&QueueUrl=http%3A%2F%2Flocalhost%2F0%2Fq&Version=2012-11-05",
			`{"AttributeNames":["All"],"MaxNumberOfMessages":"10","QueueUrl":"http://localhost/0/q"}`},
		{"plural tags", "", "Action=CreateQueue&QueueName=q&Tags.1.Key=k&Tags.1.Value=v&Attributes.1.Name=DelaySeconds&Attributes.1.Value=1",
			`{"QueueName":"q","Tags":{"k":"v"},"Attributes":{"DelaySeconds":"1"},"tags":{"k":"v"}}`},
		{"API Gateway", "", "Action=SendMessage&MessageBody=%7B%22a%22%3A1%7D&MessageAttributes.1.Name=n&MessageAttributes.1.Value.StringValue=v&MessageAttributes.1.Value.DataType=String",
			`{"MessageBody":"{\"a\":1}","MessageAttributes":{"n":{"StringValue":"v","DataType":"String"}}}`},
		{"presigned GET", "Action=SendMessage&MessageBody=hello%20world&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AK%2F20260101%2Fr%2Fsqs%2Faws4_request&X-Amz-Signature=00", "",
			`{"MessageBody":"hello world"}`},
		{"SNS in the URL, empty body", "Action=Publish&Version=2010-03-31&TopicArn=arn&Message=m&MessageAttributes.entry.1.Name=n&MessageAttributes.entry.1.Value.DataType=String&MessageAttributes.entry.1.Value.StringValue=v", "",
			`{"TopicArn":"arn","Message":"m","MessageAttributes":{"n":{"DataType":"String","StringValue":"v"}}}`},
	} {
		if got := decoded(t, c.query, c.body); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
