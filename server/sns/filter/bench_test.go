package filter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/sns/filter"
)

const subscriptions = 1000

// benchPolicies are distinct policies of the usual forms.
func benchPolicies(b *testing.B, scope filter.Scope) (list []*filter.Policy) {
	for i := range subscriptions {
		var policy string
		switch i % 5 {
		case 0:
			policy = fmt.Sprintf(`{"kind":["order-%d","order-%d"]}`, i, i+1)
		case 1:
			policy = fmt.Sprintf(`{"kind":[{"prefix":"order-%d"}],"price":[{"numeric":[">",%d]}]}`, i, i)
		case 2:
			policy = fmt.Sprintf(`{"price":[{"numeric":[">=",%d,"<",%d]}],"tags":["tag-%d"]}`, i, i+10, i)
		case 3:
			policy = fmt.Sprintf(`{"kind":[{"anything-but":["order-%d"]}],"tags":[{"wildcard":"*-%d*"}]}`, i, i)
		case 4:
			policy = fmt.Sprintf(`{"$or":[{"kind":["order-%d"]},{"source":[{"cidr":"10.0.%d.0/24"}]}]}`, i, i%256)
		}
		list = append(list, compiled(b, policy, scope))
	}
	return list
}

// The matching part of one publish to a topic with 1,000 subscriptions whose
// policies look at the attributes.
func BenchmarkPublishAttributes(b *testing.B) {
	policies := benchPolicies(b, filter.MessageAttributes)
	attrs := map[string]filter.Attribute{
		"kind": {Type: "String", Value: "order-500"}, "price": {Type: "Number", Value: "499.99"},
		"tags": {Type: "String.Array", Value: `["tag-1","tag-502","other"]`}, "source": {Type: "String", Value: "10.0.7.1"},
	}
	b.ReportAllocs()
	for b.Loop() {
		prepared := filter.NewAttributes(attrs)
		matched := 0
		for _, p := range policies {
			if p.MatchAttributes(prepared) {
				matched++
			}
		}
		if matched == 0 {
			b.Fatal("no match")
		}
	}
}

// The same where the policies look at the body.
func BenchmarkPublishBody(b *testing.B) {
	policies := benchPolicies(b, filter.MessageBody)
	message := `{"kind":"order-500","price":499.99,"tags":["tag-1","tag-502","other"],"source":"10.0.7.1",` +
		`"lines":[` + strings.Repeat(`{"item":"x","count":1},`, 50) + `{}]}`
	b.ReportAllocs()
	for b.Loop() {
		body := filter.ParseBody(message)
		matched := 0
		for _, p := range policies {
			if p.MatchBody(body) {
				matched++
			}
		}
		if matched == 0 {
			b.Fatal("no match")
		}
	}
}

// What a publish costs before the first policy is asked.
func BenchmarkParseBody(b *testing.B) {
	message := `{"lines":[` + strings.Repeat(`{"item":"x","count":1.5,"note":null},`, 5000) + `{}]}`
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	for b.Loop() {
		filter.ParseBody(message)
	}
}

// A pattern and a text that a backtracking matcher would never finish.
func BenchmarkWildcard(b *testing.B) {
	p := compiled(b, `{"a":[{"wildcard":"`+strings.Repeat("a*", 5000)+`b*a"}]}`, filter.MessageBody)
	body := filter.ParseBody(`{"a":"` + strings.Repeat("a", 200_000) + `"}`)
	for b.Loop() {
		if p.MatchBody(body) {
			b.Fatal("match")
		}
	}
}
