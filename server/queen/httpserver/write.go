package httpserver

import (
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendText appends a JSON string. Nothing but what JSON demands is escaped.
func appendText(out []byte, s string) []byte {
	out = append(out, '"')
	from := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				out = append(append(out, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += n
			continue
		}
		if b >= 0x20 && b != '"' && b != '\\' {
			i++
			continue
		}
		out = append(out, s[from:i]...)
		switch b {
		case '"', '\\':
			out = append(out, '\\', b)
		case '\n':
			out = append(out, '\\', 'n')
		case '\r':
			out = append(out, '\\', 'r')
		case '\t':
			out = append(out, '\\', 't')
		case '\b':
			out = append(out, '\\', 'b')
		case '\f':
			out = append(out, '\\', 'f')
		default:
			out = append(out, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
		}
		i++
		from = i
	}
	return append(append(out, s[from:]...), '"')
}

// object writes the members of one JSON object.
type object struct {
	out   []byte
	begun bool
}

func newObject(size int) *object { return &object{out: append(make([]byte, 0, size), '{')} }

func (o *object) name(name string) {
	if o.begun {
		o.out = append(o.out, ',')
	}
	o.begun = true
	o.out = append(append(append(o.out, '"'), name...), '"', ':')
}

func (o *object) text(name, v string) *object {
	o.name(name)
	o.out = appendText(o.out, v)
	return o
}

// textOrNull writes null for an empty string.
func (o *object) textOrNull(name, v string) *object {
	if v == "" {
		return o.raw(name, "null")
	}
	return o.text(name, v)
}

func (o *object) int(name string, v int64) *object {
	o.name(name)
	o.out = strconv.AppendInt(o.out, v, 10)
	return o
}

func (o *object) bool(name string, v bool) *object {
	o.name(name)
	o.out = strconv.AppendBool(o.out, v)
	return o
}

// raw writes a value that is JSON already.
func (o *object) raw(name, v string) *object {
	o.name(name)
	o.out = append(o.out, v...)
	return o
}

// document writes a value that is JSON already; nil is null.
func (o *object) document(name string, v json.RawMessage) *object {
	if v == nil {
		return o.raw(name, "null")
	}
	o.name(name)
	o.out = append(o.out, v...)
	return o
}

// list writes an array of n values that write appends.
func (o *object) list(name string, n int, write func(out []byte, i int) []byte) *object {
	o.name(name)
	o.out = appendList(o.out, n, write)
	return o
}

func appendList(out []byte, n int, write func(out []byte, i int) []byte) []byte {
	out = append(out, '[')
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		out = write(out, i)
	}
	return append(out, ']')
}

func (o *object) micros(name string, t time.Time) *object {
	return o.time(name, t, "2006-01-02T15:04:05.000000Z")
}

func (o *object) millis(name string, t time.Time) *object {
	return o.time(name, t, "2006-01-02T15:04:05.000Z")
}

// offset writes a time the way PostgreSQL does: the fraction without trailing
// zeros, and the offset from UTC.
func (o *object) offset(name string, t time.Time) *object {
	return o.time(name, t, "2006-01-02T15:04:05.999999+00:00")
}

func (o *object) time(name string, t time.Time, layout string) *object {
	if t.IsZero() {
		return o.raw(name, "null")
	}
	o.name(name)
	o.out = append(o.out, '"')
	o.out = t.UTC().AppendFormat(o.out, layout)
	o.out = append(o.out, '"')
	return o
}

// close ends the object.
func (o *object) close() []byte { return append(o.out, '}') }

func errorBody(text string) []byte { return newObject(64).text("error", text).close() }
