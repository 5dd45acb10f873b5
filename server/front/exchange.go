package front

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
	"github.com/queen-mq/queen-sqs/server/wire/awsjson"
	"github.com/queen-mq/queen-sqs/server/wire/awsquery"
)

// exchange is one request and its response. It lives as long as fasthttp's
// handler runs.
type exchange struct {
	front *Front
	http  *fasthttp.RequestCtx
	conn  *conn

	id      string
	raw     sigv4.Request // what was on the wire
	path    string        // raw
	query   string        // raw
	sniffed wire.Sniffed
	target  string // the header X-Amz-Target
	action  string // once it is known to be one
}

var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// serve serves one request. It is fasthttp's handler.
func (f *Front) serve(ctx *fasthttp.RequestCtx) {
	e := exchanges.Get().(*exchange)
	e.open(f, ctx)
	defer e.close()
	defer e.recover()
	if handle := f.route(e); handle != nil {
		handle(ctx)
		return
	}
	if !f.enter() {
		e.sniff(nil)
		e.closeConnection()
		e.fail(fault.ServiceUnavailable.With("The service is shutting down."))
		return
	}
	defer f.leave()

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

func (e *exchange) open(f *Front, ctx *fasthttp.RequestCtx) {
	h := &ctx.Request.Header
	headers := appendHeaders(e.raw.Headers[:0], string(h.RawHeaders()))
	*e = exchange{
		front: f,
		http:  ctx,
		conn:  ctx.Conn().(*conn),
		id:    newRequestID(),
		raw:   sigv4.Request{Method: method(h.Method()), Target: string(h.RequestURI()), Headers: headers},
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
	e.front.sampled.Line(slog.LevelError, "panic", "panic while handling a request",
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
	e.raw.Body = nil
	if failure != nil {
		return nil, failure
	}
	var params *wire.Object
	if e.sniffed.Protocol == wire.JSON {
		e.sniffed.Service, e.action, params, failure = awsjson.Decode(e.target, body.bytes)
	} else {
		e.sniffed.Service, e.action, params, failure = awsquery.Decode(e.path, []byte(e.query), body.bytes)
	}
	if failure != nil {
		e.action = "" // not known to be one
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

// sniff finds the protocol and the service of the request, which decide in what
// form errors are written until it is decoded. body is as much of it as is known.
func (e *exchange) sniff(body []byte) {
	e.sniffed = wire.Sniff(e.target, header(e.raw.Headers, "Accept"), []byte(e.query), body)
}

func (e *exchange) readBody() (body, error) {
	stream := e.http.RequestBodyStream()
	if stream == nil {
		return body{}, nil
	}
	return e.front.bodies.read(e.front.cut, stream, e.http.Request.Header.ContentLength())
}

// bodyFault is the error of a body that could not be read. How much of it is
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

// authenticate returns the access key id of who asks: the verified one, or the
// presented one where signatures are not verified.
func (e *exchange) authenticate() (accessKeyID string, failure *fault.Error) {
	verifier := e.front.config.Verifier
	if verifier == nil {
		return cmp.Or(sigv4.PresentedKey(&e.raw), "anonymous"), nil
	}
	credential, err := verifier.Verify(&e.raw)
	if err != nil {
		failure := fault.From(err)
		e.front.sampled.Line(slog.LevelWarn, "auth "+failure.Kind.JSON, "request refused: "+failure.Kind.JSON,
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
	return e.front.Scheme() + host
}

var errPanic = errors.New("front: an action panicked")

// dispatch runs the action in a context that ends when the client hangs up.
func (e *exchange) dispatch(req *wire.Request) (result *wire.Object, err error) {
	handle, ok := e.front.config.Handlers[req.Action]
	if !ok {
		return nil, fault.InvalidAction.Default()
	}
	ctx := e.conn.begin()
	defer func() {
		if p := recover(); p != nil {
			e.logPanic(p)
			result, err = nil, fault.InternalFailure.Default().Because(errPanic)
		}
		if err != nil {
			result, err = e.interrupted(context.Cause(ctx), err)
		}
		e.conn.end(ctx)
	}()
	return handle(ctx, req)
}

// interrupted is what becomes of an error of an action whose context may have
// ended for a cause of the connection's.
func (e *exchange) interrupted(cause, err error) (*wire.Object, error) {
	switch cause {
	case errDraining:
		if errors.Is(err, context.Canceled) {
			// Nothing was received so far, and the response says so.
			return wire.NewObject(), nil
		}
	case errClientGone, errCut:
		e.closeConnection()
		return nil, fault.ServiceUnavailable.Default().Because(cause)
	}
	return nil, err
}

// closeConnection makes this response the last one of its connection, and leaves
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

// method is the request's method, without an allocation for the usual ones.
func method(b []byte) string {
	switch string(b) {
	case fasthttp.MethodPost:
		return fasthttp.MethodPost
	case fasthttp.MethodGet:
		return fasthttp.MethodGet
	}
	return string(b)
}
