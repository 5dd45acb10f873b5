package steps

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// Report counts what a run covered. It is safe for concurrent use; make one
// with NewReport.
type Report struct {
	// OnVerdict is told of every scenario as soon as it has ended; it may be nil,
	// and is called from several goroutines.
	OnVerdict func(Verdict)

	mu       sync.Mutex
	verdicts map[string]*Verdict
	ran      map[client.Protocol]int
	skipped  []string
	actions  map[string]map[string]bool // action -> scenarios that called it

	settles int // waits for other instances to notice, and how long
	waited  time.Duration
	late    []string // receives that were asked again
	stopped bool     // the limit of billed requests is reached

	cuts    map[client.Protocol]map[string]bool // scenarios to run again
	cutOnce int
}

// NewReport makes an empty report.
func NewReport() *Report {
	return &Report{ran: map[client.Protocol]int{}, actions: map[string]map[string]bool{}, verdicts: map[string]*Verdict{}}
}

func (r *Report) run(p client.Protocol, sc *godog.Scenario) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.verdicts, string(p)+" "+sc.Id)
	r.verdict(p, sc)
	r.ran[p]++
}

func (r *Report) notRun(p client.Protocol, sc *godog.Scenario, why string) {
	r.mu.Lock()
	r.skipped = append(r.skipped, fmt.Sprintf("%s: %s (%s): %s", sc.Uri, sc.Name, p, why))
	v := r.verdict(p, sc)
	v.Status, v.Why = NotRun, why
	done := *v
	r.mu.Unlock()
	if r.OnVerdict != nil {
		r.OnVerdict(done)
	}
}

// stop notes that the limit of billed requests is reached: no scenario begins
// after that.
func (r *Report) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
}

func (r *Report) spent() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped
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
	if v := r.verdict(p, sc); !slices.Contains(v.Actions, action) {
		v.Actions = append(v.Actions, action)
	}
}

// settled counts a wait for a change to be known everywhere.
func (r *Report) settled(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settles++
	r.waited += d
}

// foundLate counts a receive that had to be asked again for so long.
func (r *Report) foundLate(sc *godog.Scenario, after time.Duration, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	what := "found"
	if !found {
		what = "not found"
	}
	r.late = append(r.late, fmt.Sprintf("%s: %s: %s after %v", sc.Uri, sc.Name, what, after.Round(time.Millisecond)))
}

// cut takes a scenario out of the count that is to be run again.
func (r *Report) cut(p client.Protocol, sc *godog.Scenario) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cuts == nil {
		r.cuts = map[client.Protocol]map[string]bool{}
	}
	if r.cuts[p] == nil {
		r.cuts[p] = map[string]bool{}
	}
	r.ran[p]--
	r.cutOnce++
	delete(r.verdicts, string(p)+" "+sc.Id)
	r.cuts[p][key(sc)] = true
}

// Cut answers the scenarios that came to nothing because a request of theirs was
// cut in the middle, and forgets them: they are to be run again. Nil means none.
func (r *Report) Cut(p client.Protocol) map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	cut := r.cuts[p]
	delete(r.cuts, p)
	return cut
}

// Scenarios is the number of scenarios that called an action over a protocol.
func (r *Report) Scenarios(p client.Protocol, action string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for key := range r.actions[action] {
		if strings.HasPrefix(key, string(p)+" ") {
			n++
		}
	}
	return n
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
	if r.settles > 0 {
		fmt.Fprintf(w, "waited %d times for a change to be known everywhere, %v together\n", r.settles, r.waited.Round(time.Second))
	}
	if r.cutOnce > 0 {
		fmt.Fprintf(w, "run again because a gateway was killed in the middle of a request: %d\n", r.cutOnce)
	}
	if len(r.late) > 0 {
		fmt.Fprintf(w, "messages found late: %d\n", len(r.late))
		for _, s := range r.late {
			fmt.Fprintf(w, "  %s\n", s)
		}
	}
	fmt.Fprintf(w, "not run: %d\n", len(r.skipped))
	for _, s := range slices.Sorted(slices.Values(r.skipped)) {
		fmt.Fprintf(w, "  %s\n", s)
	}
}
