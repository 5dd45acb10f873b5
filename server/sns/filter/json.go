package filter

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// kind is the type of a JSON value.
type kind uint8

const (
	null kind = iota
	no
	yes
	number
	text
	list
	fields
)

// value is a JSON value. A policy keeps the members of an object in their order;
// a document has them sorted by name, so that a lookup is a binary search.
type value struct {
	kind kind
	// text is a string without its quotes, or the literal of a number.
	text string
	// number is what a number's literal means.
	number *decimal
	// items are the elements of an array or the values of an object's members.
	items []value
	// names are the names of an object's members, none twice.
	names []string
}

// get answers a member of a document's object, or nil. v may be nil.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	i, ok := slices.BinarySearch(v.names, name)
	if !ok {
		return nil
	}
	return &v.items[i]
}

// scanner reads one JSON text. Errors are worded as the parser that AWS uses
// words them, without the position.
type scanner struct {
	src string
	pos int
	// arrange makes an object of its members, in the order of the text. It may
	// move them, but must not keep the slices. level is the object's own depth,
	// from 1.
	arrange func(names []string, items []value, level int) (value, error)
	// names and items are the members and elements of what is open.
	names []string
	items []value
}

// syntaxError is why a text is no JSON.
type syntaxError string

func (e syntaxError) Error() string { return string(e) }

const wantValue = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')"

// parse reads a whole text.
func (s *scanner) parse() (value, error) {
	if !utf8.ValidString(s.src) {
		return value{}, syntaxError("Invalid UTF-8")
	}
	s.blank()
	if s.pos == len(s.src) {
		return value{}, syntaxError("No content to map due to end-of-input")
	}
	v, err := s.value(1)
	if err != nil {
		return value{}, err
	}
	s.blank()
	if s.pos < len(s.src) {
		return value{}, s.unexpected("expected end of input")
	}
	return v, nil
}

func (s *scanner) blank() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// next skips blanks and takes c if it comes next.
func (s *scanner) next(c byte) bool {
	s.blank()
	if s.pos == len(s.src) || s.src[s.pos] != c {
		return false
	}
	s.pos++
	return true
}

// unexpected is the error at the current character, or at the end of the text.
func (s *scanner) unexpected(want string) error {
	if s.pos >= len(s.src) {
		return syntaxError("Unexpected end-of-input: " + want)
	}
	return syntaxError("Unexpected character (" + s.describe() + "): " + want)
}

func (s *scanner) describe() string {
	r, _ := utf8.DecodeRuneInString(s.src[s.pos:])
	switch {
	case r < ' ' || r == 0x7f:
		return fmt.Sprintf("(CTRL-CHAR, code %d)", r)
	case r > 0xff:
		return fmt.Sprintf("'%c' (code %d / 0x%x)", r, r, r)
	}
	return fmt.Sprintf("'%c' (code %d)", r, r)
}

// value reads a value that starts at level, from 1 for the whole text.
func (s *scanner) value(level int) (value, error) {
	s.blank()
	if s.pos == len(s.src) {
		return value{}, s.unexpected("expected a value " + wantValue)
	}
	switch c := s.src[s.pos]; {
	case c == '{' || c == '[':
		if level > mostLevels {
			return value{}, syntaxError(fmt.Sprintf("Document nesting depth (%d) exceeds the maximum allowed (%d)", level, mostLevels))
		}
		s.pos++
		if c == '{' {
			return s.object(level)
		}
		return s.array(level)
	case c == '"':
		t, err := s.string()
		return value{kind: text, text: t}, err
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	}
	return s.word()
}

func (s *scanner) object(level int) (value, error) {
	if s.next('}') {
		return value{kind: fields}, nil
	}
	firstName, firstItem := len(s.names), len(s.items)
	for {
		s.blank()
		if s.pos == len(s.src) || s.src[s.pos] != '"' {
			return value{}, s.unexpected("was expecting double-quote to start field name")
		}
		name, err := s.string()
		if err != nil {
			return value{}, err
		}
		if !s.next(':') {
			return value{}, s.unexpected("was expecting a colon to separate field name and value")
		}
		item, err := s.value(level + 1)
		if err != nil {
			return value{}, err
		}
		s.names, s.items = append(s.names, name), append(s.items, item)
		if s.next(',') {
			continue
		}
		if s.next('}') {
			v, err := s.arrange(s.names[firstName:], s.items[firstItem:], level)
			s.names, s.items = s.names[:firstName], s.items[:firstItem]
			return v, err
		}
		return value{}, s.unexpected("was expecting comma to separate Object entries")
	}
}

