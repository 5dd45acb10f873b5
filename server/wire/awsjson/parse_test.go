package awsjson

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/wire"
)

// plainly is a value as encoding/json would have it with UseNumber.
func plainly(v wire.Value) any {
	switch v.Kind() {
	case wire.KindString:
		return v.Text()
	case wire.KindNumber:
		return json.Number(v.Text())
	case wire.KindBool:
		return v.Text() == "true"
	case wire.KindList:
		list := []any{}
		for _, item := range v.Items() {
			list = append(list, plainly(item))
		}
		return list
	case wire.KindObject, wire.KindMap:
		m := map[string]any{}
		for _, member := range v.Object().Members() {
			m[member.Name] = plainly(member.Value)
		}
		return m
	}
	return nil
}

func reference(s string) (any, error) {
	if !json.Valid([]byte(s)) {
		return nil, fmt.Errorf("invalid")
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

func TestParseLikeTheStandardLibrary(t *testing.T) {
	for _, s := range []string{
		`null`, `true`, `false`, `0`, `-0`, `-1.5e+10`, `1E400`, `123456789012345678901234567890`, `""`, `"a"`, `[]`, `{}`,
		" \t\r\n[ 1 , 2 ] ", `{ "a" : { "b" : [ null , { } ] } }`, `{"a":1,"b":2,"a":3}`, `{"":""}`,
		`"\"\\\/\b\f\n\r\t"`, `"\u0041\u00e9\u20AC"`, `"\ud83d\ude00"`, `"\uD83D\uDE00x"`, `"\u0000"`,
		`"\ud83d"`, `"\ude00\ud83d"`, `"\ud83dA"`, `"\ud83d\u0041"`, `"\ud83d\ud83d\ude00"`, `"a\ud83d\n"`,
		"\"h\u00e9llo \U0001F600 \u2028\x7f\"", `"\ufffd"`, `"\uFFFF"`,
		// Not JSON.
		``, ` `, `nul`, `nulll`, `True`, `01`, `-`, `1.`, `.5`, `1e`, `1e+`, `+1`, `0x1`, `NaN`, `1 2`, `"`, `"a`, `'a'`, `"\"`, `"\x"`,
		`"\u12"`, `"\u12g4"`, `"\ud83d\u"`, `"\ud83d\u00"`, "\"\n\"", "\"a\\n\x01\"", "\x00", `[`, `[1`, `[1,`, `[1,]`, `[,]`, `]`, `{`, `{"a"`, `{"a":`,
		`{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `{1:1}`, `{"a" 1}`, `{"a":}`, `{,}`, `[1}`, `{"a":1]`, `// x`, "\ufeff{}", `"a" "b"`,
	} {
		check(t, s)
	}
}

func check(t *testing.T, s string) {
	t.Helper()
	want, invalid := reference(s)
	got, err := parse(s)
	if (err != nil) != (invalid != nil) {
		t.Fatalf("parse(%q): error %v, the standard library says %v", s, err, invalid)
	}
	if err == nil && !reflect.DeepEqual(plainly(got), want) {
		t.Fatalf("parse(%q) = %#v, want %#v", s, plainly(got), want)
	}
}

func TestParseRefusesInvalidUTF8(t *testing.T) {
	for _, s := range []string{"\"\xff\"", "{\"a\xc3\":1}", "\"\xed\xa0\x80\"", "\xff"} {
		if _, err := parse(s); err == nil || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("parse(%q): %v", s, err)
		}
	}
	if _, err := parse("{\"ab\":\"\xff\"}"); err == nil || err.at != 7 {
		t.Errorf("the offset of the bad byte: %v", err)
	}
}

func TestParseLimits(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	if _, err := parse(deep(maxDepth)); err != nil {
		t.Error(err)
	}
	if _, err := parse(deep(maxDepth + 1)); err == nil {
		t.Error("a document over the depth limit was read")
	}
	if _, err := parse(strings.Repeat("[", 2<<20)); err == nil {
		t.Error("a document of brackets was read")
	}
	wide := func(n int) string { return "[" + strings.Repeat("0,", n-2) + "0]" }
	if _, err := parse(wide(maxValues)); err != nil {
		t.Error(err)
	}
	if _, err := parse(wide(maxValues + 1)); err == nil {
		t.Error("a document over the limit of values was read")
	}
	many := &strings.Builder{}
	many.WriteString(`{"k0":0`)
	for i := 1; i < maxValues-1; i++ {
		fmt.Fprintf(many, `,"k%d":%d`, i, i)
	}
	many.WriteString("}")
	v, err := parse(many.String())
	if err != nil || v.Object().Len() != maxValues-1 || v.Object().Get("k60000").Text() != "60000" {
		t.Errorf("many members: %v, %d", err, v.Object().Len())
	}
}

// randomValue makes a document of everything JSON has, with awkward texts.
func randomValue(r *rand.Rand, depth int) any {
	switch n := r.Intn(7); {
	case n == 0:
		return nil
	case n == 1:
		return r.Intn(2) == 0
	case n == 2:
		return json.Number([]string{"0", "-0.0", "12", "1e5", "-3.25E-7", "98765432109876543210"}[r.Intn(6)])
	case n <= 4 || depth == 0:
		return randomText(r)
	case n == 5:
		list := make([]any, r.Intn(5))
		for i := range list {
			list[i] = randomValue(r, depth-1)
		}
		return list
	default:
		m := map[string]any{}
		for range r.Intn(20) {
			m[randomText(r)] = randomValue(r, depth-1)
		}
		return m
	}
}

func randomText(r *rand.Rand) string {
	alphabet := []rune("ab\"\\/\b\f\n\r\t\x00\x01\x1f\x7f<>&é€\u2028\ufffd\uffff\U0001F600\U0010FFFF")
	text := make([]rune, r.Intn(12))
	for i := range text {
		text[i] = alphabet[r.Intn(len(alphabet))]
	}
	return string(text)
}

func TestRandomDocuments(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		v := randomValue(r, 4)
		doc, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		check(t, string(doc))
		got, _ := parse(string(doc))
		// And back: what was read is written so that it reads the same.
		again, bad := parse(string(wire.AppendJSON(nil, got)))
		if bad != nil {
			t.Fatalf("%s: wrote something unreadable: %v", doc, bad)
		}
		if !reflect.DeepEqual(dropNulls(plainly(got)), plainly(again)) {
			t.Fatalf("%s: came back as %#v", doc, plainly(again))
		}
	}
}

