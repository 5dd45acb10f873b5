Feature: sending to and receiving from FIFO queues

  @id:fifo-messages.01
  Scenario: the answer of a send
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody                     | a      |
      | MessageGroupId                  | g      |
      | MessageDeduplicationId          | d      |
      | MessageAttributes.k.DataType    | String |
      | MessageAttributes.k.StringValue | x      |
    Then the answer has exactly:
      | MessageId              | <uuid>                           |
      | MD5OfMessageBody       | ${md5:a}                         |
      | MD5OfMessageAttributes | a45daa70926828a2f0a1db3418e6feb4 |
      | SequenceNumber         | <integer>                        |

  @id:fifo-messages.02 @QS-10
  Scenario: what was sent comes back, sequence number included, on every receive
    Given a FIFO queue "q.fifo" with attributes:
      | VisibilityTimeout | 10 |
    When I send to "q.fifo":
      | MessageBody            | a   |
      | MessageGroupId         | g.1 |
      | MessageDeduplicationId | d!1 |
    And the answer's SequenceNumber is remembered as "sequence"
    And I receive a message from "q.fifo" asking for the system attribute All
    Then the message "a" has:
      | MessageId                          | ${id:a}        |
      | Attributes.MessageGroupId          | g.1            |
      | Attributes.MessageDeduplicationId  | d!1            |
      | Attributes.SequenceNumber          | ${sequence}    |
      | Attributes.ApproximateReceiveCount | 1              |
      | Attributes.SentTimestamp           | <milliseconds> |
    When 11 seconds pass
    And I receive a message from "q.fifo" asking for the system attribute All
    Then the message "a" has:
      | MessageId                          | ${id:a}     |
      | Attributes.MessageGroupId          | g.1         |
      | Attributes.MessageDeduplicationId  | d!1         |
      | Attributes.SequenceNumber          | ${sequence} |
      | Attributes.ApproximateReceiveCount | 2           |

  @id:fifo-messages.03 @QS-08
  Scenario: the sender and the first receive
    Given a FIFO queue "q.fifo"
    And "a1" was sent to the groups of "q.fifo"
    When I receive a message from "q.fifo" asking for the system attribute All
    Then this gateway's message "a1" has:
      | Attributes.SenderId                         | <absent> |
      | Attributes.ApproximateFirstReceiveTimestamp | <absent> |
    But Amazon's message "a1" has:
      | Attributes.SenderId                         | <text>         |
      | Attributes.ApproximateFirstReceiveTimestamp | <milliseconds> |

  @id:fifo-messages.04 @QS-09 @offsets
  Scenario: sequence numbers count in each group here, and in the whole queue at Amazon
    Given a FIFO queue "q.fifo"
    When I send "a1" to its group of "q.fifo"
    Then this gateway's answer's SequenceNumber is "0"
    But Amazon's answer's SequenceNumber is "/^[0-9]{20}$/"
    When the answer's SequenceNumber is remembered as "a1"
    And I send "a2" to its group of "q.fifo"
    Then the answer's SequenceNumber is not "${a1}"
    And this gateway's answer's SequenceNumber is "1"
    When I send "b1" to its group of "q.fifo"
    Then this gateway's answer's SequenceNumber is "${a1}"
    But Amazon's answer's SequenceNumber is not "${a1}"

  @id:fifo-messages.05
  Scenario: sequence numbers rise in a group
    Given a FIFO queue "q.fifo"
    When I send "a1" to its group of "q.fifo"
    And the answer's SequenceNumber is remembered as "first"
    And I send "a2" to its group of "q.fifo"
    And the answer's SequenceNumber is remembered as "second"
    And I send "a3" to its group of "q.fifo"
    And the answer's SequenceNumber is remembered as "third"
    Then "${first}" is less than "${second}"
    And "${second}" is less than "${third}"

  @id:fifo-messages.06
  Scenario: a group is required
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody            | a |
      | MessageDeduplicationId | d |
    Then the call fails with MissingParameter and message "The request must contain the parameter MessageGroupId."

  @id:fifo-messages.07
  Scenario: a deduplication id is required
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody    | a |
      | MessageGroupId | g |
    Then the call fails with InvalidParameterValue and message "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"

  @id:fifo-messages.08
  Scenario Outline: the <parameter> "<shown>" is refused
    Given a FIFO queue "q.fifo"
    When the client calls SendMessage with:
      | QueueUrl    | ${url:q.fifo} |
      | MessageBody | a             |
      | <other>     | fine          |
      | <parameter> | <value>       |
    Then the call fails with InvalidParameterValue and message:
      """
      Value <value> for parameter <parameter> is invalid. Reason: <parameter> can only include alphanumeric and punctuation characters. 1 to 128 in length.
      """
    When I receive a message from "q.fifo"
    Then the receive returns nothing

    Examples:
      | parameter              | other                  | shown          | value     |
      | MessageGroupId         | MessageDeduplicationId | empty          |           |
      | MessageGroupId         | MessageDeduplicationId | 129 characters | ${a*129}  |
      | MessageGroupId         | MessageDeduplicationId | with a space   | group 123 |
      | MessageDeduplicationId | MessageGroupId         | empty          |           |
      | MessageDeduplicationId | MessageGroupId         | 129 characters | ${a*129}  |
      | MessageDeduplicationId | MessageGroupId         | with a space   | group 123 |

  @id:fifo-messages.09 @json
  Scenario Outline: a control character in <parameter>
    Given a FIFO queue "q.fifo"
    When the client calls SendMessage with:
      | QueueUrl    | ${url:q.fifo} |
      | MessageBody | a             |
      | <other>     | fine          |
      | <parameter> | a${U+0008}    |
    Then the call fails with InvalidParameterValue

    Examples:
      | parameter              | other                  |
      | MessageGroupId         | MessageDeduplicationId |
      | MessageDeduplicationId | MessageGroupId         |

  @id:fifo-messages.10
  Scenario: ids of 128 characters are accepted
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody            | a        |
      | MessageGroupId         | ${g*128} |
      | MessageDeduplicationId | ${d*128} |
    Then the call succeeds
    When I receive a message from "q.fifo" asking for the system attribute All
    Then the message "a" has:
      | Attributes.MessageGroupId         | ${g*128} |
      | Attributes.MessageDeduplicationId | ${d*128} |

  @id:fifo-messages.11
  Scenario: every punctuation character is accepted in an id
    Given a FIFO queue "q.fifo"
    When the client calls SendMessage with the parameters:
      """
      {"QueueUrl": "${url:q.fifo}", "MessageBody": "a",
       "MessageGroupId": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "MessageDeduplicationId": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"}
      """
    Then the call succeeds
    When I receive a message from "q.fifo" asking for the system attribute All
    Then the message "a" has:
      | Attributes.MessageGroupId | !"#$%&'()*+,-./:;<=>?@[\\]^_`{\|}~ |

  @id:fifo-messages.12
  Scenario: a batch, one group after the other
    Given a FIFO queue "q.fifo"
    When I send a batch to "q.fifo":
      | Id | MessageBody | MessageGroupId | MessageDeduplicationId |
      | 1  | a1          | a              | 1                      |
      | 2  | b1          | b              | 2                      |
      | 3  | a2          | a              | 3                      |
    Then the answer has:
      | Successful.1.Id             | 1         |
      | Successful.1.MessageId      | <uuid>    |
      | Successful.1.SequenceNumber | <integer> |
      | Successful.2.Id             | 2         |
      | Successful.2.SequenceNumber | <integer> |
      | Successful.3.Id             | 3         |
      | Successful.3.SequenceNumber | <integer> |
      | Failed                      | <absent>  |
    When I receive everything in "q.fifo" and keep it
    Then the receive returns "a1", "a2", "b1" with each group in order

  @id:fifo-messages.13
  Scenario: an entry without a group fails the batch
    Given a FIFO queue "q.fifo"
    When I send a batch to "q.fifo":
      | Id | MessageBody | MessageGroupId | MessageDeduplicationId |
      | 1  | a           | g              | 1                      |
      | 2  | b           |                | 2                      |
    Then the call fails with InvalidParameterValue and message "The request must contain the parameter MessageGroupId."
    When I receive a message from "q.fifo"
    Then the receive returns nothing

  @id:fifo-messages.14
  Scenario: an entry without a deduplication id fails the batch
    Given a FIFO queue "q.fifo"
    When I send a batch to "q.fifo":
      | Id | MessageBody | MessageGroupId | MessageDeduplicationId |
      | 1  | a           | g              | 1                      |
      | 2  | b           | g              |                        |
    Then the call fails with InvalidParameterValue and message "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"
    When I receive a message from "q.fifo"
    Then the receive returns nothing

  @id:fifo-messages.15
  Scenario: an entry that cannot be stored fails alone
    Given a FIFO queue "q.fifo" with attributes:
      | MaximumMessageSize | 1024 |
    When I send a batch to "q.fifo":
      | Id   | MessageBody | MessageGroupId | MessageDeduplicationId |
      | good | a1          | a              | 1                      |
      | bad  | ${x*1025}   | a              | 2                      |
    Then the answer has:
      | Successful.1.Id      | good                                                                                             |
      | Failed.1.Id          | bad                                                                                              |
      | Failed.1.Code        | InvalidParameterValue                                                                            |
      | Failed.1.SenderFault | true                                                                                             |
      | Failed.1.Message     | One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes. |

  @id:fifo-messages.16
  Scenario: a delay of its own is refused
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody            | a |
      | MessageGroupId         | g |
      | MessageDeduplicationId | d |
      | DelaySeconds           | 2 |
    Then the call fails with InvalidParameterValue and message "Value 2 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type."

  @id:fifo-messages.17
  Scenario: a delay of its own is refused in a batch entry too
    Given a FIFO queue "q.fifo"
    When I send a batch to "q.fifo":
      | Id   | MessageBody | MessageGroupId | MessageDeduplicationId | DelaySeconds |
      | bad  | a1          | a              | 1                      | 2            |
      | good | a2          | a              | 2                      | 0            |
    Then this gateway's answer has:
      | Successful.1.Id  | good                                                                                                                                     |
      | Failed.1.Id      | bad                                                                                                                                      |
      | Failed.1.Code    | InvalidParameterValue                                                                                                                    |
      | Failed.1.Message | Value 2 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type. |

  @id:fifo-messages.18
  Scenario: a delay of zero is accepted
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody            | a |
      | MessageGroupId         | g |
      | MessageDeduplicationId | d |
      | DelaySeconds           | 0 |
    And I receive a message from "q.fifo"
    Then the receive returns "a"

  @id:fifo-messages.19
  Scenario: a delay of zero does not replace the queue's
    Given a FIFO queue "q.fifo" with attributes:
      | DelaySeconds | 10 |
    When I send to "q.fifo":
      | MessageBody            | a |
      | MessageGroupId         | g |
      | MessageDeduplicationId | d |
      | DelaySeconds           | 0 |
    And I receive a message from "q.fifo"
    Then the receive returns nothing
    When 11 seconds pass
    And I receive a message from "q.fifo"
    Then the receive returns "a"

  @id:fifo-messages.20
  Scenario: the queue's delay keeps the order
    Given a FIFO queue "q.fifo" with attributes:
      | DelaySeconds | 10 |
    And "a1", "a2" and "a3" were sent to the groups of "q.fifo"
    When I receive up to 3 messages from "q.fifo"
    Then the receive returns nothing
    When 11 seconds pass
    And I receive up to 3 messages from "q.fifo"
    Then the receive returns "a1", "a2", "a3" in this order

  @id:fifo-messages.21
  Scenario: messages come back with their attributes
    Given a FIFO queue "q.fifo"
    When I send to "q.fifo":
      | MessageBody                                        | a         |
      | MessageGroupId                                     | g         |
      | MessageDeduplicationId                             | d         |
      | MessageAttributes.k.DataType                       | Binary    |
      | MessageAttributes.k.BinaryValue                    | AAEC/w==  |
      | MessageSystemAttributes.AWSTraceHeader.DataType    | String    |
      | MessageSystemAttributes.AWSTraceHeader.StringValue | Root=1-23 |
    And I receive a message from "q.fifo" asking for all attributes
    Then the message "a" has:
      | MessageAttributes.k.BinaryValue | AAEC/w==  |
      | MessageAttributes.k.DataType    | Binary    |
      | Attributes.AWSTraceHeader       | Root=1-23 |
