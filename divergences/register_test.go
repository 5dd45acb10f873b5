package divergences

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// register.json holds what a Row holds, and nothing that is lost when it is read.
func TestTheDocumentIsReadWhole(t *testing.T) {
	var register struct {
		Rows     []Row          `json:"rows"`
		Measured map[string]any `json:"measured"`
	}
	d := json.NewDecoder(bytes.NewReader(document))
	d.DisallowUnknownFields()
	if err := d.Decode(&register); err != nil {
		t.Fatal(err)
	}
	if len(register.Rows) != len(Rows()) || len(register.Rows) < 77 {
		t.Errorf("%d rows in the document, %d in Rows", len(register.Rows), len(Rows()))
	}
	for _, r := range register.Rows {
		if r.ID == "" || r.Name == "" || r.Sentence == "" || len(r.Evidence) == 0 || len(r.Scenarios) == 0 {
			t.Errorf("%+v", r)
		}
		if found, ok := Find(r.ID); !ok || found.Title != r.Title {
			t.Errorf("%s is not found", r.ID)
		}
	}
	if _, ok := Find("QS-00"); ok {
		t.Error("a row that does not exist is found")
	}
}

func TestRowsAreTheCallers(t *testing.T) {
	title := Rows()[0].Title
	Rows()[0].Title = "changed"
	if got := Rows()[0].Title; got != title {
		t.Errorf("a caller changed the title of the first row to %q", got)
	}
}

func TestProfiles(t *testing.T) {
	var zero Profile
	for _, r := range Rows() {
		for _, p := range []struct {
			profile Profile
			closed  bool
		}{{Queen, r.Profiles.Queen == "closed"}, {zero, r.Profiles.Queen == "closed"}, {AWS, r.Profiles.AWS == "closed"}} {
			if p.profile.MatchesAmazon(r.ID) != p.closed {
				t.Errorf("profile %s and %s, which is %+v", p.profile, r.ID, r.Profiles)
			}
		}
	}
	if AWS.MatchesAmazon("QS-00") {
		t.Error("a row that does not exist is as at Amazon")
	}
	one := NewProfile("one", ZeroVisibilityOnReceive)
	if !one.MatchesAmazon(ZeroVisibilityOnReceive) || one.MatchesAmazon(SequenceNumberPerGroup) {
		t.Error("a profile of one row matches others")
	}
	if none := NewProfile("none"); none.MatchesAmazon(SequenceNumberOnReceive) {
		t.Error("a profile of no row is taken for queen")
	}
	for p, want := range map[string]string{zero.String(): "queen", AWS.String(): "aws", one.String(): "one"} {
		if p != want {
			t.Errorf("profile %s is called %s", want, p)
		}
	}
}

func TestThePageStandsAlone(t *testing.T) {
	page := string(Page())
	for _, r := range Rows() {
		if !strings.Contains(page, `id="`+string(r.ID)+`"`) {
			t.Errorf("the page has no %s", r.ID)
		}
	}
	if m := regexp.MustCompile(`(?i)(src|href)="(https?:)?//|url\(|@import`).FindString(page); m != "" {
		t.Errorf("the page loads something: %s", m)
	}
}

// The code of the gateway asks profiles about the rows in which they differ, by
// their identifiers, and about no other.
func TestTheCodeAsksAboutTheRowsInWhichProfilesDiffer(t *testing.T) {
	byName := map[string]ID{}
	for _, r := range Rows() {
		byName[r.Name] = r.ID
	}
	asked := map[ID]string{}
	err := filepath.WalkDir(filepath.Join("..", "server"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "MatchesAmazon" {
				return true
			}
			row, ok := call.Args[0].(*ast.SelectorExpr)
			if !ok || byName[row.Sel.Name] == "" {
				t.Errorf("%s asks about a row without naming it by its identifier", path)
				return true
			}
			asked[byName[row.Sel.Name]] = path
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rows() {
		if differs := r.Profiles.Queen != r.Profiles.AWS; differs != (asked[r.ID] != "") {
			t.Errorf("%s is %+v; the code that asks: %q", r.Name, r.Profiles, asked[r.ID])
		}
	}
}

// The service links this package: it must not bring anything along.
func TestNothingOfTheProjectIsImported(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(out)); got != "github.com/queen-mq/queen-sqs/divergences" {
		t.Errorf("it imports %s", got)
	}
}
