// Package replay does again what Amazon's recorded answers were recorded from,
// against a gateway, and compares field for field: a field is as recorded, or an
// explanation names the row of the register for it.
package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/queen-mq/queen-sqs/divergences/evidence/recorded"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// scripts are the scripts of each suite.
var scripts = map[string]map[string]script{
	"test_sqs":               merged(sqsScripts, sqsMessages),
	"test_sqs_move_task":     moveTaskScripts,
	"test_sns":               merged(topicScripts, subscriptionScripts, publishScripts, fanoutScripts),
	"test_sns_filter_policy": filterScripts,
}

func merged(parts ...map[string]script) map[string]script {
	all := map[string]script{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// Counts say how far the gateway is as recorded.
type Counts struct {
	// Tests that were replayed, and that were not, with and without a recording.
	Replayed, Left, Empty int
	// Answers that were compared, that are equal field for field, and that differ
	// with an explanation for each of their differences.
	Compared, Equal, Explained int
	// LeftAnswers are the recorded answers of the tests that were left.
	LeftAnswers int
}

// Report is what a replay found.
type Report struct {
	// Suites are the counts by suite.
	Suites map[string]Counts
	// Faults are the differences that nothing explains, the tests that broke off,
	// and the explanations and reasons that nothing needs.
	Faults []string
	// rows are the answers that differ by the rows that explain them.
	rows map[string]int
}

// Run replays every recorded test that has a script, each against a gateway of
// its own. An error is one of the data; what a gateway answers is in the report.
func Run(ctx context.Context) (report Report, err error) {
	// A recorded test may receive a message while it holds another (QS-01).
	source := target.InProcessLanes(100000)
	defer func() { err = errors.Join(err, source.Close()) }()
	report = Report{Suites: map[string]Counts{}, rows: map[string]int{}}
	used := map[int]bool{}
	reasons := map[string]bool{}
	for _, suite := range recorded.Suites() {
		tests, err := recorded.Tests(suite)
		if err != nil {
			return Report{}, err
		}
		var c Counts
		for _, name := range slices.Sorted(maps.Keys(tests)) {
			report.one(ctx, source, tests[name], &c, used, reasons)
		}
		report.Suites[suite] = c
	}
	for i, e := range explanations {
		if !used[i] {
			report.fault("nothing needs the explanation of %s %s by %s", e.test, e.path, e.by())
		}
	}
	for name := range left {
		if !reasons[name] {
			report.fault("%s is not to be replayed, and there is no such recording", name)
		}
	}
	return report, nil
}

func (r *Report) fault(format string, args ...any) {
	r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
}

// plain is a test's name without its parameters.
func plain(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return name
}

func (r *Report) one(ctx context.Context, source target.Source, test recorded.Test, c *Counts, used map[int]bool, reasons map[string]bool) {
	do, scripted := scripts[test.Suite][plain(test.Name)]
	reason := plain(test.Name)
	if _, whole := left[test.Name]; whole {
		reason = test.Name
	}
	_, leave := left[reason]
	switch {
	case len(test.Answers) == 0:
		c.Empty++
		return
	case leave:
		reasons[reason] = true
		if scripted && reason == plain(test.Name) {
			r.fault("%s has a script and a reason not to be replayed", test.Name)
		}
		c.Left++
		c.LeftAnswers += len(test.Answers)
		return
	case !scripted:
		r.fault("%s %s has neither a script nor a reason not to be replayed", test.Suite, test.Name)
		return
	}
	c.Replayed++
	done, err := perform(ctx, source, test, do)
	if err != nil {
		r.fault("%s: %v", test.Name, err)
		return
	}
	rows := map[string]map[string]bool{}
	for _, d := range done.match.found {
		answer, _, _ := strings.Cut(d.Path, ".")
		answer, _, _ = strings.Cut(answer, "[")
		e := explain(test.Name, d.Path, used)
		if e == nil {
			r.fault("%s: %s", test.Name, d)
			continue
		}
		if rows[answer] == nil {
			rows[answer] = map[string]bool{}
		}
		rows[answer][e.by()] = true
	}
	for name, differs := range done.differing {
		c.Compared++
		if !differs {
			c.Equal++
			continue
		}
		c.Explained++
		for row := range rows[name] {
			r.rows[row]++
		}
	}
}

// explain answers the explanation of a difference, nil where there is none.
func explain(test, field string, used map[int]bool) *explanation {
	for i := range explanations {
		e := &explanations[i]
		if like(e.test, test) && like(e.path, field) {
			used[i] = true
			return e
		}
	}
	return nil
}

// like matches a name with a pattern in which only the asterisk and the question
// mark are special, as in the names of files.
func like(pattern, name string) bool {
	escape := strings.NewReplacer("[", `\[`, "]", `\]`, "/", "\x00")
	ok, err := path.Match(escape.Replace(pattern), strings.ReplaceAll(name, "/", "\x00"))
	return err == nil && ok
}

// Write writes the counts, the rows behind the differences, and the faults.
func (r Report) Write(w io.Writer) error {
	var out strings.Builder
	var sum Counts
	for _, suite := range recorded.Suites() {
		c := r.Suites[suite]
		fmt.Fprintf(&out, "%-24s %3d answers compared, %3d equal field for field, %3d explained; not replayed: %d tests with %d answers, %d tests without any\n",
			suite, c.Compared, c.Equal, c.Explained, c.Left, c.LeftAnswers, c.Empty)
		sum.Compared += c.Compared
		sum.Equal += c.Equal
		sum.Explained += c.Explained
		sum.Left += c.Left
		sum.LeftAnswers += c.LeftAnswers
	}
	fmt.Fprintf(&out, "%d recorded answers compared, %d equal field for field, %d explained; not replayed: %d tests with %d answers\n",
		sum.Compared, sum.Equal, sum.Explained, sum.Left, sum.LeftAnswers)
	for _, row := range slices.Sorted(maps.Keys(r.rows)) {
		fmt.Fprintf(&out, "  %-18s explains %d answers\n", row, r.rows[row])
	}
	for _, fault := range r.Faults {
		fmt.Fprintf(&out, "FAULT: %s\n", fault)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
