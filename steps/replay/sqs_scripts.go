package replay

import (
	"fmt"
	"strings"
	"time"
)

// sqsScripts are the tests of the suite test_sqs by their names without
// parameters.
var sqsScripts = map[string]script{
	"test_send_receive_max_number_of_messages": func(r *run) {
		q := r.queue("queue", nil)
		r.do("SendMessage", on(q, "MessageBody", "message"))
		r.expect("send_max_number_of_messages", r.sqs("ReceiveMessage", on(q, "MaxNumberOfMessages", int64(11))))
	},
	"test_send_oversized_message": func(r *run) {
		q := r.queue("queue", nil)
		// Together with name, type and value of the attribute: one byte too many.
		r.expect("send_oversized_message", r.sqs("SendMessage", on(q, "MessageBody", strings.Repeat("a", 1<<20-7), "MessageAttributes", tree{"k": text("x")})))
	},
	"test_send_message_with_updated_maximum_message_size": func(r *run) {
		q := r.queue("queue", tree{"MaximumMessageSize": "1024"})
		r.do("SendMessage", on(q, "MessageBody", strings.Repeat("a", 1024)))
		r.expect("send_oversized_message", r.sqs("SendMessage", on(q, "MessageBody", strings.Repeat("a", 1025))))
	},
	"test_send_message_batch_with_oversized_contents": func(r *run) {
		q := r.queue("queue", nil)
		r.expect("send_oversized_message_batch", r.sqs("SendMessageBatch", on(q, "Entries", list(
			tree{"Id": "1", "MessageBody": strings.Repeat("a", 1<<20-8), "MessageAttributes": tree{"k": text("x")}},
			tree{"Id": "2", "MessageBody": "a"},
		))))
	},
	"test_send_message_batch_with_oversized_contents_with_updated_maximum_message_size": func(r *run) {
		q := r.queue("queue", tree{"MaximumMessageSize": "2048"})
		r.expect("send_oversized_message_batch", r.sqs("SendMessageBatch", on(q, "Entries", list(
			tree{"Id": "1", "MessageBody": strings.Repeat("a", 2040), "MessageAttributes": tree{"k": text("x")}},
			tree{"Id": "2", "MessageBody": "a"},
		))))
	},
	"test_send_empty_message": func(r *run) {
		r.expect("send_empty_message", r.sqs("SendMessage", on(r.queue("queue", nil), "MessageBody", "")))
	},
	"test_tag_untag_queue": func(r *run) {
		q := r.queue("queue", nil)
		r.do("TagQueue", on(q, "Tags", tree{"tag1": "value1", "tag2": "value2", "tag3": ""}))
		r.expect("get-tag-1", r.sqs("ListQueueTags", on(q)))
		r.do("UntagQueue", on(q, "TagKeys", list("tag1", "tag3")))
		r.expect("get-tag-2", r.sqs("ListQueueTags", on(q)))
		r.do("UntagQueue", on(q, "TagKeys", list("tag2")))
		r.expect("get-tag-after-untag", r.sqs("ListQueueTags", on(q)))
	},
	"test_create_fifo_queue_with_different_attributes_raises_error": func(r *run) {
		r.fifo("queue", tree{"ContentBasedDeduplication": "true"})
		r.expect("queue-already-exists", r.create("queue.fifo", tree{"FifoQueue": "true", "ContentBasedDeduplication": "false"}))
	},
	"test_create_queue_with_different_attributes_raises_exception": func(r *run) {
		q := r.queue("queue", tree{"ReceiveMessageWaitTimeSeconds": "1", "DelaySeconds": "1"})
		r.expect("create_queue_01", r.create("queue", tree{"ReceiveMessageWaitTimeSeconds": "1", "DelaySeconds": "2"}))
		r.do("SetQueueAttributes", on(q, "Attributes", tree{"DelaySeconds": "2"}))
		r.queue("queue", tree{"ReceiveMessageWaitTimeSeconds": "1", "DelaySeconds": "2"})
		r.expect("create_queue_02", r.create("queue", tree{"ReceiveMessageWaitTimeSeconds": "1", "DelaySeconds": "1"}))
	},
	"test_create_standard_queue_with_fifo_attribute_raises_error": func(r *run) {
		r.expect("invalid-attribute-fifo-queue", r.create("queue", tree{"FifoQueue": "false"}))
		r.expect("invalid-attribute-content-based-deduplication", r.create("queue", tree{"ContentBasedDeduplication": "false"}))
		r.expect("invalid-attribute-deduplication-scope", r.create("queue", tree{"DeduplicationScope": "queue"}))
		r.expect("invalid-attribute-throughput-limit", r.create("queue", tree{"FifoThroughputLimit": "perQueue"}))
	},
	"test_create_and_update_queue_attributes": func(r *run) {
		q := r.queue("queue", tree{"MessageRetentionPeriod": "604800", "ReceiveMessageWaitTimeSeconds": "10", "VisibilityTimeout": "20"})
		r.expect("get_queue_attributes", r.all(q))
		r.do("SetQueueAttributes", on(q, "Attributes", tree{"MaximumMessageSize": "2048", "VisibilityTimeout": "69", "DelaySeconds": "420"}))
		r.expect("get_updated_queue_attributes", r.all(q))
	},
	"test_set_queue_attributes_default_values": func(r *run) {
		q := r.queue("queue", nil)
		r.expect("get-queue-attributes-initial-values", r.all(q))
		r.do("SetQueueAttributes", on(q, "Attributes", tree{"KmsMasterKeyId": "testKeyId", "KmsDataKeyReusePeriodSeconds": "6000"}))
		r.expect("get-queue-attributes-after-update", r.all(q))
		r.do("SetQueueAttributes", on(q, "Attributes", tree{"KmsMasterKeyId": "", "KmsDataKeyReusePeriodSeconds": "300"}))
		r.expect("get-queue-attributes-after-set-to-defaults", r.all(q))
	},
	"test_sse_queue_attributes": func(r *run) {
		q := r.queue("queue", nil)
		names := list("KmsMasterKeyId", "KmsDataKeyReusePeriodSeconds", "SqsManagedSseEnabled")
		r.do("SetQueueAttributes", on(q, "Attributes", tree{"KmsMasterKeyId": "testKeyId", "KmsDataKeyReusePeriodSeconds": "6000", "SqsManagedSseEnabled": "false"}))
		r.expect("sse_kms_attributes", r.sqs("GetQueueAttributes", on(q, "AttributeNames", names)))
		q = r.queue("another", nil)
		r.do("SetQueueAttributes", on(q, "Attributes", tree{"SqsManagedSseEnabled": "true"}))
		r.expect("sse_sqs_attributes", r.sqs("GetQueueAttributes", on(q, "AttributeNames", names)))
	},
	"test_sse_kms_and_sqs_are_mutually_exclusive": func(r *run) {
		q := r.queue("queue", tree{"SqsManagedSseEnabled": "true"})
		a := r.sqs("SetQueueAttributes", on(q, "Attributes", tree{"KmsMasterKeyId": "testKeyId", "SqsManagedSseEnabled": "true"}))
		r.expectPart("error", sentence("SetQueueAttributes", a))
	},
	"test_fifo_set_content_based_deduplication_strategy": func(r *run) {
		q := r.fifo("queue", tree{"ContentBasedDeduplication": "true"})
		r.expect("before-update", r.all(q))
		r.do("SetQueueAttributes", on(q, "Attributes", tree{"ContentBasedDeduplication": "false"}))
		r.expect("after-update", r.all(q))
	},
	"test_set_unsupported_attribute_fifo": func(r *run) {
		q := r.queue("queue", nil)
		r.expect("invalid-attr-name-1", r.sqs("SetQueueAttributes", on(q, "Attributes", tree{"FifoQueue": "true"})))
		q = r.fifo("queue", nil)
		r.do("SetQueueAttributes", on(q, "Attributes", tree{"FifoQueue": "true"}))
		r.expect("invalid-attr-name-2", r.sqs("SetQueueAttributes", on(q, "Attributes", tree{"FifoQueue": "false"})))
	},
	"test_set_unsupported_attribute_standard": func(r *run) {
		q := r.queue("queue", nil)
		r.expect("invalid-attr-name-1", r.sqs("SetQueueAttributes", on(q, "Attributes", tree{"FifoQueue": "true"})))
		r.expect("invalid-attr-name-2", r.sqs("SetQueueAttributes", on(q, "Attributes", tree{"FifoQueue": "false"})))
	},
	"test_list_queues_pagination": func(r *run) {
		for _, n := range "0123456789" {
			r.queue("7f7df0f5-test-queue-"+string(n), nil)
		}
		prefix := "7f7df0f5-test-queue"
		r.expect("list_all", r.sqs("ListQueues", tree{"QueueNamePrefix": prefix}))
		two := r.sqs("ListQueues", tree{"QueueNamePrefix": prefix, "MaxResults": int64(2)})
		token := two.tree["NextToken"]
		r.expect("list_two_max", two)
		r.expect("list_remaining", r.sqs("ListQueues", tree{"QueueNamePrefix": prefix, "MaxResults": int64(10), "NextToken": token}))
	},
	"test_non_existent_queue": func(r *run) {
		q := r.queue("queue", nil)
		r.do("DeleteQueue", on(q))
		r.expect("queue-does-not-exist", r.sqs("GetQueueAttributes", on(q)))
		r.expect("queue-does-not-exist-url", r.sqs("GetQueueUrl", tree{"QueueName": "queue"}))
		r.expect("queue-does-not-exist-query", r.over(r.client("query"), "sqs", "GetQueueAttributes", on(q)))
	},
	"test_successive_purge_calls_fail": func(r *run) {
		q := r.queue("queue", nil)
		r.do("PurgeQueue", on(q))
		r.expect("purge_queue_error", r.sqs("PurgeQueue", on(q)))
	},
	"test_sqs_permission_lifecycle": permissionLifecycle,

	"test_too_many_entries_in_batch_request": func(r *run) {
		q := r.queue("queue", nil)
		r.expect("test_too_many_entries_in_batch_request", r.sqs("SendMessageBatch", on(q, "Entries", entries(20, func(i int) tree {
			return tree{"Id": numbered("message-%d")(i), "MessageBody": "message"}
		}))))
	},
	"test_invalid_batch_id": func(r *run) {
		q := r.queue("queue", nil)
		r.expect("test_invalid_batch_id", r.sqs("SendMessageBatch", on(q, "Entries", entries(10, func(i int) tree {
			return tree{"Id": numbered("message:%d")(i), "MessageBody": "message"}
		}))))
	},
	"test_send_batch_missing_deduplication_id_for_fifo_queue": func(r *run) {
		q := r.fifo("queue", tree{"ContentBasedDeduplication": "false"})
		r.expect("test_missing_deduplication_id_for_fifo_queue", r.sqs("SendMessageBatch", on(q, "Entries", list(
			tree{"Id": "message-1", "MessageBody": "one", "MessageGroupId": "group", "MessageDeduplicationId": "dedup"},
			tree{"Id": "message-2", "MessageBody": "two", "MessageGroupId": "group"},
		))))
	},
	"test_send_batch_missing_message_group_id_for_fifo_queue": func(r *run) {
		q := r.fifo("queue", tree{"ContentBasedDeduplication": "true"})
		r.expect("test_missing_message_group_id_for_fifo_queue", r.sqs("SendMessageBatch", on(q, "Entries", list(
			tree{"Id": "message-1", "MessageBody": "one", "MessageGroupId": "group", "MessageDeduplicationId": "dedup"},
			tree{"Id": "message-2", "MessageBody": "two", "MessageDeduplicationId": "other"},
		))))
	},
	"test_send_batch_message_size": func(r *run) {
		q := r.queue("queue", tree{"MaximumMessageSize": "1024"})
		r.expect("send-message-batch-result", r.sqs("SendMessageBatch", on(q, "Entries", list(
			tree{"Id": "5b0bd3a8-29c3-4e6a-9d4e-0c4f3fb1a001", "MessageBody": strings.Repeat("a", 1024)},
			tree{"Id": "5b0bd3a8-29c3-4e6a-9d4e-0c4f3fb1a002", "MessageBody": strings.Repeat("a", 1025)},
		))))
	},
	"test_delete_message_batch_invalid_msg_id": func(r *run) {
		q := r.queue("queue", nil)
		r.expect("error_response", r.sqs("DeleteMessageBatch", on(q, "Entries", list(tree{"Id": r.parameter(), "ReceiptHandle": "nonsense"}))))
	},
	"test_delete_message_batch_with_too_large_batch": func(r *run) {
		q := r.queue("queue", nil)
		held := r.heldHandle(q)
		r.expect("error_response", r.sqs("DeleteMessageBatch", on(q, "Entries", entries(20, func(i int) tree {
			return tree{"Id": numbered("%d")(i), "ReceiptHandle": held}
		}))))
	},
	"test_change_message_visibility_batch_with_too_large_batch": func(r *run) {
		q := r.queue("queue", nil)
		held := r.heldHandle(q)
		r.expect("error_response", r.sqs("ChangeMessageVisibilityBatch", on(q, "Entries", entries(20, func(i int) tree {
			return tree{"Id": numbered("%d")(i), "ReceiptHandle": held, "VisibilityTimeout": int64(10)}
		}))))
	},
	"test_send_receive_wait_time_seconds": func(r *run) {
		q := r.queue("queue", nil)
		r.expect("recieve_message_error_too_large", r.sqs("ReceiveMessage", on(q, "WaitTimeSeconds", int64(21))))
		r.expect("recieve_message_error_too_small", r.sqs("ReceiveMessage", on(q, "WaitTimeSeconds", int64(-1))))
		r.do("SendMessage", on(q, "MessageBody", "message"))
		r.expect("empty_short_poll_by_default_resp", r.sqs("ReceiveMessage", on(q)))
		r.do("SendMessage", on(q, "MessageBody", "message"))
		r.expect("empty_short_poll_explicit_resp", r.sqs("ReceiveMessage", on(q, "WaitTimeSeconds", int64(0))))
	},
	"test_receive_empty_queue": func(r *run) {
		q := r.queue("queue", nil)
		r.expect("empty_short_poll_resp_no_param", r.sqs("ReceiveMessage", on(q)))
		r.expect("empty_short_poll_resp", r.sqs("ReceiveMessage", on(q, "WaitTimeSeconds", int64(0))))
		r.expect("empty_long_poll_resp", r.sqs("ReceiveMessage", on(q, "WaitTimeSeconds", int64(1))))
	},
	"test_change_message_visibility_after_visibility_timeout_expiration": func(r *run) {
		q := r.queue("queue", tree{"VisibilityTimeout": "1"})
		held := r.heldHandle(q)
		r.advance(2 * time.Second)
		r.expect("visibility_timeout_expired", r.sqs("ChangeMessageVisibility", on(q, "ReceiptHandle", held, "VisibilityTimeout", int64(2))))
	},
	"test_delete_after_visibility_timeout": func(r *run) {
		q := r.queue("queue", tree{"VisibilityTimeout": "1"})
		held := r.heldHandle(q)
		r.advance(2 * time.Second)
		r.do("DeleteMessage", on(q, "ReceiptHandle", held))
		r.expect("delete_after_timeout_queue_empty", r.sqs("ReceiveMessage", on(q)))
	},
	"test_fair_queue_with_message_group_id": func(r *run) {
		q := r.queue("queue", nil)
		r.expect("send_message", r.sqs("SendMessage", on(q, "MessageBody", "message", "MessageGroupId", "test")))
		r.expect("get-message-with-deduplication-id", r.sqs("ReceiveMessage", on(q, "AttributeNames", list("All"))))
	},
	"test_send_message_to_standard_queue_with_invalid_message_group_id": func(r *run) {
		q := r.queue("queue", nil)
		r.expect("error-response", r.sqs("SendMessage", on(q, "MessageBody", "message", "MessageGroupId", wrongID[r.parameter()])))
	},
	"test_message_deduplication_id_invalid": func(r *run) {
		q := r.fifo("queue", nil)
		r.expect("error-response", r.sqs("SendMessage", on(q, "MessageBody", "message", "MessageGroupId", "group", "MessageDeduplicationId", wrongID[r.parameter()])))
	},
	"test_send_message_via_queue_url_with_json_protocol": func(r *run) {
		q := r.queue("queue", nil)
		call := r.json.Encode("sqs", "ReceiveMessage", on(q))
		call.Target = strings.TrimPrefix(q, r.json.Config.Endpoints[0])
		r.expect("receive-json-on-queue-url", r.send(r.json, call, "ReceiveMessage"))
	},
}

