package wire

// The closed set of actions. An action outside it is InvalidAction, whatever
// protocol asks; adding one is a reviewed change of this file.

// SQSActions are the 23 actions of Amazon SQS, all of them.
var SQSActions = []string{
	"AddPermission",
	"CancelMessageMoveTask",
	"ChangeMessageVisibility",
	"ChangeMessageVisibilityBatch",
	"CreateQueue",
	"DeleteMessage",
	"DeleteMessageBatch",
	"DeleteQueue",
	"GetQueueAttributes",
	"GetQueueUrl",
	"ListDeadLetterSourceQueues",
	"ListMessageMoveTasks",
	"ListQueueTags",
	"ListQueues",
	"PurgeQueue",
	"ReceiveMessage",
	"RemovePermission",
	"SendMessage",
	"SendMessageBatch",
	"SetQueueAttributes",
	"StartMessageMoveTask",
	"TagQueue",
	"UntagQueue",
}

// SNSActions are the 17 actions of Amazon SNS that are its API rather than
// AWS's platform.
var SNSActions = []string{
	"ConfirmSubscription",
	"CreateTopic",
	"DeleteTopic",
	"GetSubscriptionAttributes",
	"GetTopicAttributes",
	"ListSubscriptions",
	"ListSubscriptionsByTopic",
	"ListTagsForResource",
	"ListTopics",
	"Publish",
	"PublishBatch",
	"SetSubscriptionAttributes",
	"SetTopicAttributes",
	"Subscribe",
	"TagResource",
	"Unsubscribe",
	"UntagResource",
}

var services = func() map[string]Service {
	m := make(map[string]Service, len(SQSActions)+len(SNSActions))
	for _, a := range SQSActions {
		m[a] = SQS
	}
	for _, a := range SNSActions {
		m[a] = SNS
	}
	return m
}()

// ServiceOf returns the service of an action and whether the action exists.
// Names are case-sensitive, and no name belongs to both services.
func ServiceOf(action string) (Service, bool) {
	s, ok := services[action]
	return s, ok
}
