package front

import (
	"errors"
	"net"

	"github.com/valyala/fasthttp"

	"github.com/queen-mq/queen-sqs/server/fault"
)

// What fasthttp asks about, or gives up on, before there is a whole request.

// expect decides about "Expect: 100-continue": a body that declares itself too
// large is refused before it is sent.
func (f *Front) expect(ctx *fasthttp.RequestCtx) int {
	if ctx.Request.Header.ContentLength() <= MaxBody {
		return fasthttp.StatusContinue
	}
	e := exchanges.Get().(*exchange)
	e.open(f, ctx)
	defer e.close()
	defer e.recover()
	e.sniff(nil)
	e.closeConnection()
	failure := tooLarge()
	e.fail(failure)
	return failure.Kind.Status
}

// unreadable responds to what is no HTTP request, or one whose headers are too
// long. It is fasthttp's error handler, and runs also when a connection just
// ended.
func (f *Front) unreadable(ctx *fasthttp.RequestCtx, err error) {
	e := exchanges.Get().(*exchange)
	e.open(f, ctx)
	defer e.close()
	defer e.recover()
	e.closeConnection()
	var (
		tooSmall *fasthttp.ErrSmallBuffer
		timeout  net.Error
	)
	switch {
	case errors.As(err, &tooSmall):
		e.fail(fault.InvalidParameterValue.Withf("The request line and the headers must not be longer than %d bytes.", maxHeader))
	case errors.As(err, &timeout) && timeout.Timeout() && !e.conn.heard:
		// Nothing was requested. A client that kept the connection for later could
		// take a response for that to its next request.
		e.conn.Conn.Close()
	case errors.As(err, &timeout) && timeout.Timeout():
		e.fail(fault.InvalidParameterValue.With("The request did not arrive in time."))
	default:
		e.fail(fault.InvalidParameterValue.With("The request is not a well-formed HTTP request."))
	}
}
