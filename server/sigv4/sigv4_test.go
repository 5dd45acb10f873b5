package sigv4

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
)

var testNow = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

const (
	testKey    = "AKIDEXAMPLE"
	testSecret = "secret"
	testScope  = "20260102/us-east-1/sqs/aws4_request"
	emptyHash  = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

func testVerifier() *Verifier {
	return New([]Credential{{AccessKeyID: testKey, Secret: testSecret}}, func() time.Time { return testNow })
}

// signText signs a canonical request that the test spells out.
func signText(canonical string) string {
	mac := func(key []byte, text string) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	key := []byte("AWS4" + testSecret)
	for part := range strings.SplitSeq(testScope, "/") {
		key = mac(key, part)
	}
	sum := sha256.Sum256([]byte(canonical))
	return hex.EncodeToString(mac(key, "AWS4-HMAC-SHA256\n20260102T030405Z\n"+testScope+"\n"+hex.EncodeToString(sum[:])))
}

func authorizationHeader(signedHeaders, signature string) Header {
	return Header{"Authorization", "AWS4-HMAC-SHA256 Credential=" + testKey + "/" + testScope +
		", SignedHeaders=" + signedHeaders + ", Signature=" + signature}
}

// TestReadings signs one canonical form and sends targets that mean the same.
func TestReadings(t *testing.T) {
	for _, c := range []struct {
		target, path, query string
		ok                  bool
	}{
		{"/", "/", "", true},
		{"", "/", "", true},
		{"/?", "/", "", true},
		{"http://h/q?a=b", "/q", "a=b", true},
		{"http://h", "/", "", true},
		{"http://h?a=b", "/", "a=b", true},
		{"/q?a=b+c", "/q", "a=b+c", true},
		{"/q?a=b+c", "/q", "a=b%20c", true},
		{"/q?a=b+c", "/q", "a=b%2Bc", false},
		{"/q?a=%e2%82%ac", "/q", "a=%e2%82%ac", true},
		{"/q?a=%e2%82%ac", "/q", "a=%E2%82%AC", true},
		{"/q?a=x:y", "/q", "a=x:y", true},
		{"/q?a=x:y", "/q", "a=x%3Ay", true},
		{"/q?a", "/q", "a=", true},
		{"/q?a=", "/q", "a=", true},
		{"/q?b=1&&a=2", "/q", "=&a=2&b=1", true},
		{"/q?b=1&&a=2", "/q", "a=2&b=1", true},
		{"/q?a=1=2", "/q", "a=1=2", true},
		{"/q?a=1?b", "/q", "a=1?b", true},
		{"/q?a=%zz", "/q", "a=%zz", true},
		{"/q?a=2&a=10&a-b=1&a1=3", "/q", "a=10&a=2&a-b=1&a1=3", true},
		{"/q?a=2&a=1", "/q", "a=2&a=1", false},
		{"//q", "/q", "", true},
		{"//q", "//q", "", true},
		{"/a/../b", "/b", "", true},
		{"/a/../b", "/a/../b", "", true},
		{"/a//../b/", "/b/", "", true},
		{"/a//../b/", "/a/b/", "", true},
		{"/a/.", "/a", "", true},
		{"/a/.", "/a/", "", true},
		{"/..", "/", "", true},
		{"/.hidden", "/.hidden", "", true},
		{"/a%2Fb", "/a%252Fb", "", true},
		{"/a%2Fb", "/a%2Fb", "", false},
		{"/a%20b", "/a%2520b", "", true},
		{"/\xc3\xa9", "/%C3%A9", "", true},
		{"/a:b", "/a%3Ab", "", true},
		{"*", "%2A", "", true},
	} {
		signature := signText("GET\n" + c.path + "\n" + c.query + "\nhost:h\nx-amz-date:20260102T030405Z\n\nhost;x-amz-date\n" + emptyHash)
		r := &Request{Method: "GET", Target: c.target, Headers: []Header{
			{"Host", "h"}, {"X-Amz-Date", "20260102T030405Z"}, authorizationHeader("host;x-amz-date", signature),
		}}
		if _, err := testVerifier().Verify(r); (err == nil) != c.ok {
			t.Errorf("target %q signed as %q %q: %v", c.target, c.path, c.query, err)
		}
	}
}

func TestHeaderValues(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []string
		want   string
	}{
		{"plain", []string{"a"}, "a"},
		{"trimmed", []string{" \t a \t"}, "a"},
		{"collapsed", []string{"a   b \t c"}, "a b c"},
		{"folded", []string{"a,\r\n   b"}, "a, b"},
		{"in quotes", []string{`"a   b"`}, `"a b"`},
		{"repeated", []string{"b ", " a", "c  d"}, "b,a,c d"},
		{"empty", []string{""}, ""},
		{"repeated and empty", []string{"", "a", ""}, ",a,"},
		{"non-ascii", []string{"\u20ac  \u00e9"}, "\u20ac \u00e9"},
	} {
		signature := signText("GET\n/\n\nhost:h\nx-amz-date:20260102T030405Z\nx-v:" + c.want + "\n\nhost;x-amz-date;x-v\n" + emptyHash)
		r := &Request{Method: "GET", Target: "/", Headers: []Header{{"HOST", "h"}, {"x-AMZ-date", " 20260102T030405Z "}}}
		for _, v := range c.values {
			r.Headers = append(r.Headers, Header{"X-V", v})
		}
		r.Headers = append(r.Headers, authorizationHeader("host;x-amz-date;x-v", signature))
		if _, err := testVerifier().Verify(r); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestContentHashHeader(t *testing.T) {
	const digest = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" // {}
	for _, c := range []struct {
		name, header, hash string
		signed, ok         bool
	}{
		{"none", "", digest, false, true},
		{"digest", digest, digest, true, true},
		{"digest in capitals", strings.ToUpper(digest), strings.ToUpper(digest), true, true},
		{"another digest", emptyHash, emptyHash, true, false},
		{"no digest", "whatever", "whatever", true, false},
		{"unsigned payload", unsignedPayload, unsignedPayload, true, true},
		{"unsigned payload in a header that is not signed", unsignedPayload, unsignedPayload, false, false},
		{"body signed, header not", unsignedPayload, digest, false, true},
		{"unsigned payload not declared", "", unsignedPayload, false, false},
		{"streaming", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", true, true},
	} {
		list, line := "host;x-amz-date", ""
		if c.signed {
			list, line = "host;x-amz-content-sha256;x-amz-date", "x-amz-content-sha256:"+c.header+"\n"
		}
		signature := signText("POST\n/\n\nhost:h\n" + line + "x-amz-date:20260102T030405Z\n\n" + list + "\n" + c.hash)
		r := &Request{Method: "POST", Target: "/", Body: []byte("{}"), Headers: []Header{
			{"Host", "h"}, {"X-Amz-Date", "20260102T030405Z"}, authorizationHeader(list, signature),
		}}
		if c.header != "" {
			r.Headers = append(r.Headers, Header{"X-Amz-Content-Sha256", c.header})
		}
		if _, err := testVerifier().Verify(r); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestDateForms(t *testing.T) {
	for _, c := range []struct {
		header, value string
		ok            bool
	}{
		{"X-Amz-Date", "20260102T030405Z", true},
		{"Date", "20260102T030405Z", true},
		{"Date", "Fri, 02 Jan 2026 03:04:05 GMT", true},
		{"Date", "Fri, 02 Jan 2026 03:04:05 UTC", true},
		{"Date", "Fri, 02 Jan 2026 03:04:05 +0000", true},
		{"Date", "Fri, 02 Jan 2026 03:04:05 -0000", true},
		{"Date", "Fri, 02 Jan 2026 04:04:05 +0100", false},
		{"Date", "Fri, 02 Jan 2026 03:04:05 CET", false},
		{"X-Amz-Date", "Fri, 02 Jan 2026 03:04:05 GMT", false},
		{"X-Amz-Date", "20260102T030405.5Z", false},
		{"X-Amz-Date", "20261302T030405Z", false},
		{"X-Amz-Date", "2026-01-02T03:04", false},
		{"X-Amz-Date", "\x1b[31m", false},
	} {
		name := strings.ToLower(c.header)
		list, lines := "host;"+name, "host:h\n"+name+":"+c.value+"\n"
		if name == "date" {
			list, lines = "date;host", "date:"+c.value+"\nhost:h\n"
		}
		r := &Request{Method: "GET", Target: "/", Headers: []Header{
			{"Host", "h"}, {c.header, c.value},
			authorizationHeader(list, signText("GET\n/\n\n"+lines+"\n"+list+"\n"+emptyHash)),
		}}
		_, err := testVerifier().Verify(r)
		if c.ok && err != nil {
			t.Errorf("%s: %s: %v", c.header, c.value, err)
		}
		if !c.ok {
			expect(t, c.value, err, fault.IncompleteSignature, "Date must be in ISO-8601 'basic format'.")
			if strings.Contains(err.Error(), "\x1b") {
				t.Errorf("the message echoes control characters: %q", err)
			}
		}
	}
}

func TestUnreadableSignatures(t *testing.T) {
	date := Header{"X-Amz-Date", "20260102T030405Z"}
	auth := func(s string) []Header { return []Header{{"Host", "h"}, date, {"Authorization", s}} }
	full := authorizationHeader("host", strings.Repeat("0", 64)).Value
	presigned := "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" + testKey + "%2F" + strings.ReplaceAll(testScope, "/", "%2F") +
		"&X-Amz-Date=20260102T030405Z&X-Amz-SignedHeaders=host&X-Amz-Signature=00"
	host := []Header{{"Host", "h"}}

	for _, c := range []struct {
		name, target string
		headers      []Header
		want         *fault.Kind
		text         string
	}{
		{"nothing", "/", nil, fault.MissingAuthenticationToken, ""},
		{"empty header", "/", auth(" "), fault.MissingAuthenticationToken, ""},
		{"only a signature in the query", "/?X-Amz-Signature=00", host, fault.MissingAuthenticationToken, ""},
		{"signature version 2 in the query", "/?AWSAccessKeyId=a&Signature=b&SignatureVersion=2", host, fault.MissingAuthenticationToken, ""},
		{"signature version 2", "/", auth("AWS AKID:c2ln"), fault.IncompleteSignature, "Signature Version 2 is not supported"},
		{"basic", "/", auth("Basic dTpw"), fault.IncompleteSignature, "must begin with AWS4-HMAC-SHA256"},
		{"sigv4a", "/", auth("AWS4-ECDSA-P256-SHA256 Credential=a"), fault.IncompleteSignature, "Unsupported AWS 'algorithm': 'AWS4-ECDSA-P256-SHA256'"},
		{"no parts", "/", auth("AWS4-HMAC-SHA256"), fault.IncompleteSignature,
			"Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter."},
		{"no date", "/", []Header{{"Authorization", "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host"}}, fault.IncompleteSignature,
			"Authorization header requires 'Signature' parameter. Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header."},
		{"part without equal sign", "/", auth("AWS4-HMAC-SHA256 Credential"), fault.IncompleteSignature, "missing equal-sign"},
		{"part twice", "/", auth(full + ", Signature=11"), fault.IncompleteSignature, "'Signature' parameter more than once"},
		{"two headers", "/", append(auth(full), Header{"authorization", full}), fault.IncompleteSignature, "more than one"},
		{"two dates", "/", append(auth(full), date), fault.IncompleteSignature, "ISO-8601"},
		{"scope of six", "/", auth("AWS4-HMAC-SHA256 Credential=a/b/c/d/e/f, SignedHeaders=host, Signature=0"), fault.IncompleteSignature, "exactly 5"},
		{"scope without key", "/", auth("AWS4-HMAC-SHA256 Credential=/b/c/d/e, SignedHeaders=host, Signature=0"), fault.IncompleteSignature, "exactly 5"},
		{"empty name in the list", "/", auth(strings.Replace(full, "=host", "=host;", 1)), fault.IncompleteSignature, "signed headers"},
		{"capitals in the list", "/", auth(strings.Replace(full, "=host", "=Host", 1)), fault.IncompleteSignature, "signed headers"},
		{"name twice in the list", "/", auth(strings.Replace(full, "=host", "=host;x-amz-date;host", 1)), fault.IncompleteSignature, "signed headers"},
		{"not a name in the list", "/", auth(strings.Replace(full, "=host", "=host;a:b", 1)), fault.IncompleteSignature, "signed headers"},
		{"list without host", "/", auth(strings.Replace(full, "=host", "=x-amz-date", 1)), fault.SignatureDoesNotMatch, "'Host'"},
		{"header not there", "/", auth(strings.Replace(full, "=host", "=host;x-lost", 1)), fault.SignatureDoesNotMatch, "'x-lost'"},
		{"parts without spaces", "/", auth(strings.ReplaceAll(full, ", ", ",")), fault.SignatureDoesNotMatch, "we calculated"},
		{"parts without commas", "/", auth(strings.ReplaceAll(full, ", ", "\t ")), fault.SignatureDoesNotMatch, "we calculated"},
		{"unknown parts", "/", auth(full + ", Colour=red"), fault.SignatureDoesNotMatch, "we calculated"},

		{"presigned", presigned, host, fault.SignatureDoesNotMatch, "we calculated"},
		{"presigned and header", presigned, auth(full), fault.SignatureDoesNotMatch, "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."},
		{"presigned, names in lower case", strings.ReplaceAll(presigned, "X-Amz-", "x-amz-"), host, fault.SignatureDoesNotMatch, "we calculated"},
		{"presigned, algorithm only", "/?X-Amz-Algorithm", host, fault.IncompleteSignature,
			"AWS query-string parameters must include 'X-Amz-Algorithm'. AWS query-string parameters must include 'X-Amz-Credential'. AWS query-string parameters must include 'X-Amz-Signature'. AWS query-string parameters must include 'X-Amz-SignedHeaders'. AWS query-string parameters must include 'X-Amz-Date'. Re-examine the query-string parameters."},
		{"presigned, date in the header", strings.Replace(presigned, "X-Amz-Date=20260102T030405Z&", "", 1), append(host, date), fault.IncompleteSignature, "must include 'X-Amz-Date'"},
		{"presigned, other algorithm", strings.Replace(presigned, "HMAC", "ECDSA", 1), host, fault.IncompleteSignature, "Unsupported AWS 'algorithm'"},
		{"presigned, parameter twice", presigned + "&X-Amz-Signature=01", host, fault.IncompleteSignature, "'X-Amz-Signature' only once"},
		{"presigned, bad escape", strings.Replace(presigned, "=host", "=host%", 1), host, fault.IncompleteSignature, "'X-Amz-SignedHeaders' is not properly encoded"},
		{"presigned, other digest", presigned + "&X-Amz-Content-Sha256=00", host, fault.SignatureDoesNotMatch, "x-amz-content-sha256"},
	} {
		_, err := testVerifier().Verify(&Request{Method: "GET", Target: c.target, Headers: c.headers})
		expect(t, c.name, err, c.want, c.text)
	}
	for _, expires := range []string{"0", "-1", "604801", "1.5", "x", "%20", "99999999999999999999"} {
		_, err := testVerifier().Verify(&Request{Method: "GET", Target: presigned + "&X-Amz-Expires=" + expires, Headers: host})
		expect(t, expires, err, fault.IncompleteSignature, "1 to 604800")
	}
}

// TestPresignedWithoutExpires: it lives as long as a header-form signature.
func TestPresignedWithoutExpires(t *testing.T) {
	query := "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" + testKey + "%2F" + strings.ReplaceAll(testScope, "/", "%2F") +
		"&X-Amz-Date=20260102T030405Z&X-Amz-SignedHeaders=host"
	signature := signText("GET\n/\n" + query + "\nhost:h\n\nhost\n" + emptyHash)
	r := &Request{Method: "GET", Target: "/?" + query + "&x-amz-signature=" + signature, Headers: []Header{{"Host", "h"}}}
	v := testVerifier()
	if _, err := v.Verify(r); err != nil {
		t.Fatal(err)
	}
	v.now = func() time.Time { return testNow.Add(15*time.Minute + time.Second) }
	_, err := v.Verify(r)
	expect(t, "late", err, fault.SignatureDoesNotMatch, "- 15 min.)")
}

// TestOrderOfChecks: scope, skew, key, signed headers, signature.
func TestOrderOfChecks(t *testing.T) {
	r := func(service, day, key, list string) *Request {
		return &Request{Method: "GET", Target: "/", Headers: []Header{{"Host", "h"}, {"X-Amz-Date", day + "T030405Z"},
			{"Authorization", fmt.Sprintf("AWS4-HMAC-SHA256 Credential=%s/%s/r/%s/aws4_request, SignedHeaders=%s, Signature=0", key, day, service, list)}}}
	}
	for _, c := range []struct {
		r    *Request
		want *fault.Kind
		text string
	}{
		{r("s3", "20250101", "UNKNOWN", "a"), fault.SignatureDoesNotMatch, "correct service"},
		{r("sqs", "20250101", "UNKNOWN", "a"), fault.SignatureDoesNotMatch, "Signature expired"},
		{r("sqs", "20260102", "UNKNOWN", "a"), fault.InvalidClientTokenID, ""},
		{r("sqs", "20260102", testKey, "a"), fault.SignatureDoesNotMatch, "'a' is not part"},
		{r("sqs", "20260102", testKey, "x-amz-date"), fault.SignatureDoesNotMatch, "'Host'"},
		{r("sqs", "20260102", testKey, "host"), fault.SignatureDoesNotMatch, "we calculated"},
	} {
		_, err := testVerifier().Verify(c.r)
		expect(t, c.text, err, c.want, c.text)
	}
}

func TestPresentedKey(t *testing.T) {
	for _, c := range []struct{ target, authorization, want string }{
		{"/", "", ""},
		{"/", "AWS4-HMAC-SHA256 Credential=AKID/20260102/r/s3/aws4_request, SignedHeaders=host, Signature=0", "AKID"},
		{"/", "AWS4-HMAC-SHA256 SignedHeaders=host,Credential=AKID", "AKID"},
		{"/", "AWS AKID:c2ln", "AKID"},
		{"/", "Bearer token", ""},
		{"/", "AWS4-HMAC-SHA256", ""},
		{"/", "AWS4-HMAC-SHA256 Credential=A\x1bK/", ""},
		{"/", "AWS4-HMAC-SHA256 Credential=" + strings.Repeat("A", 129) + "/", ""},
		{"/?x-amz-credential=AKID%2F20260102%2Fr", "", "AKID"},
		{"/?Action=x&AWSAccessKeyId=AKID&Signature=0", "", "AKID"},
		{"/?X-Amz-Credential=%zz", "", ""},
		{"/?X-Amz-Credential=A%0AB", "", ""},
		{"/?X-Amz-Credential=A%20B", "", ""},
	} {
		r := &Request{Target: c.target}
		if c.authorization != "" {
			r.Headers = []Header{{"authorization", c.authorization}}
		}
		if got := PresentedKey(r); got != c.want {
			t.Errorf("%q, %q: got %q, want %q", c.target, c.authorization, got, c.want)
		}
	}
}

func TestCredentialHidesItsSecret(t *testing.T) {
	c := Credential{AccessKeyID: "AKID", Secret: "s3cret"}
	if s := fmt.Sprintf("%v %+v %#v %s", c, c, c, c); strings.Contains(s, "s3cret") {
		t.Error(s)
	}
}

func TestKeyCacheIsBounded(t *testing.T) {
	var cache keyCache
	for i := range 3*maxKeys + 1 {
		c := &authorization{accessKey: "a", region: fmt.Sprint(i)}
		cache.put(c, newSigningKey("s", c))
		if n := len(*cache.keys.Load()); n > maxKeys {
			t.Fatalf("%d keys kept", n)
		}
		if _, ok := cache.get(Credential{}, c); !ok {
			t.Fatal("the key just put is not kept")
		}
	}
}

func TestRefusedRequestsKeepNoKey(t *testing.T) {
	v := testVerifier()
	r := &Request{Method: "GET", Target: "/", Headers: []Header{
		{"Host", "h"}, {"X-Amz-Date", "20260102T030405Z"}, authorizationHeader("host", "0"),
	}}
	if _, err := v.Verify(r); err == nil {
		t.Fatal("accepted")
	}
	if v.keys.keys.Load() != nil {
		t.Error("a key that never signed anything is kept")
	}
}

func TestConcurrentVerify(t *testing.T) {
	vectors := loadVectors(t)
	creds := []Credential{{vectors[0].Key, vectors[0].Secret}}
	v := New(creds, func() time.Time { return vectors[0].Now })
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, x := range vectors {
				if _, err := v.Verify(x.request()); err != nil {
					t.Errorf("%s: %v", x.Name, err)
				}
			}
		})
	}
	wg.Wait()
}
