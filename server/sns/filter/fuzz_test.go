package filter_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/sns/filter"
)

// FuzzCompile feeds the compiler any bytes. What it refuses has a bounded text
// of AWS's form; what it accepts is JSON, and can be matched.
func FuzzCompile(f *testing.F) {
	for _, name := range []string{"refused.json", "accepted.json"} {
		for _, c := range cases[policyCase](f, name) {
			f.Add([]byte(c.Policy), c.Scope == filter.MessageBody)
		}
	}
	for _, c := range cases[bodyCase](f, "bodies.json") {
		f.Add([]byte(c.Policy), true)
	}
	attrs := filter.NewAttributes(map[string]filter.Attribute{
		"key": {Type: "String", Value: "value"}, "a": {Type: "Number", Value: "5"},
		"k": {Type: "String.Array", Value: `["x",1,null,true]`}, "$or": {Type: "String", Value: "10.0.0.1"},
	})
	body := filter.ParseBody(`{"key":["value",{"a":5}],"a":{"b":null,"b.c":[1,[true]]},"k":"10.0.0.1"}`)
	f.Fuzz(func(t *testing.T, policy []byte, ofBody bool) {
		scope := filter.MessageAttributes
		if ofBody {
			scope = filter.MessageBody
		}
		p, err := filter.Compile(policy, scope)
		_, again := filter.Compile(policy, scope)
		if (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
			t.Fatalf("%v, then %v", err, again)
		}
		if err != nil {
			var refused *filter.Error
			if !errors.As(err, &refused) || !strings.HasPrefix(refused.Message, "Invalid parameter: Filter") ||
				len(refused.Message) > 500 || !utf8.ValidString(refused.Message) {
				t.Fatalf("%q", err)
			}
			return
		}
		if !json.Valid(policy) || !utf8.Valid(policy) {
			t.Fatal("accepted, and no JSON")
		}
		if _, err := filter.Compile(policy, filter.MessageBody); err != nil && len(policy) < 1000 {
			t.Fatalf("accepted for attributes, but for bodies: %v", err)
		}
		p.MatchAttributes(attrs)
		p.MatchBody(body)
	})
}

// longExponents are numbers that the naive matcher cannot write out.
var longExponents = regexp.MustCompile(`[eE][+-]?\d{4}`)

// FuzzMatch feeds any policy any message, as a body and as an attribute, and
// compares with the naive matcher wherever that one can tell.
func FuzzMatch(f *testing.F) {
	for _, c := range cases[bodyCase](f, "bodies.json") {
		f.Add(c.Policy, c.Body, "String")
	}
	for _, c := range cases[attributesCase](f, "attributes.json") {
		for _, a := range c.Attributes {
			f.Add(c.Policy, a.Value, a.Type)
		}
	}
	isObject, err := filter.Compile([]byte(`{"\u0000 no such key":[{"exists":false}]}`), filter.MessageBody)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, policy, message, dataType string) {
		body := filter.ParseBody(message)
		attrs := map[string]filter.Attribute{"a": {Type: dataType, Value: message}, "b": {Type: "String", Value: "x"}}
		prepared := filter.NewAttributes(attrs)
		// Beyond this length a body may be deeper than what is read.
		small := len(message) < 900 && len(policy) < 900 && utf8.ValidString(message) &&
			!longExponents.MatchString(policy) && !longExponents.MatchString(message)

		var object map[string]json.RawMessage
		valid := json.Unmarshal([]byte(message), &object) == nil && object != nil
		if small && isObject.MatchBody(body) != valid && !strings.Contains(message, "no such key") {
			t.Fatalf("%q is an object: %v", message, valid)
		}
		if p, err := filter.Compile([]byte(policy), filter.MessageBody); err == nil {
			got := p.MatchBody(body)
			if small && valid {
				if want, told := naiveBody(policy, message); told && got != want {
					t.Fatalf("%s\non %s: %v, want %v", policy, message, got, want)
				}
			}
		}
		if p, err := filter.Compile([]byte(policy), filter.MessageAttributes); err == nil {
			got := p.MatchAttributes(prepared)
			if small && plainNumber(dataType, message) {
				if want := naiveAttributes(policy, attrs); got != want {
					t.Fatalf("%s\non %v: %v, want %v", policy, attrs, got, want)
				}
			}
		}
	})
}

// plainNumber leaves out what only one of the two matchers takes for a number:
// big.Rat reads fractions, other bases and underscores.
func plainNumber(dataType, value string) bool {
	return dataType != "Number" && !strings.HasPrefix(dataType, "Number.") ||
		strings.Trim(value, "+-.0123456789eE") == ""
}
