// Package register renders the register of divergences for people and programs,
// with the scenarios that pin each row and the measurements behind its prose.
package register

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/features"
)

// Scenario is one that pins a row.
type Scenario struct {
	// Feature is the file, Name what stands after the keyword.
	Feature string `json:"feature"`
	Name    string `json:"name"`
	// Here and Amazon say whose side it shows. One that shows neither by name
	// shows what both do alike.
	Here   bool `json:"here"`
	Amazon bool `json:"amazon"`
}

// Alike reports whether the scenario says the same about both sides.
func (s Scenario) Alike() bool { return !s.Here && !s.Amazon }

// Corpus is what the features say about the rows.
type Corpus struct {
	// Pins are the scenarios of each row, in the order of the files.
	Pins map[divergences.ID][]Scenario
	// Unexplained are the scenarios that tell this gateway from Amazon and name no
	// row.
	Unexplained []Scenario
}

var tag = regexp.MustCompile(`^@((?:QS|SN)-.+)$`)

// ReadCorpus reads all features.
func ReadCorpus() (Corpus, error) {
	corpus := Corpus{Pins: map[divergences.ID][]Scenario{}}
	parsed, err := godog.TestSuite{
		Options: &godog.Options{FS: features.FS(), Paths: []string{"."}},
	}.RetrieveFeatures()
	if err != nil {
		return corpus, err
	}
	for _, f := range parsed {
		for _, p := range f.Pickles {
			scenario := f.FindScenario(p.AstNodeIds[0])
			if scenario == nil {
				return corpus, fmt.Errorf("%s: %q is in no scenario", f.Uri, p.Name)
			}
			s := Scenario{Feature: strings.TrimPrefix(f.Uri, "./"), Name: scenario.Name}
			for _, step := range p.Steps {
				s.Here = s.Here || strings.HasPrefix(step.Text, "this gateway")
				s.Amazon = s.Amazon || strings.HasPrefix(step.Text, "Amazon")
			}
			told := s.Here && s.Amazon
			var ids []divergences.ID
			for _, t := range p.Tags {
				s.Here = s.Here || t.Name == "@gateway"
				s.Amazon = s.Amazon || t.Name == "@amazon"
				if m := tag.FindStringSubmatch(t.Name); m != nil {
					ids = append(ids, divergences.ID(m[1]))
				}
			}
			for _, id := range ids {
				if !slices.Contains(corpus.Pins[id], s) { // an outline has one for each example
					corpus.Pins[id] = append(corpus.Pins[id], s)
				}
			}
			if told && len(ids) == 0 && !slices.Contains(corpus.Unexplained, s) {
				corpus.Unexplained = append(corpus.Unexplained, s)
			}
		}
	}
	return corpus, nil
}

// Sides reports which sides of a row its scenarios show. What both do alike is
// Amazon's side only where there is no difference.
func (c Corpus) Sides(r divergences.Row) (here, amazon bool) {
	for _, s := range c.Pins[r.ID] {
		here = here || s.Here || s.Alike()
		amazon = amazon || s.Amazon || s.Alike() && r.Closed == divergences.Everywhere
	}
	return here, amazon
}
