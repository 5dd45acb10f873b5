package features

import (
	"encoding/csv"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/divergences/evidence"
)

var placeholder = regexp.MustCompile(`<[a-z-]+>`)

// pattern matches a text with anything in place of its placeholders.
func pattern(text string) *regexp.Regexp {
	var b strings.Builder
	for {
		at := placeholder.FindStringIndex(text)
		if at == nil {
			b.WriteString(regexp.QuoteMeta(text))
			return regexp.MustCompile(b.String())
		}
		b.WriteString(regexp.QuoteMeta(text[:at[0]]) + ".+")
		text = text[at[1]:]
	}
}

// shows reports whether a scenario of the feature has this gateway return the
// text: a line that checks an outcome, or a cell of a table, or a doc string,
// but not a line about Amazon's side.
func shows(feature string, text *regexp.Regexp) bool {
	for line := range strings.Lines(feature) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "Scenario") || strings.HasPrefix(line, "But Amazon") {
			continue
		}
		if text.MatchString(line) {
			return true
		}
	}
	return false
}

// askedFor reports whether some scenario asks for the standard message that has
// this text.
func askedFor(t *testing.T, text string) bool {
	rows, err := csv.NewReader(strings.NewReader(ErrorTable())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(FS(), "*.feature")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		if row[5] != text && row[6] != text {
			continue
		}
		for _, name := range files {
			if shows(read(t, name), regexp.MustCompile("(the call|this gateway) fails with "+row[0]+" and its standard message")) {
				return true
			}
		}
	}
	return false
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(FS(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The exact texts of Amazon are in the evidence. A feature shows each, or it is
// said why this gateway does not return it.
func TestEveryTextIsShownOrHasAReason(t *testing.T) {
	texts, err := evidence.SQSTexts()
	if err != nil {
		t.Fatal(err)
	}
	// Every section of sqs.md that quotes an error text, with how many.
	want := map[string]int{
		"2": 2, "3": 5, "4.2": 1, "4.3": 1, "6": 1, "7.2": 1, "7.3": 2, "7.4": 1, "7.5": 2, "8.1": 5, "8.2": 1, "11": 1,
		"12": 2, "14.2": 1, "15": 2, "17": 1, "18.1": 1, "19.1": 6, "19.3": 1, "20": 1, "23": 2, "24": 1, "25.1": 3, "28": 7,
	}
	seen := map[string]bool{}
	for _, x := range texts {
		want[x.Section]--
		if seen[x.Text] {
			t.Errorf("%q is listed twice", x.Text)
		}
		seen[x.Text] = true
		switch {
		case (x.Feature == "") == (x.Reason == ""):
			t.Errorf("%q has to have either a feature or a reason", x.Text)
		case x.Feature == "errors.csv":
			if !askedFor(t, x.Text) {
				t.Errorf("no scenario asks for %q", x.Text)
			}
		case x.Feature != "":
			if !shows(read(t, x.Feature), pattern(x.Text)) {
				t.Errorf("%s does not show %q", x.Feature, x.Text)
			}
		}
	}
	for section, n := range want {
		if n != 0 {
			t.Errorf("section %s: %d texts too few", section, n)
		}
	}
}

func TestPattern(t *testing.T) {
	for text, line := range map[string]string{
		"Value <x> for <y-z> (a).": `| Value 12 for <parameter> (a). |`,
		"plain.":                   "plain.",
	} {
		if !pattern(text).MatchString(line) {
			t.Errorf("%q does not match %q", text, line)
		}
	}
	if pattern("plain.").MatchString("plainer") {
		t.Error("a dot matches anything")
	}
	if shows("  But Amazon fails with X and message \"plain.\"\n # plain.\n", pattern("plain.")) {
		t.Error("Amazon's side counts")
	}
}
