package filter_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/queen-mq/queen-sqs/server/sns/filter"
)

// The naive matcher says what a policy means with nothing but the standard
// library's JSON, big.Rat, regexp and net. It tries every way to choose one
// object from each array of the document, and asks of each way whether the paths
// of the policy hold. It expects policies that compile and documents that are
// small.

// mostViews bounds the ways that the naive matcher tries.
const mostViews = 5000

func decode(text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		panic("naive: no JSON: " + text)
	}
	return v
}

// naiveBody answers whether a body matches, and whether there were not too many
// ways to tell.
func naiveBody(policy, body string) (match, told bool) {
	p := decode(policy).(map[string]any)
	if len(p) == 0 {
		return true, true
	}
	doc := split([]member{{nil, decode(body)}})
	if countViews(doc) > mostViews {
		return false, false
	}
	all := views(doc)
	for _, conditions := range flatten(p, nil, true) {
		for _, v := range all {
			if v.satisfies(conditions) {
				return true, true
			}
		}
	}
	return false, true
}

func naiveAttributes(policy string, attrs map[string]filter.Attribute) bool {
	p := decode(policy).(map[string]any)
	if len(p) == 0 {
		return true
	}
	doc := &view{members: map[string]*view{}}
	for name, a := range attrs {
		if a.Type == "Binary" || strings.HasPrefix(a.Type, "Binary.") {
			continue
		}
		var v any = a.Value
		if a.Type == "Number" || strings.HasPrefix(a.Type, "Number.") {
			if _, ok := new(big.Rat).SetString(a.Value); ok {
				v = json.Number(a.Value)
			}
		}
		if a.Type == "String.Array" && json.Valid([]byte(a.Value)) {
			if array, ok := decode(a.Value).([]any); ok {
				v = array
			}
		}
		doc.members[name] = &view{value: v}
	}
	if len(doc.members) == 0 {
		return false
	}
	for _, conditions := range flatten(p, nil, false) {
		if doc.satisfies(conditions) {
			return true
		}
	}
	return false
}

type naiveCondition struct {
	path  []string
	rules []any
}

func flatten(p map[string]any, path []string, dots bool) [][]naiveCondition {
	result := [][]naiveCondition{nil}
	for name, v := range p {
		var choices [][]naiveCondition
		if branches, ok := orBranches(name, v); ok {
			for _, b := range branches {
				choices = append(choices, flatten(b, path, dots)...)
			}
		} else {
			steps := []string{name}
			if dots {
				steps = strings.Split(name, ".")
			}
			below := append(slices.Clone(path), steps...)
			if object, ok := v.(map[string]any); ok {
				choices = flatten(object, below, dots)
			} else {
				choices = [][]naiveCondition{{{below, v.([]any)}}}
			}
		}
		var next [][]naiveCondition
		for _, r := range result {
			for _, c := range choices {
				next = append(next, append(slices.Clone(r), c...))
			}
		}
		result = next
	}
	return result
}

var naiveReserved = regexp.MustCompile(`^(exactly|equals-ignore-case|prefix|suffix|anything-but|exists|wildcard|numeric|cidr|=|<|<=|>|>=|regex|not-wildcard|not-equals-ignore-case|date-(after|on-or-after|before|on-or-before)|in-date-range|ip-address-(not-)?in-range)$`)

func orBranches(name string, v any) (branches []map[string]any, ok bool) {
	items, isArray := v.([]any)
	if name != "$or" || !isArray || len(items) < 2 {
		return nil, false
	}
	for _, item := range items {
		branch, isObject := item.(map[string]any)
		if !isObject {
			return nil, false
		}
		for key := range branch {
			if naiveReserved.MatchString(key) {
				return nil, false
			}
		}
		branches = append(branches, branch)
	}
	return branches, true
}

// member is a value and the steps that still lead to it.
type member struct {
	steps []string
	value any
}

// split brings the members that lead to one place together, following dots. The
// result has no dots in its names.
func split(members []member) any {
	var others []any
	below := map[string][]member{}
	objects := false
	for _, m := range members {
		if len(m.steps) > 0 {
			objects = true
			below[m.steps[0]] = append(below[m.steps[0]], member{m.steps[1:], m.value})
			continue
		}
		switch v := m.value.(type) {
		case map[string]any:
			objects = true
			for name, value := range v {
				steps := strings.Split(name, ".")
				below[steps[0]] = append(below[steps[0]], member{steps[1:], value})
			}
		case []any:
			array := []any{}
			for _, item := range v {
				array = append(array, split([]member{{nil, item}}))
			}
			others = append(others, array)
		default:
			others = append(others, v)
		}
	}
	if objects {
		object := map[string]any{}
		for step, list := range below {
			object[step] = split(list)
		}
		others = append(others, object)
	}
	if len(others) == 1 {
		return others[0]
	}
	return others
}

// view is a document with one object chosen from each array. value is what was
// there before, for the rules about scalars.
type view struct {
	value   any
	members map[string]*view
}

func objectsIn(array []any) (objects []map[string]any) {
	for _, item := range array {
		switch v := item.(type) {
		case map[string]any:
			objects = append(objects, v)
		case []any:
			objects = append(objects, objectsIn(v)...)
		}
	}
	return objects
}

func countViews(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		n = 1
		for _, m := range v {
			n = min(n*countViews(m), mostViews+1)
		}
		return n
	case []any:
		for _, o := range objectsIn(v) {
			n = min(n+countViews(o), mostViews+1)
		}
	}
	return max(n, 1)
}

