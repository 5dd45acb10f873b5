package generate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/model"
)

// encode spells a case as its model says, and a value of a wrong type as the
// protocol would.
func encode(c Case) client.Request {
	if c.Protocol == model.JSON {
		return encodeJSON(c)
	}
	m := model.Of(c.Service, model.Query)
	f := form{model: m}
	f.put("Action", c.Operation)
	f.put("Version", m.Metadata.APIVersion)
	input := m.Operations[c.Operation].Input
	shape := &model.Shape{}
	if input != nil {
		shape = m.Shapes[input.Shape]
	}
	if c.twice {
		f.put(c.Member, fmt.Sprint(c.Before))
	}
	f.structure("", shape, c.Params)
	return client.Request{Service: c.Service, Method: "POST", Target: "/", Body: f.Bytes(), Header: http.Header{
		"Content-Type": {"application/x-www-form-urlencoded; charset=utf-8"},
	}}
}

func encodeJSON(c Case) client.Request {
	body, err := json.Marshal(c.Params)
	if err != nil {
		panic(err)
	}
	if c.twice {
		first, err := json.Marshal(map[string]any{c.Member: c.Before})
		if err != nil {
			panic(err)
		}
		body = append(append(first[:len(first)-1], ','), body[1:]...)
	}
	target := map[string]string{model.SQS: "AmazonSQS.", model.SNS: "AmazonSimpleNotificationService."}[c.Service]
	return client.Request{Service: c.Service, Method: "POST", Target: "/", Body: body, Header: http.Header{
		"Content-Type": {"application/x-amz-json-1.0"}, "X-Amz-Target": {target + c.Operation},
	}}
}

// form is a body in order: a parameter may be in it twice.
type form struct {
	bytes.Buffer
	model *model.Model
}

func (f *form) put(name, value string) {
	if f.Len() > 0 {
		f.WriteByte('&')
	}
	f.WriteString(url.QueryEscape(name) + "=" + url.QueryEscape(value))
}

func (f *form) structure(path string, s *model.Shape, o map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		r, known := s.Members[name]
		if !known {
			f.plain(path+name, o[name])
			continue
		}
		f.member(path, name, r, o[name])
	}
}

func (f *form) member(path, name string, r model.Ref, v any) {
	s := f.model.Shapes[r.Shape]
	element := path + f.model.Element(name, r)
	flat := r.Flattened || s.Flattened
	switch t := v.(type) {
	case []any:
		if s.Type == "list" {
			each := element + "."
			if !flat {
				each += or(s.Member.LocationName, "member") + "."
			}
			for i, item := range t {
				f.value(each+strconv.Itoa(i+1), s.Member.Shape, item)
			}
			return
		}
	case map[string]any:
		if s.Type == "map" {
			each := element + "."
			if !flat {
				each += "entry."
			}
			for i, k := range slices.Sorted(maps.Keys(t)) {
				entry := each + strconv.Itoa(i+1) + "."
				f.put(entry+or(s.Key.LocationName, "key"), k)
				f.value(entry+or(s.Value.LocationName, "value"), s.Value.Shape, t[k])
			}
			return
		}
	}
	f.value(element, r.Shape, v)
}

func (f *form) value(element, shape string, v any) {
	s := f.model.Shapes[shape]
	if o, ok := v.(map[string]any); ok && s.Type == "structure" {
		f.structure(element+".", s, o)
		return
	}
	f.plain(element, v)
}

// plain spells a value that no model describes.
func (f *form) plain(path string, v any) {
	switch t := v.(type) {
	case []any:
		for i, item := range t {
			f.plain(path+"."+strconv.Itoa(i+1), item)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(t)) {
			f.plain(path+"."+k, t[k])
		}
	default:
		f.put(path, fmt.Sprint(v))
	}
}

func or(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}
