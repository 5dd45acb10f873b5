@sns
Feature: CreateTopic, DeleteTopic, ListTopics, GetTopicAttributes, SetTopicAttributes

  @id:sns-topics.01 @SN-12
  Scenario: a topic is created and reads back
    When the client calls CreateTopic with:
      | Name                   | ${name:t} |
      | Attributes.DisplayName | Value1    |
    Then the answer has exactly:
      | TopicArn | arn:aws:sns:${region}:${account}:${name:t} |
    When the client calls GetTopicAttributes with:
      | TopicArn | ${topic:t} |
    Then this gateway's answer has exactly:
      | Attributes.DisplayName            | Value1     |
      | Attributes.Owner                  | ${account} |
      | Attributes.SubscriptionsConfirmed | 0          |
      | Attributes.SubscriptionsDeleted   | 0          |
      | Attributes.SubscriptionsPending   | 0          |
      | Attributes.TopicArn               | ${topic:t} |
    But Amazon's answer has exactly:
      | Attributes.DisplayName             | Value1     |
      | Attributes.Owner                   | ${account} |
      | Attributes.Policy                  | <text>     |
      | Attributes.EffectiveDeliveryPolicy | <text>     |
      | Attributes.SubscriptionsConfirmed  | 0          |
      | Attributes.SubscriptionsDeleted    | 0          |
      | Attributes.SubscriptionsPending    | 0          |
      | Attributes.TopicArn                | ${topic:t} |

  @id:sns-topics.02 @SN-12
  Scenario: a policy and what a delivery policy amounts to are shown when there is something to them
    Given a topic "t"
    When the client calls GetTopicAttributes with:
      | TopicArn | ${topic:t} |
    Then this gateway's answer has:
      | Attributes.Policy                  | <absent> |
      | Attributes.EffectiveDeliveryPolicy | <absent> |
    But Amazon's answer has:
      | Attributes.Policy                  | /__default_policy_ID/          |
      | Attributes.EffectiveDeliveryPolicy | /defaultHealthyRetryPolicy/    |

  @id:sns-topics.03
  Scenario: a FIFO topic has two attributes more
    Given a FIFO topic "t.fifo"
    When the client calls GetTopicAttributes with:
      | TopicArn | ${topic:t.fifo} |
    Then the answer has:
      | Attributes.FifoTopic                 | true     |
      | Attributes.ContentBasedDeduplication | false    |
      | Attributes.FifoThroughputScope       | <absent> |
      | Attributes.SignatureVersion          | <absent> |

  @id:sns-topics.04
  Scenario Outline: the name with <shown> is refused
    When the client calls CreateTopic with:
      | Name | <name> |
    Then the call fails with InvalidParameter and message "Invalid parameter: Topic Name"

    Examples:
      | shown           | name            |
      | 257 characters  | ${a*257}        |
      | .fifo           | test.fifo       |
      | a colon         | bad:name        |
      | a semicolon     | bad;name        |
      | an exclamation  | bad!name        |
      | an at           | bad@name        |
      | a caret         | bad^name        |
      | a percent       | bad%name        |
      | a space         | bad name        |
      | a dot           | bad.name        |

  @id:sns-topics.05
  Scenario: an empty name
    When the client calls CreateTopic with the parameters:
      """
      {"Name": ""}
      """
    Then the call fails with InvalidParameter and message "Invalid parameter: Topic Name"

  @id:sns-topics.06
  Scenario: FifoTopic needs a name that says so
    When the client calls CreateTopic with:
      | Name                 | ${name:t} |
      | Attributes.FifoTopic | true      |
    Then the call fails with InvalidParameter and message "Invalid parameter: Topic Name"

  @id:sns-topics.07 @SN-15
  Scenario: a FIFO topic is created again only with FifoTopic
    Given a FIFO topic "t.fifo"
    When the client calls CreateTopic with:
      | Name | ${name:t.fifo} |
    Then this gateway fails with InvalidParameter and message "Invalid parameter: Topic Name"

  @id:sns-topics.08
  Scenario: a topic is created again
    Given a topic "t" with attributes:
      | DisplayName | Value1 |
    When the client calls CreateTopic with:
      | Name | ${name:t} |
    Then the answer's TopicArn is "${topic:t}"
    When the client calls CreateTopic with:
      | Name                   | ${name:t} |
      | Attributes.DisplayName | Value1    |
      | Attributes.FifoTopic   | false     |
    Then the answer's TopicArn is "${topic:t}"
    When the client calls CreateTopic with:
      | Name                   | ${name:t} |
      | Attributes.DisplayName | Value2    |
    Then the call fails with InvalidParameter and message "Invalid parameter: Attributes Reason: Topic already exists with different attributes"
    When the client calls CreateTopic with:
      | Name                        | ${name:t} |
      | Attributes.DisplayName      | Value1    |
      | Attributes.SignatureVersion | 2         |
    Then the call fails with InvalidParameter and message "Invalid parameter: Attributes Reason: Topic already exists with different attributes"
    When I set the DisplayName of the topic "t" to 'later'
    Then the call succeeds
    When the client calls CreateTopic with:
      | Name | ${name:t} |
    And the client calls GetTopicAttributes with:
      | TopicArn | ${topic:t} |
    Then the answer's Attributes.DisplayName is "later"

  @id:sns-topics.09
  Scenario: attributes are set and removed
    Given a FIFO topic "t.fifo"
    When I set the ContentBasedDeduplication of the topic "t.fifo" to 'true'
    Then the answer has nothing in it
    When I set the SignatureVersion of the topic "t.fifo" to '2'
    And I set the LambdaSuccessFeedbackSampleRate of the topic "t.fifo" to '100'
    And the client calls GetTopicAttributes with:
      | TopicArn | ${topic:t.fifo} |
    Then the answer has:
      | Attributes.ContentBasedDeduplication       | true |
      | Attributes.SignatureVersion                | 2    |
      | Attributes.LambdaSuccessFeedbackSampleRate | 100  |

  @id:sns-topics.10
  Scenario: FifoTopic cannot be set
    Given a topic "t"
    When I set the FifoTopic of the topic "t" to 'false'
    Then the call fails with InvalidParameter and message "Invalid parameter: AttributeName"

  @id:sns-topics.11
  Scenario: a delivery policy is rewritten, replaced and removed
    Given a topic "t" with attributes:
      | DeliveryPolicy | {"http":{"defaultRequestPolicy":{"headerContentType":"application/json"}}} |
    When the client calls GetTopicAttributes with:
      | TopicArn | ${topic:t} |
    Then the answer has:
      | Attributes.DeliveryPolicy          | {"http":{"disableSubscriptionOverrides":false,"defaultRequestPolicy":{"headerContentType":"application/json"}}} |
      | Attributes.EffectiveDeliveryPolicy | {"http":{"defaultHealthyRetryPolicy":{"minDelayTarget":20,"maxDelayTarget":20,"numRetries":3,"numMaxDelayRetries":0,"numNoDelayRetries":0,"numMinDelayRetries":0,"backoffFunction":"linear"},"disableSubscriptionOverrides":false,"defaultRequestPolicy":{"headerContentType":"application/json"}}} |
    When I set the DeliveryPolicy of the topic "t" to '{"http":{"defaultHealthyRetryPolicy":{"minDelayTarget":5,"maxDelayTarget":6,"numRetries":1}}}'
    And the client calls GetTopicAttributes with:
      | TopicArn | ${topic:t} |
    Then the answer has:
      | Attributes.DeliveryPolicy | {"http":{"defaultHealthyRetryPolicy":{"minDelayTarget":5,"maxDelayTarget":6,"numRetries":1},"disableSubscriptionOverrides":false}} |
    When I set the DeliveryPolicy of the topic "t" to ''
    And the client calls GetTopicAttributes with:
      | TopicArn | ${topic:t} |
    Then the answer has:
      | Attributes.DeliveryPolicy | <absent> |

  @id:sns-topics.12
  Scenario Outline: <action> of the ARN "<arn>"
    When the client calls <action> with:
      | TopicArn | <arn> |
    Then the call fails with InvalidParameter and message "Invalid parameter: TopicArn<why>"

    Examples:
      | action                   | arn                             | why                                                       |
      | GetTopicAttributes       | test-topic                      | ${U+0020}Reason: An ARN must have at least 6 elements, not 1 |
      | DeleteTopic              | randomstring:1                  | ${U+0020}Reason: An ARN must have at least 6 elements, not 2 |
      | ListSubscriptionsByTopic | arn:aws:sns:us-east-1:random    | ${U+0020}Reason: An ARN must have at least 6 elements, not 5 |
      | GetTopicAttributes       | arn:aws:sns:eu-nowhere-7:${account}:t | |
      | DeleteTopic              | arn:aws:sns:eu-nowhere-7:${account}:t | |

  @id:sns-topics.13
  Scenario: a topic that does not exist
    When the client calls GetTopicAttributes with:
      | TopicArn | ${topic:absent} |
    Then the call fails with NotFound and message "Topic does not exist"
    When I set the DisplayName of the topic "absent" to 'x'
    Then the call fails with NotFound and message "Topic does not exist"
    When the client calls DeleteTopic with:
      | TopicArn | ${topic:absent} |
    Then the answer has nothing in it

  @id:sns-topics.14 @SN-29
  Scenario: a deleted topic is gone with its subscriptions
    Given a topic "t"
    And a queue "q"
    And "q" is subscribed to "t"
    When the client calls DeleteTopic with:
      | TopicArn | ${topic:t} |
    Then the answer has nothing in it
    When the client calls DeleteTopic with:
      | TopicArn | ${topic:t} |
    Then the call succeeds
    When the client calls GetTopicAttributes with:
      | TopicArn | ${topic:t} |
    Then the call fails with NotFound and message "Topic does not exist"
    When the client calls ListSubscriptionsByTopic with:
      | TopicArn | ${topic:t} |
    Then the call fails with NotFound and message "Topic does not exist"
    When the client calls GetSubscriptionAttributes with:
      | SubscriptionArn | ${sub:t/q} |
    Then this gateway fails with NotFound and message "Subscription does not exist"
    But Amazon succeeds
    And the listing of Topics by TopicArn from ListTopics has "${topic:t}" nowhere
    And the listing of Subscriptions by TopicArn from ListSubscriptions has "${topic:t}" nowhere
    When I publish "m" to "t"
    Then the call fails with NotFound and message "Topic does not exist"
    When the client calls CreateTopic with:
      | Name | ${name:t} |
    And I publish "m" to "t"
    And I receive and delete everything in "q"
    Then the receive returns nothing

  @id:sns-topics.15
  Scenario: a topic is listed
    Given a topic "t"
    Then the listing of Topics by TopicArn from ListTopics has "${topic:t}" once

  @id:sns-topics.16
  Scenario: pages of a hundred
    Then 120 topics exist and every page of ListTopics is followed to the end

  @id:sns-topics.17
  Scenario: a token of nobody
    When the client calls ListTopics with:
      | NextToken | ???? |
    Then the call fails with InvalidParameter and message "Invalid parameter: NextToken"

  @id:sns-topics.18 @query
  Scenario: shapes on the wire
    Given a topic "t"
    When the client calls GetTopicAttributes with:
      | TopicArn | ${topic:t} |
    Then the XML root is "GetTopicAttributesResponse" in the namespace "http://sns.amazonaws.com/doc/2010-03-31/"
    And the answer on the wire contains '<Attributes>' 1 time
    And the answer on the wire contains '<entry>'
    And the request id in the body is the one in the header
    When I set the DisplayName of the topic "t" to 'x'
    Then the answer on the wire does not contain 'SetTopicAttributesResult'
    When the client calls GetTopicAttributes with:
      | TopicArn | ${topic:absent} |
    Then the XML root is "ErrorResponse" in the namespace "http://sns.amazonaws.com/doc/2010-03-31/"
    And the answer on the wire does not contain 'Detail'

  @id:sns-topics.19 @SN-24 @gateway
  Scenario Outline: <action> is AWS's platform and no action here
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=<action>
      Version=2010-03-31
      """
    Then the call fails with InvalidAction

    Examples:
      | action                    |
      | CreatePlatformApplication |
      | SetSMSAttributes          |
      | PutDataProtectionPolicy   |
      | OptInPhoneNumber          |
      | ListEndpointsByPlatformApplication |
