package front

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

const longGrace = time.Hour

// shutDown starts a shutdown and waits until it has begun.
func shutDown(ctx context.Context, r *running) (ended chan error) {
	ended = make(chan error, 1)
	go func() { ended <- r.Shutdown(ctx) }()
	for !r.conns.draining.Load() {
		time.Sleep(time.Millisecond)
	}
	return ended
}

func wantShutdown(t *testing.T, ended chan error, wantCut bool) {
	t.Helper()
	select {
	case err := <-ended:
		if (err != nil) != wantCut {
			t.Errorf("Shutdown returned %v", err)
		}
	case <-time.After(patience):
		t.Fatal("Shutdown did not return")
	}
}

func TestShutdownAnswersLongPollsEmpty(t *testing.T) {
	p := newParking()
	r := run(t, Config{ShutdownGrace: longGrace}, p.handlers())
	cj, json := r.dial(t)
	io.WriteString(cj, receives()["json"])
	cq, query := r.dial(t)
	io.WriteString(cq, receives()["query"])
	<-p.parked
	<-p.parked
	ended := shutDown(context.Background(), r)
	a := read(t, json)
	a.want(t, 200)
	if a.body != "{}" {
		t.Errorf("the response is %s", a.body)
	}
	read(t, query).want(t, 200, "ReceiveMessageResult")
	wantShutdown(t, ended, false)
}

func TestShutdownLetsRequestsFinish(t *testing.T) {
	p := newParking()
	r := run(t, Config{ShutdownGrace: longGrace}, p.handlers())
	busy, busyAnswer := r.dial(t)
	io.WriteString(busy, jsonCall("SendMessage", "{}"))
	<-p.parked
	// Connections that are kept alive, one for each thing to try.
	keep := func() func(request string) response {
		c, br := r.dial(t)
		io.WriteString(c, jsonCall("ListQueues", "{}"))
		read(t, br).want(t, 200)
		return func(request string) response {
			io.WriteString(c, request)
			a := read(t, br)
			if !a.Close {
				t.Error("the connection stays open")
			}
			return a
		}
	}
	json, query, health := keep(), keep(), keep()
	ended := shutDown(context.Background(), r)

	json(jsonCall("ListQueues", "{}")).want(t, 503, `com.amazon.coral.service#ServiceUnavailable`)
	query(queryCall("Action=ListQueues")).want(t, 503, "<Code>ServiceUnavailable</Code>")
	health("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n").want(t, 503)
	if c, err := net.Dial("tcp", r.addr); err == nil {
		c.Close()
		t.Error("a new connection was accepted")
	}

	p.release <- struct{}{}
	a := read(t, busyAnswer)
	a.want(t, 200, "Released")
	wantShutdown(t, ended, false)
	if strings.Contains(r.log.String(), "cut") {
		t.Errorf("something was cut:\n%s", r.log)
	}
}

func TestShutdownCutsAfterTheGrace(t *testing.T) {
	p := newParking()
	r := run(t, Config{ShutdownGrace: time.Millisecond}, p.handlers())
	c, br := r.dial(t)
	io.WriteString(c, jsonCall("SendMessage", "{}"))
	<-p.parked
	ended := shutDown(context.Background(), r)
	p.wantEnd(t, errCut)
	wantShutdown(t, ended, true)
	if _, err := http.ReadResponse(br, nil); err == nil {
		t.Error("the cut request got a response")
	}
	if log := r.log.String(); !strings.Contains(log, "level=WARN") || !strings.Contains(log, "requests=1") {
		t.Errorf("no warning that one request was cut:\n%s", log)
	}
}

func TestShutdownCutsWhenItsContextEnds(t *testing.T) {
	p := newParking()
	r := run(t, Config{ShutdownGrace: longGrace}, p.handlers())
	c, _ := r.dial(t)
	io.WriteString(c, jsonCall("SendMessage", "{}"))
	<-p.parked
	ctx, cancel := context.WithCancel(context.Background())
	ended := shutDown(ctx, r)
	select {
	case err := <-ended:
		t.Fatalf("Shutdown did not wait: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	cancel()
	p.wantEnd(t, errCut)
	wantShutdown(t, ended, true)
}

func TestShutdownOfAnIdleServer(t *testing.T) {
	r := run(t, Config{ShutdownGrace: longGrace}, stubs)
	c, br := r.dial(t)
	io.WriteString(c, jsonCall("ListQueues", "{}"))
	read(t, br).want(t, 200)
	wantShutdown(t, shutDown(context.Background(), r), false)
	if _, err := br.ReadByte(); err == nil {
		t.Error("the idle connection is still open")
	}
	wantShutdown(t, shutDown(context.Background(), r), false) // once more does no harm
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if r.Serve(ln) == nil {
		t.Error("a server that was shut down serves again")
	}
}

// A body that is still arriving when the shutdown begins belongs to a request
// that has begun.
func TestShutdownTakesTheRestOfABody(t *testing.T) {
	r := run(t, Config{ShutdownGrace: longGrace}, stubs)
	c, br := r.dial(t)
	request := queryCall("Action=ListQueues&QueueNamePrefix=" + strings.Repeat("x", 100_000))
	io.WriteString(c, request[:50_000])
	for r.handling.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	ended := shutDown(context.Background(), r)
	io.WriteString(c, request[50_000:])
	a := read(t, br)
	a.want(t, 200, "<ListQueuesResponse")
	wantShutdown(t, ended, false)
}
