Feature: order and message groups of FIFO queues

  @id:fifo-groups.01 @QS-02
  Scenario: a receive goes on to the next group at Amazon, and stays in one here
    Given a FIFO queue "q.fifo"
    And "a1", "b1", "a2" and "a3" were sent to the groups of "q.fifo"
    When I receive up to 10 messages from "q.fifo"
    Then this gateway returns messages of one group in order
    But Amazon returns "a1", "a2", "a3", "b1" in this order

  @id:fifo-groups.02 @QS-02
  Scenario: ten groups of one message
    Given a FIFO queue "q.fifo"
    And "a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "i1" and "j1" were sent to the groups of "q.fifo"
    When I receive up to 10 messages from "q.fifo"
    Then this gateway returns 1 message
    But Amazon returns 10 messages
    When I receive everything in "q.fifo" and keep it
    Then this gateway returns 9 messages
    But Amazon returns nothing

  @id:fifo-groups.03
  Scenario: everything arrives, each group in the order of its sends
    Given a FIFO queue "q.fifo"
    And "a1", "b1", "a2", "b2", "c1" and "a3" were sent to the groups of "q.fifo"
    When I receive and delete everything in "q.fifo"
    Then the receive returns "a1", "a2", "a3", "b1", "b2", "c1" with each group in order
    And "q.fifo" has 0 messages, 0 in flight and 0 delayed

  @id:fifo-groups.04
  Scenario: one message at a time, in order
    Given a FIFO queue "q.fifo"
    And "a1", "a2", "a3" and "a4" were sent to the groups of "q.fifo"
    When I receive a message from "q.fifo"
    Then the receive returns "a1"
    When I delete "a1" from "q.fifo"
    And I receive a message from "q.fifo"
    Then the receive returns "a2"
    When I delete "a2" from "q.fifo"
    And I receive a message from "q.fifo"
    Then the receive returns "a3"
    When I delete "a3" from "q.fifo"
    And I receive a message from "q.fifo"
    Then the receive returns "a4"
    And the message "a4" has:
      | MessageId | ${id:a4}  |
      | MD5OfBody | ${md5:a4} |

  @id:fifo-groups.05
  Scenario: a group with messages in flight is blocked, the others are not
    Given a FIFO queue "q.fifo"
    And "a1", "a2", "a3" and "a4" were sent to the groups of "q.fifo"
    When I receive up to 2 messages from "q.fifo"
    Then the receive returns "a1", "a2" in this order
    When I send "b1" to its group of "q.fifo"
    And I receive a message from "q.fifo"
    Then the receive returns "b1"
    When I receive up to 10 messages from "q.fifo"
    Then the receive returns nothing

  @id:fifo-groups.06
  Scenario: when the visibility timeout ends the group starts again where it was
    Given a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 10 |
    And "a1", "a2" and "a3" were sent to the groups of "q.fifo"
    When I receive up to 2 messages from "q.fifo"
    And 11 seconds pass
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns "a1", "a2", "a3" in this order
    And the message "a1" has:
      | MessageId | ${id:a1} |
    And the answer's Messages.1.ReceiptHandle is not "${handle:a1#1}"

  @id:fifo-groups.07
  Scenario: two deliveries later the order is still that of the sends
    Given a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 10 |
    And "a1", "a2" and "a3" were sent to the groups of "q.fifo"
    When I receive up to 10 messages from "q.fifo"
    Then the receive returns "a1", "a2", "a3" in this order
    When 11 seconds pass
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns "a1", "a2", "a3" in this order
    When 11 seconds pass
    And I receive up to 2 messages from "q.fifo"
    Then the receive returns "a1", "a2" in this order

  @id:fifo-groups.08 @QS-03 @amazon
  Scenario: a group that became visible again comes after those never delivered
    Given a FIFO queue "q.fifo"
    And "a1", "b1", "b2", "c1" and "a2" were sent to the groups of "q.fifo"
    When I receive up to 3 messages from "q.fifo" with a visibility timeout of 0 seconds
    Then Amazon returns "a1", "a2", "b1" in this order
    When I receive up to 10 messages from "q.fifo" with a visibility timeout of 0 seconds
    Then Amazon returns "c1", "a1", "a2", "b1", "b2" in this order

  @id:fifo-groups.09 @QS-03
  Scenario: a visibility timeout of zero on a receive
    Given a FIFO queue "q.fifo"
    And "a1" was sent to the groups of "q.fifo"
    When I receive a message from "q.fifo" with a visibility timeout of 0 seconds
    And I receive a message from "q.fifo"
    Then this gateway returns nothing
    But Amazon returns "a1"

  @id:fifo-groups.10 @QS-04
  Scenario: giving back one message of a batch
    Given a FIFO queue "q.fifo"
    And "a1" and "a2" were sent to the groups of "q.fifo"
    When I receive up to 2 messages from "q.fifo"
    And I change the visibility of "a1" in "q.fifo" to 0 seconds
    Then the call succeeds
    When I receive up to 3 messages from "q.fifo"
    Then this gateway returns "a1", "a2" in this order
    But Amazon returns "a1"

  @id:fifo-groups.11 @QS-04 @gateway
  Scenario: whichever message is given back, the whole rest of the batch returns
    Given a FIFO queue "q.fifo"
    And "a1", "a2", "a3" and "a4" were sent to the groups of "q.fifo"
    When I receive up to 4 messages from "q.fifo"
    And I delete "a1" from "q.fifo"
    And I delete "a3" from "q.fifo"
    And I change the visibility of "a4" in "q.fifo" to 0 seconds
    And I receive up to 10 messages from "q.fifo"
    Then this gateway returns "a2", "a4" in this order

  @id:fifo-groups.12 @QS-04 @gateway
  Scenario: giving back a batch entry by entry is one release
    Given a FIFO queue "q.fifo"
    And "a1", "a2" and "a3" were sent to the groups of "q.fifo"
    When I receive up to 3 messages from "q.fifo"
    And I change the visibility of a batch in "q.fifo":
      | Id | ReceiptHandle | VisibilityTimeout |
      | 1  | ${handle:a1}  | 0                 |
      | 2  | ${handle:a2}  | 0                 |
      | 3  | ${handle:a3}  | 0                 |
    Then the answer has exactly:
      | Successful.1.Id | 1 |
      | Successful.2.Id | 2 |
      | Successful.3.Id | 3 |
    When I receive up to 3 messages from "q.fifo"
    Then this gateway returns "a1", "a2", "a3" in this order

  @id:fifo-groups.13 @QS-05
  Scenario Outline: extending <message> of three
    Given a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 5 |
    And "a1", "a2" and "a3" were sent to the groups of "q.fifo"
    When I receive up to 5 messages from "q.fifo"
    And I change the visibility of "<message>" in "q.fifo" to 20 seconds
    And 8 seconds pass
    And I receive up to 5 messages from "q.fifo"
    Then this gateway returns nothing
    But Amazon returns <visible>
    When 13 seconds pass
    And I receive up to 5 messages from "q.fifo"
    Then this gateway returns "a1", "a2", "a3" in this order

    Examples:
      | message | visible    |
      | a1      | nothing    |
      | a2      | "a1"       |
      | a3      | "a1", "a2" |

  @id:fifo-groups.14 @QS-06
  Scenario: a shorter timeout for one message
    Given a FIFO queue "q.fifo"
    And "a1" and "a2" were sent to the groups of "q.fifo"
    When I receive up to 2 messages from "q.fifo"
    Then the receive returns "a1", "a2" in this order
    When I send "b1" to its group of "q.fifo"
    And I change the visibility of "a1" in "q.fifo" to 1 second
    Then the call succeeds
    When 2 seconds pass
    And I receive up to 3 messages from "q.fifo"
    Then this gateway returns "b1"
    But Amazon returns "b1", "a1" in this order

  @id:fifo-groups.15 @QS-07 @attempts
  Scenario: the receive counts of a batch
    Given a FIFO queue "q.fifo"
    And "a1" was sent to the groups of "q.fifo"
    When I receive a message from "q.fifo"
    And I change the visibility of "a1" in "q.fifo" to 0 seconds
    And I send "a2" to its group of "q.fifo"
    And I receive up to 2 messages from "q.fifo" asking for the system attribute ApproximateReceiveCount
    Then the receive returns "a1", "a2" in this order
    And the message "a1" has:
      | Attributes.ApproximateReceiveCount | 2 |
    And this gateway's message "a2" has:
      | Attributes.ApproximateReceiveCount | 2 |
    But Amazon's message "a2" has:
      | Attributes.ApproximateReceiveCount | 1 |

  @id:fifo-groups.16
  Scenario: deleting everything in flight frees the group
    Given a FIFO queue "q.fifo"
    And "a1", "a2", "a3" and "a4" were sent to the groups of "q.fifo"
    When I receive up to 2 messages from "q.fifo"
    Then the receive returns "a1", "a2" in this order
    Given "b1", "b2" and "c1" were sent to the groups of "q.fifo"
    When I delete the received messages from "q.fifo" in one batch
    And I receive everything in "q.fifo" and keep it
    Then the receive returns "b1", "b2", "a3", "a4", "c1" with each group in order

  @id:fifo-groups.17
  Scenario: deleting a part does not
    Given a FIFO queue "q.fifo"
    And "a1", "a2" and "a3" were sent to the groups of "q.fifo"
    When I receive up to 2 messages from "q.fifo"
    Then the receive returns "a1", "a2" in this order
    Given "b1", "b2" and "c1" were sent to the groups of "q.fifo"
    When I delete "a1" from "q.fifo"
    And I receive everything in "q.fifo" and keep it
    Then the receive returns "b1", "b2", "c1" with each group in order
    When I delete "a2" from "q.fifo"
    And I receive a message from "q.fifo"
    Then the receive returns "a3"

  @id:fifo-groups.18
  Scenario: deletes in any order
    Given a FIFO queue "q.fifo"
    And "a1", "a2", "a3" and "a4" were sent to the groups of "q.fifo"
    When I receive up to 4 messages from "q.fifo"
    And I delete "a3" from "q.fifo"
    And I delete "a1" from "q.fifo"
    And I delete "a4" from "q.fifo"
    And I receive a message from "q.fifo"
    Then the receive returns nothing
    When I delete "a2" from "q.fifo"
    Then the call succeeds
    And "q.fifo" has 0 messages, 0 in flight and 0 delayed
    When 31 seconds pass
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns nothing

  @id:fifo-groups.19
  Scenario: what was deleted out of order does not come back with the rest
    Given a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 10 |
    And "a1", "a2", "a3" and "a4" were sent to the groups of "q.fifo"
    When I receive up to 4 messages from "q.fifo"
    And I delete "a2" from "q.fifo"
    And I delete "a4" from "q.fifo"
    And 11 seconds pass
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns "a1", "a3" in this order
    When I delete the received messages from "q.fifo" in one batch
    Then "q.fifo" has 0 messages, 0 in flight and 0 delayed

  @id:fifo-groups.20 @QS-14
  Scenario: a deleted message of a batch that nobody finished for long
    Given a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 10 |
    And "a1" and "a2" were sent to the groups of "q.fifo"
    When I receive up to 2 messages from "q.fifo"
    And I delete "a2" from "q.fifo"
    And 5 minutes pass
    And I receive up to 10 messages from "q.fifo"
    Then this gateway returns "a1", "a2" in this order
    But Amazon returns "a1"

  @id:fifo-groups.21
  Scenario: a message sent to a blocked group waits
    Given a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 60 |
    When a receive from "q.fifo" waits for up to 10 seconds
    And a receive from "q.fifo" waits for up to 10 seconds
    And a receive from "q.fifo" waits for up to 10 seconds
    And I send "a1" to its group of "q.fifo"
    Then exactly one waiting receive returns "a1"
    When I send "a2" to its group of "q.fifo"
    Then every waiting receive is still waiting
    When I delete "a1" from "q.fifo"
    Then exactly one waiting receive returns "a2"
    And every waiting receive is still waiting

  @id:fifo-groups.22
  Scenario: an emptied group takes messages again
    Given a FIFO queue "q.fifo"
    And "a1" was sent to the groups of "q.fifo"
    When I receive a message from "q.fifo"
    And I delete "a1" from "q.fifo"
    And I receive a message from "q.fifo"
    Then the receive returns nothing
    When I send "a2" to its group of "q.fifo"
    And I receive a message from "q.fifo"
    Then the receive returns "a2"

  @id:fifo-groups.23 @QS-32
  Scenario: a handle whose visibility ran out
    Given a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 5 |
    And "a1" was sent to the groups of "q.fifo"
    When I receive a message from "q.fifo"
    And 6 seconds pass
    And I delete "a1" from "q.fifo"
    Then the call fails with InvalidParameterValue and message "Value ${handle:a1} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired."
    When I receive a message from "q.fifo"
    Then the receive returns "a1"

  @id:fifo-groups.24 @QS-32
  Scenario: a handle whose visibility ran out, in a batch
    Given a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 5 |
    And "a1" was sent to the groups of "q.fifo"
    When I receive a message from "q.fifo"
    And 6 seconds pass
    And I delete a batch from "q.fifo":
      | Id   | ReceiptHandle |
      | late | ${handle:a1}  |
    Then this gateway's answer has exactly:
      | Failed.1.Id          | late                                                                                                              |
      | Failed.1.SenderFault | true                                                                                                              |
      | Failed.1.Code        | InvalidParameterValue                                                                                             |
      | Failed.1.Message     | Value ${handle:a1} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired. |

  @id:fifo-groups.25
  Scenario: an extended handle deletes
    Given a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 5 |
    And "a1" was sent to the groups of "q.fifo"
    When I receive a message from "q.fifo"
    And I change the visibility of "a1" in "q.fifo" to 20 seconds
    And 7 seconds pass
    And I delete "a1" from "q.fifo"
    Then the call succeeds
    And "q.fifo" has 0 messages, 0 in flight and 0 delayed

  @id:fifo-groups.26 @gateway
  Scenario: deleting twice succeeds
    Given a FIFO queue "q.fifo"
    And "a1" was sent to the groups of "q.fifo"
    When I receive a message from "q.fifo"
    And I delete "a1" from "q.fifo"
    And I delete "a1" from "q.fifo"
    Then the call succeeds

  @id:fifo-groups.27
  Scenario: changing the visibility of a deleted message of a batch
    Given a FIFO queue "q.fifo"
    And "a1" and "a2" were sent to the groups of "q.fifo"
    When I receive up to 2 messages from "q.fifo"
    And I delete "a2" from "q.fifo"
    And I change the visibility of "a2" in "q.fifo" to 42 seconds
    Then the call fails with InvalidParameterValue and message "Value ${handle:a2} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change."

  @id:fifo-groups.28
  Scenario: messages outlive their retention in no group
    Given a FIFO queue "q.fifo" with attributes:
      | MessageRetentionPeriod | 60 |
    And "a1" and "b1" were sent to the groups of "q.fifo"
    When 65 seconds pass
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns nothing

  @id:fifo-groups.29 @restart
  Scenario: order, groups in flight and deletes outlive a restart
    Given a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 60 |
    And "a1", "a2" and "a3" were sent to the groups of "q.fifo"
    When I receive up to 3 messages from "q.fifo"
    Then the receive returns "a1", "a2", "a3" in this order
    When I send "b1" to its group of "q.fifo"
    And I delete "a2" from "q.fifo"
    And the gateway is stopped and started again
    And I receive up to 10 messages from "q.fifo"
    Then the receive returns "b1"
    When I delete "a1" from "q.fifo"
    Then the call succeeds
    When 61 seconds pass
    And I receive everything in "q.fifo" and keep it
    Then the receive returns "a3", "b1"
