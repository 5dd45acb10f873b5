// Command gen signs the requests of cases.json with the v4 signers of both
// generations of the AWS SDK for Go:
//
//	go run ./server/sigv4/testdata/gen
//
// Every key is made up, every date is fixed. It lives below testdata so that no
// package pattern reaches it.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	credentials1 "github.com/aws/aws-sdk-go/aws/credentials"
	v4one "github.com/aws/aws-sdk-go/aws/signer/v4"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4two "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

const (
	dir    = "server/sigv4/testdata"
	key    = "AKIDEXAMPLE"
	secret = "fake/secret+with=signs"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

type testCase struct {
	Name, Service, Region, Method, URL, Token, Payload, Body string

	Headers [][2]string
	Presign int
}

type vector struct {
	Name        string      `json:"name"`
	Signer      string      `json:"signer"`
	Now         time.Time   `json:"now"`
	Key         string      `json:"key"`
	Secret      string      `json:"secret"`
	BodyCovered bool        `json:"body_covered"`
	Method      string      `json:"method"`
	Target      string      `json:"target"`
	Headers     [][2]string `json:"headers"`
	Body        []byte      `json:"body"`
}

func main() {
	data, err := os.ReadFile(filepath.Join(dir, "cases.json"))
	check(err)
	var cases []testCase
	check(json.Unmarshal(data, &cases))

	for name, sign := range map[string]func(testCase) vector{"go-v1": signOne, "go-v2": signTwo} {
		var vectors []vector
		for _, c := range cases {
			if c.Service == "" {
				c.Service = "sqs"
			}
			if c.Region == "" {
				c.Region = "us-east-1"
			}
			vectors = append(vectors, sign(c))
		}
		out, err := json.MarshalIndent(vectors, "", " ")
		check(err)
		check(os.WriteFile(filepath.Join(dir, name+".json"), append(out, '\n'), 0o644))
	}
}

func (c testCase) request() *http.Request {
	req, err := http.NewRequest(c.Method, c.URL, strings.NewReader(c.Body))
	check(err)
	for _, h := range c.Headers {
		req.Header.Add(h[0], h[1])
	}
	return req
}

// signOne signs with github.com/aws/aws-sdk-go, which decides on the payload
// hash by itself.
func signOne(c testCase) vector {
	req := c.request()
	signer := v4one.NewSigner(credentials1.NewStaticCredentials(key, secret, c.Token))
	signer.UnsignedPayload = c.Payload == "UNSIGNED-PAYLOAD"
	var err error
	if c.Presign > 0 {
		_, err = signer.Presign(req, strings.NewReader(c.Body), c.Service, c.Region, time.Duration(c.Presign)*time.Second, now)
	} else {
		_, err = signer.Sign(req, strings.NewReader(c.Body), c.Service, c.Region, now)
	}
	check(err)
	return record(c, "aws-sdk-go v1", req, req.URL.RequestURI())
}

func signTwo(c testCase) vector {
	req := c.request()
	cred := aws.Credentials{AccessKeyID: key, SecretAccessKey: secret, SessionToken: c.Token}
	payload := c.Payload
	if payload == "" {
		sum := sha256.Sum256([]byte(c.Body))
		payload = hex.EncodeToString(sum[:])
	}
	signer := v4two.NewSigner()
	if c.Presign == 0 {
		check(signer.SignHTTP(context.Background(), cred, req, payload, c.Service, c.Region, now))
		return record(c, "aws-sdk-go-v2", req, req.URL.RequestURI())
	}
	query := req.URL.Query()
	query.Set("X-Amz-Expires", strconv.Itoa(c.Presign))
	req.URL.RawQuery = query.Encode()
	signed, header, err := signer.PresignHTTP(context.Background(), cred, req, payload, c.Service, c.Region, now)
	check(err)
	u, err := url.Parse(signed)
	check(err)
	req.Header = header
	req.Header.Del("Host")
	return record(c, "aws-sdk-go-v2", req, u.RequestURI())
}

// record writes down what the request looks like on the wire.
func record(c testCase, signer string, req *http.Request, target string) vector {
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	headers := [][2]string{{"Host", host}}
	if req.ContentLength > 0 && req.Header.Get("Content-Length") == "" {
		headers = append(headers, [2]string{"Content-Length", strconv.FormatInt(req.ContentLength, 10)})
	}
	names := make([]string, 0, len(req.Header))
	for name := range req.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range req.Header[name] {
			headers = append(headers, [2]string{name, value})
		}
	}
	var body bytes.Buffer
	body.WriteString(c.Body)
	return vector{
		Name: c.Name, Signer: signer, Now: now, Key: key, Secret: secret,
		BodyCovered: c.Payload == "", Method: c.Method, Target: target,
		Headers: headers, Body: body.Bytes(),
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
