// Package envelope is the form in which a message is stored in the broker: one
// JSON object with the body and everything SQS keeps beside it. It is shared
// with every other gateway that reads the same queues, so the members and their
// encoding are fixed:
//
//	{"b":"body","a":{"name":{"t":"String","v":"x"}},"s":{"AWSTraceHeader":"..."},"m":"original id"}
package envelope

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/jsontext"
)

// Reserved names of system entries. A client cannot send them.
const (
	// SourceQueue names the queue that a dead-lettered copy came from.
	SourceQueue = "queen.sourceQueue"
	// ReceiveCount is how often consumers saw a dead-lettered copy's original.
	ReceiveCount = "queen.receiveCount"
	// MessageGroupID is the group of a message on a standard queue, where the
	// group does not name the lane (Amazon's fair queues). It is kept under the
	// name it is answered by.
	MessageGroupID = "MessageGroupId"
	// TraceHeader is the one system attribute that clients send.
	TraceHeader = "AWSTraceHeader"
)

// Message is what a payload holds.
type Message struct {
	Body string
	// Attributes are in the order of their names after Decode; Encode takes any
	// order.
	Attributes []Attribute
	System     []Entry
	// OriginalID is the id of the message that this one is a copy of.
	OriginalID string
}

// Attribute is one message attribute. Value is the text, or the decoded bytes of
// a Binary attribute.
type Attribute struct {
	Name, Type, Value string
}

// Binary reports whether the value is bytes: whether the part of the type label
// before the first dot is "Binary".
func (a Attribute) Binary() bool { return IsBinary(a.Type) }

// IsBinary reports whether a type label's values are bytes.
func IsBinary(label string) bool {
	kind, _, _ := strings.Cut(strings.TrimSpace(label), ".")
	return kind == "Binary"
}

// Entry is one system entry.
type Entry struct {
	Name, Value string
}

// SystemValue answers the system entry of that name, and whether there is one.
func (m *Message) SystemValue(name string) (string, bool) {
	for _, e := range m.System {
		if e.Name == name {
			return e.Value, true
		}
	}
	return "", false
}

// SetSystem sets a system entry.
func (m *Message) SetSystem(name, value string) {
	for i := range m.System {
		if m.System[i].Name == name {
			m.System[i].Value = value
			return
		}
	}
	m.System = append(m.System, Entry{name, value})
}

// DropSystem removes a system entry.
func (m *Message) DropSystem(name string) {
	m.System = slices.DeleteFunc(m.System, func(e Entry) bool { return e.Name == name })
}

// Encode is the payload of a message. Empty parts are left out, names are
// sorted.
func Encode(m Message) json.RawMessage {
	size := len(`{"b":""}`) + len(m.Body) + len(m.Body)/16
	for _, a := range m.Attributes {
		size += len(a.Name) + len(a.Type) + 2*len(a.Value) + 24
	}
	for _, e := range m.System {
		size += len(e.Name) + len(e.Value) + 12
	}
	out := make([]byte, 0, size+len(m.OriginalID)+24)

	out = jsontext.AppendString(append(out, `{"b":`...), m.Body)
	for i, a := range sorted(m.Attributes, func(a Attribute) string { return a.Name }) {
		out = open(out, i, `,"a":{`)
		out = jsontext.AppendString(out, a.Name)
		out = jsontext.AppendString(append(out, `:{"t":`...), a.Type)
		out = append(out, `,"v":`...)
		if a.Binary() {
			out = append(out, '"')
			out = base64.StdEncoding.AppendEncode(out, []byte(a.Value))
			out = append(out, '"', '}')
		} else {
			out = append(jsontext.AppendString(out, a.Value), '}')
		}
	}
	out = closeIf(out, len(m.Attributes) > 0)
	for i, e := range sorted(m.System, func(e Entry) string { return e.Name }) {
		out = open(out, i, `,"s":{`)
		out = jsontext.AppendString(out, e.Name)
		out = jsontext.AppendString(append(out, ':'), e.Value)
	}
	out = closeIf(out, len(m.System) > 0)
	if m.OriginalID != "" {
		out = jsontext.AppendString(append(out, `,"m":`...), m.OriginalID)
	}
	return append(out, '}')
}

