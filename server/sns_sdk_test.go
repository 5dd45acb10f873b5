package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	snstypes "github.com/aws/aws-sdk-go-v2/service/sns/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/queen-mq/queen-sqs/server"
)

// topics is aws-sdk-go-v2 for SNS, which speaks Query.
func topics(i *server.Instance) *sns.Client {
	return sns.New(sns.Options{
		BaseEndpoint:     aws.String(i.Endpoint()),
		Region:           "us-east-1",
		Credentials:      credentials.NewStaticCredentialsProvider(key, secret, ""),
		RetryMaxAttempts: 1,
		HTTPClient:       http.DefaultClient,
	})
}

// subscribed makes a queue, subscribes it and answers its URL.
func subscribed(t *testing.T, q *sqs.Client, n *sns.Client, topic, name string, attributes map[string]string) string {
	t.Helper()
	in := &sqs.CreateQueueInput{QueueName: &name}
	if len(name) > 5 && name[len(name)-5:] == ".fifo" {
		in.Attributes = map[string]string{"FifoQueue": "true"}
	}
	made, err := q.CreateQueue(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := q.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: made.QueueUrl, AttributeNames: []sqstypes.QueueAttributeName{"QueueArn"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Subscribe(t.Context(), &sns.SubscribeInput{
		TopicArn: &topic, Protocol: aws.String("sqs"), Endpoint: aws.String(got.Attributes["QueueArn"]), Attributes: attributes,
	}); err != nil {
		t.Fatal(err)
	}
	return *made.QueueUrl
}

// received takes everything out of a queue in its order.
func received(t *testing.T, q *sqs.Client, url string) (all []sqstypes.Message) {
	t.Helper()
	for {
		got, err := q.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
			QueueUrl: &url, MaxNumberOfMessages: 10, MessageAttributeNames: []string{"All"}, MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{"All"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Messages) == 0 {
			return all
		}
		for _, m := range got.Messages {
			all = append(all, m)
			if _, err := q.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: &url, ReceiptHandle: m.ReceiptHandle}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func bodies(messages []sqstypes.Message) (all []string) {
	for _, m := range messages {
		all = append(all, *m.Body)
	}
	return all
}

// TestSDKFansOut publishes through the SDK to two filtered subscribers, one of
// them raw, and to a FIFO topic.
func TestSDKFansOut(t *testing.T) {
	i := start(t)
	q, n, ctx := modern(i, secret), topics(i), context.Background()
	made, err := n.CreateTopic(ctx, &sns.CreateTopicInput{Name: aws.String("orders"), Tags: []snstypes.Tag{{Key: aws.String("k"), Value: aws.String("v")}}})
	if err != nil {
		t.Fatal(err)
	}
	topic := *made.TopicArn
	raw := subscribed(t, q, n, topic, "raw", map[string]string{"RawMessageDelivery": "true", "FilterPolicy": `{"kind":["order"]}`})
	wrapped := subscribed(t, q, n, topic, "wrapped", map[string]string{"FilterPolicy": `{"kind":[{"anything-but":"invoice"}]}`})
	ids := map[string]string{}
	for _, kind := range []string{"order", "invoice", "refund"} {
		out, err := n.Publish(ctx, &sns.PublishInput{TopicArn: &topic, Message: aws.String(kind + " 1"), Subject: aws.String("s"),
			MessageAttributes: map[string]snstypes.MessageAttributeValue{
				"kind": {DataType: aws.String("String"), StringValue: aws.String(kind)},
				"blob": {DataType: aws.String("Binary"), BinaryValue: []byte{2, 3, 4}},
			}})
		if err != nil {
			t.Fatal(err)
		}
		ids[kind+" 1"] = *out.MessageId
	}
	got := received(t, q, raw)
	if !slices.Equal(bodies(got), []string{"order 1"}) || string(got[0].MessageAttributes["blob"].BinaryValue) != "\x02\x03\x04" {
		t.Errorf("raw: %v", got)
	}
	var messages []string
	for _, m := range received(t, q, wrapped) {
		var n struct {
			Type, MessageId, TopicArn, Subject, Message string
			MessageAttributes                           map[string]struct{ Type, Value string }
		}
		if err := json.Unmarshal([]byte(*m.Body), &n); err != nil {
			t.Fatal(err)
		}
		if n.Type != "Notification" || n.TopicArn != topic || n.Subject != "s" || n.MessageId != ids[n.Message] || n.MessageAttributes["blob"].Value != "AgME" || m.MessageAttributes != nil {
			t.Errorf("%s", *m.Body)
		}
		messages = append(messages, n.Message)
	}
	slices.Sort(messages)
	if !slices.Equal(messages, []string{"order 1", "refund 1"}) {
		t.Errorf("wrapped: %v", messages)
	}

	batch, err := n.PublishBatch(ctx, &sns.PublishBatchInput{TopicArn: &topic, PublishBatchRequestEntries: []snstypes.PublishBatchRequestEntry{
		{Id: aws.String("a"), Message: aws.String("one")}, {Id: aws.String("b"), Message: aws.String("two")},
	}})
	if err != nil || len(batch.Successful) != 2 || batch.Failed == nil || len(batch.Failed) != 0 {
		t.Errorf("%+v %v", batch, err)
	}
	_, err = n.Publish(ctx, &sns.PublishInput{TopicArn: aws.String(topic + "-absent"), Message: aws.String("m")})
	var absent *snstypes.NotFoundException
	if !errors.As(err, &absent) || absent.ErrorMessage() != "Topic does not exist" {
		t.Error(err)
	}
	_, err = n.Publish(ctx, &sns.PublishInput{TopicArn: &topic, Message: aws.String("m"),
		MessageAttributes: map[string]snstypes.MessageAttributeValue{"a": {DataType: aws.String("Nothing"), StringValue: aws.String("x")}}})
	var invalid *snstypes.InvalidParameterValueException
	if !errors.As(err, &invalid) {
		t.Error(err)
	}
	list, err := n.ListTagsForResource(ctx, &sns.ListTagsForResourceInput{ResourceArn: &topic})
	if err != nil || len(list.Tags) != 1 || *list.Tags[0].Value != "v" {
		t.Errorf("%+v %v", list, err)
	}
}

func TestSDKFansOutInOrder(t *testing.T) {
	i := start(t)
	q, n, ctx := modern(i, secret), topics(i), context.Background()
	made, err := n.CreateTopic(ctx, &sns.CreateTopicInput{Name: aws.String("t.fifo"),
		Attributes: map[string]string{"FifoTopic": "true", "ContentBasedDeduplication": "true"}})
	if err != nil {
		t.Fatal(err)
	}
	topic := *made.TopicArn
	var urls []string
	for k := range 5 {
		urls = append(urls, subscribed(t, q, n, topic, fmt.Sprintf("q%d.fifo", k), map[string]string{"RawMessageDelivery": "true"}))
	}
	var want []string
	for k := range 10 {
		want = append(want, fmt.Sprint("message ", k))
		var ids []string
		for range 2 {
			out, err := n.Publish(ctx, &sns.PublishInput{TopicArn: &topic, Message: &want[k], MessageGroupId: aws.String("g")})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, *out.MessageId)
		}
		if ids[0] != ids[1] {
			t.Errorf("a repeated publish has another id: %v", ids)
		}
	}
	for _, url := range urls {
		got := received(t, q, url)
		if !slices.Equal(bodies(got), want) || got[0].Attributes["MessageGroupId"] != "g" {
			t.Errorf("%s: %v", url, bodies(got))
		}
	}
}
