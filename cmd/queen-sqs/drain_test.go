package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen/embedded"
	"github.com/queen-mq/queen-sqs/server/queen/httpserver"
)

// A process over a broker of its own is told to end while a long poll is parked
// and a send is on its way to the broker.
func TestSignalDrains(t *testing.T) {
	broker := newHeldBroker(t)
	addr := freeAddr(t)
	cmd, _, stderr := start(t, []string{"QUEEN_URL=" + broker.URL, "QUEEN_SQS_HANDLE_SECRET=a secret of sixteen bytes"}, "serve", "--listen", addr)
	waitHealthy(t, addr)

	poll, send, late := dial(t, addr), dial(t, addr), dial(t, addr)
	late.call("CreateQueue", `{"QueueName":"q","Attributes":{"VisibilityTimeout":"10"}}`)
	late.want(t, 200, "/000000000000/q")
	poll.call("ReceiveMessage", `{"QueueUrl":"http://x/000000000000/q","WaitTimeSeconds":20}`)
	<-broker.parked
	send.call("SendMessage", `{"QueueUrl":"http://x/000000000000/q","MessageBody":"in flight"}`)
	<-broker.pushing

	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	poll.want(t, 200, "{}") // the drain has begun
	late.call("SendMessage", `{"QueueUrl":"http://x/000000000000/q","MessageBody":"too late"}`)
	late.want(t, 503, "ServiceUnavailable")
	if c, err := net.Dial("tcp", addr); err == nil {
		c.Close()
		t.Error("a new connection was taken")
	}
	close(broker.release)
	send.want(t, 200, "MessageId")
	if status := finish(t, cmd); status != 0 {
		t.Errorf("exit status %d\n%s", status, stderr)
	}
	if log := stderr.String(); !strings.Contains(log, "broker found") {
		t.Errorf("the log does not say what broker was found:\n%s", log)
	}

	// The next process finds the one message, once: at once, or, when the broker
	// gave it to the poll that was cut, when that one's lease is over.
	addr = freeAddr(t)
	cmd, _, stderr = start(t, []string{"QUEEN_URL=" + broker.URL, "QUEEN_SQS_HANDLE_SECRET=a secret of sixteen bytes"}, "serve", "--listen", addr)
	waitHealthy(t, addr)
	next := dial(t, addr)
	next.call("ReceiveMessage", `{"QueueUrl":"http://x/000000000000/q","MaxNumberOfMessages":10,"WaitTimeSeconds":20}`)
	next.want(t, 200, "in flight")
	next.call("ReceiveMessage", `{"QueueUrl":"http://x/000000000000/q","MaxNumberOfMessages":10}`)
	next.want(t, 200, "{}")
	cmd.Process.Signal(syscall.SIGTERM)
	if status := finish(t, cmd); status != 0 {
		t.Errorf("exit status %d\n%s", status, stderr)
	}
}

// heldBroker is an engine behind HTTP that holds the first push until release.
type heldBroker struct {
	*httptest.Server
	parked, pushing chan struct{}
	release         chan struct{}
}

func newHeldBroker(t *testing.T) *heldBroker {
	t.Helper()
	engine, err := embedded.Open(embedded.Config{})
	if err != nil {
		t.Fatal(err)
	}
	srv, err := httpserver.New(httpserver.Config{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	to := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: ln.Addr().String()})
	transport := &http.Transport{}
	to.Transport = transport
	to.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	b := &heldBroker{parked: make(chan struct{}, 8), pushing: make(chan struct{}, 8), release: make(chan struct{})}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/api/v1/push":
			b.pushing <- struct{}{}
			<-b.release
		case r.URL.Query().Get("wait") == "true":
			b.parked <- struct{}{}
		}
		to.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		b.Server.CloseClientConnections()
		b.Server.Close()
		transport.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := srv.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		<-served
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// conn is one kept connection to a gateway.
type conn struct {
	net.Conn
	br *bufio.Reader
}

func dial(t *testing.T, addr string) conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return conn{c, bufio.NewReader(c)}
}

func (c conn) call(action, body string) {
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: AmazonSQS.%s\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\n\r\n%s", action, len(body), body)
}

func (c conn) want(t *testing.T, status int, text string) {
	t.Helper()
	resp, err := http.ReadResponse(c.br, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != status || !strings.Contains(string(body), text) {
		t.Fatalf("%d %s, want %d with %q", resp.StatusCode, body, status, text)
	}
}

// A gateway starts before its broker, and says so.
func TestServeBeforeItsBroker(t *testing.T) {
	addr, nobody := freeAddr(t), freeAddr(t)
	cmd, _, stderr := start(t, []string{"QUEEN_URL=http://" + nobody, "QUEEN_SQS_HANDLE_SECRET=a secret of sixteen bytes"}, "serve", "--listen", addr)
	waitHealthy(t, addr)
	c := dial(t, addr)
	c.call("ListQueues", "{}")
	c.want(t, 503, "ServiceUnavailable")
	cmd.Process.Signal(syscall.SIGTERM)
	if status := finish(t, cmd); status != 0 {
		t.Errorf("exit status %d\n%s", status, stderr)
	}
	if log := stderr.String(); !strings.Contains(log, "the broker does not answer") {
		t.Errorf("the log does not say that there is no broker:\n%s", log)
	}
}
