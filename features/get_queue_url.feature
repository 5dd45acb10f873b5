Feature: GetQueueUrl

  @id:get-queue-url.01
  Scenario: the answer is the URL the creation answered
    Given a queue "q"
    When I ask for the URL of "q"
    Then the answer has exactly:
      | QueueUrl | ${url:q} |

  @id:get-queue-url.02
  Scenario: a FIFO queue is found by its whole name
    Given a FIFO queue "q.fifo"
    When I ask for the URL of "q.fifo"
    Then the answer has exactly:
      | QueueUrl | ${url:q.fifo} |
    When I ask for the URL of "q"
    Then the call fails with QueueDoesNotExist and its standard message

  @id:get-queue-url.03
  Scenario: the owner's account may be named
    Given a queue "q"
    When the client calls GetQueueUrl with:
      | QueueName              | ${name:q}  |
      | QueueOwnerAWSAccountId | ${account} |
    Then the answer has exactly:
      | QueueUrl | ${url:q} |

  @id:get-queue-url.04
  Scenario: a missing queue
    When I ask for the URL of "missing"
    Then the call fails with QueueDoesNotExist and its standard message

  @id:get-queue-url.05
  Scenario: names are case-sensitive
    Given a queue "jobs"
    When I ask for the URL of "Jobs"
    Then the call fails with QueueDoesNotExist and its standard message

  @id:get-queue-url.06
  Scenario: a name is required
    When the client calls GetQueueUrl
    Then the call fails with MissingParameter and message "The request must contain the parameter QueueName."