func open(out []byte, i int, first string) []byte {
	if i == 0 {
		return append(out, first...)
	}
	return append(out, ',')
}

func closeIf(out []byte, opened bool) []byte {
	if opened {
		return append(out, '}')
	}
	return out
}

func sorted[T any](items []T, name func(T) string) []T {
	byName := func(a, b T) int { return cmp.Compare(name(a), name(b)) }
	if slices.IsSortedFunc(items, byName) {
		return items
	}
	items = slices.Clone(items)
	slices.SortFunc(items, byName)
	return items
}

// Decode reads a payload and never fails. A payload that is not exactly an
// envelope was written by a producer that speaks to the broker directly: the
// content of a JSON string, or the compact text of any other JSON, is then the
// body. (A native {"b":"..."} reads as an envelope.)
func Decode(payload json.RawMessage) Message {
	if body, ok := plainBody(payload); ok {
		return Message{Body: body}
	}
	if m, ok := decode(payload); ok {
		return m
	}
	var text string
	if json.Unmarshal(payload, &text) == nil && !bytes.Equal(bytes.TrimSpace(payload), []byte("null")) {
		return Message{Body: text}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, payload) == nil {
		return Message{Body: strings.ToValidUTF8(compact.String(), "\uFFFD")}
	}
	return Message{Body: strings.ToValidUTF8(string(payload), "\uFFFD")}
}

// plainBody recognises the commonest envelope, a body without attributes and
// without escapes, at the price of one scan.
func plainBody(payload []byte) (string, bool) {
	const head, tail = `{"b":"`, `"}`
	if len(payload) < len(head)+len(tail) || string(payload[:len(head)]) != head ||
		string(payload[len(payload)-len(tail):]) != tail {
		return "", false
	}
	text := payload[len(head) : len(payload)-len(tail)]
	for _, c := range text {
		if c < ' ' || c == '"' || c == '\\' {
			return "", false
		}
	}
	if !utf8.Valid(text) {
		return "", false
	}
	return string(text), true
}

func decode(payload []byte) (Message, bool) {
	parts, ok := object(payload)
	if !ok {
		return Message{}, false
	}
	var m Message
	hasBody := false
	for name, raw := range parts {
		switch name {
		case "b":
			m.Body, hasBody = str(raw)
			ok = hasBody
		case "a":
			m.Attributes, ok = attributes(raw)
		case "s":
			m.System, ok = entries(raw)
		case "m":
			m.OriginalID, ok = str(raw)
		default:
			ok = false
		}
		if !ok {
			return Message{}, false
		}
	}
	return m, hasBody
}

func attributes(raw json.RawMessage) ([]Attribute, bool) {
	members, ok := object(raw)
	if !ok || len(members) == 0 {
		return nil, ok
	}
	attrs := make([]Attribute, 0, len(members))
	for name, raw := range members {
		parts, ok := object(raw)
		if !ok || len(parts) != 2 {
			return nil, false
		}
		label, okLabel := str(parts["t"])
		value, okValue := str(parts["v"])
		if !okLabel || !okValue {
			return nil, false
		}
		if IsBinary(label) {
			decoded, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				return nil, false
			}
			value = string(decoded)
		}
		attrs = append(attrs, Attribute{name, label, value})
	}
	slices.SortFunc(attrs, func(a, b Attribute) int { return cmp.Compare(a.Name, b.Name) })
	return attrs, true
}

func entries(raw json.RawMessage) ([]Entry, bool) {
	members, ok := object(raw)
	if !ok || len(members) == 0 {
		return nil, ok
	}
	list := make([]Entry, 0, len(members))
	for name, raw := range members {
		value, ok := str(raw)
		if !ok {
			return nil, false
		}
		list = append(list, Entry{name, value})
	}
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return list, true
}

// object reads a JSON object; unlike a bare Unmarshal it refuses null.
func object(raw []byte) (map[string]json.RawMessage, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return nil, false
	}
	return members, true
}

// str reads a JSON string; unlike a bare Unmarshal it refuses null.
func str(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}
