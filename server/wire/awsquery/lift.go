package awsquery

import "github.com/queen-mq/queen-sqs/server/wire"

// shape is what a lifted parameter is.
type shape uint8

const (
	listShape shape = iota
	textMap         // from pairs of a name and a text
	structMap       // from pairs of a name and a structure
)

// lift gives a parameter the name and shape it has in AWS JSON.
type lift struct {
	name  string
	shape shape
	// sqsOnly lifts are for a name that means something else over SNS.
	sqsOnly bool
}

// lifts are all names that Query spells differently, at whatever depth. Both the
// singular and the plural are accepted: AWS does, and a widely used client sends
// plurals. A name that is not here keeps its name and shape.
var lifts = map[string]lift{
	"Attribute":  {name: "Attributes", shape: textMap},
	"Attributes": {name: "Attributes", shape: textMap},

	"AttributeName":               {name: "AttributeNames", shape: listShape, sqsOnly: true},
	"AttributeNames":              {name: "AttributeNames", shape: listShape},
	"MessageSystemAttributeName":  {name: "MessageSystemAttributeNames", shape: listShape},
	"MessageSystemAttributeNames": {name: "MessageSystemAttributeNames", shape: listShape},
	"MessageAttributeName":        {name: "MessageAttributeNames", shape: listShape},
	"MessageAttributeNames":       {name: "MessageAttributeNames", shape: listShape},

	"MessageAttribute":        {name: "MessageAttributes", shape: structMap},
	"MessageAttributes":       {name: "MessageAttributes", shape: structMap},
	"MessageSystemAttribute":  {name: "MessageSystemAttributes", shape: structMap},
	"MessageSystemAttributes": {name: "MessageSystemAttributes", shape: structMap},
	"StringListValue":         {name: "StringListValues", shape: listShape},
	"StringListValues":        {name: "StringListValues", shape: listShape},
	"BinaryListValue":         {name: "BinaryListValues", shape: listShape},
	"BinaryListValues":        {name: "BinaryListValues", shape: listShape},

	// Over SNS tags stay the list they are: a key that is there twice is refused.
	"Tag":     {name: "Tags", shape: textMap, sqsOnly: true},
	"Tags":    {name: "Tags", shape: textMap, sqsOnly: true},
	"TagKey":  {name: "TagKeys", shape: listShape},
	"TagKeys": {name: "TagKeys", shape: listShape},

	"SendMessageBatchRequestEntry":             {name: "Entries", shape: listShape},
	"DeleteMessageBatchRequestEntry":           {name: "Entries", shape: listShape},
	"ChangeMessageVisibilityBatchRequestEntry": {name: "Entries", shape: listShape},
	"Entries":                    {name: "Entries", shape: listShape},
	"PublishBatchRequestEntries": {name: "PublishBatchRequestEntries", shape: listShape},

	"AWSAccountId":  {name: "AWSAccountIds", shape: listShape},
	"AWSAccountIds": {name: "AWSAccountIds", shape: listShape},
	"ActionName":    {name: "Actions", shape: listShape},
	"Actions":       {name: "Actions", shape: listShape},
}

// The names a pair of a map is spelled with, in order of preference.
var (
	pairNames  = []string{"Name", "Key", "key", "name"}
	pairValues = []string{"Value", "value"}
)

// params is the tree as the parameters of an action. The lower-case tags of
// CreateQueue are given beside Tags.
func (t *tree) params(service wire.Service) *wire.Object {
	o := t.object(0, service)
	if tags := o.Get("Tags"); !tags.IsNull() && !o.Has("tags") {
		o.Set("tags", tags)
	}
	return o
}

func (t *tree) object(id int32, service wire.Service) *wire.Object {
	base := len(t.members)
	for at := t.nodes[id].first; at != 0; at = t.nodes[at].next {
		name, v := t.member(id, at, service)
		t.members = append(t.members, wire.Member{Name: name, Value: v})
	}
	o := wire.NewObject(t.members[base:]...)
	t.members = t.members[:base]
	return o
}

