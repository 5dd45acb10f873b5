// Package server is the gateway's composition root: the listener, the way of a
// request through signature, codec and action, and the lifecycle around it.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/action"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/sampled"
	"github.com/queen-mq/queen-sqs/server/sigv4"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Config is what a Server is made of beside its broker.
type Config struct {
	// Listen is the configured address. ListenAndServe binds it, and it stands in
	// for the host in queue URLs of a client that sent none.
	Listen string
	// TLS turns TLS on; HTTP/1.1 is spoken on it whatever it says about protocols.
	TLS *tls.Config

	// AuthOff serves every request without looking at its signature.
	AuthOff bool
	// Credentials are the access keys.
	Credentials []sigv4.Credential
	// Tokens are what the broker is called with for each access key. With AuthOff
	// only the default is used: the presented key is nobody's.
	Tokens action.Tokens

	// Region and Account are the labels of ARNs and queue URLs.
	Region, Account string
	// DefaultPartitions is the width of new standard queues, 1 to 100000; 0 means
	// 64.
	DefaultPartitions int
	// HandleSecret seals receipt handles; at least 16 bytes.
	HandleSecret []byte
	// Closes reports whether the profile in force answers as Amazon does in a row
	// of the divergence register; nil closes none.
	Closes func(row divergences.ID) bool

	// ShutdownGrace is how long a shutdown waits for requests being handled.
	ShutdownGrace time.Duration
	// TestClock serves POST /_test/clock. The clock must be a *clock.Shifted.
	TestClock bool
}

// Bounds of a connection. A long poll is bounded by none of them: reading is
// over by then, and writing has not begun.
const (
	// headerBytes is the most bytes a request line and its headers may have. GET
	// requests carry their parameters there.
	headerBytes = 16 << 10
	// idleTimeout is how long a connection waits for its next request: longer than
	// the pools of the SDKs keep one, so that it is the client that closes.
	idleTimeout = 3 * time.Minute
	// writeTimeout is how long an answer may take to be taken.
	writeTimeout = 60 * time.Second
	// concurrency is the most connections at once.
	concurrency = 1 << 18
	// cutTime is how long cut connections may take to end.
	cutTime = 2 * time.Second
)

// readTimeout is how long a whole request may take to arrive. Tests shorten it.
var readTimeout = 60 * time.Second

// Server is one gateway. It holds no state but caches: any number of them can
// stand in front of one broker.
type Server struct {
	config   Config
	handlers map[string]wire.Handler
	verifier *sigv4.Verifier
	clock    clock.Clock
	log      *slog.Logger
	sampled  *sampled.Log
	baseURL  string // of a client that sent no Host

	http   *fasthttp.Server
	conns  *connSet
	bodies *bodies
	cut    context.Context // ends when connections are cut
	cutNow context.CancelFunc

	stop     func() // ends what actions left running
	handling atomic.Int64
	idle     chan struct{} // told when handling falls to zero in a shutdown

	mu        sync.Mutex
	listeners []net.Listener
	down      chan struct{} // closed when a shutdown has ended
}

// newServer makes a Server of a table of actions.
func newServer(cfg Config, handlers map[string]wire.Handler, clk clock.Clock, log *slog.Logger) (*Server, error) {
	if _, ok := clk.(*clock.Shifted); cfg.TestClock && !ok {
		return nil, errors.New("server: the test clock needs a clock that can be moved")
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		config:   cfg,
		handlers: handlers,
		clock:    clk,
		log:      log,
		sampled:  sampled.New(log, clk),
		conns:    newConnSet(),
		bodies:   newBodies(),
		idle:     make(chan struct{}, 1),
		stop:     func() {},
	}
	s.cut, s.cutNow = context.WithCancel(context.Background())
	if !cfg.AuthOff {
		if len(cfg.Credentials) == 0 {
			return nil, errors.New("server: signatures cannot be verified without credentials")
		}
		// Signatures carry the client's own date, which no test clock moves.
		s.verifier = sigv4.New(cfg.Credentials, time.Now)
	}
	s.baseURL = s.scheme() + cfg.Listen
	s.http = &fasthttp.Server{
		Handler:                      s.serve,
		ErrorHandler:                 s.unreadable,
		ExpectHandler:                s.expect,
		Logger:                       connLogger{s.sampled},
		Concurrency:                  concurrency,
		ReadBufferSize:               headerBytes,
		ReadTimeout:                  readTimeout,
		IdleTimeout:                  idleTimeout,
		WriteTimeout:                 writeTimeout,
		MaxRequestBodySize:           MaxBody,
		StreamRequestBody:            true, // bodies are read into buffers of our own, which know their bounds
		DisablePreParseMultipartForm: true,
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
		SecureErrorLogMessage:        true,
		LazyRequestTime:              true,
	}
	return s, nil
}

