package target

import (
	"github.com/queen-mq/queen-sqs/server"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/sigv4"
)

// startGateway is the one place of the harness that reaches into the service.
// An empty dir keeps everything in memory.
func startGateway(dir string, clk clock.Clock) (*server.Instance, error) {
	return server.Start(server.Options{
		Config: server.Config{
			Credentials: []sigv4.Credential{{AccessKeyID: gatewayKeys.AccessKeyID, Secret: gatewayKeys.Secret}},
			Region:      gatewayRegion,
			Account:     gatewayAccount,
		},
		Dir:   dir,
		Clock: clk,
	})
}
