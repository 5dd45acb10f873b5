package sigv4

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
)

// vector is one signed request of testdata: cases.json as signed by botocore
// by both generations of the AWS SDK for Go and by the one for JavaScript. testdata
// says how they are made.
type vector struct {
	Name   string
	Signer string
	Now    time.Time
	Key    string
	Secret string

	// BodyCovered is false where the signature says nothing about the body.
	BodyCovered bool `json:"body_covered"`

	Method  string
	Target  string
	Headers [][2]string
	Body    []byte
}

func loadVectors(t testing.TB) []vector {
	t.Helper()
	var all []vector
	for _, name := range []string{"botocore.json", "go-v1.json", "go-v2.json", "smithy.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		var vectors []vector
		if err := json.Unmarshal(data, &vectors); err != nil {
			t.Fatal(err)
		}
		if len(vectors) < 30 {
			t.Fatalf("%s holds %d vectors, which is too few", name, len(vectors))
		}
		all = append(all, vectors...)
	}
	return all
}

func (v vector) request() *Request {
	r := &Request{Method: v.Method, Target: v.Target, Body: v.Body}
	for _, h := range v.Headers {
		r.Headers = append(r.Headers, Header{h[0], h[1]})
	}
	return r
}

func (v vector) presigned() bool { return strings.Contains(v.Target, "X-Amz-Algorithm") }

func (v vector) verifier(shift time.Duration) *Verifier {
	return New([]Credential{{v.Key, v.Secret}}, func() time.Time { return v.Now.Add(shift) })
}

func TestVectorsVerify(t *testing.T) {
	for _, v := range loadVectors(t) {
		t.Run(v.Signer+"/"+v.Name, func(t *testing.T) {
			r := v.request()
			verifier := v.verifier(0)
			for range 2 { // the second time with a kept key
				cred, err := verifier.Verify(r)
				if err != nil {
					t.Fatal(err)
				}
				if cred.AccessKeyID != v.Key {
					t.Fatalf("the credential is %v", cred)
				}
			}
			if got := PresentedKey(r); got != v.Key {
				t.Errorf("PresentedKey = %q", got)
			}
		})
	}
}

// tampering changes a signed request. It reports false where it does not apply.
type tampering struct {
	name   string
	want   *fault.Kind
	text   string // a part of the message
	change func(v vector, r *Request) bool
}

