package awsquery

import (
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// JSONContentType is that of a response in JSON, which a request over Query can
// ask for in its Accept header.
const JSONContentType = "application/json"

// AppendJSONResult appends the response of a request over Query that wants JSON:
// the tree of the XML document, with lists and maps as JSON lists. It is not an
// response of AWS JSON 1.0. A nil result has no member, an empty one an empty
// object.
func AppendJSONResult(dst []byte, service wire.Service, action, requestID string, result *wire.Object) []byte {
	response := wire.NewObject()
	if result != nil {
		response.Set(action+"Result", wire.Struct(jsonObject(service, result, false)))
	}
	response.Set("ResponseMetadata", wire.Struct(wire.NewObject().Set("RequestId", wire.String(requestID))))
	return wire.AppendJSONObject(dst, wire.NewObject().Set(action+"Response", wire.Struct(response)))
}

// AppendJSONError appends the error of a request over Query that wants JSON.
// Even then AWS writes the error of an unknown operation on a queue's path in
// XML, which the caller does with AppendError: IsXMLOnly tells.
func AppendJSONError(dst []byte, requestID string, err *fault.Error) []byte {
	return wire.AppendJSONObject(dst, wire.NewObject().
		Set("Error", wire.Struct(wire.NewObject().
			Set("Code", wire.String(err.Kind.Query)).
			Set("Message", wire.String(err.QueryMessage())).
			Set("Type", wire.String(err.Kind.Side())))).
		Set("RequestId", wire.String(requestID)))
}

// IsXMLOnly reports whether an error is written in XML whatever Accept says.
func IsXMLOnly(err *fault.Error) bool { return err.Kind == fault.UnknownOperation }

// jsonObject is a structure as a JSON response spells it: members by name, some
// lists in lower case, the maps of SQS as lists of pairs.
func jsonObject(service wire.Service, o *wire.Object, failed bool) *wire.Object {
	d := &dialects[service]
	out := wire.NewObject()
	inOrder(o, func(m wire.Member) {
		name := m.Name
		if lower, ok := d.lowerLists[name]; ok && m.Value.Kind() == wire.KindList {
			name = lower
		}
		if failed && name == "Code" {
			out.Set(name, wire.String(queryCode(service, m.Value.Text())))
			return
		}
		out.Set(name, jsonMember(service, m.Name, m.Value))
	})
	return out
}

func jsonMember(service wire.Service, name string, v wire.Value) wire.Value {
	form, isMap := dialects[service].form(name, v)
	switch {
	case isMap && !form.wrapped:
		pairs := []wire.Value{}
		inOrder(v.Object(), func(m wire.Member) {
			pairs = append(pairs, wire.Struct(wire.NewObject().
				Set(form.key, wire.String(m.Name)).
				Set(form.value, jsonMember(service, form.value, m.Value))))
		})
		return wire.List(pairs...)
	case v.Kind() == wire.KindList:
		items := make([]wire.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = item
			if o := item.Object(); o != nil {
				items[i] = wire.Struct(jsonObject(service, o, name == "Failed"))
			}
		}
		return wire.List(items...)
	case v.Kind() == wire.KindObject, v.Kind() == wire.KindMap:
		return wire.Struct(jsonObject(service, v.Object(), false))
	}
	return v
}
