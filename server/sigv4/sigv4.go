// Package sigv4 verifies AWS Signature Version 4: the header form and the
// presigned form, for Amazon SQS and Amazon SNS. It works on what was on the
// wire, so the caller hands over the raw request target and the raw headers
// before anything normalises them.
//
// The rules are those of the AWS page "Create a signed AWS API request". Where
// that page leaves room and signers in the field differ (paths with dot segments
// or empty segments, query strings with '+'), every reading of the request that
// a known signer has is tried; each is a form of the same request.
//
// The region of a scope is not checked (register row QS-29): the key is derived
// from the region the client names.
package sigv4

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
)

const (
	algorithm  = "AWS4-HMAC-SHA256"
	terminator = "aws4_request"

	// maxSkew is how far a clock may be off, and how long a header-form signature
	// lives.
	maxSkew = 15 * time.Minute

	// maxExpires is the longest life of a presigned request in seconds, a week.
	maxExpires = 604800

	unsignedPayload  = "UNSIGNED-PAYLOAD"
	streamingPrefix  = "STREAMING-"
	contentHashField = "x-amz-content-sha256"
)

// Credential is one access key the gateway knows.
type Credential struct {
	AccessKeyID string
	Secret      string
}

// String is the access key id alone, so that formatting a Credential never
// prints its secret.
func (c Credential) String() string { return c.AccessKeyID }

// GoString is String.
func (c Credential) GoString() string { return c.AccessKeyID }

// Header is one header field as it arrived.
type Header struct{ Name, Value string }

// Request is one request as it was on the wire.
type Request struct {
	Method string
	// Target is the raw request target: path and query string, undecoded. The
	// absolute form (http://host/path) is understood too.
	Target string
	// Headers are all fields in order of arrival, repeated ones included, and
	// with them Host.
	Headers []Header
	Body    []byte
}

// Verifier checks signatures against a fixed set of credentials. It is safe for
// concurrent use.
type Verifier struct {
	credentials map[string]Credential
	now         func() time.Time
	keys        keyCache
}

// New makes a Verifier. Of two credentials with one access key id the later
// wins. now is the time skew and expiry are measured against.
func New(creds []Credential, now func() time.Time) *Verifier {
	v := &Verifier{credentials: make(map[string]Credential, len(creds)), now: now}
	for _, c := range creds {
		v.credentials[c.AccessKeyID] = c
	}
	return v
}

// Verify returns the credential that signed the request. The error is always a
// *fault.Error: MissingAuthenticationToken for a request that is not signed,
// IncompleteSignature for one whose signature cannot be read,
// InvalidClientTokenId for an unknown key, and SignatureDoesNotMatch for
// everything else. No message carries a secret, a signature or the canonical
// request.
func (v *Verifier) Verify(r *Request) (Credential, error) {
	path, query := splitTarget(r.Target)
	c, err := readAuthorization(r, query)
	if err != nil {
		return Credential{}, err
	}
	if err := c.checkScope(); err != nil {
		return Credential{}, err
	}
	if err := c.checkTime(v.now()); err != nil {
		return Credential{}, err
	}
	cred, ok := v.credentials[c.accessKey]
	if !ok {
		return Credential{}, fault.InvalidClientTokenID.Default()
	}
	if err := c.checkSignedHeaders(r); err != nil {
		return Credential{}, err
	}

	var digest [2 * sha256.Size]byte
	sum := sha256.Sum256(r.Body)
	hex.Encode(digest[:], sum[:])
	payloads, err := c.payloads(r, digest[:])
	if err != nil {
		return Credential{}, err
	}
	if !v.matches(r, &c, cred, path, query, payloads) {
		return Credential{}, fault.SignatureDoesNotMatch.Default()
	}
	return cred, nil
}

// checkScope holds the scope against what this endpoint serves and against the
// date of the request.
func (c *authorization) checkScope() error {
	if c.service != "sqs" && c.service != "sns" {
		return fault.SignatureDoesNotMatch.With("Credential should be scoped to correct service: 'sqs'. ")
	}
	if c.terminator != terminator {
		return fault.SignatureDoesNotMatch.With("Credential should be scoped with a valid terminator: 'aws4_request'. ")
	}
	if c.day != c.stamp[:8] {
		return fault.SignatureDoesNotMatch.With("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP")
	}
	return nil
}

