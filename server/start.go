package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/config"
	"github.com/queen-mq/queen-sqs/server/front"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
)

// Options is what Start starts. The zero value is a gateway in memory, without
// signatures, on a random port of loopback, with a grace of five seconds.
type Options struct {
	Config
	// Dir is the folder of the embedded broker; empty keeps everything in memory.
	Dir string
	// Broker is used instead of the embedded broker. It is not closed by Stop.
	Broker queen.Broker
	// Clock is what time is read from; nil is one that Advance moves.
	Clock clock.Clock
	// Log may be nil.
	Log *slog.Logger
}

// Instance is a gateway in this process.
type Instance struct {
	// Addr is the host:port it listens on.
	Addr string
	// Clock is what it reads time from. A gateway started again on the same folder
	// needs the same one, or time runs backwards for it.
	Clock clock.Clock

	server *Server
	engine *embedded.Engine // nil when the broker is somebody else's
	served chan error
}

// Start starts a gateway in this process: for tests, and for programs that want
// SQS without a second process. It returns once the socket listens.
func Start(o Options) (*Instance, error) {
	if o.Clock == nil {
		o.Clock = clock.NewShifted()
	}
	o.Listen = cmp.Or(o.Listen, "127.0.0.1:0")
	o.Region = cmp.Or(o.Region, "queen-1")
	o.Account = cmp.Or(o.Account, "000000000000")
	o.ShutdownGrace = cmp.Or(o.ShutdownGrace, 5*time.Second)
	o.AuthOff = o.AuthOff || len(o.Credentials) == 0
	i := &Instance{Clock: o.Clock, served: make(chan error, 1)}
	if o.Broker == nil {
		engine, err := embedded.Open(embedded.Config{Dir: o.Dir, Clock: o.Clock, Logger: o.Log})
		if err != nil {
			return nil, err
		}
		i.engine, o.Broker = engine, engine
	}
	err := o.secret()
	if err == nil {
		err = i.listen(o)
	}
	if err != nil {
		return nil, errors.Join(err, i.closeEngine())
	}
	return i, nil
}

// secret makes up a handle secret where none was given, and keeps it with the
// messages where they are kept.
func (o *Options) secret() (err error) {
	if o.HandleSecret != nil {
		return nil
	}
	if o.Dir != "" {
		o.HandleSecret, _, err = config.LoadOrCreateHandleSecret(o.Dir)
		return err
	}
	o.HandleSecret = make([]byte, 32)
	rand.Read(o.HandleSecret)
	return nil
}

func (i *Instance) listen(o Options) error {
	s, err := New(o.Config, o.Broker, o.Clock, o.Log)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return err
	}
	i.server, i.Addr = s, ln.Addr().String()
	go func() {
		err := s.Serve(ln)
		if errors.Is(err, front.ErrShutDown) {
			err = nil // Stop came before this goroutine
		}
		i.served <- err
	}()
	return nil
}

// Endpoint is the URL to give to an SDK, without a trailing slash.
func (i *Instance) Endpoint() string { return i.server.front.Scheme() + i.Addr }

// Advance moves the clock forward; everything that is due by then has happened
// when it returns. It panics on a clock that cannot be moved.
func (i *Instance) Advance(d time.Duration) { i.Clock.(*clock.Shifted).Advance(d) }

// Stop shuts the gateway down as Server.Shutdown does, and closes the embedded
// broker.
func (i *Instance) Stop(ctx context.Context) error {
	err := i.server.Shutdown(ctx)
	return errors.Join(err, <-i.served, i.closeEngine())
}

func (i *Instance) closeEngine() error {
	if i.engine == nil {
		return nil
	}
	return i.engine.Close()
}
