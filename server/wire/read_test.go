package wire

import (
	"errors"
	"math"
	"reflect"
	"testing"
)

func TestStr(t *testing.T) {
	o := NewObject(
		Member{"s", String(" x ")}, Member{"empty", String("")}, Member{"n", Number("1.50")},
		Member{"b", Bool(true)}, Member{"null", Null()}, Member{"list", List(String("a"))},
	)
	for _, c := range []struct {
		name, want string
		ok         bool
	}{
		{"s", " x ", true}, {"empty", "", true}, {"n", "1.50", true}, {"b", "true", true},
		{"null", "", false}, {"list", "", false}, {"absent", "", false},
	} {
		if got, ok := o.Str(c.name); got != c.want || ok != c.ok {
			t.Errorf("Str(%s) = %q, %v", c.name, got, ok)
		}
	}
	if _, present, err := o.StrErr("list"); !present || err == nil {
		t.Errorf("StrErr(list) = %v, %v", present, err)
	}
	if _, present, err := o.StrErr("null"); present || err != nil {
		t.Errorf("StrErr(null) = %v, %v", present, err)
	}
	if s, ok := (*Object)(nil).Str("x"); ok || s != "" {
		t.Error("a nil object is not empty")
	}
}

func TestInt(t *testing.T) {
	for _, c := range []struct {
		v       Value
		want    int64
		present bool
		bad     bool
	}{
		{Int(10), 10, true, false},
		{String("10"), 10, true, false},
		{String(" -7\n"), -7, true, false},
		{String("+7"), 7, true, false},
		{Number("1e1"), 10, true, false},
		{Number("2.0"), 2, true, false},
		{Number("99999999999999999999"), math.MaxInt64, true, false},
		{Number("-1e400"), math.MinInt64, true, false},
		{Number("1e-400"), 0, true, false},
		{String("-99999999999999999999"), math.MinInt64, true, false},
		{Number("1.5"), 0, true, true},
		{String("1.0"), 0, true, true},
		{String(""), 0, true, true},
		{String("0x10"), 0, true, true},
		{String("ten"), 0, true, true},
		{Bool(true), 0, true, true},
		{List(Int(1)), 0, true, true},
		{Null(), 0, false, false},
	} {
		n, present, err := NewObject(Member{"x", c.v}).Int("x")
		if n != c.want || present != c.present || (err != nil) != c.bad {
			t.Errorf("Int of %v = %d, %v, %v", c.v, n, present, err)
		}
		var te *TypeError
		if c.bad && (!errors.As(err, &te) || te.Name != "x") {
			t.Errorf("Int of %v: error %v does not name the parameter", c.v, err)
		}
	}
}

func TestBool(t *testing.T) {
	for _, c := range []struct {
		v                  Value
		want, present, bad bool
	}{
		{Bool(true), true, true, false}, {Bool(false), false, true, false},
		{String("TRUE"), true, true, false}, {String(" False "), false, true, false},
		{String("1"), false, true, true}, {String(""), false, true, true},
		{Int(1), false, true, true}, {Null(), false, false, false},
	} {
		b, present, err := NewObject(Member{"x", c.v}).Bool("x")
		if b != c.want || present != c.present || (err != nil) != c.bad {
			t.Errorf("Bool of %v = %v, %v, %v", c.v, b, present, err)
		}
	}
}

func TestStringList(t *testing.T) {
	for _, c := range []struct {
		v       Value
		want    []string
		present bool
		bad     bool
	}{
		{List(String("a"), Int(1), Null(), Bool(false)), []string{"a", "1", "false"}, true, false},
		{String("All"), []string{"All"}, true, false},
		{List(), []string{}, true, false},
		{Null(), nil, false, false},
		{List(List()), nil, true, true},
		{Struct(NewObject()), nil, true, true},
	} {
		got, present, err := NewObject(Member{"x", c.v}).StringList("x")
		if !reflect.DeepEqual(got, c.want) || present != c.present || (err != nil) != c.bad {
			t.Errorf("StringList of %v = %v, %v, %v", c.v, got, present, err)
		}
	}
}

func TestStructures(t *testing.T) {
	inner := NewObject(Member{"Id", String("1")})
	o := NewObject(
		Member{"list", List(Struct(inner), String("x"), Map(inner))},
		Member{"struct", Struct(inner)}, Member{"map", Map(inner)}, Member{"s", String("x")},
	)
	list, present, err := o.StructList("list")
	if err != nil || !present || len(list) != 3 || list[0] != inner || list[1] != nil || list[2] != inner {
		t.Errorf("StructList = %v, %v, %v", list, present, err)
	}
	for _, name := range []string{"struct", "s"} {
		if _, present, err := o.StructList(name); !present || err == nil {
			t.Errorf("StructList(%s) = %v, %v", name, present, err)
		}
	}
	for _, name := range []string{"struct", "map"} {
		if s, present, err := o.Struct(name); s != inner || !present || err != nil {
			t.Errorf("Struct(%s) = %v, %v, %v", name, s, present, err)
		}
	}
	if _, present, err := o.Struct("s"); !present || err == nil {
		t.Errorf("Struct(s) = %v, %v", present, err)
	}
	if _, present, err := o.Struct("absent"); present || err != nil {
		t.Errorf("Struct(absent) = %v, %v", present, err)
	}
}

func TestStringMap(t *testing.T) {
	pair := func(k string, v Value) Value {
		return Struct(NewObject(Member{"Key", String(k)}, Member{"Value", v}))
	}
	for _, c := range []struct {
		v       Value
		want    []Pair
		present bool
		bad     bool
	}{
		{Struct(NewObject(Member{"b", String("1")}, Member{"n", Null()}, Member{"a", Int(2)})), []Pair{{"b", "1"}, {"a", "2"}}, true, false},
		{Map(NewObject()), []Pair{}, true, false},
		{List(pair("a", String("1")), pair("b", Null()), pair("a", String("3"))), []Pair{{"a", "3"}, {"b", ""}}, true, false},
		{List(String("x")), nil, true, true},
		{String("x"), nil, true, true},
		{Map(NewObject(Member{"a", List()})), nil, true, true},
		{Null(), nil, false, false},
	} {
		got, present, err := NewObject(Member{"x", c.v}).StringMap("x")
		if !reflect.DeepEqual(got, c.want) || present != c.present || (err != nil) != c.bad {
			t.Errorf("StringMap of %v = %v, %v, %v", c.v, got, present, err)
		}
	}
}
