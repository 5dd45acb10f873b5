Feature: TagQueue, UntagQueue and ListQueueTags

  @id:queue-tags.01
  Scenario: a queue without tags answers no tags
    Given a queue "q"
    When the client calls ListQueueTags with:
      | QueueUrl | ${url:q} |
    Then the answer has nothing in it

  @id:queue-tags.02
  Scenario: tags are added, overwritten and removed
    Given a queue "q" with tags:
      | a | 1 |
      | b | 2 |
    When the client calls TagQueue with:
      | QueueUrl | ${url:q} |
      | Tags.b   | 22       |
      | Tags.c   |          |
    Then the answer has nothing in it
    When the client calls ListQueueTags with:
      | QueueUrl | ${url:q} |
    Then the answer has exactly:
      | Tags.a | 1  |
      | Tags.b | 22 |
      | Tags.c |    |
    When the client calls UntagQueue with:
      | QueueUrl | ${url:q} |
      | TagKeys  | a, c     |
    Then the answer has nothing in it
    When the client calls ListQueueTags with:
      | QueueUrl | ${url:q} |
    Then the answer has exactly:
      | Tags.b | 22 |
    When the client calls UntagQueue with:
      | QueueUrl | ${url:q} |
      | TagKeys  | b        |
    And the client calls ListQueueTags with:
      | QueueUrl | ${url:q} |
    Then the answer has nothing in it

  @id:queue-tags.03
  Scenario: keys are case-sensitive
    Given a queue "q"
    When the client calls TagQueue with:
      | QueueUrl   | ${url:q} |
      | Tags.MyTag | x        |
      | Tags.mytag | y        |
    And the client calls ListQueueTags with:
      | QueueUrl | ${url:q} |
    Then the answer has exactly:
      | Tags.MyTag | x |
      | Tags.mytag | y |

  @id:queue-tags.04
  Scenario: a key that is not there is removed without complaint
    Given a queue "q"
    When the client calls UntagQueue with:
      | QueueUrl | ${url:q} |
      | TagKeys  | none     |
    Then the call succeeds

  @id:queue-tags.05
  Scenario: no tags, no keys
    Given a queue "q"
    When the client calls TagQueue with:
      | QueueUrl | ${url:q} |
    Then the call fails with MissingParameter
    When the client calls UntagQueue with:
      | QueueUrl | ${url:q} |
    Then the call fails with MissingParameter

  @id:queue-tags.06
  Scenario Outline: <action> of a missing queue
    When the client calls <action> with:
      | QueueUrl | ${url:missing} |
      | <member> | <value>        |
    Then the call fails with QueueDoesNotExist and its standard message

    Examples:
      | action     | member  | value |
      | TagQueue   | Tags.a  | 1     |
      | UntagQueue | TagKeys | a     |

  @id:queue-tags.07 @query
  Scenario: tags are flattened pairs of Key and Value
    Given a queue "q" with tags:
      | a | 1 |
    When the client calls ListQueueTags with:
      | QueueUrl | ${url:q} |
    Then the answer on the wire contains '<Tag>' 1 time
    And the answer on the wire contains '<Key>a</Key>'
    And the answer on the wire contains '<Value>1</Value>'
    And the answer on the wire does not contain '<Tags>'
    And the answer on the wire does not contain '<entry>'
