package conform

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/queen-mq/queen-sqs/server/jsontext"
	"github.com/queen-mq/queen-sqs/steps"
	"github.com/queen-mq/queen-sqs/steps/client"
)

// WriteText prints the result for a terminal. Its last line is
// "N passed, N failed, N not run".
func (r *Result) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s, %s: scenarios of what a client of SQS and SNS sees,\nwith %s's answer where its service and others differ.\n", r.Endpoint, r.Date, r.Side)
	fmt.Fprintf(w, "\nBy action (scenarios that called it: right answers / all):\n\n")
	r.table(w, r.Actions, func(row Row) string { return row.Name })
	fmt.Fprintf(w, "\nBy error (times it was expected: answered as expected / all):\n\n")
	r.table(w, r.Errors, func(row Row) string { return pair(row) })
	r.writeScenarios(w)
	if left := r.Left(); len(left) > 0 {
		fmt.Fprintf(w, "\nLeft behind, because it could not be deleted:\n  %s\n", strings.Join(left, "\n  "))
	}
	if len(r.Requests) > 0 {
		n := int64(0)
		for _, c := range r.Requests {
			n += c
		}
		fmt.Fprintf(w, "\n%d requests were sent", n)
		if r.Billed > 0 {
			fmt.Fprintf(w, ", which Amazon bills as %d, for at most $%.4f", r.Billed, r.Dollars)
		}
		fmt.Fprintln(w, ".")
	}
	_, err := fmt.Fprintf(w, "\n%d passed, %d failed, %d not run\n", r.Total.Passed, r.Total.Failed, r.Total.NotRun)
	return err
}

// pair is an error as both protocols spell it.
func pair(row Row) string {
	if row.JSON == row.Query {
		return row.JSON
	}
	return row.JSON + " / " + row.Query
}

func (r *Result) table(w io.Writer, rows []Row, name func(Row) string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range r.Protocols {
		fmt.Fprintf(t, "\t%s", p)
	}
	fmt.Fprintln(t)
	for _, row := range rows {
		fmt.Fprintf(t, "%s", name(row))
		for _, p := range r.Protocols {
			fmt.Fprintf(t, "\t%s", Cell(row.Counts[p]))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// Cell is a count in a table: right ones of all, or nothing where none was asked.
func Cell(c Count) string {
	if c.Asked() == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", c.Passed, c.Asked())
}

func (r *Result) writeScenarios(w io.Writer) {
	if r.Total.Failed > 0 {
		fmt.Fprint(w, "\nFailed:\n")
	}
	for _, v := range r.Scenarios {
		if v.Status == steps.Failed {
			fmt.Fprintf(w, "  %s\n    at: %s\n    %s\n", title(v), v.Step, v.Why)
		}
	}
	if len(r.NotRun()) > 0 {
		fmt.Fprint(w, "\nNot run:\n")
	}
	for _, reason := range r.NotRun() {
		fmt.Fprintf(w, "  %4d  %s\n", reason.Count, reason.Why)
	}
}

func title(v steps.Verdict) string {
	s := fmt.Sprintf("%s: %s", v.Feature, v.Scenario)
	if v.Row > 1 {
		s += fmt.Sprintf(" (%d)", v.Row)
	}
	return s + ", over " + string(v.Protocol)
}

// Reason is why scenarios were not run, and how many.
type Reason struct {
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// NotRun are the reasons why scenarios were not run, the most frequent first.
func (r *Result) NotRun() []Reason {
	counts := map[string]int{}
	for _, v := range r.Scenarios {
		if v.Status == steps.NotRun {
			counts[v.Why]++
		}
	}
	reasons := make([]Reason, 0, len(counts))
	for why, n := range counts {
		reasons = append(reasons, Reason{why, n})
	}
	slices.SortFunc(reasons, func(a, b Reason) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		if a.Why < b.Why {
			return -1
		}
		return 1
	})
	return reasons
}

// WriteJSON writes the result for programs.
func (r *Result) WriteJSON(w io.Writer) error {
	text, err := jsontext.MarshalIndent(r)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

//go:embed report.tmpl
var reportText string

var report = template.Must(template.New("report").Funcs(template.FuncMap{
	"cell":  func(row Row, p client.Protocol) string { return Cell(row.Counts[p]) },
	"wrong": func(row Row, p client.Protocol) bool { return row.Counts[p].Failed > 0 },
	"pair":  pair, "title": title,
	"failed": func(v steps.Verdict) bool { return v.Status == steps.Failed },
	"notRun": func(v steps.Verdict) bool { return v.Status == steps.NotRun },
}).Parse(reportText))

// WriteHTML writes the result as a page that loads nothing.
func (r *Result) WriteHTML(w io.Writer) error { return report.Execute(w, r) }