func (s *Server) scheme() string {
	if s.config.TLS != nil {
		return "https://"
	}
	return "http://"
}

// ListenAndServe serves the configured address.
func (s *Server) ListenAndServe() error {
	ln, err := net.Listen("tcp", s.config.Listen)
	if err != nil {
		return err
	}
	return s.Serve(ln)
}

// errShutDown is what Serve answers on a server that was shut down before.
var errShutDown = errors.New("server: already shut down")

// Serve serves a listener until Shutdown, and then answers nil at once: whoever
// ends the process after it waits for Shutdown to return.
func (s *Server) Serve(ln net.Listener) error {
	if s.config.TLS != nil {
		cfg := s.config.TLS.Clone()
		cfg.NextProtos = []string{"http/1.1"}
		ln = tls.NewListener(ln, cfg)
	}
	s.mu.Lock()
	if s.down != nil {
		s.mu.Unlock()
		ln.Close()
		return errShutDown
	}
	s.listeners = append(s.listeners, ln)
	s.mu.Unlock()
	return s.http.Serve(listener{ln, s.conns})
}

// Shutdown ends the service. It closes the listener, answers parked long polls
// empty, refuses new requests on open connections with ServiceUnavailable, and
// waits for the requests being handled for the configured grace, or until ctx
// ends if that is earlier. Then it cuts what is left, with a warning, and
// answers an error that says how much that was.
//
// A second call waits for the first.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	if s.down != nil {
		down := s.down
		s.mu.Unlock()
		<-down
		return nil
	}
	s.down = make(chan struct{})
	listeners := s.listeners
	s.mu.Unlock()
	defer close(s.down)

	for _, ln := range listeners {
		ln.Close()
	}
	s.conns.drain()

	end := time.Now().Add(s.config.ShutdownGrace)
	grace, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	for s.handling.Load() > 0 && grace.Err() == nil {
		select {
		case <-s.idle:
		case <-grace.Done():
		}
	}
	if s.handling.Load() == 0 {
		// What is left are idle connections, and answers being written.
		writing, cancel := context.WithTimeout(ctx, max(time.Until(end), cutTime))
		defer cancel()
		s.http.ShutdownWithContext(writing)
	}
	err := s.cutConnections()
	s.stop()
	return err
}

func (s *Server) cutConnections() error {
	s.cutNow()
	requests := s.conns.cut()
	select {
	case <-s.conns.empty():
	case <-time.After(cutTime):
	}
	if requests == 0 {
		return nil
	}
	s.log.Warn("shutdown: requests were cut", "requests", requests)
	return fmt.Errorf("server: the grace was over, %d requests were cut", requests)
}

// enter counts a request as being handled. It reports false when the server is
// shutting down and takes no more.
func (s *Server) enter() bool {
	s.handling.Add(1)
	if s.conns.draining.Load() {
		s.leave()
		return false
	}
	return true
}

func (s *Server) leave() {
	if s.handling.Add(-1) == 0 && s.conns.draining.Load() {
		select {
		case s.idle <- struct{}{}:
		default:
		}
	}
}

// connLogger takes fasthttp's own lines: about connections, not requests.
type connLogger struct{ sampled *sampled.Log }

func (l connLogger) Printf(format string, args ...any) {
	if !l.sampled.Enabled(slog.LevelDebug) {
		return
	}
	l.sampled.Line(slog.LevelDebug, "connection", fmt.Sprintf(format, args...))
}
