Feature: receive request attempt ids

  @id:fifo-attempts.01
  Scenario: the same attempt gets the same answer
    Given a FIFO queue "q.fifo"
    And "a1", "a2" and "a3" were sent to the groups of "q.fifo"
    When I receive up to 2 messages from "q.fifo" in the attempt "x"
    Then the receive returns "a1", "a2" in this order
    When I receive up to 2 messages from "q.fifo" in the attempt "x"
    Then the receive returns "a1", "a2" in this order
    And this gateway's answer's Messages.1.ReceiptHandle is "${handle:a1#1}"
    When I delete the received messages from "q.fifo" in one batch
    And I receive up to 2 messages from "q.fifo"
    Then the receive returns "a3"

  @id:fifo-attempts.02
  Scenario: another attempt is another receive
    Given a FIFO queue "q.fifo"
    And "a1" was sent to the groups of "q.fifo"
    When I receive up to 1 messages from "q.fifo" in the attempt "x"
    And I send "b1" to its group of "q.fifo"
    And I receive up to 1 messages from "q.fifo" in the attempt "y"
    Then the receive returns "b1"

  @id:fifo-attempts.03
  Scenario: an attempt of another queue is another attempt
    Given a FIFO queue "one.fifo"
    And a FIFO queue "two.fifo"
    And "a1" was sent to the groups of "one.fifo"
    And "b1" was sent to the groups of "two.fifo"
    When I receive up to 1 messages from "one.fifo" in the attempt "x"
    And I receive up to 1 messages from "two.fifo" in the attempt "x"
    Then the receive returns "b1"

  @id:fifo-attempts.04
  Scenario: an empty answer is not remembered
    Given a FIFO queue "q.fifo"
    When I receive up to 1 messages from "q.fifo" in the attempt "x"
    Then the receive returns nothing
    When I send "a1" to its group of "q.fifo"
    And I receive up to 1 messages from "q.fifo" in the attempt "x"
    Then the receive returns "a1"

  @id:fifo-attempts.05
  Scenario: an attempt lasts as long as its messages are invisible
    Given a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 10 |
    And "a1" was sent to the groups of "q.fifo"
    When I receive up to 1 messages from "q.fifo" in the attempt "x"
    And 11 seconds pass
    And I receive up to 1 messages from "q.fifo" in the attempt "x"
    Then the receive returns "a1"
    And the answer's Messages.1.ReceiptHandle is not "${handle:a1#1}"

  @id:fifo-attempts.06 @QS-12
  Scenario: an attempt after its messages were deleted
    Given a FIFO queue "q.fifo"
    And "a1" was sent to the groups of "q.fifo"
    When I receive up to 1 messages from "q.fifo" in the attempt "x"
    And I delete "a1" from "q.fifo"
    And I receive up to 1 messages from "q.fifo" in the attempt "x"
    Then this gateway returns "a1"
    But Amazon returns nothing

  @id:fifo-attempts.07 @QS-13
  Scenario: an answer of more than 48 kibibytes
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody            | ${x*50000} |
      | MessageGroupId         | g          |
      | MessageDeduplicationId | d          |
    And I receive up to 1 messages from "q.fifo" in the attempt "x"
    Then the receive returns "${x*50000}"
    When I receive up to 1 messages from "q.fifo" in the attempt "x"
    Then this gateway returns nothing
    But Amazon returns "${x*50000}"

  @id:fifo-attempts.08 @QS-17 @gateway
  Scenario: a purge forgets attempts
    Given a FIFO queue "q.fifo"
    And "a1" was sent to the groups of "q.fifo"
    When I receive up to 1 messages from "q.fifo" in the attempt "x"
    And the client calls PurgeQueue with:
      | QueueUrl | ${url:q.fifo} |
    And I receive up to 1 messages from "q.fifo" in the attempt "x"
    Then this gateway returns nothing

  @id:fifo-attempts.09
  Scenario Outline: the attempt id "<shown>" is refused
    Given a FIFO queue "q.fifo"
    When the client calls ReceiveMessage with:
      | QueueUrl                | ${url:q.fifo} |
      | ReceiveRequestAttemptId | <value>       |
    Then the call is refused with the status 400
    And this gateway fails with InvalidParameterValue and message:
      """
      Value <value> for parameter ReceiveRequestAttemptId is invalid. Reason: ReceiveRequestAttemptId can only include alphanumeric and punctuation characters. 1 to 128 in length.
      """

    Examples:
      | shown          | value    |
      | with a space   | a b      |
      | 129 characters | ${a*129} |

  @id:fifo-attempts.10 @gateway
  Scenario: a standard queue does not look at attempt ids
    Given a queue "q"
    And "a" was sent to "q"
    When I receive up to 1 messages from "q" in the attempt "x"
    And I receive up to 1 messages from "q" in the attempt "x"
    Then this gateway returns nothing

  @id:fifo-attempts.11 @restart
  Scenario: attempts outlive a restart
    Given a FIFO queue "q.fifo"
    And "a1" was sent to the groups of "q.fifo"
    When I receive up to 1 messages from "q.fifo" in the attempt "x"
    And the gateway is stopped and started again
    And I receive up to 1 messages from "q.fifo" in the attempt "x"
    Then the receive returns "a1"
    And the answer's Messages.1.ReceiptHandle is "${handle:a1#1}"
