package register

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Run says where and when something was measured, and how to measure it again.
type Run struct {
	Command string `json:"command"`
	Date    string `json:"date"`
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
	// Held is how many were received and kept, until a receive answered nothing.
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

// Sequence is the numbers that sends to a FIFO queue were answered.
type Sequence struct {
	Run
	Rows []SequenceRow `json:"rows"`
}

// SequenceRow is one message group.
type SequenceRow struct {
	Group   string   `json:"group"`
	Numbers []string `json:"numbers"`
}

// Measured is all measurements.
type Measured struct {
	Width    Width    `json:"width"`
	Purge    Purge    `json:"purge"`
	Sequence Sequence `json:"sequence"`
}

// Where the measurements are kept, from the top of the module.
const (
	WidthFile    = "divergences/measured/width.json"
	PurgeFile    = "divergences/measured/purge.json"
	SequenceFile = "divergences/measured/sequence.json"
)

// ReadMeasured reads the measurements of the module at root.
func ReadMeasured(root string) (Measured, error) {
	var m Measured
	for name, into := range map[string]any{WidthFile: &m.Width, PurgeFile: &m.Purge, SequenceFile: &m.Sequence} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return m, err
		}
		if err := json.Unmarshal(text, into); err != nil {
			return m, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, r := range m.Purge.Rows {
		if len(r.Milliseconds) == 0 {
			return m, fmt.Errorf("%s: a backlog was never purged", PurgeFile)
		}
	}
	return m, nil
}
