Feature: delays

  @id:delays.01 @QS-11
  Scenario: a message's delay and its queue's
    Given a queue "q" with attributes:
      | DelaySeconds | 10 |
    When I send to "q":
      | MessageBody  | a  |
      | DelaySeconds | 30 |
    And 31 seconds pass
    And I receive a message from "q"
    Then this gateway returns nothing
    But Amazon returns "a"
    When 10 seconds pass
    And I receive a message from "q"
    Then this gateway returns "a"

  @id:delays.02 @QS-11
  Scenario: a delay of zero in a queue that delays
    Given a queue "q" with attributes:
      | DelaySeconds | 10 |
    When I send to "q":
      | MessageBody  | a |
      | DelaySeconds | 0 |
    And I receive a message from "q"
    Then this gateway returns nothing
    But Amazon returns "a"
    When 11 seconds pass
    And I receive a message from "q"
    Then this gateway returns "a"

  @id:delays.03
  Scenario: each entry of a batch has its own delay
    Given a queue "q"
    When I send a batch to "q":
      | Id    | MessageBody | DelaySeconds |
      | now   | a           |              |
      | soon  | b           | 10           |
      | later | c           | 900          |
    Then the answer has:
      | Successful.1.Id        | now      |
      | Successful.2.Id        | soon     |
      | Successful.2.MessageId | <uuid>   |
      | Successful.3.Id        | later    |
      | Failed                 | <absent> |
    When I receive and delete everything in "q"
    Then the receive returns "a"
    When 11 seconds pass
    And I receive and delete everything in "q"
    Then the receive returns "b"
    When 15 minutes pass
    And I receive and delete everything in "q"
    Then the receive returns "c"

  @id:delays.04
  Scenario: a delayed message has the id of its send and its attributes
    Given a queue "q"
    When I send to "q":
      | MessageBody                     | a      |
      | DelaySeconds                    | 10     |
      | MessageAttributes.k.DataType    | String |
      | MessageAttributes.k.StringValue | x      |
    And 11 seconds pass
    And I receive a message from "q" asking for all attributes
    Then the message "a" has:
      | MessageId                          | ${id:a}                          |
      | MD5OfMessageAttributes             | a45daa70926828a2f0a1db3418e6feb4 |
      | Attributes.ApproximateReceiveCount | 1                                |

  @id:delays.05
  Scenario: a queue's delay set later holds for what is sent later
    Given a queue "q"
    When I set the attributes of "q":
      | DelaySeconds | 10 |
    And I send "a" to "q"
    And I receive a message from "q"
    Then the receive returns nothing
    When 11 seconds pass
    And I receive a message from "q"
    Then the receive returns "a"

  @id:delays.06
  Scenario: delayed messages of a deleted queue do not bring it back
    Given a queue "q"
    When I send to "q":
      | MessageBody  | a  |
      | DelaySeconds | 10 |
    And I delete the queue "q"
    And 61 seconds pass
    And I ask for the URL of "q"
    Then the call fails with QueueDoesNotExist
    When I create the queue "q"
    Then the call succeeds
    When I receive a message from "q"
    Then the receive returns nothing

  @id:delays.07 @restart
  Scenario: delayed messages that fall due while the gateway is down
    Given a queue "q"
    When I send a batch to "q":
      | Id | MessageBody | DelaySeconds |
      | 1  | a           | 10           |
      | 2  | b           | 600          |
    And the gateway is stopped and started again
    And 11 seconds pass
    And I receive and delete everything in "q"
    Then the receive returns "a"
    When the gateway is stopped and started again
    And 10 minutes pass
    And I receive and delete everything in "q"
    Then the receive returns "b"
