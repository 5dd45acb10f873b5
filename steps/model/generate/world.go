package generate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// fixture makes what the request of one case speaks of, each thing when it is
// first asked for, and removes it afterwards.
type fixture struct {
	ctx    context.Context
	raw    *client.Raw
	names  map[string]any
	queues []string // URLs to delete
	topics []string
	scope  string
}

func newFixture(ctx context.Context, raw *client.Raw) *fixture {
	b := make([]byte, 6)
	rand.Read(b)
	return &fixture{ctx: ctx, raw: raw, names: map[string]any{}, scope: "m" + hex.EncodeToString(b)}
}

var placeholder = regexp.MustCompile(`\$\{(\w+)\}`)

// fill puts real things into a tree.
func (f *fixture) fill(v any) (any, error) {
	switch t := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, item := range t {
			filled, err := f.fill(item)
			if err != nil {
				return nil, err
			}
			out[k] = filled
		}
		return out, nil
	case []any:
		out := make([]any, len(t))
		for i, item := range t {
			filled, err := f.fill(item)
			if err != nil {
				return nil, err
			}
			out[i] = filled
		}
		return out, nil
	case string:
		m := placeholder.FindStringSubmatch(t)
		if m == nil || m[0] != t {
			return v, nil
		}
		return f.thing(m[1])
	}
	return v, nil
}

func (f *fixture) thing(name string) (string, error) {
	if v, ok := f.names[name]; ok {
		return v.(string), nil
	}
	v, err := f.make(name)
	if err != nil {
		return "", fmt.Errorf("making %s: %w", name, err)
	}
	f.names[name] = v
	return v, nil
}

func (f *fixture) make(name string) (string, error) {
	switch name {
	case "name", "topicname":
		return f.scope + "-" + name, nil
	case "token":
		// What no listing has answered.
		return "juggled", nil
	case "queue", "source", "dead", "full", "permitted":
		return f.queue(name)
	case "queuename":
		if _, err := f.thing("queue"); err != nil {
			return "", err
		}
		return f.scope + "-queue", nil
	case "account":
		u, err := f.thing("queue")
		parts := strings.Split(u, "/")
		return parts[len(parts)-2], err
	case "queuearn":
		return f.arn("queue")
	case "handle":
		return f.handle()
	case "deadarn":
		return f.dead()
	case "task":
		return f.task()
	case "topic":
		return f.topic()
	case "subscription":
		return f.subscription()
	}
	return "", fmt.Errorf("nobody knows %s", name)
}

// ask makes a call that has to succeed and answers one member of what came.
func (f *fixture) ask(service, action, member string, p client.Params) (string, error) {
	out, err := f.raw.Call(f.ctx, service, action, p)
	if err != nil {
		return "", fmt.Errorf("%s: %w", action, err)
	}
	text, _ := out[member].(string)
	if member != "" && text == "" {
		return "", fmt.Errorf("%s answered %v", action, out)
	}
	return text, nil
}

func (f *fixture) queue(name string) (string, error) {
	u, err := f.ask(client.SQS, "CreateQueue", "QueueUrl", client.Params{"QueueName": f.scope + "-" + name})
	if err != nil {
		return "", err
	}
	f.queues = append(f.queues, u)
	switch name {
	case "full":
		_, err = f.ask(client.SQS, "SendMessage", "", client.Params{"QueueUrl": u, "MessageBody": "body"})
	case "permitted":
		_, err = f.ask(client.SQS, "AddPermission", "", client.Params{
			"QueueUrl": u, "Label": "label", "AWSAccountIds": []any{"123456789012"}, "Actions": []any{"SendMessage"},
		})
	}
	return u, err
}

func (f *fixture) arn(queue string) (string, error) {
	u, err := f.thing(queue)
	if err != nil {
		return "", err
	}
	out, err := f.raw.Call(f.ctx, client.SQS, "GetQueueAttributes", client.Params{"QueueUrl": u, "AttributeNames": []any{"QueueArn"}})
	if err != nil {
		return "", err
	}
	attributes, _ := out["Attributes"].(client.Params)
	arn, _ := attributes["QueueArn"].(string)
	if arn == "" {
		return "", errors.New("the queue has no ARN")
	}
	return arn, nil
}

func (f *fixture) handle() (string, error) {
	u, err := f.thing("queue")
	if err != nil {
		return "", err
	}
	if _, err := f.ask(client.SQS, "SendMessage", "", client.Params{"QueueUrl": u, "MessageBody": "body"}); err != nil {
		return "", err
	}
	out, err := f.raw.Call(f.ctx, client.SQS, "ReceiveMessage", client.Params{"QueueUrl": u, "WaitTimeSeconds": int64(2)})
	if err != nil {
		return "", err
	}
	messages, _ := out["Messages"].([]any)
	if len(messages) == 0 {
		return "", fmt.Errorf("nothing came: %v", out)
	}
	m, _ := messages[0].(client.Params)
	h, _ := m["ReceiptHandle"].(string)
	return h, nil
}

// dead is the ARN of a dead-letter queue.
func (f *fixture) dead() (string, error) {
	arn, err := f.arn("dead")
	if err != nil {
		return "", err
	}
	source, err := f.thing("source")
	if err != nil {
		return "", err
	}
	policy := fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":"3"}`, arn)
	_, err = f.ask(client.SQS, "SetQueueAttributes", "", client.Params{"QueueUrl": source, "Attributes": client.Params{"RedrivePolicy": policy}})
	return arn, err
}

// task is the handle of a move task that runs for some seconds.
func (f *fixture) task() (string, error) {
	arn, err := f.thing("deadarn")
	if err != nil {
		return "", err
	}
	to, err := f.arn("source")
	if err != nil {
		return "", err
	}
	for range 3 {
		if _, err := f.ask(client.SQS, "SendMessage", "", client.Params{"QueueUrl": f.names["dead"], "MessageBody": "body"}); err != nil {
			return "", err
		}
	}
	return f.ask(client.SQS, "StartMessageMoveTask", "TaskHandle", client.Params{
		"SourceArn": arn, "DestinationArn": to, "MaxNumberOfMessagesPerSecond": int64(1),
	})
}

func (f *fixture) topic() (string, error) {
	arn, err := f.ask(client.SNS, "CreateTopic", "TopicArn", client.Params{"Name": f.scope + "-topic"})
	if err == nil {
		f.topics = append(f.topics, arn)
	}
	return arn, err
}

func (f *fixture) subscription() (string, error) {
	topic, err := f.thing("topic")
	if err != nil {
		return "", err
	}
	queue, err := f.thing("queuearn")
	if err != nil {
		return "", err
	}
	return f.ask(client.SNS, "Subscribe", "SubscriptionArn", client.Params{"TopicArn": topic, "Protocol": "sqs", "Endpoint": queue})
}

// clean deletes what was made; what the case itself deleted is gone already.
func (f *fixture) clean() {
	ctx := context.WithoutCancel(f.ctx)
	for _, t := range f.topics {
		_, _ = f.raw.Call(ctx, client.SNS, "DeleteTopic", client.Params{"TopicArn": t})
	}
	for _, q := range f.queues {
		_, _ = f.raw.Call(ctx, client.SQS, "DeleteQueue", client.Params{"QueueUrl": q})
	}
}
