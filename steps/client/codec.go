package client

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// lowerMembers puts back the lower-case names that the JSON model has.
func lowerMembers(action string, p Params) Params {
	tags, ok := p["Tags"]
	if action != "CreateQueue" || !ok {
		return p
	}
	out := Params{"tags": tags}
	for k, v := range p {
		if k != "Tags" {
			out[k] = v
		}
	}
	return out
}

// flattened are the names under which the SQS Query model repeats the members
// of a list or a map.
var flattened = map[string]string{
	"Attributes": "Attribute", "AttributeNames": "AttributeName",
	"MessageAttributes": "MessageAttribute", "MessageAttributeNames": "MessageAttributeName",
	"MessageSystemAttributes": "MessageSystemAttribute", "MessageSystemAttributeNames": "MessageSystemAttributeName",
	"Tags": "Tag", "TagKeys": "TagKey", "AWSAccountIds": "AWSAccountId", "Actions": "ActionName",
}

// EncodeQuery is an action's form in the Query protocol.
func EncodeQuery(service, action string, p Params) url.Values {
	form := url.Values{"Action": {action}, "Version": {"2012-11-05"}}
	if service == SNS {
		form.Set("Version", "2010-03-31")
	}
	for name, v := range p {
		if service == SQS && name == "Entries" {
			name = action + "RequestEntry"
		}
		encodeQuery(form, service, name, v)
	}
	return form
}

func encodeQuery(form url.Values, service, path string, v any) {
	parent, name := path[:strings.LastIndex(path, ".")+1], path[strings.LastIndex(path, ".")+1:]
	switch t := v.(type) {
	case []any:
		each := path + ".member."
		if service == SQS {
			if flat, ok := flattened[name]; ok {
				name = flat
			}
			each = parent + name + "."
		}
		for i, item := range t {
			encodeQuery(form, service, each+strconv.Itoa(i+1), item)
		}
	case Params:
		if !isMap(name) {
			for member, item := range t {
				encodeQuery(form, service, path+"."+member, item)
			}
			return
		}
		each, key, value := path+".entry.", ".key", ".value"
		if service == SQS {
			each = parent + flattened[name] + "."
		}
		if service == SQS || name == "MessageAttributes" {
			key, value = ".Name", ".Value"
		}
		if name == "Tags" {
			key = ".Key"
		}
		for i, k := range sortedKeys(t) {
			form.Set(each+strconv.Itoa(i+1)+key, k)
			encodeQuery(form, service, each+strconv.Itoa(i+1)+value, t[k])
		}
	default:
		if s, ok := Text(v); ok {
			form.Set(path, s)
		}
	}
}

// isMap reports whether a member's own member names are data.
func isMap(name string) bool {
	return slices.Contains([]string{"Attributes", "MessageAttributes", "MessageSystemAttributes", "Tags"}, name)
}

func sortedKeys(m Params) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// Decode reads an answer of either protocol as a tree.
func Decode(x *Exchange, action string) (Params, error) {
	if isXML(x) {
		root, err := parseXML(x.Body)
		if err != nil {
			return nil, err
		}
		result := root.child(action + "Result")
		if result == nil {
			return Params{}, nil
		}
		if strings.Contains(root.space, "sns.") {
			return nested(result), nil
		}
		return flat(result, action), nil
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(x.Body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("the answer is no JSON: %w", err)
	}
	out, ok := Tree(v).(Params)
	if !ok {
		return nil, fmt.Errorf("the answer is no JSON object: %s", x.Body)
	}
	for _, odd := range []string{"queueUrls", "tags"} {
		if v, ok := out[odd]; ok {
			delete(out, odd)
			out[upperFirst(odd)] = v
		}
	}
	return out, nil
}

func isXML(x *Exchange) bool {
	return bytes.HasPrefix(bytes.TrimSpace(x.Body), []byte("<"))
}

// Tree turns decoded JSON (with UseNumber) into a tree. Whole numbers become
// int64, and a BinaryValue becomes bytes when it is base64.
func Tree(v any) any {
	switch t := v.(type) {
	case json.Number:
		if n, err := t.Int64(); err == nil {
			return n
		}
		return t.String()
	case []any:
		for i := range t {
			t[i] = Tree(t[i])
		}
		return t
	case map[string]any:
		for k := range t {
			t[k] = Tree(t[k])
			if s, ok := t[k].(string); ok && k == "BinaryValue" {
				if b, err := base64.StdEncoding.DecodeString(s); err == nil {
					t[k] = b
				}
			}
		}
		return t
	}
	return v
}

// DecodeError reads an error of either protocol. What the body does not say
// stays empty.
func DecodeError(x *Exchange) *APIError {
	e := &APIError{Status: x.Status, RequestID: x.Header.Get("x-amzn-requestid")}
	if isXML(x) {
		root, err := parseXML(x.Body)
		if err != nil {
			return e
		}
		if detail := root.child("Error"); detail != nil {
			e.Code, e.Message, e.Fault = detail.text("Code"), detail.text("Message"), detail.text("Type")
		} else {
			e.Code = root.name
		}
		if id := root.text("RequestId"); id != "" {
			e.RequestID = id
		}
		return e
	}
	var body struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
		Error   struct{ Code, Message, Type string }
	}
	if json.Unmarshal(x.Body, &body) != nil {
		return e
	}
	if body.Error.Code != "" { // a Query error rendered in JSON
		e.Code, e.Message, e.Fault = body.Error.Code, body.Error.Message, body.Error.Type
		return e
	}
	e.Type = body.Type[strings.LastIndex(body.Type, "#")+1:]
	e.Message = body.Message
	e.Code, e.Fault, _ = strings.Cut(x.Header.Get("x-amzn-query-error"), ";")
	return e
}

