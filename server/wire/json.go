package wire

import "unicode/utf8"

// AppendJSON appends a value as JSON. Members of structures and maps that are
// null are left out, a null in a list is written; order is kept.
func AppendJSON(dst []byte, v Value) []byte {
	switch v.kind {
	case KindString:
		return AppendJSONString(dst, v.text)
	case KindNumber, KindBool:
		return append(dst, v.text...)
	case KindList:
		dst = append(dst, '[')
		for i, item := range v.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, item)
		}
		return append(dst, ']')
	case KindObject, KindMap:
		return AppendJSONObject(dst, v.obj)
	}
	return append(dst, "null"...)
}

// AppendJSONObject appends a structure as JSON; a nil one is {}.
func AppendJSONObject(dst []byte, o *Object) []byte {
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
		dst = AppendJSONString(dst, m.Name)
		dst = append(dst, ':')
		dst = AppendJSON(dst, m.Value)
	}
	return append(dst, '}')
}

const hexDigits = "0123456789abcdef"

// plainJSON marks the ASCII characters that stand for themselves in a string.
var plainJSON = func() (t [utf8.RuneSelf]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// AppendJSONString appends a string in quotes. Only what must be escaped is, so
// that every character stays what it was; bytes that are no UTF-8 become U+FFFD.
func AppendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if plainJSON[c] {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = appendJSONEscape(dst, c)
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

func appendJSONEscape(dst []byte, c byte) []byte {
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
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
