Feature: encryption attributes

  @id:encryption.01 @QS-18
  Scenario: a queue is encrypted unless said otherwise
    Given a queue "q"
    When I ask for the attribute SqsManagedSseEnabled of "q"
    Then this gateway's answer has nothing in it
    But Amazon's answer has exactly:
      | Attributes.SqsManagedSseEnabled | true |

  @id:encryption.02 @QS-19
  Scenario: a queue is created with a key
    Given a queue "q" with attributes:
      | KmsMasterKeyId               | alias/aws/sqs |
      | KmsDataKeyReusePeriodSeconds | 297           |
      | SqsManagedSseEnabled         | false         |
    When I ask for the attributes KmsMasterKeyId, KmsDataKeyReusePeriodSeconds and SqsManagedSseEnabled of "q"
    Then the answer has exactly:
      | Attributes.KmsMasterKeyId               | alias/aws/sqs |
      | Attributes.KmsDataKeyReusePeriodSeconds | 297           |
      | Attributes.SqsManagedSseEnabled         | false         |

  @id:encryption.03 @QS-19
  Scenario: nobody needs the key to read
    Given a queue "q" with attributes:
      | KmsMasterKeyId | no-such-key |
    And "a" was sent to "q"
    When I receive a message from "q"
    Then this gateway returns "a"

  @id:encryption.04
  Scenario: a key turns the other encryption off, removing it does not turn it on
    Given a queue "q" with attributes:
      | SqsManagedSseEnabled | true |
    When I set the attributes of "q":
      | KmsMasterKeyId               | key |
      | KmsDataKeyReusePeriodSeconds | 300 |
    And I ask for the attributes KmsMasterKeyId, KmsDataKeyReusePeriodSeconds and SqsManagedSseEnabled of "q"
    Then the answer has exactly:
      | Attributes.KmsMasterKeyId               | key   |
      | Attributes.KmsDataKeyReusePeriodSeconds | 300   |
      | Attributes.SqsManagedSseEnabled         | false |
    When I set the attributes of "q":
      | KmsMasterKeyId               |     |
      | KmsDataKeyReusePeriodSeconds | 300 |
    And I ask for the attributes KmsMasterKeyId, KmsDataKeyReusePeriodSeconds and SqsManagedSseEnabled of "q"
    Then the answer has exactly:
      | Attributes.SqsManagedSseEnabled | false |

  @id:encryption.05
  Scenario: turning the other encryption on removes the key
    Given a queue "q" with attributes:
      | KmsMasterKeyId               | key |
      | KmsDataKeyReusePeriodSeconds | 300 |
    When I set the attributes of "q":
      | SqsManagedSseEnabled | true |
    And I ask for the attributes KmsMasterKeyId, KmsDataKeyReusePeriodSeconds and SqsManagedSseEnabled of "q"
    Then the answer has exactly:
      | Attributes.SqsManagedSseEnabled | true |

  @id:encryption.06
  Scenario: not both at once, at creation neither
    When I create the queue "q" with attributes:
      | KmsMasterKeyId       | key  |
      | SqsManagedSseEnabled | true |
    Then the call fails with InvalidAttributeName and message "You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE."
