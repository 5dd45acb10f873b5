Feature: ListQueues

  Background:
    Given a queue "jobs-b"
    And a queue "jobs-a"
    And a queue "other"
    And a FIFO queue "jobs-c.fifo"

  @id:list-queues.01
  Scenario: a prefix selects, in the order of the names
    When I list the queues whose names begin with "jobs"
    Then the list names exactly the queues "jobs-a", "jobs-b", "jobs-c.fifo"
    When I list the queues whose names begin with "jobs-b"
    Then the list names exactly the queues "jobs-b"

  @id:list-queues.02
  Scenario: a prefix that fits none answers no list at all
    When I list the queues whose names begin with "none"
    Then the answer has nothing in it

  @id:list-queues.03 @query
  Scenario: an empty list still has its result element
    When I list the queues whose names begin with "none"
    Then the answer on the wire contains '<ListQueuesResult'
    And the answer on the wire does not contain '<QueueUrl'

  @id:list-queues.04 @query
  Scenario: the list is flattened
    When I list the queues whose names begin with "jobs"
    Then the answer on the wire contains '<QueueUrl>' 3 times
    And the answer on the wire does not contain 'QueueUrls'
    And the answer on the wire does not contain 'member'

  @id:list-queues.05 @json
  Scenario: members of an answer over JSON
    When I list the queues whose names begin with "jobs"
    Then the JSON on the wire has exactly the members QueueUrls
    When I list the queues whose names begin with "none"
    Then the answer on the wire contains '{}'

  @id:list-queues.06
  Scenario: pages follow one another without gap or overlap
    When the client calls ListQueues with:
      | QueueNamePrefix | ${name:jobs} |
      | MaxResults      | 2            |
    Then the list names exactly the queues "jobs-a", "jobs-b"
    When the answer's NextToken is remembered as "token"
    And the client calls ListQueues with:
      | QueueNamePrefix | ${name:jobs} |
      | MaxResults      | 2            |
      | NextToken       | ${token}     |
    Then the list names exactly the queues "jobs-c.fifo"
    And the answer has:
      | NextToken | <absent> |

  @id:list-queues.07
  Scenario: a page that holds everything has no token
    When the client calls ListQueues with:
      | QueueNamePrefix | ${name:jobs} |
      | MaxResults      | 3            |
    Then the list names exactly the queues "jobs-a", "jobs-b", "jobs-c.fifo"
    And the answer has:
      | NextToken | <absent> |

  @id:list-queues.08
  Scenario Outline: MaxResults=<value> is out of range
    When the client calls ListQueues with:
      | QueueNamePrefix | ${name:jobs} |
      | MaxResults      | <value>      |
    Then the call fails with InvalidParameterValue and a message containing "MaxResults"

    Examples:
      | value |
      | 0     |
      | -1    |
      | 1001  |

  @id:list-queues.09
  Scenario: a token nobody was given
    When the client calls ListQueues with:
      | QueueNamePrefix | ${name:jobs} |
      | MaxResults      | 2            |
      | NextToken       | !nonsense!   |
    Then the call fails with InvalidParameterValue and message "Invalid or expired NextToken"
