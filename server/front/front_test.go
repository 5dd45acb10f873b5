package front

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/valyala/fasthttp"
	"go.uber.org/goleak"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/sampled"
	"github.com/queen-mq/queen-sqs/server/wire"
)

func TestMain(m *testing.M) {
	// fasthttp sleeps out its ten seconds of cleaning, and tells the time for ever.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"))
}

// running is a front on a socket, with actions of the test's own.
type running struct {
	*Front
	addr string
	log  *lines
}

// lines collects log lines.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func run(t *testing.T, cfg Config, handlers map[string]wire.Handler) *running {
	t.Helper()
	return runAt(t, cfg, clock.System(), handlers)
}

func runAt(t *testing.T, cfg Config, clk clock.Clock, handlers map[string]wire.Handler) *running {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := new(lines)
	cfg.Handlers, cfg.Clock = handlers, clk
	cfg.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	f := New(cfg)
	served := make(chan error, 1)
	go func() { served <- f.Serve(ln) }()
	t.Cleanup(func() {
		f.Shutdown(context.Background())
		if err := <-served; err != nil {
			t.Error("Serve:", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return &running{Front: f, addr: ln.Addr().String(), log: log}
}

// dial opens a connection that ends with the test.
func (r *running) dial(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return c, bufio.NewReader(c)
}

type response struct {
	*http.Response
	body string
}

// read reads one response, with what must be true of each.
func read(t *testing.T, r *bufio.Reader) response {
	t.Helper()
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal("no response:", err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal("half a response:", err)
	}
	id, err := uuid.Parse(resp.Header.Get("x-amzn-RequestId"))
	if err != nil || id.Version() != 4 {
		t.Errorf("request id %q is no UUIDv4", resp.Header.Get("x-amzn-RequestId"))
	}
	if resp.Header.Get("X-Amzn-Errortype") != "" {
		t.Error("the response has the header X-Amzn-Errortype")
	}
	if resp.Header.Get("Content-Type") == "text/xml" {
		var doc struct {
			RequestID string `xml:"RequestId"`
			Metadata  struct {
				RequestID string `xml:"RequestId"`
			} `xml:"ResponseMetadata"`
		}
		if err := xml.Unmarshal(body, &doc); err != nil {
			t.Errorf("no XML: %v\n%s", err, body)
		}
		if got := doc.RequestID + doc.Metadata.RequestID; got != resp.Header.Get("x-amzn-RequestId") {
			t.Errorf("request id %q in the document, %q in the header", got, resp.Header.Get("x-amzn-RequestId"))
		}
	}
	return response{resp, string(body)}
}

// exchange sends bytes on a connection of its own and reads one response.
func (r *running) exchange(t *testing.T, request string) response {
	t.Helper()
	c, br := r.dial(t)
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	return read(t, br)
}

// jsonCall and queryCall are whole requests.
func jsonCall(action, body string) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: gateway\r\nX-Amz-Target: AmazonSQS.%s\r\nContent-Length: %d\r\n\r\n%s", action, len(body), body)
}

func queryCall(form string) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", len(form), form)
}

func (a response) want(t *testing.T, status int, contains ...string) {
	t.Helper()
	if a.StatusCode != status {
		t.Errorf("status %d, want %d", a.StatusCode, status)
	}
	for _, s := range contains {
		if !strings.Contains(a.body, s) {
			t.Errorf("the response does not contain %q", s)
		}
	}
	if t.Failed() {
		t.Logf("%v\n%s", a.Header, a.body)
	}
}

// listQueues returns with what the handler was told.
func listQueues(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	return wire.NewObject(wire.Member{Name: "NextToken", Value: wire.String(req.BaseURL + " " + req.Path + " " + req.Params.Get("QueueNamePrefix").Text())}), nil
}

var stubs = map[string]wire.Handler{
	"ListQueues": listQueues,
	"DeleteQueue": func(context.Context, *wire.Request) (*wire.Object, error) {
		return nil, nil
	},
	"PurgeQueue": func(context.Context, *wire.Request) (*wire.Object, error) {
		return nil, &fault.Error{Kind: fault.RequestThrottled, RetryAfter: 1200 * time.Millisecond}
	},
	"GetQueueUrl": func(context.Context, *wire.Request) (*wire.Object, error) { panic("on purpose") },
	"TagQueue":    func(context.Context, *wire.Request) (*wire.Object, error) { return nil, errors.New("the cause") },
}

func TestBothProtocolsOnOneConnection(t *testing.T) {
	r := run(t, Config{}, stubs)
	c, br := r.dial(t)
	io.WriteString(c, jsonCall("ListQueues", `{"QueueNamePrefix":"a"}`))
	a := read(t, br)
	a.want(t, 200)
	if a.body != `{"NextToken":"http://gateway / a"}` || a.Header.Get("Content-Type") != "application/x-amz-json-1.0" {
		t.Errorf("%v %s", a.Header, a.body)
	}
	io.WriteString(c, queryCall("Action=ListQueues&QueueNamePrefix=b"))
	a = read(t, br)
	a.want(t, 200, "<ListQueuesResponse", "<NextToken>http://gateway / b</NextToken>")
	if a.Header.Get("Content-Type") != "text/xml" {
		t.Error(a.Header)
	}
	io.WriteString(c, jsonCall("DeleteQueue", ""))
	read(t, br).want(t, 200, "{}")
}

func TestErrorsAreRenderedInTheProtocolOfTheRequest(t *testing.T) {
	r := run(t, Config{}, stubs)

	a := r.exchange(t, jsonCall("PurgeQueue", "{}"))
	a.want(t, 403, `"__type":"com.amazonaws.sqs#RequestThrottled"`)
	if a.Header.Get("retry-after") != "2" || a.Header.Get("x-amzn-query-error") != "RequestThrottled;Sender" {
		t.Error(a.Header)
	}
	a = r.exchange(t, queryCall("Action=PurgeQueue"))
	a.want(t, 403, "<Code>RequestThrottled</Code>")
	if a.Header.Get("retry-after") != "2" {
		t.Error(a.Header)
	}

	a = r.exchange(t, jsonCall("TagQueue", "{}"))
	a.want(t, 500, "InternalFailure")
	if strings.Contains(a.body, "the cause") {
		t.Error("the cause reached the client")
	}
	if !strings.Contains(r.log.String(), "the cause") {
		t.Error("the cause did not reach the log")
	}

	for _, action := range []string{"listqueues", "Nonsense", "", "Publish"} {
		a := r.exchange(t, jsonCall(action, "{}"))
		a.want(t, 400, "InvalidAction")
		if action != "" && strings.Contains(a.body, action) {
			t.Error("the action was echoed")
		}
	}
	a = r.exchange(t, queryCall("Action=listqueues"))
	a.want(t, 400, "<Code>InvalidAction</Code>")
	if strings.Contains(a.body, "listqueues") {
		t.Error("the action was echoed")
	}
	r.exchange(t, jsonCall("ListQueues", "[")).want(t, 400, "InvalidParameterValue")
}

func TestPanicsBecomeInternalFailure(t *testing.T) {
	r := run(t, Config{}, stubs)
	c, br := r.dial(t)
	for range 2 {
		io.WriteString(c, jsonCall("GetQueueUrl", "{}"))
		read(t, br).want(t, 500, "InternalFailure")
	}
	if log := r.log.String(); !strings.Contains(log, "on purpose") || !strings.Contains(log, "front_test.go") {
		t.Errorf("the log has no stack:\n%s", log)
	}
}

func TestLogLinesOfAKindAreCounted(t *testing.T) {
	clk := clock.NewShifted()
	r := runAt(t, Config{}, clk, stubs)
	for range 5 {
		r.exchange(t, jsonCall("TagQueue", "{}")).want(t, 500)
	}
	clk.Advance(sampled.Every)
	r.exchange(t, jsonCall("TagQueue", "{}")).want(t, 500)
	log := r.log.String()
	if n := strings.Count(log, "code=InternalFailure"); n != 2 || !strings.Contains(log, "suppressed=4") || !strings.Contains(log, "level=WARN") {
		t.Errorf("%d lines:\n%s", n, log)
	}
	r.exchange(t, jsonCall("PurgeQueue", "{}")).want(t, 403)
	if !strings.Contains(r.log.String(), "level=DEBUG msg=\"request refused\" code=RequestThrottled") {
		t.Errorf("no line of the sender's fault:\n%s", r.log)
	}
}

func TestTheWayOfTheRequestIsFree(t *testing.T) {
	r := run(t, Config{}, stubs)
	form := "Action=ListQueues"
	for name, request := range map[string]string{
		"get":            "GET /?Action=ListQueues&QueueNamePrefix=p HTTP/1.1\r\nHost: h:1\r\n\r\n",
		"get with body":  "GET / HTTP/1.1\r\nHost: h:1\r\nContent-Length: 17\r\n\r\n" + form,
		"put":            "PUT / HTTP/1.1\r\nHost: h:1\r\nContent-Length: 17\r\n\r\n" + form,
		"http/1.0":       "POST / HTTP/1.0\r\nContent-Length: 17\r\n\r\n" + form,
		"absolute":       "POST http://h:1/ HTTP/1.1\r\nHost: h:1\r\nContent-Length: 17\r\n\r\n" + form,
		"chunked":        "POST / HTTP/1.1\r\nHost: h:1\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nAction\r\nb\r\n=ListQueues\r\n0\r\n\r\n",
		"header folding": "POST / HTTP/1.1\r\nHost: h:1\r\nX-Odd: a\r\n  b\r\nContent-Length: 17\r\n\r\n" + form,
		"lower case":     "POST / HTTP/1.1\r\nhost: h:1\r\ncontent-length: 17\r\n\r\n" + form,
	} {
		t.Run(name, func(t *testing.T) { r.exchange(t, request).want(t, 200, "<ListQueuesResponse") })
	}
	a := r.exchange(t, "POST / HTTP/1.0\r\nContent-Length: 17\r\n\r\n"+form)
	a.want(t, 200, "http://"+r.addr+" /")
	a = r.exchange(t, "POST http://elsewhere:9/x HTTP/1.0\r\nContent-Length: 17\r\n\r\n"+form)
	a.want(t, 200, "http://elsewhere:9 /x")
}

func TestHeadHasNoBody(t *testing.T) {
	page := Route{Method: http.MethodHead, Path: "/healthz", Handler: func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString("page") }}
	r := run(t, Config{Routes: []Route{page}}, stubs)
	c, br := r.dial(t)
	for _, target := range []string{"/healthz", "/?Action=ListQueues"} {
		io.WriteString(c, "HEAD "+target+" HTTP/1.1\r\nHost: x\r\n\r\n")
		resp, err := http.ReadResponse(br, &http.Request{Method: http.MethodHead})
		if err != nil || resp.StatusCode != 200 {
			t.Fatal(resp, err)
		}
	}
}

// Routes are what was named, and everything else is a request to a service.
func TestRoutes(t *testing.T) {
	page := func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString("page") }
	readBody := func(ctx *fasthttp.RequestCtx) {
		body, err := ReadBody(ctx, 10)
		fmt.Fprintf(ctx, "read %q, %v", body, err)
	}
	r := run(t, Config{Routes: []Route{
		{Method: http.MethodGet, Path: "/page", Handler: page},
		{Method: http.MethodGet, Path: "/account/queue", Handler: page, OnlyBare: true},
		{Method: http.MethodPost, Path: "/body", Handler: readBody},
	}}, stubs)
	for request, want := range map[string]string{
		"GET /page HTTP/1.1\r\nHost: h\r\n\r\n":                                                       "page",
		"GET /page?Action=ListQueues HTTP/1.1\r\nHost: h\r\n\r\n":                                     "page",
		"GET /page/ HTTP/1.1\r\nHost: h\r\n\r\n":                                                      "InvalidAction",
		"GET /Page?Action=ListQueues HTTP/1.1\r\nHost: h\r\n\r\n":                                     "ListQueuesResponse",
		"POST /page?Action=ListQueues HTTP/1.1\r\nHost: h\r\n\r\n":                                    "ListQueuesResponse",
		"GET /account/queue HTTP/1.1\r\nHost: h\r\n\r\n":                                              "page",
		"GET /account/queue?Action=TagQueue HTTP/1.1\r\nHost: h\r\n\r\n":                              "InternalFailure",
		"GET /account/queue HTTP/1.1\r\nHost: h\r\nX-Amz-Target: AmazonSQS.TagQueue\r\n\r\n":          "InternalFailure",
		"POST /body HTTP/1.1\r\nHost: h\r\n\r\n":                                                      `read "", <nil>`,
		"POST /body HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n0123456789":                      `read "0123456789", <nil>`,
		"POST /body HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 1e5): "too long",
	} {
		if a := r.exchange(t, request); !strings.Contains(a.body, want) {
			t.Errorf("%.60q gets %s, want %s", request, a.body, want)
		}
	}
}

