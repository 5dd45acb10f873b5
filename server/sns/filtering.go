package sns

import (
	"github.com/queen-mq/queen-sqs/server/registry"
)

type policy struct{}
type filtered struct{}

func compilePolicy(sub *registry.Subscription) (policy, error) { return policy{}, nil }
func (policy) wants(m *message) bool                           { return true }
func filterFault(prefix string, err error) error               { return badAttribute(prefix, err.Error()) }
