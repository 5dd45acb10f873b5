package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	gherkin "github.com/cucumber/gherkin/go/v42"
	messages "github.com/cucumber/messages/go/v34"
)

// scenario is one that shows a row.
type scenario struct {
	ID string `json:"id"`
	// Feature is the file, Name what stands after the keyword.
	Feature string `json:"feature"`
	Name    string `json:"name"`
	// Here and Amazon say whose side it shows. One that shows neither by name
	// shows what both do alike.
	Here   bool `json:"here"`
	Amazon bool `json:"amazon"`
}

// alike reports whether the scenario says the same about both sides.
func (s scenario) alike() bool { return !s.Here && !s.Amazon }

// corpus is what the features say about the rows.
type corpus struct {
	// shows are the scenarios of each row, in the order of the files.
	shows map[string][]scenario
	// unexplained are the scenarios that tell this gateway from Amazon and name no
	// row.
	unexplained []scenario
}

var rowTag = regexp.MustCompile(`^@((?:QS|SN)-.+)$`)

// readCorpus reads the features of a folder.
func readCorpus(folder fs.FS) (corpus, error) {
	c := corpus{shows: map[string][]scenario{}}
	names, err := fs.Glob(folder, "*.feature")
	if err != nil {
		return c, err
	}
	if len(names) == 0 {
		return c, fmt.Errorf("there are no features")
	}
	slices.Sort(names)
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return c, err
		}
		newID := (&messages.Incrementing{}).NewId
		document, err := gherkin.ParseGherkinDocument(bytes.NewReader(text), newID)
		if err != nil {
			return c, fmt.Errorf("%s: %w", name, err)
		}
		declared := map[string]*messages.Scenario{}
		for _, child := range document.Feature.Children {
			if child.Scenario != nil {
				declared[child.Scenario.Id] = child.Scenario
			}
		}
		for _, p := range gherkin.Pickles(*document, name, newID) {
			sc := declared[p.AstNodeIds[0]]
			if sc == nil {
				return c, fmt.Errorf("%s: %q is in no scenario", name, p.Name)
			}
			c.add(name, sc.Name, p)
		}
	}
	return c, nil
}

// add adds what one scenario says, or one example of an outline.
func (c *corpus) add(feature, name string, p *messages.Pickle) {
	s := scenario{Feature: feature, Name: name}
	var rows []string
	for _, t := range p.Tags {
		if id, ok := strings.CutPrefix(t.Name, "@id:"); ok {
			s.ID = id
		}
		if m := rowTag.FindStringSubmatch(t.Name); m != nil {
			rows = append(rows, m[1])
		}
	}
	for _, step := range p.Steps {
		s.Here = s.Here || strings.HasPrefix(step.Text, "this gateway")
		s.Amazon = s.Amazon || strings.HasPrefix(step.Text, "Amazon")
	}
	if s.Here && s.Amazon && len(rows) == 0 {
		c.unexplained = merge(c.unexplained, s)
	}
	for _, t := range p.Tags {
		s.Here = s.Here || t.Name == "@gateway"
		s.Amazon = s.Amazon || t.Name == "@amazon"
	}
	for _, id := range rows {
		c.shows[id] = merge(c.shows[id], s)
	}
}

// merge adds a scenario; the examples of an outline are one.
func merge(all []scenario, s scenario) []scenario {
	if n := len(all); n > 0 && all[n-1].Feature == s.Feature && all[n-1].Name == s.Name && all[n-1].ID == s.ID {
		all[n-1].Here = all[n-1].Here || s.Here
		all[n-1].Amazon = all[n-1].Amazon || s.Amazon
		return all
	}
	return append(all, s)
}
