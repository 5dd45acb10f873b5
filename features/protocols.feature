Feature: the two wire protocols

  @id:protocols.01 @json
  Scenario: the SDK of today speaks AWS JSON 1.0
    Given a queue "q"
    When I send "a" to "q"
    Then the request went out as AWS JSON
    And the status is 200
    And the header "Content-Type" is "application/x-amz-json-1.0"
    And the header "x-amzn-requestid" is "<uuid>"
    And there is no header "x-amzn-query-error"
    And the JSON on the wire has exactly the members MD5OfMessageBody, MessageId

  @id:protocols.02 @query
  Scenario: the SDK of yesterday speaks Query
    Given a queue "q"
    When I send "a" to "q"
    Then the request went out as Query
    And the status is 200
    And the header "Content-Type" is "text/xml"
    And the header "x-amzn-requestid" is "<uuid>"
    And the XML root is "SendMessageResponse" in the namespace "http://queue.amazonaws.com/doc/2012-11-05/"
    And the answer on the wire contains '<SendMessageResult>' 1 time
    And the request id in the body is the one in the header

  @id:protocols.03
  Scenario: every answer has a request id of its own
    Given a queue "q"
    When I ask for the URL of "q"
    And the request id is remembered as "first"
    And I ask for the URL of "q"
    Then the request id is not "${first}"
    When I ask for the URL of "missing"
    Then the call fails with QueueDoesNotExist
    And the request id is not "${first}"

  @id:protocols.04 @json
  Scenario: an error over JSON is spelled twice
    When I ask for the URL of "missing"
    Then the call fails with QueueDoesNotExist and its standard message
    And the status is 400
    And the header "Content-Type" is "application/x-amz-json-1.0"
    And the header "x-amzn-query-error" is "AWS.SimpleQueueService.NonExistentQueue;Sender"
    And the JSON on the wire has exactly the members __type, message
    And the answer on the wire contains '"com.amazonaws.sqs#QueueDoesNotExist"'
    And there is no header "X-Amzn-Errortype"

  @id:protocols.05 @query
  Scenario: an error over Query
    When I ask for the URL of "missing"
    Then the call fails with QueueDoesNotExist and its standard message
    And the status is 400
    And the header "Content-Type" is "text/xml"
    And the XML root is "ErrorResponse" in the namespace "http://queue.amazonaws.com/doc/2012-11-05/"
    And the answer on the wire contains '<Type>Sender</Type>'
    And the answer on the wire contains '<Code>AWS.SimpleQueueService.NonExistentQueue</Code>'
    And the answer on the wire contains '<Detail/>'
    And the answer on the wire does not contain 'com.amazonaws'
    And the request id in the body is the one in the header

  @id:protocols.06 @json
  Scenario: JSON is served on the queue's own path too
    Given a queue "q"
    When I send the request:
      """
      POST ${path:q}
      Content-Type: application/x-amz-json-1.0
      X-Amz-Target: AmazonSQS.SendMessage

      {"QueueUrl": "${url:q}", "MessageBody": "a"}
      """
    Then the answer has:
      | MD5OfMessageBody | ${md5:a} |

  @id:protocols.07 @json
  Scenario: the content type decides nothing
    Given a queue "q"
    When I send the request:
      """
      POST /
      Content-Type: text/plain
      X-Amz-Target: AmazonSQS.GetQueueUrl

      {"QueueName": "${name:q}"}
      """
    Then the answer has:
      | QueueUrl | ${url:q} |

  @id:protocols.08 @json
  Scenario Outline: a body that is <what> means no parameters
    When I send the request:
      """
      POST /
      X-Amz-Target: AmazonSQS.CreateQueue

      <body>
      """
    Then the call fails with MissingParameter and message "The request must contain the parameter QueueName."

    Examples:
      | what    | body |
      | nothing |      |
      | null    | null |
      | empty   | {}   |

  @id:protocols.09 @json @gateway
  Scenario Outline: the body <body> is refused
    When I send the request:
      """
      POST /
      X-Amz-Target: AmazonSQS.ListQueues

      <body>
      """
    Then the call fails with InvalidParameterValue

    Examples:
      | body            |
      | []              |
      | "text"          |
      | 1               |
      | {"QueueName": } |
      | {} {}           |
      | Action=X        |

  @id:protocols.10 @QS-34 @json
  Scenario Outline: the target <target> is no action
    When I send the request:
      """
      POST /
      Content-Type: application/x-amz-json-1.0
      X-Amz-Target: <target>

      {}
      """
    Then this gateway fails with InvalidAction
    And the answer on the wire does not contain 'FooBar'

    Examples:
      | target                |
      | AmazonSQS.FooBar      |
      | AmazonSQS.sendmessage |
      | AmazonSQS.            |

  @id:protocols.11 @query
  Scenario Outline: the action "<action>" does not exist
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=<action>
      Version=2012-11-05
      """
    Then the call fails with InvalidAction

    Examples:
      | action      |
      | FooBar      |
      | sendmessage |

  @id:protocols.12 @query
  Scenario: no action at all
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Version=2012-11-05
      """
    Then this gateway fails with InvalidAction

  @id:protocols.13 @query
  Scenario: a missing parameter
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=CreateQueue
      Version=2012-11-05
      """
    Then the call fails with MissingParameter and message "The request must contain the parameter QueueName."

  @id:protocols.14 @query
  Scenario: the version may be left out
    Given a queue "q"
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=GetQueueUrl
      QueueName=${name:q}
      """
    Then the XML root is "GetQueueUrlResponse" in the namespace "http://queue.amazonaws.com/doc/2012-11-05/"
    And the answer has:
      | QueueUrl | ${url:q} |

  @id:protocols.15 @query
  Scenario: GET with everything in the query string
    Given a queue "q"
    When I send the request:
      """
      GET /?Action=SendMessage&Version=2012-11-05&QueueUrl=${url:q}&MessageBody=a
      """
    Then the XML root is "SendMessageResponse" in the namespace "http://queue.amazonaws.com/doc/2012-11-05/"
    And the answer has:
      | MD5OfMessageBody | ${md5:a} |

  @id:protocols.16 @query
  Scenario: the body beats the query string
    Given a queue "q"
    And a queue "other"
    When I send the request:
      """
      POST /?Action=ListQueues&QueueName=${name:other}
      Content-Type: application/x-www-form-urlencoded

      Action=GetQueueUrl
      QueueName=${name:q}
      """
    Then the answer has:
      | QueueUrl | ${url:q} |

  @id:protocols.17 @query
  Scenario Outline: presigned requests, <action>
    Given a queue "q"
    And "a" was sent to "q"
    And requests are presigned for 300 seconds
    When I send the request:
      """
      GET /?Action=<action>&QueueUrl=${url:q}&<more>
      """
    Then the status is 200
    And the XML root is "<action>Response" in the namespace "http://queue.amazonaws.com/doc/2012-11-05/"

    Examples:
      | action             | more                |
      | GetQueueAttributes | AttributeName.1=All |
      | SendMessage        | MessageBody=b       |
      | ReceiveMessage     | AttributeName=All   |
      | DeleteQueue        | Version=2012-11-05  |

  @id:protocols.18 @QS-38 @query
  Scenario: a queue addressed by its path
    Given a queue "q"
    When I send the request:
      """
      POST ${path:q}
      Content-Type: application/x-www-form-urlencoded

      Action=SendMessage
      MessageBody=a
      """
    Then the answer has:
      | MD5OfMessageBody | ${md5:a} |
    When I send the request:
      """
      GET ${path:q}?Action=ReceiveMessage
      """
    Then the answer has:
      | Messages.1.Body | a |

  @id:protocols.19 @query
  Scenario: the parameter beats the path
    Given a queue "one"
    And a queue "two"
    When I send the request:
      """
      POST ${path:one}
      Content-Type: application/x-www-form-urlencoded

      Action=GetQueueAttributes
      QueueUrl=${url:two}
      AttributeName.1=QueueArn
      """
    Then the answer has exactly:
      | Attributes.QueueArn | ${arn:two} |

  @id:protocols.20 @query
  Scenario: GetQueueUrl for another queue on a queue's path
    Given a queue "one"
    And a queue "two"
    When I send the request:
      """
      GET ${path:one}?Action=GetQueueUrl&QueueName=${name:two}
      """
    Then the answer has exactly:
      | QueueUrl | ${url:two} |

  @id:protocols.21 @query
  Scenario Outline: <action> is not valid on a queue's path
    Given a queue "q"
    When I send the request:
      """
      GET ${path:q}?Action=<action>&QueueName=x
      """
    Then the call fails with InvalidAction and message "The action <action> is not valid for this endpoint."

    Examples:
      | action      |
      | CreateQueue |
      | ListQueues  |

  @id:protocols.22 @QS-34 @query
  Scenario: an action nobody knows on a queue's path
    Given a queue "q"
    When I send the request:
      """
      GET ${path:q}?Action=FooBar
      """
    Then the call fails with InvalidAction
    And this gateway fails with InvalidAction and its standard message
    But Amazon fails with InvalidAction and message "The action FooBar is not valid for this endpoint."

  @id:protocols.23 @query
  Scenario: a queue's path without an action
    Given a queue "q"
    When I send the request:
      """
      GET ${path:q}
      """
    Then the status is 404
    And the answer on the wire contains '<UnknownOperationException'

  @id:protocols.24 @query
  Scenario: the path of a queue that is gone
    Given a queue "q"
    When I delete the queue "q"
    And I send the request:
      """
      GET ${path:q}?Action=GetQueueAttributes&AttributeName.1=All
      """
    Then the call fails with QueueDoesNotExist and its standard message

  @id:protocols.25 @query
  Scenario: a Query request answered in JSON
    Given a queue "q"
    When I send the request:
      """
      GET /?Action=SendMessage&QueueUrl=${url:q}&MessageBody=a
      Accept: application/json
      """
    Then the status is 200
    And the header "Content-Type" is "/^application/json/"
    And the JSON on the wire has exactly the members SendMessageResponse
    And the JSON on the wire has:
      | SendMessageResponse.SendMessageResult.MessageId        | <uuid>   |
      | SendMessageResponse.SendMessageResult.MD5OfMessageBody | ${md5:a} |
      | SendMessageResponse.ResponseMetadata.RequestId         | <uuid>   |
    When I send the request:
      """
      GET /?Action=ReceiveMessage&QueueUrl=${url:q}
      Accept: application/json
      """
    Then the status is 200
    And the JSON on the wire has:
      | ReceiveMessageResponse.ReceiveMessageResult.messages.1.Body | a |
    When I send the request:
      """
      GET ${path:q}?Action=GetQueueAttributes&AttributeName.1=QueueArn
      Accept: application/json
      """
    Then the JSON on the wire has:
      | GetQueueAttributesResponse.GetQueueAttributesResult.Attributes.1.Name  | QueueArn |
      | GetQueueAttributesResponse.GetQueueAttributesResult.Attributes.1.Value | ${arn:q} |
      | GetQueueAttributesResponse.GetQueueAttributesResult.Attributes.2.Name  | <absent> |

  @id:protocols.26 @query
  Scenario: an error of a Query request in JSON
    When I send the request:
      """
      GET /?Action=GetQueueUrl&QueueName=${name:missing}
      Accept: application/json
      """
    Then the status is 400
    And the JSON on the wire has:
      | Error.Code | AWS.SimpleQueueService.NonExistentQueue |
      | Error.Type | Sender                                  |

  @id:protocols.27 @query @gateway
  Scenario: a parameter name of forty parts
    When I send the request:
      """
      POST /
      Content-Type: application/x-www-form-urlencoded

      Action=ListQueues
      a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t=x
      """
    Then the call fails with InvalidParameterValue

  @id:protocols.28 @gateway
  Scenario: the health check needs no signature
    Given requests are not signed
    When I send the request:
      """
      GET /healthz
      """
    Then the status is 200
    And the header "Content-Type" is "application/json"
    And the answer on the wire contains '"status":"ok"'
    And the answer on the wire contains '"service":"queen-sqs"'
