package awsjson

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/wire"
)

// Limits of a document. No request of either service comes near them; they bound
// the stack and the memory that a hostile one can take, since a value costs far
// more here than the two bytes that spell it.
const (
	maxDepth  = 64
	maxValues = 1 << 16
)

// syntaxError says what is wrong with a document and where, without repeating
// any of it.
type syntaxError struct {
	what string
	at   int // byte offset
}

func (e *syntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.what, e.at) }

// parser reads one document of RFC 8259. It is strict: valid UTF-8 without a
// byte order mark, no comments, no trailing commas, no bare control characters.
// What the grammar leaves open is decided here: of two members with one name the
// last wins, a number is kept as its literal whatever its size, and an escaped
// surrogate without its partner is U+FFFD, because no text can hold it.
type parser struct {
	s      string
	pos    int
	depth  int
	values int

	// Members and items of the structures that are still open, innermost last. A
	// finished one takes its share as one slice of the right size.
	members []wire.Member
	items   []wire.Value
}

var parsers = sync.Pool{New: func() any { return new(parser) }}

// keep is how large a stack may be to be used again.
const keep = 256

func parse(s string) (wire.Value, *syntaxError) {
	if !utf8.ValidString(s) {
		return wire.Value{}, &syntaxError{"invalid UTF-8", invalidAt(s)}
	}
	p := parsers.Get().(*parser)
	p.s = s
	v, err := p.document()
	p.release()
	return v, err
}

// release returns the parser to the pool without a reference to the document.
func (p *parser) release() {
	members, items := p.members, p.items
	clear(members[:cap(members)])
	clear(items[:cap(items)])
	*p = parser{}
	if cap(members) <= keep && cap(items) <= keep {
		p.members, p.items = members[:0], items[:0]
	}
	parsers.Put(p)
}

func invalidAt(s string) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}

func (p *parser) fail(what string) *syntaxError {
	if p.pos >= len(p.s) {
		what = "unexpected end"
	}
	return &syntaxError{what, p.pos}
}

func (p *parser) document() (wire.Value, *syntaxError) {
	p.space()
	v, err := p.value()
	if err != nil {
		return v, err
	}
	p.space()
	if p.pos < len(p.s) {
		return v, p.fail("something after the document")
	}
	return v, nil
}

