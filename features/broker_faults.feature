@broken-broker @gateway
Feature: A broker that fails
  The broker is down, hangs, answers nonsense or refuses, and the client is told
  so in a way that its SDK retries where a retry can help. The gateway itself
  retries nothing that might happen twice, and is well again with its broker.

  Background:
    Given a queue "q"
    And a queue "r"
    And a FIFO queue "q.fifo"
    And a FIFO queue "r.fifo"
    And "held" was sent to "q"
    When I receive a message from "q" with a visibility timeout of 600 seconds
    Then the receive returns "held"
    When I send to "q.fifo":
      | MessageBody            | first |
      | MessageGroupId         | g     |
      | MessageDeduplicationId | 1     |
    And I receive a message from "q.fifo" with a visibility timeout of 600 seconds
    Then the receive returns "first"
    And the client can receive
    And the client can receive from a group

  # Each call is carried out at most once, whatever became of its answer.
  @id:broker-faults.01
  Scenario Outline: no answer: the broker <fault> while a client tries to <call>
    When the broker <fault>
    And the client tries to <call>
    Then the call fails with ServiceUnavailable
    And an SDK sends it again
    And the broker got <n> <route> calls
    When the fault ends
    Then the client can <call>
    And nothing of the calls is left in the gateway

    Examples:
      | fault                                 | call                  | n | route  |
      | is down                               | send                  | 0 | push   |
      | is down                               | send a batch          | 0 | push   |
      | is down                               | send later            | 0 | timers |
      | is down                               | send to a group       | 0 | push   |
      | is down                               | receive               | 0 | pop    |
      | hangs                                 | receive up to ten     | 1 | pop    |
      | is down                               | receive up to ten     | 0 | pop    |
      | is down                               | wait for a message    | 0 | pop    |
      | is down                               | receive from a group  | 0 | pop    |
      | is down                               | delete                | 0 | ack    |
      | is down                               | change the visibility | 0 | lease  |
      | is down                               | give the message back | 0 | ack    |
      | is down                               | delete of a group     | 0 | kv     |
      | is down                               | create a queue        | 0 | kv     |
      | hangs                                 | send                  | 1 | push   |
      | hangs                                 | send a batch          | 1 | push   |
      | hangs                                 | send later            | 1 | timers |
      | hangs                                 | send to a group       | 1 | push   |
      | hangs                                 | receive               | 1 | pop    |
      | hangs                                 | wait for a message    | 1 | pop    |
      | hangs                                 | receive from a group  | 1 | pop    |
      | hangs                                 | delete                | 1 | ack    |
      | hangs                                 | change the visibility | 1 | lease  |
      | hangs                                 | delete of a group     | 1 | kv     |
      | hangs                                 | create a queue        | 1 | kv     |
      | resets connections                    | send                  | 0 | push   |
      | resets connections                    | send a batch          | 0 | push   |
      | resets connections                    | receive               | 0 | pop    |
      | resets connections                    | wait for a message    | 0 | pop    |
      | resets connections                    | delete                | 0 | ack    |
      | resets connections                    | change the visibility | 0 | lease  |
      | resets connections                    | create a queue        | 0 | kv     |
      | resets before it answers              | send                  | 1 | push   |
      | resets before it answers              | send a batch          | 1 | push   |
      | resets before it answers              | send later            | 1 | timers |
      | resets before it answers              | send to a group       | 1 | push   |
      | resets before it answers              | receive               | 1 | pop    |
      | resets before it answers              | wait for a message    | 1 | pop    |
      | resets before it answers              | receive from a group  | 1 | pop    |
      | resets before it answers              | delete                | 1 | ack    |
      | resets before it answers              | change the visibility | 1 | lease  |
      | resets before it answers              | delete of a group     | 1 | kv     |
      | resets before it answers              | create a queue        | 1 | kv     |
      | breaks off in the head of an answer   | send                  | 1 | push   |
      | breaks off in the head of an answer   | receive               | 1 | pop    |
      | breaks off in the head of an answer   | delete                | 1 | ack    |
      | breaks off in the middle of an answer | send                  | 1 | push   |
      | breaks off in the middle of an answer | send a batch          | 1 | push   |
      | breaks off in the middle of an answer | receive               | 1 | pop    |
      | breaks off in the middle of an answer | wait for a message    | 1 | pop    |
      | breaks off in the middle of an answer | delete                | 1 | ack    |
      | breaks off in the middle of an answer | change the visibility | 1 | lease  |
      | breaks off in the middle of an answer | create a queue        | 1 | kv     |

  @id:broker-faults.02
  Scenario Outline: a refusal: the broker <fault> while a client tries to <call>
    When the broker <fault>
    And the client tries to <call>
    Then the call fails with <code>
    And an SDK sends it again
    And the broker got 1 <route> call
    When the fault ends
    Then the client can <call>
    And nothing of the calls is left in the gateway

    Examples:
      | fault                         | call                  | code               | route  |
      | answers 429                   | send                  | RequestThrottled   | push   |
      | answers 429                   | send a batch          | RequestThrottled   | push   |
      | answers 429                   | send later            | RequestThrottled   | timers |
      | answers 429                   | receive               | RequestThrottled   | pop    |
      | answers 429                   | wait for a message    | RequestThrottled   | pop    |
      | answers 429                   | delete                | RequestThrottled   | ack    |
      | answers 429                   | change the visibility | RequestThrottled   | lease  |
      | answers 429                   | delete of a group     | RequestThrottled   | kv     |
      | answers 429                   | create a queue        | RequestThrottled   | kv     |
      | answers 500                   | send                  | ServiceUnavailable | push   |
      | answers 500                   | send a batch          | ServiceUnavailable | push   |
      | answers 500                   | receive               | ServiceUnavailable | pop    |
      | answers 500                   | wait for a message    | ServiceUnavailable | pop    |
      | answers 500                   | delete                | ServiceUnavailable | ack    |
      | answers 500                   | change the visibility | ServiceUnavailable | lease  |
      | answers 500                   | create a queue        | ServiceUnavailable | kv     |
      | answers 502 with a page       | send                  | ServiceUnavailable | push   |
      | answers 502 with a page       | receive               | ServiceUnavailable | pop    |
      | answers 503 and Retry-After 1 | send                  | ServiceUnavailable | push   |
      | answers 503 and Retry-After 1 | send a batch          | ServiceUnavailable | push   |
      | answers 503 and Retry-After 1 | send later            | ServiceUnavailable | timers |
      | answers 503 and Retry-After 1 | receive               | ServiceUnavailable | pop    |
      | answers 503 and Retry-After 1 | wait for a message    | ServiceUnavailable | pop    |
      | answers 503 and Retry-After 1 | delete                | ServiceUnavailable | ack    |
      | answers 503 and Retry-After 1 | change the visibility | ServiceUnavailable | lease  |
      | answers 503 and Retry-After 1 | create a queue        | ServiceUnavailable | kv     |
      | answers garbage               | send                  | InternalFailure    | push   |
      | answers garbage               | send a batch          | InternalFailure    | push   |
      | answers garbage               | receive               | InternalFailure    | pop    |
      | answers garbage               | wait for a message    | InternalFailure    | pop    |
      | answers garbage               | delete                | InternalFailure    | ack    |
      | answers garbage               | change the visibility | InternalFailure    | lease  |
      | answers garbage               | create a queue        | InternalFailure    | kv     |
      | answers half of its JSON      | send                  | InternalFailure    | push   |
      | answers half of its JSON      | send a batch          | InternalFailure    | push   |
      | answers half of its JSON      | receive               | InternalFailure    | pop    |
      | answers half of its JSON      | wait for a message    | InternalFailure    | pop    |
      | answers half of its JSON      | delete                | InternalFailure    | ack    |
      | answers half of its JSON      | change the visibility | InternalFailure    | lease  |
      | answers half of its JSON      | create a queue        | InternalFailure    | kv     |
      | answers for other items       | send                  | InternalFailure    | push   |
      | answers for other items       | send a batch          | InternalFailure    | push   |
      | answers for other items       | delete                | InternalFailure    | ack    |
      | answers for other items       | create a queue        | InternalFailure    | kv     |
      | buffers what is pushed        | send                  | ServiceUnavailable | push   |
      | buffers what is pushed        | send to a group       | ServiceUnavailable | push   |
      | has lost its database         | send                  | ServiceUnavailable | push   |
      | has lost its database         | send later            | ServiceUnavailable | timers |
      | has lost its database         | delete                | ServiceUnavailable | ack    |
      | has lost its database         | change the visibility | ServiceUnavailable | lease  |
      | has lost its database         | give the message back | ServiceUnavailable | ack    |
      | has lost its database         | delete of a group     | ServiceUnavailable | kv     |
      | has lost its database         | create a queue        | ServiceUnavailable | kv     |

  @id:broker-faults.03
  Scenario: a batch of which every message was only buffered fails entry by entry
    When the broker buffers what is pushed
    And the client tries to send a batch
    Then the entries fail with ServiceUnavailable, which is not the sender's fault
    And the broker got 1 push call

  @id:broker-faults.04
  Scenario: a batch of deletes that could not be written fails entry by entry
    When the broker has lost its database
    And the client tries to delete a batch
    Then the entries fail with ServiceUnavailable, which is not the sender's fault

  @id:broker-faults.05
  Scenario Outline: how long to wait is passed on with a throttle: <call>
    When the broker answers 429 and Retry-After 7
    And the client tries to <call>
    Then the call fails with RequestThrottled
    And the header "retry-after" is "7"

    Examples:
      | call                  |
      | send                  |
      | receive               |
      | delete                |
      | change the visibility |
      | create a queue        |

  @id:broker-faults.06
  Scenario: a throttle without a time says one second
    When the broker answers 429
    And the client tries to send
    Then the call fails with RequestThrottled
    And the header "retry-after" is "1"

  @id:broker-faults.07
  Scenario Outline: what no retry can help: the broker <fault> while a client tries to <call>
    When the broker <fault>
    And the client tries to <call>
    Then the call fails with <code>
    And an SDK does not send it again
    And the broker got 1 <route> call
    When the fault ends
    Then the client can <call>

    Examples:
      | fault       | call                  | code              | route |
      | answers 401 | send                  | AccessDenied      | push  |
      | answers 401 | receive               | AccessDenied      | pop   |
      | answers 401 | create a queue        | AccessDenied      | kv    |
      | answers 403 | send a batch          | AccessDenied      | push  |
      | answers 403 | wait for a message    | AccessDenied      | pop   |
      | answers 403 | delete                | AccessDenied      | ack   |
      | answers 403 | change the visibility | AccessDenied      | lease |
      | answers 404 | send                  | QueueDoesNotExist | push  |
      | answers 404 | receive               | QueueDoesNotExist | pop   |

  @id:broker-faults.08
  Scenario Outline: a broker that <fault> is waited for: <call>
    When the broker <fault>
    Then the client can <call>
    When the fault ends
    Then the client can <call>

    Examples:
      | fault             | call                  |
      | is slow           | send                  |
      | is slow           | send a batch          |
      | is slow           | receive               |
      | is slow           | wait for a message    |
      | is slow           | delete                |
      | is slow           | change the visibility |
      | is slow           | create a queue        |
      | has a narrow line | send                  |
      | has a narrow line | receive               |
      | has a narrow line | send a batch          |

  @id:broker-faults.09
  Scenario: a receive gives back what it claimed when it could not keep its record
    Given the client can send to a group
    When the broker answers 429 to kv calls
    And the client tries to receive from a group
    Then the call fails with RequestThrottled
    And an SDK sends it again
    And the broker got 1 pop call
    And the broker got 1 ack call
    When the fault ends
    And I receive a message from "r.fifo"
    Then the receive returns "sent"

  @id:broker-faults.10
  Scenario: a FIFO delete is kept when only its ack could not be written
    When the broker answers 500 to ack calls
    Then the client can delete of a group
    And the broker got 1 ack call
    When the fault ends
    And I change the visibility of "first" in "q.fifo" to 0 seconds
    Then the call is refused

  @id:broker-faults.11
  Scenario: a broker that cannot list its queues keeps nobody from its messages
    When the broker answers 500 to queues calls
    And the client tries to create a queue
    Then the call fails with ServiceUnavailable
    And the client can send
    When the fault ends
    Then the client can create a queue

  @id:broker-faults.12
  Scenario Outline: no header of a client reaches the broker: <call>
    Given requests carry the header "X-Queen-Tenant: acme-tenant"
    When the client tries to <call>
    Then the call succeeds
    And no call to the broker has the header "X-Queen-Tenant" or the text "acme-tenant"
    And no call to the broker has the header "X-Amz-Date" or the text "AKIDCONFORMANCE"
    And every call to the broker carries the gateway's own token

    Examples:
      | call                  |
      | send                  |
      | send a batch          |
      | receive               |
      | delete                |
      | change the visibility |
      | create a queue        |
