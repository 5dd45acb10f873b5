package sigv4

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
)

// whitespace is what is trimmed from header values and collapsed inside them.
// Line breaks are in it because a folded header may arrive unfolded or not.
const whitespace = " \t\r\n\v\f"

// splitTarget cuts a request target into path and query string, both raw.
func splitTarget(target string) (path, query string) {
	if !strings.HasPrefix(target, "/") {
		if _, rest, ok := strings.Cut(target, "://"); ok {
			target = ""
			if i := strings.IndexAny(rest, "/?"); i >= 0 {
				target = rest[i:]
			}
		}
	}
	path, query, _ = strings.Cut(target, "?")
	return path, query
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 2048); return &b }}

// matches computes the signature of every reading of the request until one is
// the one given. An ordinary request has one reading.
func (v *Verifier) matches(r *Request, c *authorization, cred Credential, path, query string, payloads payloadSet) bool {
	key, cached := v.keys.get(cred, c)
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)

	paths := canonicalPaths(path)
	queries := canonicalQueries(query, c.presigned)
	for _, p := range paths.all() {
		for _, q := range queries.all() {
			b := append((*buf)[:0], r.Method...)
			b = append(append(append(b, '\n'), p...), '\n')
			b = append(append(b, q...), '\n')
			b = appendHeaders(b, r, c.signedHeaders)
			b = append(append(append(b, '\n'), c.signedHeaders...), '\n')
			*buf = b
			head := len(b)

			b = append(append(b, payloads.digest...), payloads.declared...)
			ok := key.signs(c, sha256.Sum256(b))
			if !ok && payloads.unsigned {
				b = append(b[:head], unsignedPayload...)
				ok = key.signs(c, sha256.Sum256(b))
			}
			*buf = b
			if ok {
				if !cached {
					v.keys.put(c, key)
				}
				return true
			}
		}
	}
	return false
}

// signs reports whether the signature given is this key's over a canonical
// request with that digest.
func (k *signingKey) signs(c *authorization, canonical [sha256.Size]byte) bool {
	var space [256]byte
	b := append(space[:0], algorithm+"\n"...)
	b = append(append(b, c.stamp...), '\n')
	b = append(append(b, c.day...), '/')
	b = append(append(b, c.region...), '/')
	b = append(append(b, c.service...), "/"+terminator+"\n"...)
	b = hex.AppendEncode(b, canonical[:])

	mac := k.sum(b)
	var want [2 * sha256.Size]byte
	hex.Encode(want[:], mac[:])
	return subtle.ConstantTimeCompare(want[:], []byte(c.signature)) == 1
}

