package load

import (
	"context"
	"encoding/json"
)

// CallSNS sends one action of SNS, in JSON, and decodes its answer into out,
// which may be nil.
func (c *Client) CallSNS(ctx context.Context, action string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return c.request(ctx, "sns", "AmazonSimpleNotificationService."+action, body, out)
}

// CreateTopic makes a topic and answers its ARN.
func (c *Client) CreateTopic(ctx context.Context, name string, attributes map[string]string) (string, error) {
	var out struct{ TopicArn string }
	err := c.CallSNS(ctx, "CreateTopic", map[string]any{"Name": name, "Attributes": attributes}, &out)
	return out.TopicArn, err
}

// Subscribe subscribes a queue by its ARN and answers the subscription's.
func (c *Client) Subscribe(ctx context.Context, topic, queueARN string, attributes map[string]string) (string, error) {
	var out struct{ SubscriptionArn string }
	err := c.CallSNS(ctx, "Subscribe", map[string]any{
		"TopicArn": topic, "Protocol": "sqs", "Endpoint": queueARN, "Attributes": attributes,
	}, &out)
	return out.SubscriptionArn, err
}

// Publish publishes one message and answers its id. The group and the
// deduplication id are left out when they are empty.
func (c *Client) Publish(ctx context.Context, topic, message, group, dedup string) (string, error) {
	in := map[string]string{"TopicArn": topic, "Message": message}
	if group != "" {
		in["MessageGroupId"] = group
	}
	if dedup != "" {
		in["MessageDeduplicationId"] = dedup
	}
	var out struct{ MessageId string }
	err := c.CallSNS(ctx, "Publish", in, &out)
	return out.MessageId, err
}
