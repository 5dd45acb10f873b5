package front

import (
	"log/slog"
	"strconv"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
	"github.com/queen-mq/queen-sqs/server/wire/awsjson"
	"github.com/queen-mq/queen-sqs/server/wire/awsquery"
)

var (
	requestIDHeader  = []byte("x-amzn-RequestId")
	queryErrorHeader = []byte(awsjson.QueryErrorHeader)
	retryAfterHeader = []byte("retry-after")
)

// largeResponse is the size in bytes from which a response's buffer is left to
// the garbage collector. fasthttp keeps the others with the connection.
const largeResponse = 64 << 10

// succeed writes a result; nil is that of an action without one.
func (e *exchange) succeed(result *wire.Object) {
	e.write(200, func(dst []byte) ([]byte, string) {
		switch {
		case e.sniffed.Protocol == wire.JSON:
			return awsjson.AppendResult(dst, result), awsjson.ContentType
		case e.sniffed.JSONResponse:
			return awsquery.AppendJSONResult(dst, e.sniffed.Service, e.action, e.id, result), awsquery.JSONContentType
		}
		return awsquery.AppendResult(dst, e.sniffed.Service, e.action, e.id, result), awsquery.XMLContentType
	})
}

// fail writes an error, and logs it.
func (e *exchange) fail(err *fault.Error) {
	e.logFault(err)
	h := &e.http.Response.Header
	if err.RetryAfter > 0 {
		seconds := (err.RetryAfter + time.Second - 1) / time.Second
		h.SetCanonical(retryAfterHeader, strconv.AppendInt(nil, int64(seconds), 10))
	}
	if e.sniffed.Protocol == wire.JSON {
		h.SetCanonical(queryErrorHeader, []byte(awsjson.QueryError(err)))
	}
	e.write(err.Kind.Status, func(dst []byte) ([]byte, string) {
		switch {
		case e.sniffed.Protocol == wire.JSON:
			return awsjson.AppendError(dst, err), awsjson.ContentType
		case e.sniffed.JSONResponse && !awsquery.IsXMLOnly(err):
			return awsquery.AppendJSONError(dst, e.id, err), awsquery.JSONContentType
		}
		return awsquery.AppendError(dst, e.sniffed.Service, e.action, e.id, err), awsquery.XMLContentType
	})
}

// write fills the response's buffer in place.
func (e *exchange) write(status int, fill func(dst []byte) (body []byte, contentType string)) {
	resp := &e.http.Response
	body, contentType := fill(resp.SwapBody(nil)[:0])
	if len(body) < largeResponse {
		resp.SwapBody(body)
	} else {
		resp.SetBodyRaw(body)
	}
	resp.SetStatusCode(status)
	resp.Header.SetContentType(contentType)
}

// logFault logs an error on its way to a client. A fault of ours is a warning;
// one of the sender's interests only those who debug a client. Each kind is logged
// once in a while only.
func (e *exchange) logFault(err *fault.Error) {
	level, message := slog.LevelDebug, "request refused"
	if err.Kind.Receiver && err.Cause != errClientGone && err.Cause != errCut && err.Cause != errPanic {
		level, message = slog.LevelWarn, "request failed"
	}
	s := e.front.sampled
	if !s.Enabled(level) {
		return
	}
	args := []any{
		"code", err.Kind.JSON,
		"action", e.action,
		"protocol", e.sniffed.Protocol.String(),
		"request_id", e.id,
	}
	if err.Cause != nil {
		args = append(args, "cause", err.Cause.Error())
	}
	s.Line(level, err.Kind.JSON, message, args...)
}
