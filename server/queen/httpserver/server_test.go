package httpserver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
	"github.com/queen-mq/queen-sqs/server/queen/httpserver"
)

// rig is a server with a clock that moves.
type rig struct {
	t     *testing.T
	url   string
	clk   *clock.Shifted
	token string
}

func newRig(t *testing.T, tokens ...string) *rig {
	t.Helper()
	r := &rig{t: t, clk: clock.NewShifted()}
	cfg := httpserver.Config{Clock: r.clk, Advance: r.clk.Advance}
	for _, entry := range tokens {
		token, role, _ := strings.Cut(entry, ":")
		if err := cfg.Tokens.Add(token, role); err != nil {
			t.Fatal(err)
		}
	}
	r.url = serve(t, embedded.Config{Clock: r.clk, KeepConsumed: true}, cfg)
	return r
}

func (r *rig) call(method, path, body string) (*http.Response, string) {
	r.t.Helper()
	var from io.Reader
	if body != "" {
		from = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, r.url+path, from)
	if err != nil {
		r.t.Fatal(err)
	}
	if r.token != "" {
		req.Header.Set("Authorization", r.token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp, string(got)
}

// want asks and checks the status; it answers the body.
func (r *rig) want(status int, method, path, body string) string {
	r.t.Helper()
	resp, got := r.call(method, path, body)
	if resp.StatusCode != status {
		r.t.Fatalf("%s %s %s: status %d, want %d: %s", method, path, body, resp.StatusCode, status, got)
	}
	return got
}

func (r *rig) decode(text string, into any) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		r.t.Fatalf("%s: %v", text, err)
	}
}

type popped struct {
	Queue       string
	LeaseID     string
	PartitionID string
	Messages    []struct {
		ID, TransactionID, Partition, PartitionID, LeaseID, ConsumerGroup string
		Data                                                              json.RawMessage
		Offset                                                            int64
		DeliveryAttempt                                                   int
	}
}

func (r *rig) pop(path string) (p popped) {
	r.t.Helper()
	resp, got := r.call("GET", path, "")
	switch resp.StatusCode {
	case 204:
	case 200:
		r.decode(got, &p)
	default:
		r.t.Fatalf("%s: %d %s", path, resp.StatusCode, got)
	}
	return p
}

func (p popped) data() string {
	var all []string
	for _, m := range p.Messages {
		all = append(all, string(m.Data))
	}
	return strings.Join(all, " ")
}

func TestRoutes(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/api/v1/nope", 404, ""},
		{"POST", "/nope", 404, ""},
		{"GET", "/", 404, ""},
		{"GET", "/api/v1/push", 405, "POST"},
		{"OPTIONS", "/api/v1/push", 405, "POST"},
		{"PUT", "/api/v1/ack", 405, "POST"},
		{"POST", "/api/v1/resources/queues/q", 405, "GET,HEAD,DELETE"},
		{"GET", "/api/v1/pop/queue/", 404, ""},
		{"GET", "/api/v1/pop/queue/q/partition/", 404, ""},
		{"GET", "/api/v1/resources/queues/q/", 404, ""},
		{"GET", "/api/v1/timers/q/", 404, ""},
		{"GET", "/api/v1/timers/q/a/b/c", 200, ""},
		{"GET", "/api/v1/%70ush", 404, ""},
		{"HEAD", "/api/v1/resources/queues", 200, ""},
		{"GET", "/api/v1/pop/queue/%ff?wait=false", 400, ""},
		{"POST", "/_test/clock", 400, ""},
	} {
		resp, got := r.call(c.method, c.path, "")
		if resp.StatusCode != c.status || resp.Header.Get("Allow") != c.allow {
			t.Errorf("%s %s: %d, Allow %q, want %d, %q", c.method, c.path, resp.StatusCode, resp.Header.Get("Allow"), c.status, c.allow)
		}
		if c.status == 404 && got != `{"error":"Not Found","code":"no_such_route"}` {
			t.Errorf("%s %s: %s", c.method, c.path, got)
		}
		if (c.status == 405 || c.method == "HEAD") && got != "" {
			t.Errorf("%s %s has a body: %s", c.method, c.path, got)
		}
	}
}

