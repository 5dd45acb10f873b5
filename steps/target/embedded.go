package target

import (
	"context"
	"errors"

	"github.com/queen-mq/queen-sqs/server"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
	"github.com/queen-mq/queen-sqs/server/sigv4"
)

// running is a gateway over an embedded broker that scenarios can reach.
type running struct {
	*server.Instance
	broker
	engine *embedded.Engine
}

// startGateway is the one place of the harness that reaches into the service. An
// empty dir keeps everything in memory, lanes of 0 is the gateway's own default.
func startGateway(dir string, clk clock.Clock, lanes int) (*running, error) {
	engine, err := embedded.Open(embedded.Config{Dir: dir, Clock: clk})
	if err != nil {
		return nil, err
	}
	run := &running{broker: broker{Broker: engine}, engine: engine}
	run.Instance, err = server.Start(server.Options{
		Config: server.Config{
			Credentials: []sigv4.Credential{{AccessKeyID: gatewayKeys.AccessKeyID, Secret: gatewayKeys.Secret}},
			Region:      gatewayRegion,
			Account:     gatewayAccount,

			DefaultPartitions: lanes,
		},
		Dir:    dir,
		Broker: &run.broker,
		Clock:  clk,
	})
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return run, nil
}

func (r *running) stop(ctx context.Context) error {
	return errors.Join(r.Instance.Stop(ctx), r.engine.Close())
}
