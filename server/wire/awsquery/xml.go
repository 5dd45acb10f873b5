package awsquery

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// XMLContentType is that of every response in XML, errors included.
const XMLContentType = "text/xml"

// AppendResult appends the XML document of a response. A nil result has no
// element, an empty one an empty element. Nulls are left out; members, and the
// entries of maps, come in the order of their names, lists in their own.
func AppendResult(dst []byte, service wire.Service, action, requestID string, result *wire.Object) []byte {
	d := &dialects[service]
	x := xmlWriter{dst: dst, dialect: d, service: service, action: action}
	x.dst = append(x.dst, d.declaration...)
	x.root(action + "Response")
	if result != nil {
		x.object(action+"Result", result)
	}
	x.open("ResponseMetadata")
	x.text("RequestId", requestID)
	x.close("ResponseMetadata")
	x.close(action + "Response")
	return x.dst
}

// undetailed are the actions whose errors have no Detail at Amazon, by the
// recorded responses; those of the other actions have an empty one.
var undetailed = map[string]bool{"DeleteMessageBatch": true, "ChangeMessageVisibilityBatch": true}

// AppendError appends the XML document of an error, in the namespace of the
// service that was asked. The action may be unknown. The status is the kind's.
func AppendError(dst []byte, service wire.Service, action, requestID string, err *fault.Error) []byte {
	if err.Kind == fault.UnknownOperation {
		return append(dst, "<UnknownOperationException/>\n"...)
	}
	d := &dialects[service]
	x := xmlWriter{dst: dst, dialect: d, service: service}
	x.dst = append(x.dst, d.declaration...)
	x.root("ErrorResponse")
	x.open("Error")
	x.text("Type", err.Kind.Side())
	x.text("Code", err.Kind.Query)
	x.text("Message", err.QueryMessage())
	if d.detail && !undetailed[action] {
		x.empty("Detail")
	}
	x.close("Error")
	x.text("RequestId", requestID)
	x.close("ErrorResponse")
	return x.dst
}

// xmlWriter writes one element a line, two spaces a level.
type xmlWriter struct {
	dst     []byte
	dialect *dialect
	service wire.Service
	action  string
	depth   int
	failed  bool // inside the list Failed, whose Code is translated
}

const spaces = "                                "

func (x *xmlWriter) indent() {
	for n := 2 * x.depth; n > 0; n -= len(spaces) {
		x.dst = append(x.dst, spaces[:min(n, len(spaces))]...)
	}
}

func (x *xmlWriter) root(name string) {
	x.dst = append(x.dst, '<')
	x.dst = append(x.dst, name...)
	x.dst = append(x.dst, ` xmlns="`...)
	x.dst = append(x.dst, x.dialect.namespace...)
	x.dst = append(x.dst, "\">\n"...)
	x.depth++
}

func (x *xmlWriter) open(name string) {
	x.indent()
	x.dst = append(x.dst, '<')
	x.dst = append(x.dst, name...)
	x.dst = append(x.dst, ">\n"...)
	x.depth++
}

func (x *xmlWriter) close(name string) {
	x.depth--
	x.indent()
	x.end(name)
}

func (x *xmlWriter) end(name string) {
	x.dst = append(x.dst, "</"...)
	x.dst = append(x.dst, name...)
	x.dst = append(x.dst, ">\n"...)
}

func (x *xmlWriter) empty(name string) {
	x.indent()
	x.dst = append(x.dst, '<')
	x.dst = append(x.dst, name...)
	x.dst = append(x.dst, "/>\n"...)
}

func (x *xmlWriter) text(name, text string) {
	x.indent()
	x.dst = append(x.dst, '<')
	x.dst = append(x.dst, name...)
	x.dst = append(x.dst, '>')
	x.dst = appendText(x.dst, text)
	x.end(name)
}

func (x *xmlWriter) object(name string, o *wire.Object) {
	if !hasMembers(o) {
		x.empty(name)
		return
	}
	x.open(name)
	inOrder(o, func(m wire.Member) {
		if x.failed && m.Name == "Code" {
			x.text("Code", queryCode(x.service, m.Value.Text()))
			return
		}
		x.member(m.Name, m.Value)
	})
	x.close(name)
}

func (x *xmlWriter) member(name string, v wire.Value) {
	if form, ok := x.dialect.form(name, v); ok {
		x.entries(name, form, v.Object())
		return
	}
	switch v.Kind() {
	case wire.KindList:
		x.list(name, v.Items())
	case wire.KindObject, wire.KindMap:
		x.object(name, v.Object())
	default:
		x.text(name, v.Text())
	}
}

func (x *xmlWriter) list(name string, items []wire.Value) {
	x.failed = name == "Failed"
	defer func() { x.failed = false }()
	if x.service == wire.SQS {
		item := x.dialect.item(name, x.action)
		for _, v := range items {
			x.member(item, v)
		}
		return
	}
	if len(items) == 0 {
		x.empty(name)
		return
	}
	x.open(name)
	for _, v := range items {
		x.member("member", v)
	}
	x.close(name)
}

func (x *xmlWriter) entries(name string, form mapForm, o *wire.Object) {
	if form.wrapped {
		if !hasMembers(o) {
			x.empty(name)
			return
		}
		x.open(name)
	}
	inOrder(o, func(m wire.Member) {
		x.open(form.entry)
		x.text(form.key, m.Name)
		x.member(form.value, m.Value)
		x.close(form.entry)
	})
	if form.wrapped {
		x.close(name)
	}
}

func hasMembers(o *wire.Object) bool {
	for _, m := range o.Members() {
		if !m.Value.IsNull() {
			return true
		}
	}
	return false
}

// inOrder visits the members that are not null by name.
func inOrder(o *wire.Object, visit func(wire.Member)) {
	members := o.Members()
	byName := func(a, b wire.Member) int { return strings.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(members, byName) {
		// Most returns fit, and cost no allocation.
		var few [16]wire.Member
		members = append(few[:0], members...)
		slices.SortFunc(members, byName)
	}
	for _, m := range members {
		if !m.Value.IsNull() {
			visit(m)
		}
	}
}

// plainText marks the ASCII characters that stand for themselves.
var plainText = func() (t [utf8.RuneSelf]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		t[c] = !strings.ContainsRune(`&<>"'`, rune(c))
	}
	t['\t'], t['\n'] = true, true
	return t
}()

// appendText appends text as the content of an element. A carriage return is
// escaped because a parser would make a line feed of it. What XML 1.0 cannot hold
// becomes U+FFFD.
func appendText(dst []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		n, escaped := 1, ""
		if c := s[i]; c < utf8.RuneSelf {
			if plainText[c] {
				i++
				continue
			}
			escaped = escapes[c]
		} else {
			var r rune
			r, n = utf8.DecodeRuneInString(s[i:])
			if r != 0xFFFE && r != 0xFFFF && (r != utf8.RuneError || n > 1) {
				i += n
				continue
			}
		}
		if escaped == "" {
			escaped = "\uFFFD"
		}
		dst = append(dst, s[start:i]...)
		dst = append(dst, escaped...)
		i += n
		start = i
	}
	return append(dst, s[start:]...)
}

var escapes = [utf8.RuneSelf]string{
	'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&quot;", '\'': "&apos;", '\r': "&#xD;",
}
