package model

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// Exception is something that answers may have although the model does not say
// so.
type Exception struct {
	Services   []string // empty for both
	Operations []string // empty for all
	Protocols  []string // empty for all
	Kind       Kind
	// Where is a pattern of the problem's place, * for any run of characters.
	Where string
	// Prefix is what the value in question begins with.
	Prefix string
	Why    string
	// Source is recorded, documented, or a row of the register.
	Source string
}

var exceptions = func() []Exception {
	text, err := data.ReadFile("data/exceptions.json")
	if err != nil {
		panic(err)
	}
	var list []Exception
	if err := json.Unmarshal(text, &list); err != nil {
		panic(err)
	}
	return list
}()

// Exceptions are all exceptions.
func Exceptions() []Exception { return slices.Clone(exceptions) }

// Explained finds the exception that explains a problem.
func Explained(p Problem) (Exception, bool) {
	for _, e := range exceptions {
		if e.covers(p) {
			return e, true
		}
	}
	return Exception{}, false
}

func (e Exception) covers(p Problem) bool {
	in := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	where, _ := path.Match(e.Where, p.Where)
	return e.Kind == p.Kind && where && in(e.Services, p.Service) && in(e.Operations, p.Operation) && in(e.Protocols, p.Protocol) &&
		strings.HasPrefix(strings.TrimPrefix(p.What, `"`), e.Prefix)
}

// common reports whether a code is one of the errors that operations do not
// declare because every operation has them.
func common(service, code string) bool {
	_, ok := Explained(Problem{Asked: Asked{Service: service}, Kind: UndeclaredError, Where: code})
	return ok
}
