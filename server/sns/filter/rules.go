package filter

import (
	"net/netip"
	"strings"
)

// rules are the values of one key, of which one must match.
type rules struct {
	set
	// count is how many values the policy lists.
	count int
	// present and absent are {"exists":true} and {"exists":false}.
	present, absent bool
	// but has a set for each anything-but: what it excludes.
	but []set
}

// set is a set of scalars: strings, numbers, true, false and null.
type set struct {
	exact     map[string]struct{}
	folded    []string
	prefixes  []string
	suffixes  []string
	wildcards []wildcard
	networks  []netip.Prefix

	numbers map[decimal]struct{}
	spans   []span

	null, no, yes bool
}

// span is a range of numbers, open towards a side whose bound is nil.
type span struct {
	bottom, top           *decimal
	aboveBottom, belowTop bool // the bound itself is left out
}

func (s *set) addText(t string) {
	if s.exact == nil {
		s.exact = map[string]struct{}{}
	}
	s.exact[t] = struct{}{}
}

func (s *set) addNumber(d *decimal) {
	if s.numbers == nil {
		s.numbers = map[decimal]struct{}{}
	}
	s.numbers[*d] = struct{}{}
}

func readRules(items []value) (*rules, *Error) {
	if len(items) == 0 {
		return nil, refuse("Empty arrays are not allowed")
	}
	r := &rules{count: len(items)}
	for i := range items {
		v := &items[i]
		switch v.kind {
		case text:
			r.addText(v.text)
		case number:
			r.addNumber(v.number)
		case null:
			r.null = true
		case no:
			r.no = true
		case yes:
			r.yes = true
		case list:
			return nil, refuse("Match value must be String, number, true, false, or null")
		case fields:
			if err := r.readOperator(v); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// readOperator adds a match expression: an object with an operator as its only
// key.
func (r *rules) readOperator(v *value) *Error {
	if len(v.names) == 0 {
		return refuse("Match expression name not found")
	}
	operator, operand := v.names[0], &v.items[0]
	var err *Error
	more := "Only one key allowed in match expression"
	switch operator {
	case "prefix", "suffix", "equals-ignore-case", "wildcard":
		if operand.kind != text {
			return notString(operator)
		}
		err = r.addPattern(operator, operand.text)
	case "cidr":
		err = r.readCIDR(operand)
	case "exists":
		switch operand.kind {
		case yes:
			r.present = true
		case no:
			r.absent = true
		default:
			return refuse("exists match pattern must be either true or false.")
		}
	case "numeric":
		more = tooManyElements
		err = r.readNumeric(operand)
	case "anything-but":
		more = tooManyElements
		err = r.readAnythingBut(operand)
	default:
		return refuse("Unrecognized match type " + quote(operator))
	}
	if err == nil && len(v.names) > 1 {
		return refuse(more)
	}
	return err
}

func notString(operator string) *Error {
	return refuse(operator + " match pattern must be a string")
}

// addPattern adds a pattern of one of the operators that match strings.
func (s *set) addPattern(operator, pattern string) *Error {
	switch operator {
	case "prefix":
		s.prefixes = append(s.prefixes, pattern)
	case "suffix":
		s.suffixes = append(s.suffixes, pattern)
	case "equals-ignore-case":
		s.folded = append(s.folded, pattern)
	case "wildcard":
		w, reason := parseWildcard(pattern)
		if reason != "" {
			return refuse(reason)
		}
		s.wildcards = append(s.wildcards, w)
	}
	return nil
}

// readCIDR names prefix where the operand is no string, as AWS was recorded to.
func (r *rules) readCIDR(operand *value) *Error {
	if operand.kind != text {
		return notString("prefix")
	}
	network, reason := parseCIDR(operand.text)
	if reason != "" {
		return refuse(reason)
	}
	r.networks = append(r.networks, network)
	return nil
}

// readAnythingBut reads a string or a number, a list of either, or one of the
// operators prefix, equals-ignore-case and wildcard with a string or a list of
// strings. AWS was recorded to refuse suffix here.
func (r *rules) readAnythingBut(operand *value) *Error {
	var s set
	var err *Error
	switch operand.kind {
	case text:
		s.addText(operand.text)
	case number:
		s.addNumber(operand.number)
	case list:
		err = s.readExcluded(operand.items)
	case fields:
		err = s.readExcludedPattern(operand)
	default:
		return refuse("Value of anything-but must be an array or single string/number value.")
	}
	r.but = append(r.but, s)
	return err
}

func (s *set) readExcluded(items []value) *Error {
	for i := range items {
		switch v := &items[i]; v.kind {
		case text:
			s.addText(v.text)
		case number:
			s.addNumber(v.number)
		default:
			return refuse("Inside anything but list, start|null|boolean is not supported.")
		}
	}
	if (s.exact == nil) == (s.numbers == nil) {
		return refuse("Inside anything but list, either all values are number or string, mixed type is not supported")
	}
	return nil
}

func (s *set) readExcludedPattern(v *value) *Error {
	if len(v.names) == 0 {
		return refuse("Anything-But expression name not found")
	}
	operator, operand := v.names[0], &v.items[0]
	switch operator {
	case "prefix", "equals-ignore-case", "wildcard":
	default:
		return refuse("Unsupported anything-but pattern: " + quote(operator))
	}
	patterns := operand.items
	if operand.kind != list {
		patterns = v.items[:1]
	}
	if len(patterns) == 0 {
		return notString(operator)
	}
	for i := range patterns {
		p := &patterns[i]
		if p.kind != text {
			return notString(operator)
		}
		if operator == "prefix" && p.text == "" {
			return refuse("Null prefix/suffix not allowed")
		}
		if err := s.addPattern(operator, p.text); err != nil {
			return err
		}
	}
	if len(v.names) > 1 {
		return refuse(tooManyElements)
	}
	return nil
}

const tooManyElements = "Too many elements in numeric expression"

// readNumeric reads [OPERATOR, NUMBER] or [OPERATOR, NUMBER, OPERATOR, NUMBER],
// the second with > or >= and < or <=, from left to right like AWS.
func (r *rules) readNumeric(operand *value) *Error {
	if operand.kind != list {
		return refuse("Value of numeric must be an array.")
	}
	items := operand.items
	if len(items) == 0 || items[0].kind != text {
		return refuse("Invalid member in numeric match: " + token(items, 0))
	}
	operator, name := items[0].text, items[0].text
	switch operator {
	case "=":
		name = "equals"
	case "<", "<=", ">", ">=":
	default:
		return refuse("Unrecognized numeric range operator: " + quote(operator))
	}
	if len(items) == 1 || items[1].kind != number {
		return refuse("Value of " + name + " must be numeric")
	}
	bound := items[1].number
	if len(items) > 2 && operator != ">" && operator != ">=" {
		return refuse(tooManyElements)
	}
	switch operator {
	case "=":
		r.addNumber(bound)
		return nil
	case "<", "<=":
		r.spans = append(r.spans, span{top: bound, belowTop: operator == "<"})
		return nil
	}
	s := span{bottom: bound, aboveBottom: operator == ">"}
	if len(items) > 2 {
		if err := s.readTop(items); err != nil {
			return err
		}
	}
	r.spans = append(r.spans, s)
	return nil
}

// readTop reads the second half of a range.
func (s *span) readTop(items []value) *Error {
	if items[2].kind != text {
		return refuse("Bad value in numeric range: " + token(items, 2))
	}
	operator := items[2].text
	if operator != "<" && operator != "<=" {
		return refuse("Bad numeric range operator: " + quote(operator))
	}
	if len(items) == 3 || items[3].kind != number {
		return refuse("Value of " + operator + " must be numeric")
	}
	if len(items) > 4 {
		return refuse("Too many terms in numeric range expression")
	}
	s.top, s.belowTop = items[3].number, operator == "<"
	if s.bottom.compare(*s.top) >= 0 {
		return refuse("Bottom must be less than top")
	}
	return nil
}

// token is how an element of an array begins in the text of the policy.
func token(items []value, i int) string {
	if i == len(items) {
		return "]"
	}
	switch v := &items[i]; v.kind {
	case null:
		return "null"
	case no:
		return "false"
	case yes:
		return "true"
	case list:
		return "["
	case fields:
		return "{"
	default:
		return quote(v.text)
	}
}

// has answers whether a scalar is in the set. Strings never are numbers.
func (s *set) has(v *value) bool {
	switch v.kind {
	case text:
		return s.hasText(v.text)
	case number:
		return s.hasNumber(v.number)
	case null:
		return s.null
	case no:
		return s.no
	case yes:
		return s.yes
	}
	return false
}

func (s *set) hasText(t string) bool {
	if _, ok := s.exact[t]; ok {
		return true
	}
	for _, p := range s.prefixes {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	for _, p := range s.suffixes {
		if strings.HasSuffix(t, p) {
			return true
		}
	}
	for _, f := range s.folded {
		if equalFold(t, f) {
			return true
		}
	}
	for _, w := range s.wildcards {
		if w.match(t) {
			return true
		}
	}
	return len(s.networks) > 0 && s.hasAddress(t)
}

func (s *set) hasAddress(t string) bool {
	addr, ok := parseAddress(t)
	if !ok {
		return false
	}
	for _, n := range s.networks {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}

func (s *set) hasNumber(d *decimal) bool {
	if _, ok := s.numbers[*d]; ok {
		return true
	}
	for i := range s.spans {
		if s.spans[i].contains(d) {
			return true
		}
	}
	return false
}

func (s *span) contains(d *decimal) bool {
	if s.bottom != nil {
		if c := d.compare(*s.bottom); c < 0 || c == 0 && s.aboveBottom {
			return false
		}
	}
	if s.top != nil {
		if c := d.compare(*s.top); c > 0 || c == 0 && s.belowTop {
			return false
		}
	}
	return true
}

// equalFold compares without regard to the case of the letters A to Z.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}
