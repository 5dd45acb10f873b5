@sns
Feature: Subscribe, Unsubscribe, ConfirmSubscription and the attributes and listings of subscriptions

  @id:sns-subscriptions.01
  Scenario: a queue is subscribed
    Given a queue "q"
    And a topic "t"
    When the client calls Subscribe with:
      | TopicArn | ${topic:t} |
      | Protocol | sqs        |
      | Endpoint | ${arn:q}   |
    Then the answer's SubscriptionArn is "/^arn:aws:sns:.*:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/"
    When the client calls GetSubscriptionAttributes with:
      | SubscriptionArn | ${sub:t/q} |
    Then the answer has exactly:
      | Attributes.ConfirmationWasAuthenticated | true          |
      | Attributes.Endpoint                     | ${arn:q}      |
      | Attributes.Owner                        | ${account}    |
      | Attributes.PendingConfirmation          | false         |
      | Attributes.Protocol                     | sqs           |
      | Attributes.RawMessageDelivery           | false         |
      | Attributes.SubscriptionArn              | ${sub:t/q}    |
      | Attributes.SubscriptionPrincipal        | /^arn:aws:iam::/ |
      | Attributes.TopicArn                     | ${topic:t}    |
    When the client calls ListSubscriptionsByTopic with:
      | TopicArn | ${topic:t} |
    Then the answer has exactly:
      | Subscriptions.1.SubscriptionArn | ${sub:t/q} |
      | Subscriptions.1.Owner           | ${account} |
      | Subscriptions.1.Protocol        | sqs        |
      | Subscriptions.1.Endpoint        | ${arn:q}   |
      | Subscriptions.1.TopicArn        | ${topic:t} |
    And the listing of Subscriptions by SubscriptionArn from ListSubscriptions has "${sub:t/q}" once
    When the client calls GetTopicAttributes with:
      | TopicArn | ${topic:t} |
    Then this gateway's answer has:
      | Attributes.SubscriptionsConfirmed | 1 |

  @id:sns-subscriptions.02 @SN-10
  Scenario Outline: a queue is subscribed again with <shown>
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t" with attributes:
      | RawMessageDelivery | True |
    When the client calls Subscribe with the parameters:
      """
      {"TopicArn": "${topic:t}", "Protocol": "sqs", "Endpoint": "${arn:q}", "Attributes": <attributes>}
      """
    Then the answer's SubscriptionArn is "${sub:t/q}"

    Examples:
      | shown                  | attributes                                                        |
      | none                   | {}                                                                |
      | the same               | {"RawMessageDelivery":"true"}                                     |
      | a default              | {"FilterPolicyScope":"MessageAttributes"}                         |
      | the same and a default | {"RawMessageDelivery":"true","FilterPolicyScope":"MessageAttributes"} |

  @id:sns-subscriptions.03 @SN-10
  Scenario: a queue is subscribed again with other attributes
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed raw to "t"
    When the client calls Subscribe with:
      | TopicArn                      | ${topic:t} |
      | Protocol                      | sqs        |
      | Endpoint                      | ${arn:q}   |
      | Attributes.RawMessageDelivery | false      |
    Then the call fails with InvalidParameter and message "Invalid parameter: Attributes Reason: Subscription already exists with different attributes"

  @id:sns-subscriptions.04 @SN-08
  Scenario: a FIFO queue cannot be subscribed to a standard topic
    Given a FIFO queue "q.fifo"
    And a topic "t"
    When the client calls Subscribe with:
      | TopicArn | ${topic:t}    |
      | Protocol | sqs           |
      | Endpoint | ${arn:q.fifo} |
    Then the call fails with InvalidParameter and message "Invalid parameter: Invalid parameter: Endpoint Reason: FIFO SQS Queues can not be subscribed to standard SNS topics"

  @id:sns-subscriptions.05 @SN-08
  Scenario: a standard queue can be subscribed to a FIFO topic
    Given a queue "q"
    And a FIFO topic "t.fifo"
    When the client calls Subscribe with:
      | TopicArn | ${topic:t.fifo} |
      | Protocol | sqs             |
      | Endpoint | ${arn:q}        |
    Then the call succeeds

  @id:sns-subscriptions.06 @SN-11
  Scenario: a queue that does not exist
    Given a topic "t"
    When the client calls Subscribe with:
      | TopicArn | ${topic:t}    |
      | Protocol | sqs           |
      | Endpoint | ${arn:absent} |
    Then this gateway fails with InvalidParameter and message "Invalid parameter: Endpoint Reason: the queue does not exist"
    But Amazon succeeds

  @id:sns-subscriptions.07 @SN-16
  Scenario: a protocol that is not served
    Given a topic "t"
    When the client calls Subscribe with:
      | TopicArn | ${topic:t}           |
      | Protocol | https                |
      | Endpoint | https://example.com/ |
    Then this gateway fails with InvalidParameter and a message containing "sqs"
    But Amazon succeeds

  @id:sns-subscriptions.08
  Scenario: a protocol that is none
    Given a topic "t"
    When the client calls Subscribe with:
      | TopicArn | ${topic:t}    |
      | Protocol | test-protocol |
      | Endpoint | x             |
    Then the call fails with InvalidParameter and message "Invalid parameter: Amazon SNS does not support this protocol string: test-protocol"

  @id:sns-subscriptions.09
  Scenario Outline: an endpoint that is no ARN of a queue
    Given a topic "t"
    And a queue "q"
    When the client calls Subscribe with:
      | TopicArn | ${topic:t} |
      | Protocol | sqs        |
      | Endpoint | <endpoint> |
    Then the call fails with InvalidParameter and message "Invalid parameter: SQS endpoint ARN"

    Examples:
      | endpoint |
      | unknown  |
      | ${url:q} |

  @id:sns-subscriptions.10
  Scenario Outline: Subscribe to the topic "<arn>"
    When the client calls Subscribe with:
      | TopicArn | <arn>         |
      | Protocol | sqs           |
      | Endpoint | ${arn:absent} |
    Then the call fails with <code> and message "<message>"

    Examples:
      | arn                          | code             | message                                                                            |
      | randomstring                 | InvalidParameter | Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, not 1    |
      | arn:aws:sns:us-east-1:random | InvalidParameter | Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, not 5    |
      | ${topic:absent}              | NotFound         | Topic does not exist                                                               |

  @id:sns-subscriptions.11
  Scenario: attributes of Subscribe are checked
    Given a queue "q"
    And a topic "t"
    When the client calls Subscribe with:
      | TopicArn                      | ${topic:t} |
      | Protocol                      | sqs        |
      | Endpoint                      | ${arn:q}   |
      | Attributes.RawMessageDelivery | wrongvalue |
    Then the call fails with InvalidParameter and message "Invalid parameter: Attributes Reason: RawMessageDelivery: Invalid value [wrongvalue]. Must be true or false."
    When the client calls Subscribe with:
      | TopicArn                | ${topic:t}   |
      | Protocol                | sqs          |
      | Endpoint                | ${arn:q}     |
      | Attributes.FilterPolicy | invalid-json |
    Then the call fails with InvalidParameter and a message containing "Invalid parameter: Attributes Reason: FilterPolicy: failed to parse JSON. Unrecognized token 'invalid': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')"
    When the client calls ListSubscriptionsByTopic with:
      | TopicArn | ${topic:t} |
    Then the answer has:
      | Subscriptions.1.SubscriptionArn | <absent> |

  @id:sns-subscriptions.12
  Scenario Outline: <name> cannot be '<value>'
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When I set the <name> of the subscription "t/q" to '<value>'
    Then the call fails with InvalidParameter and message "Invalid parameter: <message>"

    Examples:
      | name               | value                               | message                                                                                             |
      | RawMessageDelivery | test-ValUe                          | RawMessageDelivery: Invalid value [test-ValUe]. Must be true or false.                              |
      | RawMessageDelivery |                                     | RawMessageDelivery: Invalid value []. Must be true or false.                                        |
      | FakeAttribute      | x                                   | AttributeName                                                                                       |
      | FilterPolicyScope  | RandomValue                         | FilterPolicyScope: Invalid value [RandomValue]. Please use either MessageBody or MessageAttributes  |
      | RedrivePolicy      | {"deadLetterTargetArn":"fake-arn"}  | RedrivePolicy: deadLetterTargetArn is an invalid arn                                                |

  @id:sns-subscriptions.13
  Scenario Outline: <name> that is no JSON
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When I set the <name> of the subscription "t/q" to '{invalidjson}'
    Then the call fails with InvalidParameter and a message containing "Invalid parameter: <name>: failed to parse JSON. Unexpected character ('i' (code 105)): was expecting double-quote to start field name"

    Examples:
      | name          |
      | FilterPolicy  |
      | RedrivePolicy |

  @id:sns-subscriptions.14
  Scenario: the dead-letter queue of a FIFO subscription is a FIFO queue
    Given a FIFO queue "q.fifo"
    And a queue "standard"
    And a queue "dlq"
    And a FIFO topic "t.fifo"
    And "q.fifo" is subscribed to "t.fifo"
    And "standard" is subscribed to "t.fifo"
    When I set the RedrivePolicy of the subscription "t.fifo/q.fifo" to '{"deadLetterTargetArn":"${arn:dlq}"}'
    Then the call fails with InvalidParameter and message "Invalid parameter: RedrivePolicy: must use a FIFO queue as DLQ for a FIFO Subscription to a FIFO Topic."
    When I set the RedrivePolicy of the subscription "t.fifo/standard" to '{"deadLetterTargetArn":"${arn:dlq}"}'
    Then the call succeeds

  @id:sns-subscriptions.15
  Scenario: a scope shows with its policy
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When I set the FilterPolicyScope of the subscription "t/q" to 'MessageBody'
    And the client calls GetSubscriptionAttributes with:
      | SubscriptionArn | ${sub:t/q} |
    Then the answer has:
      | Attributes.FilterPolicyScope | <absent> |
    When I set the FilterPolicy of the subscription "t/q" to '{"attr1":[null,{"anything-but":"whatever"}]}'
    And the client calls GetSubscriptionAttributes with:
      | SubscriptionArn | ${sub:t/q} |
    Then the answer has:
      | Attributes.FilterPolicyScope | MessageBody                                       |
      | Attributes.FilterPolicy      | json:{"attr1":[null,{"anything-but":"whatever"}]} |
    When I set the FilterPolicy of the subscription "t/q" to ''
    And the client calls GetSubscriptionAttributes with:
      | SubscriptionArn | ${sub:t/q} |
    Then the answer has:
      | Attributes.FilterPolicyScope | <absent> |
      | Attributes.FilterPolicy      | <absent> |

  @id:sns-subscriptions.16 @SN-21
  Scenario: nothing is left of a subscription
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When the client calls Unsubscribe with:
      | SubscriptionArn | ${sub:t/q} |
    Then the answer has nothing in it
    When the client calls Unsubscribe with:
      | SubscriptionArn | ${sub:t/q} |
    Then the call succeeds
    When I set the RawMessageDelivery of the subscription "t/q" to 'true'
    Then the call fails with NotFound and message "Subscription does not exist"
    When the client calls GetSubscriptionAttributes with:
      | SubscriptionArn | ${sub:t/q} |
    Then this gateway fails with NotFound and message "Subscription does not exist"
    When I publish "m" to "t"
    And I receive and delete everything in "q"
    Then the receive returns nothing

  @id:sns-subscriptions.17
  Scenario Outline: Unsubscribe of "<arn>"
    When the client calls Unsubscribe with:
      | SubscriptionArn | <arn> |
    Then the call fails with InvalidParameter and message "Invalid parameter: <message>"

    Examples:
      | arn                                     | message                                                                    |
      | randomstring                            | SubscriptionArn Reason: An ARN must have at least 6 elements, not 1        |
      | pending confirmation                    | SubscriptionArn Reason: An ARN must have at least 6 elements, not 1        |
      | arn:aws:sns:us-east-1:random            | SubscriptionArn Reason: An ARN must have at least 6 elements, not 5        |
      | arn:aws:sns:${region}:${account}:random | SubscriptionId                                                             |

  @id:sns-subscriptions.18
  Scenario: Unsubscribe of nothing
    When the client calls Unsubscribe
    Then the call fails with InvalidParameter and message "Invalid parameter: SubscriptionArn Reason: no value for required parameter"

  @id:sns-subscriptions.19
  Scenario: attributes of a subscription that does not exist
    Given a topic "t"
    When the client calls GetSubscriptionAttributes with:
      | SubscriptionArn | ${topic:t}:00000000-0000-4000-8000-000000000000 |
    Then the call fails with NotFound and message "Subscription does not exist"
    When the client calls GetSubscriptionAttributes with:
      | SubscriptionArn | ${topic:t} |
    Then the call fails with InvalidParameter and message "Invalid parameter: SubscriptionId"

  @id:sns-subscriptions.20 @SN-09
  Scenario: there is nothing to confirm
    Given a topic "t"
    When the client calls ConfirmSubscription with:
      | TopicArn | ${topic:t} |
      | Token    | abc123     |
    Then this gateway fails with InvalidParameter and a message containing "Invalid parameter: Token Reason: every subscription of this deployment is a queue's"
    But Amazon fails with InvalidParameter and message "Invalid parameter: Token"
    When the client calls ConfirmSubscription with:
      | TopicArn | not-an-arn |
      | Token    | abc123     |
    Then the call fails with InvalidParameter and message "Invalid parameter: Topic"

  @id:sns-subscriptions.21 @query
  Scenario: shapes on the wire
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When the client calls ListSubscriptionsByTopic with:
      | TopicArn | ${topic:t} |
    Then the XML root is "ListSubscriptionsByTopicResponse" in the namespace "http://sns.amazonaws.com/doc/2010-03-31/"
    And the answer on the wire contains '<member>' 1 time
    When the client calls Unsubscribe with:
      | SubscriptionArn | ${sub:t/q} |
    Then the XML root is "UnsubscribeResponse" in the namespace "http://sns.amazonaws.com/doc/2010-03-31/"
    And the answer on the wire does not contain 'UnsubscribeResult'
