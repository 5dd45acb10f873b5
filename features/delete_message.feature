Feature: DeleteMessage and DeleteMessageBatch

  @id:delete-message.01
  Scenario: a deleted message does not come back
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I delete "a" from "q"
    Then the answer has nothing in it
    And "q" has 0 messages, 0 in flight and 0 delayed
    When 31 seconds pass
    And I receive a message from "q"
    Then the receive returns nothing

  @id:delete-message.02
  Scenario: deleting again with the same handle succeeds
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I delete "a" from "q"
    And I delete "a" from "q"
    Then the call succeeds
    When I delete "a" from "q"
    Then the call succeeds

  @id:delete-message.03
  Scenario: a handle whose visibility ran out still deletes
    Given a queue "q" with attributes:
      | VisibilityTimeout | 1 |
    And "a" was sent to "q"
    When I receive a message from "q"
    And 2 seconds pass
    And I delete "a" from "q"
    Then the call succeeds
    When I receive a message from "q"
    Then the receive returns nothing

  @id:delete-message.04
  Scenario: the handle of an earlier delivery does not fail
    Given a queue "q" with attributes:
      | VisibilityTimeout | 5 |
    And "a" was sent to "q"
    When I receive a message from "q"
    And 6 seconds pass
    And I receive a message from "q"
    And I delete "a#1" from "q"
    Then the call succeeds
    When I delete "a" from "q"
    Then the call succeeds
    When 6 seconds pass
    And I receive a message from "q"
    Then the receive returns nothing

  @id:delete-message.05
  Scenario: a handle that was made up
    Given a queue "q"
    When the client calls DeleteMessage with:
      | QueueUrl      | ${url:q} |
      | ReceiptHandle | garbage  |
    Then the call fails with ReceiptHandleIsInvalid and message:
      """
      The input receipt handle "garbage" is not a valid receipt handle.
      """

  @id:delete-message.06
  Scenario: a handle that was changed
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And the client calls DeleteMessage with:
      | QueueUrl      | ${url:q}        |
      | ReceiptHandle | ${handle:a}AAAA |
    Then the call fails with ReceiptHandleIsInvalid
    When 31 seconds pass
    And I receive a message from "q"
    Then the receive returns "a"

  @id:delete-message.07
  Scenario: the handle of another queue
    Given a queue "q"
    And a queue "other"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I delete "a" from "other"
    Then the call fails with ReceiptHandleIsInvalid
    When 31 seconds pass
    And I receive a message from "q"
    Then the receive returns "a"

  @id:delete-message.08 @QS-43 @gateway
  Scenario: a handle is good for twelve hours
    Given a queue "q" with attributes:
      | VisibilityTimeout | 43200 |
    And "a" was sent to "q"
    When I receive a message from "q"
    And 12 hours pass
    And I delete "a" from "q"
    Then the call fails with ReceiptHandleIsInvalid

  @id:delete-message.09
  Scenario: a handle is required
    Given a queue "q"
    When the client calls DeleteMessage with:
      | QueueUrl | ${url:q} |
    Then the call fails with MissingParameter and message "The request must contain the parameter ReceiptHandle."

  @id:delete-message.10
  Scenario: a whole batch is deleted
    Given a queue "q" with attributes:
      | VisibilityTimeout | 60 |
    When I send a batch to "q":
      | Id | MessageBody |
      | 1  | a           |
      | 2  | b           |
    And I receive up to 10 messages from "q"
    And I delete the received messages from "q" in one batch
    Then the answer has:
      | Successful.1.Id | m0       |
      | Failed          | <absent> |
    When I receive and delete everything in "q"
    Then the call succeeds

  @id:delete-message.11
  Scenario: a bad handle fails alone
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I delete a batch from "q":
      | Id   | ReceiptHandle |
      | good | ${handle:a}   |
      | bad  | garbage       |
    Then the answer has exactly:
      | Successful.1.Id      | good                   |
      | Failed.1.Id          | bad                    |
      | Failed.1.SenderFault | true                   |
      | Failed.1.Code        | ReceiptHandleIsInvalid |
      | Failed.1.Message     | <text>                 |
    And "q" has 0 messages, 0 in flight and 0 delayed

  @id:delete-message.12
  Scenario: an entry deleted twice succeeds twice
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I delete a batch from "q":
      | Id | ReceiptHandle |
      | 1  | ${handle:a}   |
      | 2  | ${handle:a}   |
    Then the answer has exactly:
      | Successful.1.Id | 1 |
      | Successful.2.Id | 2 |

  @id:delete-message.13
  Scenario: eleven entries are too many
    Given a queue "q"
    When I delete a batch from "q":
      | Id | ReceiptHandle |
      | 1  | x             |
      | 2  | x             |
      | 3  | x             |
      | 4  | x             |
      | 5  | x             |
      | 6  | x             |
      | 7  | x             |
      | 8  | x             |
      | 9  | x             |
      | 10 | x             |
      | 11 | x             |
    Then the call fails with TooManyEntriesInBatchRequest and message "Maximum number of entries per request are 10. You have sent 11."

  @id:delete-message.14
  Scenario: no entries
    Given a queue "q"
    When the client calls DeleteMessageBatch with the parameters:
      """
      {"QueueUrl": "${url:q}", "Entries": []}
      """
    Then the call fails with EmptyBatchRequest

  @id:delete-message.15
  Scenario Outline: the entry id "<shown>" is refused before its handle is looked at
    Given a queue "q"
    When the client calls DeleteMessageBatch with:
      | QueueUrl                | ${url:q} |
      | Entries.1.Id            | <id>     |
      | Entries.1.ReceiptHandle | garbage  |
    Then the call fails with InvalidBatchEntryId and its standard message

    Examples:
      | shown          | id         |
      | nothing        |            |
      | 100 characters | ${x*100}   |
      | a colon        | invalid:id |

  @id:delete-message.16
  Scenario: two entries of one id
    Given a queue "q"
    When I delete a batch from "q":
      | Id   | ReceiptHandle |
      | same | x             |
      | same | y             |
    Then the call fails with BatchEntryIdsNotDistinct and message "Id same repeated."

  @id:delete-message.17 @query
  Scenario: the answer of a single delete has no result element
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I delete "a" from "q"
    Then the XML root is "DeleteMessageResponse" in the namespace "http://queue.amazonaws.com/doc/2012-11-05/"
    And the answer on the wire does not contain 'DeleteMessageResult'

  @id:delete-message.18 @query
  Scenario: a failed entry as XML
    Given a queue "q"
    When I delete a batch from "q":
      | Id  | ReceiptHandle |
      | bad | garbage       |
    Then the status is 200
    And the answer on the wire contains '<BatchResultErrorEntry>' 1 time
    And the answer on the wire contains '<Id>bad</Id>'
    And the answer on the wire contains '<SenderFault>true</SenderFault>'
    And the answer on the wire does not contain 'DeleteMessageBatchResultEntry>'
