package server_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/queen-mq/queen-sqs/server"
	"github.com/queen-mq/queen-sqs/server/action"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/sigv4"
)

// tokenBroker is a broker that records the tokens it is called with, and is down.
type tokenBroker struct {
	queen.Broker
	seen chan queen.Token
}

func (b tokenBroker) KV(_ context.Context, tok queen.Token, _ []queen.KVOp) ([]queen.KVResult, error) {
	b.seen <- tok
	return nil, &queen.StatusError{Code: 503}
}

func TestBrokerTokens(t *testing.T) {
	keys := []sigv4.Credential{{AccessKeyID: "AKIDPLAIN", Secret: "secret"}, {AccessKeyID: "AKIDTOKEN", Secret: "secret"}}
	tokens := action.Tokens{Default: "default", ByAccessKey: map[string]queen.Token{"AKIDTOKEN": "own"}}
	for name, test := range map[string]struct {
		credentials []sigv4.Credential
		key         string
		want        queen.Token
	}{
		"a key without a token":   {keys, "AKIDPLAIN", "default"},
		"a key with its own":      {keys, "AKIDTOKEN", "own"},
		"an unverified key's own": {nil, "AKIDTOKEN", "default"},
	} {
		t.Run(name, func(t *testing.T) {
			broker := tokenBroker{seen: make(chan queen.Token, 10)}
			i := startWith(t, server.Options{Config: server.Config{Credentials: test.credentials, Tokens: tokens}, Broker: broker})
			client := sqs.New(sqs.Options{BaseEndpoint: aws.String(i.Endpoint()), Region: "us-east-1", RetryMaxAttempts: 1,
				Credentials: credentials.NewStaticCredentialsProvider(test.key, "secret", "")})
			_, err := client.ListQueues(t.Context(), &sqs.ListQueuesInput{})
			if err == nil {
				t.Error("a broker that is down listed queues")
			}
			if got := <-broker.seen; got != test.want {
				t.Errorf("the broker was called with the token %q, want %q", got, test.want)
			}
		})
	}
}
