// Package faults stands between a gateway and its broker and breaks what
// passes, one way at a time: connections that are refused, hang or are reset,
// and answers that no broker should give. It also keeps every call that reached
// the broker, so that a test can count them.
package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Proxy is a broker's address for a gateway. It has two layers: connections run
// through toxiproxy into an HTTP server that records each call and passes it on
// to the broker. It is safe for concurrent use.
type Proxy struct {
	// URL is where the gateway reaches the broker, through every fault.
	URL string

	broker *url.URL
	listen string
	server *http.Server
	served chan error
	carry  *http.Transport

	mu    sync.Mutex
	front *toxiproxy.Proxy
	wrong Fault
	only  map[Route]bool // the routes that go wrong; empty for all
	calls []Call
	conns map[net.Conn]bool
}

// Call is one request of the gateway as it reached the broker's side.
type Call struct {
	Route  Route
	Method string
	// Target is the path with its query.
	Target string
	Header http.Header
	Body   []byte
}

// Answer is what a call is answered with.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Torn closes the connection after half of the body.
	Torn bool
}

// New starts a proxy in front of a broker's base URL.
func New(broker string) (*Proxy, error) {
	u, err := url.Parse(strings.TrimRight(broker, "/"))
	if err != nil {
		return nil, err
	}
	behind, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		broker: u,
		served: make(chan error, 1),
		// No connection is kept: a kept one that died would have the transport send
		// a call twice.
		carry: &http.Transport{DisableKeepAlives: true, DisableCompression: true},
		conns: map[net.Conn]bool{},
	}
	p.server = &http.Server{Handler: http.HandlerFunc(p.serve), ConnState: p.connState}
	go func() { p.served <- p.server.Serve(behind) }()
	if err := p.open(behind.Addr().String()); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.URL = "http://" + p.listen
	return p, nil
}

// open finds a port for the front. It lies below the range systems take for
// outgoing connections, or one of those could have it while the broker is down.
func (p *Proxy) open(behind string) error {
	const low, high = 10000, 20000
	var err error
	for range 100 {
		p.front = newFront(net.JoinHostPort("127.0.0.1", strconv.Itoa(low+rand.IntN(high-low))), behind)
		if err = p.front.Start(); err == nil {
			p.listen = p.front.Listen
			return nil
		}
	}
	return fmt.Errorf("no free port between %d and %d: %w", low, high, err)
}

func newFront(listen, behind string) *toxiproxy.Proxy {
	return toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "broker", listen, behind)
}

// Break makes everything go wrong in one way, or only the calls of some routes;
// the latter only where the fault is an answer. It ends an earlier fault. All
// connections are closed first, so that none is left from better times.
func (p *Proxy) Break(f Fault, routes ...Route) error {
	if f.answer == nil && len(routes) > 0 {
		return fmt.Errorf("%q breaks connections, which know no routes", f.Name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wrong, p.only = f, map[Route]bool{}
	for _, r := range routes {
		p.only[r] = true
	}
	return p.reopen()
}

// Restore ends the fault. Connections that it has spoiled are closed.
func (p *Proxy) Restore() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wrong, p.only = Fault{}, nil
	return p.reopen()
}

// reopen replaces the front by one with the fault's toxic. A front is never
// changed while it has connections.
func (p *Proxy) reopen() error {
	behind := p.front.Upstream
	p.front.Stop()
	p.front = newFront(p.listen, behind)
	if p.wrong.toxic != "" {
		if _, err := p.front.Toxics.AddToxicJson(strings.NewReader(p.wrong.toxic)); err != nil {
			return err
		}
	}
	if p.wrong.down {
		return nil
	}
	return p.front.Start()
}

// Close ends the proxy.
func (p *Proxy) Close() error {
	p.mu.Lock()
	if p.front != nil {
		p.front.Stop()
	}
	p.mu.Unlock()
	err := p.server.Close()
	if ended := <-p.served; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// Calls are the calls that reached the broker since the last Forget, in the
// order in which they did.
func (p *Proxy) Calls() []Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

// Counts are the Calls by route.
func (p *Proxy) Counts() map[Route]int {
	counts := map[Route]int{}
	for _, c := range p.Calls() {
		counts[c.Route]++
	}
	return counts
}

// Forget empties the record.
func (p *Proxy) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = nil
}

// Connections is the number of open connections from the gateway.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}

func (p *Proxy) connState(c net.Conn, state http.ConnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch state {
	case http.StateNew:
		p.conns[c] = true
	case http.StateClosed, http.StateHijacked:
		delete(p.conns, c)
	}
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	call := Call{Route: routeOf(r.Method, r.URL.Path), Method: r.Method, Target: r.RequestURI, Header: r.Header.Clone(), Body: body}
	p.mu.Lock()
	p.calls = append(p.calls, call)
	wrong := p.wrong.answer
	if len(p.only) > 0 && !p.only[call.Route] {
		wrong = nil
	}
	p.mu.Unlock()

	forward := func() (Answer, error) { return p.forward(r.Context(), call) }
	var a Answer
	if wrong == nil {
		a, err = forward()
	} else {
		a, err = wrong(call, forward)
	}
	if err != nil {
		// No broker: no answer.
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), a.Header)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.Body)))
	if a.Status == http.StatusNoContent {
		w.Header().Del("Content-Length")
	}
	if !a.Torn {
		w.WriteHeader(a.Status)
		_, _ = w.Write(a.Body)
		return
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body[:len(a.Body)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// forward carries a call out at the broker. The context is the gateway's
// connection: when that ends, the broker's ends too.
func (p *Proxy) forward(ctx context.Context, c Call) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, c.Method, p.broker.String()+c.Target, bytes.NewReader(c.Body))
	if err != nil {
		return Answer{}, err
	}
	req.Header = c.Header.Clone()
	resp, err := p.carry.RoundTrip(req)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return Answer{}, err
	}
	header := resp.Header.Clone()
	for _, name := range []string{"Connection", "Content-Length", "Transfer-Encoding", "Date"} {
		header.Del(name)
	}
	return Answer{Status: resp.StatusCode, Header: header, Body: body}, nil
}