var tamperings = []tampering{
	{"body", fault.SignatureDoesNotMatch, "does not match", func(v vector, r *Request) bool {
		r.Body = append([]byte("x"), r.Body...)
		return v.BodyCovered
	}},
	{"body byte", fault.SignatureDoesNotMatch, "does not match", func(v vector, r *Request) bool {
		if !v.BodyCovered || len(r.Body) == 0 {
			return false
		}
		r.Body = append([]byte(nil), r.Body...)
		r.Body[len(r.Body)/2] ^= 1
		return true
	}},
	{"method", fault.SignatureDoesNotMatch, "we calculated", func(_ vector, r *Request) bool {
		r.Method = "PUT"
		return true
	}},
	{"host", fault.SignatureDoesNotMatch, "we calculated", func(_ vector, r *Request) bool {
		return r.change("host", func(s string) string { return "evil." + s })
	}},
	{"header value", fault.SignatureDoesNotMatch, "we calculated", func(_ vector, r *Request) bool {
		for _, name := range []string{"x-amz-target", "x-many", "x-note", "content-type"} {
			signed := strings.Contains(r.joined("authorization")+r.Target, name) // lower case only in the list of names
			if signed && r.change(name, func(s string) string { return s + "2" }) {
				return true
			}
		}
		return false
	}},
	{"header repeated", fault.SignatureDoesNotMatch, "we calculated", func(_ vector, r *Request) bool {
		r.Headers = append(r.Headers, Header{"hOST", "evil"})
		return true
	}},
	{"signed header removed", fault.SignatureDoesNotMatch, "signed header", func(_ vector, r *Request) bool {
		return r.remove("host")
	}},
	{"query value", fault.SignatureDoesNotMatch, "we calculated", func(_ vector, r *Request) bool {
		before := r.Target
		r.Target = strings.Replace(r.Target, "Action=", "Action=Un", 1)
		return r.Target != before
	}},
	{"query parameter added", fault.SignatureDoesNotMatch, "we calculated", func(_ vector, r *Request) bool {
		if strings.Contains(r.Target, "?") {
			r.Target += "&x=y"
		} else {
			r.Target += "?x=y"
		}
		return true
	}},
	{"path", fault.SignatureDoesNotMatch, "we calculated", func(_ vector, r *Request) bool {
		path, query, _ := strings.Cut(r.Target, "?")
		r.Target = path + "x?" + query
		return true
	}},
	{"first signature digit", fault.SignatureDoesNotMatch, "we calculated", func(_ vector, r *Request) bool {
		return r.rewrite("Signature=", flipDigit)
	}},
	{"signature cut", fault.SignatureDoesNotMatch, "we calculated", func(_ vector, r *Request) bool {
		return r.rewrite("Signature=", func(s string) string { return s[1:] })
	}},
	{"signature in capitals", fault.SignatureDoesNotMatch, "we calculated", func(_ vector, r *Request) bool {
		return r.rewrite("Signature=", func(s string) string { return strings.ToUpper(s[:64]) + s[64:] })
	}},
	{"signature missing", fault.IncompleteSignature, "Signature'", func(_ vector, r *Request) bool {
		return r.rewrite("Signature=", func(s string) string { return s[64:] })
	}},
	{"region", fault.SignatureDoesNotMatch, "we calculated", func(_ vector, r *Request) bool {
		return r.replace("us-east-1", "us-east-2") || r.replace("eu-central-1", "eu-central-2")
	}},
	{"other service of ours", fault.SignatureDoesNotMatch, "we calculated", func(_ vector, r *Request) bool {
		return r.replace("/sqs/", "/sns/") || r.replace("%2Fsqs%2F", "%2Fsns%2F")
	}},
	{"service", fault.SignatureDoesNotMatch, "Credential should be scoped to correct service: 'sqs'", func(_ vector, r *Request) bool {
		return r.replace("/sqs/", "/s3/") || r.replace("%2Fsqs%2F", "%2Fs3%2F")
	}},
	{"terminator", fault.SignatureDoesNotMatch, "valid terminator", func(_ vector, r *Request) bool {
		return r.replace("aws4_request", "aws5_request")
	}},
	{"day of the scope", fault.SignatureDoesNotMatch, "Date in Credential scope does not match", func(_ vector, r *Request) bool {
		return r.replace("/20260102/", "/20260103/") || r.replace("%2F20260102%2F", "%2F20260103%2F")
	}},
	{"scope cut", fault.IncompleteSignature, "exactly 5", func(_ vector, r *Request) bool {
		return r.replace("/aws4_request", "") || r.replace("%2Faws4_request", "")
	}},
	{"second of the date", fault.SignatureDoesNotMatch, "we calculated", func(_ vector, r *Request) bool {
		return r.replaceDate("20260102T030405Z", "20260102T030406Z") || r.replaceDate("03:04:05", "03:04:06")
	}},
	{"day of the date", fault.SignatureDoesNotMatch, "Date in Credential scope does not match", func(_ vector, r *Request) bool {
		return r.replaceDate("20260102T030405Z", "20260103T030405Z") || r.replaceDate("02 Jan", "03 Jan")
	}},
	{"date unreadable", fault.IncompleteSignature, "ISO-8601", func(_ vector, r *Request) bool {
		return r.replaceDate("20260102T030405Z", "2026-01-02T03:04") || r.replaceDate("02 Jan", "32 Jan")
	}},
	{"key", fault.InvalidClientTokenID, "", func(_ vector, r *Request) bool {
		return r.replace("AKIDEXAMPLE", "AKIDOTHER")
	}},
	{"host not signed", fault.SignatureDoesNotMatch, "'Host'", func(_ vector, r *Request) bool {
		r.Headers = append(r.Headers, Header{"fost", "x"})
		return r.replace(";host", ";fost") || r.replace("SignedHeaders=host", "SignedHeaders=fost") || r.replace("%3Bhost", "%3Bfost")
	}},
	{"header signed twice", fault.IncompleteSignature, "signed headers", func(_ vector, r *Request) bool {
		return r.rewrite("SignedHeaders=", func(s string) string { return "host;" + s })
	}},
	{"not signed", fault.MissingAuthenticationToken, "", func(_ vector, r *Request) bool {
		return r.remove("authorization")
	}},
}

