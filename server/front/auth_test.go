package front

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/queen-mq/queen-sqs/server/sigv4"
	"github.com/queen-mq/queen-sqs/server/wire"
)

const (
	testKey    = "AKIDTEST"
	testSecret = "a-secret-that-is-never-logged"
)

var testCredentials = []sigv4.Credential{
	{AccessKeyID: testKey, Secret: testSecret},
	{AccessKeyID: "AKIDTOKEN", Secret: testSecret},
}

func testVerifier() *sigv4.Verifier { return sigv4.New(testCredentials, time.Now) }

// whoAmI returns who the gateway thinks is asking.
func whoAmI(_ context.Context, req *wire.Request) (*wire.Object, error) {
	return wire.NewObject(wire.Member{Name: "NextToken", Value: wire.String("I am " + req.AccessKeyID)}), nil
}

// forge is what a test does differently from an honest client.
type forge struct {
	key, secret, service string
	at                   time.Time
	header               http.Header
	after                func(*http.Request) // once it is signed
	body                 string              // sent instead of the signed one
}

// signed is a signed ListQueues request, as it goes onto the wire.
func signed(t *testing.T, protocol string, f forge) string {
	t.Helper()
	body := "Action=ListQueues"
	if protocol == "json" {
		body = "{}"
	}
	req, err := http.NewRequest(http.MethodPost, "http://gateway.test/a/longer/path?b=2&a=1", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if protocol == "json" {
		req.Header.Set("X-Amz-Target", "AmazonSQS.ListQueues")
	}
	for name, values := range f.header {
		req.Header[name] = values
	}
	if f.key == "" {
		f.key = testKey
	}
	if f.secret == "" {
		f.secret = testSecret
	}
	if f.service == "" {
		f.service = "sqs"
	}
	if f.at.IsZero() {
		f.at = time.Now()
	}
	sum := sha256.Sum256([]byte(body))
	err = v4.NewSigner().SignHTTP(context.Background(), aws.Credentials{AccessKeyID: f.key, SecretAccessKey: f.secret}, req,
		hex.EncodeToString(sum[:]), f.service, "eu-west-3", f.at)
	if err != nil {
		t.Fatal(err)
	}
	if f.body != "" {
		req.Body = io.NopCloser(strings.NewReader(f.body))
		req.ContentLength = int64(len(f.body))
	}
	if f.after != nil {
		f.after(req)
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	if err := req.Write(w); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	return b.String()
}

func TestSignatures(t *testing.T) {
	r := run(t, Config{Verifier: testVerifier()}, map[string]wire.Handler{"ListQueues": whoAmI})
	for _, protocol := range []string{"json", "query"} {
		for name, test := range map[string]struct {
			forge
			status int
			want   string
		}{
			"right":                  {forge{}, 200, "I am " + testKey},
			"own token":              {forge{key: "AKIDTOKEN"}, 200, "I am AKIDTOKEN"},
			"scoped to sns":          {forge{service: "sns"}, 200, testKey},
			"wrong secret":           {forge{secret: "wrong"}, 403, "SignatureDoesNotMatch"},
			"unknown key":            {forge{key: "AKIDUNKNOWN"}, 403, "InvalidClientTokenId"},
			"old date":               {forge{at: time.Now().Add(-30 * time.Minute)}, 403, "SignatureDoesNotMatch"},
			"date ahead":             {forge{at: time.Now().Add(30 * time.Minute)}, 403, "SignatureDoesNotMatch"},
			"scoped to s3":           {forge{service: "s3"}, 403, "SignatureDoesNotMatch"},
			"changed body":           {forge{body: "Action=ListQueues&X=1"}, 403, "SignatureDoesNotMatch"},
			"changed query":          {forge{after: func(r *http.Request) { r.URL.RawQuery = "a=1&b=3" }}, 403, "SignatureDoesNotMatch"},
			"changed path":           {forge{after: func(r *http.Request) { r.URL.Path = "/another/longer/path" }}, 403, "SignatureDoesNotMatch"},
			"reordered query":        {forge{after: func(r *http.Request) { r.URL.RawQuery = "a=1&b=2" }}, 200, testKey},
			"changed signed header":  {forge{header: http.Header{"X-Amz-Meta": {"a"}}, after: func(r *http.Request) { r.Header.Set("X-Amz-Meta", "b") }}, 403, "SignatureDoesNotMatch"},
			"spaces in header":       {forge{header: http.Header{"X-Amz-Meta": {"a   b    c"}}}, 200, testKey},
			"repeated header":        {forge{header: http.Header{"X-Amz-Meta": {"b", "a"}}}, 200, testKey},
			"bytes beyond ASCII":     {forge{header: http.Header{"X-Amz-Meta": {"gr\xfc\xdfe"}}}, 200, testKey},
			"unsigned":               {forge{after: func(r *http.Request) { r.Header.Del("Authorization") }}, 403, "MissingAuthenticationToken"},
			"nonsense authorization": {forge{after: func(r *http.Request) { r.Header.Set("Authorization", "AWS4-HMAC-SHA256 nonsense") }}, 400, "IncompleteSignature"},
		} {
			t.Run(protocol+" "+name, func(t *testing.T) {
				a := r.exchange(t, signed(t, protocol, test.forge))
				a.want(t, test.status, test.want)
				if wantType := map[string]string{"json": "application/x-amz-json-1.0", "query": "text/xml"}[protocol]; a.Header.Get("Content-Type") != wantType {
					t.Errorf("content type %q", a.Header.Get("Content-Type"))
				}
			})
		}
	}
	log := r.log.String()
	for _, want := range []string{"level=WARN", "SignatureDoesNotMatch", "access_key_id=AKIDUNKNOWN"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not have %q", want)
		}
	}
	for _, secret := range []string{testSecret, "Signature="} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %q", secret)
		}
	}
	if n := strings.Count(log, `msg="request refused: SignatureDoesNotMatch"`); n != 1 {
		t.Errorf("one kind of refusal was logged %d times in a moment", n)
	}
}

