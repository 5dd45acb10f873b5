Feature: deduplication in FIFO queues

  @id:fifo-deduplication.01
  Scenario: a repeated id is a repeated message
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody            | first |
      | MessageGroupId         | g     |
      | MessageDeduplicationId | d     |
    And the answer's MessageId is remembered as "id"
    And the answer's SequenceNumber is remembered as "sequence"
    And I send to "q.fifo":
      | MessageBody            | second |
      | MessageGroupId         | g      |
      | MessageDeduplicationId | d      |
    Then the answer has exactly:
      | MessageId        | ${id}         |
      | MD5OfMessageBody | ${md5:second} |
      | SequenceNumber   | ${sequence}   |
    When I send to "q.fifo":
      | MessageBody            | marker |
      | MessageGroupId         | g      |
      | MessageDeduplicationId | e      |
    And I receive and delete everything in "q.fifo"
    Then the receive returns "first", "marker" in this order

  @id:fifo-deduplication.02
  Scenario: the window is five minutes
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody            | a |
      | MessageGroupId         | g |
      | MessageDeduplicationId | d |
    And the answer's MessageId is remembered as "first"
    And I receive and delete everything in "q.fifo"
    Then the receive returns "a"
    When 4 minutes pass
    And I send to "q.fifo":
      | MessageBody            | a |
      | MessageGroupId         | g |
      | MessageDeduplicationId | d |
    Then the answer's MessageId is "${first}"
    When I receive a message from "q.fifo"
    Then the receive returns nothing
    When 6 minutes pass
    And I send to "q.fifo":
      | MessageBody            | a |
      | MessageGroupId         | g |
      | MessageDeduplicationId | d |
    Then the answer's MessageId is not "${first}"
    When I receive a message from "q.fifo"
    Then the receive returns "a"
    And the message "a" has:
      | MessageId | ${id:a} |

  @id:fifo-deduplication.03 @QS-27 @gateway
  Scenario: a wider window
    Given a FIFO queue "q.fifo" with attributes:
      | queen.dedupWindowSeconds | 3600 |
    And "a1" was sent to the groups of "q.fifo"
    When I receive and delete everything in "q.fifo"
    Then this gateway returns "a1"
    When 50 minutes pass
    And I send "a1" to its group of "q.fifo"
    And I receive a message from "q.fifo"
    Then this gateway returns nothing
    When 11 minutes pass
    And I send "a1" to its group of "q.fifo"
    And I receive a message from "q.fifo"
    Then this gateway returns "a1"

  @id:fifo-deduplication.04 @QS-27 @gateway
  Scenario: a narrower window
    Given a FIFO queue "q.fifo" with attributes:
      | queen.dedupWindowSeconds | 10 |
    And "a1" was sent to the groups of "q.fifo"
    When I receive and delete everything in "q.fifo"
    And 11 seconds pass
    And I send "a1" to its group of "q.fifo"
    And I receive a message from "q.fifo"
    Then this gateway returns "a1"

  @id:fifo-deduplication.05 @QS-27 @gateway
  Scenario Outline: queen.dedupWindowSeconds=<value> is out of range
    When I create the queue "q.fifo" with attributes:
      | FifoQueue                | true    |
      | queen.dedupWindowSeconds | <value> |
    Then this gateway fails with InvalidParameterValue and a message containing "queen.dedupWindowSeconds"

    Examples:
      | value    |
      | 0        |
      | 31536001 |
      | long     |

  @id:fifo-deduplication.06 @QS-27 @amazon
  Scenario: the window cannot be chosen
    When I create the queue "q.fifo" with attributes:
      | FifoQueue                | true |
      | queen.dedupWindowSeconds | 3600 |
    Then Amazon fails with InvalidAttributeName

  @id:fifo-deduplication.07
  Scenario: the body is the id where the queue says so
    Given a FIFO queue "q.fifo" with attributes:
      | ContentBasedDeduplication | true |
    When I send to "q.fifo":
      | MessageBody    | same |
      | MessageGroupId | g    |
    And I send to "q.fifo":
      | MessageBody    | same |
      | MessageGroupId | g    |
    And I send to "q.fifo":
      | MessageBody    | other |
      | MessageGroupId | g     |
    And I receive up to 10 messages from "q.fifo" asking for the system attribute MessageDeduplicationId
    Then the receive returns "same", "other" in this order
    And the message "same" has:
      | Attributes.MessageDeduplicationId | ${sha256:same} |

  @id:fifo-deduplication.08
  Scenario: an id that is named wins over the body
    Given a FIFO queue "q.fifo" with attributes:
      | ContentBasedDeduplication | true |
    When I send to "q.fifo":
      | MessageBody            | same |
      | MessageGroupId         | g    |
      | MessageDeduplicationId | d1   |
    And I send to "q.fifo":
      | MessageBody            | same |
      | MessageGroupId         | g    |
      | MessageDeduplicationId | d2   |
    And I receive up to 10 messages from "q.fifo" asking for the system attribute MessageDeduplicationId
    Then the receive returns "same", "same"
    And the answer has:
      | Messages.1.Attributes.MessageDeduplicationId | d1 |
      | Messages.2.Attributes.MessageDeduplicationId | d2 |

  @id:fifo-deduplication.09
  Scenario: attributes are no part of the content
    Given a FIFO queue "q.fifo" with attributes:
      | ContentBasedDeduplication | true |
    When I send to "q.fifo":
      | MessageBody    | same |
      | MessageGroupId | g    |
    And I send to "q.fifo":
      | MessageBody                     | same   |
      | MessageGroupId                  | g      |
      | MessageAttributes.k.DataType    | String |
      | MessageAttributes.k.StringValue | x      |
    And I receive and delete everything in "q.fifo"
    Then the receive returns "same"

  @id:fifo-deduplication.10
  Scenario Outline: deleting frees no id, <how>
    Given a FIFO queue "q.fifo" with attributes:
      | ContentBasedDeduplication | true |
    When the client calls SendMessage with the parameters:
      """
      {"QueueUrl": "${url:q.fifo}", "MessageBody": "a", "MessageGroupId": "g"<id>}
      """
    And I receive and delete everything in "q.fifo"
    Then the receive returns "a"
    When the client calls SendMessage with the parameters:
      """
      {"QueueUrl": "${url:q.fifo}", "MessageBody": "a", "MessageGroupId": "g"<id>}
      """
    Then the call succeeds
    When I receive a message from "q.fifo"
    Then the receive returns nothing

    Examples:
      | how        | id                               |
      | by content |                                  |
      | by id      | , "MessageDeduplicationId": "d1" |

  @id:fifo-deduplication.11 @QS-35
  Scenario: an id counts in the whole queue
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody            | one |
      | MessageGroupId         | g1  |
      | MessageDeduplicationId | d   |
    And I send to "q.fifo":
      | MessageBody            | two |
      | MessageGroupId         | g2  |
      | MessageDeduplicationId | d   |
    And I receive and delete everything in "q.fifo"
    Then this gateway returns "one", "two"
    But Amazon returns "one"

  @id:fifo-deduplication.12
  Scenario: an id counts in its group where the queue says so
    Given a FIFO queue "q.fifo" with attributes:
      | DeduplicationScope        | messageGroup |
      | ContentBasedDeduplication | true         |
    When I send to "q.fifo":
      | MessageBody    | same |
      | MessageGroupId | g1   |
    And I send to "q.fifo":
      | MessageBody    | same |
      | MessageGroupId | g2   |
    And I send to "q.fifo":
      | MessageBody    | same |
      | MessageGroupId | g1   |
    And I receive and delete everything in "q.fifo"
    Then the receive returns "same", "same"

  @id:fifo-deduplication.13
  Scenario: a duplicate in a batch succeeds
    Given a FIFO queue "q.fifo"
    When I send a batch to "q.fifo":
      | Id | MessageBody | MessageGroupId | MessageDeduplicationId |
      | 1  | a1          | a              | d                      |
      | 2  | a2          | a              | d                      |
    Then the answer has:
      | Successful.1.Id | 1        |
      | Successful.2.Id | 2        |
      | Failed          | <absent> |
    When I receive and delete everything in "q.fifo"
    Then the receive returns "a1"

  @id:fifo-deduplication.14
  Scenario: a purge frees the ids
    Given a FIFO queue "q.fifo"
    And "a1" was sent to the groups of "q.fifo"
    When the client calls PurgeQueue with:
      | QueueUrl | ${url:q.fifo} |
    And I send to "q.fifo":
      | MessageBody            | other |
      | MessageGroupId         | a     |
      | MessageDeduplicationId | a1    |
    And I receive and delete everything in "q.fifo"
    Then the receive returns "other"

  @id:fifo-deduplication.15
  Scenario: an id that is used again after its window names two messages, and each is deleted for itself
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody            | first |
      | MessageGroupId         | g     |
      | MessageDeduplicationId | d     |
    And 6 minutes pass
    And I send to "q.fifo":
      | MessageBody            | second |
      | MessageGroupId         | g      |
      | MessageDeduplicationId | d      |
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns "first", "second" in this order
    When I delete "first" from "q.fifo"
    And I delete "second" from "q.fifo"
    And 31 seconds pass
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns nothing
    And "q.fifo" has 0 messages, 0 in flight and 0 delayed

  @id:fifo-deduplication.16
  Scenario: of two messages with one id the later one is deleted first
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody            | first |
      | MessageGroupId         | g     |
      | MessageDeduplicationId | d     |
    And 6 minutes pass
    And I send to "q.fifo":
      | MessageBody            | second |
      | MessageGroupId         | g      |
      | MessageDeduplicationId | d      |
    And I receive up to 10 messages from "q.fifo"
    And I delete "second" from "q.fifo"
    And 31 seconds pass
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns "first"
    When I delete "first" from "q.fifo"
    And 5 minutes pass
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns nothing
    And "q.fifo" has 0 messages, 0 in flight and 0 delayed

  @id:fifo-deduplication.17
  Scenario: two messages with one id are deleted in one batch
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody            | first |
      | MessageGroupId         | g     |
      | MessageDeduplicationId | d     |
    And 6 minutes pass
    And I send to "q.fifo":
      | MessageBody            | second |
      | MessageGroupId         | g      |
      | MessageDeduplicationId | d      |
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns "first", "second" in this order
    When I delete the received messages from "q.fifo" in one batch
    Then the call succeeds
    When 31 seconds pass
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns nothing
    And "q.fifo" has 0 messages, 0 in flight and 0 delayed

  @id:fifo-deduplication.18
  Scenario: two messages with one id go to the dead-letter queue once each
    Given a FIFO queue "dead.fifo"
    And a FIFO queue "q.fifo" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead.fifo}","maxReceiveCount":1} |
    When I send to "q.fifo":
      | MessageBody            | first |
      | MessageGroupId         | g     |
      | MessageDeduplicationId | d     |
    And 6 minutes pass
    And I send to "q.fifo":
      | MessageBody            | second |
      | MessageGroupId         | g      |
      | MessageDeduplicationId | d      |
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns "first", "second" in this order
    When 31 seconds pass
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns nothing
    When 31 seconds pass
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns nothing
    And "q.fifo" has 0 messages, 0 in flight and 0 delayed
    When I receive and delete everything in "dead.fifo"
    Then the receive returns "first", "second" in this order

  @id:fifo-deduplication.19 @restart
  Scenario: the window outlives a restart
    Given a FIFO queue "q.fifo"
    And "a1" was sent to the groups of "q.fifo"
    When I receive and delete everything in "q.fifo"
    And the gateway is stopped and started again
    And I send "a1" to its group of "q.fifo"
    Then the call succeeds
    When I receive a message from "q.fifo"
    Then the receive returns nothing
    When 6 minutes pass
    And I send "a1" to its group of "q.fifo"
    And I receive a message from "q.fifo"
    Then the receive returns "a1"

  @id:fifo-deduplication.20
  Scenario Outline: <attribute>=<value> is refused
    Given a FIFO queue "q.fifo"
    When I set the attributes of "q.fifo":
      | <attribute> | <value> |
    Then the call is refused with the status 400
    And this gateway fails with InvalidParameterValue and a message containing "<attribute>"

    Examples:
      | attribute                 | value      |
      | DeduplicationScope        | everywhere |
      | DeduplicationScope        | Queue      |
      | FifoThroughputLimit       | perMinute  |
      | ContentBasedDeduplication | perhaps    |

  @id:fifo-deduplication.21
  Scenario: perMessageGroupId needs the scope of a group
    When I create the queue "q.fifo" with attributes:
      | FifoQueue           | true              |
      | FifoThroughputLimit | perMessageGroupId |
    Then the call is refused with the status 400
    When I create the queue "q.fifo" with attributes:
      | FifoQueue           | true              |
      | FifoThroughputLimit | perMessageGroupId |
      | DeduplicationScope  | messageGroup      |
    Then the call succeeds
    When I ask for the attributes DeduplicationScope and FifoThroughputLimit of "q.fifo"
    Then the answer has exactly:
      | Attributes.DeduplicationScope  | messageGroup      |
      | Attributes.FifoThroughputLimit | perMessageGroupId |
    When I set the attributes of "q.fifo":
      | FifoThroughputLimit | perQueue |
      | DeduplicationScope  | queue    |
    And I ask for the attributes DeduplicationScope and FifoThroughputLimit of "q.fifo"
    Then the answer has exactly:
      | Attributes.DeduplicationScope  | queue    |
      | Attributes.FifoThroughputLimit | perQueue |
