package httpserver

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// query reads the parameters of a request's query. The first value that does not
// parse is the whole request's refusal.
type query struct {
	values map[string]string
	err    string // what does not parse
}

// readQuery decodes a query; once lists parameters that may be given once only.
func (r *request) readQuery(once ...string) *query {
	q := &query{values: map[string]string{}}
	for _, pair := range strings.Split(r.query, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, value = unquery(name), unquery(value)
		if _, again := q.values[name]; again && q.err == "" {
			for _, o := range once {
				if o == name {
					q.err = "duplicate field `" + name + "`"
				}
			}
		}
		q.values[name] = value
	}
	return q
}

func unquery(s string) string {
	return strings.ToValidUTF8(unpercent(strings.ReplaceAll(s, "+", " ")), "\ufffd")
}

// unpercent decodes percent escapes. A percent sign that begins none stands for
// itself.
func unpercent(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if b, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
				out = append(out, b[0])
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

func (q *query) text(name string) string { return q.values[name] }

// int reads a whole number of the given bits (negative bits: unsigned).
func (q *query) int(name string, bits int, absent int64) int64 {
	text, given := q.values[name]
	if !given || q.err != "" {
		return absent
	}
	if bits < 0 {
		n, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, -bits)
		q.note(text, err)
		return int64(min(n, 1<<62))
	}
	n, err := strconv.ParseInt(text, 10, bits)
	q.note(text, err)
	return n
}

func (q *query) note(text string, err error) {
	switch {
	case err == nil:
	case text == "":
		q.err = "cannot parse integer from empty string"
	case strings.HasSuffix(err.Error(), strconv.ErrRange.Error()) && text[0] == '-':
		q.err = "number too small to fit in target type"
	case strings.HasSuffix(err.Error(), strconv.ErrRange.Error()):
		q.err = "number too large to fit in target type"
	default:
		q.err = "invalid digit found in string"
	}
}

func (q *query) bool(name string) bool {
	text, given := q.values[name]
	if !given || q.err != "" {
		return false
	}
	if text != "true" && text != "false" {
		q.err = "provided string was not `true` or `false`"
	}
	return text == "true"
}

// refusal is the answer to a query that does not parse, nil for one that does.
func (q *query) refusal() *answer {
	if q.err == "" {
		return nil
	}
	a := plain(400, "Failed to deserialize query string: %s", q.err)
	return &a
}

// lenient reads a whole number that is never refused.
func (q *query) lenient(name string, absent, least, most int64) int64 {
	n, err := strconv.ParseInt(q.values[name], 10, 64)
	if err != nil {
		return absent
	}
	return min(max(n, least), most)
}
