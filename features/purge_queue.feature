Feature: PurgeQueue

  @id:purge-queue.01 @QS-17
  Scenario: a purged queue is empty and goes on working
    Given a queue "q"
    And "a", "b" and "c" were sent to "q"
    When the client calls PurgeQueue with:
      | QueueUrl | ${url:q} |
    Then the answer has nothing in it
    And "q" has 0 messages, 0 in flight and 0 delayed
    When I receive up to 10 messages from "q"
    Then the receive returns nothing
    When I send "d" to "q"
    And I receive and delete everything in "q"
    Then the receive returns "d"

  @id:purge-queue.02
  Scenario: messages in flight are purged too
    Given a queue "q" with attributes:
      | VisibilityTimeout | 3 |
    And 10 messages were sent to "q"
    When I receive up to 5 messages from "q"
    And the client calls PurgeQueue with:
      | QueueUrl | ${url:q} |
    And 4 seconds pass
    And I receive up to 10 messages from "q"
    Then the receive returns nothing

  @id:purge-queue.03
  Scenario: delayed messages are purged too
    Given a queue "q"
    When I send a batch to "q":
      | Id | MessageBody | DelaySeconds |
      | 1  | a           | 2            |
      | 2  | b           | 2            |
    And the client calls PurgeQueue with:
      | QueueUrl | ${url:q} |
    And 3 seconds pass
    And I receive up to 10 messages from "q"
    Then the receive returns nothing
    And "q" has 0 messages, 0 in flight and 0 delayed

  @id:purge-queue.04
  Scenario: one purge a minute
    Given a queue "q"
    When the client calls PurgeQueue with:
      | QueueUrl | ${url:q} |
    Then the call succeeds
    When the client calls PurgeQueue with:
      | QueueUrl | ${url:q} |
    Then the call fails with PurgeQueueInProgress and message "Only one PurgeQueue operation on ${name:q} is allowed every 60 seconds."
    When 61 seconds pass
    And the client calls PurgeQueue with:
      | QueueUrl | ${url:q} |
    Then the call succeeds

  @id:purge-queue.05
  Scenario: attributes and tags survive
    Given a queue "q" with attributes:
      | VisibilityTimeout | 77 |
    When the client calls TagQueue with:
      | QueueUrl  | ${url:q} |
      | Tags.team | blue     |
    And the client calls PurgeQueue with:
      | QueueUrl | ${url:q} |
    And I ask for the attribute VisibilityTimeout of "q"
    Then the answer has exactly:
      | Attributes.VisibilityTimeout | 77 |
    When the client calls ListQueueTags with:
      | QueueUrl | ${url:q} |
    Then the answer has exactly:
      | Tags.team | blue |

  @id:purge-queue.06 @QS-17 @gateway
  Scenario: a handle from before a purge addresses nothing
    Given a queue "q"
    And "a" was sent to "q"
    When I receive a message from "q"
    And the client calls PurgeQueue with:
      | QueueUrl | ${url:q} |
    And I change the visibility of "a" in "q" to 10 seconds
    Then this gateway fails with MessageNotInflight
    When I delete "a" from "q"
    Then the call succeeds

  @id:purge-queue.07
  Scenario: a missing queue
    When the client calls PurgeQueue with:
      | QueueUrl | ${url:missing} |
    Then the call fails with QueueDoesNotExist and its standard message
