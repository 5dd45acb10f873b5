package sqs

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// AddPermission and RemovePermission edit the queue's Policy as AWS was recorded
// to edit it (2024-04-30). Nothing enforces the policy (QS-19, PoliciesNotEnforced).

// policy is a queue's access policy. Statements that this gateway did not write
// pass through as they are.
type policy struct {
	Version   string            `json:"Version,omitempty"`
	ID        string            `json:"Id,omitempty"`
	Statement []json.RawMessage `json:"Statement"`
}

type statement struct {
	Sid       string    `json:"Sid"`
	Effect    string    `json:"Effect"`
	Principal principal `json:"Principal"`
	Action    oneOrMany `json:"Action"`
	Resource  string    `json:"Resource"`
}

type principal struct {
	AWS oneOrMany `json:"AWS"`
}

// oneOrMany is written as a string when there is one.
type oneOrMany []string

func (m oneOrMany) MarshalJSON() ([]byte, error) {
	if len(m) == 1 {
		return json.Marshal(m[0])
	}
	return json.Marshal([]string(m))
}

// grantable are the actions that a permission can be given for; the others are
// the owner's. Batch actions come with their single ones.
var grantable = []string{
	"*", "ChangeMessageVisibility", "ChangeMessageVisibilityBatch", "DeleteMessage", "DeleteMessageBatch",
	"GetQueueAttributes", "GetQueueUrl", "ListDeadLetterSourceQueues", "PurgeQueue", "ReceiveMessage",
	"SendMessage", "SendMessageBatch",
}

func (s *Service) addPermission(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	label, err := labelParam(req.Params)
	if err != nil {
		return nil, err
	}
	principals, err := principalsParam(req.Params)
	if err != nil {
		return nil, err
	}
	actions, err := actionsParam(req.Params)
	if err != nil {
		return nil, err
	}
	return nil, s.changePolicy(ctx, req, name, func(q *registry.Queue, p *policy) error {
		if p.find(label) >= 0 {
			return invalidLabel(label, "Already exists.")
		}
		if p.Version == "" {
			p.Version, p.ID = "2008-10-17", q.ARN+"/SQSDefaultPolicy"
		}
		added, err := json.Marshal(statement{
			Sid: label, Effect: "Allow", Principal: principal{principals}, Action: actions, Resource: q.ARN,
		})
		p.Statement = append(p.Statement, added)
		return err
	})
}

func (s *Service) removePermission(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	label, err := labelParam(req.Params)
	if err != nil {
		return nil, err
	}
	return nil, s.changePolicy(ctx, req, name, func(_ *registry.Queue, p *policy) error {
		i := p.find(label)
		if i < 0 {
			return invalidLabel(label, "can't find label.")
		}
		p.Statement = slices.Delete(p.Statement, i, i+1)
		return nil
	})
}

// changePolicy edits the queue's policy; one without statements is removed.
func (s *Service) changePolicy(ctx context.Context, req *wire.Request, name string, edit func(*registry.Queue, *policy) error) error {
	_, err := s.registry.ChangeQueue(ctx, s.tokens.Of(req), name, func(q *registry.Queue) error {
		p := readPolicy(q.Attributes[registry.Policy])
		if err := edit(q, &p); err != nil {
			return err
		}
		q.Modified = s.clock.Now()
		if len(p.Statement) == 0 {
			delete(q.Attributes, registry.Policy)
			return nil
		}
		text, err := json.Marshal(p)
		q.Attributes[registry.Policy] = string(text)
		return err
	})
	return brokerFault(err)
}

// readPolicy reads a policy as far as it can be read. Statement may be a single
// one instead of a list.
func readPolicy(doc string) policy {
	var raw struct {
		Version   string          `json:"Version"`
		ID        string          `json:"Id"`
		Statement json.RawMessage `json:"Statement"`
	}
	_ = json.Unmarshal([]byte(doc), &raw)
	p := policy{Version: raw.Version, ID: raw.ID}
	if json.Unmarshal(raw.Statement, &p.Statement) != nil && raw.Statement != nil {
		p.Statement = []json.RawMessage{raw.Statement}
	}
	return p
}

// find answers the place of the statement with that label, or -1.
func (p *policy) find(label string) int {
	return slices.IndexFunc(p.Statement, func(raw json.RawMessage) bool {
		var s struct {
			Sid string `json:"Sid"`
		}
		return json.Unmarshal(raw, &s) == nil && s.Sid == label
	})
}

func invalidLabel(label, why string) error {
	return fault.InvalidParameterValue.Withf("Value %s for parameter Label is invalid. Reason: %s", excerpt(label), why)
}

func labelParam(p *wire.Object) (string, error) {
	label, err := requiredText(p, "Label")
	if err != nil {
		return "", err
	}
	if !validLabel(label) {
		return "", invalidLabel(label, badStandardName)
	}
	return label, nil
}

// validLabel reports whether a text is made like the name of a standard queue,
// which is the rule for labels too.
func validLabel(text string) bool { return validQueueName(text) && !registry.IsFIFO(text) }

func principalsParam(p *wire.Object) (oneOrMany, error) {
	accounts, err := textListParam(p, "AWSAccountIds")
	if err != nil {
		return nil, err
	}
	if len(accounts) == 0 {
		return nil, missing("AWSAccountIds")
	}
	principals := make(oneOrMany, len(accounts))
	for i, account := range accounts {
		if !validLabel(account) {
			return nil, fault.InvalidParameterValue.Withf("Value [%s] for parameter PrincipalId is invalid. Reason: Unable to verify.", excerpt(account))
		}
		principals[i] = "arn:aws:iam::" + account + ":root"
	}
	return principals, nil
}

func actionsParam(p *wire.Object) (oneOrMany, error) {
	names, err := textListParam(p, "Actions")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, missing("Actions")
	}
	actions := make(oneOrMany, len(names))
	for i, name := range names {
		if !slices.Contains(grantable, name) {
			why := "Please refer to the appropriate WSDL for a list of valid actions. "
			if slices.Contains(wire.SQSActions, name) {
				why = "Only the queue owner is allowed to invoke this action."
			}
			return nil, fault.InvalidParameterValue.Withf("Value SQS:%s for parameter ActionName is invalid. Reason: %s", excerpt(name), why)
		}
		actions[i] = "SQS:" + name
	}
	return actions, nil
}
