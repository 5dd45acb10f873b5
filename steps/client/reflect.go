package client

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// alwaysSent are the members that aws-sdk-go-v2 sends whatever they hold: they
// cannot be left out. Any other number that is no pointer cannot be zero.
var alwaysSent = map[string]string{
	"ChangeMessageVisibilityInput":             "VisibilityTimeout",
	"ChangeMessageVisibilityBatchRequestEntry": "VisibilityTimeout",
}

// fill writes a tree onto an SDK's typed input.
func fill(dst reflect.Value, src any) error {
	switch dst.Kind() {
	case reflect.Pointer:
		p := reflect.New(dst.Type().Elem())
		if err := fill(p.Elem(), src); err != nil {
			return err
		}
		dst.Set(p)
		return nil
	case reflect.Struct:
		return fillStruct(dst, src)
	case reflect.Map:
		m, ok := src.(Params)
		if !ok {
			return fmt.Errorf("%w: %T for a map", errInexpressible, src)
		}
		dst.Set(reflect.MakeMapWithSize(dst.Type(), len(m)))
		for k, v := range m {
			item := reflect.New(dst.Type().Elem()).Elem()
			if err := fill(item, v); err != nil {
				return err
			}
			dst.SetMapIndex(reflect.ValueOf(k).Convert(dst.Type().Key()), item)
		}
		return nil
	case reflect.Slice:
		return fillSlice(dst, src)
	}
	return fillScalar(dst, src)
}

func fillStruct(dst reflect.Value, src any) error {
	m, ok := src.(Params)
	if !ok {
		return fmt.Errorf("%w: %T for a structure", errInexpressible, src)
	}
	for name, v := range m {
		f := dst.FieldByName(name)
		if !f.IsValid() || !f.CanSet() {
			return fmt.Errorf("%w: no member %s", errInexpressible, name)
		}
		if err := fill(f, v); err != nil {
			return err
		}
		if isNumber(f) && f.IsZero() && alwaysSent[dst.Type().Name()] != name {
			return fmt.Errorf("%w: zero in %s", errInexpressible, name)
		}
	}
	always := alwaysSent[dst.Type().Name()]
	if _, given := m[always]; !given && always != "" && isNumber(dst.FieldByName(always)) {
		return fmt.Errorf("%w: %s cannot be left out", errInexpressible, always)
	}
	return nil
}

func isNumber(v reflect.Value) bool { return v.CanInt() || v.Kind() == reflect.Bool }

func fillSlice(dst reflect.Value, src any) error {
	if dst.Type().Elem().Kind() == reflect.Uint8 {
		switch b := src.(type) {
		case []byte:
			dst.SetBytes(b)
			return nil
		}
		return fmt.Errorf("%w: %T for bytes", errInexpressible, src)
	}
	list, ok := src.([]any)
	if !ok {
		return fmt.Errorf("%w: %T for a list", errInexpressible, src)
	}
	dst.Set(reflect.MakeSlice(dst.Type(), len(list), len(list)))
	for i, v := range list {
		if err := fill(dst.Index(i), v); err != nil {
			return err
		}
	}
	return nil
}

func fillScalar(dst reflect.Value, src any) error {
	switch s := src.(type) {
	case string:
		if dst.Kind() == reflect.String {
			dst.SetString(s)
			return nil
		}
	case int64:
		if dst.CanInt() && !dst.OverflowInt(s) {
			dst.SetInt(s)
			return nil
		}
	case bool:
		if dst.Kind() == reflect.Bool {
			dst.SetBool(s)
			return nil
		}
	}
	return fmt.Errorf("%w: %T for %s", errInexpressible, src, dst.Type())
}

// read is the inverse of fill: an SDK's typed output as a tree. What was absent
// on the wire is absent in the tree, as far as the SDK can tell.
func read(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return read(v.Elem())
	case reflect.Struct:
		out := Params{}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() || f.Name == "ResultMetadata" || f.Anonymous {
				continue
			}
			if item := read(v.Field(i)); item != nil {
				out[f.Name] = item
			}
		}
		return out
	case reflect.Map:
		if v.IsNil() {
			return nil
		}
		out := Params{}
		for it := v.MapRange(); it.Next(); {
			out[it.Key().String()] = read(it.Value())
		}
		return out
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Bytes()
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i] = read(v.Index(i))
		}
		return out
	case reflect.String:
		// An enumeration that is no pointer is empty when it was absent.
		if v.Type().Name() != "string" && v.String() == "" {
			return nil
		}
		return v.String()
	case reflect.Bool:
		return v.Bool()
	}
	if v.CanInt() {
		return v.Int()
	}
	return fmt.Sprint(v.Interface())
}

// Text is a scalar of a tree as one would write it: numbers in decimal, bytes
// in base64.
func Text(v any) (string, bool) {
	switch s := v.(type) {
	case string:
		return s, true
	case int64:
		return strconv.FormatInt(s, 10), true
	case bool:
		return strconv.FormatBool(s), true
	case []byte:
		return base64.StdEncoding.EncodeToString(s), true
	}
	return "", false
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