func TestQueryRefusals(t *testing.T) {
	r := newRig(t)
	for query, want := range map[string]string{
		"batch=x":                  "invalid digit found in string",
		"batch=":                   "cannot parse integer from empty string",
		"batch=1&batch=2":          "duplicate field `batch`",
		"leaseSeconds=99999999999": "number too large to fit in target type",
		"batch=-99999999999":       "number too small to fit in target type",
		"timeout=-1":               "invalid digit found in string",
		"wait=1":                   "provided string was not `true` or `false`",
		"autoAck=TRUE":             "provided string was not `true` or `false`",
	} {
		resp, got := r.call("GET", "/api/v1/pop/queue/q?"+query, "")
		if resp.StatusCode != 400 || resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" ||
			got != "Failed to deserialize query string: "+want {
			t.Errorf("%s: %d %s %q", query, resp.StatusCode, resp.Header.Get("Content-Type"), got)
		}
	}
}

func TestBodyLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("64 MiB are sent twice")
	}
	r := newRig(t)
	blank := bytes.Repeat([]byte(" "), httpserver.MaxBody)
	for _, declared := range []bool{true, false} {
		for extra, want := range []int{400, 413} {
			var body io.Reader = bytes.NewReader(append(blank, make([]byte, extra)...))
			if !declared {
				body = struct{ io.Reader }{body}
			}
			resp, err := http.Post(r.url+"/api/v1/push", "application/json", body)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("declared %v, %d more: %d %s", declared, extra, resp.StatusCode, got)
			}
			if want == 413 && resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Errorf("a 413 of type %s", resp.Header.Get("Content-Type"))
			}
		}
	}
}

func TestRoles(t *testing.T) {
	r := newRig(t, "ro:read-only", "wo:write-only", "rw:read-write", "ad:admin")
	routes := map[string][]string{ // what each route needs, by the tokens that may
		"GET /api/v1/resources/queues":                    {"ro", "rw", "ad"},
		"GET /api/v1/resources/queues/q/depth":            {"ro", "rw", "ad"},
		"GET /api/v1/timers/q":                            {"ro", "rw", "ad"},
		"GET /api/v1/messages?queue=q":                    {"ro", "rw", "ad"},
		"GET /api/v1/kv/ns/key":                           {"ro", "rw", "ad"},
		"GET /status":                                     {"ro", "rw", "ad"},
		"POST /api/v1/push":                               {"wo", "rw", "ad"},
		"POST /api/v1/timers":                             {"wo", "rw", "ad"},
		"GET /api/v1/pop/queue/q":                         {"rw", "ad"},
		"POST /api/v1/ack":                                {"rw", "ad"},
		"POST /api/v1/lease/x/extend":                     {"rw", "ad"},
		"POST /api/v1/kv":                                 {"rw", "ad"},
		"POST /api/v1/transaction":                        {"rw", "ad"},
		"POST /api/v1/configure":                          {"rw", "ad"},
		"DELETE /api/v1/timers/q/k":                       {"rw", "ad"},
		"DELETE /api/v1/resources/queues/q":               {"ad"},
		"DELETE /api/v1/consumer-groups/g":                {"ad"},
		"POST /api/v1/consumer-groups/g/queues/none/seek": {"rw", "ad"},
		"GET /health":                                     {"ro", "wo", "rw", "ad", "", "who"},
	}
	for route, may := range routes {
		method, path, _ := strings.Cut(route, " ")
		for _, token := range []string{"ro", "wo", "rw", "ad", "", "who"} {
			r.token = token
			if token != "" {
				r.token = "bEaReR " + token
			}
			resp, got := r.call(method, path, "")
			passed := resp.StatusCode != 401 && resp.StatusCode != 403
			if want := strings.Contains(" "+strings.Join(may, " ")+" ", " "+token+" "); passed != want {
				t.Errorf("%s with token %q: %d %s", route, token, resp.StatusCode, got)
			}
			want := ""
			switch {
			case passed:
			case token == "":
				want = `401 {"error":"Authentication required"}`
			case token == "who":
				want = `401 {"error":"Invalid token signature"}`
			default:
				want = `403 {"error":"Insufficient permissions"}`
			}
			if refusal := fmt.Sprintf("%d %s", resp.StatusCode, got); want != "" && refusal != want {
				t.Errorf("%s with token %q: %s, want %s", route, token, refusal, want)
			}
		}
	}
	r.token = "ad" // a bare token is one too
	r.want(404, "GET", "/api/v1/nope", "")
	r.token = ""
	r.want(401, "GET", "/api/v1/nope", "")
}

