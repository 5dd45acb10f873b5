package server

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/valyala/fasthttp"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/sigv4"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// exchange is one request and its answer. It lives as long as fasthttp's
// handler runs.
type exchange struct {
	server *Server
	http   *fasthttp.RequestCtx
	conn   *conn

	id      string
	raw     sigv4.Request // what was on the wire
	path    string        // raw
	query   string        // raw
	sniffed wire.Sniffed
	target  string // the header X-Amz-Target
	action  string // once it is known to be one
}

var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// serve answers one request. It is fasthttp's handler.
func (s *Server) serve(ctx *fasthttp.RequestCtx) {
	e := exchanges.Get().(*exchange)
	e.open(s, ctx)
	defer e.close()
	defer e.recover()
	if s.route(e) {
		return
	}
	if !s.enter() {
		e.sniff(nil)
		e.closeConnection()
		e.fail(fault.ServiceUnavailable.With("The service is shutting down."))
		return
	}
	defer s.leave()

	req, refused := e.receive()
	if refused != nil {
		e.fail(refused)
		return
	}
	result, err := e.dispatch(req)
	if err != nil {
		e.fail(fault.From(err))
		return
	}
	e.succeed(result)
}

func (e *exchange) open(s *Server, ctx *fasthttp.RequestCtx) {
	h := &ctx.Request.Header
	headers := appendHeaders(e.raw.Headers[:0], string(h.RawHeaders()))
	*e = exchange{
		server: s,
		http:   ctx,
		conn:   ctx.Conn().(*conn),
		id:     newRequestID(),
		raw:    sigv4.Request{Method: method(h.Method()), Target: string(h.RequestURI()), Headers: headers},
	}
	origin, _ := originForm(e.raw.Target)
	e.path, e.query, _ = strings.Cut(origin, "?")
	e.target = header(headers, "X-Amz-Target")
	ctx.Response.Header.SetCanonical(requestIDHeader, []byte(e.id))
}

func (e *exchange) close() {
	clear(e.raw.Headers)
	*e = exchange{raw: sigv4.Request{Headers: e.raw.Headers[:0]}}
	exchanges.Put(e)
}

// recover keeps a panic from ending the process.
func (e *exchange) recover() {
	if p := recover(); p != nil {
		e.logPanic(p)
		e.closeConnection() // how much of the request was read is anyone's guess
		e.fail(fault.InternalFailure.Default())
	}
}

