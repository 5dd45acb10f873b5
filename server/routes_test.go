package server

import (
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/sigv4"
)

// The page of the register needs no signature, and its path is that of a queue
// for everything that has a parameter or a body.
func TestThePageOfDivergences(t *testing.T) {
	r := run(t, Config{Credentials: []sigv4.Credential{{AccessKeyID: "AKID", Secret: "secret"}}}, stubs)
	a := r.exchange(t, "GET /console/divergences HTTP/1.1\r\nHost: x\r\n\r\n")
	a.want(t, 200, "<!DOCTYPE html>", `id="QS-01"`, `id="SN-16"`)
	if a.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(a.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%v", a.Header)
	}
	for _, request := range []string{
		"POST /console/divergences HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
		"GET /console/divergences?Action=SendMessage&MessageBody=a HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /console/divergences HTTP/1.1\r\nHost: x\r\nX-Amz-Target: AmazonSQS.ListQueues\r\n\r\n",
		"GET /console/other HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		r.exchange(t, request).want(t, 403, "MissingAuthenticationToken")
	}
}