type element struct {
	name, space string
	chars       string
	children    []*element
}

func parseXML(body []byte) (*element, error) {
	d := xml.NewDecoder(bytes.NewReader(body))
	var stack []*element
	top := &element{}
	stack = append(stack, top)
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the answer is no XML: %w", err)
		}
		parent := stack[len(stack)-1]
		switch t := tok.(type) {
		case xml.StartElement:
			e := &element{name: t.Name.Local, space: t.Name.Space}
			parent.children = append(parent.children, e)
			stack = append(stack, e)
		case xml.CharData:
			parent.chars += string(t)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		}
	}
	if len(top.children) != 1 {
		return nil, fmt.Errorf("the answer has %d root elements", len(top.children))
	}
	return top.children[0], nil
}

func (e *element) child(name string) *element {
	for _, c := range e.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (e *element) text(name string) string {
	if c := e.child(name); c != nil {
		return c.chars
	}
	return ""
}

// flat reads a structure of the SQS Query model, whose lists and maps are
// repeated elements.
func flat(e *element, action string) Params {
	out := Params{}
	if e == nil {
		return out
	}
	push := func(name string, v any) { list, _ := out[name].([]any); out[name] = append(list, v) }
	put := func(name, k string, v any) {
		m, ok := out[name].(Params)
		if !ok {
			m = Params{}
			out[name] = m
		}
		m[k] = v
	}
	for _, c := range e.children {
		switch {
		case c.name == "Message" && len(c.children) > 0:
			push("Messages", flat(c, action))
		case c.name == "QueueUrl" && strings.HasPrefix(action, "List"):
			push("QueueUrls", c.chars)
		case c.name == "BatchResultErrorEntry":
			push("Failed", flat(c, action))
		case c.name == "ListMessageMoveTasksResultEntry":
			push("Results", flat(c, action))
		case strings.HasSuffix(c.name, "ResultEntry"):
			push("Successful", flat(c, action))
		case c.name == "Attribute":
			put("Attributes", c.text("Name"), c.text("Value"))
		case c.name == "Tag":
			put("Tags", c.text("Key"), c.text("Value"))
		case c.name == "MessageAttribute":
			put("MessageAttributes", c.text("Name"), flat(c.child("Value"), action))
		default:
			out[c.name] = scalar(c)
		}
	}
	return out
}

// nested reads a structure of the SNS Query model, whose lists have member
// elements and whose maps have entry elements.
func nested(e *element) Params {
	out := Params{}
	for _, c := range e.children {
		switch {
		case len(c.children) > 0 && c.children[0].name == "member":
			var list []any
			for _, m := range c.children {
				if len(m.children) == 0 {
					list = append(list, m.chars)
					continue
				}
				list = append(list, nested(m))
			}
			out[c.name] = list
		case len(c.children) > 0 && c.children[0].name == "entry":
			m := Params{}
			for _, entry := range c.children {
				m[entry.text("key")] = entry.text("value")
			}
			out[c.name] = m
		case len(c.children) > 0:
			out[c.name] = nested(c)
		default:
			out[c.name] = scalar(c)
		}
	}
	return out
}

func scalar(e *element) any {
	if e.name == "BinaryValue" {
		if b, err := base64.StdEncoding.DecodeString(e.chars); err == nil {
			return b
		}
	}
	return e.chars
}
