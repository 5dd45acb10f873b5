Feature: long polls

  @id:long-poll.01
  Scenario: a short poll does not wait
    Given a queue "q" with attributes:
      | ReceiveMessageWaitTimeSeconds | 0 |
    When I receive a message from "q"
    Then the receive returns nothing

  @id:long-poll.02
  Scenario: a long poll that nobody feeds ends empty at its time
    Given a queue "q"
    When a receive from "q" waits for up to 20 seconds
    And 15 seconds pass
    Then the waiting receive is still waiting
    And the waiting receive returns nothing

  @id:long-poll.03
  Scenario: a message ends the wait
    Given a queue "q"
    When a receive from "q" waits for up to 20 seconds
    And 1 second passes
    And I send "a" to "q"
    Then the waiting receive returns "a"

  @id:long-poll.04
  Scenario: the queue's own wait holds for a receive without one
    Given a queue "q" with attributes:
      | ReceiveMessageWaitTimeSeconds | 20 |
    When a receive from "q" waits as long as the queue says
    And 1 second passes
    Then the waiting receive is still waiting
    When I send "a" to "q"
    Then the waiting receive returns "a"

  @id:long-poll.05
  Scenario: a wait of zero overrules the queue's
    Given a queue "q" with attributes:
      | ReceiveMessageWaitTimeSeconds | 20 |
    When I receive a message from "q" waiting up to 0 seconds
    Then the receive returns nothing

  @id:long-poll.06
  Scenario: a long poll takes what is there and does not wait for more
    Given a queue "q"
    And "a" and "b" were sent to "q"
    When I receive up to 10 messages from "q" waiting up to 20 seconds
    Then the receive returns at least 1 message
    When I receive and delete everything in "q"
    Then the call succeeds

  @id:long-poll.07
  Scenario: a delayed message ends the wait when its time has come
    Given a queue "q"
    When I send to "q":
      | MessageBody  | later |
      | DelaySeconds | 5     |
    And a receive from "q" waits for up to 20 seconds
    And 3 seconds pass
    Then the waiting receive is still waiting
    When 3 seconds pass
    Then the waiting receive returns "later"

  @id:long-poll.08
  Scenario: a message whose visibility ends ends the wait
    Given a queue "q" with attributes:
      | VisibilityTimeout | 5 |
    And "a" was sent to "q"
    When I receive a message from "q"
    Then the receive returns "a"
    When a receive from "q" waits for up to 20 seconds
    And 3 seconds pass
    Then the waiting receive is still waiting
    When 3 seconds pass
    Then the waiting receive returns "a"

  @id:long-poll.09
  Scenario: a released message ends the wait
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And a receive from "q" waits for up to 20 seconds
    And 1 second passes
    And I change the visibility of "a" in "q" to 0 seconds
    Then the waiting receive returns "a"
