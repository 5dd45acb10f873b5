package httpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A request's JSON is read here and not by encoding/json alone: members match by
// their exact name, payloads keep their bytes, and a member that is absent, null
// or empty is told apart.

// document is the text of one JSON value that is known to be well formed,
// without white space around it.
type document []byte

// parse checks a body and answers its value.
func parse(body []byte) (document, error) {
	if !json.Valid(body) || !utf8.Valid(body) {
		return nil, malformed(body)
	}
	i := blank(body, 0)
	return document(body[i:skip(body, i)]), nil
}

// malformed says what is wrong with a body, and where.
func malformed(body []byte) error {
	var syntax *json.SyntaxError
	var any json.RawMessage
	at, what := 0, "invalid unicode code point"
	if errors.As(json.Unmarshal(body, &any), &syntax) {
		at, what = int(syntax.Offset), syntax.Error()
		if at >= len(body) && what == "unexpected end of JSON input" {
			what = "EOF while parsing " + open(body)
		}
	} else {
		at = len(body) - len(bytes.TrimLeftFunc(body, func(r rune) bool { return r != utf8.RuneError }))
	}
	line, column := 1, 0
	for _, b := range body[:min(at, len(body))] {
		column++
		if b == '\n' {
			line, column = line+1, 0
		}
	}
	return fmt.Errorf("%s at line %d column %d", what, line, column)
}

// open names what a body that ends too early was in the middle of.
func open(body []byte) string {
	var stack []byte
	quoted := false
	for i := 0; i < len(body); i++ {
		switch b := body[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			stack = append(stack, b)
		case (b == '}' || b == ']') && len(stack) > 0:
			stack = stack[:len(stack)-1]
		}
	}
	switch {
	case quoted:
		return "a string"
	case len(stack) == 0:
		return "a value"
	case stack[len(stack)-1] == '{':
		return "an object"
	}
	return "a list"
}

func blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skip answers the index behind the value that begins at i.
func skip(b []byte, i int) int {
	switch b[i] {
	case '"':
		for i++; b[i] != '"'; i++ {
			if b[i] == '\\' {
				i++
			}
		}
		return i + 1
	case '{', '[':
		for depth := 0; ; i++ {
			switch b[i] {
			case '"':
				i = skip(b, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
		i++
	}
	return i
}

func (d document) isNull() bool   { return d == nil || d[0] == 'n' }
func (d document) isObject() bool { return d != nil && d[0] == '{' }
func (d document) isArray() bool  { return d != nil && d[0] == '[' }
func (d document) isString() bool { return d != nil && d[0] == '"' }
func (d document) isNumber() bool { return d != nil && (d[0] == '-' || '0' <= d[0] && d[0] <= '9') }

// members calls do for each member of an object, in order.
func (d document) members(do func(name string, value document) error) error {
	for i := blank(d, 1); d[i] != '}'; {
		end := skip(d, i)
		name, err := d[i:end].text()
		if err != nil {
			return err
		}
		i = blank(d, end)
		i = blank(d, i+1) // the colon
		end = skip(d, i)
		if err := do(name, d[i:end]); err != nil {
			return err
		}
		if i = blank(d, end); d[i] == ',' {
			i = blank(d, i+1)
		}
	}
	return nil
}

// elements calls do for each element of an array.
func (d document) elements(do func(value document) error) error {
	for i := blank(d, 1); d[i] != ']'; {
		end := skip(d, i)
		if err := do(d[i:end]); err != nil {
			return err
		}
		if i = blank(d, end); d[i] == ',' {
			i = blank(d, i+1)
		}
	}
	return nil
}

// fields are the members of an object; the last of equal names counts.
func (d document) fields() (map[string]document, error) {
	all := map[string]document{}
	err := d.members(func(name string, value document) error {
		all[name] = value
		return nil
	})
	return all, err
}

// list are the elements of an array.
func (d document) list() (all []document) {
	d.elements(func(value document) error {
		all = append(all, value)
		return nil
	})
	return all
}

// text decodes a string. Half a surrogate pair is an error.
func (d document) text() (string, error) {
	if !d.isString() {
		return "", fmt.Errorf("invalid type: %s, expected a string", d.kind())
	}
	inner := d[1 : len(d)-1]
	plain := true
	for _, b := range inner {
		if b == '\\' {
			plain = false
			break
		}
	}
	if plain {
		return string(inner), nil
	}
	return unescape(inner)
}

func unescape(b []byte) (string, error) {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			out = append(out, b[i])
			continue
		}
		i++
		switch b[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := codeUnit(b[i+1:])
			i += 4
			if utf16.IsSurrogate(r) {
				if i+6 >= len(b) || b[i+1] != '\\' || b[i+2] != 'u' {
					return "", errors.New("lone leading surrogate in hex escape")
				}
				if r = utf16.DecodeRune(r, codeUnit(b[i+3:])); r == utf8.RuneError {
					return "", errors.New("lone leading surrogate in hex escape")
				}
				i += 6
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, b[i])
		}
	}
	return string(out), nil
}

func codeUnit(b []byte) rune {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 32)
	return rune(n)
}

// kind describes a value in a refusal.
func (d document) kind() string {
	switch {
	case d == nil || d[0] == 'n':
		return "null"
	case d[0] == '{':
		return "map"
	case d[0] == '[':
		return "sequence"
	case d[0] == '"':
		return "string " + string(d)
	case d[0] == 't' || d[0] == 'f':
		return "boolean `" + string(d) + "`"
	}
	if _, err := strconv.ParseInt(string(d), 10, 64); err == nil {
		return "integer `" + string(d) + "`"
	}
	return "floating point `" + string(d) + "`"
}

// optionalText decodes a string that may be absent or null; present tells.
func (d document) optionalText() (text string, present bool, err error) {
	if d.isNull() {
		return "", false, nil
	}
	text, err = d.text()
	return text, err == nil, err
}

// control reports whether a name holds a byte below 0x20.
func control(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 {
			return true
		}
	}
	return false
}
