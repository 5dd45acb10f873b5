Feature: limits of a request

  @id:limits.01 @QS-16 @json
  Scenario: a body of more than two mebibytes over JSON
    When I send the request with a body of 2097153 bytes:
      """
      POST /
      X-Amz-Target: AmazonSQS.SendMessage
      """
    Then this gateway fails with InvalidParameterValue and a message containing "2097152"
    But Amazon fails with RequestEntityTooLarge

  @id:limits.02 @QS-16 @query
  Scenario: a body of more than two mebibytes over Query
    When I send the request with a body of 2097153 bytes:
      """
      POST /
      Content-Type: application/octet-stream
      """
    Then this gateway fails with InvalidParameterValue and a message containing "2097152"
    But Amazon fails with RequestEntityTooLarge

  @id:limits.03 @QS-16 @json @gateway
  Scenario: a body of exactly two mebibytes is read
    When I send the request with a body of 2097152 bytes:
      """
      POST /
      X-Amz-Target: AmazonSQS.ListQueues
      """
    Then the call fails with InvalidParameterValue
    And the answer on the wire does not contain '2097152'

  @id:limits.04
  Scenario: a mebibyte of plain letters fits into a request
    Given a queue "q"
    When I send "${x*1048576}" to "q"
    Then the call succeeds

  @id:limits.05 @json
  Scenario: a mebibyte of two-byte letters fits into a JSON request
    Given a queue "q"
    When I send "${é*524288}" to "q"
    Then the call succeeds

  @id:limits.06 @QS-16 @query
  Scenario: a mebibyte of two-byte letters is three as a form
    Given a queue "q"
    When I send "${é*524288}" to "q"
    Then this gateway fails with InvalidParameterValue and a message containing "2097152"
    But Amazon succeeds

  @id:limits.07
  Scenario: fifty tags, not fifty-one
    Given a queue "q"
    When the client calls TagQueue with the parameters:
      """
      {"QueueUrl": "${url:q}", "Tags": {
       "t1":"","t2":"","t3":"","t4":"","t5":"","t6":"","t7":"","t8":"","t9":"","t10":"",
       "t11":"","t12":"","t13":"","t14":"","t15":"","t16":"","t17":"","t18":"","t19":"","t20":"",
       "t21":"","t22":"","t23":"","t24":"","t25":"","t26":"","t27":"","t28":"","t29":"","t30":"",
       "t31":"","t32":"","t33":"","t34":"","t35":"","t36":"","t37":"","t38":"","t39":"","t40":"",
       "t41":"","t42":"","t43":"","t44":"","t45":"","t46":"","t47":"","t48":"","t49":"","t50":""}}
      """
    Then the call succeeds
    When the client calls TagQueue with:
      | QueueUrl | ${url:q} |
      | Tags.t51 | x        |
    Then the call fails with InvalidParameterValue
    When the client calls TagQueue with:
      | QueueUrl | ${url:q} |
      | Tags.t50 | y        |
    Then the call succeeds
