package awsjson

import (
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// ContentType is that of every answer, errors included.
const ContentType = "application/x-amz-json-1.0"

// QueryErrorHeader is the header that gives an error's code as Query spells it.
// SDKs that came from Query read it. There is no X-Amzn-Errortype beside it: the
// Java SDK v1 loses its typed exceptions when it finds one.
const QueryErrorHeader = "x-amzn-query-error"

// AppendResult appends the body of an answer. Members that are null are left
// out; a list or map that the action put in is written even if it is empty. A
// nil result, that of an action without one, is {}.
func AppendResult(dst []byte, result *wire.Object) []byte {
	return appendObject(dst, result)
}

// AppendError appends the body of an error. The status is the kind's, the header
// is QueryError's.
func AppendError(dst []byte, err *fault.Error) []byte {
	dst = append(dst, `{"__type":"`...)
	dst = append(dst, err.Kind.Namespace...)
	dst = append(dst, '#')
	dst = append(dst, err.Kind.JSON...)
	dst = append(dst, `","message":`...)
	dst = AppendString(dst, err.Message())
	return append(dst, '}')
}

// QueryError is the value of the header x-amzn-query-error.
func QueryError(err *fault.Error) string {
	return err.Kind.Query + ";" + err.Kind.Side()
}

// AppendValue appends a value as JSON.
func AppendValue(dst []byte, v wire.Value) []byte {
	switch v.Kind() {
	case wire.KindString:
		return AppendString(dst, v.Text())
	case wire.KindNumber, wire.KindBool:
		return append(dst, v.Text()...)
	case wire.KindList:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendValue(dst, item)
		}
		return append(dst, ']')
	case wire.KindObject, wire.KindMap:
		return appendObject(dst, v.Object())
	}
	return append(dst, "null"...)
}

func appendObject(dst []byte, o *wire.Object) []byte {
	dst = append(dst, '{')
	first := true
	for _, m := range o.Members() {
		if m.Value.IsNull() {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = AppendString(dst, m.Name)
		dst = append(dst, ':')
		dst = AppendValue(dst, m.Value)
	}
	return append(dst, '}')
}

const hex = "0123456789abcdef"

// AppendString appends a string in quotes. Only what must be escaped is, so
// that every character stays what it was; bytes that are no UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if plain[c] {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, s[start:i]...)
			dst = utf8.AppendRune(dst, utf8.RuneError)
			start = i + n
		}
		i += n
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
