package filter_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/sns/filter"
)

// The generator draws from few names and values, so that policies and messages
// meet often.
type generator struct{ *rand.Rand }

func pick[T any](g generator, options ...T) T { return options[g.IntN(len(options))] }

var (
	genNames   = []string{"a", "b", "c", "a.b", "b.a", "a.b.c"}
	genTexts   = []string{"", "a", "A", "ab", "aB", "abc", "ba", "a*b", "10.0.0.1", "10.0.1.1", "::1", "true", "1"}
	genNumbers = []string{"0", "-0.0", "1", "1.0", "10e-1", "-1", "1.00001", "100", "1e2", "0.05", "0.5", "12345678901234567890", "-1.5"}
)

func (g generator) scalar() string {
	switch g.IntN(6) {
	case 0:
		return "null"
	case 1:
		return pick(g, "true", "false")
	case 2, 3:
		return pick(g, genNumbers...)
	}
	return g.text()
}

func (g generator) text() string { return quoted(pick(g, genTexts...)) }

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func (g generator) rule() string {
	texts := func() string { return `[` + g.text() + `,` + g.text() + `]` }
	numbers := func() string { return `[` + pick(g, genNumbers...) + `,` + pick(g, genNumbers...) + `]` }
	wildcard := quoted(pick(g, "*", "a*", "*b", "a*b", "*a*b*", `a\*b`, "abc", "1*.*"))
	switch g.IntN(12) {
	case 0:
		return `{"exists":` + pick(g, "true", "false") + `}`
	case 1:
		return `{"prefix":` + g.text() + `}`
	case 2:
		return `{"suffix":` + g.text() + `}`
	case 3:
		return `{"equals-ignore-case":` + g.text() + `}`
	case 4:
		return `{"wildcard":` + wildcard + `}`
	case 5:
		return `{"cidr":"` + pick(g, "10.0.0.0/24", "10.0.0.0/8", "::/64", "0.0.0.0/0") + `"}`
	case 6:
		return fmt.Sprintf(`{"numeric":[%q,%s]}`, pick(g, "=", "<", "<=", ">", ">="), pick(g, genNumbers...))
	case 7:
		return fmt.Sprintf(`{"numeric":[%q,%s,%q,%s]}`, pick(g, ">", ">="), pick(g, genNumbers...), pick(g, "<", "<="), pick(g, genNumbers...))
	case 8:
		return `{"anything-but":` + pick(g, g.text(), texts(), pick(g, genNumbers...), numbers()) + `}`
	case 9:
		return `{"anything-but":{` + pick(g, `"prefix":"a"`, `"equals-ignore-case":`+texts(), `"wildcard":`+wildcard) + `}}`
	}
	return g.scalar()
}

func (g generator) rules() string {
	var list []string
	for range 1 + g.IntN(3) {
		list = append(list, g.rule())
	}
	return `[` + strings.Join(list, ",") + `]`
}

func (g generator) policy(depth int, nested bool) string {
	var members []string
	for range 1 + g.IntN(3) {
		name := quoted(pick(g, genNames...))
		switch {
		case depth > 0 && g.IntN(5) == 0:
			members = append(members, `"$or":[`+g.policy(depth-1, nested)+`,`+g.policy(depth-1, nested)+`]`)
		case nested && depth > 0 && g.IntN(3) == 0:
			members = append(members, name+":"+g.policy(depth-1, nested))
		default:
			members = append(members, name+":"+g.rules())
		}
	}
	return `{` + strings.Join(members, ",") + `}`
}

func (g generator) document(depth int) string {
	kind := g.IntN(4)
	if depth == 0 {
		kind = 3
	}
	var items []string
	switch kind {
	case 0, 1:
		for range g.IntN(4) {
			items = append(items, quoted(pick(g, genNames...))+":"+g.document(depth-1))
		}
		return `{` + strings.Join(items, ",") + `}`
	case 2:
		for range g.IntN(4) {
			items = append(items, g.document(depth-1))
		}
		return `[` + strings.Join(items, ",") + `]`
	}
	return g.scalar()
}

