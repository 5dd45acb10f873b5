package action

import (
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Tokens are the broker tokens that requests are served with. The zero value
// sends none.
type Tokens struct {
	// Default is the token of access keys that have none of their own.
	Default queen.Token
	// ByAccessKey are the others, by access key id.
	ByAccessKey map[string]queen.Token
}

// Of returns the token that the broker is called with for a request.
func (t Tokens) Of(req *wire.Request) queen.Token {
	if tok, ok := t.ByAccessKey[req.AccessKeyID]; ok {
		return tok
	}
	return t.Default
}
