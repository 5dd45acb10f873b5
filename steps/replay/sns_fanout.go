package replay

import (
	"fmt"
	"sort"
	"strings"

	"github.com/queen-mq/queen-sqs/steps/client"
)

const numericPolicy = `{"attr1":[{"numeric":[">",0,"<=",100]}]}`

// fanoutScripts are the tests of the suite test_sns about what queues receive.
var fanoutScripts = map[string]script{
	"test_subscribe_sqs_queue": func(r *run) {
		t, q, s := r.wired(tree{"FilterPolicy": numericPolicy})
		r.expect("subscription-attributes", r.subscription(s))
		r.publish(t, "This is a test message", "MessageAttributes", tree{"attr1": number("99.12")})
		r.expect("messages", r.shown(q))
	},
	"test_publish_unicode_chars": func(r *run) {
		t, q, _ := r.wired(nil)
		r.publish(t, "ö§a1\"_!?,. £$-")
		r.expect("received-message", r.shown(q))
	},
	"test_attribute_raw_subscribe": func(r *run) {
		t, q, s := r.wired(tree{"RawMessageDelivery": "true"})
		r.expect("subscription-attributes", r.subscription(s))
		r.publish(t, "This is a test message", "MessageAttributes", tree{"store": bytesOf([]byte{2, 3, 4})})
		r.expect("messages-response", r.shown(q))
	},
	"test_publish_sqs_from_sns": func(r *run) {
		t, q, s := r.wired(tree{"RawMessageDelivery": "true"})
		r.expect("sub-attrs-raw-true", r.subscription(s))
		r.publish(t, "Test msg", "MessageAttributes", tree{"attr1": number("99.12")})
		r.expect("message-raw-true", r.taken(q))
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "RawMessageDelivery", "false"))
		r.expect("sub-attrs-raw-false", r.subscription(s))
		r.tell("Publish", tree{"TargetArn": t, "Message": "Test msg", "MessageAttributes": tree{"attr1": number("100.12")}})
		r.expect("message-raw-false", r.taken(q))
	},
	"test_publish_sqs_from_sns_with_xray_propagation": func(r *run) {
		t, q, _ := r.wired(nil)
		sender := &wire{&client.Raw{Protocol: client.Query, Config: r.json.Config}, r.json.rec}
		call := sender.Encode(client.SNS, "Publish", about(t, "Message", "X-Ray propagation test msg"))
		call.Header["X-Amzn-Trace-Id"] = []string{"Root=1-3152b799-8954dae64eda91bc9a23a7e8;Parent=7fa8c0f79203be72;Sampled=1"}
		r.good("Publish", r.send(sender, call, "Publish"))
		r.expectPart("xray-msg", r.first(r.do("ReceiveMessage", on(q, "AttributeNames", list("SentTimestamp", "AWSTraceHeader"), "MessageAttributeNames", list("All")))))
	},
	"test_publish_batch_messages_from_sns_to_sqs": func(r *run) {
		t, q, s := r.wired(tree{"RawMessageDelivery": "true"})
		r.expect("sub-attrs-raw-true", r.subscription(s))
		r.expect("publish-batch", r.batch(t,
			tree{"Id": "1", "Message": "Test Message with two attributes", "Subject": "Subject", "MessageAttributes": tree{"attr1": number("99.12"), "attr2": number("109.12")}},
			tree{"Id": "2", "Message": "Test Message with one attribute", "Subject": "Subject", "MessageAttributes": tree{"attr1": number("19.12")}},
			tree{"Id": "3", "Message": "Test Message without attribute", "Subject": "Subject"},
			tree{"Id": "4", "Message": "Test Message without subject"},
			tree{"Id": "5", "Message": `{"default": "test default", "sqs": "test sqs"}`, "MessageStructure": "json"}))
		r.expectPart("messages", byBody(r.gathered(q)))
	},
	"test_redrive_policy_sqs_queue_subscription": func(r *run) {
		t, q, s := r.wired(tree{"RawMessageDelivery": strings.ToLower(r.parameter())})
		dead := r.queue("dead", nil)
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "RedrivePolicy", `{"deadLetterTargetArn":"`+r.arn(dead)+`"}`))
		r.do("DeleteQueue", on(q))
		r.publish(t, "test_dlq_after_sqs_endpoint_deleted", "MessageAttributes", tree{"attr1": number("111"), "attr2": bytesOf([]byte{2, 3, 4})})
		r.expect("messages", r.shownWhole(dead))
	},
	"test_subscription_after_failure_to_deliver": func(r *run) {
		t, q, s := r.wired(nil)
		r.expect("subscriptions-attrs", r.subscription(s))
		r.publish(t, "test_dlq_before_sqs_endpoint_deleted")
		r.expect("messages-before-delete", r.taken(q))
		r.do("DeleteQueue", on(q))
		r.publish(t, "test_dlq_after_sqs_endpoint_deleted")
		r.expect("subscriptions", r.sns("ListSubscriptionsByTopic", about(t)))
		dead := r.queue("dead", nil)
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "RedrivePolicy", `{"deadLetterTargetArn":"`+r.arn(dead)+`"}`))
		r.expect("subscriptions-attrs-with-redrive", r.subscription(s))
		for i := range 2 {
			r.publish(t, fmt.Sprintf("test_dlq_after_sqs_endpoint_deleted_%d", i))
			r.expect(fmt.Sprintf("message-%d-after-delete", i), r.taken(dead))
		}
	},
	"test_message_attributes_not_missing": func(r *run) {
		t, q, s := r.wired(tree{"RawMessageDelivery": "true"})
		publish := func() answered {
			return r.publish(t, "text", "MessageAttributes", tree{"an-attribute-key": text("an-attribute-value"), "binary-attribute": bytesOf([]byte{2, 3, 4})})
		}
		r.expect("publish-msg-raw", publish())
		r.expect("raw-delivery-msg-attrs", r.takenWhole(q))
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "RawMessageDelivery", "false"))
		r.expect("publish-msg-json", publish())
		r.expect("json-delivery-msg-attrs", r.takenWhole(q))
	},
	"test_message_structure_json_to_sqs": func(r *run) {
		t, q, _ := r.wired(nil)
		r.publish(t, `{"default": "default field", "sqs": "{\"field\": \"value\"}"}`, "MessageStructure", "json")
		r.expect("get-msg-json-sqs", r.taken(q))
		r.publish(t, `{"default": "default field", "sqs": {"field": "value"}}`, "MessageStructure", "json")
		r.expect("get-msg-json-default", r.taken(q))
	},
	"test_publish_message_group_id": func(r *run) {
		t, q, _ := r.wired(nil)
		r.publish(t, "test signature value with attributes", "MessageGroupId", "my-group-id-1", "MessageAttributes", tree{"attr1": number("1")})
		r.expect("messages", r.shownWhole(q))
	},
	"test_publish_sqs_verify_signature": func(r *run) {
		t := r.topic("topic", tree{"SignatureVersion": r.parameter()})
		q := r.queue("queue", nil)
		r.subscribe(t, q, nil)
		r.publish(t, "test signature value with attributes", "MessageAttributes", tree{"attr1": number("1")})
		r.expect("messages", r.shownWhole(q))
	},
	"test_message_to_fifo_sqs": func(r *run) { r.republished(r.fifo("queue", nil)) },
	"test_fifo_topic_to_regular_sqs": func(r *run) {
		r.republished(r.queue("queue", nil))
	},
	"test_publish_to_fifo_topic_deduplication_on_topic_level": func(r *run) {
		t, q := r.fifoTopic(tree{"ContentBasedDeduplication": "true"}), r.fifo("queue", tree{"ContentBasedDeduplication": "true"})
		r.subscribe(t, q, nil)
		r.publish(t, "Test", "MessageGroupId", "message-group-id-1")
		r.expect("messages", r.takenWhole(q))
		r.publish(t, "Test", "MessageGroupId", "message-group-id-2")
		r.expect("dedup-messages", r.takenWhole(q))
	},
	"test_publish_to_fifo_topic_to_sqs_queue_no_content_dedup": func(r *run) {
		t, q := r.fifoTopic(tree{"ContentBasedDeduplication": "true"}), r.fifo("queue", nil)
		r.subscribe(t, q, tree{"RawMessageDelivery": strings.ToLower(r.parameter())})
		r.publish(t, "Test single", "MessageGroupId", "message-group-id-1")
		r.good("PublishBatch", r.batch(t, tree{"Id": "1", "Message": "Test batched", "MessageGroupId": "message-group-id-1"}))
		r.expectPart("messages", r.gathered(q))
	},
	"test_publish_batch_messages_from_fifo_topic_to_fifo_queue": func(r *run) {
		byContent := r.parameter() == "True"
		attributes := tree{"ContentBasedDeduplication": strings.ToLower(r.parameter())}
		t, q := r.fifoTopic(attributes), r.fifo("queue", attributes)
		r.expect("topic-attrs", r.topicAttributes(t))
		s := r.subscribe(t, q, tree{"RawMessageDelivery": "true"})
		r.expect("sub-attrs-raw-true", r.subscription(s))
		batch := complexBatch(0, !byContent)
		r.expect("publish-batch-response-fifo", r.batch(t, batch...))
		r.expectPart("messages", r.gathered(q))
		r.expect("republish-batch-response-fifo", r.batch(t, batch...))
		r.expect("duplicate-messages", r.shown(q))
	},
	"test_publish_fifo_messages_to_dlq": func(r *run) {
		t, q, dead := r.fifoTopic(nil), r.fifo("queue", nil), r.fifo("dead", nil)
		r.expect("topic-attrs", r.topicAttributes(t))
		s := r.subscribe(t, q, tree{"RawMessageDelivery": strings.ToLower(r.parameter())})
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "RedrivePolicy", `{"deadLetterTargetArn":"`+r.arn(dead)+`"}`))
		r.do("DeleteQueue", on(q))
		r.expect("publish-batch-response-fifo", r.batch(t, complexBatch(1, true)...))
		r.expectPart("batch-messages-in-dlq", r.gathered(dead))
		r.expect("publish-response-fifo", r.publish(t, "test-message", "MessageGroupId", "message-group-id-1", "MessageDeduplicationId", "message-deduplication-id-1"))
		r.expectPart("messages-in-dlq", r.gathered(dead))
	},
}

