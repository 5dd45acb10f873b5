package replay

import (
	"net/url"
	"strings"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// publishScripts are the tests of the suite test_sns about what Publish and
// PublishBatch take.
var publishScripts = map[string]script{
	"test_publish_by_path_parameters": func(r *run) {
		t, q, _ := r.wired(nil)
		form := url.Values{"Action": {"Publish"}, "Version": {"2010-03-31"}, "TopicArn": {t}, "Message": {"test message direct post request"}}
		sender := &wire{&client.Raw{Protocol: client.Query, Config: r.json.Config}, r.json.rec}
		a := r.send(sender, client.Request{Service: client.SNS, Method: "POST", Target: "/?" + strings.ReplaceAll(form.Encode(), "+", "%20")}, "Publish")
		// The test read the document itself, so that its root is there too.
		r.expect("post-request", answered{tree{"PublishResponse": tree{
			"PublishResult":    tree{"MessageId": a.tree["MessageId"]},
			"ResponseMetadata": tree{"HTTPHeaders": tree{}, "HTTPStatusCode": a.tree["ResponseMetadata"].(tree)["HTTPStatusCode"]},
		}}, true})
		r.expect("messages", r.shown(q))
	},
	"test_publish_wrong_arn_format": func(r *run) {
		publish := func(t string) answered { return r.sns("Publish", about(t, "Message", "message")) }
		r.expect("invalid-topic-arn", publish("randomstring"))
		r.expect("invalid-topic-arn-1", publish("randomstring:1"))
		r.expect("empty-topic", publish(""))
	},
	"test_publish_message_by_target_arn": func(r *run) {
		t, q, _ := r.wired(nil)
		r.publish(t, "test-msg-1")
		r.expect("receive-topic-arn", r.taken(q))
		r.tell("Publish", tree{"TargetArn": t, "Message": "test-msg-2"})
		r.expect("receive-target-arn", r.taken(q))
	},
	"test_publish_message_before_subscribe_topic": func(r *run) {
		t, q := r.topic("topic", nil), r.queue("queue", nil)
		r.expect("publish-before-subscribing", r.publish(t, "test_message_before", "Subject", "test-subject-before-sub"))
		r.subscribe(t, q, nil)
		r.expect("publish-after-subscribing", r.publish(t, "test_message_after", "Subject", "test-subject-after-sub"))
		r.expect("receive-messages", r.shown(q))
	},
	"test_unknown_topic_publish": func(r *run) {
		t := r.topic("topic", nil)
		r.expect("success", r.publish(t, "message"))
		r.expect("error", r.sns("Publish", about(t+"-missing", "Message", "message")))
	},
	"test_publish_non_existent_target": func(r *run) {
		r.expect("non-existent-endpoint", r.sns("Publish", tree{
			"TargetArn": "arn:aws:sns:" + region + ":" + account + ":endpoint/APNS/abcdef/0f7d5971-aa8b-4bd5-b585-0826e9f93a66", "Message": "message",
		}))
	},
	"test_publish_with_empty_subject": func(r *run) {
		t := r.topic("topic", nil)
		r.expect("response-without-subject", r.publish(t, "message"))
		r.expect("response-with-empty-subject", r.sns("Publish", about(t, "Message", "message", "Subject", "")))
	},
	"test_empty_sns_message": func(r *run) {
		t, q, _ := r.wired(nil)
		r.expect("empty-msg-error", r.sns("Publish", about(t, "Message", "")))
		r.expect("queue-attrs", r.sqs("GetQueueAttributes", on(q, "AttributeNames", list("ApproximateNumberOfMessages"))))
	},
	"test_publish_too_long_message": func(r *run) {
		t := r.topic("topic", nil)
		r.expect("error", r.sns("Publish", about(t, "Message", strings.Repeat("A", 264000))))
		// k, String and x are 8 bytes of the 262,144.
		r.publish(t, strings.Repeat("a", 1<<18-8), "MessageAttributes", tree{"k": text("x")})
		r.expect("error-with-attrs", r.sns("Publish", about(t, "Message", strings.Repeat("a", 1<<18-7), "MessageAttributes", tree{"k": text("x")})))
	},
	"test_publish_batch_too_long_message": func(r *run) {
		t := r.topic("topic", nil)
		half := strings.Repeat("a", 1<<17)
		r.expect("error-no-attrs", r.batch(t, tree{"Id": "1", "Message": half}, tree{"Id": "2", "Message": half + "a"}))
		r.expect("error-with-attrs", r.batch(t, tree{"Id": "1", "Message": half}, tree{"Id": "2", "Message": half[7:], "MessageAttributes": tree{"k": text("x")}}))
	},
	"test_message_structure_json_exc": func(r *run) {
		t := r.topic("topic", nil)
		structured := func(message string) answered {
			return r.sns("Publish", about(t, "MessageStructure", "json", "Message", message))
		}
		r.expect("missing-default-key", structured(`{"sqs": "message"}`))
		r.expect("invalid-json", structured(`{"default": "message"} }`))
		r.expect("duplicate-json-keys", structured(`{"default": "message", "default": "other"}`))
		r.expect("key-is-not-string", structured(`{"default": {"object": "test"}}`))
	},
	"test_publish_batch_messages_without_topic": func(r *run) {
		r.expect("publish-batch-no-topic", r.batch(r.topic("topic", nil)+"-missing", tree{"Id": "1", "Message": "message"}))
	},
	"test_publish_batch_exceptions": func(r *run) {
		t := r.fifoTopic(nil)
		r.expect("no-group-id", r.batch(t, tree{"Id": "1", "Message": "message", "MessageDeduplicationId": "dedup"}))
		var eleven []tree
		for i := range 11 {
			eleven = append(eleven, tree{"Id": numbered("%d")(i), "Message": "message"})
		}
		r.expect("too-many-msg", r.batch(t, eleven...))
		r.expect("same-msg-id", r.batch(t, tree{"Id": "1", "Message": "one"}, tree{"Id": "1", "Message": "two"}))
		r.expect("no-dedup-id", r.batch(t, tree{"Id": "1", "Message": "message", "MessageGroupId": "group"}))
		r.expect("no-default-key-json", r.batch(t, tree{"Id": "1", "Message": `{"sqs": "message"}`, "MessageStructure": "json"}))
	},
	"test_publish_batch_invalid_entry_id": func(r *run) {
		t := r.topic("topic", nil)
		for name, id := range map[string]string{
			"invalid-char-dot": "message.id", "invalid-char-special": "msg@123#test",
			"id-too-long-81": strings.Repeat("a", 81), "id-too-long-91": "my" + strings.Repeat("really", 13) + "longid",
			"valid-id-80-chars": strings.Repeat("a", 80), "valid-id-with-hyphen-underscore": "valid-message_123",
		} {
			r.expect(name, r.batch(t, tree{"Id": id, "Message": "message"}))
		}
	},
	"test_message_attributes_prefixes": func(r *run) {
		t := r.topic("topic", nil)
		typed := func(dataType string) answered {
			return r.sns("Publish", about(t, "Message", "message", "MessageAttributes", tree{"attr1": tree{"DataType": dataType, "StringValue": "value"}}))
		}
		r.expect("publish-error", typed("Stringprefixed"))
		r.expect("publish-error-2", typed("String."))
		r.expect("publish-ok-1", typed("String.prefixed"))
		r.expect("publish-ok-2", typed("String.  prefixed."))
	},
	"test_empty_or_wrong_message_attributes": func(r *run) {
		t := r.topic("topic", nil)
		wrong := map[string]tree{
			"missing_string_attr":       {"attr1": text("")},
			"fully_missing_string_attr": {"attr1": tree{"DataType": "String"}},
			"fully_missing_data_type":   {"attr1": tree{"StringValue": "value"}},
			"missing_binary_attr":       {"attr1": bytesOf(nil)},
			"str_attr_binary_value":     {"attr1": tree{"DataType": "String", "BinaryValue": []byte("value")}},
			"int_attr_binary_value":     {"attr1": tree{"DataType": "Number", "BinaryValue": []byte("value")}},
			"binary_attr_string_value":  {"attr1": tree{"DataType": "Binary", "StringValue": "value"}},
			"invalid_attr_string_value": {"attr1": tree{"DataType": "InvalidType", "StringValue": "value"}},
			"too_long_name":             {strings.Repeat("a", 257): text("value")},
			"invalid_name":              {"a^*?": text("value")},
			"invalid_name_2":            {".abc": text("value")},
			"invalid_name_3":            {"abc.": text("value")},
			"invalid_name_4":            {"a..bc": text("value")},
		}
		for name, attributes := range wrong {
			r.expect(name, r.sns("Publish", about(t, "Message", "message", "MessageAttributes", attributes)))
			r.expect("batch-"+name, r.batch(t,
				tree{"Id": "1", "Message": "message", "MessageAttributes": attributes},
				tree{"Id": "3", "Message": "message", "MessageAttributes": tree{"fine": text("value")}}))
		}
	},
	"test_validations_for_fifo": func(r *run) {
		standard, q := r.topic("standard", nil), r.queue("queue", nil)
		f := r.fifoTopic(nil)
		fifoQueue := r.fifo("queue", nil)
		r.expect("not-fifo-topic", r.subscribing(standard, r.arn(fifoQueue), nil))
		toStandard := r.subscribe(f, q, nil)
		r.expectPart("not-fifo-queue", r.good("GetSubscriptionAttributes", r.subscription(toStandard)).tree["Attributes"])
		dead := `{"deadLetterTargetArn":"` + r.arn(q) + `"}`
		r.expect("regular-queue-for-dlq-of-fifo-topic", r.setSubscription(r.subscribe(f, fifoQueue, nil), "RedrivePolicy", dead))
		r.good("SetSubscriptionAttributes", r.setSubscription(toStandard, "RedrivePolicy", dead))
		r.expect("no-msg-group-id", r.sns("Publish", about(f, "Message", "test")))
		r.expect("no-dedup-policy", r.sns("Publish", about(f, "Message", "test", "MessageGroupId", "group")))
		r.expect("no-msg-dedup-regular-topic", r.sns("Publish", about(standard, "Message", "test", "MessageDeduplicationId", "dedup")))
	},
}

// batch publishes entries.
func (r *run) batch(topic string, entries ...tree) answered {
	all := []any{}
	for _, e := range entries {
		all = append(all, e)
	}
	return r.sns("PublishBatch", about(topic, "PublishBatchRequestEntries", all))
}