func TestNamesInPaths(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"sp ace", "sl/ash", "per%cent", "per%2Fcent", "plus+plus", "ünï-日本", `quo"te`, "dot.", "a..b",
		"q?x=1#f", "semi;colon", "amp&eq=", `back\slash`, "..", "~tilde", "col:on", "*star"} {
		queue, lane := "q "+name, name
		text, _ := json.Marshal(map[string]any{"items": []any{map[string]any{"queue": queue, "partition": lane, "payload": 1}}})
		r.want(201, "POST", "/api/v1/push", string(text))
		q, l := escape(queue), escape(lane)
		r.want(200, "GET", "/api/v1/resources/queues/"+q+"/depth?group=__QUEUE_MODE__", "")
		p := r.pop("/api/v1/pop/queue/" + q + "/partition/" + l + "?batch=1&wait=false")
		if p.Queue != queue || len(p.Messages) != 1 || p.Messages[0].Partition != lane {
			t.Errorf("%q: pinned pop: %+v", name, p)
		}
		timer, _ := json.Marshal([]any{map[string]any{"op": "schedule", "queue": queue, "timerKey": lane, "txn": "t", "delayMs": 60000, "payload": "MQ=="}})
		r.want(200, "POST", "/api/v1/timers", string(timer))
		if got := r.want(200, "GET", "/api/v1/timers/"+q+"/"+l, ""); !strings.Contains(got, `"found":true`) {
			t.Errorf("%q: peek: %s", name, got)
		}
		if got := r.want(200, "DELETE", "/api/v1/timers/"+q+"/"+l, ""); !strings.Contains(got, `"cancelled"`) {
			t.Errorf("%q: cancel: %s", name, got)
		}
		if got := r.want(200, "DELETE", "/api/v1/resources/queues/"+q, ""); !strings.Contains(got, `"existed":true`) {
			t.Errorf("%q: delete: %s", name, got)
		}
	}
}

func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

var spellings = []string{`{"b":1,"a":2}`, `{"a":1,"a":2}`, `1.0`, `1e3`, `-0`, `0.1000`, `123456789012345678901234567890`, `"\u00e9"`,
	`"\u0041\/\n"`, `{ "a" : [ 1 , 2 ] }`, `"<&>"`, `"\ud800"`, `"a\u0000b"`, `null`, `""`, `"日本"`, `[[[[]]]]`, `{"":{"\"":"\\"}}`}

func TestPayloadBytes(t *testing.T) {
	r := newRig(t)
	for i, want := range spellings {
		for way, send := range map[string][2]string{
			"push":        {"/api/v1/push", `{"items":[{"queue":"q","partition":"%d","payload":%s}]}`},
			"spaced push": {"/api/v1/push", "{\"items\" :\t[ {\"queue\":\"q\", \"partition\":\"%d\",\n \"payload\" : %s\r\n } ] }"},
			"transaction": {"/api/v1/transaction", `{"operations":[{"type":"push","items":[{"queue":"q","partition":"%d","payload":%s}]}]}`},
		} {
			_, got := r.call("POST", send[0], fmt.Sprintf(send[1], i, want))
			p := r.pop(fmt.Sprintf("/api/v1/pop/queue/q/partition/%d?autoAck=true&wait=false", i))
			if p.data() != want {
				t.Errorf("%s of %s came back as %s (%s)", way, want, p.data(), got)
			}
		}
		got := r.want(200, "POST", "/api/v1/kv", fmt.Sprintf(`[{"op":"put","ns":"n","key":"k%d","value":%s,"forever":true},{"op":"get","ns":"n","key":"k%d"}]`, i, want, i))
		if !strings.Contains(got, `"value":`+want+`,`) {
			t.Errorf("value %s came back as %s", want, got)
		}
	}
}

