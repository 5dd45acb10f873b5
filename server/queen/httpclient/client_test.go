package httpclient

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// answer is what a stand-in for the broker says to one request.
type answer struct {
	status int
	header map[string]string
	body   string
}

// recorder is a server that keeps what it was asked and says what it was told.
type recorder struct {
	*httptest.Server

	mu      sync.Mutex
	asked   []asked
	answers []answer
}

type asked struct {
	line   string // method and request target, byte for byte
	body   string
	header http.Header
}

func newRecorder(t *testing.T, answers ...answer) *recorder {
	t.Helper()
	r := &recorder{answers: answers}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		r.asked = append(r.asked, asked{req.Method + " " + req.RequestURI, string(body), req.Header})
		a := answer{status: 500, body: `{"error":"not expected"}`}
		if len(r.answers) > 0 {
			a, r.answers = r.answers[0], r.answers[1:]
		}
		r.mu.Unlock()
		for k, v := range a.header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(a.status)
		io.WriteString(w, a.body)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *recorder) requests() []asked {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]asked(nil), r.asked...)
}

// newClient is a client that takes the broker for one that does not pretend, so
// that an empty pop is one request.
func newClient(t *testing.T, url string) *Client {
	t.Helper()
	c, err := New(Config{URL: url, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func trusting(c *Client) *Client {
	c.broker.known.Store(&verdict{caps: queen.Capabilities{Engine: "test"}, certain: true})
	return c
}

func TestNewRefuses(t *testing.T) {
	for url, want := range map[string]string{
		"":                         "http://",
		"broker:6632":              "http://",
		"ftp://broker":             "ftp",
		"http://":                  "no host",
		"http://:6632":             "no host",
		"http://u:p@broker":        "credentials",
		"http://broker/?a=b":       "query",
		"http://broker/#x":         "fragment",
		"http://bro ker":           "cannot be read",
		"http://broker:notaport/x": "cannot be read",
	} {
		_, err := New(Config{URL: url})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", url, err, want)
		}
	}
	if _, err := New(Config{URL: "http://broker", MaxConns: -1}); err == nil {
		t.Error("a negative limit was taken")
	}
}

func TestBaseURL(t *testing.T) {
	for in, want := range map[string]string{
		"http://broker:6632":          "http://broker:6632",
		"https://broker//":            "https://broker",
		"http://[::1]:6632/":          "http://[::1]:6632",
		"http://front/tenant%2Fa/q//": "http://front/tenant%2Fa/q",
	} {
		if got, err := baseURL(in); err != nil || got != want {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
	}
}
