package envelope

import (
	"strings"
	"unicode/utf8"
)

// Allowed reports whether SQS lets a body or an attribute value hold r. The set
// is the one XML 1.0 can carry, published in the API reference of SendMessage.
func Allowed(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return true
	case r < ' ':
		return false
	case r <= 0xD7FF:
		return true
	case r < 0xE000:
		return false
	case r <= 0xFFFD:
		return true
	default:
		return r >= 0x10000 && r <= 0x10FFFF
	}
}

// Forbidden answers the first character of s that is not Allowed, and whether
// there is one. Bytes that are not UTF-8 read as U+FFFD, which is forbidden only
// in that form.
func Forbidden(s string) (rune, bool) {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf {
			return forbiddenWide(s[i:])
		} else if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return rune(c), true
		}
	}
	return 0, false
}

func forbiddenWide(s string) (rune, bool) {
	for i, r := range s {
		if !Allowed(r) {
			return r, true
		}
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return r, true
			}
		}
	}
	return 0, false
}

// Sanitize replaces every character that is not Allowed with U+FFFD. Only a
// producer that speaks to the broker directly can have stored one.
func Sanitize(s string) string {
	if _, found := Forbidden(s); !found {
		return s
	}
	return strings.Map(func(r rune) rune {
		if Allowed(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}
