Feature: error texts that Amazon is known by but was not recorded with

  @id:error-texts.01 @QS-45
  Scenario Outline: an attribute name that is <what>
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl                             | ${url:q} |
      | MessageBody                          | a        |
      | MessageAttributes.<name>.DataType    | String   |
      | MessageAttributes.<name>.StringValue | x        |
    Then the call fails with InvalidParameterValue
    And this gateway fails with InvalidParameterValue and message "<text>"

    Examples:
      | what     | name     | text                                                                                                                                                                  |
      | too long | ${x*257} | Message (user) attribute names must be shorter than 256 Bytes                                                                                                         |
      | reserved | AWS.x    | You can't use message attribute names beginning with 'AWS.' or 'Amazon.'. These strings are reserved for internal use. Additionally, they cannot start or end with '.'. |
      | dotted   | x.       | You can't use message attribute names beginning with 'AWS.' or 'Amazon.'. These strings are reserved for internal use. Additionally, they cannot start or end with '.'. |

  @id:error-texts.02
  Scenario: a permission for an action that nobody knows
    Given a queue "q"
    When the client calls AddPermission with:
      | QueueUrl      | ${url:q}     |
      | Label         | one          |
      | AWSAccountIds | 668614515564 |
      | Actions       | Juggle       |
    Then the call is refused with the status 400
    And this gateway fails with InvalidParameterValue and message "Value SQS:Juggle for parameter ActionName is invalid. Reason: Please refer to the appropriate WSDL for a list of valid actions. "

  @id:error-texts.03
  Scenario: a permission for what is the owner's
    Given a queue "q"
    When the client calls AddPermission with:
      | QueueUrl      | ${url:q}     |
      | Label         | one          |
      | AWSAccountIds | 668614515564 |
      | Actions       | DeleteQueue  |
    Then the call is refused with the status 400
    And this gateway fails with InvalidParameterValue and message "Value SQS:DeleteQueue for parameter ActionName is invalid. Reason: Only the queue owner is allowed to invoke this action."

  @id:error-texts.04
  Scenario Outline: a permission without <member>
    Given a queue "q"
    When the client calls AddPermission with:
      | QueueUrl | ${url:q} |
      | Label    | one      |
      | <other>  | <value>  |
    Then the call is refused with the status 400
    And this gateway fails with MissingParameter and message "The request must contain the parameter <member>."

    Examples:
      | member        | other         | value        |
      | AWSAccountIds | Actions       | SendMessage  |
      | Actions       | AWSAccountIds | 668614515564 |

  @id:error-texts.05
  Scenario Outline: a tag whose <what> is too long
    Given a queue "q"
    When the client calls TagQueue with:
      | QueueUrl   | ${url:q} |
      | Tags.<key> | <value>  |
    Then the call is refused with the status 400
    And this gateway fails with InvalidParameterValue and message "<text>"
    When the client calls ListQueueTags with:
      | QueueUrl | ${url:q} |
    Then the answer has nothing in it

    Examples:
      | what  | key      | value    | text                                          |
      | key   | ${k*129} | x        | A tag key must be 1 to 128 characters long.   |
      | value | k        | ${v*257} | A tag value must be 0 to 256 characters long. |

  @id:error-texts.06
  Scenario: a tag as long as it may be
    Given a queue "q"
    When the client calls TagQueue with:
      | QueueUrl      | ${url:q} |
      | Tags.${k*128} | ${v*256} |
    Then the call succeeds
