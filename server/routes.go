package server

import (
	"encoding/json"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/front"
)

// routes are the paths that are not requests to a service.
func (s *Server) routes(cfg Config, clk clock.Clock) []front.Route {
	return []front.Route{
		{Method: fasthttp.MethodGet, Path: "/healthz", Handler: s.health},
		{Method: fasthttp.MethodHead, Path: "/healthz", Handler: s.health},
		{Method: fasthttp.MethodGet, Path: "/console/divergences", Handler: showRegister, OnlyBare: true},
		{Method: fasthttp.MethodHead, Path: "/console/divergences", Handler: showRegister, OnlyBare: true},
		{Method: fasthttp.MethodPost, Path: "/_test/clock", Handler: testClock(cfg.TestClock, clk)},
	}
}

// health reports that the process serves. It calls nobody: a broker that is down
// must not have every gateway restarted.
func (s *Server) health(ctx *fasthttp.RequestCtx) {
	if s.front.Draining() {
		front.CloseConnection(ctx)
		writeJSON(ctx, fasthttp.StatusServiceUnavailable, `{"status":"stopping","service":"queen-sqs"}`)
		return
	}
	writeJSON(ctx, fasthttp.StatusOK, `{"status":"ok","service":"queen-sqs"}`)
}

// showRegister writes the page of the register, which says nothing about the
// deployment and so needs no signature. The page loads nothing, and the browser
// is told to see to that.
func showRegister(ctx *fasthttp.RequestCtx) {
	ctx.Response.Header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'")
	ctx.SetStatusCode(fasthttp.StatusOK)
	ctx.SetContentType("text/html; charset=utf-8")
	ctx.Response.SetBodyRaw(divergences.Page())
}

// maxTestClock bounds the body of POST /_test/clock, in bytes.
const maxTestClock = 1024

// testClock moves the clock: {"advance":"30s"}, any duration of zero or more as
// Go spells it. Everything that is due by then has happened when it responds.
func testClock(on bool, clk clock.Clock) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		if !on {
			front.CloseConnection(ctx)
			writeJSON(ctx, fasthttp.StatusNotFound, `{"error":"there is no test clock: the gateway was not started with --test-clock"}`)
			return
		}
		var request struct {
			Advance string `json:"advance"`
		}
		body, err := front.ReadBody(ctx, maxTestClock)
		if err == nil {
			err = json.Unmarshal(body, &request)
		}
		by, bad := time.ParseDuration(request.Advance)
		if err != nil || bad != nil || by < 0 {
			writeJSON(ctx, fasthttp.StatusBadRequest, `{"error":"the body must be like {\"advance\":\"30s\"}, with a duration of zero or more"}`)
			return
		}
		shifted := clk.(*clock.Shifted)
		shifted.Advance(by)
		writeJSON(ctx, fasthttp.StatusOK, `{"now":"`+shifted.Now().Format(time.RFC3339Nano)+`"}`)
	}
}

func writeJSON(ctx *fasthttp.RequestCtx, status int, body string) {
	ctx.SetStatusCode(status)
	ctx.SetContentType("application/json")
	ctx.SetBodyString(body)
}
