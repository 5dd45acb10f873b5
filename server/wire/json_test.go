package wire

import "testing"

func TestAppendJSON(t *testing.T) {
	v := List(Null(), Bool(true), Int(-3), Number("1.50"), String("a\"\\\n\r\t\x01é\xff"),
		Map(NewObject().Set("b", Null()).Set("a", List())), Struct(nil))
	want := `[null,true,-3,1.50,"a\"\\\n\r\t\u0001é` + "\uFFFD" + `",{"a":[]},{}]`
	if got := string(AppendJSON([]byte("x"), v)); got != "x"+want {
		t.Errorf("%s", got)
	}
	if got := string(AppendJSONObject(nil, nil)); got != "{}" {
		t.Errorf("a nil structure is %s", got)
	}
}