func (p *parser) space() {
	for p.pos < len(p.s) {
		switch p.s[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek is the next byte, 0 at the end; a NUL in the document is no valid byte of
// the grammar either.
func (p *parser) peek() byte {
	if p.pos < len(p.s) {
		return p.s[p.pos]
	}
	return 0
}

func (p *parser) value() (wire.Value, *syntaxError) {
	p.values++
	if p.values > maxValues {
		return wire.Value{}, &syntaxError{"too many values", p.pos}
	}
	switch c := p.peek(); c {
	case '"':
		s, err := p.str()
		return wire.String(s), err
	case '{':
		return p.nested(p.object)
	case '[':
		return p.nested(p.list)
	case 't':
		return wire.Bool(true), p.word("true")
	case 'f':
		return wire.Bool(false), p.word("false")
	case 'n':
		return wire.Null(), p.word("null")
	default:
		if c == '-' || isDigit(c) {
			return p.number()
		}
		return wire.Value{}, p.fail("no value")
	}
}

func (p *parser) word(w string) *syntaxError {
	if !strings.HasPrefix(p.s[p.pos:], w) {
		return p.fail("no value")
	}
	p.pos += len(w)
	return nil
}

// nested reads an object or a list, whose opening bracket is next.
func (p *parser) nested(read func() (wire.Value, *syntaxError)) (wire.Value, *syntaxError) {
	if p.depth == maxDepth {
		return wire.Value{}, &syntaxError{"nested too deeply", p.pos}
	}
	p.depth++
	p.pos++
	v, err := read()
	p.depth--
	return v, err
}

func (p *parser) object() (wire.Value, *syntaxError) {
	base := len(p.members)
	p.space()
	if p.peek() == '}' {
		p.pos++
		return wire.Struct(wire.NewObject()), nil
	}
	for {
		p.space()
		if p.peek() != '"' {
			return wire.Value{}, p.fail("no member name")
		}
		name, err := p.str()
		if err != nil {
			return wire.Value{}, err
		}
		p.space()
		if p.peek() != ':' {
			return wire.Value{}, p.fail("no colon")
		}
		p.pos++
		p.space()
		v, err := p.value()
		if err != nil {
			return wire.Value{}, err
		}
		p.members = append(p.members, wire.Member{Name: name, Value: v})
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
		case '}':
			p.pos++
			o := wire.NewObject(p.members[base:]...)
			p.members = p.members[:base]
			return wire.Struct(o), nil
		default:
			return wire.Value{}, p.fail("no comma or closing brace")
		}
	}
}

func (p *parser) list() (wire.Value, *syntaxError) {
	base := len(p.items)
	p.space()
	if p.peek() == ']' {
		p.pos++
		return wire.List(), nil
	}
	for {
		p.space()
		v, err := p.value()
		if err != nil {
			return wire.Value{}, err
		}
		p.items = append(p.items, v)
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
		case ']':
			p.pos++
			items := append(make([]wire.Value, 0, len(p.items)-base), p.items[base:]...)
			p.items = p.items[:base]
			return wire.List(items...), nil
		default:
			return wire.Value{}, p.fail("no comma or closing bracket")
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (p *parser) digits() bool {
	start := p.pos
	for isDigit(p.peek()) {
		p.pos++
	}
	return p.pos > start
}

func (p *parser) number() (wire.Value, *syntaxError) {
	start := p.pos
	if p.peek() == '-' {
		p.pos++
	}
	if p.peek() == '0' {
		p.pos++
	} else if !p.digits() {
		return wire.Value{}, p.fail("no digit")
	}
	if p.peek() == '.' {
		p.pos++
		if !p.digits() {
			return wire.Value{}, p.fail("no digit")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if !p.digits() {
			return wire.Value{}, p.fail("no digit")
		}
	}
	return wire.Number(p.s[start:p.pos]), nil
}

// plain marks the bytes of a string that stand for themselves.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 256; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// run is the first byte from i on that does not stand for itself.
func (p *parser) run(i int) int {
	for i < len(p.s) && plain[p.s[i]] {
		i++
	}
	return i
}

// str reads a string, whose opening quote is next. Without an escape it is a
// part of the document and costs nothing.
func (p *parser) str() (string, *syntaxError) {
	start := p.pos + 1
	p.pos = p.run(start)
	if p.peek() == '"' {
		p.pos++
		return p.s[start : p.pos-1], nil
	}
	// An escape is never shorter than what it stands for, so this is enough.
	var b strings.Builder
	b.Grow(p.end(p.pos) - start)
	b.WriteString(p.s[start:p.pos])
	for {
		switch p.peek() {
		case '"':
			p.pos++
			return b.String(), nil
		case '\\':
			if err := p.escape(&b); err != nil {
				return "", err
			}
		default:
			return "", p.fail("a control character in a string")
		}
		from := p.pos
		p.pos = p.run(from)
		b.WriteString(p.s[from:p.pos])
	}
}

// end is the closing quote of a string, looked for from i on.
func (p *parser) end(i int) int {
	for i < len(p.s) && p.s[i] != '"' {
		if p.s[i] == '\\' {
			i++
		}
		i++
	}
	return min(i, len(p.s))
}

// escape reads one escape, whose backslash is next.
func (p *parser) escape(b *strings.Builder) *syntaxError {
	p.pos++
	c := p.peek()
	if c == 'u' {
		return p.unicode(b)
	}
	i := strings.IndexByte(`"\/bfnrt`, c)
	if i < 0 {
		return p.fail("a bad escape")
	}
	p.pos++
	b.WriteByte("\"\\/\b\f\n\r\t"[i])
	return nil
}

// unicode reads an escape by code unit, or two that are a pair, whose u is next.
func (p *parser) unicode(b *strings.Builder) *syntaxError {
	r, ok := p.hex4(p.pos + 1)
	if !ok {
		return p.fail("a bad escape")
	}
	p.pos += 5
	if !utf16.IsSurrogate(r) {
		b.WriteRune(r)
		return nil
	}
	pair := utf8.RuneError
	if strings.HasPrefix(p.s[p.pos:], `\u`) {
		if low, ok := p.hex4(p.pos + 2); ok {
			pair = utf16.DecodeRune(r, low)
		}
	}
	if pair != utf8.RuneError {
		p.pos += 6
	}
	b.WriteRune(pair)
	return nil
}

func (p *parser) hex4(at int) (rune, bool) {
	if at+4 > len(p.s) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(p.s[at : at+4]) {
		switch {
		case isDigit(c):
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
