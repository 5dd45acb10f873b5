package front

import (
	"errors"
	"io"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"
)

// Route is a path that is not a request to a service. Every other path is one.
type Route struct {
	Method, Path string
	Handler      fasthttp.RequestHandler
	// OnlyBare leaves requests with a query string or an X-Amz-Target to the
	// services: the path has the form of a queue's.
	OnlyBare bool
}

// newRouter makes a router of routes whose paths are matched as they were sent:
// what it does not know is a service's, and never a redirection.
func newRouter(routes []Route, onlyBare bool) *router.Router {
	r := router.New()
	r.RedirectTrailingSlash, r.RedirectFixedPath, r.HandleMethodNotAllowed = false, false, false
	for _, route := range routes {
		if route.OnlyBare == onlyBare {
			r.Handle(route.Method, route.Path, route.Handler)
		}
	}
	return r
}

// route finds the handler of a request that no service serves; nil for all
// others.
func (f *Front) route(e *exchange) fasthttp.RequestHandler {
	if handle, _ := f.routes.Lookup(e.raw.Method, e.path, e.http); handle != nil {
		return handle
	}
	if e.query != "" || e.target != "" {
		return nil
	}
	handle, _ := f.bareRoutes.Lookup(e.raw.Method, e.path, e.http)
	return handle
}

// errLongBody refuses the body of a request to a route.
var errLongBody = errors.New("front: the body is too long for this path")

// ReadBody reads the body of a request to a route, at most limit bytes. After an
// error the connection ends with the response.
func ReadBody(ctx *fasthttp.RequestCtx, limit int) ([]byte, error) {
	stream := ctx.RequestBodyStream()
	if stream == nil {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(stream, int64(limit)+1))
	if err == nil && len(body) > limit {
		err = errLongBody
	}
	if err != nil {
		CloseConnection(ctx)
	}
	return body, err
}

// CloseConnection makes the response to a route's request the last one of its
// connection.
func CloseConnection(ctx *fasthttp.RequestCtx) {
	ctx.SetConnectionClose()
	ctx.Conn().(*conn).linger()
}