func TestNullAbsentAndEmpty(t *testing.T) {
	r := newRig(t)
	type result struct {
		MessageID     string `json:"message_id"`
		TransactionID string `json:"transaction_id"`
	}
	var results []result
	r.decode(r.want(201, "POST", "/api/v1/push", `{"items":[{"queue":"q","payload":1},{"queue":"q","payload":2,"partition":null,"transactionId":null},
		{"queue":"q","payload":3,"transactionId":"","unknown":{"x":[1]}},{"queue":"q","payload":4,"transactionId":"t"}],"more":1}`), &results)
	for i, own := range []bool{true, true, false, false} {
		if (results[i].TransactionID == results[i].MessageID) != own {
			t.Errorf("item %d: %+v", i, results[i])
		}
	}
	if results[2].TransactionID != "" || results[3].TransactionID != "t" {
		t.Errorf("%+v", results)
	}
	if p := r.pop("/api/v1/pop/queue/q/partition/Default?wait=false"); p.data() != "1 2 3 4" {
		t.Errorf("popped %s", p.data())
	}
	for _, body := range []string{
		`{"items":[{"queue":"q","payload":1,"queue":"r"}]}`, `{"Items":[]}`, `{"items":[{"Queue":"q","payload":1}]}`,
		`{"items":[{"queue":"q\ud800","payload":1}]}`, "{\"items\":[{\"queue\":\"q\xff\",\"payload\":1}]}",
		`{"items":[{"queue":"q","payload":1}]`, `{"items":[{"queue":"q","payload":01}]}`, `{"items":[{"queue":"q\u001f","payload":1}]}`,
		`{"items":[7]}`, `{"items":[{"queue":null,"payload":1}]}`, `{"items":[{"queue":"q","payload":1,}]}`,
	} {
		if got := r.want(400, "POST", "/api/v1/push", body); !strings.HasPrefix(got, `{"error":"bad body: `) {
			t.Errorf("%s: %s", body, got)
		}
	}
	if p := r.pop("/api/v1/pop/queue/q?wait=false"); len(p.Messages) != 0 {
		t.Errorf("a refused push stored %s", p.data())
	}
}

func TestHangUpEndsLongPoll(t *testing.T) {
	r := newRig(t)
	r.want(200, "POST", "/api/v1/configure", `{"queue":"q"}`)
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /api/v1/pop/queue/q?wait=true&timeout=600000 HTTP/1.1\r\nHost: q\r\n\r\n")
	conn.Close()
	// Whether the server has noticed does not show from outside: what the dead poll
	// may have claimed is given back when it does.
	r.want(201, "POST", "/api/v1/push", `{"items":[{"queue":"q","payload":1}]}`)
	p := r.pop("/api/v1/pop/queue/q?wait=true&timeout=20000")
	if len(p.Messages) != 1 || p.Messages[0].DeliveryAttempt != 1 {
		t.Errorf("popped %+v", p)
	}
}

func TestLongPollIsWokenAndEnds(t *testing.T) {
	r := newRig(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	ask := func() *http.Response {
		fmt.Fprintf(conn, "GET /api/v1/pop/queue/q?wait=true&timeout=30000&autoAck=true HTTP/1.1\r\nHost: q\r\n\r\n")
		answers := make(chan *http.Response, 1)
		go func() {
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Error(err)
				resp = nil
			}
			answers <- resp
		}()
		for {
			select {
			case resp := <-answers:
				return resp
			case <-time.After(10 * time.Millisecond):
				r.clk.Advance(10 * time.Second)
			}
		}
	}
	resp := ask()
	if resp == nil || resp.StatusCode != 204 || resp.ContentLength > 0 || resp.Header.Get("Content-Length") != "" || resp.Header.Get("Content-Type") != "" {
		t.Fatalf("an empty poll: %+v", resp)
	}
	r.want(201, "POST", "/api/v1/push", `{"items":[{"queue":"q","payload":1}]}`)
	if resp := ask(); resp == nil || resp.StatusCode != 200 {
		t.Fatalf("a poll with a message: %+v", resp)
	}
}
