package sqs

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/digest"
	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// attributeRule is one thing that is wrong with an attribute, and what a client
// is told. Text may hold one %s, which becomes the attribute's name.
type attributeRule struct {
	broken func(a sentAttribute) bool
	text   string
}

// sentAttribute is an attribute as it was sent.
type sentAttribute struct {
	name, label string
	// kind is the label's part before the first dot.
	kind  string
	value string
	// badBase64 says that a Binary value is not base64.
	badBase64 bool
}

// nameRules and valueRules are tried in order; the first broken one answers.
// Only the text of the empty value is recorded. Those of names are the words
// AWS is known by, the rest is ours.
var nameRules = []attributeRule{
	{func(a sentAttribute) bool { return a.name == "" },
		"The request must contain non-empty message attribute names."},
	{func(a sentAttribute) bool { return utf8.RuneCountInString(a.name) > longestAttributeName },
		"Message (user) attribute names must be shorter than 256 Bytes"},
	{func(a sentAttribute) bool { return reservedName(a.name) },
		"You can't use message attribute names beginning with 'AWS.' or 'Amazon.'. These strings are reserved for internal use. Additionally, they cannot start or end with '.'."},
	{func(a sentAttribute) bool { return strings.Contains(a.name, "..") },
		"Message attribute name can not have successive '.' character."},
	{func(a sentAttribute) bool { return strings.ContainsFunc(a.name, forbiddenInName) },
		"Invalid character was found in the message attribute name. Can only include alphanumeric characters, hyphens, underscores, or dots."},
}

var valueRules = []attributeRule{
	{func(a sentAttribute) bool { return strings.TrimSpace(a.label) == "" },
		"The message attribute '%s' must contain a non-empty message attribute type."},
	{func(a sentAttribute) bool {
		return utf8.RuneCountInString(a.label) > longestTypeLabel
	},
		"The type of message (user) attribute '%s' must be shorter than 256 Bytes."},
	{func(a sentAttribute) bool {
		return !isKind(a.kind) || strings.HasSuffix(strings.TrimSpace(a.label), ".")
	},
		"The type of message (user) attribute '%s' is invalid. You must use only the following supported type prefixes: Binary, Number, String."},
	{func(a sentAttribute) bool { return a.badBase64 },
		"The value of message (user) attribute '%s' is not base64."},
	{func(a sentAttribute) bool { return a.kind == "Binary" && a.value == "" },
		"Message (user) attribute '%s' must contain a non-empty value of type 'Binary'."},
	{func(a sentAttribute) bool { return a.kind == "Number" && a.value == "" },
		"Message (user) attribute '%s' must contain a non-empty value of type 'Number'."},
	{func(a sentAttribute) bool { return a.kind == "String" && a.value == "" },
		"Message (user) attribute '%s' must contain a non-empty value of type 'String'."},
	{func(a sentAttribute) bool { return a.kind == "Number" && !envelope.IsNumber(a.value) },
		"Can't cast the value of message (user) attribute '%s' to a number."},
}

func isKind(kind string) bool { return kind == "String" || kind == "Number" || kind == "Binary" }

func reservedName(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "aws.") || strings.HasPrefix(lower, "amazon.") ||
		strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".")
}

