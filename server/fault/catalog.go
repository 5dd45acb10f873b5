package fault

// Namespaces of __type. AWS puts the errors that a service's own model defines
// under the service, and the platform's common ones under Coral's.
const (
	sqsNS   = "com.amazonaws.sqs"
	snsNS   = "com.amazonaws.sns"
	coralNS = "com.amazon.coral.service"

	legacy = "AWS.SimpleQueueService."
)

// Errors of SQS, and those both services share.
var (
	QueueDoesNotExist = add(Kind{JSON: "QueueDoesNotExist", Namespace: sqsNS, Query: legacy + "NonExistentQueue", Status: 400,
		Text:      "The specified queue does not exist.",
		QueryText: "The specified queue does not exist for this wsdl version."})
	ReceiptHandleIsInvalid = add(Kind{JSON: "ReceiptHandleIsInvalid", Namespace: sqsNS, Query: "ReceiptHandleIsInvalid", Status: 400,
		Text: "The specified receipt handle isn't valid."})
	MessageNotInflight = add(Kind{JSON: "MessageNotInflight", Namespace: sqsNS, Query: legacy + "MessageNotInflight", Status: 400,
		Text: "The specified message isn't in flight."})
	PurgeQueueInProgress = add(Kind{JSON: "PurgeQueueInProgress", Namespace: sqsNS, Query: legacy + "PurgeQueueInProgress", Status: 403,
		Text: "Only one PurgeQueue operation on each queue is allowed every 60 seconds."})
	BatchEntryIdsNotDistinct = add(Kind{JSON: "BatchEntryIdsNotDistinct", Namespace: sqsNS, Query: legacy + "BatchEntryIdsNotDistinct", Status: 400,
		Text: "Two or more batch entries in the request have the same Id."})
	TooManyEntriesInBatchRequest = add(Kind{JSON: "TooManyEntriesInBatchRequest", Namespace: sqsNS, Query: legacy + "TooManyEntriesInBatchRequest", Status: 400,
		Text: "The batch request contains more entries than permissible."})
	EmptyBatchRequest = add(Kind{JSON: "EmptyBatchRequest", Namespace: sqsNS, Query: legacy + "EmptyBatchRequest", Status: 400,
		Text: "The batch request doesn't contain any entries."})
	InvalidBatchEntryID = add(Kind{JSON: "InvalidBatchEntryId", Namespace: sqsNS, Query: legacy + "InvalidBatchEntryId", Status: 400,
		Text: "The Id of a batch entry in a batch request doesn't abide by the specification."})
	BatchRequestTooLong = add(Kind{JSON: "BatchRequestTooLong", Namespace: sqsNS, Query: legacy + "BatchRequestTooLong", Status: 400,
		Text: "The length of all the messages put together is more than the limit."})
	InvalidAttributeName = add(Kind{JSON: "InvalidAttributeName", Namespace: sqsNS, Query: "InvalidAttributeName", Status: 400,
		Text: "The specified attribute doesn't exist."})
	InvalidAttributeValue = add(Kind{JSON: "InvalidAttributeValue", Namespace: sqsNS, Query: "InvalidAttributeValue", Status: 400,
		Text: "A queue attribute value is invalid."})
	QueueDeletedRecently = add(Kind{JSON: "QueueDeletedRecently", Namespace: sqsNS, Query: legacy + "QueueDeletedRecently", Status: 400,
		Text: "You must wait 60 seconds after deleting a queue before you can create another with the same name."})
	QueueNameExists = add(Kind{JSON: "QueueNameExists", Namespace: sqsNS, Query: "QueueAlreadyExists", Status: 400,
		Text: "A queue with this name already exists with different attributes."})
	InvalidMessageContents = add(Kind{JSON: "InvalidMessageContents", Namespace: sqsNS, Query: "InvalidMessageContents", Status: 400,
		Text: "The message contains characters outside the allowed set."})
	OverLimit = add(Kind{JSON: "OverLimit", Namespace: sqsNS, Query: "OverLimit", Status: 403,
		Text: "The specified action violates a limit."})
	ResourceNotFoundException = add(Kind{JSON: "ResourceNotFoundException", Namespace: sqsNS, Query: "ResourceNotFoundException", Status: 404,
		Text: "One or more specified resources don't exist."})
	UnsupportedOperation = add(Kind{JSON: "UnsupportedOperation", Namespace: sqsNS, Query: legacy + "UnsupportedOperation", Status: 400,
		Text: "Error code 400. Unsupported operation."})
	RequestThrottled = add(Kind{JSON: "RequestThrottled", Namespace: sqsNS, Query: "RequestThrottled", Status: 403,
		Text: "The request was denied due to request throttling."})

	InvalidAction = add(Kind{JSON: "InvalidAction", Namespace: coralNS, Query: "InvalidAction", Status: 400,
		Text: "The action or operation requested is invalid. Verify that the action is typed correctly."})
	UnknownOperation = add(Kind{JSON: "UnknownOperationException", Namespace: coralNS, Query: "UnknownOperationException", Status: 404,
		Text: "The requested operation is not known."})
	InvalidParameterValue = add(Kind{JSON: "InvalidParameterValueException", Namespace: coralNS, Query: "InvalidParameterValue", Status: 400,
		Text: "An invalid or out-of-range value was supplied for the input parameter."})
	MissingParameter = add(Kind{JSON: "MissingRequiredParameterException", Namespace: coralNS, Query: "MissingParameter", Status: 400,
		Text: "The request is missing a required parameter."})
	MissingAuthenticationToken = add(Kind{JSON: "MissingAuthenticationTokenException", Namespace: coralNS, Query: "MissingAuthenticationToken", Status: 403,
		Text: "Request is missing Authentication Token"})
	SignatureDoesNotMatch = add(Kind{JSON: "SignatureDoesNotMatch", Namespace: coralNS, Query: "SignatureDoesNotMatch", Status: 403,
		Text: "The request signature we calculated does not match the signature you provided. Check your secret access key and signing method."})
	IncompleteSignature = add(Kind{JSON: "IncompleteSignatureException", Namespace: coralNS, Query: "IncompleteSignature", Status: 400,
		Text: "The request signature does not conform to AWS standards."})
	InvalidClientTokenID = add(Kind{JSON: "InvalidClientTokenId", Namespace: coralNS, Query: "InvalidClientTokenId", Status: 403,
		Text: "The security token included in the request is invalid."})
	AccessDenied = add(Kind{JSON: "AccessDeniedException", Namespace: coralNS, Query: "AccessDenied", Status: 403,
		Text: "Access to the requested resource is denied."})
	ServiceUnavailable = add(Kind{JSON: "ServiceUnavailable", Namespace: coralNS, Query: "ServiceUnavailable", Status: 503, Receiver: true,
		Text: "The request has failed due to a temporary failure of the server."})
	InternalFailure = add(Kind{JSON: "InternalFailure", Namespace: coralNS, Query: "InternalFailure", Status: 500, Receiver: true,
		Text: "The request processing has failed because of an unknown error, exception or failure."})
)

