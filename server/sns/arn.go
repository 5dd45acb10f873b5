package sns

import (
	"strings"

	"github.com/queen-mq/queen-sqs/server/queuename"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// longestTopicName is the most bytes of a topic name, a .fifo suffix included
// (recorded: 256 are accepted, 257 are not).
const longestTopicName = 256

func validTopicName(name string) bool {
	return len(name) <= longestTopicName && queuename.ValidStem(strings.TrimSuffix(name, queuename.FIFOSuffix))
}

// arnParts are the parts of an ARN of SNS of this region and account; member is
// the parameter it came in. The texts are recorded.
func (s *Service) arnParts(member, arn string) ([]string, error) {
	parts := strings.Split(arn, ":")
	if len(parts) < 6 {
		return nil, invalid("%s Reason: An ARN must have at least 6 elements, not %d", member, len(parts))
	}
	if parts[0] != "arn" || parts[2] != "sns" || parts[3] != s.region || parts[4] != s.account {
		return nil, invalid("%s", member)
	}
	return parts, nil
}

// topicName is the topic that a parameter's ARN names. Whether it exists is
// another question.
func (s *Service) topicName(p *wire.Object, member string) (string, error) {
	arn, err := required(p, member)
	if err != nil {
		return "", err
	}
	return s.topicOf(member, arn)
}

func (s *Service) topicOf(member, arn string) (string, error) {
	parts, err := s.arnParts(member, arn)
	if err != nil {
		return "", err
	}
	if len(parts) != 6 || !validTopicName(parts[5]) {
		return "", invalid("%s", member)
	}
	return parts[5], nil
}

// longestSubscriptionID is the most bytes of the last part of a subscription's
// ARN.
const longestSubscriptionID = 64

// subscriptionID is the topic and the id that the parameter SubscriptionArn
// names.
func (s *Service) subscriptionID(p *wire.Object) (topic, id string, err error) {
	const member = "SubscriptionArn"
	arn, err := required(p, member)
	if err != nil {
		return "", "", err
	}
	parts, err := s.arnParts(member, arn)
	if err != nil {
		return "", "", err
	}
	if len(parts) != 7 || !validSubscriptionID(parts[6]) {
		return "", "", invalid("SubscriptionId")
	}
	if !validTopicName(parts[5]) {
		return "", "", invalid(member)
	}
	return parts[5], parts[6], nil
}

func validSubscriptionID(id string) bool {
	return id != "" && len(id) <= longestSubscriptionID && strings.Trim(id, "0123456789abcdefABCDEF-") == ""
}
