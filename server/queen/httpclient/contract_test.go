package httpclient

import (
	"testing"

	"github.com/queen-mq/queen-sqs/server/queen/contract"
)

// The real broker is what the contract was written from.
func TestRealContract(t *testing.T) {
	c := real(t)
	contract.Run(t, func(t *testing.T) contract.Target { return contract.Target{Broker: c, Reference: true} })
}
