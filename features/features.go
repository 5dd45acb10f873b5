// Package features is the corpus: what a client of SQS and SNS does and what it
// sees, in Gherkin, and the table of errors the scenarios name.
//
// Every scenario has an id that stays, its tag @id:FEATURE.NN: the name of its
// file with hyphens, and a number. Numbers are given once and in order; that of a
// scenario that was removed is not given again. The examples of an outline are
// FEATURE.NN#1, #2 and so on.
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
