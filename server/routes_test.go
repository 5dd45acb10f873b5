package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/sigv4"
)

// raw sends bytes on a connection of its own and reads one response.
func raw(t *testing.T, i *server.Instance, request string) (*http.Response, string) {
	t.Helper()
	c, err := net.Dial("tcp", i.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Header.Get("x-amzn-RequestId") == "" {
		t.Error("the response has no request id")
	}
	return resp, string(body)
}

func wantStatus(t *testing.T, i *server.Instance, request string, status int, contains string) {
	t.Helper()
	if resp, body := raw(t, i, request); resp.StatusCode != status || !strings.Contains(body, contains) {
		t.Errorf("%.80q gets %d %s, want %d with %q", request, resp.StatusCode, body, status, contains)
	}
}

func startWith(t *testing.T, o server.Options) *server.Instance {
	t.Helper()
	i, err := server.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Stop(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error("Stop:", err)
		}
	})
	return i
}

func TestHealth(t *testing.T) {
	i := startWith(t, server.Options{})
	for _, target := range []string{"/healthz", "/healthz?x=1"} {
		resp, body := raw(t, i, "GET "+target+" HTTP/1.1\r\nHost: x\r\n\r\n")
		if resp.StatusCode != 200 || body != `{"status":"ok","service":"queen-sqs"}` || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%v %s", resp, body)
		}
	}
	wantStatus(t, i, "POST /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "InvalidAction")
}

// The page of the register needs no signature, and its path is that of a queue
// for everything that has a parameter or a body.
func TestThePageOfDivergences(t *testing.T) {
	i := startWith(t, server.Options{Config: server.Config{Credentials: []sigv4.Credential{{AccessKeyID: "AKID", Secret: "secret"}}}})
	resp, body := raw(t, i, "GET /console/divergences HTTP/1.1\r\nHost: x\r\n\r\n")
	for _, part := range []string{"<!DOCTYPE html>", `id="QS-01"`, `id="SN-16"`} {
		if resp.StatusCode != 200 || !strings.Contains(body, part) {
			t.Errorf("%v: the page has no %q", resp.Status, part)
		}
	}
	if resp.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%v", resp.Header)
	}
	for _, request := range []string{
		"POST /console/divergences HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
		"GET /console/divergences?Action=SendMessage&MessageBody=a HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /console/divergences HTTP/1.1\r\nHost: x\r\nX-Amz-Target: AmazonSQS.ListQueues\r\n\r\n",
		"GET /console/other HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		wantStatus(t, i, request, 403, "MissingAuthenticationToken")
	}
}

func TestTestClock(t *testing.T) {
	const advance = "POST /_test/clock HTTP/1.1\r\nHost: a\r\nContent-Length: 17\r\n\r\n{\"advance\":\"30s\"}"
	wantStatus(t, startWith(t, server.Options{}), advance, 404, "--test-clock")

	clk := clock.NewShifted()
	on := startWith(t, server.Options{Config: server.Config{TestClock: true}, Clock: clk})
	before := clk.Now()
	ran := false
	clk.AfterFunc(29*time.Second, func() { ran = true })
	wantStatus(t, on, advance, 200, `"now"`)
	if moved := clk.Now().Sub(before); moved < 30*time.Second || !ran {
		t.Errorf("the clock moved %v, what was due ran: %v", moved, ran)
	}
	for _, body := range []string{"", "{}", `{"advance":"-1s"}`, `{"advance":"soon"}`, `{"advance":30}`, "[", strings.Repeat("x", 5000)} {
		wantStatus(t, on, fmt.Sprintf("POST /_test/clock HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", len(body), body), 400, "advance")
	}
}
