package sns

import (
	"encoding/json"

	"github.com/queen-mq/queen-sqs/server/jsontext"
)

// Delivery policies say how HTTP endpoints are retried. There are none here, so
// that they have no effect; they are rewritten as AWS rewrites them (recorded:
// members in a fixed order, nulls dropped or filled in).

// retryPolicy is a retry policy with its defaults filled in.
type retryPolicy struct {
	MinDelayTarget     int    `json:"minDelayTarget"`
	MaxDelayTarget     int    `json:"maxDelayTarget"`
	NumRetries         int    `json:"numRetries"`
	NumMaxDelayRetries int    `json:"numMaxDelayRetries"`
	NumNoDelayRetries  int    `json:"numNoDelayRetries"`
	NumMinDelayRetries int    `json:"numMinDelayRetries"`
	BackoffFunction    string `json:"backoffFunction"`
}

var defaultRetries = retryPolicy{MinDelayTarget: 20, MaxDelayTarget: 20, NumRetries: 3, BackoffFunction: "linear"}

type topicDelivery struct {
	HTTP struct {
		Retry            json.RawMessage `json:"defaultHealthyRetryPolicy,omitempty"`
		DisableOverrides bool            `json:"disableSubscriptionOverrides"`
		Throttle         json.RawMessage `json:"defaultThrottlePolicy,omitempty"`
		Request          json.RawMessage `json:"defaultRequestPolicy,omitempty"`
	} `json:"http"`
}

const notADeliveryPolicy = "failed to parse JSON."

func readTopicDelivery(doc string) (p topicDelivery, ok bool) {
	if !isObject(doc) || json.Unmarshal([]byte(doc), &p) != nil {
		return p, false
	}
	for _, member := range []*json.RawMessage{&p.HTTP.Retry, &p.HTTP.Throttle, &p.HTTP.Request} {
		if string(*member) == "null" {
			*member = nil
		}
	}
	return p, true
}

// rewriteTopicDelivery is a topic's DeliveryPolicy as it reads back.
func rewriteTopicDelivery(doc string) (kept, why string) {
	p, ok := readTopicDelivery(doc)
	if !ok {
		return "", notADeliveryPolicy
	}
	return compactJSON(p), ""
}

// effectiveTopicDelivery is what a topic's DeliveryPolicy, which may be empty,
// amounts to.
func effectiveTopicDelivery(doc string) string {
	p, _ := readTopicDelivery(doc)
	retries := defaultRetries
	_ = json.Unmarshal(p.HTTP.Retry, &retries) // nothing there leaves the defaults
	p.HTTP.Retry = json.RawMessage(compactJSON(retries))
	if p.HTTP.Request == nil {
		p.HTTP.Request = json.RawMessage(`{"headerContentType":"text/plain; charset=UTF-8"}`)
	}
	return compactJSON(p)
}

type subscriptionDelivery struct {
	Retry      json.RawMessage `json:"healthyRetryPolicy"`
	Sickly     json.RawMessage `json:"sicklyRetryPolicy"`
	Throttle   json.RawMessage `json:"throttlePolicy"`
	Request    json.RawMessage `json:"requestPolicy"`
	Guaranteed bool            `json:"guaranteed"`
}

// rewriteSubscriptionDelivery is a subscription's DeliveryPolicy as it reads
// back.
func rewriteSubscriptionDelivery(doc string) (kept, why string) {
	var p subscriptionDelivery
	if !isObject(doc) || json.Unmarshal([]byte(doc), &p) != nil {
		return "", notADeliveryPolicy
	}
	return compactJSON(p), ""
}

func compactJSON(v any) string {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return "{}"
	}
	return string(text)
}
