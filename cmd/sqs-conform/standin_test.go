package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// account is the one that the stand-in's credentials belong to.
const account = "000000000000"

// amazon stands in for it: the gateway behind three endpoints that say whose the
// credentials are, count what they are asked, and bill what Amazon bills. As
// there, SQS and SNS are strangers to each other, SNS speaks Query alone, and
// what was begun is done even when nobody waits for it any more.
type amazon struct {
	gateway target.Target
	keys    client.Credentials
	to      reach
	proxy   http.Handler

	mu     sync.Mutex
	asked  int // of SQS and SNS
	whose  int
	billed int64
	sns    int
	made   []string // names that were asked to be created
	calls  []string // actions in the order they came
	late   []*http.Request

	// onCall is told of each call and its number, from 1, before it is carried
	// out, and answers whether it has interrupted the run.
	onCall func(n int, action string) bool
	// trouble says what befalls a call: nothing, "lost" for an answer that never
	// arrives, or "refused" or "unavailable" for one that was not carried out.
	trouble func(action string) string
}

// inFront is a gateway and a proxy in front of it.
func inFront(t *testing.T) (target.Target, *httputil.ReverseProxy) {
	t.Helper()
	source, err := target.InProcess("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	})
	shared, err := source.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	behind, err := url.Parse(shared.Config().Endpoints[0])
	if err != nil {
		t.Fatal(err)
	}
	return shared, &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(behind)
		p.Out.Host = p.In.Host // the signature covers it
	}}
}

func standIn(t *testing.T, account string) *amazon {
	t.Helper()
	gateway, proxy := inFront(t)
	a := &amazon{gateway: gateway, keys: gateway.Config().Credentials, proxy: proxy}
	serve := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	a.to.sqs = serve(func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, client.SQS) })
	a.to.sns = serve(func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, client.SNS) })
	a.to.sts = serve(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.whose++
		a.mu.Unlock()
		if !strings.Contains(r.Header.Get("Authorization"), "/sts/aws4_request") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		fmt.Fprintf(w, "<GetCallerIdentityResponse><GetCallerIdentityResult><Account>%s</Account></GetCallerIdentityResult></GetCallerIdentityResponse>", account)
	})
	return a
}

// signed are the flags with the stand-in's credentials.
func (a *amazon) signed() []string {
	return []string{"--akid", a.keys.AccessKeyID, "--secret", a.keys.Secret}
}

var (
	actionOf = regexp.MustCompile(`(?:^|&)Action=(\w+)`)
	named    = regexp.MustCompile(`(?:"QueueName":"|"Name":"|(?:^|&)QueueName=|(?:^|&)Name=)([\w.-]+)`)
)

func (a *amazon) serve(w http.ResponseWriter, r *http.Request, service string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	form := string(body) + "&" + r.URL.RawQuery
	_, action, overJSON := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if m := actionOf.FindStringSubmatch(form); m != nil {
		action = m[1]
	}
	a.mu.Lock()
	a.asked++
	a.billed += units(len(body))
	a.calls = append(a.calls, action)
	if service == client.SNS {
		a.sns++
	}
	if m := named.FindStringSubmatch(form); m != nil && (action == "CreateQueue" || action == "CreateTopic") {
		a.made = append(a.made, m[1])
	}
	n, onCall, trouble := a.asked, a.onCall, ""
	if a.trouble != nil {
		trouble = a.trouble(action)
	}
	a.mu.Unlock()
	if onCall != nil && onCall(n, action) && a.cut(r, body) {
		return
	}

	answer := httptest.NewRecorder()
	scope := r.Header.Get("Authorization") + r.URL.RawQuery
	switch other := map[string]string{client.SQS: "sns", client.SNS: "sqs"}[service]; {
	case strings.Contains(scope, "/"+other+"/aws4_request"), strings.Contains(scope, "%2F"+other+"%2Faws4_request"), overJSON && service == client.SNS:
		answer.WriteHeader(http.StatusNotFound)
	case trouble == "refused":
		answer.WriteHeader(http.StatusForbidden)
		fmt.Fprint(answer, "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>")
	case trouble == "unavailable":
		answer.WriteHeader(http.StatusServiceUnavailable)
	default:
		a.proxy.ServeHTTP(answer, r.WithContext(context.WithoutCancel(r.Context())))
	}
	a.mu.Lock()
	a.billed += max(0, units(answer.Body.Len())-units(len(body)))
	a.mu.Unlock()
	if trouble == "lost" {
		panic(http.ErrAbortHandler) // closes the connection
	}
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// units are what a request or an answer of that many bytes is billed as.
func units(size int) int64 { return max(1, (int64(size)+65535)/65536) }

// cut reports whether the interrupt makes the client leave in the middle of the
// call. Such a call is kept: it may well be carried out late.
func (a *amazon) cut(r *http.Request, body []byte) bool {
	select {
	case <-r.Context().Done():
	case <-time.After(200 * time.Millisecond): // it stays to hear the answer
		return false
	}
	late := r.Clone(context.WithoutCancel(r.Context()))
	late.Body = io.NopCloser(bytes.NewReader(body))
	a.mu.Lock()
	a.late = append(a.late, late)
	a.mu.Unlock()
	return true
}

// left are the queues and topics that the gateway behind still has, once the
// calls that were cut have been carried out.
func (a *amazon) left(t *testing.T) []string {
	t.Helper()
	a.mu.Lock()
	for _, r := range a.late {
		a.proxy.ServeHTTP(httptest.NewRecorder(), r)
	}
	a.late = nil
	a.mu.Unlock()
	c := client.New(client.JSON, a.gateway.Config(), &client.Recorder{})
	queues, err := c.Call(context.Background(), client.SQS, "ListQueues", client.Params{})
	if err != nil {
		t.Fatal(err)
	}
	topics, err := c.Call(context.Background(), client.SNS, "ListTopics", client.Params{})
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, list := range []any{queues["QueueUrls"], topics["Topics"]} {
		items, _ := list.([]any)
		for _, item := range items {
			left = append(left, fmt.Sprint(item))
		}
	}
	return left
}
