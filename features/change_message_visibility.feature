Feature: ChangeMessageVisibility and ChangeMessageVisibilityBatch

  @id:change-message-visibility.01
  Scenario: zero returns the message at once
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I change the visibility of "a" in "q" to 0 seconds
    Then the answer has nothing in it
    When I receive a message from "q" asking for the system attribute ApproximateReceiveCount
    Then the message "a" has:
      | MessageId                          | ${id:a} |
      | Attributes.ApproximateReceiveCount | 2       |
    When I receive a message from "q"
    Then the receive returns nothing

  @id:change-message-visibility.02
  Scenario: a longer timeout counts from the call
    Given a queue "q" with attributes:
      | VisibilityTimeout | 10 |
    And "a" was sent to "q"
    When I receive a message from "q"
    And 8 seconds pass
    And I change the visibility of "a" in "q" to 30 seconds
    Then the call succeeds
    When 28 seconds pass
    And I receive a message from "q"
    Then the receive returns nothing
    When 3 seconds pass
    And I receive a message from "q"
    Then the receive returns "a"

  @id:change-message-visibility.03
  Scenario: a message is held as long as it is extended
    Given a queue "q" with attributes:
      | VisibilityTimeout | 5 |
    And "a" was sent to "q"
    When I receive a message from "q"
    And 4 seconds pass
    And I change the visibility of "a" in "q" to 5 seconds
    And 4 seconds pass
    And I change the visibility of "a" in "q" to 5 seconds
    And 4 seconds pass
    And I receive a message from "q"
    Then the receive returns nothing
    When I delete "a" from "q"
    And 10 seconds pass
    And I receive a message from "q"
    Then the receive returns nothing

  @id:change-message-visibility.04 @QS-06
  Scenario: a shorter timeout
    Given a queue "q" with attributes:
      | VisibilityTimeout | 30 |
    And "a" was sent to "q"
    When I receive a message from "q"
    And I change the visibility of "a" in "q" to 5 seconds
    Then the call succeeds
    When 6 seconds pass
    And I receive a message from "q"
    Then this gateway returns nothing
    But Amazon returns "a"

  @id:change-message-visibility.05
  Scenario: zero, then a delete with the new handle
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I change the visibility of "a" in "q" to 0 seconds
    And I receive a message from "q"
    And I delete "a" from "q"
    Then "q" has 0 messages, 0 in flight and 0 delayed

  @id:change-message-visibility.06 @QS-30
  Scenario: the handle of a delivery that ran out
    Given a queue "q" with attributes:
      | VisibilityTimeout | 1 |
    And "a" was sent to "q"
    When I receive a message from "q"
    And 2 seconds pass
    And I change the visibility of "a" in "q" to 2 seconds
    Then this gateway fails with MessageNotInflight
    But Amazon succeeds

  @id:change-message-visibility.07 @QS-30
  Scenario: the handle of an earlier delivery
    Given a queue "q" with attributes:
      | VisibilityTimeout | 5 |
    And "a" was sent to "q"
    When I receive a message from "q"
    And 6 seconds pass
    And I receive a message from "q"
    And I change the visibility of "a#1" in "q" to 0 seconds
    Then this gateway fails with MessageNotInflight
    But Amazon succeeds
    When I receive a message from "q"
    Then this gateway returns nothing
    But Amazon returns "a"

  @id:change-message-visibility.08 @QS-31
  Scenario: a deleted message
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I delete "a" from "q"
    And I change the visibility of "a" in "q" to 42 seconds
    Then this gateway fails with MessageNotInflight
    But Amazon fails with InvalidParameterValue and message "Value ${handle:a} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change."

  @id:change-message-visibility.09
  Scenario: a handle that was made up
    Given a queue "q"
    When the client calls ChangeMessageVisibility with:
      | QueueUrl          | ${url:q} |
      | ReceiptHandle     | INVALID  |
      | VisibilityTimeout | 10       |
    Then the call fails with ReceiptHandleIsInvalid and message:
      """
      The input receipt handle "INVALID" is not a valid receipt handle.
      """

  @id:change-message-visibility.10
  Scenario Outline: VisibilityTimeout=<value> is out of range
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And the client calls ChangeMessageVisibility with:
      | QueueUrl          | ${url:q}    |
      | ReceiptHandle     | ${handle:a} |
      | VisibilityTimeout | <value>     |
    Then the call fails with InvalidParameterValue and a message containing "VisibilityTimeout"

    Examples:
      | value |
      | -1    |
      | 43201 |

  @id:change-message-visibility.11
  Scenario: twelve hours are accepted
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I change the visibility of "a" in "q" to 43200 seconds
    Then this gateway succeeds

  @id:change-message-visibility.12 @query
  Scenario: a timeout is required
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And the client calls ChangeMessageVisibility with:
      | QueueUrl      | ${url:q}    |
      | ReceiptHandle | ${handle:a} |
    Then the call fails with MissingParameter and message "The request must contain the parameter VisibilityTimeout."

  @id:change-message-visibility.13
  Scenario: a handle is required
    Given a queue "q"
    When the client calls ChangeMessageVisibility with:
      | QueueUrl          | ${url:q} |
      | VisibilityTimeout | 10       |
    Then the call fails with MissingParameter and message "The request must contain the parameter ReceiptHandle."

  @id:change-message-visibility.14
  Scenario: a batch, one entry each way
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I change the visibility of a batch in "q":
      | Id   | ReceiptHandle | VisibilityTimeout |
      | good | ${handle:a}   | 0                 |
      | bad  | garbage       | 0                 |
    Then the answer has exactly:
      | Successful.1.Id      | good                   |
      | Failed.1.Id          | bad                    |
      | Failed.1.SenderFault | true                   |
      | Failed.1.Code        | ReceiptHandleIsInvalid |
      | Failed.1.Message     | <text>                 |
    When I receive a message from "q"
    Then the receive returns "a"

  @id:change-message-visibility.15
  Scenario: a batch entry out of range fails alone
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I change the visibility of a batch in "q":
      | Id  | ReceiptHandle | VisibilityTimeout |
      | bad | ${handle:a}   | 43201             |
    Then this gateway's answer has exactly:
      | Failed.1.Id          | bad                   |
      | Failed.1.SenderFault | true                  |
      | Failed.1.Code        | InvalidParameterValue |
      | Failed.1.Message     | <text>                |

  @id:change-message-visibility.16
  Scenario: a batch without a timeout takes the queue's
    Given a queue "q" with attributes:
      | VisibilityTimeout | 20 |
    And "a" was sent to "q"
    When I receive a message from "q" with a visibility timeout of 5 seconds
    And I change the visibility of a batch in "q":
      | Id | ReceiptHandle |
      | 1  | ${handle:a}   |
    Then this gateway's answer has exactly:
      | Successful.1.Id | 1 |
    When 15 seconds pass
    And I receive a message from "q"
    Then this gateway returns nothing

  @id:change-message-visibility.17 @QS-30
  Scenario: a stale entry fails alone, in the spelling of the protocol
    Given a queue "q" with attributes:
      | VisibilityTimeout | 1 |
    And "a" was sent to "q"
    When I receive a message from "q"
    And 2 seconds pass
    And I change the visibility of a batch in "q":
      | Id    | ReceiptHandle | VisibilityTimeout |
      | stale | ${handle:a}   | 10                |
    Then this gateway's answer has:
      | Failed.1.Id          | stale                                               |
      | Failed.1.SenderFault | true                                                |
      | Failed.1.Code        | /^(AWS[.]SimpleQueueService[.])?MessageNotInflight$/ |

  @id:change-message-visibility.18 @QS-30 @query
  Scenario: a stale entry in the Query spelling
    Given a queue "q" with attributes:
      | VisibilityTimeout | 1 |
    And "a" was sent to "q"
    When I receive a message from "q"
    And 2 seconds pass
    And I change the visibility of a batch in "q":
      | Id    | ReceiptHandle | VisibilityTimeout |
      | stale | ${handle:a}   | 10                |
    Then this gateway's answer has:
      | Failed.1.Code | AWS.SimpleQueueService.MessageNotInflight |

  @id:change-message-visibility.19
  Scenario: eleven entries are too many
    Given a queue "q"
    When I change the visibility of a batch in "q":
      | Id | ReceiptHandle | VisibilityTimeout |
      | 1  | x             | 1                 |
      | 2  | x             | 1                 |
      | 3  | x             | 1                 |
      | 4  | x             | 1                 |
      | 5  | x             | 1                 |
      | 6  | x             | 1                 |
      | 7  | x             | 1                 |
      | 8  | x             | 1                 |
      | 9  | x             | 1                 |
      | 10 | x             | 1                 |
      | 11 | x             | 1                 |
    Then the call fails with TooManyEntriesInBatchRequest and message "Maximum number of entries per request are 10. You have sent 11."

  @id:change-message-visibility.20
  Scenario: no entries
    Given a queue "q"
    When the client calls ChangeMessageVisibilityBatch with the parameters:
      """
      {"QueueUrl": "${url:q}", "Entries": []}
      """
    Then the call fails with EmptyBatchRequest

  @id:change-message-visibility.21
  Scenario: two entries of one id
    Given a queue "q"
    When I change the visibility of a batch in "q":
      | Id   | ReceiptHandle | VisibilityTimeout |
      | same | x             | 1                 |
      | same | y             | 1                 |
    Then the call fails with BatchEntryIdsNotDistinct and message "Id same repeated."

  @id:change-message-visibility.22 @query
  Scenario: the answer has no result element
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I change the visibility of "a" in "q" to 60 seconds
    Then the XML root is "ChangeMessageVisibilityResponse" in the namespace "http://queue.amazonaws.com/doc/2012-11-05/"
    And the answer on the wire does not contain 'ChangeMessageVisibilityResult'
