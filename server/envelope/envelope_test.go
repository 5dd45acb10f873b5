package envelope

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		why  string
		m    Message
		want string
	}{
		{"body alone", Message{Body: "hello"}, `{"b":"hello"}`},
		{"empty body", Message{}, `{"b":""}`},
		{"escapes", Message{Body: "a\"b\\c\n\r\t<&>\u2028é😀\x01"}, "{\"b\":\"a\\\"b\\\\c\\n\\r\\t<&>\u2028é😀\\u0001\"}"},
		{"not UTF-8", Message{Body: "a\xffb"}, "{\"b\":\"a\uFFFDb\"}"},
		{"everything, unsorted", Message{Body: "x",
			Attributes: []Attribute{{"z", "Binary.gzip", "\x00\xff"}, {"a", "String", "v"}},
			System:     []Entry{{SourceQueue, "q"}, {TraceHeader, "t"}}, OriginalID: "id"},
			`{"b":"x","a":{"a":{"t":"String","v":"v"},"z":{"t":"Binary.gzip","v":"AP8="}},"s":{"AWSTraceHeader":"t","queen.sourceQueue":"q"},"m":"id"}`},
	} {
		t.Run(c.why, func(t *testing.T) {
			got := Encode(c.m)
			if string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if !json.Valid(got) {
				t.Error("not JSON")
			}
		})
	}
}

