package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/divergences/questions"
	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// amazon stands in for it: the gateway behind three endpoints that say whose the
// credentials are, count what they are asked, and bill what Amazon bills.
type amazon struct {
	source target.Source
	keys   client.Credentials
	to     reach

	mu     sync.Mutex
	asked  int // of SQS and SNS
	whose  int
	billed int64
	sns    int
	onCall func(n int)
}

func standIn(t *testing.T, account string) *amazon {
	t.Helper()
	source, err := target.InProcess("")
	if err != nil {
		t.Fatal(err)
	}
	shared, err := source.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	behind, err := url.Parse(shared.Config().Endpoints[0])
	if err != nil {
		t.Fatal(err)
	}
	a := &amazon{source: source, keys: shared.Config().Credentials}
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(behind)
		p.Out.Host = p.In.Host // the signature covers it
	}}
	serve := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	bill := func(w http.ResponseWriter, r *http.Request, sns bool) {
		a.mu.Lock()
		a.asked++
		a.billed += max(1, (r.ContentLength+65535)/65536)
		if sns {
			a.sns++
		}
		n, told := a.asked, a.onCall
		a.mu.Unlock()
		if told != nil {
			told(n)
		}
		proxy.ServeHTTP(w, r)
	}
	a.to.sqs = serve(func(w http.ResponseWriter, r *http.Request) { bill(w, r, false) })
	a.to.sns = serve(func(w http.ResponseWriter, r *http.Request) { bill(w, r, true) })
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
	t.Cleanup(func() {
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func (a *amazon) settle(ctx context.Context, args ...string) (out, said string, err error) {
	var o, s bytes.Buffer
	args = append([]string{"--akid", a.keys.AccessKeyID, "--secret", a.keys.Secret}, args...)
	err = settleWith(ctx, args, a.to, &o, &s)
	return o.String(), s.String(), err
}

// left are the queues and topics that the gateway behind still has.
func (a *amazon) left(t *testing.T) []string {
	t.Helper()
	shared, err := a.source.Shared(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	c := client.New(client.JSON, shared.Config(), &client.Recorder{})
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

const account = "000000000000"

// quick are questions that wait for nothing.
const quick = "sqs_fifo_queue_again_without_fifoqueue,sns_fifo_queue_on_standard_topic,sqs_create_queue_again_with_other_tags,sqs_sequence_numbers_across_groups"

func TestAmazonIsNotAskedUnlessToldSo(t *testing.T) {
	for why, args := range map[string][]string{
		"--aws and --account":  {"--endpoint", "https://sqs.us-east-1.amazonaws.com"},
		"--account":            {"--aws"},
		"12 digits":            {"--aws", "--account", "mine"},
		"another account":      {"--aws", "--account", "111111111111"},
		"exclude each other":   {"--aws", "--account", account, "--endpoint", "http://127.0.0.1:1"},
		"limit of billed":      {"--aws", "--account", account, "--limit", "0"},
		"there is no question": {"--aws", "--account", account, "--questions", "nonsense"},
		"begins with http":     {"--endpoint", "sqs.example"},
		"ask it with --aws":    {"--endpoint", "https://AMAZONAWS.com:443/x"},
	} {
		a := standIn(t, account)
		_, _, err := a.settle(t.Context(), args...)
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(why)) {
			t.Errorf("%v: %v", args, err)
		}
		if a.asked != 0 {
			t.Errorf("%v: %d requests were sent", args, a.asked)
		}
		if left := a.left(t); len(left) > 0 {
			t.Errorf("%v: created %v", args, left)
		}
	}
}

func TestTheWholePathToAmazon(t *testing.T) {
	a := standIn(t, account)
	file := filepath.Join(t.TempDir(), "evidence.json")
	out, said, err := a.settle(t.Context(), "--aws", "--account", account, "--questions", quick, "--evidence", file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"This asks Amazon, in the account " + account, "at most 6 queues and 1 topics", "4 questions", "at most $0.0010"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q first: %s", want, said)
		}
	}
	if !strings.Contains(out, "4 as the gateway, 0 otherwise, 0 without an answer") {
		t.Errorf("it says %s", out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found divergences.Answers
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	if !found.Amazon || found.Requests != int64(a.asked) || a.whose != 1 || a.sns == 0 || len(found.Answers) != 4 {
		t.Errorf("%d requests in the evidence, %d were sent, %d of them to SNS: %s", found.Requests, a.asked, a.sns, text)
	}
	if want := float64(a.billed) * target.UnitPrice; found.Dollars != want {
		t.Errorf("the evidence says $%v, the bill $%v", found.Dollars, want)
	}
	for _, secret := range []string{account, a.keys.AccessKeyID, a.keys.Secret, "127.0.0.1", "settle0"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the evidence holds %q: %s", secret, text)
		}
	}
	if left := a.left(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTheLimitIsKeptAndNothingIsLeft(t *testing.T) {
	a := standIn(t, account)
	out, _, err := a.settle(t.Context(), "--aws", "--account", account, "--questions", quick, "--limit", "3")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "limit of billed requests") {
		t.Errorf("it says %s", out)
	}
	if left := a.left(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// An interrupt in the middle of every call leaves nothing behind.
func TestAnInterruptLeavesNothing(t *testing.T) {
	for at := 1; at <= 6; at++ {
		a := standIn(t, account)
		ctx, cancel := context.WithCancel(t.Context())
		a.onCall = func(n int) {
			if n == at {
				cancel()
			}
		}
		out, _, err := a.settle(ctx, "--aws", "--account", account, "--questions", quick)
		if err != nil || !strings.Contains(out, "not asked") {
			t.Errorf("%v: %s", err, out)
		}
		if left := a.left(t); len(left) > 0 {
			t.Errorf("an interrupt at call %d leaves %v", at, left)
		}
		cancel()
	}
}

// The gateway answers every question as the questions say it does.
func TestTheGatewayAnswersAsTheQuestionsSay(t *testing.T) {
	var out, said bytes.Buffer
	if err := settleWith(t.Context(), []string{"--max-wait", "0"}, reach{}, &out, &said); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d as the gateway, 0 otherwise, 0 without an answer", len(questions.All())); !strings.Contains(out.String(), want) {
		t.Error(out.String())
	}
}
