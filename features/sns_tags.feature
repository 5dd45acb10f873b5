@sns
Feature: TagResource, UntagResource, ListTagsForResource

  @id:sns-tags.01
  Scenario: tags come and go
    Given a topic "t"
    When the client calls TagResource with:
      | ResourceArn | ${topic:t} |
      | Tags.k1     | v1         |
      | Tags.k2     | v2         |
    Then the answer has nothing in it
    When the client calls ListTagsForResource with:
      | ResourceArn | ${topic:t} |
    Then the answer has exactly:
      | Tags.1.Key   | k1 |
      | Tags.1.Value | v1 |
      | Tags.2.Key   | k2 |
      | Tags.2.Value | v2 |
    When the client calls UntagResource with:
      | ResourceArn | ${topic:t} |
      | TagKeys     | k1, absent |
    Then the answer has nothing in it
    When the client calls TagResource with:
      | ResourceArn | ${topic:t} |
      | Tags.k2     | v2b        |
    And the client calls ListTagsForResource with:
      | ResourceArn | ${topic:t} |
    Then the answer has exactly:
      | Tags.1.Key   | k2  |
      | Tags.1.Value | v2b |

  @id:sns-tags.02
  Scenario: a key that is there twice
    Given a topic "t"
    When the client calls TagResource with the parameters:
      """
      {"ResourceArn": "${topic:t}", "Tags": [{"Key": "k", "Value": "v"}, {"Key": "k", "Value": "v"}]}
      """
    Then the call fails with InvalidParameter and message "Invalid parameter: Duplicated keys are not allowed."

  @id:sns-tags.03
  Scenario: fifty tags and no more
    Given a topic "t"
    When the client calls TagResource with the parameters:
      """
      {"ResourceArn": "${topic:t}", "Tags": [{"Key": "a", "Value": "1"}]}
      """
    Then the call succeeds
    When the client calls TagResource with the parameters:
      """
      {"ResourceArn": "${topic:t}", "Tags": [
        {"Key":"01","Value":""},{"Key":"02","Value":""},{"Key":"03","Value":""},{"Key":"04","Value":""},{"Key":"05","Value":""},
        {"Key":"06","Value":""},{"Key":"07","Value":""},{"Key":"08","Value":""},{"Key":"09","Value":""},{"Key":"10","Value":""},
        {"Key":"11","Value":""},{"Key":"12","Value":""},{"Key":"13","Value":""},{"Key":"14","Value":""},{"Key":"15","Value":""},
        {"Key":"16","Value":""},{"Key":"17","Value":""},{"Key":"18","Value":""},{"Key":"19","Value":""},{"Key":"20","Value":""},
        {"Key":"21","Value":""},{"Key":"22","Value":""},{"Key":"23","Value":""},{"Key":"24","Value":""},{"Key":"25","Value":""},
        {"Key":"26","Value":""},{"Key":"27","Value":""},{"Key":"28","Value":""},{"Key":"29","Value":""},{"Key":"30","Value":""},
        {"Key":"31","Value":""},{"Key":"32","Value":""},{"Key":"33","Value":""},{"Key":"34","Value":""},{"Key":"35","Value":""},
        {"Key":"36","Value":""},{"Key":"37","Value":""},{"Key":"38","Value":""},{"Key":"39","Value":""},{"Key":"40","Value":""},
        {"Key":"41","Value":""},{"Key":"42","Value":""},{"Key":"43","Value":""},{"Key":"44","Value":""},{"Key":"45","Value":""},
        {"Key":"46","Value":""},{"Key":"47","Value":""},{"Key":"48","Value":""},{"Key":"49","Value":""},{"Key":"50","Value":""}]}
      """
    Then the call fails with TagLimitExceeded

  @id:sns-tags.04
  Scenario: a topic that does not exist
    When the client calls ListTagsForResource with:
      | ResourceArn | ${topic:absent} |
    Then the call fails with ResourceNotFound
    When the client calls TagResource with:
      | ResourceArn | ${topic:absent} |
      | Tags.k      | v               |
    Then the call fails with ResourceNotFound
    When the client calls UntagResource with:
      | ResourceArn | ${topic:absent} |
      | TagKeys     | k               |
    Then the call fails with ResourceNotFound

  @id:sns-tags.05 @SN-20
  Scenario: tags at creation, compared at the next
    When the client calls CreateTopic with:
      | Name   | ${name:t} |
      | Tags.a | 1         |
      | Tags.b | 2         |
    Then the call succeeds
    When the client calls CreateTopic with:
      | Name   | ${name:t} |
      | Tags.a | 1         |
    Then the answer's TopicArn is "${topic:t}"
    When the client calls CreateTopic with the parameters:
      """
      {"Name": "${name:t}", "Tags": []}
      """
    Then the answer's TopicArn is "${topic:t}"
    When the client calls CreateTopic with:
      | Name   | ${name:t} |
      | Tags.c | 3         |
    Then the call fails with InvalidParameter and message "Invalid parameter: Tags Reason: Topic already exists with different tags"

  @id:sns-tags.06
  Scenario: tags die with the topic
    When the client calls CreateTopic with:
      | Name   | ${name:t} |
      | Tags.a | 1         |
    And the client calls DeleteTopic with:
      | TopicArn | ${topic:t} |
    And the client calls CreateTopic with:
      | Name | ${name:t} |
    And the client calls ListTagsForResource with:
      | ResourceArn | ${topic:t} |
    Then the answer has:
      | Tags.1.Key | <absent> |