// Errors of SNS. SNS spells its errors without a prefix, in its own namespace.
var (
	NotFound = add(Kind{JSON: "NotFoundException", Namespace: snsNS, Query: "NotFound", Status: 404,
		Text: "The requested resource does not exist."})
	InvalidParameter = add(Kind{JSON: "InvalidParameterException", Namespace: snsNS, Query: "InvalidParameter", Status: 400,
		Text: "The request contains an invalid parameter."})
	ParameterValueInvalid = add(Kind{JSON: "InvalidParameterValueException", Namespace: snsNS, Query: "ParameterValueInvalid", Status: 400,
		Text: "The request contains an invalid parameter value."})
	ValidationError = add(Kind{JSON: "ValidationException", Namespace: snsNS, Query: "ValidationError", Status: 400,
		Text: "The input fails to satisfy the constraints specified by an AWS service."})
	SNSResourceNotFound = add(Kind{JSON: "ResourceNotFoundException", Namespace: snsNS, Query: "ResourceNotFound", Status: 404,
		Text: "Can't tag resource. Verify that the topic exists."})
	TagLimitExceeded = add(Kind{JSON: "TagLimitExceededException", Namespace: snsNS, Query: "TagLimitExceeded", Status: 400,
		Text: "Can't add more than 50 tags to a resource."})
	SNSEmptyBatchRequest = add(Kind{JSON: "EmptyBatchRequestException", Namespace: snsNS, Query: "EmptyBatchRequest", Status: 400,
		Text: "The batch request doesn't contain any entries."})
	SNSTooManyEntriesInBatchRequest = add(Kind{JSON: "TooManyEntriesInBatchRequestException", Namespace: snsNS, Query: "TooManyEntriesInBatchRequest", Status: 400,
		Text: "The batch request contains more entries than permissible."})
	SNSBatchEntryIdsNotDistinct = add(Kind{JSON: "BatchEntryIdsNotDistinctException", Namespace: snsNS, Query: "BatchEntryIdsNotDistinct", Status: 400,
		Text: "Two or more batch entries in the request have the same Id."})
	SNSInvalidBatchEntryID = add(Kind{JSON: "InvalidBatchEntryIdException", Namespace: snsNS, Query: "InvalidBatchEntryId", Status: 400,
		Text: "The Id of a batch entry in a batch request doesn't abide by the specification."})
	SNSBatchRequestTooLong = add(Kind{JSON: "BatchRequestTooLongException", Namespace: snsNS, Query: "BatchRequestTooLong", Status: 400,
		Text: "The length of all the messages put together is more than the limit."})
)

var catalog []*Kind

func add(k Kind) *Kind {
	catalog = append(catalog, &k)
	return &k
}

// Catalog is every error a client can be answered with, in the order of this
// file.
func Catalog() []*Kind { return catalog }
