package sqs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
)

// mostReceives is the largest maxReceiveCount.
const mostReceives = 1000

// checkRedrive checks the RedrivePolicy and the RedriveAllowPolicy among the
// attributes of a queue of that name. Empty ones remove and are not looked at.
func (s *Service) checkRedrive(ctx context.Context, tok queen.Token, name string, values map[string]string) error {
	if doc := values[registry.RedrivePolicy]; doc != "" {
		why, err := s.redriveFlaw(ctx, tok, name, doc)
		if err != nil {
			return brokerFault(err)
		}
		if why != "" {
			return s.invalidDocument(registry.RedrivePolicy, doc, why)
		}
	}
	if doc := values[registry.RedriveAllowPolicy]; doc != "" {
		if why := redriveAllowFlaw(doc); why != "" {
			return s.invalidDocument(registry.RedriveAllowPolicy, doc, why)
		}
	}
	return nil
}

// invalidDocument quotes the document as AWS does, but not without a bound
// (QS-25).
func (s *Service) invalidDocument(name, doc, why string) error {
	if !s.profile.MatchesAmazon(divergences.LongPolicyQuotedInPart) {
		doc = excerpt(doc)
	}
	return fault.InvalidParameterValue.Withf("Value %s for parameter %s is invalid. Reason: %s.", doc, name, why)
}

// redriveFlaw says what is wrong with a RedrivePolicy; empty is nothing.
func (s *Service) redriveFlaw(ctx context.Context, tok queen.Token, name, doc string) (why string, err error) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(doc), &members) != nil || members == nil {
		return "Redrive policy is not a valid JSON map", nil
	}
	for _, member := range []string{"deadLetterTargetArn", "maxReceiveCount"} {
		if raw, ok := members[member]; !ok || string(raw) == "null" {
			return "Redrive policy does not contain mandatory attribute: " + member, nil
		}
	}
	var arn string
	target, ok := "", json.Unmarshal(members["deadLetterTargetArn"], &arn) == nil
	if ok {
		target, ok = s.nameFromARN(arn)
	}
	if !ok {
		return "Invalid value for deadLetterTargetArn", nil
	}
	if n, ok := registry.WholeNumber(members["maxReceiveCount"]); !ok || n < 1 || n > mostReceives {
		return fmt.Sprintf("Invalid value for maxReceiveCount: %s, valid values are from 1 to %d both inclusive",
			excerpt(strings.Trim(string(members["maxReceiveCount"]), `"`)), mostReceives), nil
	}
	if registry.IsFIFO(target) != registry.IsFIFO(name) {
		return "Dead-letter queue must be of the same type as its source queue", nil
	}
	if target == name && !s.profile.MatchesAmazon(divergences.QueueAsItsOwnDeadLetterQueue) {
		return "Dead-letter queue must be another queue than its source queue", nil
	}
	if target == name {
		return "", nil
	}
	if _, err := s.registry.Queue(ctx, tok, target); errors.Is(err, registry.ErrNotFound) {
		return "Dead letter target does not exist", nil
	} else if err != nil {
		return "", err
	}
	return "", nil
}

// mostSources is how many source queues a RedriveAllowPolicy can name.
const mostSources = 10

// redriveAllowFlaw says what is wrong with the shape of a RedriveAllowPolicy.
// The policy is kept and not enforced (QS-19, PoliciesNotEnforced).
func redriveAllowFlaw(doc string) (why string) {
	var policy struct {
		Permission *string   `json:"redrivePermission"`
		Sources    *[]string `json:"sourceQueueArns"`
	}
	if !isObject(doc) || json.Unmarshal([]byte(doc), &policy) != nil {
		return "Redrive allow policy is not a valid JSON map"
	}
	if policy.Permission == nil {
		return "Redrive allow policy does not contain mandatory attribute: redrivePermission"
	}
	switch *policy.Permission {
	case "allowAll", "denyAll":
		if policy.Sources != nil {
			return "sourceQueueArns is allowed only with a redrivePermission of byQueue"
		}
		return ""
	case "byQueue":
	default:
		return "redrivePermission must be allowAll, denyAll or byQueue"
	}
	if policy.Sources == nil || len(*policy.Sources) == 0 || len(*policy.Sources) > mostSources {
		return fmt.Sprintf("sourceQueueArns must name 1 to %d queues", mostSources)
	}
	for _, arn := range *policy.Sources {
		parts := strings.Split(arn, ":")
		if len(parts) != 6 || parts[0] != "arn" || parts[2] != "sqs" || !validQueueName(parts[5]) {
			return "Invalid value for sourceQueueArns"
		}
	}
	return ""
}
