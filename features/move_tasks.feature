Feature: message move tasks

  @id:move-tasks.01
  Scenario: dead letters go to the queue that is named
    Given a queue "dead"
    And a queue "to"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And "a" and "b" were sent to "dead"
    When I start moving the messages of "dead" to "to"
    Then the answer has exactly:
      | TaskHandle | <text> |
    And the latest move of "dead" is COMPLETED with 2 moved
    And the latest move of "dead" has exactly:
      | Status                            | COMPLETED      |
      | SourceArn                         | ${arn:dead}    |
      | DestinationArn                    | ${arn:to}      |
      | ApproximateNumberOfMessagesMoved  | 2              |
      | ApproximateNumberOfMessagesToMove | 2              |
      | StartedTimestamp                  | <milliseconds> |
    And "dead" has 0 messages, 0 in flight and 0 delayed
    When I receive and delete everything in "to"
    Then the receive returns "a", "b"

  @id:move-tasks.02
  Scenario: without a destination each message goes back to where it came from
    Given a queue "dead"
    And a queue "one" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And a queue "two" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And "a" was sent to "one"
    And "b" was sent to "two"
    When I receive a message from "one"
    And I change the visibility of "a" in "one" to 0 seconds
    And I receive a message from "one"
    Then the receive returns nothing
    When I receive a message from "two"
    And I change the visibility of "b" in "two" to 0 seconds
    And I receive a message from "two"
    Then the receive returns nothing
    And "dead" has 2 messages, 0 in flight and 0 delayed
    When I start moving the messages of "dead"
    Then the latest move of "dead" is COMPLETED with 2 moved
    And the latest move of "dead" has:
      | DestinationArn | <absent> |
    When I receive a message from "one" asking for all attributes
    Then the message "a" has:
      | Attributes.DeadLetterQueueSourceArn | <absent> |
    And this gateway's message "a" has:
      | Attributes.ApproximateReceiveCount | 1        |
      | Attributes.queen.originalMessageId | ${id:a}  |
      | Attributes.queen.sourceQueue       | <absent> |
    When I receive a message from "two"
    Then the receive returns "b"

  @id:move-tasks.03
  Scenario: messages of a FIFO queue keep their groups and their order
    Given a FIFO queue "dead.fifo"
    And a FIFO queue "to.fifo"
    And a FIFO queue "q.fifo" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead.fifo}","maxReceiveCount":1} |
    And "a1", "a2", "b1" and "a3" were sent to the groups of "dead.fifo"
    When I start moving the messages of "dead.fifo" to "to.fifo"
    Then the latest move of "dead.fifo" is COMPLETED with 4 moved
    When I receive everything in "to.fifo" and keep it
    Then the receive returns "a1", "a2", "a3", "b1" with each group in order

  @id:move-tasks.04
  Scenario: two messages with one deduplication id are moved once each
    Given a FIFO queue "dead.fifo"
    And a FIFO queue "to.fifo"
    And a FIFO queue "q.fifo" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead.fifo}","maxReceiveCount":1} |
    When I send to "dead.fifo":
      | MessageBody            | first |
      | MessageGroupId         | g     |
      | MessageDeduplicationId | d     |
    And 6 minutes pass
    And I send to "dead.fifo":
      | MessageBody            | second |
      | MessageGroupId         | g      |
      | MessageDeduplicationId | d      |
    And I start moving the messages of "dead.fifo" to "to.fifo"
    Then the latest move of "dead.fifo" is COMPLETED with 2 moved
    When I receive and delete everything in "to.fifo"
    Then the receive returns "first", "second" in this order
    When 6 minutes pass
    And I receive up to 10 messages from "dead.fifo"
    Then the receive returns nothing

  @id:move-tasks.05 @gateway
  Scenario: what was deleted out of order is not moved
    Given a FIFO queue "dead.fifo" with attributes:
      | VisibilityTimeout | 10 |
    And a FIFO queue "to.fifo"
    And a FIFO queue "q.fifo" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead.fifo}","maxReceiveCount":1} |
    And "a1", "a2" and "a3" were sent to the groups of "dead.fifo"
    When I receive up to 3 messages from "dead.fifo"
    And I delete "a2" from "dead.fifo"
    And 11 seconds pass
    And I start moving the messages of "dead.fifo" to "to.fifo"
    Then the latest move of "dead.fifo" is COMPLETED with 2 moved
    When I receive everything in "to.fifo" and keep it
    Then the receive returns "a1", "a3" in this order

  @id:move-tasks.06
  Scenario: a message moved back is delivered as often as a new one
    Given a queue "dead"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And "a" was sent to "q"
    When I receive a message from "q"
    And I change the visibility of "a" in "q" to 0 seconds
    And I receive a message from "q"
    And I start moving the messages of "dead"
    Then the latest move of "dead" is COMPLETED with 1 moved
    When I receive a message from "q"
    Then this gateway returns "a"
    When I change the visibility of "a" in "q" to 0 seconds
    And I receive a message from "q"
    Then this gateway returns nothing
    And "dead" has 1 message, 0 in flight and 0 delayed

  @id:move-tasks.07 @QS-37 @QS-47
  Scenario: a rate, and a cancellation
    Given a queue "dead"
    And a queue "to"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And 10 messages were sent to "dead"
    When I start moving the messages of "dead" to "to" at 1 a second
    Then the latest move of "dead" is RUNNING with 1 moved
    When 1 second passes
    Then the latest move of "dead" is RUNNING with 2 moved
    And the latest move of "dead" has exactly:
      | TaskHandle                        | <text>         |
      | Status                            | RUNNING        |
      | SourceArn                         | ${arn:dead}    |
      | DestinationArn                    | ${arn:to}      |
      | MaxNumberOfMessagesPerSecond      | 1              |
      | ApproximateNumberOfMessagesMoved  | 2              |
      | ApproximateNumberOfMessagesToMove | 10             |
      | StartedTimestamp                  | <milliseconds> |
    When I cancel moving the messages of "dead"
    Then the answer has exactly:
      | ApproximateNumberOfMessagesMoved | 2 |
    When 1 second passes
    Then the latest move of "dead" is CANCELLED
    And the latest move of "dead" has:
      | TaskHandle | <absent> |
    And this gateway counts 8 messages, 0 in flight and 0 delayed in "dead"

  @id:move-tasks.08
  Scenario: a rate of one a second takes its time
    Given a queue "dead"
    And a queue "to"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And 3 messages were sent to "dead"
    When I start moving the messages of "dead" to "to" at 1 a second
    Then the latest move of "dead" is RUNNING with 1 moved
    When 1 second passes
    Then the latest move of "dead" is RUNNING with 2 moved
    When 1 second passes
    Then the latest move of "dead" is RUNNING with 3 moved
    When 1 second passes
    Then the latest move of "dead" is COMPLETED with 3 moved

  @id:move-tasks.09
  Scenario: one task at a time
    Given a queue "dead"
    And a queue "to"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And 10 messages were sent to "dead"
    When I start moving the messages of "dead" to "to" at 1 a second
    Then the latest move of "dead" is RUNNING with 1 moved
    When I start moving the messages of "dead" to "to"
    Then the call fails with InvalidParameterValue and message "There is already a task running. Only one active task is allowed for a source queue arn at a given time."
    When I cancel moving the messages of "dead"
    And 1 second passes
    Then the latest move of "dead" is CANCELLED
    When I start moving the messages of "dead" to "to"
    Then the latest move of "dead" is COMPLETED

  @id:move-tasks.10
  Scenario: the destination is deleted while the task runs
    Given a queue "dead"
    And a queue "to"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And 10 messages were sent to "dead"
    When I start moving the messages of "dead" to "to" at 1 a second
    Then the latest move of "dead" is RUNNING with 1 moved
    When I delete the queue "to"
    And 1 second passes
    Then the latest move of "dead" is FAILED
    And the latest move of "dead" has:
      | FailureReason | AWS.SimpleQueueService.NonExistentQueue |
      | TaskHandle    | <absent>                                |
    And this gateway counts 9 messages, 0 in flight and 0 delayed in "dead"

  @id:move-tasks.11 @gateway
  Scenario: a message that came from nowhere has no place to go back to
    Given a queue "dead"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And "a" was sent to "dead"
    When I start moving the messages of "dead"
    Then the latest move of "dead" is FAILED with 0 moved
    And the latest move of "dead" has:
      | FailureReason | CouldNotDetermineMessageSource |
    And "dead" has 1 message, 0 in flight and 0 delayed

  @id:move-tasks.12
  Scenario: an empty queue is moved at once
    Given a queue "dead"
    And a queue "to"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    When I start moving the messages of "dead" to "to"
    Then the latest move of "dead" is COMPLETED with 0 moved

  @id:move-tasks.13
  Scenario: the newest task first
    Given a queue "dead"
    And a queue "to"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    When I start moving the messages of "dead" to "to"
    Then the latest move of "dead" is COMPLETED with 0 moved
    When I send "a" to "dead"
    And 1 second passes
    And I start moving the messages of "dead" to "to"
    Then the latest move of "dead" is COMPLETED with 1 moved
    When the client calls ListMessageMoveTasks with:
      | SourceArn  | ${arn:dead} |
      | MaxResults | 10          |
    Then the answer has:
      | Results.1.ApproximateNumberOfMessagesMoved | 1 |
      | Results.2.ApproximateNumberOfMessagesMoved | 0 |
    When the client calls ListMessageMoveTasks with:
      | SourceArn | ${arn:dead} |
    Then the answer has:
      | Results.1.ApproximateNumberOfMessagesMoved | 1        |
      | Results.2                                  | <absent> |

  @id:move-tasks.14
  Scenario: a queue without tasks
    Given a queue "q"
    When the client calls ListMessageMoveTasks with:
      | SourceArn | ${arn:q} |
    Then this gateway's answer has nothing in it

  @id:move-tasks.15
  Scenario: the source is nobody's dead-letter queue
    Given a queue "q"
    And a queue "to"
    When I start moving the messages of "q" to "to"
    Then the call fails with InvalidParameterValue and message "Source queue must be configured as a Dead Letter Queue."

  @id:move-tasks.16
  Scenario: the destination does not exist
    Given a queue "dead"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    When I start moving the messages of "dead" to "missing"
    Then the call fails with ResourceNotFoundException and message "The resource that you specified for the DestinationArn parameter doesn't exist."

  @id:move-tasks.17
  Scenario: the source does not exist
    When I start moving the messages of "missing"
    Then the call fails with ResourceNotFoundException and message "The resource that you specified for the SourceArn parameter doesn't exist."
    When the client calls ListMessageMoveTasks with:
      | SourceArn | ${arn:missing} |
    Then the call fails with ResourceNotFoundException and message "The resource that you specified for the SourceArn parameter doesn't exist."

  @id:move-tasks.18
  Scenario Outline: <action> needs its <member>
    When the client calls <action>
    Then the call fails with MissingParameter and message "The request must contain the parameter <member>."

    Examples:
      | action                | member     |
      | StartMessageMoveTask  | SourceArn  |
      | ListMessageMoveTasks  | SourceArn  |
      | CancelMessageMoveTask | TaskHandle |

  @id:move-tasks.19
  Scenario Outline: <action> with an ARN that is none
    When the client calls <action> with:
      | SourceArn | not-an-arn |
    Then the call is refused with the status 400
    And this gateway fails with InvalidParameterValue and message "You must use this format to specify the SourceArn: arn:<partition>:<service>:<region>:<account-id>:<resource-id>"

    Examples:
      | action               | partition   | service   | region   | account-id   | resource-id   |
      | StartMessageMoveTask | <partition> | <service> | <region> | <account-id> | <resource-id> |
      | ListMessageMoveTasks | <partition> | <service> | <region> | <account-id> | <resource-id> |

  @id:move-tasks.20 @gateway
  Scenario Outline: <what> as the destination
    Given a queue "dead"
    And a FIFO queue "other.fifo"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    When I start moving the messages of "dead" to "<queue>"
    Then the call fails with InvalidParameterValue and a message containing "<text>"

    Examples:
      | what                          | queue      | text              |
      | the source                    | dead       | must be different |
      | a queue of the other type     | other.fifo | of the same type  |

  @id:move-tasks.21
  Scenario Outline: a rate of <rate> is out of range
    Given a queue "dead"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    When the client calls StartMessageMoveTask with:
      | SourceArn                    | ${arn:dead} |
      | MaxNumberOfMessagesPerSecond | <rate>      |
    Then the call fails with InvalidParameterValue and a message containing "MaxNumberOfMessagesPerSecond"

    Examples:
      | rate |
      | 0    |
      | 501  |

  @id:move-tasks.22
  Scenario Outline: listing tasks with MaxResults=<value>
    Given a queue "dead"
    When the client calls ListMessageMoveTasks with:
      | SourceArn  | ${arn:dead} |
      | MaxResults | <value>     |
    Then the call fails with InvalidParameterValue and a message containing "MaxResults"

    Examples:
      | value |
      | 0     |
      | 11    |

  @id:move-tasks.23
  Scenario: a handle that was made up
    When the client calls CancelMessageMoveTask with:
      | TaskHandle | foobared |
    Then the call fails with InvalidParameterValue and message "Value for parameter TaskHandle is invalid."

  @id:move-tasks.24
  Scenario: a handle of a queue that does not exist
    Given a handle of a move of "missing" that nobody started is remembered as "task"
    When the client calls CancelMessageMoveTask with:
      | TaskHandle | ${task} |
    Then the call fails with ResourceNotFoundException and message "The resource that you specified for the SourceArn parameter doesn't exist."

  @id:move-tasks.25
  Scenario: a handle of a task that does not exist
    Given a queue "q"
    And a handle of a move of "q" that nobody started is remembered as "task"
    When the client calls CancelMessageMoveTask with:
      | TaskHandle | ${task} |
    Then the call fails with ResourceNotFoundException and message "Task does not exist."

  @id:move-tasks.26 @gateway
  Scenario: a task that is over cannot be cancelled
    Given a queue "dead"
    And a queue "to"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    When I start moving the messages of "dead" to "to"
    And the answer's TaskHandle is remembered as "task"
    Then the latest move of "dead" is COMPLETED
    When the client calls CancelMessageMoveTask with:
      | TaskHandle | ${task} |
    Then this gateway fails with UnsupportedOperation

  @id:move-tasks.27 @restart
  Scenario: a task goes on after a restart
    Given a queue "dead"
    And a queue "to"
    And a queue "q" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And 12 messages were sent to "dead"
    When I start moving the messages of "dead" to "to" at 10 a second
    Then the latest move of "dead" is RUNNING
    When the gateway is stopped and started again
    And 31 seconds pass
    Then the latest move of "dead" is RUNNING with 12 moved
    When 2 seconds pass
    Then the latest move of "dead" is COMPLETED with 12 moved
    When I receive and delete everything in "to"
    Then the receive returns 12 messages
