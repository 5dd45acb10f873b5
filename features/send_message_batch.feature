Feature: SendMessageBatch

  @id:send-message-batch.01
  Scenario: ten entries are sent in one request
    Given a queue "q"
    When I send a batch to "q":
      | Id   | MessageBody | MessageAttributes.k.DataType | MessageAttributes.k.StringValue |
      | a-1  | one         | String                       | x                               |
      | b_2  | two         |                              |                                 |
      | 3    | three       |                              |                                 |
      | 4    | four        |                              |                                 |
      | 5    | five        |                              |                                 |
      | 6    | six         |                              |                                 |
      | 7    | seven       |                              |                                 |
      | 8    | eight       |                              |                                 |
      | 9    | nine        |                              |                                 |
      | 10   | ten         |                              |                                 |
    Then the answer has:
      | Failed                              | <absent>                         |
      | Successful.1.Id                     | a-1                              |
      | Successful.1.MessageId              | <uuid>                           |
      | Successful.1.MD5OfMessageBody       | ${md5:one}                       |
      | Successful.1.MD5OfMessageAttributes | a45daa70926828a2f0a1db3418e6feb4 |
      | Successful.2.Id                     | b_2                              |
      | Successful.2.MD5OfMessageBody       | ${md5:two}                       |
      | Successful.2.MD5OfMessageAttributes | <absent>                         |
      | Successful.2.SequenceNumber         | <absent>                         |
      | Successful.10.Id                    | 10                               |
      | Successful.10.MD5OfMessageBody      | ${md5:ten}                       |
      | Successful.11.Id                    | <absent>                         |
    When I receive and delete everything in "q"
    Then the receive returns "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"
    And the message "ten" has:
      | MessageId | ${id:ten} |
    And "q" has 0 messages, 0 in flight and 0 delayed

  @id:send-message-batch.02
  Scenario: eleven entries are too many
    Given a queue "q"
    When I send a batch to "q":
      | Id | MessageBody |
      | 1  | a           |
      | 2  | a           |
      | 3  | a           |
      | 4  | a           |
      | 5  | a           |
      | 6  | a           |
      | 7  | a           |
      | 8  | a           |
      | 9  | a           |
      | 10 | a           |
      | 11 | a           |
    Then the call fails with TooManyEntriesInBatchRequest and message "Maximum number of entries per request are 10. You have sent 11."
    When I receive a message from "q"
    Then the receive returns nothing

  @id:send-message-batch.03
  Scenario: no entries
    Given a queue "q"
    When the client calls SendMessageBatch with the parameters:
      """
      {"QueueUrl": "${url:q}", "Entries": []}
      """
    Then the call fails with EmptyBatchRequest

  @id:send-message-batch.04
  Scenario: two entries of one id
    Given a queue "q"
    When I send a batch to "q":
      | Id   | MessageBody |
      | same | a           |
      | same | b           |
    Then the call fails with BatchEntryIdsNotDistinct and message "Id same repeated."
    When I receive a message from "q"
    Then the receive returns nothing

  @id:send-message-batch.05
  Scenario Outline: the entry id "<shown>" is refused
    Given a queue "q"
    When I send a batch to "q":
      | Id   | MessageBody |
      | good | a           |
      | <id> | b           |
    Then the call fails with InvalidBatchEntryId and its standard message
    When I receive a message from "q"
    Then the receive returns nothing

    Examples:
      | shown         | id          |
      | a colon       | message:1   |
      | 81 characters | ${x*81}     |
      | a space       | a b         |
      | a dot         | a.b         |
      | an accent     | é           |

  @id:send-message-batch.06
  Scenario: an entry id of 80 characters
    Given a queue "q"
    When I send a batch to "q":
      | Id      | MessageBody |
      | ${x*80} | a           |
    Then the answer has:
      | Successful.1.Id | ${x*80} |

  @id:send-message-batch.07
  Scenario: a body with an illegal character fails alone
    Given a queue "q"
    When I send a batch to "q":
      | Id   | MessageBody      |
      | good | a                |
      | bad  | a${U+0001}b      |
      | last | c                |
    Then the answer has:
      | Successful.1.Id      | good                   |
      | Successful.2.Id      | last                   |
      | Failed.1.Id          | bad                    |
      | Failed.1.SenderFault | true                   |
      | Failed.1.Code        | InvalidMessageContents |
      | Failed.2.Id          | <absent>               |
    When I receive and delete everything in "q"
    Then the receive returns "a", "c"

  @id:send-message-batch.08
  Scenario: an entry without a body fails alone
    Given a queue "q"
    When I send a batch to "q":
      | Id   | MessageBody |
      | good | a           |
      | bad  |             |
    Then this gateway's answer has:
      | Successful.1.Id      | good                                                |
      | Failed.1.Id          | bad                                                 |
      | Failed.1.SenderFault | true                                                |
      | Failed.1.Message     | The request must contain the parameter MessageBody. |

  @id:send-message-batch.09
  Scenario: an entry over the queue's limit fails alone
    Given a queue "q" with attributes:
      | MaximumMessageSize | 1024 |
    When I send a batch to "q":
      | Id | MessageBody |
      | A  | ${a*1024}   |
      | B  | ${a*1025}   |
    Then the answer has:
      | Successful.1.Id               | A                                                                                           |
      | Successful.1.MD5OfMessageBody | c9a34cfc85d982698c6ac89f76071abd                                                            |
      | Successful.2.Id               | <absent>                                                                                    |
      | Failed.1.Id                   | B                                                                                           |
      | Failed.1.SenderFault          | true                                                                                        |
      | Failed.1.Code                 | InvalidParameterValue                                                                       |
      | Failed.1.Message              | One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes. |

  @id:send-message-batch.10
  Scenario: a batch is not limited by the queue but by the service
    Given a queue "q" with attributes:
      | MaximumMessageSize | 2048 |
    When I send a batch to "q":
      | Id | MessageBody | MessageAttributes.k.DataType | MessageAttributes.k.StringValue |
      | 1  | ${a*2040}   | String                       | x                               |
      | 2  | a           |                              |                                 |
    Then the answer has:
      | Successful.1.MD5OfMessageBody       | f44facf5a7ee0af446ecf3e0f854441e |
      | Successful.1.MD5OfMessageAttributes | a45daa70926828a2f0a1db3418e6feb4 |
      | Successful.2.Id                     | 2                                |
      | Failed                              | <absent>                         |

  @id:send-message-batch.11
  Scenario: a batch over the service's limit is refused whole
    Given a queue "q" with attributes:
      | MaximumMessageSize | 1048576 |
    When I send a batch to "q":
      | Id | MessageBody |
      | 1  | ${a*524288} |
      | 2  | ${a*524288} |
    Then the call succeeds
    When I receive and delete everything in "q"
    Then the receive returns "${a*524288}", "${a*524288}"
    When I send a batch to "q":
      | Id | MessageBody |
      | 1  | ${a*524288} |
      | 2  | ${a*524289} |
    Then the call fails with BatchRequestTooLong and message "Batch requests cannot be longer than 1048576 bytes. You have sent 1048577 bytes."
    When I receive a message from "q"
    Then the receive returns nothing

  @id:send-message-batch.12
  Scenario: every entry has its own delay
    Given a queue "q"
    When I send a batch to "q":
      | Id | MessageBody | DelaySeconds |
      | 1  | now         |              |
      | 2  | later       | 30           |
    Then the answer has:
      | Successful.2.MessageId | <uuid> |
    And "q" has 1 message, 0 in flight and 1 delayed
    When I receive up to 10 messages from "q"
    Then the receive returns "now"
    When 31 seconds pass
    And I receive and delete everything in "q"
    Then the receive returns "later", "now"

  @id:send-message-batch.13
  Scenario: an entry with a bad delay fails alone
    Given a queue "q"
    When I send a batch to "q":
      | Id | MessageBody | DelaySeconds |
      | 1  | a           |              |
      | 2  | b           | 901          |
    Then the answer has:
      | Successful.1.Id      | 1                     |
      | Failed.1.Id          | 2                     |
      | Failed.1.SenderFault | true                  |
      | Failed.1.Code        | InvalidParameterValue |

  @id:send-message-batch.14
  Scenario: a missing queue
    Given a queue "q"
    When the client calls SendMessageBatch with:
      | QueueUrl              | ${url:missing} |
      | Entries.1.Id          | 1              |
      | Entries.1.MessageBody | a              |
    Then the call fails with QueueDoesNotExist and its standard message

  @id:send-message-batch.15 @query
  Scenario: result elements are named after the action
    Given a queue "q"
    When I send a batch to "q":
      | Id | MessageBody |
      | 1  | a           |
      | 2  | b           |
    Then the XML root is "SendMessageBatchResponse" in the namespace "http://queue.amazonaws.com/doc/2012-11-05/"
    And the answer on the wire contains '<SendMessageBatchResultEntry>' 2 times
    And the answer on the wire does not contain 'Successful'
    And the answer on the wire does not contain 'Failed'
    And the answer on the wire does not contain 'BatchResultErrorEntry'

  @id:send-message-batch.16 @query
  Scenario: sparse and unordered entry numbers keep what belongs together
    Given a queue "q"
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=SendMessageBatch
      QueueUrl=${url:q}
      SendMessageBatchRequestEntry.7.MessageBody=seven
      SendMessageBatchRequestEntry.2.Id=two
      SendMessageBatchRequestEntry.7.Id=seven
      SendMessageBatchRequestEntry.2.MessageBody=two
      """
    Then the answer has:
      | Successful.1.Id               | two          |
      | Successful.1.MD5OfMessageBody | ${md5:two}   |
      | Successful.2.Id               | seven        |
      | Successful.2.MD5OfMessageBody | ${md5:seven} |

  @id:send-message-batch.17 @query
  Scenario: entries may be written as members of a list
    Given a queue "q"
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=SendMessageBatch
      QueueUrl=${url:q}
      SendMessageBatchRequestEntry.member.1.Id=one
      SendMessageBatchRequestEntry.member.1.MessageBody=a
      """
    Then the answer has:
      | Successful.1.Id               | one      |
      | Successful.1.MD5OfMessageBody | ${md5:a} |

  @id:send-message-batch.18 @json
  Scenario: members of an answer over JSON
    Given a queue "q"
    When I send a batch to "q":
      | Id | MessageBody |
      | 1  | a           |
    Then the JSON on the wire has exactly the members Successful
