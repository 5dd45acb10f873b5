package sigv4

import (
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
)

// FuzzAuthorization throws headers and targets at a Verifier whose secret nobody
// knows. It must neither panic nor accept, and always fail with an error of the catalog.
func FuzzAuthorization(f *testing.F) {
	for _, v := range loadVectors(f) {
		r := v.request()
		f.Add(r.Method, r.Target, r.joined("authorization"), r.joined("x-amz-date"), r.joined("host"), r.Body)
	}
	f.Add("GET", "http://?&=&X-Amz-Algorithm=%", "AWS4-HMAC-SHA256 Credential=////,SignedHeaders=;,Signature==", "20260102T030405Z", "", []byte(nil))
	f.Add("GET", "//../.?a=%2", "AWS :", "", "h", []byte("x"))

	v := New([]Credential{{AccessKeyID: "AKIDEXAMPLE", Secret: rand.Text()}}, func() time.Time {
		return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	})
	f.Fuzz(func(t *testing.T, method, target, authorization, date, host string, body []byte) {
		r := &Request{Method: method, Target: target, Body: body, Headers: []Header{
			{"Host", host}, {"X-Amz-Date", date}, {"X-Amz-Target", "AmazonSQS.SendMessage"},
		}}
		if authorization != "" {
			r.Headers = append(r.Headers, Header{"Authorization", authorization})
		}
		cred, err := v.Verify(r)
		if err == nil || cred != (Credential{}) {
			t.Fatalf("accepted as %v", cred)
		}
		var e *fault.Error
		if !errors.As(err, &e) || e.Kind.Status/100 != 4 {
			t.Fatalf("%v is no error for a client", err)
		}
		if len(e.Message()) > 500 {
			t.Fatalf("the message has %d bytes", len(e.Message()))
		}
		if key := PresentedKey(r); len(key) > maxKeyLength {
			t.Fatalf("a key of %d bytes", len(key))
		}
	})
}