func (s *scanner) array(level int) (value, error) {
	if s.next(']') {
		return value{kind: list}, nil
	}
	first := len(s.items)
	for {
		item, err := s.value(level + 1)
		if err != nil {
			return value{}, err
		}
		s.items = append(s.items, item)
		if s.next(',') {
			continue
		}
		if s.next(']') {
			v := value{kind: list, items: slices.Clone(s.items[first:])}
			s.items = s.items[:first]
			return v, nil
		}
		return value{}, s.unexpected("was expecting comma to separate Array entries")
	}
}

// string reads a string from its opening quote. Without escapes it is a part of
// the source.
func (s *scanner) string() (string, error) {
	s.pos++
	start := s.pos
	var escaped []byte
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '"':
			tail := s.src[start:s.pos]
			s.pos++
			if escaped == nil {
				return tail, nil
			}
			return string(append(escaped, tail...)), nil
		case c == '\\':
			escaped = append(escaped, s.src[start:s.pos]...)
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			escaped = utf8.AppendRune(escaped, r)
			start = s.pos
		case c < ' ':
			return "", syntaxError("Illegal unquoted character (" + s.describe() + "): has to be escaped using backslash to be included in string value")
		default:
			s.pos++
		}
	}
	return "", s.unexpected("was expecting closing quote for a string value")
}

var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads an escape from its backslash. Half of a surrogate pair becomes
// U+FFFD.
func (s *scanner) escape() (rune, error) {
	s.pos++
	if s.pos == len(s.src) {
		return 0, s.unexpected("was expecting an escaped character")
	}
	if s.src[s.pos] != 'u' {
		r, ok := escapes[s.src[s.pos]]
		if !ok {
			return 0, syntaxError("Unrecognized character escape " + s.describe())
		}
		s.pos++
		return r, nil
	}
	s.pos++
	r, err := s.hex()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if !strings.HasPrefix(s.src[s.pos:], `\u`) {
		return utf8.RuneError, nil
	}
	half := s.pos
	s.pos += 2
	low, err := s.hex()
	if err != nil {
		return 0, err
	}
	pair := utf16.DecodeRune(r, low)
	if pair == utf8.RuneError {
		s.pos = half
	}
	return pair, nil
}

func (s *scanner) hex() (r rune, err error) {
	for range 4 {
		if s.pos == len(s.src) {
			return 0, s.unexpected("expected a hex-digit for character escape sequence")
		}
		c := rune(s.src[s.pos])
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, s.unexpected("expected a hex-digit for character escape sequence")
		}
		r = r<<4 | c
		s.pos++
	}
	return r, nil
}

func (s *scanner) number() (value, error) {
	start := s.pos
	if s.src[s.pos] == '-' {
		s.pos++
	}
	if err := s.digits("Expected digit (0-9) to follow minus sign, for valid numeric value"); err != nil {
		return value{}, err
	}
	whole := strings.TrimPrefix(s.src[start:s.pos], "-")
	if len(whole) > 1 && whole[0] == '0' {
		return value{}, syntaxError("Invalid numeric value: Leading zeroes not allowed")
	}
	if s.at(".") {
		s.pos++
		if err := s.digits("Decimal point not followed by a digit"); err != nil {
			return value{}, err
		}
	}
	if s.at("eE") {
		s.pos++
		if s.at("+-") {
			s.pos++
		}
		if err := s.digits("Exponent indicator not followed by a digit"); err != nil {
			return value{}, err
		}
	}
	literal := s.src[start:s.pos]
	d, _ := parseDecimal(literal)
	return value{kind: number, text: literal, number: &d}, nil
}

// digits takes one digit or more.
func (s *scanner) digits(want string) error {
	n := len(leadingDigits(s.src[s.pos:]))
	if n == 0 {
		return s.unexpected(want)
	}
	s.pos += n
	return nil
}

func (s *scanner) at(set string) bool {
	return s.pos < len(s.src) && strings.IndexByte(set, s.src[s.pos]) >= 0
}

// word reads true, false or null.
func (s *scanner) word() (value, error) {
	rest := s.src[s.pos:]
	end := strings.IndexFunc(rest, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$'
	})
	if end < 0 {
		end = len(rest)
	}
	word := rest[:end]
	if word == "" {
		return value{}, s.unexpected("expected a valid value " + wantValue)
	}
	s.pos += end
	switch word {
	case "true":
		return value{kind: yes}, nil
	case "false":
		return value{kind: no}, nil
	case "null":
		return value{kind: null}, nil
	}
	return value{}, syntaxError("Unrecognized token '" + quote(word) + "': was expecting " + wantValue)
}
