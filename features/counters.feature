Feature: the approximate numbers of messages

  @id:counters.01
  Scenario: a standard queue
    Given a queue "q" with attributes:
      | VisibilityTimeout | 30 |
    And 6 messages were sent to "q"
    Then "q" has 6 messages, 0 in flight and 0 delayed
    When I receive a message from "q"
    Then "q" has 5 messages, 1 in flight and 0 delayed
    When 31 seconds pass
    Then "q" has 6 messages, 0 in flight and 0 delayed

  @id:counters.02
  Scenario: deleted messages count nowhere
    Given a queue "q"
    And "a", "b" and "c" were sent to "q"
    When I receive a message from "q"
    And I delete the received messages from "q" in one batch
    Then "q" has 2 messages, 0 in flight and 0 delayed

  @id:counters.03
  Scenario: messages of a blocked group count as visible
    Given a FIFO queue "q.fifo"
    And "a1", "a2", "b1", "b2", "c1" and "c2" were sent to the groups of "q.fifo"
    When I receive a message from "q.fifo"
    And I receive a message from "q.fifo"
    Then "q.fifo" has 4 messages, 2 in flight and 0 delayed
    When 31 seconds pass
    Then "q.fifo" has 6 messages, 0 in flight and 0 delayed

  @id:counters.04
  Scenario: a FIFO queue, received in part and deleted
    Given a FIFO queue "q.fifo"
    And "a1", "a2" and "a3" were sent to the groups of "q.fifo"
    Then "q.fifo" has 3 messages, 0 in flight and 0 delayed
    When I receive up to 3 messages from "q.fifo"
    And I send "b1" to its group of "q.fifo"
    Then "q.fifo" has 1 message, 3 in flight and 0 delayed
    When I delete the received messages from "q.fifo" in one batch
    Then "q.fifo" has 1 message, 0 in flight and 0 delayed

  @id:counters.05 @QS-40 @gateway
  Scenario: a message of a FIFO batch that was deleted out of order stays in flight with the batch
    Given a FIFO queue "q.fifo"
    And "a1" and "a2" were sent to the groups of "q.fifo"
    When I receive up to 2 messages from "q.fifo"
    And I delete "a2" from "q.fifo"
    Then this gateway counts 0 messages, 2 in flight and 0 delayed in "q.fifo"
    When I delete "a1" from "q.fifo"
    Then this gateway counts 0 messages, 0 in flight and 0 delayed in "q.fifo"

  @id:counters.06
  Scenario: delayed messages have a number of their own
    Given a queue "q"
    And "now" was sent to "q"
    When I send a batch to "q":
      | Id | MessageBody | DelaySeconds |
      | 1  | later       | 60           |
      | 2  | much later  | 120          |
    Then "q" has 1 message, 0 in flight and 2 delayed
    When 61 seconds pass
    Then "q" has 2 messages, 0 in flight and 1 delayed
    When 60 seconds pass
    Then "q" has 3 messages, 0 in flight and 0 delayed

  @id:counters.07 @restart
  Scenario: the numbers outlive a restart
    Given a queue "q" with attributes:
      | VisibilityTimeout | 600 |
    And "a", "b" and "c" were sent to "q"
    When I receive a message from "q"
    And I send to "q":
      | MessageBody  | later |
      | DelaySeconds | 600   |
    And the gateway is stopped and started again
    Then "q" has 2 messages, 1 in flight and 1 delayed