func views(v any) (all []*view) {
	switch value := v.(type) {
	case map[string]any:
		all = []*view{{v, map[string]*view{}}}
		for name, m := range value {
			var next []*view
			for _, choice := range views(m) {
				for _, so := range all {
					members := map[string]*view{name: choice}
					for k, w := range so.members {
						members[k] = w
					}
					next = append(next, &view{v, members})
				}
			}
			all = next
		}
		return all
	case []any:
		for _, o := range objectsIn(value) {
			for _, w := range views(o) {
				all = append(all, &view{v, w.members})
			}
		}
	}
	if all == nil {
		all = []*view{{v, nil}}
	}
	return all
}

func (v *view) satisfies(conditions []naiveCondition) bool {
	for _, c := range conditions {
		at := v
		for _, step := range c.path {
			if at != nil {
				at = at.members[step]
			}
		}
		if !slices.ContainsFunc(c.rules, func(rule any) bool { return at.holds(rule) }) {
			return false
		}
	}
	return true
}

// scalars are the scalars of a value; arrays are transparent.
func scalars(v any) (all []any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			all = append(all, scalars(item)...)
		}
	case map[string]any:
	default:
		all = append(all, v)
	}
	return all
}

func onlyArrays(v any) bool {
	array, ok := v.([]any)
	return ok && !slices.ContainsFunc(array, func(item any) bool { return !onlyArrays(item) })
}

func (v *view) holds(rule any) bool {
	var found, filled []any
	if v != nil {
		found = scalars(v.value)
	}
	for _, f := range found {
		if f != nil {
			filled = append(filled, f)
		}
	}
	expression, ok := rule.(map[string]any)
	if !ok {
		return slices.ContainsFunc(found, func(f any) bool { return same(f, rule) })
	}
	for operator, operand := range expression {
		switch operator {
		case "exists":
			return (len(filled) > 0) == operand.(bool)
		case "anything-but":
			if len(filled) == 0 {
				return v != nil && onlyArrays(v.value)
			}
			return !slices.ContainsFunc(filled, func(f any) bool { return excluded(f, operand) })
		default:
			return slices.ContainsFunc(filled, func(f any) bool { return fits(f, operator, operand) })
		}
	}
	panic("naive: an expression without an operator")
}

func excluded(f, operand any) bool {
	switch o := operand.(type) {
	case []any:
		return slices.ContainsFunc(o, func(item any) bool { return same(f, item) })
	case map[string]any:
		for operator, patterns := range o {
			list, ok := patterns.([]any)
			if !ok {
				list = []any{patterns}
			}
			return slices.ContainsFunc(list, func(p any) bool { return fits(f, operator, p) })
		}
	}
	return same(f, operand)
}

func same(a, b any) bool {
	if x, ok := a.(json.Number); ok {
		y, ok := b.(json.Number)
		return ok && rat(x).Cmp(rat(y)) == 0
	}
	return a == b
}

func rat(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		panic("naive: no number: " + n)
	}
	return r
}

func fits(f any, operator string, operand any) bool {
	if operator == "numeric" {
		n, ok := f.(json.Number)
		return ok && inRange(rat(n), operand.([]any))
	}
	s, ok := f.(string)
	if !ok {
		return false
	}
	pattern := operand.(string)
	switch operator {
	case "prefix":
		return bytes.HasPrefix([]byte(s), []byte(pattern))
	case "suffix":
		return bytes.HasSuffix([]byte(s), []byte(pattern))
	case "equals-ignore-case":
		return upper(s) == upper(pattern)
	case "wildcard":
		return wildcardRegexp(pattern).MatchString(s)
	case "cidr":
		// AWS's rule engine reads the bits as a signed integer, this library does not.
		_, network, err := net.ParseCIDR(strings.Replace(pattern, "/+", "/", 1))
		if err != nil {
			panic(err)
		}
		addr, err := netip.ParseAddr(s)
		if err != nil || strings.ContainsAny(s, "%") || strings.Contains(s, ":") && strings.Contains(s, ".") {
			return false
		}
		ones, _ := network.Mask.Size()
		base, _ := netip.AddrFromSlice(network.IP)
		return netip.PrefixFrom(base.Unmap(), ones).Contains(addr.Unmap())
	}
	panic("naive: operator " + operator)
}

func inRange(n *big.Rat, terms []any) bool {
	for ; len(terms) > 0; terms = terms[2:] {
		c := n.Cmp(rat(terms[1].(json.Number)))
		ok := false
		switch terms[0] {
		case "=":
			ok = c == 0
		case "<":
			ok = c < 0
		case "<=":
			ok = c <= 0
		case ">":
			ok = c > 0
		case ">=":
			ok = c >= 0
		}
		if !ok {
			return false
		}
	}
	return true
}

func upper(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

func wildcardRegexp(pattern string) *regexp.Regexp {
	re := `(?s)^`
	for i := 0; i < len(pattern); {
		switch {
		case pattern[i] == '*':
			re += `.*`
			i++
		case pattern[i] == '\\':
			re += regexp.QuoteMeta(pattern[i+1 : i+2])
			i += 2
		default:
			end := i + 1
			for end < len(pattern) && pattern[end] != '*' && pattern[end] != '\\' {
				end++
			}
			re += regexp.QuoteMeta(pattern[i:end])
			i = end
		}
	}
	return regexp.MustCompile(re + `$`)
}
