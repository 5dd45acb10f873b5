Feature: CreateQueue

  @id:create-queue.01
  Scenario: the answer is the queue's URL
    When I create the queue "q"
    Then the answer has exactly:
      | QueueUrl | <text> |
    And the answer's QueueUrl is the URL of "q"

  @id:create-queue.02
  Scenario: a request repeated as it was answers the same URL
    When I create the queue "q" with attributes:
      | VisibilityTimeout             | 69 |
      | ReceiveMessageWaitTimeSeconds | 1  |
    And the answer's QueueUrl is remembered as "first"
    And I create the queue "q" with attributes:
      | VisibilityTimeout             | 69 |
      | ReceiveMessageWaitTimeSeconds | 1  |
    Then the answer's QueueUrl is "${first}"

  @id:create-queue.03
  Scenario: a request without attributes fits whatever the queue has
    Given a queue "q" with attributes:
      | VisibilityTimeout             | 69 |
      | ReceiveMessageWaitTimeSeconds | 1  |
    When I create the queue "q"
    Then the answer's QueueUrl is "${url:q}"

  @id:create-queue.04
  Scenario: a request with some of the attributes fits too
    Given a queue "q" with attributes:
      | DelaySeconds                  | 1 |
      | ReceiveMessageWaitTimeSeconds | 1 |
    When I create the queue "q" with attributes:
      | DelaySeconds | 1 |
    Then the answer's QueueUrl is "${url:q}"

  @id:create-queue.05
  Scenario: an attribute named with its default value fits a queue that was made without it
    Given a queue "q"
    When I create the queue "q" with attributes:
      | VisibilityTimeout      | 30     |
      | MessageRetentionPeriod | 345600 |
      | DelaySeconds           | 0      |
    Then the answer's QueueUrl is "${url:q}"

  @id:create-queue.06
  Scenario: a number is compared as a number
    Given a queue "q" with attributes:
      | DelaySeconds | 5 |
    When I create the queue "q" with attributes:
      | DelaySeconds | 05 |
    Then this gateway succeeds

  @id:create-queue.07
  Scenario: a contradicting attribute is refused
    Given a queue "q" with attributes:
      | ReceiveMessageWaitTimeSeconds | 1 |
      | DelaySeconds                  | 1 |
    When I create the queue "q" with attributes:
      | ReceiveMessageWaitTimeSeconds | 1 |
      | DelaySeconds                  | 2 |
    Then the call fails with QueueNameExists and message "A queue already exists with the same name and a different value for attribute DelaySeconds"

  @id:create-queue.08
  Scenario: what is compared are the queue's values of now
    Given a queue "q" with attributes:
      | ReceiveMessageWaitTimeSeconds | 1 |
      | DelaySeconds                  | 1 |
    When I set the attributes of "q":
      | DelaySeconds | 2 |
    And I create the queue "q" with attributes:
      | ReceiveMessageWaitTimeSeconds | 1 |
      | DelaySeconds                  | 2 |
    Then the answer's QueueUrl is "${url:q}"
    When I create the queue "q" with attributes:
      | ReceiveMessageWaitTimeSeconds | 1 |
      | DelaySeconds                  | 1 |
    Then the call fails with QueueNameExists and message "A queue already exists with the same name and a different value for attribute DelaySeconds"

  @id:create-queue.09
  Scenario: messages in the queue are no contradiction
    Given a queue "q"
    And "a" was sent to "q"
    When I send to "q":
      | MessageBody  | later |
      | DelaySeconds | 900   |
    And I create the queue "q"
    Then the answer's QueueUrl is "${url:q}"

  @id:create-queue.10
  Scenario: a FIFO queue is created again as it was
    When I create the queue "q.fifo" with attributes:
      | FifoQueue | true |
    And the answer's QueueUrl is remembered as "first"
    And I create the queue "q.fifo" with attributes:
      | FifoQueue | true |
    Then the answer's QueueUrl is "${first}"

  @id:create-queue.11
  Scenario: a FIFO queue refuses another ContentBasedDeduplication
    Given a FIFO queue "q.fifo" with attributes:
      | ContentBasedDeduplication | true |
    When I create the queue "q.fifo" with attributes:
      | FifoQueue                 | true  |
      | ContentBasedDeduplication | false |
    Then the call fails with QueueNameExists and message "A queue already exists with the same name and a different value for attribute ContentBasedDeduplication"

  @id:create-queue.12
  Scenario: booleans are read in any case
    When I create the queue "q.fifo" with attributes:
      | FifoQueue                 | True |
      | ContentBasedDeduplication | TRUE |
    Then the call succeeds
    When I create the queue "q.fifo" with attributes:
      | FifoQueue                 | true |
      | ContentBasedDeduplication | true |
    Then the call succeeds

  @id:create-queue.13
  Scenario: a FIFO queue's name ends with .fifo
    When I create the queue "q" with attributes:
      | FifoQueue | true |
    Then the call fails with InvalidParameterValue and message "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length"

  @id:create-queue.14
  Scenario: a name that ends with .fifo wants FifoQueue
    When I create the queue "q.fifo"
    Then the call fails with InvalidParameterValue and a message containing "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"

  @id:create-queue.15 @QS-21
  Scenario: a FIFO queue is created again without FifoQueue
    Given a FIFO queue "q.fifo"
    When I create the queue "q.fifo"
    Then this gateway succeeds

  @id:create-queue.16 @QS-22
  Scenario: tags of a repeated request change nothing
    Given a queue "q" with tags:
      | team | a |
    When I create the queue "q" with tags:
      | team  | b |
      | other | c |
    Then this gateway succeeds
    When the client calls ListQueueTags with:
      | QueueUrl | ${url:q} |
    Then this gateway's answer has exactly:
      | Tags.team | a |

  @id:create-queue.17
  Scenario Outline: a standard queue takes no FIFO attribute, not even <attribute>=<value>
    When I create the queue "q" with attributes:
      | <attribute> | <value> |
    Then the call fails with InvalidAttributeName and message "<message>"

    Examples:
      | attribute                 | value    | message                                                                    |
      | FifoQueue                 | false    | Unknown Attribute FifoQueue.                                               |
      | ContentBasedDeduplication | false    | Unknown Attribute ContentBasedDeduplication.                               |
      | DeduplicationScope        | queue    | You can specify the DeduplicationScope only when FifoQueue is set to true. |
      | FifoThroughputLimit       | perQueue | You can specify the FifoThroughputLimit only when FifoQueue is set to true. |

  @id:create-queue.18
  Scenario Outline: the name "<name>" is refused
    When the client calls CreateQueue with:
      | QueueName | <name> |
    Then the call fails with InvalidParameterValue and message "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"

    Examples:
      | name        |
      | a/b         |
      | queue/1/    |
      | with space  |
      | a.b         |
      | é           |
      | ${x*81}     |
      | .fifo       |

  @id:create-queue.19
  Scenario: a name of 80 characters is accepted
    When I create the queue "abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-abcd"
    Then the call fails with InvalidParameterValue
    When I create the queue "abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-abc"
    Then the call succeeds

  @id:create-queue.20
  Scenario: a name is required
    When the client calls CreateQueue
    Then the call fails with MissingParameter and message "The request must contain the parameter QueueName."

  @id:create-queue.21
  Scenario: an unknown attribute is refused
    When I create the queue "q" with attributes:
      | Foobar | 1 |
    Then the call fails with InvalidAttributeName and a message containing "Unknown Attribute Foobar"

  @id:create-queue.22 @QS-45
  Scenario Outline: <attribute>=<value> is out of range
    When I create the queue "q" with attributes:
      | <attribute> | <value> |
    Then the call is refused with the status 400
    And this gateway fails with InvalidParameterValue and a message containing "Invalid value for the parameter <attribute>"
    When I ask for the URL of "q"
    Then the call fails with QueueDoesNotExist and its standard message

    Examples:
      | attribute                     | value   |
      | VisibilityTimeout             | -1      |
      | VisibilityTimeout             | 43201   |
      | VisibilityTimeout             | soon    |
      | MessageRetentionPeriod        | 59      |
      | MessageRetentionPeriod        | 1209601 |
      | MaximumMessageSize            | 1023    |
      | MaximumMessageSize            | 1048577 |
      | DelaySeconds                  | -1      |
      | DelaySeconds                  | 901     |
      | ReceiveMessageWaitTimeSeconds | 21      |
      | KmsDataKeyReusePeriodSeconds  | 59      |
      | KmsDataKeyReusePeriodSeconds  | 86401   |
      | SqsManagedSseEnabled          | perhaps |

  @id:create-queue.23
  Scenario: the ends of every range are accepted
    When I create the queue "low" with attributes:
      | VisibilityTimeout             | 0    |
      | MessageRetentionPeriod        | 60   |
      | MaximumMessageSize            | 1024 |
      | DelaySeconds                  | 0    |
      | ReceiveMessageWaitTimeSeconds | 0    |
    Then the call succeeds
    When I create the queue "high" with attributes:
      | VisibilityTimeout             | 43200   |
      | MessageRetentionPeriod        | 1209600 |
      | MaximumMessageSize            | 1048576 |
      | DelaySeconds                  | 900     |
      | ReceiveMessageWaitTimeSeconds | 20      |
    Then the call succeeds
    When I ask for the attributes VisibilityTimeout, MessageRetentionPeriod, MaximumMessageSize, DelaySeconds and ReceiveMessageWaitTimeSeconds of "high"
    Then the answer has exactly:
      | Attributes.VisibilityTimeout             | 43200   |
      | Attributes.MessageRetentionPeriod        | 1209600 |
      | Attributes.MaximumMessageSize            | 1048576 |
      | Attributes.DelaySeconds                  | 900     |
      | Attributes.ReceiveMessageWaitTimeSeconds | 20      |

  @id:create-queue.24
  Scenario: tags given at creation are listed
    Given a queue "q" with tags:
      | team  | blue |
      | Team  | red  |
      | empty |      |
    When the client calls ListQueueTags with:
      | QueueUrl | ${url:q} |
    Then the answer has exactly:
      | Tags.team  | blue |
      | Tags.Team  | red  |
      | Tags.empty |      |

  @id:create-queue.25 @QS-26 @gateway
  Scenario: the width of a standard queue is chosen at creation
    When I create the queue "wide" with attributes:
      | queen.partitions | 256 |
    Then the call succeeds
    When I ask for the attribute queen.partitions of "wide"
    Then the answer has exactly:
      | Attributes.queen.partitions | 256 |
    When I create the queue "wide" with attributes:
      | queen.partitions | 8 |
    Then the call fails with QueueNameExists and message "A queue already exists with the same name and a different value for attribute queen.partitions"

  @id:create-queue.26 @QS-26 @gateway
  Scenario Outline: queen.partitions=<value> is out of range
    When I create the queue "q" with attributes:
      | queen.partitions | <value> |
    Then the call fails with InvalidParameterValue and a message containing "queen.partitions"

    Examples:
      | value  |
      | 0      |
      | 100001 |
      | many   |
