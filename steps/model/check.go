package model

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Answer is an answer as it was on the wire.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Kind says in which way an answer is not what the model says.
type Kind string

// The kinds of problems.
const (
	UnknownMember   Kind = "unknown member"
	MissingMember   Kind = "missing member"
	WrongType       Kind = "wrong type"
	NotInEnum       Kind = "not in the enumeration"
	UndeclaredError Kind = "undeclared error"
	WrongCode       Kind = "wrong code"
	WrongStatus     Kind = "wrong status"
	Malformed       Kind = "malformed"
)

// Problem is one thing about an answer that the model does not have so.
type Problem struct {
	Asked
	Kind Kind
	// Where is a path of members, "Failed.Code", without the numbers of lists and
	// the keys of maps; for an error its shape or code. Empty for the whole.
	Where string
	What  string
}

func (p Problem) String() string {
	return fmt.Sprintf("%s %s over %s: %s %s: %s", p.Service, p.Operation, p.Protocol, p.Kind, p.Where, p.What)
}

// Check answers what about an answer neither the model nor a named exception
// explains.
func Check(a Asked, answer Answer) []Problem {
	_, all := Decode(a, answer)
	return slices.DeleteFunc(all, func(p Problem) bool {
		_, ok := Explained(p)
		return ok
	})
}

// Decode reads an answer by the model: a tree of map[string]any, []any, string,
// int64, bool and []byte with the names of the newest model, nil for an error.
// The problems are all of them, exceptions included.
func Decode(a Asked, answer Answer) (map[string]any, []Problem) {
	c := &checker{Asked: a, Answer: answer, model: Of(a.Service, a.Protocol)}
	c.op = c.model.Operations[a.Operation]
	var out map[string]any
	switch a.Protocol {
	case JSON:
		out = c.json()
	case Query:
		out = c.xml()
	default:
		c.queryJSON()
	}
	return out, c.problems
}

type checker struct {
	Asked
	Answer
	model    *Model
	op       *Operation
	problems []Problem
}

func (c *checker) report(k Kind, where, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if len(what) > 200 {
		what = what[:200] + "…"
	}
	c.problems = append(c.problems, Problem{c.Asked, k, where, what})
}

func (c *checker) failed() bool { return c.Status >= 300 }

func (c *checker) contentType(want string) {
	if got := c.Header.Get("Content-Type"); got != want && !strings.HasPrefix(got, want+";") {
		c.report(Malformed, "Content-Type", "%q, not %q", got, want)
	}
}

// knownError checks an error by its shape over JSON and its code over Query,
// either of which may be unknown.
func (c *checker) knownError(shape, code, fault string) {
	where := orElse(shape, code)
	for _, d := range c.declared() {
		if d.Name != shape && (shape != "" || d.Query != code) {
			continue
		}
		if code != "" && code != d.Query {
			c.report(WrongCode, where, "the code is %q, the model's is %q", code, d.Query)
		}
		if d.Status == 0 {
			return
		}
		if d.Status != c.Status {
			c.report(WrongStatus, where, "the status is %d, the model's is %d", c.Status, d.Status)
		}
		if d.Sender != (fault == "Sender") {
			c.report(WrongCode, where, "the fault is %q", fault)
		}
		return
	}
	c.report(UndeclaredError, where, "the operation does not declare it")
}

func (c *checker) declared() []Declared { return Errors(c.Service, c.Operation) }

// enum checks a value against an enumeration.
func (c *checker) enum(s *Shape, where, value string) {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, value) {
		c.report(NotInEnum, where, "%q", value)
	}
}

// enums of the newest model; the older one of SQS over Query has fewer names.
func (c *checker) newest(shape string) *Shape {
	if s := Of(c.Service, JSON).Shapes[shape]; s != nil {
		return s
	}
	return c.model.Shapes[shape]
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
