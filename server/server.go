// Package server is the gateway: New puts the front, the actions and the broker
// together, Start runs one in this process, and the lifecycle is theirs.
// README.md describes the architecture.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"time"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/action"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/front"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/receipt"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/sigv4"
	"github.com/queen-mq/queen-sqs/server/sns"
	"github.com/queen-mq/queen-sqs/server/sqs"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Config is what a Server is made of beside its broker.
type Config struct {
	// Listen is the address that ListenAndServe binds.
	Listen string
	// TLS turns TLS on; HTTP/1.1 is spoken on it whatever it says about protocols.
	TLS *tls.Config

	// AuthOff serves every request without looking at its signature.
	AuthOff bool
	// Credentials are the access keys.
	Credentials []sigv4.Credential
	// Tokens are what the broker is called with for each access key. With AuthOff
	// only the default is used: the presented key may be anybody's.
	Tokens action.Tokens

	// Region and Account are the labels of ARNs and queue URLs.
	Region, Account string
	// DefaultPartitions is the number of lanes of new standard queues, 1 to 100000;
	// 0 means 64.
	DefaultPartitions int
	// HandleSecret seals receipt handles; at least 16 bytes.
	HandleSecret []byte
	// Profile says in which register rows the gateway does what Amazon does. The
	// zero value is profile queen.
	Profile divergences.Profile

	// ShutdownGrace is how long a shutdown waits for requests being handled.
	ShutdownGrace time.Duration
	// ReadTimeout is how long a whole request may take to arrive; 0 means 60
	// seconds.
	ReadTimeout time.Duration
	// TestClock serves POST /_test/clock. The clock must be a *clock.Shifted.
	TestClock bool
}

// minHandleSecret is the least length of a handle secret in bytes.
const minHandleSecret = 16

// Server is one gateway. It holds no state but caches: any number of them can
// stand in front of one broker.
type Server struct {
	listen string
	front  *front.Front
	stop   func() // ends what actions left running
}

// New makes a Server over a broker, which stays the caller's to close after
// Shutdown. It does not call the broker. A nil log is silent.
func New(cfg Config, broker queen.Broker, clk clock.Clock, log *slog.Logger) (*Server, error) {
	if broker == nil || clk == nil {
		return nil, errors.New("server: a broker and a clock are needed")
	}
	if len(cfg.HandleSecret) < minHandleSecret {
		return nil, fmt.Errorf("server: the handle secret has %d bytes and needs %d", len(cfg.HandleSecret), minHandleSecret)
	}
	if _, ok := clk.(*clock.Shifted); cfg.TestClock && !ok {
		return nil, errors.New("server: the test clock needs a clock that can be moved")
	}
	if !cfg.AuthOff && len(cfg.Credentials) == 0 {
		return nil, errors.New("server: signatures cannot be verified without credentials")
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Server{listen: cfg.Listen}
	handlers, stop := actions(cfg, broker, clk, log)
	s.stop = stop
	s.front = front.New(front.Config{
		Handlers:      handlers,
		Routes:        s.routes(cfg, clk),
		Verifier:      verifier(cfg),
		TLS:           cfg.TLS,
		ReadTimeout:   cfg.ReadTimeout,
		ShutdownGrace: cfg.ShutdownGrace,
		Clock:         clk,
		Log:           log,
	})
	return s, nil
}

func verifier(cfg Config) *sigv4.Verifier {
	if cfg.AuthOff {
		return nil
	}
	// Signatures carry the client's own date, which no test clock moves.
	return sigv4.New(cfg.Credentials, time.Now)
}

// actions returns every action of this gateway, and what ends the work that
// actions leave running.
func actions(cfg Config, broker queen.Broker, clk clock.Clock, log *slog.Logger) (handlers map[string]wire.Handler, stop func()) {
	tokens := cfg.Tokens
	if cfg.AuthOff {
		tokens.ByAccessKey = nil // an unverified key is anybody's
	}
	records := registry.New(registry.Config{
		Broker:  broker,
		Clock:   clk,
		Region:  cfg.Region,
		Account: cfg.Account,
		Log:     log,
	})
	queues := sqs.New(sqs.Config{
		Broker:            broker,
		Registry:          records,
		Tokens:            tokens,
		Handles:           receipt.New(cfg.HandleSecret, clk),
		Clock:             clk,
		Region:            cfg.Region,
		Account:           cfg.Account,
		DefaultPartitions: cfg.DefaultPartitions,
		Profile:           cfg.Profile,
		Log:               log,
	})
	topics := sns.New(sns.Config{
		Broker:   broker,
		Registry: records,
		Tokens:   tokens,
		Clock:    clk,
		Region:   cfg.Region,
		Account:  cfg.Account,
		Profile:  cfg.Profile,
		Log:      log,
	})
	handlers = queues.Handlers()
	maps.Copy(handlers, topics.Handlers())
	return handlers, queues.Close
}

// ListenAndServe serves the configured address.
func (s *Server) ListenAndServe() error {
	ln, err := net.Listen("tcp", s.listen)
	if err != nil {
		return err
	}
	return s.Serve(ln)
}

// Serve serves a listener until Shutdown, and then returns nil at once: whoever
// ends the process after it waits for Shutdown to return.
func (s *Server) Serve(ln net.Listener) error { return s.front.Serve(ln) }

// Shutdown ends the service. It closes the listener, gives parked long polls an
// empty response, refuses new requests on open connections with
// ServiceUnavailable, and waits for the requests being handled for the
// configured grace, or until ctx ends if that is earlier. Then it cuts what is
// left, with a warning, and returns an error that says how much that was. What
// actions left running has ended when it returns.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.front.Shutdown(ctx)
	s.stop()
	return err
}
