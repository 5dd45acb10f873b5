Feature: SendMessage

  @id:send-message.01
  Scenario: a standard send answers the id and the digest of the body
    Given a queue "q"
    When I send "hello" to "q"
    Then the answer has exactly:
      | MessageId        | <uuid>       |
      | MD5OfMessageBody | ${md5:hello} |
    When I receive a message from "q"
    Then the receive returns "hello"
    And the message "hello" has exactly:
      | MessageId     | ${id:hello}  |
      | ReceiptHandle | <text>       |
      | MD5OfBody     | ${md5:hello} |
      | Body          | hello        |

  @id:send-message.02
  Scenario: message and system attributes have digests of their own
    Given a queue "q"
    When I send to "q":
      | MessageBody                                       | traced                                                                      |
      | MessageAttributes.timestamp.DataType              | Number                                                                      |
      | MessageAttributes.timestamp.StringValue           | 1493147359900                                                               |
      | MessageSystemAttributes.AWSTraceHeader.DataType    | String                                                                      |
      | MessageSystemAttributes.AWSTraceHeader.StringValue | Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1 |
    Then the answer has exactly:
      | MessageId                    | <uuid>                           |
      | MD5OfMessageBody             | ${md5:traced}                    |
      | MD5OfMessageAttributes       | 235c5c510d26fb653d073faed50ae77c |
      | MD5OfMessageSystemAttributes | 5ae4d5d7636402d80f4eb6d213245a88 |

  @id:send-message.03
  Scenario: a message goes to the queue it was sent to and no other
    Given a queue "one"
    And a queue "two"
    When I send "a" to "one"
    And I receive up to 10 messages from "two"
    Then the receive returns nothing
    When I receive up to 10 messages from "one"
    Then the receive returns "a"

  @id:send-message.04
  Scenario: every send is a message, however alike
    Given a queue "q"
    And "same" was sent to "q"
    And the answer's MessageId is remembered as "first"
    When I send "same" to "q"
    Then the answer's MessageId is not "${first}"
    When I receive and delete everything in "q"
    Then the receive returns "same", "same"

  @id:send-message.05
  Scenario Outline: <what> comes back byte for byte
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl    | ${url:q} |
      | MessageBody | <body>   |
    Then the call succeeds
    When I receive a message from "q"
    Then the answer has:
      | Messages.1.Body | <body>   |
      | Messages.2.Body | <absent> |

    Examples:
      | what                     | body                               |
      | XML                      | <a b='c'>&amp; ]]> &#13;</a>       |
      | a carriage return        | a${U+000D}b${U+000D}${U+000A}c     |
      | a tab and a line feed    | a${U+0009}b${U+000A}c              |
      | an accent                | héllo                              |
      | an emoji                 | a 🎉 b                             |
      | the last legal character | ${U+E000}${U+FFFD}${U+10000}${U+10FFFF} |
      | JSON                     | {"a": [1, null, "é"], "b": {}}     |
      | an envelope-like body    | {"b":"x","a":{}}                   |
      | form text                | a=b&c=d+e%20f                      |
      | a single space           | ${U+0020}                          |

  @id:send-message.06
  Scenario: a body of quotes, entity text and a bare carriage return
    Given a queue "q"
    When the client calls SendMessage with the parameters:
      """
      {"QueueUrl": "${url:q}", "MessageBody": "\"&quot;&quot;\r"}
      """
    Then the call succeeds
    When I receive a message from "q"
    Then the answer has:
      | Messages.1.MD5OfBody | 1f3930f662f907b134a181296c895d21 |
      | Messages.1.Body      | "&quot;&quot;${U+000D}    |

  @id:send-message.07
  Scenario: a message without a body is refused
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl | ${url:q} |
    Then the call fails with MissingParameter and message "The request must contain the parameter MessageBody."

  @id:send-message.08
  Scenario: an empty body is a missing one
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl    | ${url:q} |
      | MessageBody |          |
    Then the call fails with MissingParameter and message "The request must contain the parameter MessageBody."

  @id:send-message.09
  Scenario Outline: the character <character> is refused in a body
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl    | ${url:q}           |
      | MessageBody | a${<character>}b   |
    Then the call fails with InvalidMessageContents
    When I receive a message from "q"
    Then the receive returns nothing

    Examples:
      | character |
      | U+0000    |
      | U+0001    |
      | U+0008    |
      | U+000B    |
      | U+0013    |
      | U+001F    |
      | U+FFFE    |
      | U+FFFF    |

  @id:send-message.10
  Scenario: a body may be as long as the queue allows and no longer
    Given a queue "q" with attributes:
      | MaximumMessageSize | 1024 |
    When I send "${x*1024}" to "q"
    Then the call succeeds
    When I send "${x*1025}" to "q"
    Then the call fails with InvalidParameterValue and message "One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes."

  @id:send-message.11
  Scenario: attributes count as part of the message
    Given a queue "q" with attributes:
      | MaximumMessageSize | 1024 |
    When I send to "q":
      | MessageBody                     | ${x*1016} |
      | MessageAttributes.k.DataType    | String    |
      | MessageAttributes.k.StringValue | x         |
    Then the call succeeds
    When I send to "q":
      | MessageBody                     | ${x*1017} |
      | MessageAttributes.k.DataType    | String    |
      | MessageAttributes.k.StringValue | x         |
    Then the call fails with InvalidParameterValue and message "One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes."

  @id:send-message.12
  Scenario: bytes are counted, not characters
    Given a queue "q" with attributes:
      | MaximumMessageSize | 1024 |
    When I send "${é*512}" to "q"
    Then the call succeeds
    When I send "${é*513}" to "q"
    Then the call fails with InvalidParameterValue

  @id:send-message.13
  Scenario: a queue allows a mebibyte by default, and no more
    Given a queue "q"
    When I send "${x*1048576}" to "q"
    Then the call succeeds
    When I receive a message from "q"
    Then the receive returns "${x*1048576}"
    When I send "${x*1048577}" to "q"
    Then the call fails with InvalidParameterValue and message "One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes."

  @id:send-message.14
  Scenario: attributes count towards the mebibyte
    Given a queue "q"
    When I send to "q":
      | MessageBody                     | ${x*1048569} |
      | MessageAttributes.k.DataType    | String       |
      | MessageAttributes.k.StringValue | x            |
    Then the call fails with InvalidParameterValue and message "One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes."

  @id:send-message.15
  Scenario: a delayed message is counted and arrives when its time has come
    Given a queue "q"
    When I send to "q":
      | MessageBody  | later |
      | DelaySeconds | 60    |
    Then the answer has exactly:
      | MessageId        | <uuid>       |
      | MD5OfMessageBody | ${md5:later} |
    When I receive a message from "q"
    Then the receive returns nothing
    And "q" has 0 messages, 0 in flight and 1 delayed
    When 59 seconds pass
    And I receive a message from "q"
    Then the receive returns nothing
    When 2 seconds pass
    And I receive a message from "q"
    Then the receive returns "later"
    And the message "later" has:
      | MessageId | ${id:later} |

  @id:send-message.16 @QS-33
  Scenario: the queue's delay holds for a message without one
    Given a queue "q" with attributes:
      | DelaySeconds | 10 |
    When I send "a" to "q"
    And I receive a message from "q"
    Then the receive returns nothing
    And this gateway counts the 1 message of "q" as delayed or, where the broker cannot tell, as visible
    But Amazon counts 0 messages, 0 in flight and 1 delayed in "q"
    When 11 seconds pass
    And I receive a message from "q"
    Then the receive returns "a"

  @id:send-message.17 @QS-11
  Scenario: a message's delay in a queue that has one
    Given a queue "q" with attributes:
      | DelaySeconds | 10 |
    When I send to "q":
      | MessageBody  | a  |
      | DelaySeconds | 20 |
    And 21 seconds pass
    And I receive a message from "q"
    Then this gateway returns nothing
    But Amazon returns "a"
    When 10 seconds pass
    And I receive a message from "q"
    Then this gateway returns "a"

  @id:send-message.18
  Scenario Outline: DelaySeconds=<delay> is out of range
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl     | ${url:q} |
      | MessageBody  | a        |
      | DelaySeconds | <delay>  |
    Then the call fails with InvalidParameterValue and a message containing "Value <delay> for parameter DelaySeconds is invalid."

    Examples:
      | delay |
      | -1    |
      | 901   |

  @id:send-message.19
  Scenario: DelaySeconds of 900 is accepted
    Given a queue "q"
    When I send to "q":
      | MessageBody  | a   |
      | DelaySeconds | 900 |
    Then the call succeeds

  @id:send-message.20
  Scenario: a group id on a standard queue is kept
    Given a queue "q"
    When I send to "q":
      | MessageBody    | a    |
      | MessageGroupId | test |
    Then the answer has exactly:
      | MessageId        | <uuid>   |
      | MD5OfMessageBody | ${md5:a} |
    When I receive a message from "q" asking for all attributes
    Then the message "a" has:
      | Attributes.SequenceNumber         | <absent> |
      | Attributes.MessageDeduplicationId | <absent> |
      | Attributes.MessageGroupId         | test     |

  @id:send-message.21
  Scenario Outline: the group id "<shown>" is refused on a standard queue
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl       | ${url:q} |
      | MessageBody    | a        |
      | MessageGroupId | <id>     |
    Then the call fails with InvalidParameterValue and message:
      """
      Value <id> for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.
      """

    Examples:
      | shown          | id         |
      | 129 characters | ${a*129}   |
      | with a space   | group 123  |

  @id:send-message.22
  Scenario: an empty group id is refused on a standard queue
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl       | ${url:q} |
      | MessageBody    | a        |
      | MessageGroupId |          |
    Then the call fails with InvalidParameterValue and message:
      """
      Value  for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.
      """

  @id:send-message.23
  Scenario: a deduplication id has no place on a standard queue
    Given a queue "q"
    When I send to "q":
      | MessageBody            | a  |
      | MessageDeduplicationId | id |
    Then the call fails with InvalidParameterValue and a message containing "MessageDeduplicationId"

  @id:send-message.24
  Scenario: a missing queue
    When I send "a" to "missing"
    Then the call fails with QueueDoesNotExist and its standard message

  @id:send-message.25
  Scenario Outline: the queue URL <url> addresses nothing
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl    | <url> |
      | MessageBody | a     |
    Then the call fails with QueueDoesNotExist

    Examples:
      | url                                        |
      | ${endpoint}/111122223333/${name:q}         |
      | ${endpoint}/${account}/../${name:q}        |
      | ${endpoint}/${account}/${name:q}/more      |
      | ${endpoint}/                               |
      | http://                                    |

  @id:send-message.26 @QS-44 @gateway
  Scenario: scheme, host and query of a queue URL do not matter
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl    | https://elsewhere.example:1/prefix${path:q}?x=y#z |
      | MessageBody | a                                                 |
    Then the call succeeds
    When I receive a message from "q"
    Then the receive returns "a"

  @id:send-message.27
  Scenario: the trace header of the request becomes an attribute
    Given a queue "q"
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded
      X-Amzn-Trace-Id: Root=1-5759e988-bd862e3fe1be46a994272793

      Action=SendMessage
      QueueUrl=${url:q}
      MessageBody=a
      """
    Then the call succeeds
    When I receive a message from "q" asking for all attributes
    Then the message "a" has:
      | Attributes.AWSTraceHeader | Root=1-5759e988-bd862e3fe1be46a994272793 |
