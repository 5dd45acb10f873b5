package register

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/jsontext"
)

// The rendered files, from the top of the module.
const (
	MarkdownFile = "divergences/REGISTER.md"
	JSONFile     = "divergences/register.json"
	HTMLFile     = "divergences/register.html"
	ReadmeFile   = "README.md"
)

// PagePath is where a gateway serves the page.
const PagePath = "/console/divergences"

// Marks of the README's section.
const (
	readmeBegin = "<!-- divergences: begin -->\n"
	readmeEnd   = "<!-- divergences: end -->\n"
)

//go:embed page.tmpl
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// entry is a row with what is known about it from elsewhere.
type entry struct {
	divergences.Row
	Scenarios []pin
}

type pin struct{ Scenario }

func (p pin) sides() string {
	switch {
	case p.Alike():
		return "both alike"
	case p.Here && p.Amazon:
		return "both sides"
	case p.Here:
		return "this gateway"
	}
	return "Amazon"
}

// Sides is for the page.
func (p pin) Sides() string { return p.sides() }

func (e entry) closing() string {
	switch e.Closed {
	case divergences.ByAWS:
		return "closed by profile aws"
	case divergences.Everywhere:
		return "no difference in any profile"
	}
	return "closed by no profile"
}

// Closing is for the page.
func (e entry) Closing() string { return e.closing() }

func (e entry) evidence() []string {
	var all []string
	for _, v := range e.Evidence {
		text := string(v.Source) + ", " + v.What
		switch {
		case v.Date != "":
			text += ", " + v.Date
		case v.Source == divergences.Recorded:
			text += ", no date on file"
		}
		all = append(all, text)
	}
	return all
}

// EvidenceTexts is for the page.
func (e entry) EvidenceTexts() []string { return e.evidence() }

// group is the rows of a surface.
type group struct {
	Surface divergences.Surface
	Entries []entry
}

type renderer struct {
	groups   []group
	depths   []depth
	measured Measured
}

func newRenderer(root string) (*renderer, error) {
	corpus, err := ReadCorpus()
	if err != nil {
		return nil, err
	}
	measured, err := ReadMeasured(root)
	if err != nil {
		return nil, err
	}
	r := &renderer{depths: depths(measured), measured: measured}
	for _, surface := range divergences.Surfaces() {
		g := group{Surface: surface}
		for _, row := range divergences.Rows() {
			if row.Surface != surface {
				continue
			}
			e := entry{Row: row}
			for _, s := range corpus.Pins[row.ID] {
				e.Scenarios = append(e.Scenarios, pin{s})
			}
			g.Entries = append(g.Entries, e)
		}
		r.groups = append(r.groups, g)
	}
	return r, nil
}

func (r *renderer) count(c divergences.Class) int {
	n := 0
	for _, row := range divergences.Rows() {
		if row.Class == c {
			n++
		}
	}
	return n
}

func base(file string) string { return path.Base(file) }

// json is register.json.
func (r *renderer) json() ([]byte, error) {
	type row struct {
		divergences.Row
		Service   divergences.Service `json:"service"`
		Scenarios []pin               `json:"scenarios"`
	}
	var doc struct {
		Rows     []row    `json:"rows"`
		Measured Measured `json:"measured"`
	}
	doc.Measured = r.measured
	for _, g := range r.groups {
		for _, e := range g.Entries {
			doc.Rows = append(doc.Rows, row{e.Row, e.Service(), e.Scenarios})
		}
	}
	return jsontext.MarshalIndent(doc)
}

// Depth is what the page shows of a depth.
type pageDepth struct {
	depth
	Anchor string
}

// html is register.html: one page that needs nothing else.
func (r *renderer) html() ([]byte, error) {
	type class struct {
		Name    divergences.Class
		Meaning string
		Count   int
	}
	data := struct {
		Intro    string
		Groups   []group
		Classes  []class
		Surfaces []divergences.Surface
		Depths   []pageDepth
		Total    int
	}{Intro: intro, Groups: r.groups, Surfaces: divergences.Surfaces(), Total: len(divergences.Rows())}
	for _, c := range divergences.Classes() {
		data.Classes = append(data.Classes, class{c, classMeaning[c], r.count(c)})
	}
	for _, d := range r.depths {
		data.Depths = append(data.Depths, pageDepth{d, "depth-" + anchor(d.ID)})
	}
	var b bytes.Buffer
	err := page.Execute(&b, data)
	return b.Bytes(), err
}

// Render renders every file of the module at root: path from the top to text.
func Render(root string) (map[string][]byte, error) {
	r, err := newRenderer(root)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{MarkdownFile: []byte(r.markdown())}
	if files[JSONFile], err = r.json(); err != nil {
		return nil, err
	}
	if files[HTMLFile], err = r.html(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, ReadmeFile))
	if err != nil {
		return nil, err
	}
	before, rest, begun := strings.Cut(string(text), readmeBegin)
	_, after, ended := strings.Cut(rest, readmeEnd)
	if !begun || !ended {
		return nil, fmt.Errorf("%s has no place between %q and %q", ReadmeFile, readmeBegin, readmeEnd)
	}
	files[ReadmeFile] = []byte(before + readmeBegin + r.readme() + readmeEnd + after)
	return files, nil
}
