@sns
Feature: PublishBatch

  @id:sns-publish-batch.01
  Scenario: entries are published each for itself
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When I publish a batch to "t":
      | Id                | Message                     | MessageStructure | Subject |
      | b                 | one                         |                  |         |
      | a                 | two                         |                  | s       |
      | valid-message_123 | {"default":"d","sqs":"three"} | json           |         |
    Then the answer has:
      | Successful.1.Id        | b                 |
      | Successful.1.MessageId | <uuid>            |
      | Successful.2.Id        | a                 |
      | Successful.2.MessageId | <uuid>            |
      | Successful.3.Id        | valid-message_123 |
      | Successful.3.MessageId | <uuid>            |
      | Successful.4.Id        | <absent>          |
      | Failed.1.Id            | <absent>          |
    When I receive and delete everything in "q"
    Then the notifications are "one", "two", "three"
    And the notification "two" has:
      | MessageId | ${published:two} |
      | Subject   | s                |

  @id:sns-publish-batch.02
  Scenario: eleven entries are too many
    Given a FIFO topic "t.fifo"
    When I publish a batch to "t.fifo":
      | Id | Message |
      | 1  | m       |
      | 2  | m       |
      | 3  | m       |
      | 4  | m       |
      | 5  | m       |
      | 6  | m       |
      | 7  | m       |
      | 8  | m       |
      | 9  | m       |
      | 10 | m       |
      | 11 | m       |
    Then the call fails with SNSTooManyEntriesInBatchRequest and its standard message

  @id:sns-publish-batch.03
  Scenario: two entries of one id
    Given a FIFO topic "t.fifo"
    When I publish a batch to "t.fifo":
      | Id   | Message |
      | same | m       |
      | same | n       |
    Then the call fails with SNSBatchEntryIdsNotDistinct and its standard message

  @id:sns-publish-batch.04
  Scenario: no entries
    Given a topic "t"
    When the client calls PublishBatch with the parameters:
      """
      {"TopicArn": "${topic:t}", "Entries": []}
      """
    Then the call fails with SNSEmptyBatchRequest

  @id:sns-publish-batch.05
  Scenario Outline: the entry id "<shown>" is refused
    Given a topic "t"
    When I publish a batch to "t":
      | Id   | Message |
      | <id> | m       |
    Then the call fails with SNSInvalidBatchEntryId and message "The Id of a batch entry in the batch request <message>"

    Examples:
      | shown         | id           | message                                            |
      | a dot         | message.id   | contains an impermissible character: message.id    |
      | more          | msg@123#test | contains an impermissible character: msg@123#test  |
      | 81 characters | ${x*81}      | is too long: ${x*81}                               |

  @id:sns-publish-batch.06
  Scenario: an entry id of 80 characters
    Given a topic "t"
    When I publish a batch to "t":
      | Id      | Message |
      | ${x*80} | m       |
    Then the answer has:
      | Successful.1.Id | ${x*80} |

  @id:sns-publish-batch.07
  Scenario: a batch that is too long together
    Given a topic "t"
    When I publish a batch to "t":
      | Id | Message     |
      | 1  | ${m*131072} |
      | 2  | ${m*131073} |
    Then the call fails with SNSBatchRequestTooLong and its standard message
    When I publish a batch to "t":
      | Id | Message     |
      | 1  | ${m*131072} |
      | 2  | ${m*131072} |
    Then the call succeeds

  @id:sns-publish-batch.08 @SN-26
  Scenario Outline: one bad entry fails all: <shown>
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When I publish a batch to "t":
      | Id | Message | <member> |
      | 1  | bad     | <value>  |
      | 2  | good    |          |
    Then the call fails with <code>
    When I receive and delete everything in "q"
    Then the receive returns nothing

    Examples:
      | shown                    | member                              | value | code                  |
      | an attribute's type      | MessageAttributes.attr1.StringValue | x     | ValidationError       |
      | a structure              | MessageStructure                    | json  | InvalidParameter      |
      | a deduplication id       | MessageDeduplicationId              | d     | InvalidParameter      |

  @id:sns-publish-batch.09
  Scenario: the place of an attribute without a type
    Given a topic "t"
    When I publish a batch to "t":
      | Id | Message | MessageAttributes.attr1.StringValue |
      | 1  | m       | x                                   |
      | 2  | m       |                                     |
    Then the call fails with ValidationError and message "1 validation error detected: Value null at 'publishBatchRequestEntries.1.member.messageAttributes.attr1.member.dataType' failed to satisfy constraint: Member must not be null"

  @id:sns-publish-batch.10
  Scenario: what a FIFO topic wants, in this order
    Given a FIFO topic "t.fifo"
    When I publish a batch to "t.fifo":
      | Id | Message     | MessageStructure |
      | 1  | {"sqs":"s"} | json             |
    Then the call fails with InvalidParameter and message "Invalid parameter: Message Structure - No default entry in JSON message body"
    When I publish a batch to "t.fifo":
      | Id | Message | MessageGroupId |
      | 1  | m       | g              |
      | 2  | n       |                |
    Then the call fails with InvalidParameter and message "Invalid parameter: The MessageGroupId parameter is required for FIFO topics"
    When I publish a batch to "t.fifo":
      | Id | Message | MessageGroupId |
      | 1  | m       | g              |
    Then the call fails with InvalidParameter and message "Invalid parameter: The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"

  @id:sns-publish-batch.11
  Scenario: a topic that does not exist
    When I publish a batch to "absent":
      | Id | Message |
      | 1  | m       |
    Then the call fails with NotFound and message "Topic does not exist"

  @id:sns-publish-batch.12 @query
  Scenario: shapes on the wire
    Given a topic "t"
    When I publish a batch to "t":
      | Id | Message |
      | 1  | m       |
      | 2  | n       |
    Then the XML root is "PublishBatchResponse" in the namespace "http://sns.amazonaws.com/doc/2010-03-31/"
    And the answer on the wire contains '<member>' 2 times
    And the answer on the wire contains '<Failed/>' 1 time

  @id:sns-publish-batch.13 @json @gateway
  Scenario: both lists are there over JSON
    Given a topic "t"
    When I publish a batch to "t":
      | Id | Message |
      | 1  | m       |
    Then the JSON on the wire has exactly the members Successful, Failed
