package steps

import (
	"cmp"
	"slices"
	"time"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// Status is what came of a scenario.
type Status string

// The statuses. Not run is neither passed nor failed, and says why.
const (
	Passed Status = "passed"
	Failed Status = "failed"
	NotRun Status = "not run"
)

// Verdict is what came of one scenario over one protocol.
type Verdict struct {
	Feature  string          `json:"feature"`
	Scenario string          `json:"scenario"`
	Row      int             `json:"row"` // counts the rows of an outline, from 1
	Protocol client.Protocol `json:"protocol"`
	Status   Status          `json:"status"`
	// Why it failed or was not run.
	Why string `json:"why,omitempty"`
	// Left are the ARNs and URLs of what the scenario created and could not delete.
	Left []string `json:"left,omitempty"`
	// Step is the one that failed, Action the last call before that.
	Step   string `json:"step,omitempty"`
	Action string `json:"action,omitempty"`
	// Actions are those it called.
	Actions []string `json:"actions,omitempty"`
	// Errors are those a step expected, by their name in the table of errors.
	Errors []ErrorCheck  `json:"errors,omitempty"`
	Took   time.Duration `json:"nanoseconds"`

	id    string // of the scenario, in the order of the files
	begun time.Time
}

// ErrorCheck is one look at an error a step expected.
type ErrorCheck struct {
	Action string `json:"action"`
	Name   string `json:"name"`
	Right  bool   `json:"right"`
	// Got is what was answered where that is not right.
	Got string `json:"got,omitempty"`
}

// verdict answers the scenario's, made when it is asked for first. The lock is
// held.
func (r *Report) verdict(p client.Protocol, sc *godog.Scenario) *Verdict {
	key := string(p) + " " + sc.Id
	v := r.verdicts[key]
	if v == nil {
		v = &Verdict{Feature: sc.Uri, Scenario: sc.Name, Protocol: p, id: sc.Id, begun: time.Now()}
		r.verdicts[key] = v
	}
	return v
}

// checked notes a look at an error.
func (r *Report) checked(p client.Protocol, sc *godog.Scenario, c ErrorCheck) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := r.verdict(p, sc)
	v.Errors = append(v.Errors, c)
}

// stumbled notes the step at which a scenario failed, the first one only.
func (r *Report) stumbled(p client.Protocol, sc *godog.Scenario, step, action string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v := r.verdict(p, sc); v.Step == "" {
		v.Step, v.Action = step, action
	}
}

// leaves notes what a scenario could not delete.
func (r *Report) leaves(p client.Protocol, sc *godog.Scenario, left []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := r.verdict(p, sc)
	v.Left = append(v.Left, left...)
}

// ended settles the verdict of a scenario that was begun.
func (r *Report) ended(p client.Protocol, sc *godog.Scenario, err error) {
	r.mu.Lock()
	v := r.verdict(p, sc)
	v.Status, v.Took = Passed, time.Since(v.begun)
	if err != nil {
		v.Status, v.Why = Failed, err.Error()
	}
	done := *v
	r.mu.Unlock()
	if r.OnVerdict != nil {
		r.OnVerdict(done)
	}
}

// Verdicts are what came of all scenarios, in the order of the files, those of
// one protocol after those of the other.
func (r *Report) Verdicts() []Verdict {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]Verdict, 0, len(r.verdicts))
	for _, v := range r.verdicts {
		if v.Status != "" { // one that was cut has none yet
			all = append(all, *v)
		}
	}
	slices.SortFunc(all, func(a, b Verdict) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Feature, b.Feature), cmp.Compare(len(a.id), len(b.id)), cmp.Compare(a.id, b.id))
	})
	type name struct {
		protocol          client.Protocol
		feature, scenario string
	}
	rows := map[name]int{}
	for i := range all {
		n := name{all[i].Protocol, all[i].Feature, all[i].Scenario}
		rows[n]++
		all[i].Row = rows[n]
	}
	return all
}
