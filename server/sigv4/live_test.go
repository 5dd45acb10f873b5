package sigv4

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// gate is a server that verifies what real clients send and remembers verdicts.
type gate struct {
	*httptest.Server
	mu       sync.Mutex
	verdicts []error
}

func newGate(t *testing.T) *gate {
	v := New([]Credential{{AccessKeyID: "AKIDLIVE", Secret: "live/secret"}}, time.Now)
	g := &gate{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r := &Request{Method: req.Method, Target: req.RequestURI, Body: body, Headers: []Header{{"Host", req.Host}}}
		for name, values := range req.Header {
			for _, value := range values {
				r.Headers = append(r.Headers, Header{name, value})
			}
		}
		_, err = v.Verify(r)
		g.mu.Lock()
		g.verdicts = append(g.verdicts, err)
		g.mu.Unlock()
		if strings.Contains(req.Header.Get("X-Amz-Target"), "AmazonSQS") {
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			io.WriteString(w, "{}")
			return
		}
		w.Header().Set("Content-Type", "text/xml")
		io.WriteString(w, `<R xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult><MessageId>1</MessageId></PublishResult></R>`)
	}))
	t.Cleanup(g.Close)
	return g
}

// last is the verdict on the one request since the last call.
func (g *gate) last(t *testing.T) error {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.verdicts) != 1 {
		t.Fatalf("%d requests arrived, want 1", len(g.verdicts))
	}
	err := g.verdicts[0]
	g.verdicts = nil
	return err
}

// TestLiveClients: requests of the AWS SDK for Go, signed while the test runs.
func TestLiveClients(t *testing.T) {
	g := newGate(t)
	for _, c := range []struct {
		secret, token string
		ok            bool
	}{{"live/secret", "", true}, {"live/secret", "session+token/=", true}, {"wrong", "", false}} {
		cred := credentials.NewStaticCredentialsProvider("AKIDLIVE", c.secret, c.token)
		queue := g.URL + "/000000000000/q"

		client := sqs.New(sqs.Options{Region: "queen-1", BaseEndpoint: &g.URL, Credentials: cred, DisableMessageChecksumValidation: true})
		_, err := client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &queue, MessageBody: aws.String("a \u20ac & b"),
			MessageAttributes: map[string]types.MessageAttributeValue{"k": {DataType: aws.String("String"), StringValue: aws.String("v")}}})
		if err != nil {
			t.Fatal(err)
		}
		if verdict := g.last(t); (verdict == nil) != c.ok {
			t.Errorf("SQS with secret %q: %v", c.secret, verdict)
		}

		topics := sns.New(sns.Options{Region: "eu-west-9", BaseEndpoint: &g.URL, Credentials: cred})
		if _, err := topics.Publish(t.Context(), &sns.PublishInput{TopicArn: aws.String("arn:aws:sns:queen-1:0:t"), Message: aws.String("a + b ~ \u20ac")}); err != nil {
			t.Fatal(err)
		}
		if verdict := g.last(t); (verdict == nil) != c.ok {
			t.Errorf("SNS with secret %q: %v", c.secret, verdict)
		}

		request, _ := http.NewRequest("GET", queue+"?Action=SendMessage&MessageBody=a+b%2Fc&X-Amz-Expires=60", nil)
		sum := sha256.Sum256(nil)
		value, err := cred.Retrieve(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		signed, _, err := v4.NewSigner().PresignHTTP(t.Context(), value, request, hex.EncodeToString(sum[:]), "sqs", "queen-1", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.Get(signed)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if verdict := g.last(t); (verdict == nil) != c.ok {
			t.Errorf("presigned with secret %q: %v", c.secret, verdict)
		}
	}
}
