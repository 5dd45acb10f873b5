@sns @fifo
Feature: FIFO topics

  @id:sns-fifo.01 @SN-02
  Scenario: a message reaches FIFO and standard queues
    Given a FIFO queue "q.fifo"
    And a queue "q"
    And a FIFO topic "t.fifo" with attributes:
      | ContentBasedDeduplication | true |
    And "q.fifo" is subscribed to "t.fifo"
    And "q" is subscribed to "t.fifo"
    When I publish to "t.fifo":
      | Message        | Test |
      | MessageGroupId | g    |
    Then this gateway's answer has:
      | MessageId      | <uuid>   |
      | SequenceNumber | <absent> |
    But Amazon's answer has:
      | MessageId      | <uuid>    |
      | SequenceNumber | /^\d{20}$/ |
    When I receive and delete everything in "q.fifo"
    Then this gateway's notification "Test" has its members in the order Type, MessageId, TopicArn, Message, Timestamp
    But Amazon's notification "Test" has its members in the order Type, MessageId, SequenceNumber, TopicArn, Message, Timestamp, UnsubscribeURL
    And the notifications are "Test"
    When I receive and delete everything in "q"
    Then the notifications are "Test"
    And the notification "Test" has:
      | MessageId        | ${published:Test} |
      | SignatureVersion | <absent>          |

  @id:sns-fifo.02
  Scenario: what a queue sees of group and deduplication id
    Given a FIFO queue "q.fifo"
    And a queue "q"
    And a FIFO topic "t.fifo" with attributes:
      | ContentBasedDeduplication | true |
    And "q.fifo" is subscribed raw to "t.fifo"
    And "q" is subscribed raw to "t.fifo"
    When I publish to "t.fifo":
      | Message        | Test |
      | MessageGroupId | g    |
    And I receive and delete everything in "q.fifo"
    Then the message "Test" has:
      | Attributes.MessageGroupId         | g              |
      | Attributes.MessageDeduplicationId | ${sha256:Test} |
      | Attributes.SequenceNumber         | <integer>      |
    When I receive and delete everything in "q"
    Then the message "Test" has:
      | Attributes.MessageGroupId         | <absent> |
      | Attributes.MessageDeduplicationId | <absent> |
      | Attributes.SequenceNumber         | <absent> |

  @id:sns-fifo.03
  Scenario: two queues have one order
    Given a FIFO queue "a.fifo"
    And a FIFO queue "b.fifo"
    And a FIFO topic "t.fifo" with attributes:
      | ContentBasedDeduplication | true |
    And "a.fifo" is subscribed raw to "t.fifo"
    And "b.fifo" is subscribed raw to "t.fifo"
    When I publish a batch to "t.fifo":
      | Id | Message | MessageGroupId |
      | 1  | one     | g              |
      | 2  | two     | g              |
      | 3  | three   | g              |
    And I publish to "t.fifo":
      | Message        | four |
      | MessageGroupId | g    |
    And I receive and delete everything in "a.fifo"
    Then the receive returns "one", "two", "three", "four" in this order
    When I receive and delete everything in "b.fifo"
    Then the receive returns "one", "two", "three", "four" in this order

  @id:sns-fifo.04 @SN-01
  Scenario: a repeated deduplication id
    Given a FIFO queue "q.fifo"
    And a queue "q"
    And a FIFO topic "t.fifo"
    And "q.fifo" is subscribed raw to "t.fifo"
    And "q" is subscribed raw to "t.fifo"
    When I publish to "t.fifo":
      | Message                | first |
      | MessageGroupId         | g     |
      | MessageDeduplicationId | d     |
    And I publish to "t.fifo":
      | Message                | again |
      | MessageGroupId         | g     |
      | MessageDeduplicationId | d     |
    Then the publish ids of "first" and "again" are the same
    When I publish to "t.fifo":
      | Message                | marker |
      | MessageGroupId         | g      |
      | MessageDeduplicationId | e      |
    And I receive and delete everything in "q.fifo"
    Then the receive returns "first", "marker" in this order
    When I receive and delete everything in "q"
    Then the receive returns "first", "marker"

  @id:sns-fifo.05 @SN-01
  Scenario: a batch that is sent again has the ids of the first
    Given a FIFO topic "t.fifo" with attributes:
      | ContentBasedDeduplication | true |
    When I publish a batch to "t.fifo":
      | Id | Message | MessageGroupId |
      | 1  | one     | g              |
      | 2  | two     | g              |
    And the answer's Successful.1.MessageId is remembered as "one"
    And the answer's Successful.2.MessageId is remembered as "two"
    And I publish a batch to "t.fifo":
      | Id | Message | MessageGroupId |
      | 1  | one     | g              |
      | 2  | two     | g              |
    Then the answer has:
      | Successful.1.MessageId | ${one} |
      | Successful.2.MessageId | ${two} |

  @id:sns-fifo.06 @SN-25
  Scenario: the window ends after five minutes
    Given a FIFO queue "q.fifo"
    And a FIFO topic "t.fifo"
    And "q.fifo" is subscribed raw to "t.fifo"
    When I publish to "t.fifo":
      | Message                | first |
      | MessageGroupId         | g     |
      | MessageDeduplicationId | d     |
    And 301 seconds pass
    And I publish to "t.fifo":
      | Message                | second |
      | MessageGroupId         | g      |
      | MessageDeduplicationId | d      |
    Then the publish ids of "first" and "second" are different
    When I receive and delete everything in "q.fifo"
    Then the receive returns "first", "second" in this order

  @id:sns-fifo.07 @SN-04
  Scenario: a duplicate reaches nobody, also not a new subscriber
    Given a FIFO queue "q.fifo"
    And a FIFO topic "t.fifo" with attributes:
      | ContentBasedDeduplication | true |
    When I publish to "t.fifo":
      | Message        | m |
      | MessageGroupId | g |
    And "q.fifo" is subscribed raw to "t.fifo"
    And I publish to "t.fifo":
      | Message        | m |
      | MessageGroupId | g |
    And I receive and delete everything in "q.fifo"
    Then this gateway returns nothing

  @id:sns-fifo.08 @SN-01
  Scenario: the deduplication is the topic's and not the group's
    Given a FIFO queue "q.fifo"
    And a FIFO topic "t.fifo" with attributes:
      | ContentBasedDeduplication | true |
    And "q.fifo" is subscribed raw to "t.fifo"
    When I publish to "t.fifo":
      | Message        | m |
      | MessageGroupId | a |
    And I publish to "t.fifo":
      | Message        | m |
      | MessageGroupId | b |
    And I receive and delete everything in "q.fifo"
    Then the receive returns "m"
    And the message "m" has:
      | Attributes.MessageGroupId | a |

  @id:sns-fifo.09
  Scenario: what a FIFO topic wants
    Given a FIFO topic "t.fifo"
    When I publish "m" to "t.fifo"
    Then the call fails with InvalidParameter and message "Invalid parameter: The MessageGroupId parameter is required for FIFO topics"
    When I publish to "t.fifo":
      | Message        | m |
      | MessageGroupId | g |
    Then the call fails with InvalidParameter and message "Invalid parameter: The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"

  @id:sns-fifo.10 @SN-23
  Scenario: the dead letters of a FIFO subscription
    Given a FIFO queue "q.fifo"
    And a FIFO queue "dlq.fifo"
    And a FIFO topic "t.fifo"
    And "q.fifo" is subscribed raw to "t.fifo" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dlq.fifo}"} |
    When I delete the queue "q.fifo"
    And I publish to "t.fifo":
      | Message                | m |
      | MessageGroupId         | g |
      | MessageDeduplicationId | d |
    And I receive and delete everything in "dlq.fifo"
    Then the receive returns "m"
    And the message "m" has:
      | Attributes.MessageGroupId         | g |
      | Attributes.MessageDeduplicationId | d |
