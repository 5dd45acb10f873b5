// Package model holds answers against the models that Amazon publishes of SQS
// and SNS: which operations there are, what they take and answer, how that is
// spelled in either protocol, and which errors they declare. It decodes answers
// by those models alone, without an SDK.
package model

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Services, as signatures name them.
const (
	SQS = "sqs"
	SNS = "sns"
)

// Protocols.
const (
	JSON  = "json"
	Query = "query"
	// QueryInJSON is Query asked to answer in JSON, which no model describes.
	QueryInJSON = "query in json"
)

//go:embed data/*.json
var data embed.FS

// Model is one published model of a service.
type Model struct {
	Metadata struct {
		APIVersion   string
		Protocol     string
		TargetPrefix string
		XMLNamespace string
	}
	Operations map[string]*Operation
	Shapes     map[string]*Shape
}

// Operation is what can be asked.
type Operation struct {
	Name   string
	Input  *Ref
	Output *Ref // nil for an operation without a result
	Errors []Ref
}

// Ref is the use of a shape.
type Ref struct {
	Shape         string
	LocationName  string
	Flattened     bool
	ResultWrapper string
}

// Shape is a type.
type Shape struct {
	Type         string
	Required     []string
	Members      map[string]Ref
	Member       *Ref
	Key, Value   *Ref
	Flattened    bool
	LocationName string
	Enum         []string
	Min, Max     *int64
	Exception    bool
	Error        *struct {
		Code           string
		HTTPStatusCode int
		SenderFault    bool
	}
}

func load(name string) *Model {
	text, err := data.ReadFile("data/" + name)
	if err != nil {
		panic(err)
	}
	m := &Model{}
	if err := json.Unmarshal(text, m); err != nil {
		panic(fmt.Errorf("the model %s: %w", name, err))
	}
	return m
}

var (
	sqsModel = load("sqs.service-2.json")
	sqsQuery = load("sqs.query.service-2.json")
	snsModel = load("sns.service-2.json")
)

// Of is the model that says how a service is spelled in a protocol. Amazon
// publishes none of SNS in AWS JSON, so there its members are taken by their
// names.
func Of(service, protocol string) *Model {
	switch {
	case service == SNS:
		return snsModel
	case protocol == JSON:
		return sqsModel
	}
	return sqsQuery
}

// Names are the operations in order.
func (m *Model) Names() []string {
	names := make([]string, 0, len(m.Operations))
	for n := range m.Operations {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Declared is one error that an operation declares.
type Declared struct {
	Name   string // the shape
	Query  string // the code over Query
	Status int    // 0 where no model has one
	Sender bool   // whether Status is known
}

// Error describes an error of a service by its shape. SQS gives its codes and
// statuses only in the model of the Query protocol.
func Error(service, shape string) Declared {
	d := Declared{Name: shape, Query: shape}
	if s := Of(service, Query).Shapes[shape]; s != nil && s.Error != nil {
		d.Query, d.Status, d.Sender = s.Error.Code, s.Error.HTTPStatusCode, s.Error.SenderFault
	}
	return d
}

// Errors are the errors an operation declares, in the newest model.
func Errors(service, operation string) []Declared {
	op := Of(service, JSON).Operations[operation]
	if op == nil {
		return nil
	}
	var out []Declared
	for _, e := range op.Errors {
		out = append(out, Error(service, e.Shape))
	}
	return out
}

// exceptionNamed reports whether any operation of the service can fail so; code
// is a shape or a query code. Entries of a batch fail with any of them.
func exceptionNamed(service, code string) bool {
	for name, s := range Of(service, JSON).Shapes {
		if s.Exception && (code == name || code == Error(service, name).Query) {
			return true
		}
	}
	return false
}

// flat reports whether a list or map has no element of its own over Query.
func (m *Model) flat(r Ref) bool { return r.Flattened || m.Shapes[r.Shape].Flattened }

// Element is what a member is called over Query.
func (m *Model) Element(member string, r Ref) string {
	s := m.Shapes[r.Shape]
	if s.Type == "list" && m.flat(r) && s.Member.LocationName != "" {
		return s.Member.LocationName
	}
	if r.LocationName != "" {
		return r.LocationName
	}
	if s.LocationName != "" {
		return s.LocationName
	}
	return member
}

func orElse(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}

// ServiceOf finds the service of an operation that is asked for without a
// version: the one that has it, and SQS when both do or none does.
func ServiceOf(operation string) string {
	if sqsModel.Operations[operation] == nil && snsModel.Operations[operation] != nil {
		return SNS
	}
	return SQS
}

// targets are what begins X-Amz-Target.
var targets = map[string]string{"AmazonSQS": SQS, "AmazonSimpleNotificationService": SNS}

func serviceOfTarget(target string) (service, operation string) {
	prefix, operation, _ := strings.Cut(target, ".")
	return orElse(targets[prefix], SQS), operation
}
