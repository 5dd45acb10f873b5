Feature: SetQueueAttributes

  @id:set-queue-attributes.01
  Scenario: named attributes change, the others stay
    Given a queue "q" with attributes:
      | DelaySeconds | 17 |
    When I set the attributes of "q":
      | VisibilityTimeout  | 69   |
      | MaximumMessageSize | 2048 |
    Then the answer has nothing in it
    When I ask for the attributes All of "q"
    Then the answer has:
      | Attributes.VisibilityTimeout             | 69     |
      | Attributes.MaximumMessageSize            | 2048   |
      | Attributes.DelaySeconds                  | 17     |
      | Attributes.MessageRetentionPeriod        | 345600 |
      | Attributes.ReceiveMessageWaitTimeSeconds | 0      |

  @id:set-queue-attributes.02
  Scenario: a new visibility timeout holds for the next receive
    Given a queue "q"
    When I set the attributes of "q":
      | VisibilityTimeout | 100 |
    And I send "a" to "q"
    And I receive a message from "q"
    Then the receive returns "a"
    When 60 seconds pass
    And I receive a message from "q"
    Then the receive returns nothing
    When 41 seconds pass
    And I receive a message from "q"
    Then the receive returns "a"

  @id:set-queue-attributes.03
  Scenario: a new delay holds for the next send
    Given a queue "q"
    When I set the attributes of "q":
      | DelaySeconds | 30 |
    And I send "a" to "q"
    And I receive a message from "q"
    Then the receive returns nothing
    When 31 seconds pass
    And I receive a message from "q"
    Then the receive returns "a"

  @id:set-queue-attributes.04
  Scenario: an unknown attribute is refused and nothing is applied
    Given a queue "q"
    When I set the attributes of "q":
      | VisibilityTimeout | 77 |
      | Foobar            | 1  |
    Then the call fails with InvalidAttributeName and a message containing "Unknown Attribute Foobar"
    When I ask for the attribute VisibilityTimeout of "q"
    Then the answer has exactly:
      | Attributes.VisibilityTimeout | 30 |

  @id:set-queue-attributes.05 @QS-45
  Scenario Outline: <attribute>=<value> is out of range and nothing is applied
    Given a queue "q"
    When I set the attributes of "q":
      | <attribute>            | <value> |
      | MessageRetentionPeriod | 70000   |
    Then the call is refused with the status 400
    And this gateway fails with InvalidParameterValue and a message containing "Invalid value for the parameter <attribute>"
    When I ask for the attribute MessageRetentionPeriod of "q"
    Then the answer has exactly:
      | Attributes.MessageRetentionPeriod | 345600 |

    Examples:
      | attribute                     | value   |
      | VisibilityTimeout             | 43201   |
      | MaximumMessageSize            | 100     |
      | DelaySeconds                  | 901     |
      | ReceiveMessageWaitTimeSeconds | 21      |
      | KmsDataKeyReusePeriodSeconds  | 10      |
      | VisibilityTimeout             | soon    |

  @id:set-queue-attributes.06
  Scenario Outline: a standard queue cannot become FIFO, FifoQueue=<value>
    Given a queue "q"
    When I set the attributes of "q":
      | FifoQueue | <value> |
    Then the call fails with InvalidAttributeName and message "Unknown Attribute FifoQueue."

    Examples:
      | value |
      | true  |
      | false |

  @id:set-queue-attributes.07
  Scenario: a FIFO queue stays one
    Given a FIFO queue "q.fifo"
    When I set the attributes of "q.fifo":
      | FifoQueue | true |
    Then the call succeeds
    When I set the attributes of "q.fifo":
      | FifoQueue | false |
    Then the call fails with InvalidAttributeValue and message "Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported."

  @id:set-queue-attributes.08
  Scenario: ContentBasedDeduplication is switched off again
    Given a FIFO queue "q.fifo" with attributes:
      | ContentBasedDeduplication | true |
    When I set the attributes of "q.fifo":
      | ContentBasedDeduplication | false |
    And I ask for the attribute ContentBasedDeduplication of "q.fifo"
    Then the answer has exactly:
      | Attributes.ContentBasedDeduplication | false |

  @id:set-queue-attributes.09 @QS-19
  Scenario: a policy is kept as it was written and removed by an empty value
    Given a queue "q"
    When I set the attributes of "q":
      | Policy | {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"sqs:SendMessage","Resource":"${arn:q}"}]} |
    And I ask for the attribute Policy of "q"
    Then the answer has exactly:
      | Attributes.Policy | json:{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"sqs:SendMessage","Resource":"${arn:q}"}]} |
    When I set the attributes of "q":
      | Policy | |
    And I ask for the attribute Policy of "q"
    Then the answer has nothing in it

  @id:set-queue-attributes.10
  Scenario: an empty Policy where there is none
    Given a queue "q"
    When I set the attributes of "q":
      | Policy | |
    Then the call succeeds
    When I ask for the attribute Policy of "q"
    Then the answer has nothing in it

  @id:set-queue-attributes.11
  Scenario: a RedrivePolicy is read back as written and removed by an empty value
    Given a queue "dead"
    And a queue "q"
    When I set the attributes of "q":
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":"2"} |
    And I ask for the attribute RedrivePolicy of "q"
    Then the answer has exactly:
      | Attributes.RedrivePolicy | json:{"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":"2"} |
    When I set the attributes of "q":
      | RedrivePolicy | |
    And I ask for the attribute RedrivePolicy of "q"
    Then the answer has nothing in it

  @id:set-queue-attributes.12 @QS-19
  Scenario: a KMS key is kept as named, whether it exists or not
    Given a queue "q"
    When I set the attributes of "q":
      | KmsMasterKeyId               | testKeyId |
      | KmsDataKeyReusePeriodSeconds | 6000      |
      | SqsManagedSseEnabled         | false     |
    And I ask for the attributes KmsMasterKeyId, KmsDataKeyReusePeriodSeconds and SqsManagedSseEnabled of "q"
    Then the answer has exactly:
      | Attributes.KmsMasterKeyId               | testKeyId |
      | Attributes.KmsDataKeyReusePeriodSeconds | 6000      |
      | Attributes.SqsManagedSseEnabled         | false     |

  @id:set-queue-attributes.13
  Scenario: one kind of encryption at a time
    Given a queue "q"
    When I set the attributes of "q":
      | KmsMasterKeyId       | testKeyId |
      | SqsManagedSseEnabled | true      |
    Then the call fails with InvalidAttributeName and message "You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE."

  @id:set-queue-attributes.14 @QS-18 @amazon
  Scenario: naming a KMS key turns the other encryption off, and an empty name does not turn it on again
    Given a queue "q"
    When I set the attributes of "q":
      | KmsMasterKeyId               | testKeyId |
      | KmsDataKeyReusePeriodSeconds | 300       |
    And I ask for the attributes KmsMasterKeyId, KmsDataKeyReusePeriodSeconds and SqsManagedSseEnabled of "q"
    Then Amazon's answer has exactly:
      | Attributes.KmsMasterKeyId               | testKeyId |
      | Attributes.KmsDataKeyReusePeriodSeconds | 300       |
      | Attributes.SqsManagedSseEnabled         | false     |
    When I set the attributes of "q":
      | KmsMasterKeyId               |     |
      | KmsDataKeyReusePeriodSeconds | 300 |
    And I ask for the attributes KmsMasterKeyId, KmsDataKeyReusePeriodSeconds and SqsManagedSseEnabled of "q"
    Then Amazon's answer has exactly:
      | Attributes.SqsManagedSseEnabled | false |

  @id:set-queue-attributes.15
  Scenario: no attributes at all
    Given a queue "q"
    When the client calls SetQueueAttributes with:
      | QueueUrl | ${url:q} |
    Then the call fails with MissingParameter

  @id:set-queue-attributes.16
  Scenario: a missing queue
    When I set the attributes of "missing":
      | DelaySeconds | 1 |
    Then the call fails with QueueDoesNotExist and its standard message

  @id:set-queue-attributes.17 @query
  Scenario: the answer has no result element
    Given a queue "q"
    When I set the attributes of "q":
      | DelaySeconds | 1 |
    Then the XML root is "SetQueueAttributesResponse" in the namespace "http://queue.amazonaws.com/doc/2012-11-05/"
    And the answer on the wire does not contain 'SetQueueAttributesResult'
    And the answer on the wire contains '<ResponseMetadata>'

  @id:set-queue-attributes.18 @query
  Scenario: the long spelling of a map is accepted
    Given a queue "q"
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=SetQueueAttributes
      QueueUrl=${url:q}
      Attributes.entry.1.key=DelaySeconds
      Attributes.entry.1.value=11
      """
    Then the call succeeds
    When I ask for the attribute DelaySeconds of "q"
    Then the answer has exactly:
      | Attributes.DelaySeconds | 11 |
