package steps

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// ErrorRow is how one error is spelled in both protocols.
type ErrorRow struct {
	JSON   string // shape name behind "#" in __type
	Query  string // XML Code, and first part of x-amzn-query-error
	Status int
	Fault  string // Sender or Receiver
	// Message and QueryMessage are the standard texts, empty where there is none.
	Message      string
	QueryMessage string
}

// Errors are the errors a step can name.
type Errors map[string]ErrorRow

// ReadErrors reads the table: a heading row, then name, JSON shape, query code,
// HTTP status, fault, message, message over Query (empty for the same).
func ReadErrors(r io.Reader) (Errors, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	out := Errors{}
	for _, row := range rows[1:] {
		status, err := strconv.Atoi(row[3])
		if err != nil {
			return nil, fmt.Errorf("error %s: status %q", row[0], row[3])
		}
		e := ErrorRow{JSON: row[1], Query: row[2], Status: status, Fault: row[4], Message: row[5], QueryMessage: row[6]}
		if e.QueryMessage == "" {
			e.QueryMessage = e.Message
		}
		out[row[0]] = e
	}
	return out, nil
}
