package steps

import (
	"reflect"
	"testing"

	"github.com/queen-mq/queen-sqs/steps/client"
)

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		got, want string
		ok        bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{"", "<any>", true},
		{"", "<text>", false},
		{"0f8fad5b-d9cb-469f-a165-70867728950e", "<uuid>", true},
		{"0f8fad5b", "<uuid>", false},
		{"1796065551", "<seconds>", true},
		{"1796065551000", "<seconds>", false},
		{"1796065551000", "<milliseconds>", true},
		{"-12", "<integer>", true},
		{"1.5", "<integer>", false},
		{"abc", "/^a.c$/", true},
		{"abcd", "/^a.c$/", false},
		{"a", "/(/", false},
		{`{"b":1, "a":[ ]}`, `json:{"a":[],"b":1}`, true},
		{`{"b":"1"}`, `json:{"b":1}`, false},
		{`no`, `json:{}`, false},
		{`{"a":["arn:x:root"],"b":null}`, `json:{"a":["/^arn:/"],"b":null}`, true},
		{`{"a":["x"]}`, `json:{"a":["/^arn:/"]}`, false},
		{`{"a":["x","y"]}`, `json:{"a":["x"]}`, false},
		{`{"a":1,"b":2}`, `json:{"a":1}`, false},
		{`[1]`, `json:{"a":1}`, false},
	} {
		if matches(c.got, c.want) != c.ok {
			t.Errorf("matches(%q, %q) is not %v", c.got, c.want, c.ok)
		}
	}
}

func TestSet(t *testing.T) {
	p := client.Params{}
	for _, kv := range [][2]string{
		{"QueueUrl", "u"},
		{"MaxNumberOfMessages", "3"},
		{"WaitTimeSeconds", "soon"},
		{"VisibilityTimeout", `"7"`},
		{"AttributeNames", "All, Policy"},
		{"Attributes.queen.partitions", "8"},
		{"Tags.a", ""},
		{"MessageAttributes.a.b.DataType", "Binary"},
		{"MessageAttributes.a.b.BinaryValue", "AAE="},
		{"Entries.2.DelaySeconds", "5"},
		{"Entries.1.Id", ""},
	} {
		if err := set(p, kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	want := client.Params{
		"QueueUrl":            "u",
		"MaxNumberOfMessages": int64(3),
		"WaitTimeSeconds":     "soon",
		"VisibilityTimeout":   "7",
		"AttributeNames":      []any{"All", "Policy"},
		"Attributes":          client.Params{"queen.partitions": "8"},
		"Tags":                client.Params{"a": ""},
		"MessageAttributes":   client.Params{"a.b": client.Params{"DataType": "Binary", "BinaryValue": []byte{0, 1}}},
		"Entries":             []any{client.Params{"Id": ""}, client.Params{"DelaySeconds": int64(5)}},
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("got %v, want %v", p, want)
	}
	for _, bad := range []string{"Entries.x.Id", "Entries.0.Id", "MessageAttributes.a"} {
		if set(client.Params{}, bad, "x") == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

func TestFlatten(t *testing.T) {
	got := map[string]string{}
	flatten(client.Params{
		"A": "x", "N": int64(1), "B": []byte{0},
		"M": client.Params{"k.l": "v"}, "L": []any{client.Params{"Id": "1"}, "s"}, "E": []any{}, "F": client.Params{},
	}, "", got)
	want := map[string]string{"A": "x", "N": "1", "B": "AA==", "M.k.l": "v", "L.1.Id": "1", "L.2": "s", "E": "[]", "F": "{}"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestHandlesAreFoundByTheirOrder(t *testing.T) {
	w := &World{handles: map[string][]string{"a": {"first", "second"}}}
	for ref, want := range map[string]string{"a": "second", "a#1": "first", "a#2": "second"} {
		if got, err := w.handle(ref); err != nil || got != want {
			t.Errorf("%s is %q (%v)", ref, got, err)
		}
	}
	for _, ref := range []string{"b", "a#3", "a#0", "a#x"} {
		if _, err := w.handle(ref); err == nil {
			t.Errorf("%s is known", ref)
		}
	}
}
