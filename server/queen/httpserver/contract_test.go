package httpserver_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/queen/contract"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
	"github.com/queen-mq/queen-sqs/server/queen/httpclient"
	"github.com/queen-mq/queen-sqs/server/queen/httpserver"
)

// The client over HTTP in front of the engine keeps the contract that the engine
// keeps.
func TestContractOverHTTP(t *testing.T) {
	contract.Run(t, func(t *testing.T) contract.Target {
		clk := clock.NewShifted()
		url := serve(t, embedded.Config{Clock: clk}, httpserver.Config{Clock: clk})
		client, err := httpclient.New(httpclient.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		return contract.Target{Broker: compacting{client}, Advance: clk.Advance}
	})
}

// compacting says of the client that it does not keep every byte: it encodes
// key/value operations by encoding/json, which drops the white space in a value.
// What the server does with bytes is TestPayloadBytes' subject.
type compacting struct{ *httpclient.Client }

func (c compacting) Capabilities(ctx context.Context) (queen.Capabilities, error) {
	caps, err := c.Client.Capabilities(ctx)
	caps.ExactPayloads = false
	return caps, err
}

// serve starts a server on loopback and answers its URL.
func serve(t testing.TB, engine embedded.Config, cfg httpserver.Config) string {
	t.Helper()
	e, err := embedded.Open(engine)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Engine = e
	s, err := httpserver.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return "http://" + ln.Addr().String()
}
