Feature: How many messages of a standard queue are in flight

  Messages are sent, as many as possible are received and kept, and every one of
  them is accounted for: in flight, or waiting behind one that is. What is held
  is then given up and the rest comes, nothing lost and nothing twice.

  @id:concurrency-width.01 @QS-01 @gateway
  Scenario Outline: <messages> messages in a queue of <lanes> lanes
    Given a queue "q" with attributes:
      | queen.partitions  | <lanes> |
      | VisibilityTimeout | 3600    |
    And <messages> messages were sent to "q"
    When I receive everything in "q" and keep it
    Then this gateway holds at most <lanes> of the <messages> messages of "q" and counts all of them
    When I delete what I hold of "q"
    And I receive and delete everything in "q"
    Then each of the <messages> messages came once
    And "q" has 0 messages, 0 in flight and 0 delayed

    Examples:
      | lanes | messages |
      | 1     | 3        |
      | 1     | 10       |
      | 1     | 100      |
      | 8     | 3        |
      | 8     | 10       |
      | 8     | 100      |
      | 64    | 3        |
      | 64    | 10       |
      | 64    | 100      |
      | 256   | 3        |
      | 256   | 10       |
      | 256   | 100      |

    @wide
    Examples:
      | lanes | messages |
      | 1     | 1000     |
      | 8     | 1000     |
      | 64    | 1000     |
      | 256   | 1000     |
