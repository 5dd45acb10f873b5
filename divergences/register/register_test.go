package register

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/divergences"
)

const root = "../.."

func readCorpus(t *testing.T) Corpus {
	t.Helper()
	corpus, err := ReadCorpus()
	if err != nil {
		t.Fatal(err)
	}
	if len(corpus.Pins) < 45 {
		t.Fatalf("scenarios for %d rows only: the features were not read", len(corpus.Pins))
	}
	return corpus
}

// Every row has scenarios that show both of its sides, or says why one cannot be
// shown.
func TestEveryRowIsPinnedOnBothSides(t *testing.T) {
	corpus := readCorpus(t)
	for _, r := range divergences.Rows() {
		here, amazon := corpus.Sides(r)
		switch {
		case len(corpus.Pins[r.ID]) == 0:
			t.Errorf("%s has no scenario: tag one @%s", r.ID, r.ID)
		case !here:
			t.Errorf("no scenario of %s shows what this gateway does", r.ID)
		case !amazon && r.NotShown == "":
			t.Errorf("no scenario of %s shows what Amazon does, and the row does not say why", r.ID)
		case amazon && r.NotShown != "":
			t.Errorf("%s says that a side cannot be shown, and both are", r.ID)
		}
	}
}

func TestEveryTagHasARow(t *testing.T) {
	for id, pins := range readCorpus(t).Pins {
		if _, ok := divergences.Find(id); !ok {
			t.Errorf("@%s of %q in %s has no row in the register", id, pins[0].Name, pins[0].Feature)
		}
	}
}

// A scenario that tells this gateway from Amazon says which row that is.
func TestNoDifferenceIsUnexplained(t *testing.T) {
	for _, s := range readCorpus(t).Unexplained {
		t.Errorf("%s: %q tells this gateway from Amazon and is tagged with no row", s.Feature, s.Name)
	}
}

func TestRenderedFilesAreFresh(t *testing.T) {
	files, err := Render(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(have, want) {
			t.Errorf("%s is stale; write it with\n  go run ./cmd/sqs-conform register --write", name)
		}
	}
	if len(files) != 4 {
		t.Errorf("%d files", len(files))
	}
}

// What is kept is what travels: the sentence of every row is in the README and
// in each form of the register.
func TestEverySentenceTravels(t *testing.T) {
	unescape := strings.NewReplacer("&lt;", "<", "&gt;", ">", `\*`, "*", `\|`, "|")
	for _, name := range []string{ReadmeFile, MarkdownFile, JSONFile, HTMLFile} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		plain := unescape.Replace(string(text))
		switch name {
		case HTMLFile:
			plain = html.UnescapeString(string(text))
		case JSONFile:
			var doc struct{ Rows []struct{ Sentence string } }
			if err := json.Unmarshal(text, &doc); err != nil {
				t.Fatal(err)
			}
			plain = ""
			for _, r := range doc.Rows {
				plain += r.Sentence + "\n"
			}
		}
		for _, r := range divergences.Rows() {
			if !strings.Contains(plain, r.Sentence) {
				t.Errorf("%s does not have the sentence of %s", name, r.ID)
			}
		}
	}
}

func TestMeasurements(t *testing.T) {
	m, err := ReadMeasured(root)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, lanes := range []int{1, 8, 64, 256} {
		for _, sent := range []int{3, 10, 100, 1000} {
			want++
			at := slices.IndexFunc(m.Width.Rows, func(r WidthRow) bool { return r.Lanes == lanes && r.Sent == sent })
			if at < 0 {
				t.Errorf("%d messages in %d lanes were not measured", sent, lanes)
				continue
			}
			r := m.Width.Rows[at]
			if !r.Accounted() || r.Held < 1 || r.Held > lanes || r.Held > sent {
				t.Errorf("%+v", r)
			}
		}
	}
	if len(m.Width.Rows) != want {
		t.Errorf("%d widths were measured", len(m.Width.Rows))
	}
	for _, r := range m.Sequence.Rows {
		for i, n := range r.Numbers {
			if n != number(i) {
				t.Errorf("group %s: number %d is %s", r.Group, i, n)
			}
		}
	}
	for _, r := range []Run{m.Width.Run, m.Purge.Run, m.Sequence.Run} {
		if !strings.HasPrefix(r.Command, "sqs-conform register --measure ") || r.Date == "" || r.Machine == "" {
			t.Errorf("%+v", r)
		}
	}
}

// The code asks profiles about rows by the constants, and the register knows of
// every row that it asks about, and of no other.
func TestProfileDecisionsAreOnRecord(t *testing.T) {
	asked := map[divergences.ID]string{}
	err := filepath.WalkDir(filepath.Join(root, "server"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "closes" && f.Sel.Name != "Closes" {
				return true
			}
			row, ok := call.Args[0].(*ast.SelectorExpr)
			if !ok {
				t.Errorf("%s asks about a row without naming it by its constant", path)
				return true
			}
			name := row.Sel.Name // QS09
			asked[divergences.ID(name[:2]+"-"+name[2:])] = path
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range divergences.Rows() {
		if (r.Closed == divergences.ByAWS) != (asked[r.ID] != "") {
			t.Errorf("%s is closed by %q in the register; the code that asks: %q", r.ID, r.Closed, asked[r.ID])
		}
	}
}

func TestWrapAndNumber(t *testing.T) {
	for _, line := range strings.Split(wrap(strings.Repeat("word ", 100)), "\n") {
		if len(line) > 120 || strings.TrimSpace(line) != line {
			t.Errorf("%q", line)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := number(n); got != want {
			t.Errorf("%d is %s", n, got)
		}
	}
}
