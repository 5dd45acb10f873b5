package wire

import "github.com/queen-mq/queen-sqs/server/jsontext"

// AppendJSON appends a value as JSON. Members of structures and maps that are
// null are left out, a null in a list is written; order is kept.
func AppendJSON(dst []byte, v Value) []byte {
	switch v.kind {
	case KindString:
		return jsontext.AppendString(dst, v.text)
	case KindNumber, KindBool:
		return append(dst, v.text...)
	case KindList:
		dst = append(dst, '[')
		for i, item := range v.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, item)
		}
		return append(dst, ']')
	case KindObject, KindMap:
		return AppendJSONObject(dst, v.obj)
	}
	return append(dst, "null"...)
}

// AppendJSONObject appends a structure as JSON; a nil one is {}.
func AppendJSONObject(dst []byte, o *Object) []byte {
	dst = append(dst, '{')
	first := true
	for _, m := range o.Members() {
		if m.Value.IsNull() {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = jsontext.AppendString(dst, m.Name)
		dst = append(dst, ':')
		dst = AppendJSON(dst, m.Value)
	}
	return append(dst, '}')
}
