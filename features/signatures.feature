@signatures
Feature: signatures

  @id:signatures.01
  Scenario: a request signed as it should be
    When a raw client calls ListQueues with:
      | QueueNamePrefix | none |
    Then the call succeeds

  @id:signatures.02
  Scenario: a wrong secret
    Given requests are signed with the secret "wrong"
    When a raw client calls ListQueues with:
      | QueueNamePrefix | none |
    Then the call fails with SignatureDoesNotMatch and a message containing "The request signature we calculated does not match the signature you provided. Check your "

  @id:signatures.03
  Scenario: an unknown key id
    Given requests are signed with the key id "AKIDUNKNOWN"
    When a raw client calls ListQueues with:
      | QueueNamePrefix | none |
    Then the call fails with InvalidClientTokenId and its standard message

  @id:signatures.04
  Scenario: no signature
    Given requests are not signed
    When a raw client calls ListQueues with:
      | QueueNamePrefix | none |
    Then the call fails with MissingAuthenticationToken

  @id:signatures.05
  Scenario Outline: a clock that is off by <n> minutes, <way>
    Given requests are signed <n> minutes <way>
    When a raw client calls ListQueues with:
      | QueueNamePrefix | none |
    Then the call fails with SignatureDoesNotMatch

    Examples:
      | n  | way   |
      | 16 | ago   |
      | 30 | ago   |
      | 30 | ahead |

  @id:signatures.06
  Scenario Outline: a clock that is off by <n> minutes is tolerated, <way>
    Given requests are signed <n> minutes <way>
    When a raw client calls ListQueues with:
      | QueueNamePrefix | none |
    Then the call succeeds

    Examples:
      | n  | way   |
      | 14 | ago   |
      | 14 | ahead |

  @id:signatures.07
  Scenario: the scope names another day than the request
    Given the header "X-Amz-Date" is changed to "20200101T000000Z" after signing
    When a raw client calls ListQueues with:
      | QueueNamePrefix | none |
    Then the call fails with SignatureDoesNotMatch

  @id:signatures.08
  Scenario: the scope names another service
    Given requests are signed for the service "s3"
    When a raw client calls ListQueues with:
      | QueueNamePrefix | none |
    Then the call fails with SignatureDoesNotMatch

  @id:signatures.09 @QS-29
  Scenario: the scope names another region
    Given requests are signed for the region "mars-north-7"
    When a raw client calls ListQueues with:
      | QueueNamePrefix | none |
    Then this gateway succeeds
    But Amazon fails with SignatureDoesNotMatch

  @id:signatures.10
  Scenario: the body was changed after signing
    Given a queue "q"
    And "harmless" is replaced by "harmful!" in the body after signing
    When a raw client calls SendMessage with:
      | QueueUrl    | ${url:q} |
      | MessageBody | harmless |
    Then the call fails with SignatureDoesNotMatch
    When I receive a message from "q"
    Then the receive returns nothing

  @id:signatures.11
  Scenario: a signed header was changed
    Given the header "Content-Type" is changed to "text/plain" after signing
    When a raw client calls ListQueues with:
      | QueueNamePrefix | none |
    Then the call fails with SignatureDoesNotMatch

  @id:signatures.12
  Scenario: a signed header is missing
    Given the header "Content-Type" is removed after signing
    When a raw client calls ListQueues with:
      | QueueNamePrefix | none |
    Then the call fails with SignatureDoesNotMatch

  @id:signatures.13
  Scenario: a header that was not signed may be added
    Given the header "X-Forwarded-For" is changed to "10.0.0.1" after signing
    When a raw client calls ListQueues with:
      | QueueNamePrefix | none |
    Then the call succeeds

  @id:signatures.14
  Scenario Outline: the Authorization header "<header>"
    Given the header "Authorization" is changed to "<header>" after signing
    When a raw client calls ListQueues with:
      | QueueNamePrefix | none |
    Then the call fails with IncompleteSignature

    Examples:
      | header                                                                          |
      | AWS4-HMAC-SHA256                                                                |
      | AWS4-HMAC-SHA256 Credential=A/20200101/us-east-1/sqs/aws4_request               |
      | AWS4-HMAC-SHA256 Credential=A, SignedHeaders=host, Signature=abc                |

  @id:signatures.15 @query
  Scenario: a presigned URL
    Given requests are presigned for 60 seconds
    When I send the request:
      """
      GET /?Action=ListQueues&QueueNamePrefix=none
      """
    Then the status is 200

  @id:signatures.16 @query
  Scenario: a presigned URL whose time is over
    Given requests are presigned for 60 seconds
    And requests are signed 2 minutes ago
    When I send the request:
      """
      GET /?Action=ListQueues&QueueNamePrefix=none
      """
    Then the call fails with SignatureDoesNotMatch

  @id:signatures.17 @query
  Scenario: a presigned URL that is good for days
    Given requests are presigned for 604800 seconds
    And requests are signed 6 days ago
    When I send the request:
      """
      GET /?Action=ListQueues&QueueNamePrefix=none
      """
    Then the status is 200

  @id:signatures.18 @query
  Scenario: a presigned URL for longer than a week
    Given requests are presigned for 604801 seconds
    When I send the request:
      """
      GET /?Action=ListQueues&QueueNamePrefix=none
      """
    Then the call is refused

  @id:signatures.19 @query
  Scenario: a presigned URL that was changed
    Given requests are presigned for 60 seconds
    And "ListQueues" is replaced by "PurgeQueue" in the query string after signing
    When I send the request:
      """
      GET /?Action=ListQueues&QueueNamePrefix=none
      """
    Then the call fails with SignatureDoesNotMatch

  @id:signatures.20 @json
  Scenario: an error before the body is read is told in the protocol of the target
    Given requests are not signed
    When I send the request:
      """
      POST /
      X-Amz-Target: AmazonSQS.ListQueues

      {}
      """
    Then the call fails with MissingAuthenticationToken
    And the header "Content-Type" is "application/x-amz-json-1.0"

  @id:signatures.21 @query
  Scenario: an error before the body is read is told in XML without a target
    Given requests are not signed
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=ListQueues
      """
    Then the call fails with MissingAuthenticationToken
    And the XML root is "ErrorResponse" in the namespace "http://queue.amazonaws.com/doc/2012-11-05/"
