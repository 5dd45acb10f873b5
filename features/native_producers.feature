@gateway
Feature: beside native users of the broker

  @id:native-producers.01 @QS-20
  Scenario: a queue of the broker's is not adopted
    Given the broker has a queue "q" that nobody created here
    When I create the queue "q"
    Then this gateway fails with QueueNameExists
    When I ask for the URL of "q"
    Then this gateway fails with QueueDoesNotExist
    When I list the queues whose names begin with "q"
    Then the list names no queue

  @id:native-producers.02
  Scenario Outline: a payload that is <what> is a body
    Given a queue "q"
    When a native producer pushes '<payload>' to lane "0" of "q"
    And I receive a message from "q" asking for all attributes
    Then this gateway returns "<body>"
    And the answer has:
      | Messages.1.MD5OfBody         | ${md5:<body>} |
      | Messages.1.MessageAttributes | <absent> |

    Examples:
      | what     | payload  | body    |
      | a string | "hello"  | hello   |
      | a number | 42       | 42      |
      | a list   | [1, 2]   | [1,2]   |

  @id:native-producers.03
  Scenario: a payload that is an object is its text
    Given a queue "q"
    When a native producer pushes '{"order": 1}' to lane "0" of "q"
    And I receive a message from "q"
    Then the answer has:
      | Messages.1.Body | json:{"order":1} |

  @id:native-producers.04 @QS-28
  Scenario: a payload that looks like an envelope is read as one
    Given a queue "q"
    When a native producer pushes '{"b":"hello"}' to lane "0" of "q"
    And I receive a message from "q"
    Then this gateway returns "hello"
    When I delete "hello" from "q"
    And a native producer pushes '{"b":"hello","c":1}' to lane "0" of "q"
    And I receive a message from "q"
    Then the answer has:
      | Messages.1.Body | json:{"b":"hello","c":1} |

  @id:native-producers.05
  Scenario: a lane of a FIFO queue is a group
    Given a FIFO queue "q.fifo"
    And "a1" was sent to the groups of "q.fifo"
    When a native producer pushes '"a2"' to lane "a" of "q.fifo"
    And I receive up to 10 messages from "q.fifo" asking for the system attribute MessageGroupId
    Then this gateway returns "a1", "a2" in this order
    And the message "a2" has:
      | Attributes.MessageGroupId | a |
