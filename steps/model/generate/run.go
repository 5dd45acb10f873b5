package generate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/model"
)

// Finding is a case whose answer is not what the tables and the model say.
type Finding struct {
	Case Case
	// Got is what came in the words of a rule, with the message of an error.
	Got      string
	Want     string
	Source   string
	Problems []model.Problem
}

func (f Finding) String() string {
	s := f.Case.String() + ": "
	if f.Want != "" {
		s += fmt.Sprintf("got %s, want %s (%s)", f.Got, f.Want, f.Source)
	}
	for _, p := range f.Problems {
		s += "; " + p.String()
	}
	return s
}

// Result is what came of a run.
type Result struct {
	// Counts are how many requests were made, by service and operation.
	Counts   map[string]int
	Findings []Finding
	// Used are the rules that decided at least one case.
	Used map[int]int
}

// Write lists the counts.
func (r Result) Write() string {
	var b strings.Builder
	total := 0
	for _, name := range slices.Sorted(maps.Keys(r.Counts)) {
		fmt.Fprintf(&b, "%5d %s\n", r.Counts[name], name)
		total += r.Counts[name]
	}
	fmt.Fprintf(&b, "%5d in all, %d not explained\n", total, len(r.Findings))
	return b.String()
}

// Kinds counts the findings by what is wrong, and the problems with the model by
// their place.
func (r Result) Kinds() string {
	counts := map[string]int{}
	for _, f := range r.Findings {
		if f.Want != "" {
			code, _, _ := strings.Cut(f.Got, " ")
			want, _, _ := strings.Cut(f.Want, " The ")
			counts[fmt.Sprintf("%s: %s instead of %s", f.Case.Change, code, want)]++
		}
		for _, p := range f.Problems {
			counts[fmt.Sprintf("the model: %s: %s %s", p.Operation, p.Kind, p.Where)]++
		}
	}
	var b strings.Builder
	for _, k := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	}) {
		fmt.Fprintf(&b, "%5d %s\n", counts[k], k)
	}
	return b.String()
}

// Run makes the requests of all cases against an endpoint.
func Run(ctx context.Context, cfg client.Config, cases []Case) (Result, error) {
	r := Result{Counts: map[string]int{}, Used: map[int]int{}}
	for _, c := range cases {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		r.Counts[c.Service+" "+c.Operation]++
		f, rule, err := one(ctx, cfg, c)
		if err != nil {
			return r, fmt.Errorf("%v: %w", c, err)
		}
		if rule >= 0 {
			r.Used[rule]++
		}
		if f != nil {
			r.Findings = append(r.Findings, *f)
		}
	}
	return r, nil
}

// patience is how long one case may take: an endpoint may hold a long poll open
// for 20 seconds.
const patience = 40 * time.Second

func one(ctx context.Context, cfg client.Config, c Case) (*Finding, int, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	made := newFixture(ctx, client.NewRaw(client.Protocol(c.Protocol), cfg, &client.Recorder{}))
	defer made.clean()
	params, err := made.fill(c.Params)
	if err != nil {
		// A peer that cannot even make what the case speaks of.
		return &Finding{Case: c, Got: err.Error(), Want: "a fixture", Source: "model"}, -1, nil
	}
	c.Params = params.(map[string]any)
	if c.Before, err = made.fill(c.Before); err != nil {
		return nil, -1, err
	}
	x, err := made.raw.Send(ctx, encode(c))
	if err != nil {
		return &Finding{Case: c, Got: err.Error(), Want: "an answer", Source: "model"}, -1, nil
	}
	if c.Service == model.SQS && c.Operation == "CreateQueue" && x.Status < 300 {
		if out, err := client.Decode(x, c.Operation); err == nil {
			if u, ok := out["QueueUrl"].(string); ok {
				made.queues = append(made.queues, u)
			}
		}
	}
	if c.Operation == "CreateTopic" && x.Status < 300 {
		if out, err := client.Decode(x, c.Operation); err == nil {
			if arn, ok := out["TopicArn"].(string); ok {
				made.topics = append(made.topics, arn)
			}
		}
	}
	asked := model.Asked{Service: c.Service, Operation: c.Operation, Protocol: c.Protocol}
	problems := model.Check(asked, model.Answer{Status: x.Status, Header: x.Header, Body: x.Body})
	got := outcome(c, x)
	rule, ok := verdict(c)
	f := &Finding{Case: c, Got: got.String(), Problems: problems}
	switch {
	case !ok:
		f.Want, f.Source = "a rule", "verdicts.json"
		return f, -1, nil
	case !rules[rule].allows(c, got):
		f.Want, f.Source = rules[rule].want(), rules[rule].Source
		return f, rule, nil
	case len(problems) > 0:
		return f, rule, nil
	}
	return nil, rule, nil
}

// came is an outcome in the words of the rules.
type came struct {
	code    string // accepted, or a code as Query spells it; an entry's with "entry " before it
	message string
	status  int
}

func (g came) String() string {
	if g.code == "" {
		return fmt.Sprintf("an error without a code, status %d %q", g.status, g.message)
	}
	if g.message == "" {
		return g.code
	}
	return fmt.Sprintf("%s %d %q", g.code, g.status, g.message)
}

// outcome reads an answer; the only entry of a batch that failed counts as the
// outcome.
func outcome(c Case, x *client.Exchange) came {
	if x.Status >= 300 {
		e := client.DecodeError(x)
		return came{e.Code, e.Message, x.Status}
	}
	out, err := client.Decode(x, c.Operation)
	if err == nil {
		failed, _ := out["Failed"].([]any)
		if len(failed) > 0 {
			e, _ := failed[0].(client.Params)
			code, _ := e["Code"].(string)
			message, _ := e["Message"].(string)
			return came{"entry " + queryCode(c.Service, code), message, x.Status}
		}
	}
	return came{"accepted", "", x.Status}
}

// queryCode is the code of an entry as Query spells it.
func queryCode(service, code string) string {
	switch code {
	case "InvalidParameterValueException":
		return "InvalidParameterValue"
	case "MissingRequiredParameterException":
		return "MissingParameter"
	}
	return model.Error(service, code).Query
}
