package wire

import (
	"math"
	"strconv"
	"strings"
)

// Readers of parameters. AWS JSON types its scalars and Query spells all of
// them as strings, so a reader takes a JSON number, a JSON boolean and a string
// alike. A JSON null reads as absent everywhere. A structure and a map read
// alike too: JSON cannot tell the two apart.

// TypeError is a parameter whose value is of a kind that its reader cannot use.
// The action decides what the client is told.
type TypeError struct {
	// Name is the parameter, or the name of a map's entry.
	Name string
	// Want is what was expected: "a string", "a whole number", "true or false",
	// "a list", "a list of strings", "a list of structures", "a structure" or
	// "a map of strings".
	Want string
}

func (e *TypeError) Error() string { return e.Name + " must be " + e.Want }

// Pair is one entry of a map of strings.
type Pair struct{ Key, Value string }

// scalar returns the text of a string, number or boolean.
func (v Value) scalar() (string, bool) {
	switch v.kind {
	case KindString, KindNumber, KindBool:
		return v.text, true
	}
	return "", false
}

// Str returns the text of a scalar and whether one is there. Text is as sent:
// neither trimmed nor unescaped, a number is its literal. It may be empty and
// present. A list, structure or map reads as absent; where that matters, use
// StrErr.
func (o *Object) Str(name string) (string, bool) {
	return o.Get(name).scalar()
}

// StrErr is Str, with a *TypeError for a list, structure or map.
func (o *Object) StrErr(name string) (s string, present bool, err error) {
	v := o.Get(name)
	if v.IsNull() {
		return "", false, nil
	}
	s, ok := v.scalar()
	if !ok {
		return "", true, &TypeError{name, "a string"}
	}
	return s, true, nil
}

// Int returns a whole number and whether the parameter is there at all. Beside
// integers it takes JSON numbers of an integral value (1.0, 1e1). A number that
// is too large for 64 bits is math.MaxInt64 or math.MinInt64, so that a check of
// the range refuses it. Everything else, an empty string included, is present
// with a *TypeError. Str returns the text that was sent.
func (o *Object) Int(name string) (n int64, present bool, err error) {
	v := o.Get(name)
	if v.IsNull() {
		return 0, false, nil
	}
	if v.kind == KindString || v.kind == KindNumber {
		if n, ok := ParseInt(v.text); ok {
			return n, true, nil
		}
	}
	if v.kind == KindNumber {
		if n, ok := integral(v.text); ok {
			return n, true, nil
		}
	}
	return 0, true, &TypeError{name, "a whole number"}
}

// Bool returns a boolean and whether the parameter is there at all: a JSON
// boolean, or its word in any case. Everything else is present with a
// *TypeError.
func (o *Object) Bool(name string) (b, present bool, err error) {
	v := o.Get(name)
	if v.IsNull() {
		return false, false, nil
	}
	if v.kind == KindString || v.kind == KindBool {
		if b, ok := ParseBool(v.text); ok {
			return b, true, nil
		}
	}
	return false, true, &TypeError{name, "true or false"}
}

// StringList returns the texts of a list of scalars and whether the parameter
// is there at all. A scalar is a list of one; nulls in a list are skipped; an
// empty list is present and empty. A structure or map, or one inside the list,
// is present with a *TypeError.
func (o *Object) StringList(name string) (list []string, present bool, err error) {
	v := o.Get(name)
	if v.IsNull() {
		return nil, false, nil
	}
	if s, ok := v.scalar(); ok {
		return []string{s}, true, nil
	}
	if v.kind != KindList {
		return nil, true, &TypeError{name, "a list of strings"}
	}
	list = make([]string, 0, len(v.list))
	for _, item := range v.list {
		if item.IsNull() {
			continue
		}
		s, ok := item.scalar()
		if !ok {
			return nil, true, &TypeError{name, "a list of strings"}
		}
		list = append(list, s)
	}
	return list, true, nil
}

// StructList returns the structures of a list and whether the parameter is
// there at all. An item that is no structure is nil in the list: positions
// are kept, and a nil *Object reads as empty. Anything but a list is present
// with a *TypeError.
func (o *Object) StructList(name string) (list []*Object, present bool, err error) {
	v := o.Get(name)
	if v.IsNull() {
		return nil, false, nil
	}
	if v.kind != KindList {
		return nil, true, &TypeError{name, "a list of structures"}
	}
	list = make([]*Object, len(v.list))
	for i, item := range v.list {
		list[i] = item.obj
	}
	return list, true, nil
}

// Struct returns a structure or map and whether the parameter is there at all.
// Anything else is present with a *TypeError and a nil *Object.
func (o *Object) Struct(name string) (s *Object, present bool, err error) {
	v := o.Get(name)
	if v.IsNull() {
		return nil, false, nil
	}
	if v.kind != KindObject && v.kind != KindMap {
		return nil, true, &TypeError{name, "a structure"}
	}
	return v.obj, true, nil
}

// StringMap returns the entries of a map of scalars in the order they came, and
// whether the parameter is there at all. Keys are distinct. An entry of null is
// skipped; an empty map is present and empty. A list of {Key, Value} structures
// (how SNS spells tags) reads as the map it stands for, the last of two equal
// keys wins. Anything else is present with a *TypeError, which names the entry
// if it is one whose value is no scalar.
func (o *Object) StringMap(name string) (pairs []Pair, present bool, err error) {
	v := o.Get(name)
	switch v.kind {
	case KindNull:
		return nil, false, nil
	case KindObject, KindMap:
		pairs, err = v.obj.pairs()
		return pairs, true, err
	case KindList:
		m := NewObject()
		for _, item := range v.list {
			key, ok := item.obj.Str("Key")
			if !ok {
				return nil, true, &TypeError{name, "a map of strings"}
			}
			value := item.obj.Get("Value")
			if value.IsNull() {
				value = String("")
			}
			m.Set(key, value)
		}
		pairs, err = m.pairs()
		return pairs, true, err
	}
	return nil, true, &TypeError{name, "a map of strings"}
}

func (o *Object) pairs() ([]Pair, error) {
	pairs := make([]Pair, 0, o.Len())
	for _, m := range o.Members() {
		if m.Value.IsNull() {
			continue
		}
		s, ok := m.Value.scalar()
		if !ok {
			return nil, &TypeError{m.Name, "a string"}
		}
		pairs = append(pairs, Pair{m.Name, s})
	}
	return pairs, nil
}

// ParseInt reads the text of a whole number: decimal, an optional sign,
// surrounding white space ignored. A number too large for 64 bits saturates.
func ParseInt(text string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err == nil {
		return n, true
	}
	if ne, ok := err.(*strconv.NumError); ok && ne.Err == strconv.ErrRange {
		return n, true
	}
	return 0, false
}

// integral reads a number's literal that has a fraction or an exponent.
func integral(literal string) (int64, bool) {
	f, err := strconv.ParseFloat(literal, 64)
	switch {
	case err == nil && f != math.Trunc(f):
		return 0, false
	case f >= math.MaxInt64:
		return math.MaxInt64, true
	case f <= math.MinInt64:
		return math.MinInt64, true
	case err != nil:
		return 0, false
	}
	return int64(f), true
}

// ParseBool reads "true" or "false" in any case, surrounding white space
// ignored.
func ParseBool(text string) (value, ok bool) {
	text = strings.TrimSpace(text)
	if strings.EqualFold(text, "true") {
		return true, true
	}
	return false, strings.EqualFold(text, "false")
}
