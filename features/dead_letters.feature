Feature: dead-letter queues

  @id:dead-letters.01 @QS-23
  Scenario: a message that was received often enough moves
    Given a queue "dead"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":2} |
    When I send to "q":
      | MessageBody                     | a      |
      | MessageAttributes.k.DataType    | String |
      | MessageAttributes.k.StringValue | x      |
    And I receive a message from "q" asking for all attributes
    Then the message "a" has:
      | MessageId                           | ${id:a}  |
      | Attributes.ApproximateReceiveCount  | 1        |
      | Attributes.DeadLetterQueueSourceArn | <absent> |
    When I change the visibility of "a" in "q" to 0 seconds
    And I receive a message from "q" asking for all attributes
    Then the message "a" has:
      | MessageId                          | ${id:a} |
      | Attributes.ApproximateReceiveCount | 2       |
    When I change the visibility of "a" in "q" to 0 seconds
    And I receive a message from "q"
    Then the receive returns nothing
    And "q" has 0 messages, 0 in flight and 0 delayed
    And "dead" has 1 message, 0 in flight and 0 delayed
    When I receive a message from "dead" asking for all attributes
    Then the message "a" has:
      | MD5OfBody                           | ${md5:a}                         |
      | MD5OfMessageAttributes              | a45daa70926828a2f0a1db3418e6feb4 |
      | MessageAttributes.k.StringValue     | x                                |
      | Attributes.ApproximateReceiveCount  | 3                                |
      | Attributes.DeadLetterQueueSourceArn | ${arn:q}                         |
    And this gateway's message "a" has:
      | MessageId                          | <uuid>    |
      | Attributes.queen.originalMessageId | ${id:a}   |
      | Attributes.queen.sourceQueue       | ${name:q} |
    And this gateway's answer's Messages.1.MessageId is not "${id:a}"
    But Amazon's message "a" has:
      | MessageId                          | ${id:a}  |
      | Attributes.queen.originalMessageId | <absent> |
      | Attributes.queen.sourceQueue       | <absent> |
    When I delete "a" from "dead"
    Then "dead" has 0 messages, 0 in flight and 0 delayed

  @id:dead-letters.02
  Scenario: a trace header moves along
    Given a queue "dead"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    When I send to "q":
      | MessageBody                                        | a         |
      | MessageSystemAttributes.AWSTraceHeader.DataType    | String    |
      | MessageSystemAttributes.AWSTraceHeader.StringValue | Root=1-23 |
    And I receive a message from "q"
    And I change the visibility of "a" in "q" to 0 seconds
    And I receive a message from "q"
    And I receive a message from "dead" asking for all attributes
    Then the message "a" has:
      | Attributes.AWSTraceHeader | Root=1-23 |

  @id:dead-letters.03
  Scenario: two messages move, each on its own
    Given a queue "dead"
    And a queue "q" with attributes:
      | VisibilityTimeout | 5                                                         |
      | RedrivePolicy     | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And "a" and "b" were sent to "q"
    When I receive everything in "q" and keep it
    And 6 seconds pass
    And I receive everything in "q" and keep it
    And 6 seconds pass
    And I receive everything in "q" and keep it
    Then the receive returns nothing
    When I receive and delete everything in "dead"
    Then the receive returns "a", "b"
    And "q" has 0 messages, 0 in flight and 0 delayed

  @id:dead-letters.04
  Scenario: a receive that moves some answers the others
    Given a queue "dead"
    And a queue "q" with attributes:
      | VisibilityTimeout | 5                                                         |
      | RedrivePolicy     | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And "old" was sent to "q"
    When I receive a message from "q"
    And 6 seconds pass
    And I send "new1" to "q"
    And I send "new2" to "q"
    And I receive and delete everything in "q"
    Then the receive returns "new1", "new2"
    When I receive and delete everything in "dead"
    Then the receive returns "old"

  @id:dead-letters.05
  Scenario: a message deleted in time does not move
    Given a queue "dead"
    And a queue "q" with attributes:
      | VisibilityTimeout | 5                                                         |
      | RedrivePolicy     | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And "a" was sent to "q"
    When I receive a message from "q"
    And I delete "a" from "q"
    And 6 seconds pass
    And I receive a message from "q"
    Then the receive returns nothing
    And "dead" has 0 messages, 0 in flight and 0 delayed

  @id:dead-letters.06 @QS-23
  Scenario: dead letters of a FIFO queue stay in their group
    Given a FIFO queue "dead.fifo"
    And a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 5                                                              |
      | RedrivePolicy     | {"deadLetterTargetArn":"${arn:dead.fifo}","maxReceiveCount":1} |
    And "a1" and "b1" were sent to the groups of "q.fifo"
    When I receive everything in "q.fifo" and keep it
    And 6 seconds pass
    And I receive everything in "q.fifo" and keep it
    Then the receive returns nothing
    When I receive everything in "dead.fifo" and keep it
    Then the receive returns "a1", "b1"
    And the message "a1" has:
      | Attributes.MessageGroupId           | a             |
      | Attributes.ApproximateReceiveCount  | 2             |
      | Attributes.DeadLetterQueueSourceArn | ${arn:q.fifo} |
    And this gateway's message "a1" has:
      | Attributes.queen.originalMessageId | ${id:a1} |
    But Amazon's message "a1" has:
      | MessageId | ${id:a1} |
    When I send "a2" to its group of "q.fifo"
    And I receive a message from "q.fifo"
    Then the receive returns "a2"

  @id:dead-letters.07 @gateway
  Scenario: of a FIFO batch only what was received too often moves, and the order stays
    Given a FIFO queue "dead.fifo"
    And a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 5                                                              |
      | RedrivePolicy     | {"deadLetterTargetArn":"${arn:dead.fifo}","maxReceiveCount":2} |
    And "a1", "a2" and "a3" were sent to the groups of "q.fifo"
    When I receive up to 3 messages from "q.fifo"
    And 6 seconds pass
    And I receive up to 3 messages from "q.fifo"
    Then the receive returns "a1", "a2", "a3" in this order
    When I delete "a2" from "q.fifo"
    And 6 seconds pass
    And I receive everything in "q.fifo" and keep it
    Then the receive returns nothing
    When I receive everything in "dead.fifo" and keep it
    Then the receive returns "a1", "a3" in this order
    And "q.fifo" has 0 messages, 0 in flight and 0 delayed

  @id:dead-letters.08 @QS-41 @gateway
  Scenario: a dead-letter queue with a policy of its own passes messages on
    Given a queue "last"
    And a queue "dead" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:last}","maxReceiveCount":1} |
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And "a" was sent to "q"
    When I receive a message from "q"
    And I change the visibility of "a" in "q" to 0 seconds
    And I receive a message from "q"
    Then the receive returns nothing
    When I receive a message from "dead"
    Then the receive returns nothing
    When I receive a message from "last"
    Then the receive returns "a"

  @id:dead-letters.09 @QS-42 @gateway
  Scenario: without its dead-letter queue a message is delivered
    Given a queue "dead"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And "a" was sent to "q"
    When I delete the queue "dead"
    And I receive a message from "q"
    And I change the visibility of "a" in "q" to 0 seconds
    And I receive a message from "q"
    Then the receive returns "a"

  @id:dead-letters.10
  Scenario: without the policy a message is delivered
    Given a queue "dead"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And "a" was sent to "q"
    When I receive a message from "q"
    And I set the attributes of "q":
      | RedrivePolicy | |
    And I change the visibility of "a" in "q" to 0 seconds
    And I receive a message from "q"
    Then the receive returns "a"

  @id:dead-letters.11 @gateway
  Scenario: a move that fails loses nothing
    Given a queue "dead"
    And a queue "q" with attributes:
      | VisibilityTimeout | 5                                                         |
      | RedrivePolicy     | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And "a" was sent to "q"
    When I receive a message from "q"
    And the broker commits no transaction
    And 6 seconds pass
    And I receive a message from "q"
    Then this gateway returns nothing
    When the broker works again
    And 6 seconds pass
    And I receive a message from "q"
    Then this gateway returns nothing
    When I receive a message from "dead"
    Then this gateway returns "a"

  @id:dead-letters.12
  Scenario Outline: maxReceiveCount may be <value>
    Given a queue "dead"
    When I create the queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":<value>} |
    Then the call succeeds
    When I ask for the attribute RedrivePolicy of "q"
    Then the answer has exactly:
      | Attributes.RedrivePolicy | json:{"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":<value>} |

    Examples:
      | value |
      | 1     |
      | 50    |
      | 1000  |
      | "42"  |

  @id:dead-letters.13
  Scenario: a target that is no ARN, quoted as it was written
    When I create the queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn": "dummy", "maxReceiveCount": 42} |
    Then the call fails with InvalidParameterValue and message:
      """
      Value {"deadLetterTargetArn": "dummy", "maxReceiveCount": 42} for parameter RedrivePolicy is invalid. Reason: Invalid value for deadLetterTargetArn.
      """

  @id:dead-letters.14
  Scenario Outline: maxReceiveCount=<value> is out of range
    Given a queue "dead"
    And a queue "q"
    When I set the attributes of "q":
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":<value>} |
    Then the call fails with InvalidParameterValue
    And this gateway fails with InvalidParameterValue and message:
      """
      Value {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":<value>} for parameter RedrivePolicy is invalid. Reason: Invalid value for maxReceiveCount: <shown>, valid values are from 1 to 1000 both inclusive.
      """

    Examples:
      | value     | shown   |
      | 0         | 0       |
      | 1001      | 1001    |
      | -1        | -1      |
      | "invalid" | invalid |

  @id:dead-letters.15
  Scenario Outline: a RedrivePolicy that is <what>
    Given a queue "dead"
    And a FIFO queue "dead.fifo"
    And a queue "q"
    When I set the attributes of "q":
      | RedrivePolicy | <policy> |
    Then the call fails with InvalidParameterValue
    And this gateway fails with InvalidParameterValue and a message containing "for parameter RedrivePolicy is invalid. Reason: <reason>"
    When I ask for the attribute RedrivePolicy of "q"
    Then the answer has nothing in it

    Examples:
      | what                     | policy                                                                                     | reason                                                              |
      | no JSON                  | {                                                                                          | Redrive policy is not a valid JSON map.                             |
      | a list                   | []                                                                                         | Redrive policy is not a valid JSON map.                             |
      | without a count          | {"deadLetterTargetArn":"${arn:dead}"}                                                      | Redrive policy does not contain mandatory attribute: maxReceiveCount. |
      | without a target         | {"maxReceiveCount":5}                                                                      | Redrive policy does not contain mandatory attribute: deadLetterTargetArn. |
      | for a missing queue      | {"deadLetterTargetArn":"${arn:missing}","maxReceiveCount":5}                               | Dead letter target does not exist.                                  |
      | for another account      | {"deadLetterTargetArn":"arn:aws:sqs:${region}:111122223333:x","maxReceiveCount":5}         | Invalid value for deadLetterTargetArn.                              |
      | for the other queue type | {"deadLetterTargetArn":"${arn:dead.fifo}","maxReceiveCount":5}                             | Dead-letter queue must be of the same type as its source queue. |

  @id:dead-letters.16 @QS-24
  Scenario: a queue as its own dead-letter queue
    Given a queue "q"
    When I set the attributes of "q":
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:q}","maxReceiveCount":5} |
    Then this gateway fails with InvalidParameterValue
    But Amazon succeeds

  @id:dead-letters.17 @QS-24 @gateway
  Scenario: a longer circle is not looked for
    Given a queue "one"
    And a queue "two" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:one}","maxReceiveCount":5} |
    When I set the attributes of "one":
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:two}","maxReceiveCount":5} |
    Then this gateway succeeds

  @id:dead-letters.18 @QS-25
  Scenario: a long policy is quoted in part
    Given a queue "q"
    When I set the attributes of "q":
      | RedrivePolicy | {"deadLetterTargetArn":"${x*300}","maxReceiveCount":5} |
    Then this gateway fails with InvalidParameterValue and message:
      """
      Value {"deadLetterTargetArn":"${x*232}… for parameter RedrivePolicy is invalid. Reason: Invalid value for deadLetterTargetArn.
      """
    But Amazon fails with InvalidParameterValue and message:
      """
      Value {"deadLetterTargetArn":"${x*300}","maxReceiveCount":5} for parameter RedrivePolicy is invalid. Reason: Invalid value for deadLetterTargetArn.
      """

  @id:dead-letters.19 @QS-19
  Scenario: a dead-letter queue that allows nobody
    Given a queue "dead" with attributes:
      | RedriveAllowPolicy | {"redrivePermission":"denyAll"} |
    And a queue "q"
    When I set the attributes of "q":
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    Then this gateway succeeds
    But Amazon fails with InvalidParameterValue

  @id:dead-letters.20
  Scenario: a RedriveAllowPolicy is read back as written
    Given a queue "q"
    And a queue "dead" with attributes:
      | RedriveAllowPolicy | {"redrivePermission":"byQueue","sourceQueueArns":["${arn:q}"]} |
    When I ask for the attribute RedriveAllowPolicy of "dead"
    Then the answer has exactly:
      | Attributes.RedriveAllowPolicy | json:{"redrivePermission":"byQueue","sourceQueueArns":["${arn:q}"]} |

  @id:dead-letters.21
  Scenario Outline: the RedriveAllowPolicy <policy> is refused
    Given a queue "q"
    When I set the attributes of "q":
      | RedriveAllowPolicy | <policy> |
    Then the call is refused with the status 400
    And this gateway fails with InvalidParameterValue and a message containing "for parameter RedriveAllowPolicy is invalid."

    Examples:
      | policy                                                |
      | {                                                     |
      | {}                                                    |
      | {"redrivePermission":"some"}                          |
      | {"redrivePermission":"byQueue"}                       |
      | {"redrivePermission":"byQueue","sourceQueueArns":[]}  |
      | {"redrivePermission":"denyAll","sourceQueueArns":["x"]} |

  @id:dead-letters.22
  Scenario: the sources of a dead-letter queue
    Given a queue "dead"
    And a queue "one" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And a queue "two" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":2} |
    And a queue "three"
    When the client calls ListDeadLetterSourceQueues with:
      | QueueUrl | ${url:dead} |
    Then the list names exactly the queues "one", "two"
    And the answer has:
      | NextToken | <absent> |

  @id:dead-letters.23 @json
  Scenario: the sources are called queueUrls
    Given a queue "dead"
    And a queue "one" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    When the client calls ListDeadLetterSourceQueues with:
      | QueueUrl | ${url:dead} |
    Then the JSON on the wire has exactly the members queueUrls

  @id:dead-letters.24
  Scenario: the sources page by page
    Given a queue "dead"
    And a queue "one" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And a queue "two" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":2} |
    When the client calls ListDeadLetterSourceQueues with:
      | QueueUrl   | ${url:dead} |
      | MaxResults | 1           |
    Then the list names exactly the queues "one"
    When the answer's NextToken is remembered as "next"
    And the client calls ListDeadLetterSourceQueues with:
      | QueueUrl   | ${url:dead} |
      | MaxResults | 1           |
      | NextToken  | ${next}     |
    Then the list names exactly the queues "two"

  @id:dead-letters.25
  Scenario: a queue that is no dead-letter queue
    Given a queue "q"
    When the client calls ListDeadLetterSourceQueues with:
      | QueueUrl | ${url:q} |
    Then the call succeeds
    And the list names no queue

  @id:dead-letters.26
  Scenario Outline: listing sources with MaxResults=<value>
    Given a queue "q"
    When the client calls ListDeadLetterSourceQueues with:
      | QueueUrl   | ${url:q} |
      | MaxResults | <value>  |
    Then the call fails with InvalidParameterValue and a message containing "MaxResults"

    Examples:
      | value |
      | 0     |
      | 1001  |

  @id:dead-letters.27
  Scenario: listing sources with a token of one's own
    Given a queue "q"
    When the client calls ListDeadLetterSourceQueues with:
      | QueueUrl  | ${url:q} |
      | NextToken | !        |
    Then the call is refused with the status 400

  @id:dead-letters.28
  Scenario: the sources of a missing queue
    When the client calls ListDeadLetterSourceQueues with:
      | QueueUrl | ${url:missing} |
    Then the call fails with QueueDoesNotExist and its standard message

  @id:dead-letters.29 @restart
  Scenario: counts, policies and dead letters outlive a restart
    Given a queue "dead"
    And a queue "q" with attributes:
      | VisibilityTimeout | 5                                                         |
      | RedrivePolicy     | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":2} |
    And "a" was sent to "q"
    When I receive a message from "q"
    And the gateway is stopped and started again
    And 6 seconds pass
    And I receive a message from "q" asking for the system attribute ApproximateReceiveCount
    Then the message "a" has:
      | Attributes.ApproximateReceiveCount | 2 |
    When 6 seconds pass
    And I receive a message from "q"
    Then the receive returns nothing
    When the gateway is stopped and started again
    And I receive a message from "dead" asking for all attributes
    Then the message "a" has:
      | Attributes.ApproximateReceiveCount  | 3        |
      | Attributes.DeadLetterQueueSourceArn | ${arn:q} |