func (e *exchange) logPanic(p any) {
	e.server.sampled.Line(slog.LevelError, "panic", "panic while handling a request",
		slog.String("action", e.action), slog.String("request_id", e.id),
		slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
}

// receive reads the body, verifies the signature and decodes, in this order: the
// signature covers the body, and nothing of an unverified request is decoded.
func (e *exchange) receive() (*wire.Request, *fault.Error) {
	body, err := e.readBody()
	defer body.release()
	e.sniff(body.bytes)
	if err != nil {
		return nil, e.bodyFault(err)
	}
	e.raw.Body = body.bytes
	accessKeyID, failure := e.authenticate()
	if failure != nil {
		return nil, failure
	}
	params, failure := e.decode(body.bytes)
	e.raw.Body = nil
	if failure != nil {
		return nil, failure
	}
	return &wire.Request{
		Service:     e.sniffed.Service,
		Action:      e.action,
		Params:      params,
		Path:        e.path,
		BaseURL:     e.baseURL(),
		TraceHeader: header(e.raw.Headers, "X-Amzn-Trace-Id"),
		AccessKeyID: accessKeyID,
		RequestID:   e.id,
	}, nil
}

// sniff tells what errors are answered in until the request is decoded. body is
// as much of it as is known.
func (e *exchange) sniff(body []byte) {
	e.sniffed = wire.Sniff(e.target, header(e.raw.Headers, "Accept"), []byte(e.query), body)
}

func (e *exchange) readBody() (body, error) {
	stream := e.http.RequestBodyStream()
	if stream == nil {
		return body{}, nil
	}
	return e.server.bodies.read(e.server.cut, stream, e.http.Request.Header.ContentLength())
}

// bodyFault is the answer to a body that could not be read. How much of it is
// still to come is unknown, so the connection ends.
func (e *exchange) bodyFault(err error) *fault.Error {
	e.closeConnection()
	var timeout net.Error
	switch {
	case errors.Is(err, errBodyTooLarge):
		return tooLarge()
	case errors.Is(err, errBodyBusy):
		return fault.ServiceUnavailable.With("Too many large requests are being received. Try again.").Because(err)
	case errors.As(err, &timeout) && timeout.Timeout():
		return fault.InvalidParameterValue.With("The request body did not arrive in time.")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fault.InvalidParameterValue.With("The request body ended early.")
	}
	return fault.InvalidParameterValue.With("The request body could not be read: its transfer encoding is malformed.")
}

func tooLarge() *fault.Error {
	return fault.InvalidParameterValue.Withf("The request body must not be longer than %d bytes.", MaxBody)
}

// authenticate returns the access key id of who asks.
func (e *exchange) authenticate() (accessKeyID string, failure *fault.Error) {
	s := e.server
	if s.verifier == nil {
		return cmp.Or(sigv4.PresentedKey(&e.raw), "anonymous"), nil
	}
	credential, err := s.verifier.Verify(&e.raw)
	if err != nil {
		failure := fault.From(err)
		s.sampled.Line(slog.LevelWarn, "auth "+failure.Kind.JSON, "request refused: "+failure.Kind.JSON,
			slog.String("access_key_id", sigv4.PresentedKey(&e.raw)), slog.String("request_id", e.id))
		return "", failure
	}
	return credential.AccessKeyID, nil
}

// baseURL is what queue URLs begin with: the host that the client reached.
func (e *exchange) baseURL() string {
	host := header(e.raw.Headers, "Host")
	if host == "" {
		_, host = originForm(e.raw.Target)
	}
	if host == "" {
		host = e.conn.LocalAddr().String()
	}
	return e.server.scheme() + host
}

// dispatch runs the action in a context that ends when the client hangs up.
func (e *exchange) dispatch(req *wire.Request) (*wire.Object, error) {
	handler, ok := e.server.handlers[req.Action]
	if !ok {
		return nil, fault.InvalidAction.Default()
	}
	ctx := e.conn.begin()
	defer e.conn.end(ctx)
	result, err := e.call(ctx, handler, req)
	if err == nil {
		return result, nil
	}
	switch context.Cause(ctx) {
	case errDraining:
		if errors.Is(err, context.Canceled) {
			// Nothing was received so far, and that is the answer.
			return wire.NewObject(), nil
		}
	case errClientGone, errCut:
		e.closeConnection()
		return nil, fault.ServiceUnavailable.Default().Because(context.Cause(ctx))
	}
	return nil, err
}

func (e *exchange) call(ctx context.Context, handler wire.Handler, req *wire.Request) (result *wire.Object, err error) {
	defer func() {
		if p := recover(); p != nil {
			e.logPanic(p)
			err = fault.InternalFailure.Default().Because(errPanic)
		}
	}()
	return handler(ctx, req)
}

var errPanic = errors.New("server: an action panicked")

// closeConnection makes this answer the last one of its connection, and leaves
// the client time to read it while it is still sending.
func (e *exchange) closeConnection() {
	e.http.SetConnectionClose()
	e.conn.linger()
}

// newRequestID makes a UUID of version 4. It names a request to people who read
// logs and guards nothing, so the fast generator will do.
func newRequestID() string {
	var id uuid.UUID
	binary.NativeEndian.PutUint64(id[:8], rand.Uint64())
	binary.NativeEndian.PutUint64(id[8:], rand.Uint64())
	id[6] = id[6]&0x0f | 0x40 // version 4
	id[8] = id[8]&0x3f | 0x80 // RFC 9562
	return id.String()
}

func method(b []byte) string {
	switch string(b) {
	case fasthttp.MethodPost:
		return fasthttp.MethodPost
	case fasthttp.MethodGet:
		return fasthttp.MethodGet
	}
	return string(b)
}