// checkTime holds the date of the request against now. A presigned request
// lives from its date to date plus expires; skew helps only a date that lies in
// the future.
func (c *authorization) checkTime(now time.Time) error {
	now = now.UTC()
	if latest := now.Add(maxSkew); c.when.After(latest) {
		return fault.SignatureDoesNotMatch.Withf("Signature not yet current: %s is still later than %s (%s + 15 min.)",
			c.stamp, latest.Format(stampLayout), now.Format(stampLayout))
	}
	if c.expires > 0 {
		if end := c.when.Add(c.expires); now.After(end) {
			return fault.SignatureDoesNotMatch.Withf("Signature expired: %s is now earlier than %s",
				end.Format(stampLayout), now.Format(stampLayout))
		}
		return nil
	}
	if earliest := now.Add(-maxSkew); c.when.Before(earliest) {
		return fault.SignatureDoesNotMatch.Withf("Signature expired: %s is now earlier than %s (%s - 15 min.)",
			c.stamp, earliest.Format(stampLayout), now.Format(stampLayout))
	}
	return nil
}

// maxSignedHeaders bounds the work an unauthenticated request can ask for.
const maxSignedHeaders = 100

// checkSignedHeaders checks the list itself (lower-case field names, each once),
// that it has host, and that the request has every header on it.
func (c *authorization) checkSignedHeaders(r *Request) error {
	host := false
	n := 0
	for rest, more := c.signedHeaders, true; more; {
		var name string
		name, rest, more = strings.Cut(rest, ";")
		n++
		if n > maxSignedHeaders || !isLowerToken(name) || listed(rest, name) {
			return fault.IncompleteSignature.With("The list of signed headers must have lower-case header names, each once, separated by semicolons.")
		}
		if name == "host" {
			host = true
		}
		if !r.has(name) {
			return fault.SignatureDoesNotMatch.Withf("The signed header '%.64s' is not part of the request.", name)
		}
	}
	if !host {
		return fault.SignatureDoesNotMatch.With("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.")
	}
	return nil
}

// listed reports whether a list of names separated by semicolons has name.
func listed(list, name string) bool {
	for more := true; more; {
		var n string
		n, list, more = strings.Cut(list, ";")
		if n == name {
			return true
		}
	}
	return false
}

func isLowerToken(name string) bool {
	for i := 0; i < len(name); i++ {
		b := name[i]
		if b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || strings.IndexByte("-_.!#$%&'*+^`|~", b) >= 0 {
			continue
		}
		return false
	}
	return name != ""
}

// payloadSet is the payload hashes a canonical request may end with.
type payloadSet struct {
	digest   []byte
	declared string // instead of digest, in the client's own spelling
	unsigned bool   // also try UNSIGNED-PAYLOAD
}

// payloads decides what the signature may say about the body. A declaration
// counts only when the signature covers it: as a signed header, or as a
// parameter of a presigned request.
func (c *authorization) payloads(r *Request, digest []byte) (payloadSet, error) {
	declared := c.contentHash
	if listed(c.signedHeaders, contentHashField) {
		declared = r.joined(contentHashField)
	}
	switch {
	case declared == "":
		return payloadSet{digest: digest, unsigned: c.presigned}, nil
	case declared == unsignedPayload, strings.HasPrefix(declared, streamingPrefix):
		return payloadSet{declared: declared}, nil
	case len(declared) == len(digest) && strings.EqualFold(declared, string(digest)):
		return payloadSet{declared: declared}, nil
	}
	return payloadSet{}, fault.SignatureDoesNotMatch.With("The provided 'x-amz-content-sha256' header does not match what was computed.")
}

// has reports whether the request has a header of that name.
func (r *Request) has(name string) bool {
	for i := range r.Headers {
		if strings.EqualFold(r.Headers[i].Name, name) {
			return true
		}
	}
	return false
}

// joined is the value of a header with repeated fields joined by a comma, and
// empty when there is none.
func (r *Request) joined(name string) string {
	value, found := "", false
	for i := range r.Headers {
		if !strings.EqualFold(r.Headers[i].Name, name) {
			continue
		}
		v := strings.Trim(r.Headers[i].Value, whitespace)
		if found {
			v = value + "," + v
		}
		value, found = v, true
	}
	return value
}
