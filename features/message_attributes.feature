Feature: message attributes

  @id:message-attributes.01
  Scenario: every type comes back with its label and its value
    Given a queue "q"
    When I send to "q":
      | MessageBody                          | typed        |
      | MessageAttributes.str.DataType       | String       |
      | MessageAttributes.str.StringValue    | hello        |
      | MessageAttributes.num.DataType       | Number       |
      | MessageAttributes.num.StringValue    | 42           |
      | MessageAttributes.bin.DataType       | Binary       |
      | MessageAttributes.bin.BinaryValue    | AAEC/w==     |
      | MessageAttributes.custom.DataType    | String.foo   |
      | MessageAttributes.custom.StringValue | bar          |
    Then the answer has:
      | MD5OfMessageAttributes | 59a923d8b436253750446d622c646886 |
    When I receive a message from "q" asking for the message attribute All
    Then the message "typed" has exactly:
      | MessageId                            | ${id:typed}                      |
      | ReceiptHandle                        | <text>                           |
      | Body                                 | typed                            |
      | MD5OfBody                            | ${md5:typed}                     |
      | MD5OfMessageAttributes               | 59a923d8b436253750446d622c646886 |
      | MessageAttributes.str.DataType       | String                           |
      | MessageAttributes.str.StringValue    | hello                            |
      | MessageAttributes.num.DataType       | Number                           |
      | MessageAttributes.num.StringValue    | 42                               |
      | MessageAttributes.bin.DataType       | Binary                           |
      | MessageAttributes.bin.BinaryValue    | AAEC/w==                         |
      | MessageAttributes.custom.DataType    | String.foo                       |
      | MessageAttributes.custom.StringValue | bar                              |

  @id:message-attributes.02
  Scenario Outline: asking for <names>
    Given a queue "q"
    When I send to "q":
      | MessageBody                           | a      |
      | MessageAttributes.Help.Me.DataType    | String |
      | MessageAttributes.Help.Me.StringValue | Me     |
      | MessageAttributes.Hello.DataType      | String |
      | MessageAttributes.Hello.StringValue   | There  |
      | MessageAttributes.General.DataType    | String |
      | MessageAttributes.General.StringValue | Kenobi |
    Then the answer has:
      | MD5OfMessageAttributes | 4c360f3fdafd970e05fae2f149d997f5 |
    When I receive a message from "q" asking for the message attributes <names>
    Then the message "a" has:
      | MD5OfMessageAttributes                | <digest>  |
      | MessageAttributes.Help.Me.StringValue | <help>    |
      | MessageAttributes.Hello.StringValue   | <hello>   |
      | MessageAttributes.General.StringValue | <general> |

    Examples:
      | names          | digest                           | help     | hello    | general  |
      | All            | 4c360f3fdafd970e05fae2f149d997f5 | Me       | There    | Kenobi   |
      | *              | 4c360f3fdafd970e05fae2f149d997f5 | Me       | There    | Kenobi   |
      | .*             | 4c360f3fdafd970e05fae2f149d997f5 | Me       | There    | Kenobi   |
      | Hello, General | fca026605781cb4126a1e9044df24232 | <absent> | There    | Kenobi   |
      | Foo, Hello     | a311262e065454b75da111d535b8dacd | <absent> | There    | <absent> |
      | Foo, Help      | <absent>                         | <absent> | <absent> | <absent> |
      | Hel.*          | 83fee93c1bcd8b9a5a923ffacdc636c7 | Me       | There    | <absent> |
      | AWS.           | <absent>                         | <absent> | <absent> | <absent> |
      | ..foo          | <absent>                         | <absent> | <absent> | <absent> |

  @id:message-attributes.03
  Scenario: attributes survive a redelivery
    Given a queue "q"
    When I send to "q":
      | MessageBody                       | a                                |
      | MessageAttributes.Foo.DataType    | String                           |
      | MessageAttributes.Foo.StringValue | Bar                              |
    And I receive a message from "q" asking for the message attribute All
    And 31 seconds pass
    And I receive a message from "q" asking for the message attribute All
    Then the message "a" has:
      | MD5OfMessageAttributes            | ae7155c6026991b6d54b11589678bf9c |
      | MessageAttributes.Foo.StringValue | Bar                              |

  @id:message-attributes.04
  Scenario: asking for system attributes brings no message attributes
    Given a queue "q"
    When I send to "q":
      | MessageBody                       | a      |
      | MessageAttributes.Foo.DataType    | String |
      | MessageAttributes.Foo.StringValue | Bar    |
    And I receive a message from "q" asking for the system attribute All
    Then the message "a" has:
      | MessageAttributes      | <absent> |
      | MD5OfMessageAttributes | <absent> |

  @id:message-attributes.05
  Scenario Outline: the name <name> is refused
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl                             | ${url:q} |
      | MessageBody                          | a        |
      | MessageAttributes.<name>.DataType    | String   |
      | MessageAttributes.<name>.StringValue | x        |
    Then the call fails with InvalidParameterValue
    When I receive a message from "q"
    Then the receive returns nothing

    Examples:
      | name     |
      | aWs.x    |
      | AMAZON.x |
      | .x       |
      | x.       |
      | a!b      |
      | a"b      |
      | a§b      |
      | a(b      |
      | a?b      |
      | ${x*257} |

  @id:message-attributes.06 @QS-39
  Scenario: letters beyond ASCII in a name
    Given a queue "q"
    When I send to "q":
      | MessageBody                             | a      |
      | MessageAttributes.attr.1øßä.DataType    | String |
      | MessageAttributes.attr.1øßä.StringValue | x      |
    Then the call succeeds

  @id:message-attributes.07
  Scenario: an attribute name of 256 characters is accepted
    Given a queue "q"
    When I send to "q":
      | MessageBody                            | a      |
      | MessageAttributes.${a*256}.DataType    | String |
      | MessageAttributes.${a*256}.StringValue | x      |
    Then this gateway succeeds

  @id:message-attributes.08
  Scenario: a name with two dots in a row
    Given a queue "q"
    When I send to "q":
      | MessageBody                        | a      |
      | MessageAttributes.a..b.DataType    | String |
      | MessageAttributes.a..b.StringValue | x      |
    Then this gateway fails with InvalidParameterValue

  @id:message-attributes.09
  Scenario Outline: the type <type> is refused
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl                        | ${url:q} |
      | MessageBody                     | a        |
      | MessageAttributes.k.DataType    | <type>   |
      | MessageAttributes.k.StringValue | 1        |
    Then the call fails with InvalidParameterValue

    Examples:
      | type            |
      | Invalid         |
      | string          |
      | Number.${x*256} |

  @id:message-attributes.10
  Scenario: an attribute without a type
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl                        | ${url:q} |
      | MessageBody                     | a        |
      | MessageAttributes.k.StringValue | 1        |
    Then the call fails with InvalidParameterValue and a message containing "must contain a non-empty message attribute type"

  @id:message-attributes.11
  Scenario: an attribute with an empty value
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl                                  | ${url:q} |
      | MessageBody                               | a        |
      | MessageAttributes.ErrorDetails.DataType    | String   |
      | MessageAttributes.ErrorDetails.StringValue |          |
    Then the call fails with InvalidParameterValue and message "Message (user) attribute 'ErrorDetails' must contain a non-empty value of type 'String'."

  @id:message-attributes.12
  Scenario: a Number that is none
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl                        | ${url:q} |
      | MessageBody                     | a        |
      | MessageAttributes.k.DataType    | Number   |
      | MessageAttributes.k.StringValue | twelve   |
    Then the call fails with InvalidParameterValue

  @id:message-attributes.13
  Scenario Outline: the character <character> is refused in a value
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl                        | ${url:q}         |
      | MessageBody                     | a                |
      | MessageAttributes.k.DataType    | String           |
      | MessageAttributes.k.StringValue | a${<character>}b |
    Then the call fails with InvalidParameterValue

    Examples:
      | character |
      | U+0008    |
      | U+000B    |

  @id:message-attributes.14
  Scenario: a long name and a label of one's own
    Given a queue "q"
    When I send to "q":
      | MessageBody                               | a            |
      | MessageAttributes.${a*250}.DataType       | Number.float |
      | MessageAttributes.${a*250}.StringValue    | -1.5e3       |
    And I receive a message from "q" asking for the message attribute All
    Then the message "a" has:
      | MessageAttributes.${a*250}.DataType    | Number.float |
      | MessageAttributes.${a*250}.StringValue | -1.5e3       |

  @id:message-attributes.15
  Scenario: binary with a separator inside
    Given a queue "q"
    When I send to "q":
      | MessageBody                         | a                                                                                        |
      | MessageAttributes.attr1.DataType    | Binary                                                                                   |
      | MessageAttributes.attr1.BinaryValue | dHJhY2VwYXJlbnQeMDAtNzc0MDYyZDZjMzcwODFhNWEwYjliNWI4OGUzMDYyN2MtMmQyNDgyMjExZjY0ODlkYS0wMQ== |
    Then the answer has:
      | MD5OfMessageAttributes | 8cbe4db156db8a94db8b801b7addb984 |
    When I receive a message from "q" asking for the message attribute attr1
    Then the message "a" has:
      | MessageAttributes.attr1.BinaryValue | dHJhY2VwYXJlbnQeMDAtNzc0MDYyZDZjMzcwODFhNWEwYjliNWI4OGUzMDYyN2MtMmQyNDgyMjExZjY0ODlkYS0wMQ== |

  @id:message-attributes.16
  Scenario: an unknown system attribute is refused
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl                                  | ${url:q} |
      | MessageBody                               | a        |
      | MessageSystemAttributes.Other.DataType    | String   |
      | MessageSystemAttributes.Other.StringValue | x        |
    Then the call fails with InvalidParameterValue and a message containing "Other"

  @id:message-attributes.17
  Scenario: a system attribute that is no String is refused
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl                                           | ${url:q} |
      | MessageBody                                        | a        |
      | MessageSystemAttributes.AWSTraceHeader.DataType    | Number   |
      | MessageSystemAttributes.AWSTraceHeader.StringValue | 1        |
    Then the call fails with InvalidParameterValue

  @id:message-attributes.18 @json
  Scenario: list values are not supported
    Given a queue "q"
    When the client calls SendMessage with the parameters:
      """
      {"QueueUrl": "${url:q}", "MessageBody": "a",
       "MessageAttributes": {"k": {"DataType": "String", "StringValue": "x", "StringListValues": ["y"]}}}
      """
    Then the call fails with UnsupportedOperation and message "Message attribute list values in SendMessage operation are not supported."

  @id:message-attributes.19 @query
  Scenario: both spellings of the map are accepted
    Given a queue "q"
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=SendMessage
      QueueUrl=${url:q}
      MessageBody=a
      MessageAttributes.1.Name=Foo
      MessageAttributes.1.Value.DataType=String
      MessageAttributes.1.Value.StringValue=Bar
      """
    Then the answer has:
      | MD5OfMessageAttributes | ae7155c6026991b6d54b11589678bf9c |
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=SendMessage
      QueueUrl=${url:q}
      MessageBody=a
      MessageAttribute.1.Name=Foo
      MessageAttribute.1.Value.DataType=String
      MessageAttribute.1.Value.StringValue=Bar
      """
    Then the answer has:
      | MD5OfMessageAttributes | ae7155c6026991b6d54b11589678bf9c |
