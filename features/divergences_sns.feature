@sns
Feature: Divergences of SNS that other features do not show on both sides

  @id:divergences-sns.01 @SN-05 @gateway
  Scenario: what a publish leaves of a queue that was deleted in its moment
    Given the broker has a queue "q" that nobody created here
    When a native producer pushes '{"b":"stranded"}' to lane "0" of "q"
    And I create the queue "q"
    Then this gateway fails with QueueNameExists
    When I ask for the URL of "q"
    Then this gateway fails with QueueDoesNotExist

  @id:divergences-sns.02 @SN-07
  Scenario: a notification larger than the queue's maximum
    Given a queue "q" with attributes:
      | MaximumMessageSize | 1024 |
    And a topic "t"
    And "q" is subscribed raw to "t"
    When I publish "${x*2000}" to "t"
    And I receive and delete everything in "q"
    Then this gateway returns "${x*2000}"

  @id:divergences-sns.03 @SN-14 @fifo
  Scenario: a message group is consumed one after the other
    Given a FIFO queue "q.fifo"
    And a FIFO topic "t.fifo" with attributes:
      | ContentBasedDeduplication | true |
    And "q.fifo" is subscribed raw to "t.fifo"
    When I publish to "t.fifo":
      | Message        | first |
      | MessageGroupId | g     |
    And I publish to "t.fifo":
      | Message        | second |
      | MessageGroupId | g      |
    And I receive a message from "q.fifo"
    Then the receive returns "first"
    When I receive a message from "q.fifo"
    Then the receive returns nothing
    When I delete "first" from "q.fifo"
    And I receive a message from "q.fifo"
    Then the receive returns "second"

  @id:divergences-sns.04 @SN-16
  Scenario Outline: the protocol <protocol>
    Given a topic "t"
    When the client calls Subscribe with:
      | TopicArn | ${topic:t} |
      | Protocol | <protocol> |
      | Endpoint | <endpoint> |
    Then this gateway fails with InvalidParameter and message "Invalid parameter: Protocol Reason: this deployment delivers to sqs and not to <protocol>"
    But Amazon succeeds

    Examples:
      | protocol   | endpoint                |
      | http       | http://example.com/     |
      | email      | somebody@example.com    |
      | email-json | somebody@example.com    |
      | sms        | +1234567890             |

  @id:divergences-sns.05 @SN-17
  Scenario: anything-but with suffix
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When I set the FilterPolicy of the subscription "t/q" to '{"key":[{"anything-but":{"suffix":"x"}}]}'
    Then the call fails with InvalidParameter and message "Invalid parameter: FilterPolicy: Unsupported anything-but pattern: suffix"

  @id:divergences-sns.06 @SN-18
  Scenario: equals-ignore-case and letters beyond ASCII
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed raw to "t"
    When I set the FilterPolicy of the subscription "t/q" to '{"kind":[{"equals-ignore-case":"Ärger"}]}'
    And I publish to "t":
      | Message                            | same   |
      | MessageAttributes.kind.DataType    | String |
      | MessageAttributes.kind.StringValue | ÄRGER  |
    And I publish to "t":
      | Message                            | other  |
      | MessageAttributes.kind.DataType    | String |
      | MessageAttributes.kind.StringValue | ärger  |
    And I receive and delete everything in "q"
    Then this gateway returns "same"

  @id:divergences-sns.07 @SN-19 @json @gateway
  Scenario: SNS over AWS JSON
    When I send the request:
      """
      POST /
      Content-Type: application/x-amz-json-1.0
      X-Amz-Target: AmazonSimpleNotificationService.ListTopics

      {}
      """
    Then this gateway succeeds

  @id:divergences-sns.08 @SN-24 @query
  Scenario: an action for push services
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=ListPlatformApplications
      Version=2010-03-31
      """
    Then this gateway fails with InvalidAction
    But Amazon succeeds

  @id:divergences-sns.09 @SN-21
  Scenario: a subscription is given up twice
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When the client calls Unsubscribe with:
      | SubscriptionArn | ${sub:t/q} |
    Then the call succeeds
    When the client calls Unsubscribe with:
      | SubscriptionArn | ${sub:t/q} |
    Then the call succeeds

  @id:divergences-sns.10 @SN-27
  Scenario: who subscribed
    Given a queue "q"
    And a topic "t"
    And "q" is subscribed to "t"
    When the client calls GetSubscriptionAttributes with:
      | SubscriptionArn | ${sub:t/q} |
    Then this gateway's answer has:
      | Attributes.SubscriptionPrincipal | arn:aws:iam::${account}:root |

  @id:divergences-sns.11 @SN-28 @query
  Scenario: a permission on a topic
    Given a topic "t"
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=AddPermission
      Version=2010-03-31
      TopicArn=${topic:t}
      Label=reader
      AWSAccountId.member.1=${account}
      ActionName.member.1=Publish
      """
    Then this gateway fails with InvalidAction
    But Amazon succeeds

  @id:divergences-sns.12 @SN-30
  Scenario: a filter policy that is no JSON
    Given a topic "t"
    And a queue "q"
    And "q" is subscribed to "t"
    When the client calls SetSubscriptionAttributes with:
      | SubscriptionArn | ${sub:t/q}    |
      | AttributeName   | FilterPolicy  |
      | AttributeValue  | {invalidjson} |
    Then this gateway fails with InvalidParameter and message "Invalid parameter: FilterPolicy: failed to parse JSON. Unexpected character ('i' (code 105)): was expecting double-quote to start field name"
