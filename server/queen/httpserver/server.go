// Package httpserver serves Queen's own HTTP API over an Engine, so that Queen's
// clients, and a gateway elsewhere, can use the embedded engine as their broker.
//
// The shapes are those of Queen 1.3.0, extended as later versions did: offsets
// and delivery attempts, ready and processing in depths, counts of timers,
// configure with a mode.
package httpserver

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
)

// MaxBody is the largest request body in bytes; one more is a 413.
const MaxBody = 64 << 20

// Config says what a Server serves and to whom.
type Config struct {
	Engine Engine
	// Tokens are who may do what; none lets everybody do everything.
	Tokens Tokens
	// Clock is the engine's; nil is the machine's.
	Clock clock.Clock
	// Logger receives requests that failed; nil discards them.
	Logger *slog.Logger
	// Advance moves the clock for POST /_test/clock, which nil leaves out.
	Advance func(time.Duration)
}

// Server answers Queen's API.
type Server struct {
	engine  Engine
	tokens  Tokens
	clock   clock.Clock
	log     *slog.Logger
	started time.Time
	advance func(time.Duration)

	requests    atomic.Int64
	turns       atomic.Uint32 // of pops that name no queue
	configuring sync.Mutex
	listening   listening
}

// New makes a Server. It does not own the engine.
func New(cfg Config) (*Server, error) {
	if cfg.Engine == nil {
		return nil, errors.New("httpserver: no engine")
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.System()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		engine: cfg.Engine, tokens: cfg.Tokens, clock: cfg.Clock, log: cfg.Logger,
		started: cfg.Clock.Now(), advance: cfg.Advance,
	}
	s.listening.init(s)
	return s, nil
}

var noSuchRoute = []byte(`{"error":"Not Found","code":"no_such_route"}`)

// answer authorizes, routes and handles one request.
func (s *Server) answer(r *request, authorization string) answer {
	s.requests.Add(1)
	rt, params := routes.find(r.path)
	if rt == nil {
		if refused := s.authorize(authorization, readOnly); refused != nil && refused.status == 401 {
			return *refused
		}
		return answer{status: 404, body: noSuchRoute}
	}
	e := rt.endpoint(r.method)
	needs := readWrite
	if e != nil {
		needs = e.needs
	}
	if refused := s.authorize(authorization, needs); refused != nil {
		return *refused
	}
	if e == nil {
		return answer{status: 405, allow: rt.allow()}
	}
	var refused *answer
	if r.params, refused = rt.decodeParams(params); refused != nil {
		return *refused
	}
	a := e.handle(s, r)
	if a.status >= 500 {
		s.log.Error("a request failed", "method", r.method, "route", r.path, "status", a.status, "answer", clip(a.body))
	}
	return a
}

// clip cuts an answer to what may reach a log line.
func clip(body []byte) string { return string(body[:min(len(body), 200)]) }