// A policy that the generator draws may be refused for two reasons only, and one
// that compiles means what the naive matcher says.
func (g generator) compile(t *testing.T, policy string, scope filter.Scope) *filter.Policy {
	p, err := filter.Compile([]byte(policy), scope)
	if err == nil {
		return p
	}
	var refused *filter.Error
	if !errors.As(err, &refused) {
		t.Fatalf("%s: %v", policy, err)
	}
	switch refused.Reason() {
	case "FilterPolicy: Filter policy is too complex", "FilterPolicy: Bottom must be less than top":
	default:
		t.Fatalf("%s: %v", policy, err)
	}
	return nil
}

func TestBodiesLikeTheNaiveMatcher(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(1, 2))}
	matched, compared := 0, 0
	for range 10_000 {
		policy := g.policy(2, true)
		p := g.compile(t, policy, filter.MessageBody)
		if p == nil {
			continue
		}
		for range 4 {
			body := g.document(4)
			if !strings.HasPrefix(body, "{") {
				body = `{"a":` + body + `}`
			}
			want, told := naiveBody(policy, body)
			if !told {
				continue
			}
			if got := p.MatchBody(filter.ParseBody(body)); got != want {
				t.Fatalf("%s\non %s: %v, want %v", policy, body, got, want)
			}
			compared++
			if want {
				matched++
			}
		}
	}
	if matched < compared/20 || matched > compared*19/20 {
		t.Errorf("%d of %d matched: the generator tells little", matched, compared)
	}
}

func TestAttributesLikeTheNaiveMatcher(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(3, 4))}
	matched, compared := 0, 0
	for range 10_000 {
		policy := g.policy(2, false)
		p := g.compile(t, policy, filter.MessageAttributes)
		if p == nil {
			continue
		}
		for range 4 {
			attrs := map[string]filter.Attribute{}
			for range g.IntN(4) {
				attrs[pick(g, genNames...)] = pick(g,
					filter.Attribute{Type: pick(g, "String", "String.label"), Value: pick(g, genTexts...)},
					filter.Attribute{Type: pick(g, "Number", "Number.int"), Value: pick(g, genNumbers...)},
					filter.Attribute{Type: "String.Array", Value: `[` + g.scalar() + `,` + g.document(1) + `]`},
					filter.Attribute{Type: "String.Array", Value: pick(g, "[]", "[[]]", "[", "{}", "a")},
					filter.Attribute{Type: pick(g, "Binary", "Binary.png"), Value: "YQ=="},
				)
			}
			want := naiveAttributes(policy, attrs)
			if got := p.MatchAttributes(filter.NewAttributes(attrs)); got != want {
				t.Fatalf("%s\non %v: %v, want %v", policy, attrs, got, want)
			}
			compared++
			if want {
				matched++
			}
		}
	}
	if matched < compared/20 || matched > compared*19/20 {
		t.Errorf("%d of %d matched: the generator tells little", matched, compared)
	}
}

// Both matchers also agree on every case of testdata.
func TestCasesLikeTheNaiveMatcher(t *testing.T) {
	for _, c := range cases[attributesCase](t, "attributes.json") {
		if strings.Contains(c.Policy, "e1000000") { // too large for a big.Rat
			continue
		}
		if got := naiveAttributes(c.Policy, c.Attributes); got != c.Match {
			t.Errorf("%s on %v: %v", c.Policy, c.Attributes, got)
		}
	}
	for _, c := range cases[bodyCase](t, "bodies.json") {
		var object map[string]any
		if json.Unmarshal([]byte(c.Body), &object) != nil {
			continue
		}
		if got, told := naiveBody(c.Policy, c.Body); !told || got != c.Match {
			t.Errorf("%s on %s: %v", c.Policy, c.Body, got)
		}
	}
}
