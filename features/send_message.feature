Feature: SendMessage

  Scenario: a standard send answers the id and the digest of the body
    Given a queue "q"
    When I send "hello" to "q"
    Then the answer has exactly:
      | MessageId        | <uuid>       |
      | MD5OfMessageBody | ${md5:hello} |
    When I receive a message from "q"
    Then the receive returns "hello"
    And the message "hello" has exactly:
      | MessageId     | ${id:hello}  |
      | ReceiptHandle | <text>       |
      | MD5OfBody     | ${md5:hello} |
      | Body          | hello        |

  Scenario: a message is refused without a body
    Given a queue "q"
    When the client calls SendMessage with:
      | QueueUrl | ${url:q} |
    Then the call fails with MissingParameter and message "The request must contain the parameter MessageBody."