func TestPipelinedRequests(t *testing.T) {
	r := run(t, Config{}, stubs)
	c, br := r.dial(t)
	var all strings.Builder
	for i := range 50 {
		all.WriteString(jsonCall("ListQueues", fmt.Sprintf(`{"QueueNamePrefix":"%d"}`, i)))
		all.WriteString(queryCall(fmt.Sprintf("Action=ListQueues&QueueNamePrefix=%d", i)))
	}
	go io.WriteString(c, all.String())
	for i := range 50 {
		read(t, br).want(t, 200, fmt.Sprintf(`http://gateway / %d"`, i))
		read(t, br).want(t, 200, fmt.Sprintf("http://gateway / %d<", i))
	}
}

func TestOddTargets(t *testing.T) {
	r := run(t, Config{}, stubs)
	for _, target := range []string{"/", "//", "///a//b", "/a/../b", "/%zz", "/%", "/a%2Fb", "/?", "/#x", "/a?b#c", "//h:x/y", "//a:b:c//d", "/a://b", "/\xff", "/" + strings.Repeat("a", 4000)} {
		a := r.exchange(t, "POST "+target+" HTTP/1.1\r\nHost: h\r\nContent-Length: 17\r\n\r\nAction=ListQueues")
		if a.StatusCode != 200 && a.StatusCode != 400 {
			t.Errorf("%q: %d %s", target, a.StatusCode, a.body)
		}
		if path, _, _ := strings.Cut(target, "?"); a.StatusCode == 200 && target != "/\xff" && !strings.Contains(a.body, " "+path+" ") {
			t.Errorf("%q: the path did not arrive as sent: %s", target, a.body)
		}
	}
	r.exchange(t, "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n").want(t, 400, "InvalidAction")
}

func TestWhatIsNoHTTPIsRefused(t *testing.T) {
	r := run(t, Config{}, stubs)
	for name, request := range map[string]string{
		"no http":             "hello\r\n\r\n",
		"no host":             "GET / HTTP/1.1\r\n\r\n",
		"two hosts":           "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"two lengths":         "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"bad length":          "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
		"unknown encoding":    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
		"bad chunk":           "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"bad header":          "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
		"header with control": "GET / HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n",
		"target with control": "GET /a\x01 HTTP/1.1\r\nHost: a\r\n\r\n",
		"headers too large":   "GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("a", 2*maxHeader) + "\r\n\r\n",
		"target too large":    "GET /" + strings.Repeat("a", 2*maxHeader) + " HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			a := r.exchange(t, request)
			a.want(t, 400, "<Code>InvalidParameterValue</Code>")
			if !a.Close {
				t.Error("the connection stays open")
			}
		})
	}
	r.exchange(t, jsonCall("ListQueues", "{}")).want(t, 200)
}