// forbiddenInName: AWS takes letters and digits of any alphabet (recorded with
// "attr.1øßä") beside hyphen, underscore and dot.
func forbiddenInName(r rune) bool {
	switch {
	case r == '-', r == '_', r == '.':
		return false
	case r == utf8.RuneError:
		return true
	default:
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
}

// messageAttributes reads the attributes of a message, sorted by name.
func messageAttributes(p *wire.Object) ([]envelope.Attribute, error) {
	set, present, err := p.Struct("MessageAttributes")
	if err != nil {
		return nil, fault.InvalidParameterValue.With("Value for parameter MessageAttributes is invalid. Reason: Must be a map of message attributes.")
	}
	if !present || set.Len() == 0 {
		return nil, nil
	}
	attrs := make([]envelope.Attribute, 0, set.Len())
	for _, m := range set.Members() {
		a, err := readAttribute(m.Name, m.Value.Object())
		if err != nil {
			return nil, err
		}
		attrs = append(attrs, a)
	}
	slices.SortFunc(attrs, func(a, b envelope.Attribute) int { return cmp.Compare(a.Name, b.Name) })
	return attrs, nil
}

func readAttribute(name string, o *wire.Object) (envelope.Attribute, error) {
	sent := sentAttribute{name: name}
	sent.label, _ = o.Str("DataType")
	sent.kind, _, _ = strings.Cut(strings.TrimSpace(sent.label), ".")
	if err := noListValues(o); err != nil {
		return envelope.Attribute{}, err
	}
	if sent.kind == "Binary" {
		sent.value, _ = o.Str("BinaryValue")
		decoded, err := base64.StdEncoding.DecodeString(sent.value)
		sent.value, sent.badBase64 = string(decoded), err != nil
	} else {
		sent.value, _ = o.Str("StringValue")
	}
	for _, rules := range [][]attributeRule{nameRules, valueRules} {
		for _, rule := range rules {
			if rule.broken(sent) {
				return envelope.Attribute{}, fault.InvalidParameterValue.With(strings.Replace(rule.text, "%s", clip(name), 1))
			}
		}
	}
	if r, bad := envelope.Forbidden(sent.value); bad && sent.kind != "Binary" {
		return envelope.Attribute{}, fault.InvalidParameterValue.Withf(
			"Invalid character %U was found in the value of message (user) attribute '%s'.", r, clip(name))
	}
	return envelope.Attribute{Name: name, Type: sent.label, Value: sent.value}, nil
}

// noListValues refuses the values of an attribute that are reserved for lists.
func noListValues(o *wire.Object) error {
	for _, list := range []string{"StringListValues", "StringListValue", "BinaryListValues", "BinaryListValue"} {
		v := o.Get(list)
		if len(v.Items()) > 0 || v.Text() != "" || v.Object().Len() > 0 {
			return fault.UnsupportedOperation.With("Message attribute list values in SendMessage operation are not supported.")
		}
	}
	return nil
}

// systemAttributes reads the system attributes a client sent: AWSTraceHeader is
// the only one there is.
func systemAttributes(p *wire.Object) ([]envelope.Entry, error) {
	set, _, err := p.Struct("MessageSystemAttributes")
	if err != nil {
		return nil, fault.InvalidParameterValue.With("Value for parameter MessageSystemAttributes is invalid. Reason: Must be a map of message attributes.")
	}
	var entries []envelope.Entry
	for _, m := range set.Members() {
		if m.Name != envelope.TraceHeader {
			return nil, fault.InvalidParameterValue.Withf("Message system attribute name '%s' is invalid.", clip(m.Name))
		}
		o := m.Value.Object()
		if err := noListValues(o); err != nil {
			return nil, err
		}
		if label, _ := o.Str("DataType"); label != "String" {
			return nil, fault.InvalidParameterValue.Withf(
				"The type of message (system) attribute '%s' is invalid. You must use only the following supported type prefixes: String.", m.Name)
		}
		value, _ := o.Str("StringValue")
		if value == "" {
			return nil, fault.InvalidParameterValue.Withf(
				"Message (system) attribute '%s' must contain a non-empty value of type 'String'.", m.Name)
		}
		if r, bad := envelope.Forbidden(value); bad {
			return nil, fault.InvalidParameterValue.Withf(
				"Invalid character %U was found in the value of message (system) attribute '%s'.", r, m.Name)
		}
		entries = append(entries, envelope.Entry{Name: m.Name, Value: value})
	}
	return entries, nil
}

// attributeBytes is what attributes add to a message's size: names, type labels
// and values. System attributes add nothing.
func attributeBytes(attrs []envelope.Attribute) int {
	size := 0
	for _, a := range attrs {
		size += len(a.Name) + len(a.Type) + len(a.Value)
	}
	return size
}

func attributesMD5(attrs []envelope.Attribute) string {
	if len(attrs) == 0 {
		return ""
	}
	var few [10]digest.Attribute
	list := few[:0]
	for _, a := range attrs {
		list = append(list, digest.Attribute{Name: a.Name, Type: a.Type, Value: a.Value, Binary: a.Binary()})
	}
	return digest.Attributes(list)
}

func systemMD5(entries []envelope.Entry) string {
	var list []digest.Attribute
	for _, e := range entries {
		list = append(list, digest.Attribute{Name: e.Name, Type: "String", Value: e.Value})
	}
	return digest.Attributes(list)
}
