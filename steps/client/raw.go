package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Signing says how a raw request is signed. The zero value signs it properly.
type Signing struct {
	Unsigned    bool
	Presign     time.Duration // signed in the query string, valid that long, when positive
	Credentials *Credentials  // instead of the client's
	Service     string        // instead of the request's
	Region      string        // instead of the client's
	Shift       time.Duration // moves the signing time
	// Tamper changes the request after it was signed.
	Tamper func(*http.Request)
}

// Request is a raw request.
type Request struct {
	Service string // "sqs" or "sns", for the signature
	Method  string
	Target  string // path and query string as they go on the wire
	Header  http.Header
	Body    []byte
}

// Raw sends signed requests of its own making.
type Raw struct {
	Protocol Protocol
	Config   Config
	Signing  Signing
}

// Call encodes the action in the client's protocol and sends it.
func (c *Raw) Call(ctx context.Context, service, action string, p Params) (Params, error) {
	x, err := c.Send(ctx, c.Encode(service, action, p))
	if err != nil {
		return nil, err
	}
	if x.Status >= 300 {
		return nil, DecodeError(x)
	}
	return Decode(x, action)
}

// Encode is the request of an action in the client's protocol.
func (c *Raw) Encode(service, action string, p Params) Request {
	if c.Protocol == JSON {
		body, err := json.Marshal(lowerMembers(action, p))
		if err != nil {
			panic(err) // a tree holds only what JSON can say
		}
		return Request{Service: service, Method: "POST", Target: "/", Body: body, Header: http.Header{
			"Content-Type": {"application/x-amz-json-1.0"},
			"X-Amz-Target": {targetPrefix[service] + action},
		}}
	}
	return Request{Service: service, Method: "POST", Target: "/", Body: []byte(EncodeQuery(service, action, p).Encode()), Header: http.Header{
		"Content-Type": {"application/x-www-form-urlencoded; charset=utf-8"},
	}}
}

var targetPrefix = map[string]string{SQS: "AmazonSQS.", SNS: "AmazonSimpleNotificationService."}

// Send signs and sends a request and answers what came back, whatever it is.
func (c *Raw) Send(ctx context.Context, r Request) (*Exchange, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, c.Config.endpoint(r.Service)+r.Target, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	for name, values := range r.Header {
		if strings.EqualFold(name, "Host") {
			req.Host = values[0]
			continue
		}
		req.Header[name] = values
	}
	if err := c.sign(ctx, req, r); err != nil {
		return nil, err
	}
	if c.Signing.Tamper != nil {
		c.Signing.Tamper(req)
	}
	var x *Exchange
	resp, err := c.Config.Transport.RoundTrip(req.WithContext(watch(ctx, &x)))
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	return x, nil
}

func (c *Raw) sign(ctx context.Context, req *http.Request, r Request) error {
	s := c.Signing
	if s.Unsigned {
		return nil
	}
	creds := c.Config.Credentials
	if s.Credentials != nil {
		creds = *s.Credentials
	}
	service, region := r.Service, c.Config.Region
	if s.Service != "" {
		service = s.Service
	}
	if s.Region != "" {
		region = s.Region
	}
	keys := aws.Credentials{AccessKeyID: creds.AccessKeyID, SecretAccessKey: creds.Secret, SessionToken: creds.Session}
	sum := sha256.Sum256(r.Body)
	hash, at := hex.EncodeToString(sum[:]), c.Config.now().Add(s.Shift)
	if s.Presign <= 0 {
		return v4.NewSigner().SignHTTP(ctx, keys, req, hash, service, region, at)
	}
	q := req.URL.Query()
	q.Set("X-Amz-Expires", strconv.Itoa(int(s.Presign.Seconds())))
	req.URL.RawQuery = q.Encode()
	signed, _, err := v4.NewSigner().PresignHTTP(ctx, keys, req, hash, service, region, at)
	if err != nil {
		return fmt.Errorf("presigning: %w", err)
	}
	if req.URL, err = url.Parse(signed); err != nil {
		return fmt.Errorf("presigning: %w", err)
	}
	return nil
}

// ReplaceBody gives a request another body after it was signed.
func ReplaceBody(r *http.Request, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
}
