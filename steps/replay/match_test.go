package replay

import "testing"

func TestMatch(t *testing.T) {
	const (
		one = "5b0bd3a8-29c3-4e6a-9d4e-0c4f3fb1a001"
		two = "5b0bd3a8-29c3-4e6a-9d4e-0c4f3fb1a002"
	)
	for _, c := range []struct {
		name      string
		want, got tree
		untyped   bool
		found     int
	}{
		{"equal", tree{"a": "b", "n": int64(1)}, tree{"a": "b", "n": int64(1)}, false, 0},
		{"another value", tree{"a": "b"}, tree{"a": "c"}, false, 1},
		{"a member too many", tree{}, tree{"a": "b"}, false, 1},
		{"a member too few", tree{"a": "b"}, tree{}, false, 1},
		{"one placeholder, one value", tree{"a": "<uuid:1>", "b": "<uuid:1>"}, tree{"a": one, "b": one}, false, 0},
		{"one placeholder, two values", tree{"a": "<uuid:1>", "b": "<uuid:1>"}, tree{"a": one, "b": two}, false, 1},
		{"two placeholders, two values", tree{"a": "<uuid:1>", "b": "<uuid:2>"}, tree{"a": one, "b": two}, false, 0},
		{"two placeholders, one value", tree{"a": "<uuid:1>", "b": "<uuid:2>"}, tree{"a": one, "b": one}, false, 1},
		{"a value of another kind", tree{"a": "<uuid:1>"}, tree{"a": "text"}, false, 1},
		{"placeholders inside", tree{"a": "arn:<partition>:sqs:<region>:111111111111:<resource:1>"}, tree{"a": "arn:aws:sqs:queen-1:000000000000:q"}, false, 0},
		{"the placeholder of one answer in another", tree{"a": "<receipt-handle:1>", "b": "Value <receipt-handle:1> is invalid"}, tree{"a": "h", "b": "Value h is invalid"}, false, 0},
		{"JSON in a string", tree{"a": tree{"b": list("c")}}, tree{"a": `{"b": ["c"]}`}, false, 0},
		{"other JSON in a string", tree{"a": tree{"b": list("c")}}, tree{"a": `{"b": ["d"]}`}, false, 1},
		{"a time", tree{"a": "timestamp", "b": "date"}, tree{"a": "1700000000", "b": "2023-11-14T22:13:20.000Z"}, false, 0},
		{"no time", tree{"a": "timestamp"}, tree{"a": "soon"}, false, 1},
		{"a number as text, over Query", tree{"a": int64(1)}, tree{"a": "1"}, true, 0},
		{"a number as text, over JSON", tree{"a": int64(1)}, tree{"a": "1"}, false, 1},
		{"an empty list, over Query", tree{"a": list()}, tree{}, true, 0},
		{"an empty list, over JSON", tree{"a": list()}, tree{}, false, 1},
		{"an item too many", tree{"a": list("b")}, tree{"a": list("b", "c")}, false, 1},
		{"bytes", tree{"a": `b'\x02a\\'`}, tree{"a": []byte{2, 'a', '\\'}}, false, 0},
		{"nothing for an element that is there", tree{"a": nil}, tree{"a": nil}, false, 0},
	} {
		m := newMatcher("http://127.0.0.1:1")
		m.match("answer", c.want, c.got, c.untyped)
		if len(m.found) != c.found {
			t.Errorf("%s: %v", c.name, m.found)
		}
	}
}

func TestLike(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		like          bool
	}{
		{"test_a[sqs]", "test_a[sqs]", true},
		{"test_a[?qs]", "test_a[sqs]", true},
		{"test_*", "test_a[sqs-a/b]", true},
		{"*.Error.Message", "name.Error.Message", true},
		{"*.Error.Message", "name.Error.Code", false},
	} {
		if got := like(c.pattern, c.name); got != c.like {
			t.Errorf("%q and %q: %t", c.pattern, c.name, got)
		}
	}
}
