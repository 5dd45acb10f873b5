package replay

import "strings"

// unknownToken is well-formed, and no subscription has it.
var unknownToken = strings.Repeat("0123456789abcdef", 18)

// subscriptionScripts are the tests of the suite test_sns about subscriptions.
var subscriptionScripts = map[string]script{
	"test_subscribe_with_invalid_protocol": func(r *run) {
		r.expect("exception", r.sns("Subscribe", about(r.topic("topic", nil), "Protocol", "test-protocol", "Endpoint", "endpoint")))
	},
	"test_subscribe_with_invalid_topic": func(r *run) {
		q := r.arn(r.queue("queue", nil))
		r.expect("invalid-subscribe-arn-1", r.subscribing("randomstring", q, nil))
		r.expect("invalid-subscribe-arn-2", r.subscribing("arn:aws:sns:us-east-1:random", q, nil))
		r.expect("non-existent-topic", r.subscribing(r.topic("topic", nil)+"-missing", q, nil))
	},
	"test_subscribe_unknown_topic": func(r *run) {
		r.expect("subscribe-unknown-topic", r.subscribing(r.topic("topic", nil)+"-missing", r.arn(r.queue("queue", nil)), nil))
	},
	"test_subscribe_unknown_sqs_queue": func(r *run) {
		t := r.topic("topic", nil)
		r.expect("subscribe-unknown-sqs", r.subscribing(t, "arn:aws:sqs:"+region+":"+account+":missing", nil))
		r.expect("subscribe-unknown-sqs-invalid_arn", r.subscribing(t, "unknown", nil))
	},
	"test_subscribe_sqs_queue_url": func(r *run) {
		r.expect("subscribe-sqs-via-url-error", r.subscribing(r.topic("topic", nil), r.queue("queue", nil), nil))
	},
	"test_subscribe_to_sqs_with_queue_url": func(r *run) {
		r.expect("sub-queue-url", r.subscribing(r.topic("topic", nil), r.queue("queue", nil), nil))
	},
	"test_double_subscription": func(r *run) {
		t, q := r.topic("double-sub-befdfdff", nil), r.arn(r.queue("queue", nil))
		r.expect("double-subscription-first", r.subscribing(t, q, nil))
		r.expect("double-subscription-second", r.subscribing(t, q, nil))
	},
	"test_subscribe_idempotency": func(r *run) {
		t, q := r.topic("topic", nil), r.arn(r.queue("queue", nil))
		again := func(attributes tree) answered { return r.subscribing(t, q, attributes) }
		a := again(tree{"RawMessageDelivery": "True"})
		r.expect("subscribe", a)
		r.expect("get-sub-attrs", r.subscription(a.tree["SubscriptionArn"].(string)))
		r.expect("subscribe-exact-same-raw", again(tree{"RawMessageDelivery": "true"}))
		r.expect("subscribe-idempotent", again(tree{"RawMessageDelivery": "true", "FilterPolicyScope": "MessageAttributes"}))
		r.expect("subscribe-idempotent-no-attributes", again(nil))
		r.expect("subscribe-idempotent-empty-attributes", again(tree{}))
		r.expect("subscribe-missing-attributes", again(tree{"FilterPolicyScope": "MessageAttributes"}))
		r.expect("subscribe-diff-attributes", again(tree{"RawMessageDelivery": "false", "FilterPolicyScope": "MessageBody"}))
	},
	"test_create_subscriptions_with_attributes": func(r *run) {
		t, q := r.topic("topic", nil), r.arn(r.queue("queue", nil))
		r.expect("subscribe-wrong-attr", r.subscribing(t, q, tree{"RawMessageDelivery": "wrongvalue", "FilterPolicyScope": "MessageBody", "FilterPolicy": ""}))
		a := r.subscribing(t, q, tree{"RawMessageDelivery": "TrUe", "FilterPolicyScope": "MessageBody", "FilterPolicy": ""})
		r.expect("subscribe", a)
		held := a.tree["SubscriptionArn"].(string)
		r.expect("get-attrs", r.subscription(held))
		r.expect("get-attrs-nonexistent-sub", r.subscription(held[:len(held)-4]+"ffff"))
	},
	"test_creating_subscription_with_attributes": func(r *run) {
		_, _, s := r.wired(tree{"RawMessageDelivery": "true"})
		r.expect("subscription-with-attributes", r.subscription(s))
	},
	"test_subscribe_attributes": func(r *run) {
		_, _, s := r.wired(nil)
		r.expect("get-subscription-attributes", r.subscription(s))
	},
	"test_set_subscription_attributes": func(r *run) {
		_, _, s := r.wired(nil)
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "RawMessageDelivery", "true"))
		r.expect("set-subscription-attributes", r.subscription(s))
	},
	"test_sqs_topic_subscription_confirmation": func(r *run) {
		_, _, s := r.wired(nil)
		r.expectPart("subscription-attrs", r.good("GetSubscriptionAttributes", r.subscription(s)).tree["Attributes"])
	},
	"test_get_subscription_attributes_error_not_exists": func(r *run) {
		r.expect("get-sub-attrs-nonexistent", r.subscription("arn:aws:sns:"+region+":"+account+":missing:5b0bd3a8-29c3-4e6a-9d4e-0c4f3fb1a001"))
	},
	"test_not_found_error_on_set_subscription_attributes": func(r *run) {
		t, q := r.topic("topic", nil), r.arn(r.queue("queue", nil))
		a := r.subscribing(t, q, nil)
		s := a.tree["SubscriptionArn"].(string)
		r.expect("sub", a)
		r.expect("sub-attrs", r.subscription(s))
		listed := func() answered { return r.sns("ListSubscriptionsByTopic", about(t)) }
		r.expect("subscriptions-for-topic-before-unsub", listed())
		r.tell("Unsubscribe", tree{"SubscriptionArn": s})
		r.expect("sub-not-found", r.setSubscription(s, "RawMessageDelivery", "true"))
		r.expect("subscriptions-for-topic-after-unsub", listed())
	},
	"test_validate_set_sub_attributes": func(r *run) {
		_, _, s := r.wired(nil)
		r.expect("fake-attribute", r.setSubscription(s, "FakeAttribute", "test-value"))
		r.expect("raw-message-wrong-value", r.setSubscription(s, "RawMessageDelivery", "test-ValUe"))
		r.expect("raw-message-empty-value", r.setSubscription(s, "RawMessageDelivery", ""))
		r.expect("fake-arn-redrive-policy", r.setSubscription(s, "RedrivePolicy", `{"deadLetterTargetArn":"fake-arn"}`))
		r.expect("invalid-json-redrive-policy", r.setSubscription(s, "RedrivePolicy", "{invalidjson}"))
		r.expect("invalid-json-filter-policy", r.setSubscription(s, "FilterPolicy", "{invalidjson}"))
	},
	"test_subscribe_invalid_filter_policy": func(r *run) {
		t, q := r.topic("topic", nil), r.arn(r.queue("queue", nil))
		r.expect("subscribe-invalid-filter-policy", r.subscribing(t, q, tree{"FilterPolicy": "invalid-json"}))
	},
	"test_sns_confirm_subscription_wrong_token": func(r *run) {
		t := r.topic("topic", nil)
		confirm := func(topic, token string) answered {
			return r.sns("ConfirmSubscription", about(topic, "Token", token))
		}
		r.expect("topic-not-exists", confirm(t+"-missing", unknownToken))
		r.expect("invalid-token", confirm(t, "randomtoken"))
		r.expect("token-not-exists", confirm(t, unknownToken))
	},
	"test_unsubscribe_from_non_existing_subscription": func(r *run) {
		_, _, s := r.wired(nil)
		r.tell("Unsubscribe", tree{"SubscriptionArn": s})
		r.expect("empty-unsubscribe", r.sns("Unsubscribe", tree{"SubscriptionArn": s}))
	},
	"test_unsubscribe_idempotency": func(r *run) {
		_, _, s := r.wired(nil)
		r.expect("unsubscribe-1", r.sns("Unsubscribe", tree{"SubscriptionArn": s}))
		r.expect("unsubscribe-2", r.sns("Unsubscribe", tree{"SubscriptionArn": s}))
	},
	"test_unsubscribe_wrong_arn_format": func(r *run) {
		for i, arn := range []string{"randomstring", "arn:aws:sns:us-east-1:random", "arn:aws:sns:" + region + ":" + account + ":random"} {
			r.expect(numbered("invalid-unsubscribe-arn-%d")(i+1), r.sns("Unsubscribe", tree{"SubscriptionArn": arn}))
		}
		r.expect("invalid-unsubscribe-arn-4", r.sns("Unsubscribe", tree{}))
	},
	"test_unsubscribe_from_deleted_topic": func(r *run) {
		r.expect("unsubscribe-deleted-topic", r.sns("Unsubscribe", tree{"SubscriptionArn": "pending confirmation"}))
	},
	"test_getting_subscriptions_by_topic": func(r *run) {
		t, _, _ := r.wired(nil)
		r.expect("list-subscriptions-by-topic", r.sns("ListSubscriptionsByTopic", about(t)))
	},
	"test_delete_subscriptions_on_delete_topic": func(r *run) {
		t, _, s := r.wired(tree{"RawMessageDelivery": "true"})
		r.tell("DeleteTopic", about(t))
		r.expect("get-sub-after-topic-delete", r.subscription(s))
	},
}
