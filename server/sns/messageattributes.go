package sns

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Limits of an attribute's name and type label in bytes; those of SQS, where
// raw delivery takes them.
const (
	longestAttributeName = 256
	longestTypeLabel     = 256
)

// messageAttributes reads the attributes of a message, sorted by name. Texts of
// refusals are recorded, except where it says "ours". path is where the
// attributes are in the request, for the one refusal that says so.
func messageAttributes(p *wire.Object, path string) ([]envelope.Attribute, error) {
	set, present, err := p.Struct("MessageAttributes")
	if err != nil {
		return nil, wrongType(err)
	}
	if !present || set.Len() == 0 {
		return nil, nil
	}
	attributes := make([]envelope.Attribute, 0, set.Len())
	for _, m := range set.Members() {
		if why := nameFlaw(m.Name); why != "" {
			return nil, fault.ParameterValueInvalid.With(why)
		}
		o := m.Value.Object()
		if o.Get("DataType").IsNull() {
			return nil, fault.ValidationError.Withf("1 validation error detected: Value null at '%s.%s.member.dataType' "+
				"failed to satisfy constraint: Member must not be null", path, m.Name)
		}
		a, why := readAttribute(m.Name, o)
		if why != "" {
			return nil, fault.ParameterValueInvalid.With(why)
		}
		attributes = append(attributes, a)
	}
	slices.SortFunc(attributes, func(a, b envelope.Attribute) int { return cmp.Compare(a.Name, b.Name) })
	return attributes, nil
}

func nameFlaw(name string) (why string) {
	lower := strings.ToLower(name)
	switch {
	case name == "":
		return "The message attribute name must not be empty." // ours
	case len(name) > longestAttributeName:
		return "Length of message attribute name must be less than 256 bytes."
	case name[0] == '.':
		return "Invalid message attribute name starting with character '.' was found."
	case name[len(name)-1] == '.':
		return "Invalid message attribute name ending with character '.' was found."
	case strings.Contains(name, ".."):
		return "Message attribute name can not have successive '.' character."
	case strings.HasPrefix(lower, "aws."), strings.HasPrefix(lower, "amazon."):
		return "Message attribute names beginning with 'AWS.' or 'Amazon.' are reserved." // ours
	}
	for _, r := range name {
		if !nameCharacter(r) {
			return fmt.Sprintf("Invalid non-alphanumeric character '#x%X' was found in the message attribute name. "+
				"Can only include alphanumeric characters, hyphens, underscores, or dots.", r)
		}
	}
	return ""
}

func nameCharacter(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return true
	}
	return r == '-' || r == '_' || r == '.'
}

// attributeKind is the part of a type label before the first dot, if the label
// is one of String, Number and Binary, or one of those, a dot and something.
func attributeKind(label string) (kind string, ok bool) {
	kind, rest, dotted := strings.Cut(label, ".")
	switch kind {
	case "String", "Number", "Binary":
		return kind, (!dotted || rest != "") && len(label) <= longestTypeLabel
	}
	return "", false
}

func readAttribute(name string, o *wire.Object) (a envelope.Attribute, why string) {
	a.Name = name
	a.Type, _ = o.Str("DataType")
	kind, ok := attributeKind(a.Type)
	if !ok {
		return a, fmt.Sprintf("The message attribute '%s' has an invalid message attribute type, "+
			"the set of supported type prefixes is Binary, Number, and String.", name)
	}
	field, member, other := "String", "StringValue", "BinaryValue"
	if kind == "Binary" {
		field, member, other = "Binary", "BinaryValue", "StringValue"
	}
	if !o.Get(other).IsNull() {
		return a, fmt.Sprintf("The message attribute '%s' with type '%s' must use field '%s'.", name, a.Type, field)
	}
	a.Value, _ = o.Str(member)
	if a.Value == "" {
		return a, fmt.Sprintf("The message attribute '%s' must contain non-empty message attribute value "+
			"for message attribute type '%s'.", name, a.Type)
	}
	if kind == "Binary" {
		decoded, err := base64.StdEncoding.DecodeString(a.Value)
		if err != nil {
			return a, fmt.Sprintf("The value of message attribute '%s' is not base64.", name) // ours
		}
		a.Value = string(decoded)
		return a, ""
	}
	if kind == "Number" && !envelope.IsNumber(a.Value) {
		return a, fmt.Sprintf("Could not cast message attribute '%s' value to number.", name) // ours
	}
	if r, bad := envelope.Forbidden(a.Value); bad {
		return a, fmt.Sprintf("Invalid character %U was found in the value of message attribute '%s'.", r, name) // ours
	}
	return a, ""
}

// attributeBytes is what attributes add to a message's size: names, type labels
// and values (recorded).
func attributeBytes(attributes []envelope.Attribute) int {
	size := 0
	for _, a := range attributes {
		size += len(a.Name) + len(a.Type) + len(a.Value)
	}
	return size
}
