package awsquery

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/queen-mq/queen-sqs/server/wire"
)

// tree is the parameters by the parts of their names: Tag.1.Key is the node Key
// in the node 1 in the node Tag. Node 0 is the root.
type tree struct {
	nodes []node
	// byName finds the children of nodes that have many, so that a request of many
	// names takes no quadratic time.
	byName map[childName]int32

	// Members and items of the structures that are still being made, innermost
	// last.
	members []wire.Member
	items   []wire.Value
	order   []int32
}

type node struct {
	name  string
	value string
	// index is the number that name spells, if indexed.
	index   uint64
	indexed bool

	first, last, next int32 // children and sibling, 0 for none
	children          int32
	indexes           int32 // how many of the children are indexed
}

type childName struct {
	parent int32
	name   string
}

// searchMax is how many children are searched one by one.
const searchMax = 16

// keepNodes is how large a tree may be to be used again.
const keepNodes = 1024

var trees = sync.Pool{New: func() any {
	return &tree{nodes: make([]node, 1, 64)}
}}

// release returns the tree to the pool without a reference to the request.
func (t *tree) release() {
	if cap(t.nodes) > keepNodes || cap(t.members) > keepNodes || cap(t.items) > keepNodes {
		return
	}
	clear(t.nodes)
	clear(t.members[:cap(t.members)])
	clear(t.items[:cap(t.items)])
	*t = tree{nodes: t.nodes[:1], members: t.members[:0], items: t.items[:0], order: t.order[:0]}
	trees.Put(t)
}

// put adds one parameter, or replaces its value. It returns false when the tree
// is full.
func (t *tree) put(name, value string) bool {
	at := int32(0)
	for name != "" {
		var part string
		part, name, _ = strings.Cut(name, ".")
		if transparent(part) {
			continue
		}
		if at = t.child(at, part); at == 0 {
			return false
		}
	}
	if at != 0 {
		t.nodes[at].value = value
	}
	return true
}

// transparent are the parts of a name that only say how a list or map is
// spelled.
func transparent(part string) bool {
	return part == "" || part == "member" || part == "entry"
}

// child finds or makes the child of that name, 0 when the tree is full.
func (t *tree) child(parent int32, name string) int32 {
	index, indexed := uint64(0), false
	if parent != 0 {
		name, index, indexed = listIndex(name)
	}
	if at := t.find(parent, name); at != 0 {
		return at
	}
	if len(t.nodes) == maxNodes {
		return 0
	}
	at := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{name: name, index: index, indexed: indexed})
	p := &t.nodes[parent]
	if p.first == 0 {
		p.first = at
	} else {
		t.nodes[p.last].next = at
	}
	p.last = at
	p.children++
	if indexed {
		p.indexes++
	}
	t.remember(parent, at)
	return at
}

func (t *tree) find(parent int32, name string) int32 {
	p := &t.nodes[parent]
	if p.last != 0 && t.nodes[p.last].name == name {
		return p.last
	}
	if p.children > searchMax {
		return t.byName[childName{parent, name}]
	}
	for at := p.first; at != 0; at = t.nodes[at].next {
		if t.nodes[at].name == name {
			return at
		}
	}
	return 0
}

// remember keeps byName complete for every parent with more than searchMax
// children.
func (t *tree) remember(parent, added int32) {
	switch n := t.nodes[parent].children; {
	case n <= searchMax:
		return
	case n > searchMax+1:
		t.byName[childName{parent, t.nodes[added].name}] = added
		return
	}
	if t.byName == nil {
		t.byName = make(map[childName]int32)
	}
	for at := t.nodes[parent].first; at != 0; at = t.nodes[at].next {
		t.byName[childName{parent, t.nodes[at].name}] = at
	}
}

// listIndex reads a part that is a number and writes it without leading zeros,
// so that 1 and 01 are one. A number too large for 64 bits is a name.
func listIndex(part string) (name string, index uint64, ok bool) {
	if c := part[0]; c < '0' || c > '9' {
		return part, 0, false
	}
	index, err := strconv.ParseUint(part, 10, 64)
	if err != nil {
		return part, 0, false
	}
	name = strings.TrimLeft(part, "0")
	if name == "" {
		name = "0"
	}
	return name, index, true
}

// scalar reports whether a node is a value and nothing else: a structure beats
// a scalar of the same name.
func (n *node) scalar() bool { return n.children == 0 }

// named is the child of that name, 0 for none.
func (t *tree) named(parent int32, names ...string) int32 {
	for _, name := range names {
		if at := t.find(parent, name); at != 0 {
			return at
		}
	}
	return 0
}

// list are the indexed children in the order of their numbers. Gaps close; what
// has no number is not in the list. It lies on the stack t.order, from which the
// caller takes it when done.
func (t *tree) list(parent int32) []int32 {
	base := len(t.order)
	sorted := true
	for at := t.nodes[parent].first; at != 0; at = t.nodes[at].next {
		if !t.nodes[at].indexed {
			continue
		}
		if n := len(t.order); n > base && t.nodes[t.order[n-1]].index > t.nodes[at].index {
			sorted = false
		}
		t.order = append(t.order, at)
	}
	list := t.order[base:]
	if !sorted {
		slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(t.nodes[a].index, t.nodes[b].index) })
	}
	return list
}
