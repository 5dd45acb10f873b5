package filter

import (
	"strconv"
	"strings"
)

// wildcard is a pattern cut at its asterisks: the text begins with the first
// piece, ends with the last, and has the others between them in their order.
// Without an asterisk there is one piece, which is the whole text.
type wildcard []string

// parseWildcard reads a pattern. An asterisk stands for any text, also none; a
// backslash takes the asterisk or the backslash behind it literally. Two
// asterisks in a row and any other use of the backslash are refused. Positions
// in the reasons count bytes and the opening quote.
func parseWildcard(pattern string) (w wildcard, reason string) {
	var piece strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '*':
			if strings.HasPrefix(pattern[i+1:], "*") {
				return nil, "Consecutive wildcard characters at pos " + strconv.Itoa(i+1)
			}
			w = append(w, piece.String())
			piece.Reset()
		case '\\':
			next := pattern[i+1:]
			if next == "" || next[0] != '*' && next[0] != '\\' {
				return nil, "Invalid escape character at pos " + strconv.Itoa(i+1)
			}
			i++
			piece.WriteByte(pattern[i])
		default:
			piece.WriteByte(pattern[i])
		}
	}
	return append(w, piece.String()), ""
}

// match takes each middle piece at its first place: an asterisk matches anything,
// so a later place can never succeed where the first one fails, and nothing is
// tried twice.
func (w wildcard) match(s string) bool {
	first, last := w[0], w[len(w)-1]
	if len(w) == 1 {
		return s == first
	}
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, piece := range w[1 : len(w)-1] {
		at := strings.Index(s, piece)
		if at < 0 {
			return false
		}
		s = s[at+len(piece):]
	}
	return true
}
