package main

import (
	"bytes"
	_ "embed"
	"html/template"

	"github.com/queen-mq/queen-sqs/divergences/rows"
)

//go:embed page.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page is register.html: one page that needs nothing else.
func (r *register) page() ([]byte, error) {
	type class struct {
		Name    rows.Class
		Meaning string
		Count   int
	}
	type depth struct {
		Row    entry
		Anchor string
		Table  table
	}
	data := struct {
		Intro    []string
		Groups   []group
		Classes  []class
		Surfaces []rows.Surface
		Depths   []depth
		Total    int
	}{Intro: intro, Groups: r.surfaces(), Surfaces: rows.Surfaces(), Total: len(r.entries)}
	for _, c := range rows.Classes() {
		data.Classes = append(data.Classes, class{c, classMeaning[c], r.count(c)})
	}
	for _, e := range r.deep() {
		data.Depths = append(data.Depths, depth{e, depthAnchor(e), tables[e.Depth.Measured](r.measured)})
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, data)
	return b.Bytes(), err
}
