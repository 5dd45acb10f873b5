package action

import (
	"testing"

	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/wire"
)

func TestTokens(t *testing.T) {
	tokens := Tokens{Default: "default", ByAccessKey: map[string]queen.Token{"AKIDOWN": "own"}}
	for key, want := range map[string]queen.Token{"AKIDOWN": "own", "AKIDOTHER": "default", "": "default"} {
		if got := tokens.Of(&wire.Request{AccessKeyID: key}); got != want {
			t.Errorf("%q is served with the token %q, want %q", key, got, want)
		}
	}
	if got := (Tokens{}).Of(&wire.Request{AccessKeyID: "AKIDOWN"}); got != "" {
		t.Errorf("no tokens: %q", got)
	}
}
