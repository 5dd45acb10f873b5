Feature: AddPermission and RemovePermission

  @id:permissions.01 @QS-19
  Scenario: a permission is a statement of the policy
    Given a queue "q"
    When the client calls AddPermission with:
      | QueueUrl      | ${url:q}       |
      | Label         | one            |
      | AWSAccountIds | 668614515564   |
      | Actions       | ReceiveMessage |
    Then the answer has nothing in it
    When I ask for the attribute Policy of "q"
    Then the answer has:
      | Attributes.Policy | json:{"Version":"2008-10-17","Id":"<text>","Statement":[{"Sid":"one","Effect":"Allow","Principal":{"AWS":"/^arn:aws:iam::668614515564:/"},"Action":"SQS:ReceiveMessage","Resource":"${arn:q}"}]} |
    When the client calls RemovePermission with:
      | QueueUrl | ${url:q} |
      | Label    | one      |
    Then the answer has nothing in it
    When I ask for the attribute Policy of "q"
    Then the answer has nothing in it

  @id:permissions.02
  Scenario: a second label is a second statement, and removing the first leaves it
    Given a queue "q"
    When the client calls AddPermission with:
      | QueueUrl      | ${url:q}                    |
      | Label         | one                         |
      | AWSAccountIds | 668614515564, 111111111111  |
      | Actions       | ReceiveMessage, SendMessage |
    And the client calls AddPermission with:
      | QueueUrl      | ${url:q}       |
      | Label         | two            |
      | AWSAccountIds | 668614515564   |
      | Actions       | ReceiveMessage |
    And I ask for the attribute Policy of "q"
    Then the answer has:
      | Attributes.Policy | /"Sid": ?"one".*"Sid": ?"two"/ |
    When the client calls RemovePermission with:
      | QueueUrl | ${url:q} |
      | Label    | one      |
    And I ask for the attribute Policy of "q"
    Then the answer has:
      | Attributes.Policy | json:{"Version":"2008-10-17","Id":"<text>","Statement":[{"Sid":"two","Effect":"Allow","Principal":{"AWS":"/^arn:aws:iam::668614515564:/"},"Action":"SQS:ReceiveMessage","Resource":"${arn:q}"}]} |

  @id:permissions.03
  Scenario: a label is used once
    Given a queue "q"
    When the client calls AddPermission with:
      | QueueUrl      | ${url:q}       |
      | Label         | one            |
      | AWSAccountIds | 668614515564   |
      | Actions       | ReceiveMessage |
    And the client calls AddPermission with:
      | QueueUrl      | ${url:q}     |
      | Label         | one          |
      | AWSAccountIds | 111111111111 |
      | Actions       | SendMessage  |
    Then the call fails with InvalidParameterValue and message "Value one for parameter Label is invalid. Reason: Already exists."

  @id:permissions.04
  Scenario: removing a label nobody gave
    Given a queue "q"
    When the client calls RemovePermission with:
      | QueueUrl | ${url:q} |
      | Label    | none     |
    Then the call fails with InvalidParameterValue and message "Value none for parameter Label is invalid. Reason: can't find label."

  @id:permissions.05
  Scenario: a label is required
    Given a queue "q"
    When the client calls RemovePermission with:
      | QueueUrl | ${url:q} |
    Then the call fails with MissingParameter and message "The request must contain the parameter Label."

  @id:permissions.06
  Scenario: a missing queue
    When the client calls RemovePermission with:
      | QueueUrl | ${url:missing} |
      | Label    | one            |
    Then the call fails with QueueDoesNotExist and its standard message
