package filter

import (
	"cmp"
	"slices"
	"strings"
)

// Attribute is a message attribute. Type is its data type as published, with or
// without a label of the client's: "String", "String.Array", "Number.int". Value
// is the text of a String or Number, and base64 for a Binary.
type Attribute struct {
	Type  string
	Value string
}

// Attributes are the attributes of a message as policies of scope
// MessageAttributes see them. They are made once for each publish and are safe
// for concurrent use.
type Attributes struct {
	// object has a member for each attribute that policies look at.
	object value
}

// NewAttributes prepares the attributes of a message. A Number that is none and
// a String.Array that is no JSON array are strings. A Binary is left out: to a
// policy it is not there.
func NewAttributes(attrs map[string]Attribute) *Attributes {
	entries := make([]entry, 0, len(attrs))
	for name, a := range attrs {
		if v, ok := a.value(); ok {
			entries = append(entries, entry{name, v})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return &Attributes{flat(entries)}
}

func (a Attribute) value() (v value, ok bool) {
	kind, _, _ := strings.Cut(a.Type, ".")
	switch {
	case kind == "Binary":
		return value{}, false
	case kind == "Number":
		if d, ok := parseDecimal(a.Value); ok {
			return value{kind: number, text: a.Value, number: &d}, true
		}
	case a.Type == "String.Array":
		if v, err := parseDocument(a.Value); err == nil && v.kind == list {
			return v, true
		}
	}
	return value{kind: text, text: a.Value}, true
}

// MatchAttributes answers whether a message with these attributes passes. The
// empty policy passes everything. Any other passes no message without
// attributes: AWS documents that even {"exists":false} needs one attribute to be
// there. A policy of the other scope passes nothing. attrs may be nil: none.
func (p *Policy) MatchAttributes(attrs *Attributes) bool {
	if p.everything {
		return true
	}
	if p.scope != MessageAttributes || attrs == nil || len(attrs.object.items) == 0 {
		return false
	}
	return p.match(&attrs.object)
}

// MatchBody answers whether a message with this text passes. The empty policy
// passes everything, any other only JSON objects. A policy of the other scope
// passes nothing.
func (p *Policy) MatchBody(b *Body) bool {
	if p.everything {
		return true
	}
	if p.scope != MessageBody || b == nil || b.object == nil {
		return false
	}
	return p.match(b.object)
}

func (p *Policy) match(object *value) bool {
	for _, n := range p.alternatives {
		if n.matchObject(object) {
			return true
		}
	}
	return false
}

// node is a step of the paths of one alternative: what must hold for the value
// there and for the members of the object there.
type node struct {
	rules    []*rules
	names    []string
	children []*node
}

func newNode(conditions []condition) *node {
	root := &node{}
	for _, c := range conditions {
		n := root
		for _, step := range c.path {
			n = n.child(step)
		}
		n.rules = append(n.rules, c.rules)
	}
	return root
}

// child answers the node one step down, a new one if there is none.
func (n *node) child(step string) *node {
	if i := slices.Index(n.names, step); i >= 0 {
		return n.children[i]
	}
	c := &node{}
	n.names, n.children = append(n.names, step), append(n.children, c)
	return c
}

// match answers whether a value satisfies the node; v is nil where the document
// has nothing.
func (n *node) match(v *value) bool {
	for _, r := range n.rules {
		if !r.match(v) {
			return false
		}
	}
	return len(n.children) == 0 || n.matchBelow(v)
}

// matchBelow takes the steps down from a value. Arrays are transparent at any
// depth; all that a policy asks of one object must hold in the same element. In
// what is no object and has none, every step leads to nothing.
func (n *node) matchBelow(v *value) bool {
	if v == nil || v.kind != list {
		return n.matchObject(v)
	}
	matched, objects := n.matchElements(v)
	if !objects {
		return n.matchObject(nil)
	}
	return matched
}

// matchElements answers whether an object in an array matches, and whether the
// array has one at all.
func (n *node) matchElements(array *value) (matched, objects bool) {
	for i := range array.items {
		switch v := &array.items[i]; v.kind {
		case fields:
			objects = true
			matched = n.matchObject(v)
		case list:
			var below bool
			matched, below = n.matchElements(v)
			objects = objects || below
		}
		if matched {
			return true, true
		}
	}
	return false, objects
}

// matchObject answers whether the members of an object satisfy the steps below
// the node. A nil or a scalar has no members.
func (n *node) matchObject(v *value) bool {
	for i, name := range n.names {
		if !n.children[i].match(v.get(name)) {
			return false
		}
	}
	return true
}

// match answers whether one of the rules holds for a value. An array satisfies a
// rule if any element does, but an anything-but only if no element is excluded.
// What is absent, null or an object satisfies {"exists":false}; null satisfies
// the rule null as well.
func (r *rules) match(v *value) bool {
	if v == nil {
		return r.absent
	}
	if r.overlaps(v) {
		return true
	}
	if !r.present && !r.absent && r.but == nil {
		return false
	}
	if hasScalar(v) {
		return r.present || r.passes(v)
	}
	return r.absent || v.kind == list && isEmpty(v) && r.but != nil
}

// passes answers whether an anything-but excludes nothing of a value.
func (r *rules) passes(v *value) bool {
	for i := range r.but {
		if !r.but[i].overlaps(v) {
			return true
		}
	}
	return false
}

// overlaps answers whether the value, or any scalar in an array, is in the set.
func (s *set) overlaps(v *value) bool {
	if v.kind != list {
		return s.has(v)
	}
	for i := range v.items {
		if s.overlaps(&v.items[i]) {
			return true
		}
	}
	return false
}

// hasScalar answers whether there is a string, a number, true or false in a
// value. A key without one does not exist for a policy: that is what AWS means
// by a value that is neither null nor empty.
func hasScalar(v *value) bool {
	switch v.kind {
	case null, fields:
		return false
	case list:
		for i := range v.items {
			if hasScalar(&v.items[i]) {
				return true
			}
		}
		return false
	}
	return true
}

// isEmpty answers whether an array has nothing in it but such arrays.
func isEmpty(array *value) bool {
	for i := range array.items {
		if v := &array.items[i]; v.kind != list || !isEmpty(v) {
			return false
		}
	}
	return true
}
