package main

import (
	"fmt"
	"strings"

	"github.com/queen-mq/queen-sqs/divergences/measured"
)

// table is a measurement as documents show it.
type table struct {
	Run  measured.Run
	Head []string
	Body [][]string
}

// tables make the table of each measurement that the depth of a row can name.
var tables = map[string]func(measured.All) table{
	"width":    func(m measured.All) table { return widthTable(m.Width) },
	"purge":    func(m measured.All) table { return purgeTable(m.Purge) },
	"sequence": func(m measured.All) table { return sequenceTable(m.Sequence) },
}

func widthTable(w measured.Width) table {
	t := table{Run: w.Run, Head: []string{"Lanes", "Sent", "Held at once", "In flight", "Visible", "Received in the end"}}
	for _, r := range w.Rows {
		received := number(r.Received)
		if !r.Accounted() {
			received += " (not all accounted for)"
		}
		t.Body = append(t.Body, []string{fmt.Sprint(r.Lanes), number(r.Sent), number(r.Held), number(r.InFlight), number(r.Visible), received})
	}
	return t
}

func purgeTable(p measured.Purge) table {
	t := table{Run: p.Run, Head: []string{"Visible", "Delayed", "Median", "Longest"}}
	for _, r := range p.Rows {
		t.Body = append(t.Body, []string{number(r.Visible), number(r.Delayed), milliseconds(r.Median()), milliseconds(r.Longest())})
	}
	return t
}

func sequenceTable(s measured.Sequence) table {
	t := table{Run: s.Run, Head: []string{"Message group", "SequenceNumbers returned, in the order of the sends"}}
	for _, r := range s.Rows {
		t.Body = append(t.Body, []string{r.Group, strings.Join(r.Numbers, ", ")})
	}
	return t
}

// number writes thousands apart.
func number(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func milliseconds(ms float64) string {
	if ms < 10 {
		return fmt.Sprintf("%.1f ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ms)
}
