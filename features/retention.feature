Feature: MessageRetentionPeriod

  @id:retention.01
  Scenario: a message lasts as long as the queue says
    Given a queue "q" with attributes:
      | MessageRetentionPeriod | 3600 |
    And "a" was sent to "q"
    When 59 minutes pass
    And I receive a message from "q" with a visibility timeout of 5 seconds
    Then the receive returns "a"
    When 2 minutes pass
    And I receive a message from "q"
    Then the receive returns nothing
    And "q" has 0 messages, 0 in flight and 0 delayed

  @id:retention.02
  Scenario: four days unless said otherwise
    Given a queue "q"
    And "a" was sent to "q"
    When 95 hours pass
    And I receive a message from "q" with a visibility timeout of 5 seconds
    Then the receive returns "a"
    When 2 hours pass
    And I receive a message from "q"
    Then the receive returns nothing

  @id:retention.03
  Scenario: a longer period set later saves what is there
    Given a queue "q" with attributes:
      | MessageRetentionPeriod | 60 |
    And "a" was sent to "q"
    When I set the attributes of "q":
      | MessageRetentionPeriod | 1209600 |
    And 1 hour passes
    And I receive a message from "q"
    Then the receive returns "a"

  @id:retention.04
  Scenario: both groups of a FIFO queue
    Given a FIFO queue "q.fifo" with attributes:
      | MessageRetentionPeriod | 60 |
    And "a1" and "b1" were sent to the groups of "q.fifo"
    When 70 seconds pass
    And I receive everything in "q.fifo" and keep it
    Then the receive returns nothing
    When I send "a2" to its group of "q.fifo"
    And I receive a message from "q.fifo"
    Then the receive returns "a2"

  @id:retention.05
  Scenario: the younger of two stays
    Given a queue "q" with attributes:
      | MessageRetentionPeriod | 60 |
    And "old" was sent to "q"
    When 40 seconds pass
    And I send "new" to "q"
    And 30 seconds pass
    And I receive and delete everything in "q"
    Then the receive returns "new"

  @id:retention.06 @restart
  Scenario: time goes on while the gateway is down
    Given a queue "q" with attributes:
      | MessageRetentionPeriod | 60 |
    And "a" was sent to "q"
    When the gateway is stopped and started again
    And 65 seconds pass
    And I receive a message from "q"
    Then the receive returns nothing