func (t *tree) member(parent, at int32, service wire.Service) (string, wire.Value) {
	name := t.nodes[at].name
	l, ok := lifts[name]
	switch {
	case !ok, l.sqsOnly && service != wire.SQS, t.isSetter(parent, at):
		return name, t.value(at, service)
	case l.shape == listShape:
		return l.name, t.asList(at, service)
	}
	return l.name, t.asMap(at, l.shape, service)
}

// isSetter reports whether a node is the AttributeName of the pair AttributeName
// and AttributeValue, which names one attribute and is no list.
func (t *tree) isSetter(parent, at int32) bool {
	n := &t.nodes[at]
	if n.name != "AttributeName" || !n.scalar() {
		return false
	}
	value := t.find(parent, "AttributeValue")
	return value != 0 && t.nodes[value].scalar()
}

// value is a node under a name that is not lifted.
func (t *tree) value(at int32, service wire.Service) wire.Value {
	n := &t.nodes[at]
	switch {
	case n.scalar():
		return wire.String(n.value)
	case n.indexes > 0:
		return t.indexed(at, service)
	}
	return wire.Struct(t.object(at, service))
}

// asList is a node as a list. What has no number is a list of one; an empty
// scalar is the empty list, which SDKs spell so.
func (t *tree) asList(at int32, service wire.Service) wire.Value {
	n := &t.nodes[at]
	switch {
	case n.indexes > 0:
		return t.indexed(at, service)
	case n.scalar() && n.value == "":
		return wire.List()
	}
	return wire.List(t.value(at, service))
}

func (t *tree) indexed(at int32, service wire.Service) wire.Value {
	base := len(t.items)
	children := t.list(at)
	for _, child := range children {
		v := t.value(child, service)
		t.items = append(t.items, v)
	}
	t.order = t.order[:len(t.order)-len(children)]
	items := append(make([]wire.Value, 0, len(t.items)-base), t.items[base:]...)
	t.items = t.items[:base]
	return wire.List(items...)
}

// asMap is a node as a map: of its numbered pairs, of one pair without a number,
// or of its own members if they are no pair. Of two pairs with one name the later
// wins. An empty scalar is the empty map; another scalar stays one, for the
// action to refuse.
func (t *tree) asMap(at int32, s shape, service wire.Service) wire.Value {
	n := &t.nodes[at]
	switch {
	case n.scalar() && n.value == "":
		return wire.Map(wire.NewObject())
	case n.scalar():
		return wire.String(n.value)
	}
	base := len(t.members)
	switch {
	case n.indexes == 0 && t.named(at, pairNames...) != 0:
		m := t.pair(at, s, service)
		t.members = append(t.members, m)
	case n.indexes == 0:
		for child := n.first; child != 0; child = t.nodes[child].next {
			v := t.value(child, service)
			t.members = append(t.members, wire.Member{Name: t.nodes[child].name, Value: v})
		}
	default:
		children := t.list(at)
		for _, child := range children {
			m := t.pair(child, s, service)
			t.members = append(t.members, m)
		}
		t.order = t.order[:len(t.order)-len(children)]
	}
	o := wire.NewObject(t.members[base:]...)
	t.members = t.members[:base]
	return wire.Map(o)
}

// pair is one entry of a map. A missing name is empty, which no action accepts;
// a missing value is empty, which some do.
func (t *tree) pair(at int32, s shape, service wire.Service) wire.Member {
	var m wire.Member
	if t.nodes[at].scalar() {
		m.Value = wire.String(t.nodes[at].value)
		return m
	}
	if name := t.named(at, pairNames...); name != 0 {
		m.Name = t.nodes[name].value
	}
	switch value := t.named(at, pairValues...); {
	case value != 0:
		m.Value = t.value(value, service)
	case s == structMap:
		m.Value = wire.Struct(wire.NewObject())
	default:
		m.Value = wire.String("")
	}
	return m
}
