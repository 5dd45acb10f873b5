@sns
Feature: Publish to queues

  @id:sns-publish.01 @SN-06
  Scenario: a notification
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When I publish to "t":
      | Message                          | héllo <&> |
      | Subject                          | a subject   |
      | MessageAttributes.kind.DataType  | String      |
      | MessageAttributes.kind.StringValue | order     |
      | MessageAttributes.n.DataType     | Number      |
      | MessageAttributes.n.StringValue  | 99.12       |
      | MessageAttributes.b.DataType     | Binary      |
      | MessageAttributes.b.BinaryValue  | AgME        |
    Then the answer has exactly:
      | MessageId | <uuid> |
    When I receive and delete everything in "q"
    Then this gateway's notification "héllo <&>" has exactly:
      | Type                         | Notification                |
      | MessageId                    | ${published:héllo <&>}    |
      | TopicArn                     | ${topic:t}                  |
      | Subject                      | a subject                   |
      | Message                      | héllo <&>                 |
      | Timestamp                    | /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ |
      | SignatureVersion             | 1                           |
      | MessageAttributes.kind.Type  | String                      |
      | MessageAttributes.kind.Value | order                       |
      | MessageAttributes.n.Type     | Number                      |
      | MessageAttributes.n.Value    | 99.12                       |
      | MessageAttributes.b.Type     | Binary                      |
      | MessageAttributes.b.Value    | AgME                        |

  @id:sns-publish.02 @SN-06
  Scenario: the members of a notification have an order
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When I publish to "t":
      | Message                         | m |
      | Subject                         | s |
      | MessageAttributes.a.DataType    | String |
      | MessageAttributes.a.StringValue | v |
    And I receive and delete everything in "q"
    Then this gateway's notification "m" has its members in the order Type, MessageId, TopicArn, Subject, Message, Timestamp, SignatureVersion, MessageAttributes
    But Amazon's notification "m" has its members in the order Type, MessageId, TopicArn, Subject, Message, Timestamp, SignatureVersion, Signature, SigningCertURL, UnsubscribeURL, MessageAttributes

  @id:sns-publish.03
  Scenario: raw delivery is the message and its attributes
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed raw to "t"
    When I publish to "t":
      | Message                             | m      |
      | Subject                             | lost   |
      | MessageAttributes.attr1.DataType    | Number |
      | MessageAttributes.attr1.StringValue | 99.12  |
      | MessageAttributes.attr2.DataType    | Number |
      | MessageAttributes.attr2.StringValue | 109.12 |
    And I receive and delete everything in "q"
    Then the receive returns "m"
    And the message "m" has:
      | MD5OfBody                           | ${md5:m}                         |
      | MessageAttributes.attr1.DataType    | Number                           |
      | MessageAttributes.attr1.StringValue | 99.12                            |
      | MessageAttributes.attr2.StringValue | 109.12                           |
      | MD5OfMessageAttributes              | 9b720b3af309c1c4b0d395c53b08c502 |

  @id:sns-publish.04
  Scenario: raw delivery is switched on and off
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When I set the RawMessageDelivery of the subscription "t/q" to 'true'
    And I publish "raw" to "t"
    And I receive and delete everything in "q"
    Then the receive returns "raw"
    When I set the RawMessageDelivery of the subscription "t/q" to 'false'
    And I publish "wrapped" to "t"
    And I receive and delete everything in "q"
    Then the notifications are "wrapped"

  @id:sns-publish.05
  Scenario: two queues have the same publish and messages of their own
    Given a queue "a"
    And a queue "b"
    And a topic "t"
    And "a" is subscribed to "t"
    And "b" is subscribed raw to "t"
    When I publish "m" to "t"
    And I receive and delete everything in "a"
    Then the notification "m" has:
      | MessageId | ${published:m} |
    When I receive and delete everything in "b"
    Then the receive returns "m"

  @id:sns-publish.06
  Scenario: a topic may be named as the target
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed raw to "t"
    When the client calls Publish with:
      | TargetArn | ${topic:t} |
      | Message   | m          |
    And I receive and delete everything in "q"
    Then the receive returns "m"

  @id:sns-publish.07
  Scenario: a publish before there is a subscriber is gone
    Given a queue "q"
    And a topic "t"
    And "early" was published to "t"
    And "q" is subscribed raw to "t"
    When I publish "late" to "t"
    And I receive and delete everything in "q"
    Then the receive returns "late"

  @id:sns-publish.08
  Scenario: everything in the query string
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed raw to "t"
    When I send the request:
      """
      POST /?Action=Publish&Version=2010-03-31&TopicArn=${topic:t}&Message=m
      """
    Then the XML root is "PublishResponse" in the namespace "http://sns.amazonaws.com/doc/2010-03-31/"
    When I receive and delete everything in "q"
    Then the receive returns "m"

  @id:sns-publish.09
  Scenario Outline: a message that is refused: <shown>
    Given a topic "t"
    When I publish to "t":
      | <name>  | <value>  |
      | <other> | <filled> |
    Then the call fails with InvalidParameter and message "Invalid parameter: <message>"

    Examples:
      | shown                          | name                   | value       | other            | filled | message |
      | no message                     | Subject                | s           | Message          | ""     | Empty message |
      | an empty subject               | Message                | m           | Subject          | ""     | Subject |
      | a message that is too long     | Message                | ${m*264000} | Subject          | s      | Message too long |
      | a deduplication id             | MessageDeduplicationId | d           | Message          | m      | MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is not valid for this topic type |
      | no default text                | Message                | {"sqs":"s"} | MessageStructure | json   | Message Structure - No default entry in JSON message body |
      | a default that is no text      | Message                | {"default":{"object":"test"}} | MessageStructure | json | Message Structure - No default entry in JSON message body |
      | text that is no JSON           | Message                | {"default": "m"} } | MessageStructure | json | Message Structure - JSON message body failed to parse |

  @id:sns-publish.10
  Scenario: the largest message
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed raw to "t"
    When I publish to "t":
      | Message                         | ${m*262136} |
      | MessageAttributes.a.DataType    | String      |
      | MessageAttributes.a.StringValue | v           |
    And I receive and delete everything in "q"
    Then the receive returns "${m*262136}"
    When I publish to "t":
      | Message                         | ${m*262137} |
      | MessageAttributes.a.DataType    | String      |
      | MessageAttributes.a.StringValue | v           |
    Then the call fails with InvalidParameter and message "Invalid parameter: Message too long"

  @id:sns-publish.11
  Scenario: the text for queues
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed raw to "t"
    When I publish to "t":
      | MessageStructure | json                          |
      | Message          | {"default": "d", "sqs": "s"}  |
    And I publish to "t":
      | MessageStructure | json                            |
      | Message          | {"default": "e", "sqs": {"a":"b"}} |
    And I publish to "t":
      | MessageStructure | json                             |
      | Message          | {"default": "f", "default": "g"} |
    And I receive and delete everything in "q"
    Then this gateway returns "s", "e", "g"

  @id:sns-publish.12
  Scenario Outline: a message attribute that is refused: <shown>
    Given a topic "t"
    When I publish to "t":
      | Message                        | m       |
      | MessageAttributes.<name>.DataType | <type>  |
      | MessageAttributes.<name>.<member> | <value> |
    Then the call fails with ParameterValueInvalid and message "<message>"

    Examples:
      | shown              | name  | type           | member      | value | message |
      | empty text         | attr1 | String         | StringValue | ""    | The message attribute 'attr1' must contain non-empty message attribute value for message attribute type 'String'. |
      | text as bytes      | attr1 | String         | BinaryValue | AgME  | The message attribute 'attr1' with type 'String' must use field 'String'. |
      | a number as bytes  | attr1 | Number         | BinaryValue | AgME  | The message attribute 'attr1' with type 'Number' must use field 'String'. |
      | bytes as text      | attr1 | Binary         | StringValue | x     | The message attribute 'attr1' with type 'Binary' must use field 'Binary'. |
      | a type of nobody   | attr1 | InvalidType    | StringValue | x     | The message attribute 'attr1' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String. |
      | an unfinished type | attr1 | String.        | StringValue | x     | The message attribute 'attr1' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String. |
      | a grown type       | attr1 | Stringprefixed | StringValue | x     | The message attribute 'attr1' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String. |
      | a long name        | ${n*257} | String      | StringValue | x     | Length of message attribute name must be less than 256 bytes. |
      | a caret            | a^*?  | String         | StringValue | x     | Invalid non-alphanumeric character '#x5E' was found in the message attribute name. Can only include alphanumeric characters, hyphens, underscores, or dots. |
      | a dot in front     | .abc  | String         | StringValue | x     | Invalid message attribute name starting with character '.' was found. |
      | a dot behind       | abc.  | String         | StringValue | x     | Invalid message attribute name ending with character '.' was found. |
      | two dots           | a..bc | String         | StringValue | x     | Message attribute name can not have successive '.' character. |

  @id:sns-publish.13
  Scenario: a message attribute without a type
    Given a topic "t"
    When I publish to "t":
      | Message                             | m |
      | MessageAttributes.attr1.StringValue | x |
    Then the call fails with ValidationError and message "1 validation error detected: Value null at 'messageAttributes.attr1.member.dataType' failed to satisfy constraint: Member must not be null"

  @id:sns-publish.14
  Scenario: types of one's own
    Given a topic "t"
    When I publish to "t":
      | Message                         | m                   |
      | MessageAttributes.a.DataType    | String.  prefixed.  |
      | MessageAttributes.a.StringValue | x                   |
      | MessageAttributes.b.DataType    | String.prefixed     |
      | MessageAttributes.b.StringValue | x                   |
    Then the call succeeds

  @id:sns-publish.15
  Scenario Outline: the topic "<arn>"
    When the client calls Publish with:
      | TopicArn | <arn> |
      | Message  | m     |
    Then the call fails with <code> and message "<message>"

    Examples:
      | arn             | code             | message |
      | randomstring    | InvalidParameter | Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, not 1 |
      | randomstring:1  | InvalidParameter | Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, not 2 |
      | ""              | InvalidParameter | Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, not 1 |
      | ${topic:absent} | NotFound         | Topic does not exist |

  @id:sns-publish.16
  Scenario: targets that are no topics
    When the client calls Publish with:
      | TargetArn | arn:aws:sns:${region}:${account}:endpoint/APNS/app/00000000-0000-4000-8000-000000000000 |
      | Message   | m |
    Then the call fails with InvalidParameter and message "Invalid parameter: TargetArn Reason: No endpoint found for the target arn specified"
    When the client calls Publish with:
      | PhoneNumber | +1a234 |
      | Message     | m      |
    Then the call fails with InvalidParameter and message "Invalid parameter: PhoneNumber Reason: +1a234 is not valid to publish to"

  @id:sns-publish.17 @SN-22
  Scenario: a message group on a standard topic reaches the queue
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed raw to "t"
    When I publish to "t":
      | Message        | m |
      | MessageGroupId | g |
    And I receive and delete everything in "q"
    Then the message "m" has:
      | Attributes.MessageGroupId | g |

  @id:sns-publish.18 @SN-23
  Scenario: the dead letters of a subscription
    Given a queue "wrapped"
    And a queue "raw"
    And a queue "dlq"
    And a topic "t"
    And "wrapped" is subscribed to "t" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dlq}"} |
    And "raw" is subscribed raw to "t" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dlq}"} |
    When I delete the queue "wrapped"
    And I publish "one" to "t"
    And I receive and delete everything in "dlq"
    Then the notifications are "one"
    When I delete the queue "raw"
    And the client calls Unsubscribe with:
      | SubscriptionArn | ${sub:t/wrapped} |
    And I publish "two" to "t"
    And I receive and delete everything in "dlq"
    Then the receive returns "two"

  @id:sns-publish.19 @SN-03 @SN-13 @wide
  Scenario: more subscribers than one transaction holds
    Given a topic "t"
    And 300 queues are subscribed raw to "t"
    When I publish "m" to "t"
    Then the call succeeds
    And each of the 300 queues receives "m" once
