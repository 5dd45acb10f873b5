package front

import (
	"strings"

	"github.com/queen-mq/queen-sqs/server/sigv4"
)

// appendHeaders appends every field of a header block in order of arrival, with
// its value as it was on the wire: the signature covers that, so nothing may
// have normalised it. A folded value keeps its line breaks. The block is what
// fasthttp read and checked already; a line without a colon is skipped.
func appendHeaders(dst []sigv4.Header, block string) []sigv4.Header {
	for block != "" {
		end := lineEnd(block)
		for end < len(block) && (block[end] == ' ' || block[end] == '\t') {
			end += lineEnd(block[end:])
		}
		line := strings.TrimRight(block[:end], "\r\n")
		block = block[end:]
		if name, value, ok := strings.Cut(line, ":"); ok {
			dst = append(dst, sigv4.Header{Name: name, Value: value})
		}
	}
	return dst
}

// lineEnd is where the line after the first one begins.
func lineEnd(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	return len(s)
}

// header is the trimmed value of the first field of that name, empty when there
// is none.
func header(headers []sigv4.Header, name string) string {
	for i := range headers {
		if strings.EqualFold(headers[i].Name, name) {
			return strings.Trim(headers[i].Value, " \t\r\n")
		}
	}
	return ""
}

// originForm is a request target without the scheme and authority that a client
// may have put before it, and that authority.
func originForm(target string) (origin, authority string) {
	if strings.HasPrefix(target, "/") {
		return target, ""
	}
	_, rest, ok := strings.Cut(target, "://")
	if !ok {
		return target, ""
	}
	i := strings.IndexAny(rest, "/?")
	if i < 0 {
		return "/", rest
	}
	if rest[i] == '?' {
		return "/" + rest[i:], rest[:i]
	}
	return rest[i:], rest[:i]
}