func (r *Request) change(name string, f func(string) string) bool {
	for i := range r.Headers {
		if strings.EqualFold(r.Headers[i].Name, name) {
			r.Headers[i].Value = f(r.Headers[i].Value)
			return true
		}
	}
	return false
}

func (r *Request) remove(name string) bool {
	for i := range r.Headers {
		if strings.EqualFold(r.Headers[i].Name, name) {
			r.Headers = append(r.Headers[:i], r.Headers[i+1:]...)
			return true
		}
	}
	return false
}

// rewrite changes what follows a mark in the Authorization header or the query.
func (r *Request) rewrite(mark string, f func(string) string) bool {
	at := func(s string) string {
		i := strings.Index(s, mark) + len(mark)
		return s[:i] + f(s[i:])
	}
	if r.has("authorization") {
		return r.change("authorization", at)
	}
	r.Target = at(r.Target)
	return true
}

func (r *Request) replace(old, new string) bool {
	before := r.Target + r.joined("authorization")
	f := func(s string) string { return strings.Replace(s, old, new, 1) }
	if !r.change("authorization", f) {
		r.Target = f(r.Target)
	}
	return before != r.Target+r.joined("authorization")
}

func (r *Request) replaceDate(old, new string) bool {
	f := func(s string) string { return strings.Replace(s, old, new, 1) }
	before := r.joined("x-amz-date") + r.joined("date") + r.Target
	if !r.change("x-amz-date", f) && !r.change("date", f) {
		r.Target = f(r.Target)
	}
	return before != r.joined("x-amz-date")+r.joined("date")+r.Target
}

func flipDigit(s string) string {
	if s[0] == '0' {
		return "1" + s[1:]
	}
	return "0" + s[1:]
}

func TestTamperedVectorsAreRefused(t *testing.T) {
	applied := map[string]int{}
	for _, v := range loadVectors(t) {
		verifier := v.verifier(0)
		if _, err := verifier.Verify(v.request()); err != nil { // keeps the key
			t.Fatal(err)
		}
		for _, change := range tamperings {
			r := v.request()
			if !change.change(v, r) {
				continue
			}
			applied[change.name]++
			_, err := verifier.Verify(r)
			expect(t, v.Signer+"/"+v.Name+"/"+change.name, err, change.want, change.text)
			if err != nil && strings.Contains(err.Error(), v.Secret) {
				t.Errorf("the message shows the secret: %v", err)
			}
		}
	}
	for _, change := range tamperings {
		if applied[change.name] < 6 {
			t.Errorf("%s was applied to %d vectors only", change.name, applied[change.name])
		}
	}
}

func expect(t *testing.T, name string, err error, want *fault.Kind, text string) {
	t.Helper()
	if !fault.Is(err, want) || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: got %v, want %s with %q", name, err, want.JSON, text)
	}
}

func TestVectorsOutOfTime(t *testing.T) {
	const skew = 15 * time.Minute
	for _, v := range loadVectors(t) {
		name := v.Signer + "/" + v.Name
		late := skew
		for _, life := range []struct {
			param string
			d     time.Duration
		}{{"=60&", time.Minute}, {"=300&", 5 * time.Minute}, {"=900&", 15 * time.Minute}, {"=604800&", 604800 * time.Second}} {
			if v.presigned() && strings.Contains(v.Target, "X-Amz-Expires"+life.param) {
				late = life.d
			}
		}
		for _, shift := range []time.Duration{-skew, late} {
			if _, err := v.verifier(shift).Verify(v.request()); err != nil {
				t.Errorf("%s, clock moved by %v: %v", name, shift, err)
			}
		}
		_, err := v.verifier(-skew - time.Second).Verify(v.request())
		expect(t, name, err, fault.SignatureDoesNotMatch, "Signature not yet current: 20260102T030405Z is still later than 20260102T030404Z (20260102T024904Z + 15 min.)")
		_, err = v.verifier(late + time.Second).Verify(v.request())
		expect(t, name, err, fault.SignatureDoesNotMatch, "Signature expired: ")
		if !v.presigned() {
			expect(t, name, err, fault.SignatureDoesNotMatch, "Signature expired: 20260102T030405Z is now earlier than 20260102T030406Z (20260102T031906Z - 15 min.)")
		}
	}
}
