package filter_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/sns/filter"
)

// Every case in testdata says where it is from. "recorded": AWS answered so.
// "documented": Amazon SNS documents it. "library": event-ruler, the rule engine
// that AWS publishes and whose texts the recorded ones are, answers so.
// "contract": the gateway's own contract. "own": nobody says; the decision is
// this package's.

type policyCase struct {
	Source string
	Scope  filter.Scope
	Policy string
	Reason string
}

type attributesCase struct {
	Source     string
	Policy     string
	Attributes map[string]filter.Attribute
	Match      bool
}

type bodyCase struct {
	Source string
	Policy string
	Body   string
	Match  bool
}

func cases[T any](t testing.TB, name string) (rows []T) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func compiled(t testing.TB, policy string, scope filter.Scope) *filter.Policy {
	t.Helper()
	p, err := filter.Compile([]byte(policy), scope)
	if err != nil {
		t.Fatalf("%s: %v", policy, err)
	}
	return p
}

func TestRefused(t *testing.T) {
	for _, c := range cases[policyCase](t, "refused.json") {
		p, err := filter.Compile([]byte(c.Policy), c.Scope)
		var refused *filter.Error
		if p != nil || !errors.As(err, &refused) {
			t.Errorf("%s %s: accepted, want %q", c.Source, c.Policy, c.Reason)
			continue
		}
		if refused.Reason() != c.Reason || refused.Message != "Invalid parameter: "+c.Reason {
			t.Errorf("%s %s:\n got %q\nwant %q", c.Source, c.Policy, refused.Message, c.Reason)
		}
	}
}

func TestAccepted(t *testing.T) {
	for _, c := range cases[policyCase](t, "accepted.json") {
		if p := compiled(t, c.Policy, c.Scope); p.Scope() != c.Scope {
			t.Errorf("%s: scope %s", c.Policy, p.Scope())
		}
	}
}

func TestAttributes(t *testing.T) {
	for _, c := range cases[attributesCase](t, "attributes.json") {
		p := compiled(t, c.Policy, filter.MessageAttributes)
		if got := p.MatchAttributes(filter.NewAttributes(c.Attributes)); got != c.Match {
			t.Errorf("%s %s on %v: %v", c.Source, c.Policy, c.Attributes, got)
		}
	}
}

func TestBodies(t *testing.T) {
	for _, c := range cases[bodyCase](t, "bodies.json") {
		p := compiled(t, c.Policy, filter.MessageBody)
		if got := p.MatchBody(filter.ParseBody(c.Body)); got != c.Match {
			t.Errorf("%s %s on %s: %v", c.Source, c.Policy, c.Body, got)
		}
	}
}

// A policy sees only what its scope names.
func TestScopesStayApart(t *testing.T) {
	attrs := filter.NewAttributes(map[string]filter.Attribute{"a": {Type: "String", Value: "x"}})
	body := filter.ParseBody(`{"a":"x"}`)
	ofAttributes := compiled(t, `{"a":["x"]}`, filter.MessageAttributes)
	ofBody := compiled(t, `{"a":["x"]}`, filter.MessageBody)
	if ofAttributes.MatchBody(body) || ofBody.MatchAttributes(attrs) {
		t.Error("a policy matched what its scope does not name")
	}
	if ofAttributes.MatchAttributes(nil) || ofBody.MatchBody(nil) {
		t.Error("a policy matched nothing at all")
	}
	if everything := compiled(t, `{}`, filter.MessageBody); !everything.MatchBody(nil) {
		t.Error("the empty policy must match everything")
	}
}

// A body is read whole however much else there is in it.
func TestLargeBody(t *testing.T) {
	var filler []string
	for len(filler) < 2000 {
		filler = append(filler, `{"inside-list":"other","n":[1,2,{"x":null}]}`)
	}
	filler = append(filler, `{"inside-list":"q-test-value"}`)
	body := `{"detail":{"payload":{"nested":{"another-level":{"deep":[` + strings.Join(filler, ",") + `]}}}}}`
	p := compiled(t, `{"detail":{"payload.nested.another-level.deep":{"inside-list":[{"prefix":"q-test"}]}}}`, filter.MessageBody)
	if !p.MatchBody(filter.ParseBody(body)) {
		t.Error("the last of many elements was not found")
	}
}

