Feature: every error of the catalog, in both protocols
  The tables below are the catalog: each row provokes its error, and the step
  that looks at it checks both spellings, status, fault, request id and the
  class that the SDK raises.

  @id:error-catalog.01
  Scenario Outline: <error> from SQS
    Given a queue "q"
    And a queue "gone"
    And a queue "purged"
    And a queue "dead"
    And a queue "source" with attributes:
      | RedrivePolicy | {"deadLetterTargetArn":"${arn:dead}","maxReceiveCount":1} |
    And a FIFO queue "q.fifo"
    And "a" was sent to "q"
    When I receive a message from "q"
    And I change the visibility of "a" in "q" to 0 seconds
    And I delete the queue "gone"
    And the client calls PurgeQueue with:
      | QueueUrl | ${url:purged} |
    And I start moving the messages of "dead" to "q"
    And the answer's TaskHandle is remembered as "task"
    Then the latest move of "dead" is COMPLETED
    Given <given>
    When a raw client calls <action> with the parameters:
      """
      <parameters>
      """
    Then the call fails with <error>

    Examples: what a client does
      | error                        | given      | action                       | parameters                                                                                   |
      | QueueDoesNotExist            | no trouble | GetQueueUrl                  | {"QueueName":"${name:missing}"}                                                              |
      | ReceiptHandleIsInvalid       | no trouble | DeleteMessage                | {"QueueUrl":"${url:q}","ReceiptHandle":"garbage"}                                            |
      | MessageNotInflight           | no trouble | ChangeMessageVisibility      | {"QueueUrl":"${url:q}","ReceiptHandle":"${handle:a}","VisibilityTimeout":10}                 |
      | PurgeQueueInProgress         | no trouble | PurgeQueue                   | {"QueueUrl":"${url:purged}"}                                                                 |
      | BatchEntryIdsNotDistinct     | no trouble | SendMessageBatch             | {"QueueUrl":"${url:q}","Entries":[{"Id":"1","MessageBody":"a"},{"Id":"1","MessageBody":"b"}]} |
      | TooManyEntriesInBatchRequest | no trouble | DeleteMessageBatch           | {"QueueUrl":"${url:q}","Entries":[{"Id":"1"},{"Id":"2"},{"Id":"3"},{"Id":"4"},{"Id":"5"},{"Id":"6"},{"Id":"7"},{"Id":"8"},{"Id":"9"},{"Id":"10"},{"Id":"11"}]} |
      | EmptyBatchRequest            | no trouble | ChangeMessageVisibilityBatch | {"QueueUrl":"${url:q}","Entries":[]}                                                         |
      | InvalidBatchEntryId          | no trouble | SendMessageBatch             | {"QueueUrl":"${url:q}","Entries":[{"Id":"!","MessageBody":"a"}]}                             |
      | BatchRequestTooLong          | no trouble | SendMessageBatch             | {"QueueUrl":"${url:q}","Entries":[{"Id":"1","MessageBody":"${x*1048577}"}]}                  |
      | InvalidAttributeName         | no trouble | GetQueueAttributes           | {"QueueUrl":"${url:q}","AttributeNames":["Foobar"]}                                          |
      | InvalidAttributeValue        | no trouble | SetQueueAttributes           | {"QueueUrl":"${url:q.fifo}","Attributes":{"FifoQueue":"false"}}                              |
      | QueueDeletedRecently         | no trouble | CreateQueue                  | {"QueueName":"${name:gone}"}                                                                 |
      | QueueNameExists              | no trouble | CreateQueue                  | {"QueueName":"${name:q}","Attributes":{"DelaySeconds":"5"}}                                  |
      | InvalidMessageContents       | no trouble | SendMessage                  | {"QueueUrl":"${url:q}","MessageBody":"\u0001"}                                               |
      | ResourceNotFoundException    | no trouble | ListMessageMoveTasks         | {"SourceArn":"${arn:missing}"}                                                               |
      | UnsupportedOperation         | no trouble | CancelMessageMoveTask        | {"TaskHandle":"${task}"}                                                                     |
      | InvalidParameterValue        | no trouble | ReceiveMessage               | {"QueueUrl":"${url:q}","MaxNumberOfMessages":11}                                             |
      | MissingParameter             | no trouble | CreateQueue                  | {}                                                                                           |
      | InvalidAction                | no trouble | NoSuchAction                 | {}                                                                                           |

    @signatures
    Examples: how a client signs
      | error                      | given                                                                                  | action     | parameters |
      | MissingAuthenticationToken | requests are not signed                                                                | ListQueues | {}         |
      | SignatureDoesNotMatch      | requests are signed with the secret "wrong"                                            | ListQueues | {}         |
      | IncompleteSignature        | the header "Authorization" is changed to "AWS4-HMAC-SHA256 nonsense" after signing     | ListQueues | {}         |
      | InvalidClientTokenId       | requests are signed with the key id "AKIDUNKNOWN"                                      | ListQueues | {}         |

    Examples: what the broker does
      | error                 | given                                                                        | action      | parameters                                       |
      | ServiceUnavailable    | the broker answers no call                                                   | ListQueues  | {}                                               |
      | ServiceUnavailable    | the broker answers every call with the status 500                            | ListQueues  | {}                                               |
      | ServiceUnavailable    | the broker answers every call with the status 503                            | SendMessage | {"QueueUrl":"${url:q}","MessageBody":"b"}        |
      | ServiceUnavailable    | the broker only buffers what is pushed                                       | SendMessage | {"QueueUrl":"${url:q}","MessageBody":"b"}        |
      | InternalFailure       | the broker answers what cannot be read                                       | ListQueues  | {}                                               |
      | RequestThrottled      | the broker answers every call with the status 429 and asks to wait 7 seconds | ListQueues  | {}                                               |
      | AccessDenied          | the broker answers every call with the status 401                            | ListQueues  | {}                                               |
      | AccessDenied          | the broker answers every call with the status 403                            | ListQueues  | {}                                               |
      | QueueDoesNotExist     | the broker answers every call with the status 404                            | SendMessage | {"QueueUrl":"${url:q}","MessageBody":"b"}        |
      | InvalidParameterValue | the broker answers every call with the status 400                            | ListQueues  | {}                                               |

  @id:error-catalog.02
  Scenario Outline: <error> from SNS
    Given a topic "t"
    And a topic "full"
    And the client calls TagResource with the parameters:
      """
      {"ResourceArn": "${topic:full}", "Tags": [
       {"Key":"k01","Value":""},{"Key":"k02","Value":""},{"Key":"k03","Value":""},{"Key":"k04","Value":""},{"Key":"k05","Value":""},
       {"Key":"k06","Value":""},{"Key":"k07","Value":""},{"Key":"k08","Value":""},{"Key":"k09","Value":""},{"Key":"k10","Value":""},
       {"Key":"k11","Value":""},{"Key":"k12","Value":""},{"Key":"k13","Value":""},{"Key":"k14","Value":""},{"Key":"k15","Value":""},
       {"Key":"k16","Value":""},{"Key":"k17","Value":""},{"Key":"k18","Value":""},{"Key":"k19","Value":""},{"Key":"k20","Value":""},
       {"Key":"k21","Value":""},{"Key":"k22","Value":""},{"Key":"k23","Value":""},{"Key":"k24","Value":""},{"Key":"k25","Value":""},
       {"Key":"k26","Value":""},{"Key":"k27","Value":""},{"Key":"k28","Value":""},{"Key":"k29","Value":""},{"Key":"k30","Value":""},
       {"Key":"k31","Value":""},{"Key":"k32","Value":""},{"Key":"k33","Value":""},{"Key":"k34","Value":""},{"Key":"k35","Value":""},
       {"Key":"k36","Value":""},{"Key":"k37","Value":""},{"Key":"k38","Value":""},{"Key":"k39","Value":""},{"Key":"k40","Value":""},
       {"Key":"k41","Value":""},{"Key":"k42","Value":""},{"Key":"k43","Value":""},{"Key":"k44","Value":""},{"Key":"k45","Value":""},
       {"Key":"k46","Value":""},{"Key":"k47","Value":""},{"Key":"k48","Value":""},{"Key":"k49","Value":""},{"Key":"k50","Value":""}]}
      """
    Given <given>
    When a raw client calls <action> with the parameters:
      """
      <parameters>
      """
    Then the call fails with <error>

    Examples: what a client does
      | error                           | given      | action             | parameters |
      | NotFound                        | no trouble | GetTopicAttributes | {"TopicArn":"${topic:missing}"} |
      | InvalidParameter                | no trouble | Publish            | {"TopicArn":"${topic:t}","Message":""} |
      | ParameterValueInvalid           | no trouble | Publish            | {"TopicArn":"${topic:t}","Message":"m","MessageAttributes":{"k":{"DataType":"Nonsense","StringValue":"x"}}} |
      | ValidationError                 | no trouble | Publish            | {"TopicArn":"${topic:t}","Message":"m","MessageAttributes":{"k":{"StringValue":"x"}}} |
      | ResourceNotFound                | no trouble | ListTagsForResource | {"ResourceArn":"${topic:missing}"} |
      | TagLimitExceeded                | no trouble | TagResource        | {"ResourceArn":"${topic:full}","Tags":[{"Key":"one","Value":"more"}]} |
      | SNSEmptyBatchRequest            | no trouble | PublishBatch       | {"TopicArn":"${topic:t}","PublishBatchRequestEntries":[]} |
      | SNSTooManyEntriesInBatchRequest | no trouble | PublishBatch       | {"TopicArn":"${topic:t}","PublishBatchRequestEntries":[{"Id":"1","Message":"m"},{"Id":"2","Message":"m"},{"Id":"3","Message":"m"},{"Id":"4","Message":"m"},{"Id":"5","Message":"m"},{"Id":"6","Message":"m"},{"Id":"7","Message":"m"},{"Id":"8","Message":"m"},{"Id":"9","Message":"m"},{"Id":"10","Message":"m"},{"Id":"11","Message":"m"}]} |
      | SNSBatchEntryIdsNotDistinct     | no trouble | PublishBatch       | {"TopicArn":"${topic:t}","PublishBatchRequestEntries":[{"Id":"1","Message":"m"},{"Id":"1","Message":"m"}]} |
      | SNSInvalidBatchEntryId          | no trouble | PublishBatch       | {"TopicArn":"${topic:t}","PublishBatchRequestEntries":[{"Id":"!","Message":"m"}]} |
      | SNSBatchRequestTooLong          | no trouble | PublishBatch       | {"TopicArn":"${topic:t}","PublishBatchRequestEntries":[{"Id":"1","Message":"${x*200000}"},{"Id":"2","Message":"${x*100000}"}]} |

    Examples: what the broker does
      | error              | given                                             | action     | parameters |
      | ServiceUnavailable | the broker answers every call with the status 503 | ListTopics | {}         |
      | InternalFailure    | the broker answers what cannot be read            | ListTopics | {}         |
      | RequestThrottled   | the broker answers every call with the status 429 | ListTopics | {}         |
      | AccessDenied       | the broker answers every call with the status 401 | ListTopics | {}         |

  @id:error-catalog.03 @query
  Scenario: UnknownOperationException
    Given a queue "q"
    When I send the request:
      """
      GET ${path:q}
      """
    Then the status is 404
    And the answer on the wire contains '<UnknownOperationException'

  @id:error-catalog.04
  Scenario: a throttled client is told how long to wait, and nobody is told the broker's words
    Given a queue "q"
    And the broker answers every call with the status 429 and asks to wait 7 seconds
    When the client calls ListQueues
    Then the call fails with RequestThrottled and message "The request was denied due to request throttling."
    And the header "Retry-After" is "7"
    And the answer on the wire does not contain 'text of the broker'

  @id:error-catalog.05
  Scenario Outline: the broker's words for <status> reach nobody
    Given a queue "q"
    And the broker answers every call with the status <status>
    When the client calls ListQueues
    Then the call is answered with an error of the status <answer>
    And there is no header "Retry-After"
    And the answer on the wire does not contain 'text of the broker'

    Examples:
      | status | answer |
      | 400    | 400    |
      | 401    | 403    |
      | 403    | 403    |
      | 404    | 400    |
      | 409    | 400    |
      | 500    | 503    |
      | 502    | 503    |

  @id:error-catalog.06
  Scenario: entries that the broker only buffers fail one by one, to be sent again
    Given a queue "q"
    And the broker only buffers what is pushed
    When I send a batch to "q":
      | Id | MessageBody |
      | 1  | a           |
    Then the answer has exactly:
      | Failed.1.Id          | 1                                                                 |
      | Failed.1.SenderFault | false                                                             |
      | Failed.1.Code        | ServiceUnavailable                                                |
      | Failed.1.Message     | The request has failed due to a temporary failure of the server. |
