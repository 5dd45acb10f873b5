package conform

import (
	"maps"
	"slices"

	"github.com/queen-mq/queen-sqs/steps"
	"github.com/queen-mq/queen-sqs/steps/client"
)

// Result is what a run found out about a target.
type Result struct {
	Endpoint string `json:"endpoint"`
	// Side is whose half of a divergence was asked of it.
	Side      string            `json:"side"`
	Date      string            `json:"date"` // YYYY-MM-DD, UTC
	Command   string            `json:"command,omitempty"`
	Seconds   float64           `json:"seconds"`
	Protocols []client.Protocol `json:"protocols"`

	Total Count `json:"total"`
	// Actions are the calls the scenarios made, in alphabetical order.
	Actions []Row `json:"actions"`
	// Errors are the errors the scenarios expected, by both spellings.
	Errors []Row `json:"errors"`

	// Requests is how many were sent, by action; nil where nobody counted.
	Requests map[string]int64 `json:"requests,omitempty"`
	// Billed is how many of them Amazon bills, Dollars what for at most; zero where
	// requests cost nothing.
	Billed  int64   `json:"billed,omitempty"`
	Dollars float64 `json:"dollars,omitempty"`

	Scenarios []steps.Verdict `json:"scenarios"`
}

// Count is how many scenarios came to what.
type Count struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	NotRun int `json:"notRun"`
}

func (c *Count) add(s steps.Status) {
	switch s {
	case steps.Passed:
		c.Passed++
	case steps.Failed:
		c.Failed++
	case steps.NotRun:
		c.NotRun++
	}
}

// Asked is how many were run.
func (c Count) Asked() int { return c.Passed + c.Failed }

// Row is one action or one error. Of an action, a scenario that called it and
// failed counts as failed only if that was the call at whose answer it failed.
type Row struct {
	// Name of the action, or of the error.
	Name string `json:"name"`
	// JSON and Query are the spellings of an error in the two protocols.
	JSON  string `json:"json,omitempty"`
	Query string `json:"query,omitempty"`
	// Counts by protocol.
	Counts map[client.Protocol]Count `json:"counts"`
}

func (r *Row) add(p client.Protocol, s steps.Status) {
	c := r.Counts[p]
	c.add(s)
	r.Counts[p] = c
}

// Failed reports whether the target failed a scenario.
func (r *Result) Failed() bool { return r.Total.Failed > 0 }

// Left are the ARNs and URLs of what was created and could not be deleted.
func (r *Result) Left() []string {
	var left []string
	for _, v := range r.Scenarios {
		left = append(left, v.Left...)
	}
	return left
}

func collate(verdicts []steps.Verdict, table steps.Errors, protocols []client.Protocol) *Result {
	r := &Result{Scenarios: verdicts, Protocols: protocols}
	actions, errors := map[string]*Row{}, map[string]*Row{}
	row := func(of map[string]*Row, name string) *Row {
		if of[name] == nil {
			of[name] = &Row{Name: name, Counts: map[client.Protocol]Count{}}
		}
		return of[name]
	}
	for _, v := range verdicts {
		r.Total.add(v.Status)
		if v.Status == steps.NotRun { // or not to its end
			continue
		}
		for _, a := range v.Actions {
			if v.Status == steps.Failed && v.Action == a {
				row(actions, a).add(v.Protocol, steps.Failed)
			} else {
				row(actions, a).add(v.Protocol, steps.Passed)
			}
		}
		for _, e := range v.Errors {
			status := steps.Failed
			if e.Right {
				status = steps.Passed
			}
			line := row(errors, e.Name)
			line.JSON, line.Query = table[e.Name].JSON, table[e.Name].Query
			line.add(v.Protocol, status)
		}
	}
	r.Actions, r.Errors = sorted(actions), sorted(errors)
	return r
}

func sorted(of map[string]*Row) []Row {
	rows := make([]Row, 0, len(of))
	for _, name := range slices.Sorted(maps.Keys(of)) {
		rows = append(rows, *of[name])
	}
	return rows
}
