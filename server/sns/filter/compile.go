// Package filter is the filter-policy language of Amazon SNS: a policy is
// compiled once for each version of a subscription, a message is prepared once
// for each publish, and matching the two reads no JSON.
//
// What is accepted, refused and matched follows what AWS was recorded to do.
// Where nothing was recorded, it follows the documentation of Amazon SNS.
package filter

import (
	"slices"
	"strings"
)

// Scope is what of a message a policy looks at, as in the subscription attribute
// FilterPolicyScope.
type Scope string

const (
	// MessageAttributes is the scope of a subscription that sets none.
	MessageAttributes Scope = "MessageAttributes"
	// MessageBody takes the message as a JSON object. Only here may a policy nest.
	MessageBody Scope = "MessageBody"
)

// Policy is a compiled filter policy. It is safe for concurrent use.
type Policy struct {
	scope Scope
	// everything is set for the empty policy, {}.
	everything bool
	// alternatives are the policy with every $or multiplied out: a message matches
	// if it satisfies one of them. There are at most mostCombinations.
	alternatives []*node
}

// Scope answers what the policy was compiled for.
func (p *Policy) Scope() Scope { return p.scope }

// Compile reads a policy. An error is an *Error and says what AWS answers under
// InvalidParameter. An empty text is no policy and is refused: that it removes a
// subscription's policy is the caller's to know.
func Compile(policy []byte, scope Scope) (*Policy, error) {
	if scope != MessageAttributes && scope != MessageBody {
		return nil, &Error{invalidParameter + "FilterPolicyScope: Invalid value [" + quote(string(scope)) +
			"]. Please use either MessageBody or MessageAttributes"}
	}
	if len(policy) > mostBytes {
		return nil, refuse("Filter policy can not be larger than 262144 bytes")
	}
	s := scanner{src: string(policy), arrange: arrangePolicy}
	v, err := s.parse()
	if err != nil {
		return nil, refuse("failed to parse JSON. " + err.Error())
	}
	if v.kind != fields {
		return nil, refuse("Filter is not an object")
	}
	if len(v.items) == 0 {
		return &Policy{scope: scope, everything: true}, nil
	}
	o, refused := readObject(&v)
	if refused == nil {
		refused = checkLimits(o, scope)
	}
	if refused != nil {
		return nil, refused
	}
	p := &Policy{scope: scope}
	for _, conditions := range o.alternatives(nil, scope) {
		p.alternatives = append(p.alternatives, newNode(conditions))
	}
	return p, nil
}

// arrangePolicy makes an object of a policy. Of members with the same name the
// last value stays, in the place of the first.
func arrangePolicy(names []string, items []value, _ int) (value, error) {
	v := value{kind: fields}
	at := make(map[string]int, len(names))
	for i, name := range names {
		if first, ok := at[name]; ok {
			v.items[first] = items[i]
			continue
		}
		at[name] = len(v.names)
		v.names, v.items = append(v.names, name), append(v.items, items[i])
	}
	return v, nil
}

// object is an object of a policy: all of its fields must match.
type object struct{ fields []field }

// field is a key of a policy. It has rules, or an object below it, or, if it is
// a $or, branches of which one must match.
type field struct {
	name   string
	rules  *rules
	object *object
	or     []*object
}

func readObject(v *value) (*object, *Error) {
	if len(v.items) == 0 {
		return nil, refuse("Empty objects are not allowed")
	}
	o := &object{make([]field, 0, len(v.items))}
	for i := range v.items {
		f, err := readField(v.names[i], &v.items[i])
		if err != nil {
			return nil, err
		}
		o.fields = append(o.fields, f)
	}
	return o, nil
}

func readField(name string, v *value) (field, *Error) {
	f := field{name: name}
	var err *Error
	switch {
	case isOr(name, v):
		f.or = make([]*object, len(v.items))
		for i := range v.items {
			if f.or[i], err = readObject(&v.items[i]); err != nil {
				return field{}, err
			}
		}
	case v.kind == fields:
		f.object, err = readObject(v)
	case v.kind == list:
		f.rules, err = readRules(v.items)
	default:
		err = refuse(`"` + quote(name) + `" must be an object or an array`)
	}
	return f, err
}

// reserved are the names that a branch of $or may not have as a key: with one of
// them, $or is the name of an attribute like any other.
var reserved = []string{
	"exactly", "equals-ignore-case", "prefix", "suffix", "anything-but", "exists", "wildcard", "numeric", "cidr",
	"=", "<", "<=", ">", ">=", "regex", "not-wildcard", "not-equals-ignore-case",
	"date-after", "date-on-or-after", "date-before", "date-on-or-before", "in-date-range",
	"ip-address-in-range", "ip-address-not-in-range",
}

// isOr tells the operator $or from an attribute of that name. The operator is an
// array of two objects or more, none of which has a reserved name as a key.
func isOr(name string, v *value) bool {
	if name != "$or" || v.kind != list || len(v.items) < 2 {
		return false
	}
	for i := range v.items {
		branch := &v.items[i]
		if branch.kind != fields {
			return false
		}
		for _, key := range branch.names {
			if slices.Contains(reserved, key) {
				return false
			}
		}
	}
	return true
}

// condition is one path of a document and the rules for what is there.
type condition struct {
	path  []string
	rules *rules
}

// alternatives multiplies the branches of every $or out to lists of conditions
// that must hold together. path leads to the object.
func (o *object) alternatives(path []string, scope Scope) [][]condition {
	all := [][]condition{nil}
	for _, f := range o.fields {
		var choices [][]condition
		switch {
		case f.rules != nil:
			choices = [][]condition{{{f.steps(path, scope), f.rules}}}
		case f.object != nil:
			choices = f.object.alternatives(f.steps(path, scope), scope)
		}
		for _, branch := range f.or {
			choices = append(choices, branch.alternatives(path, scope)...)
		}
		all = multiply(all, choices)
	}
	return all
}

// steps is the path of a field. In a body a dot in a name is a step down, as AWS
// was recorded to read it; the name of an attribute is one whole.
func (f *field) steps(path []string, scope Scope) []string {
	if scope == MessageAttributes {
		return []string{f.name}
	}
	return slices.Concat(path, strings.Split(f.name, "."))
}

func multiply(left, right [][]condition) [][]condition {
	product := make([][]condition, 0, len(left)*len(right))
	for _, l := range left {
		for _, r := range right {
			product = append(product, slices.Concat(l, r))
		}
	}
	return product
}
