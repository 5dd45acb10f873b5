@restart
Feature: a restart loses nothing

  @id:restart.01
  Scenario: queues, attributes and tags outlive a restart
    Given a queue "q" with attributes:
      | VisibilityTimeout | 77 |
      | DelaySeconds      | 3  |
    And a queue "tagged" with tags:
      | team | blue |
    When the gateway is stopped and started again
    And I ask for the URL of "q"
    Then the answer has exactly:
      | QueueUrl | ${url:q} |
    When I ask for the attributes VisibilityTimeout, DelaySeconds and QueueArn of "q"
    Then the answer has exactly:
      | Attributes.VisibilityTimeout | 77       |
      | Attributes.DelaySeconds      | 3        |
      | Attributes.QueueArn          | ${arn:q} |
    When the client calls ListQueueTags with:
      | QueueUrl | ${url:tagged} |
    Then the answer has exactly:
      | Tags.team | blue |

  @id:restart.02
  Scenario: messages outlive a restart, with their ids and attributes
    Given a queue "q"
    When I send to "q":
      | MessageBody                     | a      |
      | MessageAttributes.k.DataType    | String |
      | MessageAttributes.k.StringValue | x      |
    And the gateway is stopped and started again
    And I receive a message from "q" asking for all attributes
    Then the message "a" has:
      | MessageId                          | ${id:a}                          |
      | MD5OfMessageAttributes             | a45daa70926828a2f0a1db3418e6feb4 |
      | Attributes.ApproximateReceiveCount | 1                                |

  @id:restart.03
  Scenario: a message in flight stays in flight, and its handle stays good
    Given a queue "q" with attributes:
      | VisibilityTimeout | 60 |
    And a queue "r" with attributes:
      | VisibilityTimeout | 60 |
    And "a" was sent to "q"
    And "b" was sent to "r"
    When I receive a message from "q"
    And I receive a message from "r"
    And the gateway is stopped and started again
    And I receive up to 10 messages from "q"
    Then the receive returns nothing
    And "q" has 0 messages, 1 in flight and 0 delayed
    When I receive up to 10 messages from "r"
    Then the receive returns nothing
    And "r" has 0 messages, 1 in flight and 0 delayed
    When I delete "a" from "q"
    Then the call succeeds
    When 61 seconds pass
    And I receive up to 10 messages from "q"
    Then the receive returns nothing
    When I receive up to 10 messages from "r" asking for the system attribute ApproximateReceiveCount
    Then the receive returns "b"
    And the message "b" has:
      | Attributes.ApproximateReceiveCount | 2 |

  @id:restart.04
  Scenario: a deleted message stays deleted
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I delete "a" from "q"
    And the gateway is stopped and started again
    And 31 seconds pass
    And I receive a message from "q"
    Then the receive returns nothing

  @id:restart.05
  Scenario: a delayed message arrives after a restart
    Given a queue "q"
    When I send to "q":
      | MessageBody  | later |
      | DelaySeconds | 60    |
    And the gateway is stopped and started again
    Then "q" has 0 messages, 0 in flight and 1 delayed
    When 61 seconds pass
    And I receive a message from "q"
    Then the receive returns "later"

  @id:restart.06
  Scenario: a deleted queue stays deleted, and its name taken
    Given a queue "q"
    When I delete the queue "q"
    And the gateway is stopped and started again
    And I ask for the URL of "q"
    Then the call fails with QueueDoesNotExist
    When I create the queue "q"
    Then the call fails with QueueDeletedRecently and its standard message
