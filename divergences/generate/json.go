package main

import (
	"bytes"
	"encoding/json"

	"github.com/queen-mq/queen-sqs/divergences/measured"
	"github.com/queen-mq/queen-sqs/divergences/rows"
)

// document is register.json; package divergences reads its rows.
type document struct {
	Rows     []documentRow `json:"rows"`
	Measured measured.All  `json:"measured"`
}

type documentRow struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	Service   string        `json:"service"`
	Surface   rows.Surface  `json:"surface"`
	Class     rows.Class    `json:"class"`
	Title     string        `json:"title"`
	Amazon    string        `json:"amazon"`
	Here      string        `json:"here"`
	Sentence  string        `json:"sentence"`
	Profiles  rows.Profiles `json:"profiles"`
	FirstMet  int           `json:"firstMet,omitempty"`
	Evidence  []proof       `json:"evidence"`
	NotShown  string        `json:"notShown,omitempty"`
	Scenarios []scenario    `json:"scenarios"`
}

// json is register.json.
func (r *register) json() ([]byte, error) {
	doc := document{Measured: r.measured}
	for _, e := range r.entries {
		service := "SQS"
		if e.SNS() {
			service = "SNS"
		}
		doc.Rows = append(doc.Rows, documentRow{
			ID: e.ID, Name: e.Name, Service: service, Surface: e.Surface, Class: e.Class,
			Title: e.Title, Amazon: e.Amazon, Here: e.Here, Sentence: e.Sentence,
			Profiles: e.Profiles, FirstMet: e.FirstMet, Evidence: e.Proofs, NotShown: e.NotShown, Scenarios: e.Scenarios,
		})
	}
	// The project's own writer of JSON is not used, so that nothing of the project
	// has to compile before its identifiers are generated.
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(doc)
	return b.Bytes(), err
}
