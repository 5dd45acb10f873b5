package jsontext

import (
	"encoding/json"
	"testing"
)

func TestAppendString(t *testing.T) {
	for in, want := range map[string]string{
		"":                         `""`,
		"plain <&> é 世 \U0001F600": "\"plain <&> é 世 \U0001F600\"",
		"a\"\\\n\r\t\x01\x1f\x7f":  "\"a\\\"\\\\\\n\\r\\t\\u0001\\u001f\x7f\"",
		"é\xff\xfea":               "\"é\uFFFD\uFFFDa\"",
		"\u2028":                   "\"\u2028\"",
	} {
		got := string(AppendString([]byte("x"), in))
		if got != "x"+want {
			t.Errorf("%q is written %s, want %s", in, got[1:], want)
		}
	}
}

// FuzzAppendString holds AppendString against encoding/json, which reads back
// what was written.
func FuzzAppendString(f *testing.F) {
	f.Add("a\"\\\n\r\t\x01é\xff<>&\u2028")
	f.Fuzz(func(t *testing.T, s string) {
		var back string
		if err := json.Unmarshal(AppendString(nil, s), &back); err != nil {
			t.Fatal(err)
		}
		// encoding/json, too, replaces each byte that is not UTF-8.
		if want := string([]rune(s)); back != want {
			t.Errorf("%q reads back as %q", s, back)
		}
	})
}

func TestMarshal(t *testing.T) {
	v := map[string]any{"b": "<&>", "a": []int{1}}
	text, err := Marshal(v)
	if err != nil || string(text) != `{"a":[1],"b":"<&>"}` {
		t.Errorf("%s, %v", text, err)
	}
	text, err = MarshalIndent(v)
	if err != nil || string(text) != "{\n  \"a\": [\n    1\n  ],\n  \"b\": \"<&>\"\n}\n" {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := Marshal(make(chan int)); err == nil {
		t.Error("a channel has a JSON form")
	}
	if _, err := MarshalIndent(make(chan int)); err == nil {
		t.Error("a channel has a JSON form")
	}
}