// appendHeaders appends the canonical headers in the order of the list.
func appendHeaders(b []byte, r *Request, list string) []byte {
	for more := true; more; {
		var name string
		name, list, more = strings.Cut(list, ";")
		b = append(append(b, name...), ':')
		first := true
		for i := range r.Headers {
			if !strings.EqualFold(r.Headers[i].Name, name) {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			b = appendCollapsed(b, r.Headers[i].Value)
		}
		b = append(b, '\n')
	}
	return b
}

// appendCollapsed appends a value without white space at its ends, and with one
// space for every run of white space inside.
func appendCollapsed(b []byte, value string) []byte {
	value = strings.Trim(value, whitespace)
	gap := false
	for i := 0; i < len(value); i++ {
		if strings.IndexByte(whitespace, value[i]) >= 0 {
			gap = true
			continue
		}
		if gap {
			b = append(b, ' ')
			gap = false
		}
		b = append(b, value[i])
	}
	return b
}

// variants are the different readings of one part of a request, the usual one
// first.
type variants struct {
	text [3]string
	n    int
}

func (v *variants) add(s string) {
	if slices.Contains(v.text[:v.n], s) {
		return
	}
	v.text[v.n] = s
	v.n++
}

func (v *variants) all() []string { return v.text[:v.n] }

// canonicalPaths are the readings of a path: dot segments and empty segments
// removed (what AWS documents; botocore and the JavaScript SDK), only dot
// segments removed (RFC 3986), and as received (the Go and PHP SDKs). Each is
// encoded once more, since the path on the wire is encoded already.
func canonicalPaths(path string) (v variants) {
	if path == "" {
		path = "/"
	}
	if strings.Contains(path, "//") || strings.Contains(path, "/.") {
		v.add(escapePath(removeDots(path, true)))
		v.add(escapePath(removeDots(path, false)))
	}
	v.add(escapePath(path))
	return v
}

// removeDots resolves the "." and ".." segments of a path, and with collapse
// removes its empty segments.
func removeDots(path string, collapse bool) string {
	var kept []string
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch {
		case s == "." || s == "..":
			if s == ".." && len(kept) > 0 {
				kept = kept[:len(kept)-1]
			}
			if last && !collapse && len(kept) > 0 {
				kept = append(kept, "")
			}
		case s != "" || !collapse:
			kept = append(kept, s)
		case last && len(kept) > 0:
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/")
}

func escapePath(path string) string {
	for i := 0; i < len(path); i++ {
		if path[i] != '/' && !unreserved(path[i]) {
			return string(appendEscaped(nil, path, true))
		}
	}
	return path
}

func unreserved(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' ||
		b == '-' || b == '_' || b == '.' || b == '~'
}

func appendEscaped(b []byte, s string, slash bool) []byte {
	const digits = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		switch {
		case unreserved(s[i]), slash && s[i] == '/':
			b = append(b, s[i])
		default:
			b = append(b, '%', digits[s[i]>>4], digits[s[i]&15])
		}
	}
	return b
}

type pair struct{ name, value string }

// canonicalQueries are the readings of a query string: its pairs as received
// (botocore, Ruby), and its pairs decoded as a form and encoded anew (the Go
// SDK, curl, and whoever writes '+' for a space). A presigned request leaves its
// own signature out.
func canonicalQueries(query string, presigned bool) (v variants) {
	if query == "" {
		v.add("")
		return v
	}
	pairs := make([]pair, 0, strings.Count(query, "&")+1)
	for more := true; more; {
		var p string
		p, query, more = strings.Cut(query, "&")
		name, value, _ := strings.Cut(p, "=")
		if presigned && strings.EqualFold(unescaped(name), "X-Amz-Signature") {
			continue
		}
		pairs = append(pairs, pair{name, value})
	}
	v.add(joinPairs(pairs))

	anew := pairs[:0]
	for _, p := range pairs {
		name, okName := unescape(p.name, true)
		value, okValue := unescape(p.value, true)
		if !okName || !okValue {
			return v
		}
		if name == "" && value == "" {
			continue
		}
		anew = append(anew, pair{string(appendEscaped(nil, name, false)), string(appendEscaped(nil, value, false))})
	}
	v.add(joinPairs(anew))
	return v
}

// joinPairs sorts pairs by name, then value, bytewise, and joins them. A
// parameter without a value has an empty one.
func joinPairs(pairs []pair) string {
	slices.SortFunc(pairs, func(a, b pair) int {
		if d := strings.Compare(a.name, b.name); d != 0 {
			return d
		}
		return strings.Compare(a.value, b.value)
	})
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p.name)
		b.WriteByte('=')
		b.WriteString(p.value)
	}
	return b.String()
}

// unescape decodes percent escapes, and with form also '+'.
func unescape(s string, form bool) (string, bool) {
	if !strings.Contains(s, "%") && !(form && strings.Contains(s, "+")) {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+' && form:
			b = append(b, ' ')
		case s[i] != '%':
			b = append(b, s[i])
		default:
			if i+2 >= len(s) {
				return "", false
			}
			var err error
			if b, err = hex.AppendDecode(b, []byte(s[i+1:i+3])); err != nil {
				return "", false
			}
			i += 2
		}
	}
	return string(b), true
}

// unescaped is the name of a parameter, decoded where it can be.
func unescaped(name string) string {
	if decoded, ok := unescape(name, false); ok {
		return decoded
	}
	return name
}
