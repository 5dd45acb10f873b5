package steps

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// Report counts what a run covered. It is safe for concurrent use; make one
// with NewReport.
type Report struct {
	mu      sync.Mutex
	ran     map[client.Protocol]int
	skipped []string
	actions map[string]map[string]bool // action -> scenarios that called it
}

// NewReport makes an empty report.
func NewReport() *Report {
	return &Report{ran: map[client.Protocol]int{}, actions: map[string]map[string]bool{}}
}

func (r *Report) run(p client.Protocol, _ *godog.Scenario) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ran[p]++
}

func (r *Report) notRun(p client.Protocol, sc *godog.Scenario, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.skipped = append(r.skipped, fmt.Sprintf("%s: %s (%s): %s", sc.Uri, sc.Name, p, why))
}

func (r *Report) called(action string, p client.Protocol, sc *godog.Scenario) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if action == "" {
		action = "(none)"
	}
	if r.actions[action] == nil {
		r.actions[action] = map[string]bool{}
	}
	r.actions[action][string(p)+" "+sc.Id] = true
}

// Ran is the number of scenarios that were run over a protocol.
func (r *Report) Ran(p client.Protocol) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ran[p]
}

// NotRun are the scenarios the target could not show, each with the reason.
func (r *Report) NotRun() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.skipped)
}

// Write prints the counts.
func (r *Report) Write(w io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range slices.Sorted(maps.Keys(r.ran)) {
		fmt.Fprintf(w, "%d scenarios over %s\n", r.ran[p], p)
	}
	fmt.Fprintln(w, "scenarios per action:")
	for _, a := range slices.Sorted(maps.Keys(r.actions)) {
		fmt.Fprintf(w, "  %-32s %d\n", a, len(r.actions[a]))
	}
	fmt.Fprintf(w, "not run: %d\n", len(r.skipped))
	for _, s := range slices.Sorted(slices.Values(r.skipped)) {
		fmt.Fprintf(w, "  %s\n", s)
	}
}
