// Package wire is what a request and a response are between the codecs and the
// actions: one neutral tree of values, spelled as in AWS JSON 1.0. Codecs never
// learn what an action means, actions never learn which protocol asked.
package wire

import "strconv"

// Kind is the type of a Value.
type Kind uint8

// The kinds of values. A Map is an Object whose member names are data (the
// names of attributes, the keys of tags): JSON spells the two alike, Query/XML
// does not.
const (
	KindNull Kind = iota
	KindString
	KindNumber
	KindBool
	KindList
	KindObject
	KindMap
)

// Value is one node of the tree. The zero Value is null. Values are immutable
// once built.
type Value struct {
	kind Kind
	text string // a string's text, a number's literal, "true" or "false"
	list []Value
	obj  *Object
}

// Null is the absent value.
func Null() Value { return Value{} }

// String is a string; binary values are strings of base64 in this tree.
func String(s string) Value { return Value{kind: KindString, text: s} }

// Int is a whole number.
func Int(n int64) Value { return Value{kind: KindNumber, text: strconv.FormatInt(n, 10)} }

// Number is a number by its JSON literal, which the caller vouches for.
func Number(literal string) Value { return Value{kind: KindNumber, text: literal} }

// Bool is true or false.
func Bool(b bool) Value { return Value{kind: KindBool, text: strconv.FormatBool(b)} }

// List is an ordered list.
func List(items ...Value) Value { return Value{kind: KindList, list: items} }

// Struct is a structure: the member names are part of the API.
func Struct(o *Object) Value { return Value{kind: KindObject, obj: o} }

// Map is a map: the member names are data.
func Map(o *Object) Value { return Value{kind: KindMap, obj: o} }

// Kind is the value's type.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether the value is absent or a JSON null.
func (v Value) IsNull() bool { return v.kind == KindNull }

// Text is a string's text, a number's literal or a boolean's word. It is empty
// for every other kind.
func (v Value) Text() string { return v.text }

// Items are a list's items, nil for every other kind.
func (v Value) Items() []Value { return v.list }

// Object is the value of a structure or map, nil for every other kind. The
// methods of a nil *Object read it as empty.
func (v Value) Object() *Object { return v.obj }

// Member is one named value of an Object.
type Member struct {
	Name  string
	Value Value
}

// Object is an ordered set of named values. Order is kept because a list in an
// response has one.
type Object struct {
	members []Member
	index   map[string]int // built once there are many members
}

// indexFrom is the size at which a linear search stops being the faster one.
const indexFrom = 16

// NewObject makes an object of members in their order.
func NewObject(members ...Member) *Object {
	o := &Object{members: make([]Member, 0, len(members))}
	for _, m := range members {
		o.Set(m.Name, m.Value)
	}
	return o
}

// Len is the number of members.
func (o *Object) Len() int {
	if o == nil {
		return 0
	}
	return len(o.members)
}

// Members are the members in order. The caller must not change them.
func (o *Object) Members() []Member {
	if o == nil {
		return nil
	}
	return o.members
}

// Get returns the member of that exact name, or null.
func (o *Object) Get(name string) Value {
	if i := o.find(name); i >= 0 {
		return o.members[i].Value
	}
	return Value{}
}

// Has reports whether a member of that exact name exists, null or not.
func (o *Object) Has(name string) bool { return o.find(name) >= 0 }

// Set adds a member, or replaces the value of the one with that name in place.
// It returns o, so that building reads as one expression.
func (o *Object) Set(name string, v Value) *Object {
	if i := o.find(name); i >= 0 {
		o.members[i].Value = v
		return o
	}
	o.members = append(o.members, Member{name, v})
	if o.index != nil {
		o.index[name] = len(o.members) - 1
	} else if len(o.members) == indexFrom {
		o.index = make(map[string]int, 2*indexFrom)
		for i, m := range o.members {
			o.index[m.Name] = i
		}
	}
	return o
}

// SetString adds a string member unless s is empty.
func (o *Object) SetString(name, s string) *Object {
	if s == "" {
		return o
	}
	return o.Set(name, String(s))
}

func (o *Object) find(name string) int {
	if o == nil {
		return -1
	}
	if o.index != nil {
		if i, ok := o.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range o.members {
		if o.members[i].Name == name {
			return i
		}
	}
	return -1
}
