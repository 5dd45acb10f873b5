package sqs

import (
	"strings"

	"github.com/queen-mq/queen-sqs/server/wire"
)

// selection is which attributes a receive asks for, by name.
type selection struct {
	all bool
	// names are exact, prefixes come from "prefix.*", where the dot belongs to
	// the wildcard: "Hel.*" selects "Hello" (recorded).
	names, prefixes []string
}

// selectionOf reads one or more lists of names. Names that no attribute can have
// select nothing and are no error (recorded).
func selectionOf(p *wire.Object, lists ...string) (selection, error) {
	var sel selection
	for _, list := range lists {
		names, err := textListParam(p, list)
		if err != nil {
			return selection{}, err
		}
		for _, name := range names {
			switch {
			case name == "All", name == "*", name == ".*":
				sel.all = true
			case strings.HasSuffix(name, ".*"):
				sel.prefixes = append(sel.prefixes, strings.TrimSuffix(name, ".*"))
			default:
				sel.names = append(sel.names, name)
			}
		}
	}
	return sel, nil
}

// none reports whether nothing at all is asked for.
func (s selection) none() bool { return !s.all && len(s.names) == 0 && len(s.prefixes) == 0 }

func (s selection) has(name string) bool {
	if s.all {
		return true
	}
	for _, n := range s.names {
		if n == name {
			return true
		}
	}
	for _, prefix := range s.prefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
