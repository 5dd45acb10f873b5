// Package divergences is the register: one row for every difference between this
// gateway and Amazon that a client can see, and for every difference that was
// claimed and turned out to be none.
//
// The rows are written in the folder rows, one file each; the identifiers here
// and the documents are generated from them. This package is what code that asks
// about rows imports: it imports nothing of the project, and nothing that reads
// YAML.
package divergences

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

//go:generate go run ./generate -root ..

var (
	//go:embed register.json
	document []byte
	//go:embed register.html
	page []byte
)

// ID names a row: QS-nn is about SQS, SN-nn about SNS. An id is never given to
// another row, so that code, scenarios and readers can name it for good.
type ID string

// Row is one divergence, as register.json has it.
type Row struct {
	ID ID `json:"id"`
	// Name is the row's identifier in this package.
	Name string `json:"name"`
	// Service is SQS or SNS, Surface the part of its API where a client meets the
	// divergence.
	Service string `json:"service"`
	Surface string `json:"surface"`
	// Class says why the row is there: deliberate, accepted, unsettled or settled.
	// Package rows says what they mean.
	Class string `json:"class"`
	// Title is a few words for lists.
	Title string `json:"title"`
	// Amazon is what Amazon does, Here what this gateway does in profile queen.
	Amazon string `json:"amazon"`
	Here   string `json:"here"`
	// Sentence is what users have to be told wherever this gateway is offered.
	Sentence string `json:"sentence"`
	// Profiles says in which profiles the gateway differs: open where it does,
	// closed where it does what Amazon does.
	Profiles struct {
		Queen string `json:"queen"`
		AWS   string `json:"aws"`
	} `json:"profiles"`
	// FirstMet is its place, from 1, among the rows that users meet first; 0 for
	// the others.
	FirstMet int        `json:"firstMet"`
	Evidence []Evidence `json:"evidence"`
	// NotShown says why no scenario can show one of the sides; empty where
	// scenarios show both.
	NotShown  string     `json:"notShown"`
	Scenarios []Scenario `json:"scenarios"`
}

// Evidence is one thing that supports what a row says about Amazon.
type Evidence struct {
	// Source is recorded, documented, claimed or unknown, the strongest first.
	Source string `json:"source"`
	// What names the recording, the page or the claim, or says what is missing.
	What string `json:"what"`
	// Date is when Amazon answered so, YYYY-MM-DD; empty where it is not on record.
	Date string `json:"date"`
}

// Scenario is one of the features that shows a row.
type Scenario struct {
	// ID is its tag without "@id:".
	ID string `json:"id"`
	// Feature is the file, Name what stands after the keyword.
	Feature string `json:"feature"`
	Name    string `json:"name"`
	// Here and Amazon say whose side it shows. One that shows neither by name
	// shows what both do alike.
	Here   bool `json:"here"`
	Amazon bool `json:"amazon"`
}

// read reads register.json once. Only tools ask for whole rows; the profiles do
// without.
var read = sync.OnceValue(func() []Row {
	var register struct {
		Rows []Row `json:"rows"`
	}
	if err := json.Unmarshal(document, &register); err != nil {
		panic(fmt.Sprintf("register.json is damaged: %v", err)) // a test reads it
	}
	return register.Rows
})

// Rows are all rows: those of SQS, then those of SNS, in the order of their ids.
// The slice is the caller's; what its rows hold must not be changed.
func Rows() []Row { return slices.Clone(read()) }

// Find returns the row with that id.
func Find(id ID) (Row, bool) {
	for _, r := range read() {
		if r.ID == id {
			return r, true
		}
	}
	return Row{}, false
}

// Page is the register as one HTML page that needs nothing else: a person can
// search it and filter it by surface and class. It must not be changed.
func Page() []byte { return page }
