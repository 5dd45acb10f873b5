Feature: digests

  @id:digests.01
  Scenario Outline: the digest of the body "<body>"
    Given a queue "q"
    When I send "<body>" to "q"
    Then the answer has exactly:
      | MessageId        | <uuid>   |
      | MD5OfMessageBody | <digest> |
    When I receive a message from "q"
    Then the message "<body>" has:
      | MD5OfBody | <digest> |

    Examples:
      | body                      | digest                           |
      | message                   | 78e731027d8fd50ed642340b7c9a63b3 |
      | This is a test message    | fafb00f5732ab283681e124bf8747ed1 |
      | Using name instead of URL | 86a83f96652a1bfad3891e7d523750cb |
      | héllo                     | be50e8478cf24ff3595bc7307fb91b50 |
      | ${a*1024}                 | c9a34cfc85d982698c6ac89f76071abd |

  @id:digests.02
  Scenario Outline: the digest of one attribute, <type> <value>
    Given a queue "q"
    When I send to "q":
      | MessageBody                          | a       |
      | MessageAttributes.<name>.DataType    | <type>  |
      | MessageAttributes.<name>.<member>    | <value> |
    Then the answer has:
      | MD5OfMessageAttributes       | <digest> |
      | MD5OfMessageSystemAttributes | <absent> |
    When I receive a message from "q" asking for all attributes
    Then the message "a" has:
      | MD5OfMessageAttributes | <digest> |

    Examples:
      | name           | type       | member      | value         | digest                           |
      | test-attribute | String     | StringValue | test-value    | c38e447bda89281029d55c818cc8b9f9 |
      | count          | Number     | StringValue | 42            | 2ee5fa915753ff72599b2514463a2897 |
      | blob           | Binary     | BinaryValue | AAEC/w==      | 3b1b4028306ffa157a32d5916f8f714b |
      | label          | String.foo | StringValue | bar           | 58d3b219a649974d7b3c4c00ac2920a3 |
      | k              | String     | StringValue | x             | a45daa70926828a2f0a1db3418e6feb4 |
      | Foo            | String     | StringValue | Bar           | ae7155c6026991b6d54b11589678bf9c |
      | MyAttribute    | String     | StringValue | foobar        | adb59cd4678ea5a855436b949cd07ab6 |
      | timestamp      | Number     | StringValue | 1493147359900 | 235c5c510d26fb653d073faed50ae77c |

  @id:digests.03
  Scenario: a system attribute does not touch the digest of the message attributes
    Given a queue "q"
    When I send to "q":
      | MessageBody                                        | a                                                                          |
      | MessageSystemAttributes.AWSTraceHeader.DataType    | String                                                                     |
      | MessageSystemAttributes.AWSTraceHeader.StringValue | Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1 |
    Then the answer has exactly:
      | MessageId                    | <uuid>                           |
      | MD5OfMessageBody             | ${md5:a}                         |
      | MD5OfMessageSystemAttributes | 5ae4d5d7636402d80f4eb6d213245a88 |
    When I send to "q":
      | MessageBody                                        | b                                                                          |
      | MessageAttributes.Foo.DataType                     | String                                                                     |
      | MessageAttributes.Foo.StringValue                  | Bar                                                                        |
      | MessageSystemAttributes.AWSTraceHeader.DataType    | String                                                                     |
      | MessageSystemAttributes.AWSTraceHeader.StringValue | Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1 |
    Then the answer has:
      | MD5OfMessageAttributes       | ae7155c6026991b6d54b11589678bf9c |
      | MD5OfMessageSystemAttributes | 5ae4d5d7636402d80f4eb6d213245a88 |
