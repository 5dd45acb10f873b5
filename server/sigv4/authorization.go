package sigv4

import (
	"strconv"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
)

// stampLayout is the ISO 8601 basic format of X-Amz-Date.
const stampLayout = "20060102T150405Z"

// authorization is what a request says about its own signature, unchecked. Its strings
// share the request's memory.
type authorization struct {
	presigned bool

	accessKey, day, region, service, terminator string

	signedHeaders string
	signature     string

	stamp string // the date as the string to sign has it
	when  time.Time

	expires     time.Duration // presigned only; 0 when the request names none
	contentHash string        // presigned only: X-Amz-Content-Sha256 of the query
}

// readAuthorization reads the Authorization header or the presigned parameters.
func readAuthorization(r *Request, query string) (authorization, error) {
	text, count := "", 0
	for i := range r.Headers {
		if strings.EqualFold(r.Headers[i].Name, "authorization") {
			text = strings.Trim(r.Headers[i].Value, whitespace)
			count++
		}
	}
	p, presigned, err := readParameters(query)
	switch {
	case err != nil:
		return authorization{}, err
	case count > 1:
		return authorization{}, fault.IncompleteSignature.With("The request has more than one Authorization header.")
	case count == 1 && presigned:
		return authorization{}, fault.SignatureDoesNotMatch.With("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.")
	case presigned:
		return p.authorization()
	case text == "":
		return authorization{}, fault.MissingAuthenticationToken.Default()
	}
	return readHeader(r, text)
}

// readHeader reads the header form:
//
//	AWS4-HMAC-SHA256 Credential=KEY/DAY/REGION/SERVICE/aws4_request, SignedHeaders=a;b, Signature=HEX
//
// The parts come in any order, separated by commas, white space or both.
func readHeader(r *Request, text string) (authorization, error) {
	scheme, rest := cutField(text)
	if scheme != algorithm {
		return authorization{}, unsupported(scheme)
	}
	var c authorization
	var credential string
	for {
		var part string
		if part, rest = cutField(rest); part == "" {
			break
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return authorization{}, fault.IncompleteSignature.With("Invalid key=value pair (missing equal-sign) in Authorization header.")
		}
		var into *string
		switch name {
		case "Credential":
			into = &credential
		case "SignedHeaders":
			into = &c.signedHeaders
		case "Signature":
			into = &c.signature
		default:
			continue
		}
		if *into != "" {
			return authorization{}, fault.IncompleteSignature.Withf("Authorization header has the '%s' parameter more than once.", name)
		}
		*into = value
	}

	date, fallback := r.joined("x-amz-date"), false
	if date == "" {
		date, fallback = r.joined("date"), true
	}
	var missing []string
	for _, part := range [...]struct{ name, value string }{
		{"Credential", credential}, {"Signature", c.signature}, {"SignedHeaders", c.signedHeaders},
	} {
		if part.value == "" {
			missing = append(missing, "Authorization header requires '"+part.name+"' parameter.")
		}
	}
	if date == "" {
		missing = append(missing, "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.")
	}
	if missing != nil {
		return authorization{}, fault.IncompleteSignature.With(strings.Join(missing, " "))
	}
	if err := c.setCredential(credential); err != nil {
		return authorization{}, err
	}
	err := c.setDate(date, fallback)
	return c, err
}

// unsupported words the refusal of an Authorization that is not ours to read.
func unsupported(scheme string) error {
	switch {
	case strings.HasPrefix(scheme, "AWS4-") && len(scheme) <= 64:
		return fault.IncompleteSignature.Withf("Unsupported AWS 'algorithm': '%s' (only AWS4-HMAC-SHA256 for now).", scheme)
	case scheme == "AWS":
		return fault.IncompleteSignature.With("Signature Version 2 is not supported; sign with Signature Version 4 (AWS4-HMAC-SHA256).")
	}
	return fault.IncompleteSignature.With("The Authorization header must begin with AWS4-HMAC-SHA256.")
}

// cutField cuts the first field off a list separated by commas and white space.
func cutField(s string) (field, rest string) {
	s = strings.TrimLeft(s, ", \t")
	if end := strings.IndexAny(s, ", \t"); end >= 0 {
		return s[:end], s[end:]
	}
	return s, ""
}

// setCredential takes KEY/DAY/REGION/SERVICE/TERMINATOR apart. The text is not
// echoed: people paste secrets into it.
func (c *authorization) setCredential(credential string) error {
	if strings.Count(credential, "/") != 4 || credential[0] == '/' {
		return fault.IncompleteSignature.With("Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term")
	}
	c.accessKey, credential, _ = strings.Cut(credential, "/")
	c.day, credential, _ = strings.Cut(credential, "/")
	c.region, credential, _ = strings.Cut(credential, "/")
	c.service, c.terminator, _ = strings.Cut(credential, "/")
	return nil
}

// setDate reads the date of the request. Only a Date header may also be an HTTP
// date; the string to sign has it in the basic format all the same.
func (c *authorization) setDate(date string, httpDate bool) error {
	if len(date) == len(stampLayout) {
		if t, err := time.Parse(stampLayout, date); err == nil {
			c.stamp, c.when = date, t
			return nil
		}
	}
	if httpDate {
		if t, ok := parseHTTPDate(date); ok {
			c.stamp, c.when = t.Format(stampLayout), t
			return nil
		}
	}
	return fault.IncompleteSignature.Withf("Date must be in ISO-8601 'basic format'. Got '%.40s'. See http://en.wikipedia.org/wiki/ISO_8601", printable(date))
}