// The matrix of what is and what is not an envelope.
func TestDecode(t *testing.T) {
	for _, c := range []struct {
		why, payload string
		want         Message
	}{
		{"envelope", `{"b":"hello"}`, Message{Body: "hello"}},
		{"envelope with white space", " {\n\"b\" : \"hello\" } ", Message{Body: "hello"}},
		{"escaped body", `{"b":"a\"b\\c\u00e9\ud83d\ude00"}`, Message{Body: "a\"b\\cé😀"}},
		{"quote at the end", `{"b":"x\"}`, Message{Body: `{"b":"x\"}`}},
		{"all parts", `{"m":"id","s":{"AWSTraceHeader":"t"},"a":{"n":{"t":"Number","v":"1"},"b":{"v":"AP8=","t":"Binary"}},"b":"x"}`,
			Message{Body: "x", Attributes: []Attribute{{"b", "Binary", "\x00\xff"}, {"n", "Number", "1"}},
				System: []Entry{{TraceHeader, "t"}}, OriginalID: "id"}},
		{"empty parts", `{"b":"x","a":{},"s":{},"m":""}`, Message{Body: "x"}},
		{"no body", `{"a":{}}`, Message{Body: `{"a":{}}`}},
		{"body no string", `{"b":1}`, Message{Body: `{"b":1}`}},
		{"body null", `{"b":null}`, Message{Body: `{"b":null}`}},
		{"unknown member", `{"b":"x","c":1}`, Message{Body: `{"b":"x","c":1}`}},
		{"member in upper case", `{"B":"x"}`, Message{Body: `{"B":"x"}`}},
		{"attributes null", `{"b":"x","a":null}`, Message{Body: `{"b":"x","a":null}`}},
		{"attributes a list", `{"b":"x","a":[]}`, Message{Body: `{"b":"x","a":[]}`}},
		{"attribute without value", `{"b":"x","a":{"n":{"t":"String"}}}`, Message{Body: `{"b":"x","a":{"n":{"t":"String"}}}`}},
		{"attribute with more", `{"b":"x","a":{"n":{"t":"String","v":"","w":""}}}`, Message{Body: `{"b":"x","a":{"n":{"t":"String","v":"","w":""}}}`}},
		{"attribute value a number", `{"b":"x","a":{"n":{"t":"Number","v":1}}}`, Message{Body: `{"b":"x","a":{"n":{"t":"Number","v":1}}}`}},
		{"bad base64", `{"b":"x","a":{"n":{"t":"Binary","v":"?"}}}`, Message{Body: `{"b":"x","a":{"n":{"t":"Binary","v":"?"}}}`}},
		{"bad base64 under a text label", `{"b":"x","a":{"n":{"t":"Binaryish","v":"?"}}}`, Message{Body: "x", Attributes: []Attribute{{"n", "Binaryish", "?"}}}},
		{"system entry a number", `{"b":"x","s":{"n":1}}`, Message{Body: `{"b":"x","s":{"n":1}}`}},
		{"original id null", `{"b":"x","m":null}`, Message{Body: `{"b":"x","m":null}`}},
		{"native object", "{ \"order\" : [1, 2.50, 1e3] }", Message{Body: `{"order":[1,2.50,1e3]}`}},
		{"native string", `"hello \u00e9"`, Message{Body: "hello é"}},
		{"native number", ` 17 `, Message{Body: `17`}},
		{"native null", `null`, Message{Body: `null`}},
		{"native list", `["b"]`, Message{Body: `["b"]`}},
		{"no JSON", "\xff{", Message{Body: "\uFFFD{"}},
		{"nothing", "", Message{}},
	} {
		t.Run(c.why, func(t *testing.T) {
			if got := Decode(json.RawMessage(c.payload)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestSystemEntries(t *testing.T) {
	m := Message{System: []Entry{{"a", "1"}, {"b", "2"}}}
	m.SetSystem("b", "3")
	m.SetSystem("c", "4")
	m.DropSystem("a")
	m.DropSystem("absent")
	if want := []Entry{{"b", "3"}, {"c", "4"}}; !reflect.DeepEqual(m.System, want) {
		t.Errorf("got %v, want %v", m.System, want)
	}
	if v, ok := m.SystemValue("c"); !ok || v != "4" {
		t.Errorf("SystemValue(c) = %q, %v", v, ok)
	}
	if _, ok := m.SystemValue("a"); ok {
		t.Error("a dropped entry is still there")
	}
}

func TestCharacters(t *testing.T) {
	for _, c := range []struct {
		text string
		bad  rune
		ok   bool
		sane string
	}{
		{"plain\t\r\n~\x7f", 0, true, "plain\t\r\n~\x7f"},
		{"é😀\uE000\uFFFD\U0010FFFF\uD7FF", 0, true, "é😀\uE000\uFFFD\U0010FFFF\uD7FF"},
		{"a\x00b", 0, false, "a\uFFFDb"},
		{"\x08", 8, false, "\uFFFD"},
		{"é\x13", 0x13, false, "é\uFFFD"},
		{"\uFFFE", 0xFFFE, false, "\uFFFD"},
		{"\uFFFF", 0xFFFF, false, "\uFFFD"},
		{"é\xff", utf8.RuneError, false, "é\uFFFD"},
	} {
		r, found := Forbidden(c.text)
		if found == c.ok || r != c.bad {
			t.Errorf("Forbidden(%q) = %U, %v", c.text, r, found)
		}
		if got := Sanitize(c.text); got != c.sane {
			t.Errorf("Sanitize(%q) = %q, want %q", c.text, got, c.sane)
		}
	}
}

func FuzzEnvelope(f *testing.F) {
	for _, s := range []string{`{"b":"hello"}`, `{"b":"x","a":{"n":{"t":"Binary","v":"AP8="}},"s":{"k":"v"},"m":"i"}`,
		`"native"`, `{"b":"\ud800"}`, `[1,2`, "\x00", `{"b":"` + strings.Repeat("é", 50) + `"}`} {
		f.Add([]byte(s), "body", "name", "Binary.x", "value")
	}
	f.Fuzz(func(t *testing.T, payload []byte, body, name, label, value string) {
		m := Decode(payload)
		if again := Decode(Encode(m)); !reflect.DeepEqual(again, m) {
			t.Errorf("decoded %+v, after a round trip %+v", m, again)
		}
		if _, bad := Forbidden(Sanitize(m.Body)); bad {
			t.Error("a sanitized body holds forbidden characters")
		}

		sent := Message{Body: body, Attributes: []Attribute{{name, label, value}}, System: []Entry{{name, value}}, OriginalID: name}
		encoded := Encode(sent)
		if !json.Valid(encoded) {
			t.Fatalf("encoded no JSON: %s", encoded)
		}
		for _, s := range []string{body, name, label} {
			if !utf8.ValidString(s) {
				return
			}
		}
		if !utf8.ValidString(value) {
			return
		}
		if got := Decode(encoded); !reflect.DeepEqual(got, sent) {
			t.Errorf("sent %+v, got %+v", sent, got)
		}
	})
}