// dropNulls removes the members that an encoder leaves out.
func dropNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, m := range v {
			if m == nil {
				delete(v, k)
				continue
			}
			v[k] = dropNulls(m)
		}
	case []any:
		for i := range v {
			v[i] = dropNulls(v[i])
		}
	}
	return v
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{"QueueUrl":"http://localhost/000000000000/q","MessageBody":"a\u0041\ud83d\ude00","DelaySeconds":5}`,
		`{"Entries":[{"Id":"1","MessageBody":"x"},{"Id":"2"}],"Tags":{"a":"b"},"tags":null}`,
		`[1,-0.5e+3,true,false,null,""]`, `"\ud800"`, `{"a":{"a":{"a":[[[]]]}}}`, "\"\xff\"", `nul`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		service, action, params, err := Decode("AmazonSQS.SendMessage", body)
		if service != wire.SQS || action != "SendMessage" || (params == nil) != (err != nil) {
			t.Fatalf("Decode: %v, %q, %v, %v", service, action, params, err)
		}
		v, bad := parse(string(body))
		if bad != nil {
			if bad.at < 0 || bad.at > len(body) {
				t.Fatalf("an error outside the document: %v", bad)
			}
			if json.Valid(body) && utf8.Valid(body) && !beyondLimits(bad) {
				t.Fatalf("refused valid JSON: %v", bad)
			}
			return
		}
		if !json.Valid(body) {
			t.Fatal("read what is no JSON")
		}
		want, _ := reference(string(body))
		if !reflect.DeepEqual(plainly(v), want) {
			t.Fatalf("read %#v, want %#v", plainly(v), want)
		}
		out := wire.AppendJSON(nil, v)
		if !json.Valid(out) {
			t.Fatalf("wrote invalid JSON: %q", out)
		}
		again, bad := parse(string(out))
		if bad != nil || !reflect.DeepEqual(dropNulls(plainly(v)), plainly(again)) {
			t.Fatalf("%q did not come back: %v", out, bad)
		}
	})
}

func beyondLimits(err *syntaxError) bool {
	return strings.Contains(err.what, "too deeply") || strings.Contains(err.what, "too many")
}
