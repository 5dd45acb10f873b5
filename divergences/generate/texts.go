package main

import (
	"strings"

	"github.com/queen-mq/queen-sqs/divergences/rows"
)

// pagePath is where a gateway serves the page.
const pagePath = "/console/divergences"

// intro are the paragraphs that begin every document.
var intro = []string{
	"Where this gateway does something else than Amazon SQS and Amazon SNS, and where it was said to and does not.",
	"QS-01 to QS-29 and SN-01 to SN-16 are the rows of the published contract of Queen's SQS; the others were found " +
		"while this gateway was built and held against recorded answers. Those are LocalStack's, whose test suites are " +
		"validated against AWS; a row names the test and, where it is on file, the date.",
}

var classMeaning = map[rows.Class]string{
	rows.Deliberate: "built so on purpose",
	rows.Accepted:   "a limit that was weighed and taken",
	rows.Unsettled:  "what Amazon does is not known well enough",
	rows.Settled:    "decided by a recorded answer, which is followed",
}

// Where says in which profiles the gateway differs.
func (e entry) Where() string {
	switch {
	case e.Profiles.Queen == rows.Closed:
		return "no difference in any profile"
	case e.Profiles.AWS == rows.Closed:
		return "in profile queen; profile aws does what Amazon does"
	}
	return "in every profile"
}

// Text is a piece of evidence in words.
func (p proof) Text() string {
	text := p.Source + ": " + p.What
	switch {
	case p.Date != "":
		text += ", " + p.Date
	case p.Source == rows.Recorded:
		text += ", no date on file"
	}
	return text
}

// Sides says whose side a scenario shows.
func (s scenario) Sides() string {
	switch {
	case s.alike():
		return "both alike"
	case s.Here && s.Amazon:
		return "both sides"
	case s.Here:
		return "this gateway"
	}
	return "Amazon"
}

// Anchor is where a document has the row.
func (e entry) Anchor() string { return strings.ToLower(e.ID) }
