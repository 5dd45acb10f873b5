// Package measured holds what "sqs-conform register --measure" measured on a
// gateway, for the register rows that are explained at length.
package measured

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
)

//go:embed *.json
var files embed.FS

// The files, in the folder of this package.
const (
	WidthFile    = "width.json"
	PurgeFile    = "purge.json"
	SequenceFile = "sequence.json"
)

// Run says where and when something was measured, and how to measure it again.
type Run struct {
	Command string `json:"command"`
	Date    string `json:"date"` // YYYY-MM-DD
	Machine string `json:"machine"`
}

// Width is how many messages of queues of some widths could be held at once.
type Width struct {
	Run
	Rows []WidthRow `json:"rows"`
}

// WidthRow is one queue.
type WidthRow struct {
	Lanes int `json:"lanes"`
	Sent  int `json:"sent"`
	// Held is how many were received and kept, until a receive returned nothing.
	Held int `json:"held"`
	// InFlight and Visible are the queue's counters at that moment.
	InFlight int `json:"inFlight"`
	Visible  int `json:"visible"`
	// Received is how many different messages came in the end, and Twice how many
	// of them came more than once.
	Received int `json:"received"`
	Twice    int `json:"twice"`
}

// Accounted reports whether nothing was lost and the counters covered all.
func (r WidthRow) Accounted() bool {
	return r.Held == r.InFlight && r.InFlight+r.Visible == r.Sent && r.Received == r.Sent && r.Twice == 0
}

// Purge is how long PurgeQueue took.
type Purge struct {
	Run
	Rows []PurgeRow `json:"rows"`
}

// PurgeRow is one backlog, purged a few times.
type PurgeRow struct {
	// Visible and Delayed are what was in the queue.
	Visible int `json:"visible"`
	Delayed int `json:"delayed"`
	// Milliseconds are the lengths of the calls, in ascending order.
	Milliseconds []float64 `json:"milliseconds"`
}

// Median of the calls, in milliseconds.
func (r PurgeRow) Median() float64 { return r.Milliseconds[len(r.Milliseconds)/2] }

// Longest of the calls, in milliseconds.
func (r PurgeRow) Longest() float64 { return r.Milliseconds[len(r.Milliseconds)-1] }

// Sequence is the numbers that sends to a FIFO queue returned.
type Sequence struct {
	Run
	Rows []SequenceRow `json:"rows"`
}

// SequenceRow is one message group.
type SequenceRow struct {
	Group   string   `json:"group"`
	Numbers []string `json:"numbers"`
}

// All is all measurements.
type All struct {
	Width    Width    `json:"width"`
	Purge    Purge    `json:"purge"`
	Sequence Sequence `json:"sequence"`
}

// Load reads the files of this package.
func Load() (All, error) {
	var m All
	for name, into := range map[string]any{WidthFile: &m.Width, PurgeFile: &m.Purge, SequenceFile: &m.Sequence} {
		text, err := files.ReadFile(name)
		if err != nil {
			return m, err
		}
		if err := json.Unmarshal(text, into); err != nil {
			return m, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, r := range m.Purge.Rows {
		if len(r.Milliseconds) == 0 {
			return m, errors.New(PurgeFile + ": a backlog was never purged")
		}
	}
	return m, nil
}
