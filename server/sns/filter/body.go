package filter

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// Body is the text of a message as policies of scope MessageBody see it. It is
// made once for each publish and is safe for concurrent use.
type Body struct {
	// object is nil when the text is no JSON object.
	object *value
}

// ParseBody reads the text of a message. A text that is no JSON object is a Body
// that no policy accepts but the empty one. So is one that nests more than a
// thousand levels, where a dot in a key counts as a level.
func ParseBody(message string) *Body {
	v, err := parseDocument(message)
	if err != nil || v.kind != fields {
		return &Body{}
	}
	return &Body{&v}
}

func parseDocument(src string) (value, error) {
	s := scanner{src: src, arrange: arrangeDocument}
	return s.parse()
}

// arrangeDocument makes an object of a document. A dot in a name is a step down,
// as AWS was recorded to read it: {"a.b":1} is {"a":{"b":1}}. Of members with
// the same name the last one stays.
func arrangeDocument(names []string, items []value, level int) (value, error) {
	dotted := false
	for _, name := range names {
		steps := strings.Count(name, ".")
		if level+steps > mostLevels {
			return value{}, syntaxError("the keys nest too deep")
		}
		dotted = dotted || steps > 0
	}
	m := members{names, items}
	m.sort()
	m.lastOfEach()
	if dotted {
		return nest(m.entries()), nil
	}
	return value{kind: fields, items: slices.Clone(m.items), names: slices.Clone(m.names)}, nil
}

// members are the members of an object in two slices.
type members struct {
	names []string
	items []value
}

func (m *members) Len() int           { return len(m.names) }
func (m *members) Less(i, j int) bool { return m.names[i] < m.names[j] }
func (m *members) Swap(i, j int) {
	m.names[i], m.names[j] = m.names[j], m.names[i]
	m.items[i], m.items[j] = m.items[j], m.items[i]
}

// sort sorts by name and keeps the order of those with the same name.
func (m *members) sort() {
	if !slices.IsSorted(m.names) {
		sort.Stable(m)
	}
}

// lastOfEach keeps the last of the members with the same name.
func (m *members) lastOfEach() {
	n := 0
	for i, name := range m.names {
		if i+1 < len(m.names) && m.names[i+1] == name {
			continue
		}
		m.names[n], m.items[n] = name, m.items[i]
		n++
	}
	m.names, m.items = m.names[:n], m.items[:n]
}

func (m *members) entries() []entry {
	entries := make([]entry, len(m.names))
	for i, name := range m.names {
		entries[i] = entry{name, m.items[i]}
	}
	return entries
}

// entry is a member of an object whose name may still have dots in it.
type entry struct {
	name  string
	value value
}

// flat makes an object of sorted entries whose names are final.
func flat(entries []entry) value {
	v := value{kind: fields, items: make([]value, len(entries)), names: make([]string, len(entries))}
	for i, e := range entries {
		v.names[i], v.items[i] = e.name, e.value
	}
	return v
}

// nest makes an object of entries in any order: it splits their names at the
// first dot and brings together what has the same first step.
func nest(entries []entry) value {
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(firstStep(a.name), firstStep(b.name)) })
	var out []entry
	for len(entries) > 0 {
		step := firstStep(entries[0].name)
		n := 1
		for n < len(entries) && firstStep(entries[n].name) == step {
			n++
		}
		out = append(out, entry{step, join(entries[:n], len(step))})
		entries = entries[n:]
	}
	return flat(out)
}

func firstStep(name string) string {
	step, _, _ := strings.Cut(name, ".")
	return step
}

// join is the one value of entries whose first step is the same and width bytes
// long. Objects become one object. What else is there stands beside it in an
// array, which matches if one of its elements does.
func join(entries []entry, width int) value {
	if len(entries) == 1 && len(entries[0].name) == width {
		return entries[0].value
	}
	var below []entry
	var others []value
	objects := false
	for _, e := range entries {
		switch {
		case len(e.name) > width:
			below = append(below, entry{e.name[width+1:], e.value})
			objects = true
		case e.value.kind == fields:
			for i, name := range e.value.names {
				below = append(below, entry{name, e.value.items[i]})
			}
			objects = true
		default:
			others = append(others, e.value)
		}
	}
	if !objects {
		return value{kind: list, items: others}
	}
	object := nest(below)
	if others == nil {
		return object
	}
	return value{kind: list, items: append(others, object)}
}
