package httpserver

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzDocument compares the reading of a body with encoding/json's: what that
// takes apart, this takes apart alike, and nothing else is taken.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `{"a":[1,{"b":"c\"]}"}],"d":null}`, ` [ "\u00e9" , -1e5 ,true ] `, `"\ud83d\ude00"`, `"\ud800"`,
		`{"a":1,"a":2}`, `{`, `"`, "\"\xff\"", `{"\\":"\\\\"}`, `[[],{},"",0]`, "", " ", `"\ud800\u0041"`, `"\udc00"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := parse(body)
		if (err == nil) != (json.Valid(body) && utf8.Valid(body)) {
			t.Fatalf("parse of %q: %v", body, err)
		}
		if err == nil {
			if !bytes.Equal(d, bytes.Trim(body, " \t\r\n")) {
				t.Fatalf("%q became %q", body, d)
			}
			walk(t, d)
		}
	})
}

func walk(t *testing.T, d document) {
	switch {
	case d.isObject():
		var want map[string]json.RawMessage
		if err := json.Unmarshal(d, &want); err != nil {
			t.Fatal(err)
		}
		err := d.members(func(_ string, value document) error {
			walk(t, value)
			return nil
		})
		if err != nil {
			return // a name is half a surrogate pair
		}
		got, _ := d.fields()
		if len(got) != len(want) {
			t.Fatalf("members of %s: %d, want %d", d, len(got), len(want))
		}
		for name, value := range want {
			if !bytes.Equal(got[name], value) {
				t.Fatalf("member %q of %s is %s", name, d, got[name])
			}
		}
	case d.isArray():
		var want []json.RawMessage
		if err := json.Unmarshal(d, &want); err != nil {
			t.Fatal(err)
		}
		got := d.list()
		if len(got) != len(want) {
			t.Fatalf("elements of %s: %d, want %d", d, len(got), len(want))
		}
		for i := range got {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("element %d of %s is %s", i, d, got[i])
			}
			walk(t, got[i])
		}
	case d.isString():
		got, err := d.text()
		var want string
		if json.Unmarshal(d, &want) != nil {
			t.Fatal("no string")
		}
		if err == nil && got != want {
			t.Fatalf("%s is %q, want %q", d, got, want)
		}
		if err != nil && !bytes.ContainsRune([]byte(want), utf8.RuneError) {
			t.Fatalf("%s: %v", d, err)
		}
		if err == nil {
			var back string
			if json.Unmarshal(appendText(nil, got), &back) != nil || back != got {
				t.Fatalf("%q is written %s", got, appendText(nil, got))
			}
		}
	}
}

func FuzzUnpercent(f *testing.F) {
	for _, seed := range []string{"", "%", "%4", "%41", "%zz", "a%2Fb%", "%%41", "100%25"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := unpercent(s); len(got) > len(s) {
			t.Fatalf("%q grew to %q", s, got)
		}
	})
}
