package sns

import (
	"errors"

	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/sns/filter"
)

// policy is a subscription's filter policy, compiled. The zero value, that of a
// policy which cannot be read, wants nothing.
type policy struct {
	all      bool
	compiled *filter.Policy
}

// compilePolicy compiles the filter policy of a subscription; without one it
// wants everything.
func compilePolicy(sub *registry.Subscription) (policy, error) {
	doc := sub.Attributes[registry.FilterPolicy]
	if doc == "" {
		return policy{all: true}, nil
	}
	scope := filter.Scope(subscriptionValue(sub, registry.FilterPolicyScope))
	compiled, err := filter.Compile([]byte(doc), scope)
	if err != nil {
		return policy{}, err
	}
	return policy{compiled: compiled}, nil
}

// filterFault is what a client is told of a policy, after the prefix of the
// action.
func filterFault(prefix string, err error) error {
	var refused *filter.Error
	if !errors.As(err, &refused) {
		return err
	}
	return badAttribute(prefix, refused.Reason())
}

// filtered is what policies see of a message, made at most once for each.
type filtered struct {
	attributes *filter.Attributes
	body       *filter.Body
}

// wants reports whether a message passes the policy.
func (p policy) wants(m *message) bool {
	switch {
	case p.all:
		return true
	case p.compiled == nil:
		return false
	case p.compiled.Scope() == filter.MessageBody:
		return p.compiled.MatchBody(m.filteredBody())
	}
	return p.compiled.MatchAttributes(m.filteredAttributes())
}

// filteredBody is the text that queues get, read as JSON.
func (m *message) filteredBody() *filter.Body {
	if m.filtered.body == nil {
		m.filtered.body = filter.ParseBody(m.body)
	}
	return m.filtered.body
}

func (m *message) filteredAttributes() *filter.Attributes {
	if m.filtered.attributes == nil {
		attributes := make(map[string]filter.Attribute, len(m.attributes))
		for _, a := range m.attributes {
			attributes[a.Name] = filter.Attribute{Type: a.Type, Value: a.Value}
		}
		m.filtered.attributes = filter.NewAttributes(attributes)
	}
	return m.filtered.attributes
}
