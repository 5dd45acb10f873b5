@sns
Feature: filter policies decide who receives a publish

  @id:sns-filters.01
  Scenario: two filtered subscribers, one raw and one enveloped
    Given a queue "orders"
    And a queue "rest"
    And a queue "all"
    And a topic "t"
    And "orders" is subscribed raw to "t" with attributes:
      | FilterPolicy | {"kind":["order"],"price":[{"numeric":[">",0,"<=",100]}]} |
    And "rest" is subscribed to "t" with attributes:
      | FilterPolicy | {"kind":[{"anything-but":"order"}]} |
    And "all" is subscribed raw to "t"
    When I publish to "t":
      | Message                             | cheap order |
      | MessageAttributes.kind.DataType     | String      |
      | MessageAttributes.kind.StringValue  | order       |
      | MessageAttributes.price.DataType    | Number      |
      | MessageAttributes.price.StringValue | 99.12       |
    And I publish to "t":
      | Message                             | dear order |
      | MessageAttributes.kind.DataType     | String     |
      | MessageAttributes.kind.StringValue  | order      |
      | MessageAttributes.price.DataType    | Number     |
      | MessageAttributes.price.StringValue | 111        |
    And I publish to "t":
      | Message                            | invoice |
      | MessageAttributes.kind.DataType    | String  |
      | MessageAttributes.kind.StringValue | invoice |
    And I publish "plain" to "t"
    And I receive and delete everything in "orders"
    Then the receive returns "cheap order"
    When I receive and delete everything in "rest"
    Then the notifications are "invoice"
    When I receive and delete everything in "all"
    Then the receive returns "cheap order", "dear order", "invoice", "plain"

  @id:sns-filters.02
  Scenario: entries of a batch are filtered each for itself
    Given a queue "some"
    And a queue "all"
    And a topic "t"
    And "some" is subscribed raw to "t" with attributes:
      | FilterPolicy | {"kind":["order"]} |
    And "all" is subscribed raw to "t"
    When I publish a batch to "t":
      | Id | Message | MessageAttributes.kind.DataType | MessageAttributes.kind.StringValue |
      | 1  | one     | String                          | order                              |
      | 2  | two     |                                 |                                    |
    And I receive and delete everything in "some"
    Then the receive returns "one"
    When I receive and delete everything in "all"
    Then the receive returns "one", "two"

  @id:sns-filters.03
  Scenario: a policy on the body
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed raw to "t"
    When I set the FilterPolicy of the subscription "t/q" to '{"object":{"key":[{"prefix":"auto-"}]}}'
    Then the call fails with InvalidParameter and message "Invalid parameter: Filter policy scope MessageAttributes does not support nested filter policy"
    When I set the FilterPolicyScope of the subscription "t/q" to 'MessageBody'
    And I set the FilterPolicy of the subscription "t/q" to '{"object":{"key":[{"prefix":"auto-"}]}}'
    And the client calls Publish with the parameters:
      """
      {"TopicArn": "${topic:t}", "Message": "{\"object\":{\"key\":\"auto-test\"}}"}
      """
    And the client calls Publish with the parameters:
      """
      {"TopicArn": "${topic:t}", "Message": "{\"object\":{\"key\":\"test-auto\"}}"}
      """
    And I publish "no JSON" to "t"
    And I receive and delete everything in "q"
    Then the receive returns 1 message
    When I set the FilterPolicy of the subscription "t/q" to ''
    And I publish "no JSON" to "t"
    And I receive and delete everything in "q"
    Then the receive returns "no JSON"

  @id:sns-filters.04
  Scenario: bad policies
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When I set the FilterPolicy of the subscription "t/q" to '{"key_a":"value_one"}'
    Then the call fails with InvalidParameter and message:
      """
      Invalid parameter: FilterPolicy: "key_a" must be an object or an array
      """
    When I set the FilterPolicy of the subscription "t/q" to '{"a":[1],"b":[1],"c":[1],"d":[1],"e":[1],"f":[1]}'
    Then the call fails with InvalidParameter and message "Invalid parameter: FilterPolicy: Filter policy can not have more than 5 keys"