// complexBatch is three messages of one group, with the ids that some tests
// give them, counted from first.
func complexBatch(first int, withIDs bool) []tree {
	batch := []tree{
		{"Message": "Test Message with two attributes", "MessageAttributes": tree{"attr1": number("99.12"), "attr2": number("109.12")}},
		{"Message": "Test Message with one attribute", "MessageAttributes": tree{"attr1": number("19.12")}},
		{"Message": "Test Message without attribute"},
	}
	for i, entry := range batch {
		entry["Id"], entry["Subject"], entry["MessageGroupId"] = numbered("%d")(i+1), "Subject", "complexMessageGroupId"
		if withIDs {
			entry["MessageDeduplicationId"] = numbered("MessageDeduplicationId-%d")(first + i)
		}
	}
	return batch
}

// republished publishes the same to a FIFO topic twice, and receives after each.
func (r *run) republished(q string) {
	byContent := r.parameter() == "True"
	t := r.fifoTopic(tree{"ContentBasedDeduplication": strings.ToLower(r.parameter())})
	r.subscribe(t, q, nil)
	publish := func() {
		p := []any{"MessageGroupId", "message-group-id-1"}
		if !byContent {
			p = append(p, "MessageDeduplicationId", "message-deduplication-id-1")
		}
		r.publish(t, "Test", p...)
	}
	publish()
	r.expect("messages", r.takenWhole(q))
	publish()
	r.expect("dedup-messages", r.takenWhole(q))
}

// byBody orders messages by their bodies: a standard queue promises no order,
// and the tests put them in this one.
func byBody(a tree) tree {
	all, _ := a["Messages"].([]any)
	sort.SliceStable(all, func(i, j int) bool { return all[i].(tree)["Body"].(string) < all[j].(tree)["Body"].(string) })
	return a
}
