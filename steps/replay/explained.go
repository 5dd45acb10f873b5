package replay

import "github.com/queen-mq/queen-sqs/divergences"

// explanation says why a field differs from the recorded one.
type explanation struct {
	// test and path are patterns for the test's name and the field's path, in
	// which an asterisk stands for anything and a question mark for one letter.
	test, path string
	// row of the register; empty when the recording is not evidence there.
	row divergences.ID
	why string
}

// recorder marks the differences that say nothing about Amazon.
const recorder = "the recorder"

func (e explanation) by() string {
	if e.row == "" {
		return recorder
	}
	return string(e.row)
}

// explanations are those of all differences. The first that fits is the one.
var explanations = []explanation{
	// SQS: queue attributes.
	{"test_*", "*.Attributes.SqsManagedSseEnabled", divergences.QueueAttributesOnlyWhenSet, "it is reported when somebody set it"},
	{"test_fifo_set_content_*", "*.Attributes.DeduplicationScope", divergences.QueueAttributesOnlyWhenSet, "it is reported when somebody set it"},
	{"test_fifo_set_content_*", "*.Attributes.FifoThroughputLimit", divergences.QueueAttributesOnlyWhenSet, "it is reported when somebody set it"},
	{"test_*", "*.Attributes.queen.partitions", divergences.GatewayQueueAttributes, "an attribute of this gateway's own"},
	{"test_list_queues_pagination", "list_two_max.NextToken", "", "the token in the recording was written by the recorder, and tokens are opaque"},

	// SQS: messages.
	{"*", "*.Attributes.SenderId", divergences.SenderAndFirstReceiveAbsent, "the sender is not stored"},
	{"*", "*.Attributes.ApproximateFirstReceiveTimestamp", divergences.SenderAndFirstReceiveAbsent, "the time of the first delivery is not stored"},
	{"test_receive_message_*", "*_attribute*.Messages[0].Attributes", divergences.SenderAndFirstReceiveAbsent, "the sender is all that was asked for"},
	{"test_message_system_*", "different_values.Messages[0].Attributes", divergences.SenderAndFirstReceiveAbsent, "the sender is all that was asked for"},
	{"test_aws_trace_header_propagation*", "xray-msg.MessageAttributes.timestamp", "", "the recorder took the name for that of a time and replaced the attribute"},
	{"test_change_message_visibility_after_*", "visibility_timeout_expired.*", divergences.ChangeVisibilityWithOldHandle, "the claim of the handle is over"},
	{"test_dead_letter_queue_message_attributes", "dlq-messages[?].MessageId", divergences.DeadLetterHasNewMessageID, "the dead letter is a copy"},
	{"test_dead_letter_queue_message_attributes", "dlq-messages[?].Attributes.queen.*", divergences.DeadLetterHasNewMessageID, "it says where the copy came from"},

	// SQS: FIFO queues.
	{"test_fifo_deduplication_not_on_message_group_id*", "get-dedup-messages.Messages", divergences.DeduplicationPerMessageGroup, "the same id in two groups is two messages"},
	{"test_sqs_fifo_same_dedup_id_*", "same-dedup-different-grp-2.Messages", divergences.DeduplicationPerMessageGroup, "the same id in two groups is two messages"},
	{"test_fifo_change_to_high_*", "same-dedup*.Messages", divergences.DeduplicationPerMessageGroup, "the same id in two groups is two messages"},
	{"test_fifo_group_visibility_extends_*", "some-messages-invisible.Messages", divergences.ExtendingOneExtendsFIFOBatch, "all messages of the receive are extended"},

	// SQS: move tasks.
	{"test_move_task_cancel", "list-after.Results[0].ApproximateNumberOfMessagesMoved", divergences.CancelledMoveStopsAtOnce, "nothing is moved after the cancel"},

	// SNS: topics and subscriptions.
	{"test_*", "*.Attributes.EffectiveDeliveryPolicy", divergences.TopicAttributesOnlyWhenSet, "it is answered where a DeliveryPolicy was set"},
	{"test_*", "*.Attributes.Policy", divergences.TopicAttributesOnlyWhenSet, "it is answered where it was set"},
	{"test_*", "*.SubscriptionPrincipal", divergences.SubscriptionPrincipalIsRoot, "it is the account's root"},
	{"test_subscribe_unknown_sqs_queue", "subscribe-unknown-sqs.*", divergences.SubscribedQueueMustExist, "the queue has to exist"},
	{"test_sns_confirm_subscription_wrong_token", "*.Error.Message", divergences.NothingToConfirm, "there is nothing to confirm, and the text says so"},
	{"test_delete_subscriptions_on_delete_topic", "get-sub-after-topic-delete.*", divergences.SubscriptionsOfDeletedTopic, "the subscriptions went with the topic"},
	{"test_topic_add_*", "*", divergences.NoTopicPermissions, "the action does not exist here"},
	{"test_topic_remove_permission", "topic-policy", divergences.NoTopicPermissions, "neither action exists here, so that there is no policy"},
	{"test_*_permission_errors", "*", divergences.NoTopicPermissions, "the action does not exist here"},
	{"test_subscribe_invalid_filter_policy", "*.Error.Message", divergences.NoPlaceOfPolicyFault, "the place in the document is left out"},
	{"test_validate_set_sub_attributes", "invalid-json-*.Error.Message", divergences.NoPlaceOfPolicyFault, "the place in the document is left out"},
	{"test_validate_policy*", "*.Error.Message", divergences.NoPlaceOfPolicyFault, "the place in the document is left out"},
	{"test_sub_filter_policy_nested_property_constraints", "*-no-list.Error.Message", divergences.NoPlaceOfPolicyFault, "the place in the document is left out"},

	// SNS: what is published and received.
	{"test_*", "*.Body.Signature", divergences.NotificationsNotSigned, "notifications are not signed"},
	{"test_*", "*.Body.SigningCertURL", divergences.NotificationsNotSigned, "notifications are not signed"},
	{"test_*", "*.Body.UnsubscribeURL", divergences.NotificationsNotSigned, "it goes with the signature"},
	{"test_*", "*.Body.SequenceNumber", divergences.NoSequenceNumberOnPublish, "a transaction tells no place"},
	{"test_publish_*", "*publish-batch-response-fifo.Successful[?].SequenceNumber", divergences.NoSequenceNumberOnPublish, "a transaction tells no place"},
	{"test_publish_*", "publish-response-fifo.SequenceNumber", divergences.NoSequenceNumberOnPublish, "a transaction tells no place"},
	{"test_publish_fifo_messages_to_dlq*", "messages-in-dlq.Messages[0].Attributes.SequenceNumber", divergences.SequenceNumberPerGroup, "the first of another group has the same number"},
}
