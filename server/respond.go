package server

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

// largeAnswer is the size in bytes from which an answer's buffer is left to the
// garbage collector. fasthttp keeps the others with the connection.
const largeAnswer = 64 << 10

// decode reads action and parameters of a verified request.
func (e *exchange) decode(body []byte) (*wire.Object, *fault.Error) {
	var (
		action string
		params *wire.Object
		err    *fault.Error
	)
	if e.sniffed.Protocol == wire.JSON {
		e.sniffed.Service, action, params, err = awsjson.Decode(e.target, body)
	} else {
		e.sniffed.Service, action, params, err = awsquery.Decode([]byte(e.query), body)
		if refused := awsquery.CheckPath(e.path, action); refused != nil {
			return nil, refused
		}
	}
	if err != nil {
		return nil, err
	}
	e.action = action
	return params, nil
}

// succeed answers with a result; nil is that of an action without one.
func (e *exchange) succeed(result *wire.Object) {
	e.write(200, func(dst []byte) ([]byte, string) {
		switch {
		case e.sniffed.Protocol == wire.JSON:
			return awsjson.AppendResult(dst, result), awsjson.ContentType
		case e.sniffed.JSONAnswer:
			return awsquery.AppendJSONResult(dst, e.sniffed.Service, e.action, e.id, result), awsquery.JSONContentType
		}
		return awsquery.AppendResult(dst, e.sniffed.Service, e.action, e.id, result), awsquery.XMLContentType
	})
}

// fail answers with an error, and logs it.
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
		case e.sniffed.JSONAnswer && !awsquery.IsXMLOnly(err):
			return awsquery.AppendJSONError(dst, e.id, err), awsquery.JSONContentType
		}
		return awsquery.AppendError(dst, e.sniffed.Service, e.action, e.id, err), awsquery.XMLContentType
	})
}

// write fills the answer's buffer in place.
func (e *exchange) write(status int, fill func(dst []byte) (body []byte, contentType string)) {
	resp := &e.http.Response
	body, contentType := fill(resp.SwapBody(nil)[:0])
	if len(body) < largeAnswer {
		resp.SwapBody(body)
	} else {
		resp.SetBodyRaw(body)
	}
	resp.SetStatusCode(status)
	resp.Header.SetContentType(contentType)
}

// logFault logs an error on its way to a client. A fault of ours is a warning;
// one of the sender's interests whoever debugs a client. Each kind is logged
// once in a while only.
func (e *exchange) logFault(err *fault.Error) {
	level, message := slog.LevelDebug, "request refused"
	if err.Kind.Receiver && err.Cause != errClientGone && err.Cause != errCut && err.Cause != errPanic {
		level, message = slog.LevelWarn, "request failed"
	}
	s := e.server.sampled
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
