// Package rows is the source of the register of divergences: one YAML file for
// each register row, which holds everything that is said about it, and which
// nothing else repeats. What can be found out is not written down: the scenarios
// that show a row are those tagged with its id, and the day of a recording is in
// the recording. "go generate ./divergences" makes the identifiers and the
// documents from here.
//
// The keys of a file are the yaml tags of [Row]. A file with a key that is not
// known, or without one that is needed, is refused.
//
// This package links a YAML library and is for tools. The service and everything
// else that asks about rows imports package divergences.
package rows

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

//go:embed *.yaml
var files embed.FS

// NoRow is the file of the questions that no register row asks.
const NoRow = "no-row.yaml"

// Surface is the part of the API where a client meets a divergence.
type Surface string

// Surfaces are all surfaces in the order of documents. Those that begin with
// "SNS" are of rows about SNS.
func Surfaces() []Surface {
	return []Surface{
		"Queues and attributes", "Sending", "Receiving", "Visibility and deleting", "FIFO queues",
		"Dead letters and moves", "Requests and errors",
		"SNS topics", "SNS subscriptions and filters", "SNS publishing", "SNS delivery",
	}
}

// Class says why a row is there.
type Class string

// The classes.
const (
	// Deliberate: built so on purpose, because the alternative is worse for users
	// or makes no sense away from Amazon's platform.
	Deliberate Class = "deliberate"
	// Accepted: a limit of the design that was weighed and taken.
	Accepted Class = "accepted"
	// Unsettled: what Amazon does is not known well enough to say that this
	// gateway differs, or that it does not.
	Unsettled Class = "unsettled"
	// Settled: it was an open question or a claim, and a recorded answer of Amazon
	// decided it. What this gateway does follows the recording.
	Settled Class = "settled"
)

// Classes are all classes in the order of documents.
func Classes() []Class { return []Class{Deliberate, Accepted, Unsettled, Settled} }

// State is what a row is in a profile.
type State string

// The states.
const (
	// Open: the gateway does something else than Amazon.
	Open State = "open"
	// Closed: it does what Amazon does, as far as that is known.
	Closed State = "closed"
)

// Profiles is the state of a row in each profile of the gateway.
type Profiles struct {
	Queen State `yaml:"queen" json:"queen"`
	AWS   State `yaml:"aws" json:"aws"`
}

// Evidence is one thing that supports what a row says about Amazon: exactly one
// of the four members before Date, the strongest first.
type Evidence struct {
	// Recorded names a test of LocalStack's suites that are validated against AWS.
	// Its answers are in divergences/evidence/recorded, unless the test only
	// asserts them.
	Recorded string `yaml:"recorded"`
	// Documented is what Amazon's documentation says, of which nothing is recorded.
	Documented string `yaml:"documented"`
	// Claimed is what the published contract of Queen's SQS says, and nothing else
	// does.
	Claimed string `yaml:"claimed"`
	// Unknown is what nobody has found out.
	Unknown string `yaml:"unknown"`
	// Date is when Amazon answered so, YYYY-MM-DD. It is given only for a test
	// whose answers are not on file: those that are have their own.
	Date string `yaml:"date"`
}

// The sources of evidence.
const (
	Recorded   = "recorded"
	Documented = "documented"
	Claimed    = "claimed"
	Unknown    = "unknown"
)

// Source is the kind of evidence and what it names. It is empty where not exactly
// one kind is given.
func (e Evidence) Source() (source, what string) {
	for _, kind := range []struct{ source, what string }{
		{Recorded, e.Recorded}, {Documented, e.Documented}, {Claimed, e.Claimed}, {Unknown, e.Unknown},
	} {
		if kind.what == "" {
			continue
		}
		if source != "" {
			return "", ""
		}
		source, what = kind.source, kind.what
	}
	return source, what
}

// Depth explains a row at length, around a table of what was measured.
type Depth struct {
	Title string `yaml:"title"`
	// Measured is the measurement of package measured: width, purge or sequence.
	Measured string `yaml:"measured"`
	// Before and After are the paragraphs before and after the table.
	Before []string `yaml:"before"`
	After  []string `yaml:"after"`
}

// Row is one divergence: a difference between this gateway and Amazon that a
// client can see, or one that was claimed and turned out to be none.
type Row struct {
	// ID is QS-nn for SQS and SN-nn for SNS, and the name of the file. It is never
	// given to another row, so that code, scenarios and readers can name it for
	// good.
	ID string `yaml:"id"`
	// Name is its identifier in Go.
	Name    string  `yaml:"name"`
	Surface Surface `yaml:"surface"`
	// Class is the class as far as the row itself knows. An unsettled row gets
	// another one by what Amazon answers to its questions.
	Class Class `yaml:"class"`
	// Title is a few words for lists.
	Title string `yaml:"title"`
	// Amazon is what Amazon does, Here what this gateway does in profile queen.
	Amazon string `yaml:"amazon"`
	Here   string `yaml:"here"`
	// Sentence is what users have to be told wherever this gateway is offered.
	Sentence string   `yaml:"sentence"`
	Profiles Profiles `yaml:"profiles"`
	// FirstMet is its place, from 1, among the rows that users meet first, which
	// the README lists; 0 for the others.
	FirstMet int        `yaml:"firstMet"`
	Evidence []Evidence `yaml:"evidence"`
	// NotShown says why no scenario can show one of the sides; empty where
	// scenarios show both.
	NotShown string `yaml:"notShown"`
	Depth    *Depth `yaml:"depth"`
	// Questions are what "sqs-conform settle" asks an endpoint about the row.
	Questions []Question `yaml:"questions"`
}

// SNS reports whether the row is about SNS, and not about SQS.
func (r Row) SNS() bool { return strings.HasPrefix(r.ID, "SN-") }

// Source is everything that the files hold.
type Source struct {
	// Rows are those of SQS, then those of SNS, in the order of their ids.
	Rows []Row
	// Questions are those of the rows, and then those of no row.
	Questions []Question
}

// Load reads and checks the files of this package. The error names every file
// that is wrong.
func Load() (Source, error) { return Read(files) }

// Read reads and checks the YAML files of a folder.
func Read(folder fs.FS) (Source, error) {
	names, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return Source{}, err
	}
	var s Source
	var wrong []error
	var withoutRow struct {
		Questions []Question `yaml:"questions"`
	}
	slices.Sort(names) // QS before SN
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return Source{}, err
		}
		into := any(&withoutRow)
		var r Row
		if name != NoRow {
			into = &r
		}
		if err := yaml.Load(text, into, yaml.WithKnownFields()); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
			continue
		}
		if name == NoRow {
			continue
		}
		if r.ID+".yaml" != name {
			wrong = append(wrong, fmt.Errorf("%s: its id is %q, so it has to be %s.yaml", name, r.ID, r.ID))
			continue
		}
		for i := range r.Questions {
			r.Questions[i].Row = r.ID
		}
		s.Rows = append(s.Rows, r)
		s.Questions = append(s.Questions, r.Questions...)
	}
	s.Questions = append(s.Questions, withoutRow.Questions...)
	if len(wrong) == 0 {
		wrong = s.check()
	}
	return s, errors.Join(wrong...)
}