func TestRefusedBeforeItIsDecoded(t *testing.T) {
	r := run(t, Config{Verifier: testVerifier()}, nil)
	// A body that is no request, and an action that does not exist: an unsigned
	// request does not learn which.
	for _, request := range []string{jsonCall("ListQueues", "["), jsonCall("Nonsense", "{}")} {
		r.exchange(t, request).want(t, 403, "MissingAuthenticationToken")
	}
	r.exchange(t, queryCall("Action=Nonsense&%")).want(t, 403, "<Code>MissingAuthenticationToken</Code>")
	r.exchange(t, queryCall("Action=Publish&Version=2010-03-31")).want(t, 403, "http://sns.amazonaws.com/doc/2010-03-31/")
	// Over the limit it is told that first: the body is read before it is verified.
	r.exchange(t, fmt.Sprintf("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n", MaxBody+1)+strings.Repeat("x", MaxBody+1)).want(t, 400, "2097152")
}

func TestAuthOff(t *testing.T) {
	r := run(t, Config{}, map[string]wire.Handler{"ListQueues": whoAmI})
	r.exchange(t, signed(t, "json", forge{key: "AKIDANY", secret: "any"})).want(t, 200, "I am AKIDANY")
	r.exchange(t, jsonCall("ListQueues", "{}")).want(t, 200, "I am anonymous")
}

func TestFoldedHeadersKeepTheirValue(t *testing.T) {
	got := appendHeaders(nil, "A: 1\r\nB:  two \r\n\t three\r\n  four\r\nC:\r\na: 5\nD: x:y\r\n\r\n")
	want := []sigv4.Header{{Name: "A", Value: " 1"}, {Name: "B", Value: "  two \r\n\t three\r\n  four"}, {Name: "C"}, {Name: "a", Value: " 5"}, {Name: "D", Value: " x:y"}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
