Feature: DeleteQueue

  @id:delete-queue.01
  Scenario: a deleted queue is gone for every call
    Given a queue "q"
    And "a" was sent to "q"
    When I delete the queue "q"
    Then the answer has nothing in it
    When I ask for the URL of "q"
    Then the call fails with QueueDoesNotExist and its standard message
    When I receive a message from "q"
    Then the call fails with QueueDoesNotExist and its standard message
    When I send "b" to "q"
    Then the call fails with QueueDoesNotExist and its standard message
    When I ask for the attributes All of "q"
    Then the call fails with QueueDoesNotExist and its standard message
    When I list the queues whose names begin with "q"
    Then the list names no queue

  @id:delete-queue.02
  Scenario: a queue that never was cannot be deleted
    When I delete the queue "missing"
    Then the call fails with QueueDoesNotExist and its standard message

  @id:delete-queue.03
  Scenario: a queue cannot be deleted twice
    Given a queue "q"
    When I delete the queue "q"
    Then the call succeeds
    When I delete the queue "q"
    Then the call fails with QueueDoesNotExist and its standard message

  @id:delete-queue.04
  Scenario: the name stays taken for a minute
    Given a queue "q"
    When I delete the queue "q"
    And I create the queue "q"
    Then the call fails with QueueDeletedRecently and its standard message
    When 58 seconds pass
    And I create the queue "q"
    Then the call fails with QueueDeletedRecently and its standard message
    When 3 seconds pass
    And I create the queue "q"
    Then the call succeeds

  @id:delete-queue.05
  Scenario: a queue of the same name begins empty
    Given a queue "q" with attributes:
      | VisibilityTimeout | 7 |
    And "old" was sent to "q"
    When I delete the queue "q"
    And 61 seconds pass
    And I create the queue "q"
    Then the call succeeds
    When I receive up to 10 messages from "q"
    Then the receive returns nothing
    When I ask for the attributes VisibilityTimeout and ApproximateNumberOfMessages of "q"
    Then the answer has exactly:
      | Attributes.VisibilityTimeout           | 30 |
      | Attributes.ApproximateNumberOfMessages | 0  |

  @id:delete-queue.06
  Scenario: a queue URL is required
    When the client calls DeleteQueue
    Then the call fails with MissingParameter and message "The request must contain the parameter QueueUrl."

  @id:delete-queue.07 @query
  Scenario: the answer has no result element
    Given a queue "q"
    When I delete the queue "q"
    Then the XML root is "DeleteQueueResponse" in the namespace "http://queue.amazonaws.com/doc/2012-11-05/"
    And the answer on the wire does not contain 'DeleteQueueResult'
    And the answer on the wire contains '<ResponseMetadata>'