// parseHTTPDate reads an RFC 1123 date, whose zone must be a spelling of UTC.
func parseHTTPDate(s string) (time.Time, bool) {
	for _, zone := range [...]string{" GMT", " UTC", " +0000", " -0000"} {
		if rest, ok := strings.CutSuffix(s, zone); ok {
			t, err := time.Parse("Mon, 2 Jan 2006 15:04:05", rest)
			return t, err == nil
		}
	}
	return time.Time{}, false
}

// printable blanks a text that holds anything but visible ASCII and spaces, so
// that an echo of it cannot write into a log or a terminal.
func printable(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return ""
		}
	}
	return s
}

// parameters are the presigned parameters of a query string, decoded.
type parameters struct {
	algorithm, credential, date, expires, signedHeaders, signature, contentHash string
}

// readParameters reads the query's presigned parameters, whose names are not
// case-sensitive. presigned reports whether there is an X-Amz-Algorithm.
func readParameters(query string) (p parameters, presigned bool, err error) {
	repeated, malformed := "", ""
	for more := query != ""; more; {
		var pair string
		pair, query, more = strings.Cut(query, "&")
		name, raw, _ := strings.Cut(pair, "=")
		into, known := p.field(unescaped(name))
		if into == nil {
			continue
		}
		if into == &p.algorithm {
			presigned = true
		}
		value, ok := unescape(raw, false)
		switch {
		case !ok:
			malformed = known
		case *into != "":
			repeated = known
		default:
			*into = value
		}
	}
	switch {
	case !presigned:
		return p, false, nil
	case malformed != "":
		return p, true, fault.IncompleteSignature.Withf("The query-string parameter '%s' is not properly encoded.", malformed)
	case repeated != "":
		return p, true, fault.IncompleteSignature.Withf("AWS query-string parameters must include '%s' only once.", repeated)
	}
	return p, true, nil
}

// field returns where a parameter of that name goes, and its usual spelling.
func (p *parameters) field(name string) (*string, string) {
	const prefix = "X-Amz-"
	if len(name) < len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix) {
		return nil, ""
	}
	for _, f := range [...]struct {
		name string
		into *string
	}{
		{"X-Amz-Algorithm", &p.algorithm},
		{"X-Amz-Credential", &p.credential},
		{"X-Amz-Date", &p.date},
		{"X-Amz-Expires", &p.expires},
		{"X-Amz-SignedHeaders", &p.signedHeaders},
		{"X-Amz-Signature", &p.signature},
		{"X-Amz-Content-Sha256", &p.contentHash},
	} {
		if strings.EqualFold(name, f.name) {
			return f.into, f.name
		}
	}
	return nil, ""
}

func (p *parameters) authorization() (authorization, error) {
	var missing []string
	for _, part := range [...]struct{ name, value string }{
		{"X-Amz-Algorithm", p.algorithm},
		{"X-Amz-Credential", p.credential},
		{"X-Amz-Signature", p.signature},
		{"X-Amz-SignedHeaders", p.signedHeaders},
		{"X-Amz-Date", p.date},
	} {
		if part.value == "" {
			missing = append(missing, "AWS query-string parameters must include '"+part.name+"'.")
		}
	}
	if missing != nil {
		return authorization{}, fault.IncompleteSignature.With(strings.Join(append(missing, "Re-examine the query-string parameters."), " "))
	}
	if p.algorithm != algorithm {
		return authorization{}, unsupported(printable(p.algorithm))
	}
	c := authorization{
		presigned:     true,
		signedHeaders: p.signedHeaders,
		signature:     p.signature,
		contentHash:   p.contentHash,
	}
	if err := c.setCredential(p.credential); err != nil {
		return authorization{}, err
	}
	if err := c.setDate(p.date, false); err != nil {
		return authorization{}, err
	}
	err := c.setExpires(p.expires)
	return c, err
}

// setExpires reads X-Amz-Expires, whole seconds from 1 to a week. A presigned
// request without it lives as long as a header-form one: signers leave it to
// their caller, and AWS does not count it among the parts that are required.
func (c *authorization) setExpires(s string) error {
	if s == "" {
		return nil
	}
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n < 1 || n > maxExpires {
		return fault.IncompleteSignature.With("X-Amz-Expires must be a whole number of seconds from 1 to 604800.")
	}
	c.expires = time.Duration(n) * time.Second
	return nil
}

// maxKeyLength is the longest access key id of AWS.
const maxKeyLength = 128

// PresentedKey is the access key id a request presents, unchecked, for logs and
// for a gateway that does not verify; empty when it presents none, or one that is
// no key id (more than 128 characters, or not visible ASCII). Signature Version
// 2 counts too. The key may share the request's memory.
func PresentedKey(r *Request) string {
	for i := range r.Headers {
		if !strings.EqualFold(r.Headers[i].Name, "authorization") {
			continue
		}
		scheme, rest := cutField(strings.Trim(r.Headers[i].Value, whitespace))
		if scheme == "AWS" {
			key, _, _ := strings.Cut(strings.Trim(rest, whitespace), ":")
			return keyID(key)
		}
		for rest != "" {
			var part string
			part, rest = cutField(rest)
			if credential, ok := strings.CutPrefix(part, "Credential="); ok {
				key, _, _ := strings.Cut(credential, "/")
				return keyID(key)
			}
		}
	}
	_, query := splitTarget(r.Target)
	for more := query != ""; more; {
		var pair string
		pair, query, more = strings.Cut(query, "&")
		name, raw, _ := strings.Cut(pair, "=")
		name = unescaped(name)
		if !strings.EqualFold(name, "X-Amz-Credential") && name != "AWSAccessKeyId" {
			continue
		}
		value, _ := unescape(raw, false)
		key, _, _ := strings.Cut(value, "/")
		return keyID(key)
	}
	return ""
}

func keyID(s string) string {
	if len(s) > maxKeyLength || strings.Contains(s, " ") {
		return ""
	}
	return printable(s)
}