// wrongID are the ids that the tests with a bad one name by words.
var wrongID = map[string]string{"empty": "", "too_long": strings.Repeat("a", 129), "spaces": "group 123"}

// all asks for all attributes of a queue.
func (r *run) all(q string) answered {
	return r.sqs("GetQueueAttributes", on(q, "AttributeNames", list("All")))
}

// heldHandle sends a message, receives it and answers its handle.
func (r *run) heldHandle(q string) string {
	r.do("SendMessage", on(q, "MessageBody", "message"))
	return handle(r.first(r.do("ReceiveMessage", on(q))))
}

// sentence is an error as one SDK words it.
func sentence(action string, a answered) string {
	e, _ := a.tree["Error"].(tree)
	return fmt.Sprintf("An error occurred (%v) when calling the %s operation: %v", e["Code"], action, e["Message"])
}

func permissionLifecycle(r *run) {
	q := r.queue("queue", nil)
	policy := func() answered {
		return r.sqs("GetQueueAttributes", on(q, "AttributeNames", list("Policy")))
	}
	add := func(label string, accounts ...any) answered {
		return r.sqs("AddPermission", on(q, "Label", label, "AWSAccountIds", accounts, "Actions", list("ReceiveMessage")))
	}
	remove := func(label string) answered { return r.sqs("RemovePermission", on(q, "Label", label)) }
	const one, two, own, other = "crossaccountpermission", "crossaccountpermission2", account, "668614515564"

	r.expect("add-permission-response", add(one, other, own))
	r.expect("get-queue-policy-attribute", policy())
	r.expect("remove-permission-response", remove(one))
	r.expect("get-queue-policy-attribute-after-removal", policy())
	r.good("AddPermission", add(one, own))
	r.expect("get-queue-policy-attribute-first-account-same-label", policy())
	r.expect("get-queue-policy-attribute-second-account-same-label", add(one, other))
	r.good("AddPermission", add(two, own))
	r.expect("get-queue-policy-attribute-second-account-different-label", policy())
	r.good("RemovePermission", remove(one))
	r.expect("get-queue-policy-attribute-delete-first-permission", policy())
	r.good("RemovePermission", remove(two))
	r.expect("get-queue-policy-attribute-delete-second-permission", policy())
	r.expect("get-queue-policy-attribute-delete-non-existent-label", remove(two))
}
