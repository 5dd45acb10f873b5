Feature: ReceiveMessage

  @id:receive-message.01
  Scenario: an empty queue answers no messages
    Given a queue "q"
    When I receive a message from "q"
    Then the answer has nothing in it

  @id:receive-message.02 @json
  Scenario: an empty answer over JSON
    Given a queue "q"
    When I receive a message from "q"
    Then the status is 200
    And the answer on the wire contains '{}'

  @id:receive-message.03 @query
  Scenario: an empty answer over Query
    Given a queue "q"
    When I receive a message from "q"
    Then the XML root is "ReceiveMessageResponse" in the namespace "http://queue.amazonaws.com/doc/2012-11-05/"
    And the answer on the wire contains '<ReceiveMessageResult'
    And the answer on the wire does not contain '<Message>'

  @id:receive-message.04
  Scenario: one message at a time unless more are asked for
    Given a queue "q"
    And "a" and "b" were sent to "q"
    When I receive a message from "q"
    Then the receive returns 1 message

  @id:receive-message.05
  Scenario: ten at the most
    Given a queue "q" with attributes:
      | VisibilityTimeout | 60 |
    And 12 messages were sent to "q"
    When I receive and delete everything in "q"
    Then the receive returns 12 messages

  @id:receive-message.06 @QS-01
  Scenario: messages in flight do not block the others
    Given a queue "q"
    And 10 messages were sent to "q"
    When I receive everything in "q" and keep it
    Then Amazon returns 10 messages

  @id:receive-message.07 @QS-01 @gateway
  Scenario: a queue of one lane has one message in flight
    Given a queue "q" with attributes:
      | queen.partitions  | 1  |
      | VisibilityTimeout | 30 |
    And "a", "b" and "c" were sent to "q"
    When I receive up to 10 messages from "q"
    Then this gateway returns "a"
    When I receive up to 10 messages from "q"
    Then this gateway returns nothing
    And "q" has 2 messages, 1 in flight and 0 delayed
    When I delete "a" from "q"
    And I receive up to 10 messages from "q"
    Then this gateway returns "b"
    When 31 seconds pass
    And I receive and delete everything in "q"
    Then the receive returns "b", "c"

  @id:receive-message.08
  Scenario Outline: MaxNumberOfMessages=<value> is out of range
    Given a queue "q"
    When the client calls ReceiveMessage with:
      | QueueUrl            | ${url:q} |
      | MaxNumberOfMessages | <value>  |
    Then the call fails with InvalidParameterValue and message "Value <value> for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided."

    @QS-15
    Examples:
      | value |
      | 11    |
      | 0     |
      | -1    |

  @id:receive-message.09
  Scenario Outline: WaitTimeSeconds=<value> is out of range
    Given a queue "q"
    When the client calls ReceiveMessage with:
      | QueueUrl        | ${url:q} |
      | WaitTimeSeconds | <value>  |
    Then the call fails with InvalidParameterValue and message "Value <value> for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided."

    Examples:
      | value |
      | 21    |
      | -1    |

  @id:receive-message.10
  Scenario Outline: VisibilityTimeout=<value> is out of range
    Given a queue "q"
    And "a" was sent to "q"
    When the client calls ReceiveMessage with:
      | QueueUrl          | ${url:q} |
      | VisibilityTimeout | <value>  |
    Then the call fails with InvalidParameterValue and a message containing "VisibilityTimeout"
    When I receive a message from "q"
    Then the receive returns "a"

    Examples:
      | value |
      | 43201 |
      | -1    |

  @id:receive-message.11
  Scenario Outline: <parameter> has to be a number
    Given a queue "q"
    When the client calls ReceiveMessage with:
      | QueueUrl    | ${url:q} |
      | <parameter> | soon     |
    Then the call is refused with the status 400

    Examples:
      | parameter           |
      | MaxNumberOfMessages |
      | WaitTimeSeconds     |
      | VisibilityTimeout   |

  @id:receive-message.12
  Scenario: a received message is hidden for the queue's visibility timeout
    Given a queue "q" with attributes:
      | VisibilityTimeout | 10 |
    And "a" was sent to "q"
    When I receive a message from "q" asking for the system attribute ApproximateReceiveCount
    Then the message "a" has exactly:
      | MessageId                          | ${id:a}  |
      | ReceiptHandle                      | <text>   |
      | MD5OfBody                          | ${md5:a} |
      | Body                               | a        |
      | Attributes.ApproximateReceiveCount | 1        |
    When 9 seconds pass
    And I receive a message from "q"
    Then the receive returns nothing
    When 2 seconds pass
    And I receive a message from "q" asking for the system attribute ApproximateReceiveCount
    Then the message "a" has:
      | MessageId                          | ${id:a} |
      | Attributes.ApproximateReceiveCount | 2       |
    And the answer's Messages.1.ReceiptHandle is not "${handle:a#1}"

  @id:receive-message.13
  Scenario: the receive's own visibility timeout wins
    Given a queue "q" with attributes:
      | VisibilityTimeout | 10 |
    And "a" was sent to "q"
    When I receive a message from "q" with a visibility timeout of 100 seconds
    Then the receive returns "a"
    When 99 seconds pass
    And I receive a message from "q"
    Then the receive returns nothing
    When 2 seconds pass
    And I receive a message from "q"
    Then the receive returns "a"

  @id:receive-message.14 @QS-03
  Scenario: a visibility timeout of zero on a receive
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q" with a visibility timeout of 0 seconds
    Then the receive returns "a"
    When I receive a message from "q"
    Then this gateway returns nothing
    But Amazon returns "a"

  @id:receive-message.15 @QS-03 @gateway
  Scenario: zero means the queue's own timeout
    Given a queue "q" with attributes:
      | VisibilityTimeout | 10 |
    And "a" was sent to "q"
    When I receive a message from "q" with a visibility timeout of 0 seconds
    And 11 seconds pass
    And I receive a message from "q"
    Then this gateway returns "a"

  @id:receive-message.16 @QS-03 @amazon
  Scenario: a zero on one receive says nothing about the next
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q" with a visibility timeout of 0 seconds
    Then Amazon returns "a"
    When I receive a message from "q"
    Then Amazon returns "a"
    When I receive a message from "q"
    Then Amazon returns nothing

  @id:receive-message.17
  Scenario: no names, no attributes
    Given a queue "q"
    When I send to "q":
      | MessageBody                     | a      |
      | MessageAttributes.k.DataType    | String |
      | MessageAttributes.k.StringValue | x      |
    And I receive a message from "q"
    Then the message "a" has exactly:
      | MessageId     | ${id:a}  |
      | ReceiptHandle | <text>   |
      | MD5OfBody     | ${md5:a} |
      | Body          | a        |

  @id:receive-message.18 @QS-08
  Scenario: the system attributes of a standard message
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q" asking for the system attribute All
    Then the message "a" has:
      | Attributes.ApproximateReceiveCount | 1              |
      | Attributes.SentTimestamp           | <milliseconds> |
      | Attributes.SequenceNumber          | <absent>       |
      | Attributes.MessageGroupId          | <absent>       |
      | Attributes.AWSTraceHeader          | <absent>       |
      | MessageAttributes                  | <absent>       |
    And this gateway's message "a" has:
      | Attributes.SenderId                         | <absent> |
      | Attributes.ApproximateFirstReceiveTimestamp | <absent> |
    But Amazon's message "a" has:
      | Attributes.SenderId                         | <text>         |
      | Attributes.ApproximateFirstReceiveTimestamp | <milliseconds> |

  @id:receive-message.19
  Scenario: named system attributes and no others
    Given a queue "q"
    When I send to "q":
      | MessageBody                                        | a         |
      | MessageSystemAttributes.AWSTraceHeader.DataType    | String    |
      | MessageSystemAttributes.AWSTraceHeader.StringValue | Root=1-23 |
    And I receive a message from "q" asking for the system attributes SentTimestamp, AWSTraceHeader
    Then the message "a" has exactly:
      | MessageId                 | ${id:a}        |
      | ReceiptHandle             | <text>         |
      | MD5OfBody                 | ${md5:a}       |
      | Body                      | a              |
      | Attributes.SentTimestamp  | <milliseconds> |
      | Attributes.AWSTraceHeader | Root=1-23      |

  @id:receive-message.20
  Scenario: names that the message does not have are left out
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q" asking for the system attributes SentTimestamp, SequenceNumber
    Then the message "a" has exactly:
      | MessageId                | ${id:a}        |
      | ReceiptHandle            | <text>         |
      | MD5OfBody                | ${md5:a}       |
      | Body                     | a              |
      | Attributes.SentTimestamp | <milliseconds> |

  @id:receive-message.21
  Scenario: MessageSystemAttributeNames is the newer name of AttributeNames
    Given a queue "q"
    And "a" was sent to "q"
    When the client calls ReceiveMessage with:
      | QueueUrl                    | ${url:q}      |
      | MessageSystemAttributeNames | SentTimestamp |
    Then the answer has exactly:
      | Messages.1.MessageId                | ${id:a}        |
      | Messages.1.ReceiptHandle            | <text>         |
      | Messages.1.MD5OfBody                | ${md5:a}       |
      | Messages.1.Body                     | a              |
      | Messages.1.Attributes.SentTimestamp | <milliseconds> |

  @id:receive-message.22
  Scenario: both names together
    Given a queue "q"
    And "a" was sent to "q"
    When the client calls ReceiveMessage with:
      | QueueUrl                    | ${url:q}                |
      | AttributeNames              | ApproximateReceiveCount |
      | MessageSystemAttributeNames | All                     |
    Then the answer has:
      | Messages.1.Attributes.SentTimestamp           | <milliseconds> |
      | Messages.1.Attributes.ApproximateReceiveCount | 1              |

  @id:receive-message.23
  Scenario: a message that outlives its retention is gone
    Given a queue "q" with attributes:
      | MessageRetentionPeriod | 60 |
    And "a" and "b" were sent to "q"
    When 70 seconds pass
    And I receive up to 10 messages from "q"
    Then the receive returns nothing

  @id:receive-message.24
  Scenario: a message in flight expires too, and its handle deletes without complaint
    Given a queue "q" with attributes:
      | MessageRetentionPeriod | 60 |
      | VisibilityTimeout      | 60 |
    And "a" and "b" were sent to "q"
    When 5 seconds pass
    And I receive up to 10 messages from "q"
    And 61 seconds pass
    And I receive up to 10 messages from "q"
    Then the receive returns nothing
    When 10 seconds pass
    And I receive up to 10 messages from "q"
    Then the receive returns nothing
    When I delete "a" from "q"
    Then the call succeeds

  @id:receive-message.25
  Scenario: a missing queue
    When I receive a message from "missing"
    Then the call fails with QueueDoesNotExist and its standard message

  @id:receive-message.26 @query
  Scenario: a message as XML
    Given a queue "q"
    When I send to "q":
      | MessageBody                     | a      |
      | MessageAttributes.k.DataType    | String |
      | MessageAttributes.k.StringValue | x      |
    And I receive a message from "q" asking for all attributes
    Then the answer on the wire contains '<Message>' 1 time
    And the answer on the wire contains '<Body>a</Body>'
    And the answer on the wire contains '<Name>SentTimestamp</Name>'
    And the answer on the wire contains '<MessageAttribute>' 1 time
    And the answer on the wire contains '<Name>k</Name>'
    And the answer on the wire contains '<DataType>String</DataType>'
    And the answer on the wire contains '<StringValue>x</StringValue>'
    And the answer on the wire does not contain '<Messages>'
    And the answer on the wire does not contain '<entry>'

  @id:receive-message.27 @query
  Scenario: an attribute name without a number selects too
    Given a queue "q"
    And "a" was sent to "q"
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=ReceiveMessage
      QueueUrl=${url:q}
      AttributeName=All
      """
    Then the answer has:
      | Messages.1.Body                               | a              |
      | Messages.1.Attributes.ApproximateReceiveCount | 1              |
      | Messages.1.Attributes.SentTimestamp           | <milliseconds> |
