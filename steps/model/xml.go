package model

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// element is one element of a document.
type element struct {
	name, space string
	chars       string
	children    []*element
}

func readXML(body []byte) (*element, error) {
	d := xml.NewDecoder(bytes.NewReader(body))
	top := &element{}
	stack := []*element{top}
	for {
		t, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		parent := stack[len(stack)-1]
		switch t := t.(type) {
		case xml.StartElement:
			e := &element{name: t.Name.Local, space: t.Name.Space}
			for _, a := range t.Attr {
				if a.Name.Local != "xmlns" {
					return nil, fmt.Errorf("the element %s has the attribute %s", e.name, a.Name.Local)
				}
			}
			parent.children = append(parent.children, e)
			stack = append(stack, e)
		case xml.CharData:
			parent.chars += string(t)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		}
	}
	if len(top.children) != 1 {
		return nil, fmt.Errorf("%d root elements", len(top.children))
	}
	return top.children[0], nil
}

func (e *element) one(name string) *element {
	if e == nil {
		return nil
	}
	var found *element
	for _, c := range e.children {
		if c.name == name {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}

func (e *element) text() string {
	if e == nil {
		return ""
	}
	return e.chars
}

// mixed is the text between elements, which must be white space.
func (e *element) mixed() bool {
	return len(e.children) > 0 && strings.TrimSpace(e.chars) != ""
}

func (c *checker) xml() map[string]any {
	root, err := readXML(c.Body)
	if err != nil {
		c.report(Malformed, "", "no XML: %v: %s", err, c.Body)
		return nil
	}
	c.contentType("text/xml")
	if c.failed() {
		c.xmlError(root)
		return nil
	}
	if c.op == nil {
		c.report(Malformed, "", "an operation that the model lacks was answered")
		return nil
	}
	if want := c.Operation + "Response"; root.name != want || root.space != c.model.Metadata.XMLNamespace {
		c.report(Malformed, "", "the root is %s in %q", root.name, root.space)
	}
	if root.one("ResponseMetadata").one("RequestId").text() == "" {
		c.report(MissingMember, "ResponseMetadata.RequestId", "every answer has one")
	}
	wrapper := ""
	if c.op.Output != nil {
		wrapper = c.op.Output.ResultWrapper
	}
	for _, e := range root.children {
		if e.name != "ResponseMetadata" && e.name != wrapper {
			c.report(UnknownMember, e.name, "in the root")
		}
	}
	if wrapper == "" {
		return map[string]any{}
	}
	result := root.one(wrapper)
	if result == nil {
		c.report(MissingMember, wrapper, "the operation has a result")
		return nil
	}
	return c.xmlStruct("", c.model.Shapes[c.op.Output.Shape], result)
}

func (c *checker) xmlError(root *element) {
	if root.name == "UnknownOperationException" && len(root.children) == 0 {
		c.knownError("", root.name, "Sender")
		return
	}
	if root.name != "ErrorResponse" || root.space != c.model.Metadata.XMLNamespace {
		c.report(Malformed, "", "the root is %s in %q", root.name, root.space)
	}
	detail := root.one("Error")
	if detail == nil || root.one("RequestId").text() == "" {
		c.report(Malformed, "", "no Error or no RequestId: %s", c.Body)
		return
	}
	for _, name := range []string{"Type", "Code", "Message"} {
		if detail.one(name) == nil {
			c.report(MissingMember, "Error."+name, "every error has one")
		}
	}
	for _, e := range detail.children {
		switch e.name {
		case "Type", "Code", "Message", "Detail":
		default:
			c.report(UnknownMember, "Error."+e.name, "%s", e.chars)
		}
	}
	c.knownError("", detail.one("Code").text(), detail.one("Type").text())
}

func (c *checker) xmlStruct(path string, s *Shape, e *element) map[string]any {
	out := map[string]any{}
	if e.mixed() {
		c.report(Malformed, path, "there is text between elements: %q", strings.TrimSpace(e.chars))
	}
	members := map[string]string{} // by element
	for name, r := range s.Members {
		members[c.model.Element(name, r)] = name
	}
	for _, child := range e.children {
		name, ok := members[child.name]
		if !ok {
			c.report(UnknownMember, join(path, child.name), "%s", child.chars)
			continue
		}
		r := s.Members[name]
		shape := c.model.Shapes[r.Shape]
		where := join(path, name)
		flat := (shape.Type == "list" || shape.Type == "map") && c.model.flat(r)
		if _, twice := out[name]; twice && !flat {
			c.report(Malformed, where, "it is there twice")
		}
		switch {
		case flat && shape.Type == "list":
			list, _ := out[name].([]any)
			out[name] = append(list, c.xmlValue(where, shape.Member.Shape, child))
		case flat:
			m, _ := out[name].(map[string]any)
			if m == nil {
				m = map[string]any{}
			}
			c.xmlEntry(where, shape, child, m)
			out[name] = m
		default:
			out[name] = c.xmlValue(where, r.Shape, child)
		}
	}
	for _, name := range s.Required {
		r := s.Members[name]
		// An empty list without an element of its own cannot be seen.
		if _, ok := out[name]; !ok && !(c.model.Shapes[r.Shape].Type == "list" && c.model.flat(r)) {
			c.report(MissingMember, join(path, name), "it is required")
		}
	}
	return out
}

func (c *checker) xmlEntry(path string, s *Shape, e *element, into map[string]any) {
	key, value := e.one(orElse(s.Key.LocationName, "key")), e.one(orElse(s.Value.LocationName, "value"))
	if key == nil || value == nil || len(e.children) != 2 {
		c.report(Malformed, path, "an entry of a map has %d elements", len(e.children))
		return
	}
	if _, twice := into[key.chars]; twice {
		c.report(Malformed, path, "the key %q is there twice", key.chars)
	}
	c.enum(c.newest(s.Key.Shape), path, key.chars)
	into[key.chars] = c.xmlValue(path, s.Value.Shape, value)
}

func (c *checker) xmlValue(path, shape string, e *element) any {
	s := c.model.Shapes[shape]
	switch s.Type {
	case "structure":
		return c.xmlStruct(path, s, e)
	case "list":
		out := []any{}
		for _, item := range e.children {
			if want := orElse(s.Member.LocationName, "member"); item.name != want {
				c.report(UnknownMember, join(path, item.name), "the items are called %s", want)
			}
			out = append(out, c.xmlValue(path, s.Member.Shape, item))
		}
		return out
	case "map":
		out := map[string]any{}
		for _, entry := range e.children {
			if entry.name != "entry" {
				c.report(UnknownMember, join(path, entry.name), "the entries are called entry")
			}
			c.xmlEntry(path, s, entry, out)
		}
		return out
	}
	if len(e.children) > 0 {
		c.report(WrongType, path, "a structure is no %s", s.Type)
		return nil
	}
	switch s.Type {
	case "integer", "long":
		n, err := strconv.ParseInt(e.chars, 10, 64)
		if err != nil {
			c.report(WrongType, path, "%q is no %s", e.chars, s.Type)
		}
		return n
	case "boolean":
		if e.chars != "true" && e.chars != "false" {
			c.report(WrongType, path, "%q is no %s", e.chars, s.Type)
		}
		return e.chars == "true"
	}
	return c.text(path, c.newest(shape), e.chars)
}
