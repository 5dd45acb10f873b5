package client

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Exchange is one request and its answer as they were on the wire.
type Exchange struct {
	Method        string
	URL           *url.URL
	RequestHeader http.Header
	RequestBody   []byte

	Status int // 0 while there is no answer
	Header http.Header
	Body   []byte
}

// Recorder keeps what went over the wire. It is safe for concurrent use.
type Recorder struct {
	// Watch is called with every exchange that was answered, before its answer is
	// handed on; nil is nobody.
	Watch func(*Exchange)

	mu   sync.Mutex
	last *Exchange
	turn int
	lost bool
}

// Lost reports whether a request was cut of which nobody knows whether it was
// done.
func (r *Recorder) Lost() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// Last is the exchange that was answered last, nil when there was none.
func (r *Recorder) Last() *Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// next is the number of the request, counting from zero.
func (r *Recorder) next() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn++
	return r.turn - 1
}

func (r *Recorder) over(cfg Config) http.RoundTripper {
	next := cfg.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	var hosts []*url.URL
	for _, e := range cfg.Endpoints {
		if u, err := url.Parse(e); err == nil {
			hosts = append(hosts, u)
		}
	}
	return &recording{r, next, hosts, cfg.Again}
}

type recording struct {
	*Recorder
	next  http.RoundTripper
	hosts []*url.URL
	again *Again
}

// RoundTrip sends the request to the next of the endpoints, as a plain load
// balancer would: the Host header, which the signature covers, stays.
func (r *recording) RoundTrip(req *http.Request) (*http.Response, error) {
	x := &Exchange{Method: req.Method, URL: req.URL, RequestHeader: req.Header.Clone()}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
		x.RequestBody = body
	}
	resp, err := r.send(req, x)
	if err != nil {
		return nil, err
	}
	if slot, ok := req.Context().Value(exchangeKey{}).(**Exchange); ok {
		*slot = x
	}
	r.mu.Lock()
	r.last = x
	r.mu.Unlock()
	if r.Watch != nil {
		r.Watch(x)
	}
	return resp, nil
}

// send makes the tries that are allowed.
func (r *recording) send(req *http.Request, x *Exchange) (*http.Response, error) {
	for try := 1; ; try++ {
		resp, err := r.once(req, x)
		if r.again == nil || try == againTries || req.Context().Err() != nil {
			return resp, err
		}
		done, lost := r.again.over(x, resp, err)
		if lost {
			r.mu.Lock()
			r.lost = true
			r.mu.Unlock()
		}
		if done {
			return resp, err
		}
		time.Sleep(againPause)
	}
}

// once is one try. The answer is read whole.
func (r *recording) once(req *http.Request, x *Exchange) (*http.Response, error) {
	out := req.Clone(req.Context())
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.RequestBody)), nil }
	out.Body, _ = out.GetBody()
	if len(r.hosts) > 1 {
		if out.Host == "" {
			out.Host = req.URL.Host
		}
		to := r.hosts[r.Recorder.next()%len(r.hosts)]
		out.URL.Scheme, out.URL.Host = to.Scheme, to.Host
	}
	resp, err := r.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	x.Status, x.Header, x.Body = resp.StatusCode, resp.Header.Clone(), body
	return resp, nil
}

type exchangeKey struct{}

// watch answers a context whose one request leaves its exchange in slot.
func watch(ctx context.Context, slot **Exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, slot)
}
