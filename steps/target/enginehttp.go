package target

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
	"github.com/queen-mq/queen-sqs/server/queen/httpclient"
	"github.com/queen-mq/queen-sqs/server/queen/httpserver"
	"github.com/queen-mq/queen-sqs/server/sigv4"
	"github.com/queen-mq/queen-sqs/steps/client"
)

// EngineOverHTTP starts gateways in this process over embedded engines that are
// served over Queen's HTTP API. One clock moves the gateway and its engine.
func EngineOverHTTP() Source { return &overEngine{} }

type overEngine struct {
	mu     sync.Mutex
	shared *engineHTTP
}

func (s *overEngine) Shared(context.Context) (Target, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared == nil {
		g, err := newEngineHTTP(false)
		if err != nil {
			return nil, err
		}
		s.shared = g
	}
	return s.shared, nil
}

func (s *overEngine) Private(_ context.Context, durable bool) (Target, error) {
	return newEngineHTTP(durable)
}

func (s *overEngine) Exclusive() bool { return false }

func (s *overEngine) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared == nil {
		return nil
	}
	return s.shared.Close()
}

// engineHTTP is one gateway, its engine, and HTTP between them.
type engineHTTP struct {
	broker

	dir    string
	clock  *clock.Shifted
	secret []byte

	engine  *embedded.Engine
	served  *httpserver.Server
	ended   chan error
	client  *httpclient.Client
	gateway *server.Instance
}

func newEngineHTTP(durable bool) (*engineHTTP, error) {
	g := &engineHTTP{clock: clock.NewShifted(), secret: []byte("of this target alone")}
	if durable {
		dir, err := os.MkdirTemp("", "queen-sqs-features-")
		if err != nil {
			return nil, err
		}
		g.dir = dir
	}
	if err := g.start(); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

func (g *engineHTTP) start() (err error) {
	if g.engine, err = embedded.Open(embedded.Config{Dir: g.dir, Clock: g.clock}); err != nil {
		return err
	}
	if g.served, err = httpserver.New(httpserver.Config{Engine: g.engine, Clock: g.clock}); err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	g.ended = make(chan error, 1)
	go func(s *httpserver.Server, ended chan error) { ended <- s.Serve(ln) }(g.served, g.ended)
	g.client, err = httpclient.New(httpclient.Config{URL: "http://" + ln.Addr().String(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	g.Broker = g.client
	g.gateway, err = server.Start(server.Options{
		Config: server.Config{
			Credentials:  []sigv4.Credential{{AccessKeyID: gatewayKeys.AccessKeyID, Secret: gatewayKeys.Secret}},
			Region:       gatewayRegion,
			Account:      gatewayAccount,
			HandleSecret: g.secret,
		},
		Broker: &g.broker,
		Clock:  g.clock,
	})
	return err
}

// stop ends the parts from the outside in.
func (g *engineHTTP) stop(ctx context.Context) error {
	var errs []error
	if g.gateway != nil {
		errs = append(errs, g.gateway.Stop(ctx))
	}
	if g.client != nil {
		g.client.Close()
	}
	if g.ended != nil {
		errs = append(errs, g.served.Shutdown(ctx), <-g.ended)
	}
	if g.engine != nil {
		errs = append(errs, g.engine.Close())
	}
	g.gateway, g.client, g.ended, g.engine = nil, nil, nil, nil
	return errors.Join(errs...)
}

// Name implements Target.
func (g *engineHTTP) Name() string { return "this gateway over an engine that is served over HTTP" }

// Abilities implements Target.
func (g *engineHTTP) Abilities() Abilities {
	return Abilities{Side: ThisGateway, MovesClock: true, ChecksSignatures: true, Restarts: true, MayBePurged: true, ReachesBroker: true}
}

// Config implements Target.
func (g *engineHTTP) Config() client.Config {
	return client.Config{Endpoints: []string{g.gateway.Endpoint()}, Region: gatewayRegion, Credentials: gatewayKeys}
}

// Account implements Target.
func (g *engineHTTP) Account() string { return gatewayAccount }

// Advance implements Target.
func (g *engineHTTP) Advance(_ context.Context, d time.Duration) error {
	g.clock.Advance(d)
	return nil
}

// Restart starts the next gateway and engine with the clock of the stopped ones.
func (g *engineHTTP) Restart(ctx context.Context) error {
	if g.dir == "" {
		return ErrUnable
	}
	return errors.Join(g.stop(ctx), g.start())
}

// Close implements Target.
func (g *engineHTTP) Close() error {
	err := g.stop(context.Background())
	if g.dir == "" {
		return err
	}
	return errors.Join(err, os.RemoveAll(g.dir))
}
