package httpclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

func as[T error](err error, target *T) bool { return errors.As(err, target) }

// A caller who gives up closes the connection, so that the broker drops the
// parked request.
func TestCancelledPopHangsUp(t *testing.T) {
	parked, gone := make(chan struct{}), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(parked)
		<-r.Context().Done()
		close(gone)
	}))
	defer srv.Close()
	c := newClient(t, srv.URL)
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error, 1)
	go func() {
		_, err := c.Pop(ctx, "", queen.PopRequest{Queue: "q", Wait: 20 * time.Second})
		failed <- err
	}()
	<-parked
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-gone
	if c.lost.Load() {
		t.Error("a caller who gave up is not a broker that did not answer")
	}
	if len(c.slots) != 0 {
		t.Error("the place for a parked pop was not given back")
	}
}

func TestDeadline(t *testing.T) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-release }))
	defer srv.Close()
	defer close(release)
	c := newClient(t, srv.URL)
	_, err := c.do(context.Background(), call{method: "GET", path: "/", timeout: time.Millisecond})
	var transport *queen.TransportError
	if !as(err, &transport) || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1ms") {
		t.Errorf("got %v", err)
	}
	if !c.lost.Load() {
		t.Error("the broker was not noticed as lost")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := c.Push(ctx, "", []queen.PushItem{{Queue: "q"}}); err != context.DeadlineExceeded {
		t.Errorf("the caller's own deadline: got %v", err)
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	c := newClient(t, "http://"+l.Addr().String())
	_, err = c.Push(context.Background(), "", []queen.PushItem{{Queue: "q"}})
	var transport *queen.TransportError
	if !as(err, &transport) {
		t.Errorf("got %v", err)
	}
}

// dying accepts connections, answers the first request of each and closes the
// connection when the second one arrives: the worst a kept connection can do.
type dying struct {
	net.Listener
	mu   sync.Mutex
	seen []string
}

func newDying(t *testing.T) *dying {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	d := &dying{Listener: l}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go d.serve(conn)
		}
	}()
	return d
}

func (d *dying) serve(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for n := 1; ; n++ {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		io.Copy(io.Discard, req.Body)
		d.mu.Lock()
		d.seen = append(d.seen, req.Method+" "+req.URL.Path)
		d.mu.Unlock()
		if n == 2 {
			return
		}
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	}
}

func (d *dying) count(line string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, s := range d.seen {
		if s == line {
			n++
		}
	}
	return n
}

// A connection that dies under a request: reading again is harmless and done,
// what changes something is sent once.
func TestStaleConnection(t *testing.T) {
	ctx := context.Background()
	for _, tt := range []struct {
		line string
		do   func(*Client) error
		sent int
	}{
		{"GET /api/v1/resources/queues", func(c *Client) error { _, err := c.ListQueues(ctx, ""); return err }, 2},
		{"GET /api/v1/pop/queue/q", func(c *Client) error {
			_, err := c.Pop(ctx, "", queen.PopRequest{Queue: "q"})
			return err
		}, 1},
		{"POST /api/v1/ack", func(c *Client) error { _, err := c.Ack(ctx, "", "", []queen.Ack{{}}); return err }, 1},
		{"DELETE /api/v1/resources/queues/q", func(c *Client) error { _, err := c.DeleteQueue(ctx, "", "q"); return err }, 1},
	} {
		t.Run(tt.line, func(t *testing.T) {
			d := newDying(t)
			c := trusting(newClient(t, "http://"+d.Addr().String()))
			if _, err := c.do(ctx, call{method: "GET", path: "/first"}); err != nil {
				t.Fatal(err)
			}
			err := tt.do(c)
			if n := d.count(tt.line); n != tt.sent {
				t.Errorf("sent %d times, want %d", n, tt.sent)
			}
			var transport *queen.TransportError
			if lost := as(err, &transport); lost != (tt.sent == 1) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// An answer that breaks off is no answer.
func TestTruncatedAnswer(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, `[{"index":0`)
	}))
	defer srv.Close()
	_, err := newClient(t, srv.URL).Push(context.Background(), "", []queen.PushItem{{Queue: "q"}})
	var transport *queen.TransportError
	if !as(err, &transport) {
		t.Errorf("got %v", err)
	}
}

