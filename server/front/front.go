// Package front is everything between the socket and an action: listener and
// connections, one exchange per request, bodies, headers, signatures, the choice
// of codec, and the responses. It ends in a wire.Handler: a decoded request goes
// in, a result or an error comes out. It knows no action and no broker.
package front

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/sampled"
	"github.com/queen-mq/queen-sqs/server/sigv4"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Config is what a Front is made of.
type Config struct {
	// Handlers are the actions by name.
	Handlers map[string]wire.Handler
	// Routes are the paths that are not requests to a service.
	Routes []Route
	// Verifier checks signatures; nil serves every request without looking at its
	// signature.
	Verifier *sigv4.Verifier
	// TLS turns TLS on; HTTP/1.1 is spoken on it whatever it says about protocols.
	TLS *tls.Config
	// ReadTimeout is how long a whole request may take to arrive; 0 means 60
	// seconds.
	ReadTimeout time.Duration
	// ShutdownGrace is how long a shutdown waits for requests being handled.
	ShutdownGrace time.Duration
	// Clock times the sampling of log lines.
	Clock clock.Clock
	// Log receives what concerns requests and connections; nil is silent.
	Log *slog.Logger
}

// Bounds of a connection. A long poll is bounded by none of them: reading is
// over by then, and writing has not begun.
const (
	// maxHeader is the most bytes a request line and its headers may have. GET
	// requests carry their parameters there.
	maxHeader = 16 << 10
	// defaultReadTimeout is how long a whole request may take to arrive.
	defaultReadTimeout = 60 * time.Second
	// idleTimeout is how long a connection waits for its next request: longer than
	// the pools of the SDKs keep one, so that it is the client that closes.
	idleTimeout = 3 * time.Minute
	// writeTimeout is how long the client may take to read a response.
	writeTimeout = 60 * time.Second
	// maxConnections is the most connections at once.
	maxConnections = 1 << 18
)

// Front serves listeners until Shutdown. It holds nothing that outlives a
// request but its connections.
type Front struct {
	config Config
	// routes and bareRoutes are the paths that no service serves; bareRoutes only
	// those without parameters.
	routes, bareRoutes *router.Router

	log     *slog.Logger
	sampled *sampled.Log

	http   *fasthttp.Server
	conns  *connSet
	bodies *bodies
	cut    context.Context // ends when connections are cut
	cutNow context.CancelFunc

	handling atomic.Int64
	idle     chan struct{} // receives when handling falls to zero in a shutdown

	mu        sync.Mutex
	listeners []net.Listener
	down      chan struct{} // closed when a shutdown has ended
}

// New makes a Front. It does not listen yet.
func New(cfg Config) *Front {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.ReadTimeout == 0 {
		cfg.ReadTimeout = defaultReadTimeout
	}
	f := &Front{
		config:  cfg,
		log:     cfg.Log,
		sampled: sampled.New(cfg.Log, cfg.Clock),
		conns:   newConnSet(),
		bodies:  newBodies(),
		idle:    make(chan struct{}, 1),
	}
	f.cut, f.cutNow = context.WithCancel(context.Background())
	f.routes, f.bareRoutes = newRouter(cfg.Routes, false), newRouter(cfg.Routes, true)
	f.http = &fasthttp.Server{
		Handler:                      f.serve,
		ErrorHandler:                 f.unreadable,
		ExpectHandler:                f.expect,
		Logger:                       connLogger{f.sampled},
		Concurrency:                  maxConnections,
		ReadBufferSize:               maxHeader,
		ReadTimeout:                  cfg.ReadTimeout,
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
	return f
}

// Scheme is what URLs of this front begin with: "http://" or "https://".
func (f *Front) Scheme() string {
	if f.config.TLS != nil {
		return "https://"
	}
	return "http://"
}

// Draining reports whether a shutdown has begun.
func (f *Front) Draining() bool { return f.conns.draining.Load() }

// Handling returns how many requests are being handled.
func (f *Front) Handling() int64 { return f.handling.Load() }

// connLogger takes fasthttp's own lines: about connections, not requests.
type connLogger struct{ sampled *sampled.Log }

func (l connLogger) Printf(format string, args ...any) {
	if !l.sampled.Enabled(slog.LevelDebug) {
		return
	}
	l.sampled.Line(slog.LevelDebug, "connection", fmt.Sprintf(format, args...))
}
