package register

import (
	"fmt"
	"strings"

	"github.com/queen-mq/queen-sqs/divergences"
)

const intro = "Where this gateway, in its default profile, answers differently from Amazon SQS and Amazon SNS, and where it was said to and does not. " +
	"Recorded answers are those of LocalStack's test suites that are validated against AWS; a row names the test and, where it is on file, the date."

var classMeaning = map[divergences.Class]string{
	divergences.Deliberate: "built so on purpose",
	divergences.Accepted:   "a limit that was weighed and taken",
	divergences.Unsettled:  "what Amazon does is not known well enough",
	divergences.Settled:    "decided by a recorded answer, which is followed",
}

// markdown is REGISTER.md.
func (r *renderer) markdown() string {
	var b strings.Builder
	p := func(format string, a ...any) { fmt.Fprintf(&b, format, a...) }
	p("# The register of divergences\n\n<!-- Written by sqs-conform register --write from the rows in Go, the features and the measurements. -->\n\n%s\n\n", intro)
	p("`%s` is the same as data, `%s` as a page to search and filter, which a gateway serves at `%s`.\n\n", base(JSONFile), base(HTMLFile), PagePath)
	p("| Class | Rows | |\n|---|---|---|\n")
	for _, c := range divergences.Classes() {
		p("| %s | %d | %s |\n", c, r.count(c), classMeaning[c])
	}
	p("\n## In depth\n")
	for _, d := range r.depths {
		p("\n### %s ([%s](#%s))\n", d.Title, d.ID, anchor(d.ID))
		for _, text := range d.Before {
			p("\n%s\n", wrap(text))
		}
		p("\n| %s |\n|%s\n", strings.Join(d.Head, " | "), strings.Repeat("---|", len(d.Head)))
		for _, cells := range d.Body {
			p("| %s |\n", strings.Join(cells, " | "))
		}
		p("\nMeasured by `%s` on %s, %s.\n", d.Run.Command, d.Run.Date, d.Run.Machine)
		for _, text := range d.After {
			p("\n%s\n", wrap(text))
		}
	}
	for _, g := range r.groups {
		p("\n## %s\n", g.Surface)
		for _, e := range g.Entries {
			p("\n<a id=\"%s\"></a>\n\n### %s: %s\n\n", anchor(e.ID), e.ID, e.Title)
			p("%s; %s.\n\n", e.Class, e.closing())
			p("- Amazon: %s\n- Here: %s\n- **%s**\n", escape(e.Amazon), escape(e.Here), escape(e.Sentence))
			p("- Evidence: %s\n", strings.Join(e.evidence(), "; "))
			if e.NotShown != "" {
				p("- Not shown on both sides: %s\n", escape(e.NotShown))
			}
			p("- Scenarios:\n")
			for _, s := range e.Scenarios {
				p("  - %s: %s (%s)\n", s.Feature, escape(s.Name), s.sides())
			}
		}
	}
	return b.String()
}

// readme is the README's section, without its heading.
func (r *renderer) readme() string {
	var b strings.Builder
	p := func(format string, a ...any) { fmt.Fprintf(&b, format, a...) }
	p("%s\n", wrap("Every sentence is a row of the [register](divergences/REGISTER.md), which has the evidence, the measurements and the scenarios; a running gateway serves it at "+PagePath+"."))
	for _, g := range r.groups {
		first := true
		for _, e := range g.Entries {
			if e.Class == divergences.Settled {
				continue
			}
			if first {
				p("\n### %s\n\n", g.Surface)
				first = false
			}
			p("- %s: %s\n", e.ID, escape(e.Sentence))
		}
	}
	p("\n### Settled: as Amazon was recorded\n\n")
	for _, row := range divergences.Rows() {
		if row.Class == divergences.Settled {
			p("- %s: %s\n", row.ID, escape(row.Sentence))
		}
	}
	return b.String()
}

func anchor(id divergences.ID) string { return strings.ToLower(string(id)) }

// escape keeps Markdown from reading <x> as a tag and * as emphasis.
func escape(s string) string {
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", "*", "\\*", "|", "\\|").Replace(s)
}

// wrap breaks a paragraph into lines of at most 120 characters.
func wrap(s string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(s) {
		switch {
		case i == 0:
		case width+1+len(word) > 120:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}
