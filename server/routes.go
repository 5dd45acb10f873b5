package server

import (
	"encoding/json"
	"errors"
	"net"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/fault"
)

// The paths that are routes. Every other one is a request to a service.
const (
	healthPath    = "/healthz"
	testClockPath = "/_test/clock"
	// divergencesPath has the form of a queue's path. It is a route only for a
	// request that no service could answer: one without any parameter.
	divergencesPath = "/console/divergences"
)

const jsonType = "application/json"

// route answers the few paths that are routes, and reports whether it did.
func (s *Server) route(e *exchange) bool {
	reads := e.raw.Method == fasthttp.MethodGet || e.raw.Method == fasthttp.MethodHead
	switch {
	case e.path == healthPath && reads:
		s.health(e)
	case e.path == divergencesPath && reads && e.query == "" && e.target == "":
		e.showDivergences()
	case e.path == testClockPath && e.raw.Method == fasthttp.MethodPost:
		s.testClock(e)
	default:
		return false
	}
	return true
}

// health says that the process serves. It asks nobody: a broker that is down
// must not have every gateway restarted.
func (s *Server) health(e *exchange) {
	if s.conns.draining.Load() {
		e.closeConnection()
		e.answer(fasthttp.StatusServiceUnavailable, jsonType, `{"status":"stopping","service":"queen-sqs"}`)
		return
	}
	e.answer(fasthttp.StatusOK, jsonType, `{"status":"ok","service":"queen-sqs"}`)
}

// showDivergences answers the page of the register, which says nothing about the
// deployment and so needs no signature. The page loads nothing, and the browser
// is told to see to that.
func (e *exchange) showDivergences() {
	e.http.Response.Header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'")
	e.http.Response.SetStatusCode(fasthttp.StatusOK)
	e.http.Response.Header.SetContentType("text/html; charset=utf-8")
	e.http.Response.SetBodyRaw(divergences.Page())
}

// mostTestClock bounds the body of POST /_test/clock, in bytes.
const mostTestClock = 1024

// testClock moves the clock: {"advance":"30s"}, any positive duration as Go
// spells it. Everything that is due by then has happened when it answers.
func (s *Server) testClock(e *exchange) {
	if !s.config.TestClock {
		e.closeConnection()
		e.answer(fasthttp.StatusNotFound, jsonType, `{"error":"there is no test clock: the gateway was not started with --test-clock"}`)
		return
	}
	var asked struct {
		Advance string `json:"advance"`
	}
	body, err := e.readBody()
	if err == nil && len(body.bytes) <= mostTestClock {
		err = json.Unmarshal(body.bytes, &asked)
	} else {
		e.closeConnection()
	}
	body.release()
	by, bad := time.ParseDuration(asked.Advance)
	if err != nil || bad != nil || by < 0 {
		e.answer(fasthttp.StatusBadRequest, jsonType, `{"error":"the body must be like {\"advance\":\"30s\"}, with a duration of zero or more"}`)
		return
	}
	shifted := s.clock.(*clock.Shifted)
	shifted.Advance(by)
	e.answer(fasthttp.StatusOK, jsonType, `{"now":"`+shifted.Now().Format(time.RFC3339Nano)+`"}`)
}

// answer writes an answer that is none of a service's.
func (e *exchange) answer(status int, contentType, body string) {
	e.http.Response.SetStatusCode(status)
	e.http.Response.Header.SetContentType(contentType)
	e.http.Response.SetBodyString(body)
}

// expect decides about "Expect: 100-continue": a body that declares itself too
// large is refused before it is sent.
func (s *Server) expect(ctx *fasthttp.RequestCtx) int {
	if ctx.Request.Header.ContentLength() <= MaxBody {
		return fasthttp.StatusContinue
	}
	e := exchanges.Get().(*exchange)
	e.open(s, ctx)
	defer e.close()
	defer e.recover()
	e.sniff(nil)
	e.closeConnection()
	failure := tooLarge()
	e.fail(failure)
	return failure.Kind.Status
}

// unreadable answers what is no HTTP request, or one whose headers are too long.
// It is fasthttp's error handler, and runs also when a connection just ended.
func (s *Server) unreadable(ctx *fasthttp.RequestCtx, err error) {
	e := exchanges.Get().(*exchange)
	e.open(s, ctx)
	defer e.close()
	defer e.recover()
	e.closeConnection()
	var (
		tooSmall *fasthttp.ErrSmallBuffer
		timeout  net.Error
	)
	switch {
	case errors.As(err, &tooSmall):
		e.fail(fault.InvalidParameterValue.Withf("The request line and the headers must not be longer than %d bytes.", headerBytes))
	case errors.As(err, &timeout) && timeout.Timeout() && !e.conn.heard:
		// Nobody asked anything. A client that kept the connection for later could
		// take an answer for that of its next request.
		e.conn.Conn.Close()
	case errors.As(err, &timeout) && timeout.Timeout():
		e.fail(fault.InvalidParameterValue.With("The request did not arrive in time."))
	default:
		e.fail(fault.InvalidParameterValue.With("The request is not a well-formed HTTP request."))
	}
}
