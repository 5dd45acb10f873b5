package divergences

// snsFound are the rows about SNS that the published contract does not have:
// found while this gateway was built and held against recorded answers.
var snsFound = []Row{
	{
		ID: SN17, Surface: Subscriptions, Class: Unsettled, Title: "anything-but with suffix", Closed: Everywhere,
		Amazon:   "{\"anything-but\":{\"suffix\":..}} was refused in May 2024; the documentation has it since.",
		Here:     "It is refused, as recorded.",
		Sentence: "In a filter policy, anything-but with suffix is refused, as Amazon was recorded to in 2024; its documentation allows it since.",
		Evidence: []Evidence{recorded("test_validate_policy_nested_anything_but_operator", "2024-05-15"), documented("filter policy operators of Amazon SNS")},
	},
	{
		ID: SN18, Surface: Subscriptions, Class: Unsettled, Title: "Which letters equals-ignore-case takes for equal",
		Amazon:   "Not known beyond ASCII.",
		Here:     "Only the letters A to Z are compared without regard to case.",
		Sentence: "In a filter policy, equals-ignore-case ignores the case of ASCII letters only.",
		Evidence: []Evidence{unknown("no recording uses equals-ignore-case")},
		NotShown: "What Amazon does beyond ASCII was not recorded.",
	},
	{
		ID: SN19, Surface: Topics, Class: Accepted, Title: "SNS over AWS JSON",
		Amazon:   "SNS speaks Query.",
		Here:     "SNS is served over AWS JSON 1.0 too, with the target AmazonSimpleNotificationService.",
		Sentence: "SNS is served over AWS JSON 1.0 too, which Amazon does not offer.",
		Evidence: []Evidence{documented("the service model of SNS names the protocol query")},
		NotShown: "How Amazon refuses such a request was not recorded.",
	},
	{
		ID: SN20, Surface: Topics, Class: Settled, Title: "Tags of a repeated CreateTopic", Closed: Everywhere,
		Amazon:   "Tags that the topic does not have are refused; the same, fewer or none are fine.",
		Here:     "The same. The contract ignored the tags.",
		Sentence: "A repeated CreateTopic with tags that the topic does not have is refused, as at Amazon.",
		Evidence: []Evidence{recorded("test_create_duplicate_topic_with_more_tags", "2025-10-13"), recorded("test_create_duplicate_topic_check_idempotency", "2025-10-13")},
	},
	{
		ID: SN21, Surface: Subscriptions, Class: Settled, Title: "A repeated Unsubscribe", Closed: Everywhere,
		Amazon:   "It succeeds.",
		Here:     "The same. The contract answered NotFound.",
		Sentence: "Unsubscribe succeeds for a subscription that is gone, as at Amazon.",
		Evidence: []Evidence{recorded("test_unsubscribe_idempotency", "2025-10-06")},
	},
	{
		ID: SN22, Surface: Publishing, Class: Settled, Title: "MessageGroupId on a standard topic", Closed: Everywhere,
		Amazon:   "It is accepted and reaches a standard queue as its MessageGroupId; until 2023 it was refused.",
		Here:     "The same. The contract refused it.",
		Sentence: "MessageGroupId on a standard topic is accepted and handed to the queue, as at Amazon since 2025.",
		Evidence: []Evidence{recorded("test_publish_message_group_id", "2025-08-18")},
	},
	{
		ID: SN23, Surface: Delivery, Class: Settled, Title: "The dead-letter queue of a subscription", Closed: Everywhere,
		Amazon:   "When the subscribed queue is gone, its messages go to the dead-letter queue of the subscription, as the queue would have got them.",
		Here:     "The same. The contract stored the policy and did nothing with it.",
		Sentence: "A subscription's RedrivePolicy takes the messages of a queue that is gone, as at Amazon.",
		Evidence: []Evidence{recorded("test_redrive_policy_sqs_queue_subscription", "2023-08-24"), recorded("test_publish_fifo_messages_to_dlq", "2023-08-24")},
	},
	{
		ID: SN24, Surface: Topics, Class: Deliberate, Title: "Actions of mobile push, text messages and data protection",
		Amazon:   "SNS has actions for phones, push services and the inspection of data.",
		Here:     "They are InvalidAction: they manage Amazon's platform and not topics and queues.",
		Sentence: "The SNS actions for mobile push, text messages and data protection are InvalidAction.",
		Evidence: []Evidence{documented("actions of Amazon SNS")},
	},
	{
		ID: SN25, Surface: Publishing, Class: Unsettled, Title: "The deduplication window of a FIFO topic",
		Amazon:   "Five minutes by the documentation.",
		Here:     "Five minutes from the first publish.",
		Sentence: "The deduplication window of a FIFO topic is five minutes from the first publish.",
		Evidence: []Evidence{documented("message deduplication of FIFO topics"), unknown("the length of the window was not recorded")},
		NotShown: "The length of the window was not recorded; the scenario asks any endpoint for five minutes.",
	},
	{
		ID: SN26, Surface: Publishing, Class: Settled, Title: "A bad entry in PublishBatch", Closed: Everywhere,
		Amazon:   "A bad entry fails the whole request.",
		Here:     "The same. The contract failed the entry alone.",
		Sentence: "A bad entry fails the whole PublishBatch, as at Amazon.",
		Evidence: []Evidence{recorded("test_publish_batch_exceptions", "2023-08-24"), recorded("test_empty_or_wrong_message_attributes", "2024-11-15")},
	},
	{
		ID: SN27, Surface: Subscriptions, Class: Accepted, Title: "Who subscribed",
		Amazon:   "SubscriptionPrincipal is the user or the role that subscribed.",
		Here:     "SubscriptionPrincipal is the root of the account, whoever subscribed: access keys are no users.",
		Sentence: "SubscriptionPrincipal of a subscription is always the account's root.",
		Evidence: []Evidence{recorded("test_sqs_topic_subscription_confirmation", "2023-08-24")},
		NotShown: "Amazon's answer is the caller of the scenario, which a scenario does not know.",
	},
}
