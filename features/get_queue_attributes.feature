Feature: GetQueueAttributes

  @id:get-queue-attributes.01 @QS-36 @QS-18 @QS-26 @default-width
  Scenario: what a standard queue made without attributes has
    Given a queue "q"
    When I ask for the attributes All of "q"
    Then the answer has:
      | Attributes.ApproximateNumberOfMessages           | 0         |
      | Attributes.ApproximateNumberOfMessagesDelayed    | 0         |
      | Attributes.ApproximateNumberOfMessagesNotVisible | 0         |
      | Attributes.CreatedTimestamp                      | <seconds> |
      | Attributes.LastModifiedTimestamp                 | <seconds> |
      | Attributes.DelaySeconds                          | 0         |
      | Attributes.MaximumMessageSize                    | 1048576   |
      | Attributes.MessageRetentionPeriod                | 345600    |
      | Attributes.QueueArn                              | ${arn:q}  |
      | Attributes.ReceiveMessageWaitTimeSeconds         | 0         |
      | Attributes.VisibilityTimeout                     | 30        |
      | Attributes.FifoQueue                             | <absent>  |
      | Attributes.Policy                                | <absent>  |
      | Attributes.RedrivePolicy                         | <absent>  |
      | Attributes.RedriveAllowPolicy                    | <absent>  |
      | Attributes.KmsMasterKeyId                        | <absent>  |
    And this gateway's answer has:
      | Attributes.SqsManagedSseEnabled | <absent> |
      | Attributes.queen.partitions     | 64       |
    But Amazon's answer has:
      | Attributes.SqsManagedSseEnabled | true     |
      | Attributes.queen.partitions     | <absent> |

  @id:get-queue-attributes.02 @QS-18 @amazon
  Scenario: exactly twelve attributes of a standard queue
    Given a queue "q"
    When I ask for the attributes All of "q"
    Then Amazon's answer has exactly:
      | Attributes.ApproximateNumberOfMessages           | 0         |
      | Attributes.ApproximateNumberOfMessagesDelayed    | 0         |
      | Attributes.ApproximateNumberOfMessagesNotVisible | 0         |
      | Attributes.CreatedTimestamp                      | <seconds> |
      | Attributes.DelaySeconds                          | 0         |
      | Attributes.LastModifiedTimestamp                 | <seconds> |
      | Attributes.MaximumMessageSize                    | 1048576   |
      | Attributes.MessageRetentionPeriod                | 345600    |
      | Attributes.QueueArn                              | ${arn:q}  |
      | Attributes.ReceiveMessageWaitTimeSeconds         | 0         |
      | Attributes.SqsManagedSseEnabled                  | true      |
      | Attributes.VisibilityTimeout                     | 30        |

  @id:get-queue-attributes.03 @QS-18
  Scenario: what a FIFO queue made without more has
    Given a FIFO queue "q.fifo"
    When I ask for the attributes All of "q.fifo"
    Then the answer has:
      | Attributes.FifoQueue                 | true          |
      | Attributes.ContentBasedDeduplication | false         |
      | Attributes.QueueArn                  | ${arn:q.fifo} |
      | Attributes.VisibilityTimeout         | 30            |
    And this gateway's answer has:
      | Attributes.DeduplicationScope  | <absent> |
      | Attributes.FifoThroughputLimit | <absent> |
    But Amazon's answer has:
      | Attributes.DeduplicationScope  | queue    |
      | Attributes.FifoThroughputLimit | perQueue |

  @id:get-queue-attributes.04
  Scenario: named attributes are answered and no others
    Given a queue "q" with attributes:
      | VisibilityTimeout | 12 |
    When I ask for the attributes QueueArn, CreatedTimestamp and VisibilityTimeout of "q"
    Then the answer has exactly:
      | Attributes.QueueArn          | ${arn:q}  |
      | Attributes.CreatedTimestamp  | <seconds> |
      | Attributes.VisibilityTimeout | 12        |

  @id:get-queue-attributes.05
  Scenario: attributes that are valid but not set are left out
    Given a queue "q"
    When I ask for the attributes Policy, KmsMasterKeyId and RedrivePolicy of "q"
    Then the answer has nothing in it

  @id:get-queue-attributes.06
  Scenario: no names, no attributes
    Given a queue "q"
    When the client calls GetQueueAttributes with:
      | QueueUrl | ${url:q} |
    Then the answer has nothing in it

  @id:get-queue-attributes.07
  Scenario: an unknown name is refused
    Given a queue "q"
    When I ask for the attributes VisibilityTimeout and Foobar of "q"
    Then the call fails with InvalidAttributeName and message "Unknown Attribute Foobar."

  @id:get-queue-attributes.08
  Scenario: the counters follow a message
    Given a queue "q"
    And "a", "b" and "c" were sent to "q"
    When I send to "q":
      | MessageBody  | later |
      | DelaySeconds | 60    |
    Then "q" has 3 messages, 0 in flight and 1 delayed
    When I receive a message from "q"
    Then "q" has 2 messages, 1 in flight and 1 delayed
    When 31 seconds pass
    Then "q" has 3 messages, 0 in flight and 1 delayed
    When 30 seconds pass
    Then "q" has 4 messages, 0 in flight and 0 delayed

  @id:get-queue-attributes.09
  Scenario: LastModifiedTimestamp moves with a change
    Given a queue "q"
    When I ask for the attributes CreatedTimestamp and LastModifiedTimestamp of "q"
    And the answer's Attributes.CreatedTimestamp is remembered as "created"
    And the answer's Attributes.LastModifiedTimestamp is remembered as "modified"
    And 5 seconds pass
    And I set the attributes of "q":
      | DelaySeconds | 1 |
    And I ask for the attributes CreatedTimestamp and LastModifiedTimestamp of "q"
    Then the answer's Attributes.CreatedTimestamp is "${created}"
    And the answer's Attributes.LastModifiedTimestamp is not "${modified}"

  @id:get-queue-attributes.10
  Scenario: a missing queue
    When I ask for the attributes All of "missing"
    Then the call fails with QueueDoesNotExist and its standard message

  @id:get-queue-attributes.11
  Scenario: a queue of another account
    Given a queue "q"
    When the client calls GetQueueAttributes with:
      | QueueUrl       | ${endpoint}/111122223333/${name:q} |
      | AttributeNames | All                                |
    Then the call fails with QueueDoesNotExist

  @id:get-queue-attributes.12
  Scenario: a queue URL is required
    When the client calls GetQueueAttributes with:
      | AttributeNames | All |
    Then the call fails with MissingParameter and message "The request must contain the parameter QueueUrl."

  @id:get-queue-attributes.13
  Scenario: the bare name of a queue does for its URL
    Given a queue "q"
    When the client calls GetQueueAttributes with:
      | QueueUrl       | ${name:q} |
      | AttributeNames | QueueArn  |
    Then the answer has exactly:
      | Attributes.QueueArn | ${arn:q} |

  @id:get-queue-attributes.14 @query
  Scenario: attributes are flattened pairs
    Given a queue "q"
    When I ask for the attributes QueueArn and DelaySeconds of "q"
    Then the XML root is "GetQueueAttributesResponse" in the namespace "http://queue.amazonaws.com/doc/2012-11-05/"
    And the answer on the wire contains '<Name>QueueArn</Name>'
    And the answer on the wire contains '<Value>${arn:q}</Value>'
    And the answer on the wire contains '<Attribute>' 2 times
    And the answer on the wire does not contain '<entry>'
    And the answer on the wire does not contain '<key>'
    And the answer on the wire does not contain '<Attributes>'
