package model

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

const jsonType = "application/x-amz-json-1.0"

func (c *checker) json() map[string]any {
	c.contentType(jsonType)
	v, err := readJSON(c.Body)
	if err != nil {
		c.report(Malformed, "", "%v: %s", err, c.Body)
		return nil
	}
	o, ok := v.(map[string]any)
	if !ok {
		c.report(Malformed, "", "no JSON object: %s", c.Body)
		return nil
	}
	switch {
	case c.failed():
		c.jsonError(o)
		return nil
	case c.op == nil:
		c.report(Malformed, "", "an operation that the model lacks was answered")
		return nil
	case c.op.Output == nil:
		for name := range o {
			c.report(UnknownMember, name, "the operation has no result")
		}
		return map[string]any{}
	}
	return c.jsonStruct("", c.model.Shapes[c.op.Output.Shape], o)
}

func (c *checker) jsonError(o map[string]any) {
	kind, _ := o["__type"].(string)
	_, shape, ok := strings.Cut(kind, "#")
	if !ok {
		shape = kind
	}
	if kind == "" {
		c.report(Malformed, "__type", "there is none: %s", c.Body)
	}
	for name, v := range o {
		if _, text := v.(string); !slices.Contains([]string{"__type", "message", "Message"}, name) || !text {
			c.report(UnknownMember, name, "in an error: %v", v)
		}
	}
	header := c.Header.Get("x-amzn-query-error")
	code, fault, ok := strings.Cut(header, ";")
	if !ok {
		c.report(Malformed, "x-amzn-query-error", "%q", header)
		return
	}
	c.knownError(shape, code, fault)
}

func (c *checker) jsonStruct(path string, s *Shape, o map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range o {
		r, ok := s.Members[name]
		if !ok {
			c.report(UnknownMember, join(path, name), "%v", v)
			continue
		}
		out[name] = c.jsonValue(join(path, name), r.Shape, v)
	}
	for _, name := range s.Required {
		if v, ok := o[name]; !ok || v == nil {
			c.report(MissingMember, join(path, name), "it is required")
		}
	}
	return out
}

func (c *checker) jsonValue(path, shape string, v any) any {
	s := c.model.Shapes[shape]
	wrong := func() any {
		c.report(WrongType, path, "%v is no %s", v, s.Type)
		return nil
	}
	switch s.Type {
	case "structure":
		o, ok := v.(map[string]any)
		if !ok {
			return wrong()
		}
		return c.jsonStruct(path, s, o)
	case "list":
		items, ok := v.([]any)
		if !ok {
			return wrong()
		}
		out := make([]any, len(items))
		for i, item := range items {
			out[i] = c.jsonValue(path, s.Member.Shape, item)
		}
		return out
	case "map":
		o, ok := v.(map[string]any)
		if !ok {
			return wrong()
		}
		out := map[string]any{}
		for k, item := range o {
			c.enum(c.newest(s.Key.Shape), path, k)
			out[k] = c.jsonValue(path, s.Value.Shape, item)
		}
		return out
	case "integer", "long":
		n, ok := v.(json.Number)
		if !ok {
			return wrong()
		}
		whole, err := n.Int64()
		if err != nil {
			return wrong()
		}
		return whole
	case "boolean":
		if _, ok := v.(bool); !ok {
			return wrong()
		}
		return v
	}
	text, ok := v.(string)
	if !ok {
		return wrong()
	}
	return c.text(path, s, text)
}

// text is the value of what both protocols write as text.
func (c *checker) text(path string, s *Shape, text string) any {
	if s.Type == "blob" {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			c.report(WrongType, path, "%q is no base64", text)
		}
		return b
	}
	c.enum(s, path, text)
	if strings.HasSuffix(path, "Failed.Code") && !exceptionNamed(c.Service, text) && !common(c.Service, text) {
		c.report(UndeclaredError, path, "%q is no error of the service", text)
	}
	return text
}

// queryJSON checks what can be said of an answer in JSON over Query: the
// document is the one of XML, whose spelling in JSON no model describes.
func (c *checker) queryJSON() {
	if bytes.HasPrefix(bytes.TrimSpace(c.Body), []byte("<")) {
		c.Protocol = Query
		c.xml()
		return
	}
	v, err := readJSON(c.Body)
	o, ok := v.(map[string]any)
	if err != nil || !ok {
		c.report(Malformed, "", "no JSON object: %s", c.Body)
		return
	}
	if c.failed() {
		detail, _ := o["Error"].(map[string]any)
		code, _ := detail["Code"].(string)
		fault, _ := detail["Type"].(string)
		c.knownError("", code, fault)
		return
	}
	if _, ok := o[c.Operation+"Response"]; !ok || len(o) != 1 {
		c.report(Malformed, "", "the document is %s", c.Body)
	}
}

// readJSON reads one document with whole numbers kept and no member twice.
func readJSON(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	v, err := readValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more behind the document")
	}
	return v, nil
}

func readValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o := map[string]any{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := readValue(d)
			if err != nil {
				return nil, err
			}
			if _, twice := o[name.(string)]; twice {
				return nil, fmt.Errorf("the member %s is there twice", name)
			}
			o[name.(string)] = v
		}
		_, err = d.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := readValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	return t, nil
}