func TestAnswerTooLarge(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(maxAnswer+1))
	}))
	defer srv.Close()
	_, err := newClient(t, srv.URL).ListQueues(context.Background(), "")
	var body *queen.BodyError
	if !as(err, &body) {
		t.Errorf("got %v", err)
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	r := newRecorder(t, answer{status: 307, header: map[string]string{"Location": "/elsewhere"}})
	_, err := newClient(t, r.URL).ListQueues(context.Background(), "secret")
	var status *queen.StatusError
	if !as(err, &status) || status.Code != 307 || len(r.requests()) != 1 {
		t.Errorf("got %v after %d requests", err, len(r.requests()))
	}
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]string{
		"3": "3s", "0": "0s", " 7 ": "7s", "-1": "", "+1": "", "1.5": "", "": "",
		"Wed, 21 Oct 2026 07:28:00 GMT": "", "99999999999999": "",
	} {
		r := newRecorder(t, answer{status: 429, header: map[string]string{"Retry-After": header}, body: "slow down"})
		_, err := newClient(t, r.URL).ListQueues(context.Background(), "")
		var status *queen.StatusError
		if !as(err, &status) || status.Code != 429 || status.Body != "slow down" {
			t.Fatalf("got %v", err)
		}
		got := ""
		if status.HasRetryAfter {
			got = status.RetryAfter.String()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", header, got, want)
		}
	}
}

// Ten receivers of ten parallel pops each, round after round, use no more
// connections than there are pops at one time, and reuse them.
func TestConnectionsAreReused(t *testing.T) {
	var opened atomic.Int64
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) }))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	c := trusting(newClient(t, srv.URL))
	for range 20 {
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if _, err := c.Pop(context.Background(), "", queen.PopRequest{Queue: "q"}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	// A dial that lost to a connection which came free is kept as well.
	if n := opened.Load(); n > 200 {
		t.Errorf("%d connections for 100 calls at a time", n)
	}
}

// Parked pops have connections of their own, and no more than they may.
func TestParkedPopsDoNotStarveCalls(t *testing.T) {
	var parked, most atomic.Int64
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.RequestURI, "wait=true") {
			io.WriteString(w, `[{"index":0,"transactionId":"t","success":true}]`)
			return
		}
		most.Store(max(most.Load(), parked.Add(1)))
		<-release
		parked.Add(-1)
		w.WriteHeader(204)
	}))
	defer srv.Close()
	c, err := New(Config{URL: srv.URL, MaxConns: 1, MaxParked: 3})
	if err != nil {
		t.Fatal(err)
	}
	trusting(c)
	defer c.Close()
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			if _, err := c.Pop(context.Background(), "", queen.PopRequest{Queue: "q", Wait: 10 * time.Second}); err != nil {
				t.Error(err)
			}
		})
	}
	for len(c.slots) < 3 {
		time.Sleep(time.Millisecond)
	}
	if _, err := c.Ack(context.Background(), "", "", []queen.Ack{{TransactionID: "t"}}); err != nil {
		t.Error(err)
	}
	close(release)
	wg.Wait()
	if most.Load() > 3 || len(c.slots) != 0 {
		t.Errorf("%d parked at one time, %d places still taken", most.Load(), len(c.slots))
	}
}

// A pop that finds no place to park within its wait asks once without parking.
func TestNoPlaceToPark(t *testing.T) {
	r := newRecorder(t, answer{status: 204})
	c, err := New(Config{URL: r.URL, MaxParked: 1})
	if err != nil {
		t.Fatal(err)
	}
	trusting(c)
	c.slots <- struct{}{}
	if _, err := c.Pop(context.Background(), "", queen.PopRequest{Queue: "q", Wait: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if got := r.requests(); len(got) != 1 || !strings.Contains(got[0].line, "wait=false") {
		t.Errorf("asked %v", got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Pop(ctx, "", queen.PopRequest{Queue: "q", Wait: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A wait beyond what one call may ask for is several calls.
func TestLongWaitIsSplit(t *testing.T) {
	r := newRecorder(t, answer{status: 204}, answer{status: 204}, answer{status: 204})
	c := trusting(newClient(t, r.URL))
	if _, err := c.Pop(context.Background(), "", queen.PopRequest{Queue: "q", Wait: 70 * time.Second}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range r.requests() {
		_, timeout, _ := strings.Cut(a.line, "timeout=")
		got = append(got, timeout)
	}
	if strings.Join(got, " ") != "30000 30000 10000" {
		t.Errorf("asked for %v", got)
	}
}