// Depth is bounded in every direction it can come from: arrays, objects, dots.
func TestDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`{"a":`, n) + `1` + strings.Repeat(`}`, n) }
	arrays := func(n int) string { return `{"a":` + strings.Repeat(`[`, n) + `1` + strings.Repeat(`]`, n) + `}` }
	dots := func(n int) string { return `{"` + strings.Repeat(`a.`, n-1) + `a":1}` }
	anything := compiled(t, `{"z":[{"exists":false}]}`, filter.MessageBody)
	for name, c := range map[string]struct {
		body string
		want bool
	}{
		"1000 objects":    {nested(1000), true},
		"1001 objects":    {nested(1001), false},
		"1000 arrays":     {arrays(999), true},
		"1001 arrays":     {arrays(1000), false},
		"1000 dots":       {dots(1000), true},
		"1001 dots":       {dots(1001), false},
		"a million":       {strings.Repeat(`[`, 1_000_000), false},
		"a million objs":  {strings.Repeat(`{"a":`, 1_000_000), false},
		"a million dots":  {dots(1_000_000), false},
		"dots in objects": {strings.Repeat(`{"a.a":`, 501) + `1` + strings.Repeat(`}`, 501), true},
	} {
		if got := anything.MatchBody(filter.ParseBody(c.body)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}

	deep := compiled(t, `{"`+strings.Repeat("a.", 999)+`a":[1]}`, filter.MessageBody)
	if !deep.MatchBody(filter.ParseBody(nested(1000))) {
		t.Error("a path of 1000 steps was not followed")
	}
	for _, policy := range []string{
		`{"` + strings.Repeat("a.", 1000) + `a":[1]}`,
		strings.Repeat(`{"a":`, 151) + `[1]` + strings.Repeat(`}`, 151),
		strings.Repeat(`{"a":`, 1001) + `[1]` + strings.Repeat(`}`, 1001),
		`{"a":["` + strings.Repeat("x", 256<<10) + `"]}`,
	} {
		if _, err := filter.Compile([]byte(policy), filter.MessageBody); err == nil {
			t.Errorf("a policy of %d bytes was accepted", len(policy))
		}
	}
}

// Messages repeat a bounded piece of what the client sent.
func TestMessagesAreBounded(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	for _, policy := range []string{
		long,
		`{"` + long + `":1}`,
		`{"a":[{"` + long + `":1}]}`,
		`{"a":[{"anything-but":{"` + long + `":1}}]}`,
		`{"a":[{"numeric":["` + long + `"]}]}`,
		`{"a":[{"numeric":[">",1,"` + long + `"]}]}`,
		`{"a":[{"numeric":[1` + strings.Repeat("0", 10_000) + `]}]}`,
		`{"a":[{"cidr":"` + long + `/8"}]}`,
		`{"a":[{"cidr":"1.1.1.` + strings.Repeat("1", 10_000) + `/8"}]}`,
	} {
		_, err := filter.Compile([]byte(policy), filter.MessageAttributes)
		if err == nil || len(err.Error()) > 250 {
			t.Errorf("%.40s…: %v", policy, err)
		}
	}
	if _, err := filter.Compile([]byte(`{}`), filter.Scope(long)); err == nil || len(err.Error()) > 250 {
		t.Error(err)
	}
}

// Matching allocates nothing: it runs once for each subscription.
func TestMatchingAllocatesNothing(t *testing.T) {
	attrs := filter.NewAttributes(map[string]filter.Attribute{
		"kind":  {Type: "String", Value: "order-placed"},
		"price": {Type: "Number", Value: "12.50"},
		"tags":  {Type: "String.Array", Value: `["a","b",3]`},
		"from":  {Type: "String", Value: "10.1.2.3"},
	})
	p := compiled(t, `{"kind":["x",{"wildcard":"*r-*d"}],"price":[{"numeric":[">",1,"<=",12.5]}],"tags":[{"anything-but":["c"]}],
		"from":[{"cidr":"10.0.0.0/8"}]}`, filter.MessageAttributes)
	body := filter.ParseBody(`{"a":[{"b":"AbC"},{"b":"x"}],"c":{"d":[1,2,3]}}`)
	q := compiled(t, `{"$or":[{"a":{"b":["none"]}},{"a":{"b":[{"equals-ignore-case":"abc"}]}}],"c.d":[{"numeric":["=",3]}]}`, filter.MessageBody)
	if n := testing.AllocsPerRun(100, func() {
		if !p.MatchAttributes(attrs) || !q.MatchBody(body) {
			t.Fatal("no match")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
