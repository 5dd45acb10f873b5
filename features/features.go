// Package features is the corpus: what a client of SQS and SNS does and what it
// sees, in Gherkin, and the table of errors the scenarios name.
package features

import (
	"embed"
	"io/fs"
)

//go:embed *.feature
var files embed.FS

//go:embed errors.csv
var errorTable string

// FS holds the feature files, all at the top.
func FS() fs.FS { return files }

// ErrorTable is errors.csv: name, JSON shape, query code, HTTP status, fault,
// standard message, standard message over Query where it differs.
func ErrorTable() string { return errorTable }
