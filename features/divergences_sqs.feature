Feature: Divergences of SQS that other features do not show on both sides

  @id:divergences-sqs.01 @QS-40
  Scenario: a message of a FIFO batch that was deleted out of order
    Given a FIFO queue "q.fifo"
    And "a1" and "a2" were sent to the groups of "q.fifo"
    When I receive up to 2 messages from "q.fifo"
    And I delete "a2" from "q.fifo"
    Then this gateway counts 0 messages, 2 in flight and 0 delayed in "q.fifo"
    But Amazon counts 0 messages, 1 in flight and 0 delayed in "q.fifo"

  @id:divergences-sqs.02 @QS-09 @offsets
  Scenario: three messages of three groups each
    Given a FIFO queue "q.fifo"
    When I send a batch to "q.fifo":
      | Id | MessageBody | MessageGroupId | MessageDeduplicationId |
      | 1  | a1          | a              | 1                      |
      | 2  | b1          | b              | 2                      |
      | 3  | a2          | a              | 3                      |
      | 4  | c1          | c              | 4                      |
      | 5  | b2          | b              | 5                      |
      | 6  | a3          | a              | 6                      |
      | 7  | c2          | c              | 7                      |
      | 8  | b3          | b              | 8                      |
      | 9  | c3          | c              | 9                      |
    Then this gateway's answer has:
      | Successful.1.SequenceNumber | 0 |
      | Successful.2.SequenceNumber | 0 |
      | Successful.3.SequenceNumber | 1 |
      | Successful.4.SequenceNumber | 0 |
      | Successful.5.SequenceNumber | 1 |
      | Successful.6.SequenceNumber | 2 |
      | Successful.7.SequenceNumber | 1 |
      | Successful.8.SequenceNumber | 2 |
      | Successful.9.SequenceNumber | 2 |
    But Amazon's answer has:
      | Successful.1.SequenceNumber | /^[0-9]{20}$/ |
      | Successful.2.SequenceNumber | /^[0-9]{20}$/ |
      | Successful.9.SequenceNumber | /^[0-9]{20}$/ |

  @id:divergences-sqs.03 @QS-46
  Scenario: the URL of a queue of another account
    Given a queue "q"
    When the client calls GetQueueUrl with:
      | QueueName              | ${name:q}    |
      | QueueOwnerAWSAccountId | 111122223333 |
    Then this gateway succeeds
    And this gateway's answer has:
      | QueueUrl | ${url:q} |
