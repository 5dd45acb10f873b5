package httpserver

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Every limit on a client that is slow or silent. A long poll has no limit but
// its own.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	mostHeader = 64 << 10
)

// listening is the HTTP server under a Server. Its requests' contexts end when
// the client hangs up, and long polls when the server shuts down.
type listening struct {
	http     http.Server
	draining context.Context
	drain    context.CancelFunc
}

func (l *listening) init(s *Server) {
	l.draining, l.drain = context.WithCancel(context.Background())
	l.http = http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    mostHeader,
	}
}

// patient makes the context of a long poll, which a shutdown ends.
func (l *listening) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(l.draining, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// Serve answers the connections of a listener until Shutdown. It owns the
// listener. After Shutdown it returns nil.
func (s *Server) Serve(l net.Listener) error {
	if err := s.listening.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown takes no more connections, ends long polls at once, and waits for the
// other requests until the context ends, which cuts them off.
func (s *Server) Shutdown(ctx context.Context) error {
	s.listening.drain()
	err := s.listening.http.Shutdown(ctx)
	if err != nil {
		s.listening.http.Close()
	}
	return err
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	body, tooLarge, err := readBody(h)
	if err != nil {
		return // the client broke off
	}
	var a answer
	if tooLarge {
		a = plain(413, "Failed to buffer the request body: length limit exceeded")
	} else {
		path, query := h.URL.EscapedPath(), h.URL.RawQuery
		r := &request{ctx: h.Context(), method: h.Method, path: path, query: query, body: body}
		a = s.answer(r, h.Header.Get("Authorization"))
	}
	write(w, h.Method == http.MethodHead, &a)
}

func write(w http.ResponseWriter, head bool, a *answer) {
	header := w.Header()
	switch {
	case a.contentType != "":
		header["Content-Type"] = []string{a.contentType}
	case len(a.body) > 0:
		header["Content-Type"] = jsonType
	default:
		header["Content-Type"] = nil
	}
	if a.allow != "" {
		header["Allow"] = []string{a.allow}
	}
	if a.etag != "" {
		header["Etag"] = []string{a.etag}
	}
	if a.hasRetry {
		header["Retry-After"] = []string{strconv.Itoa(seconds(a.retryAfter))}
	}
	if a.status != 204 {
		header["Content-Length"] = []string{strconv.Itoa(len(a.body))}
	}
	w.WriteHeader(a.status)
	if !head {
		w.Write(a.body)
	}
}

var jsonType = []string{"application/json"}

// readBody reads a request's body. One that is too large is read to an end, so
// that a client which is still sending sees its answer.
func readBody(h *http.Request) (body []byte, tooLarge bool, err error) {
	if h.ContentLength == 0 || h.Body == nil || h.Body == http.NoBody {
		return nil, false, nil
	}
	if h.ContentLength > MaxBody {
		io.CopyN(io.Discard, h.Body, 2*MaxBody)
		return nil, true, nil
	}
	if h.ContentLength > 0 && h.ContentLength <= 1<<20 {
		body = make([]byte, h.ContentLength)
		_, err = io.ReadFull(h.Body, body)
		return body, false, err
	}
	body, err = io.ReadAll(io.LimitReader(h.Body, MaxBody+1))
	if err == nil && len(body) > MaxBody {
		io.CopyN(io.Discard, h.Body, MaxBody)
		return nil, true, nil
	}
	return body, false, err
}
