package sqs

import (
	"strconv"
	"strings"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// missing refuses a request without the parameter, in AWS's words (recorded).
func missing(name string) *fault.Error {
	return fault.MissingParameter.Withf("The request must contain the parameter %s.", name)
}

// textParam is a scalar parameter's text. A parameter that is absent or null is
// not present; a list or a structure in its place is refused.
func textParam(p *wire.Object, name string) (text string, present bool, err error) {
	v := p.Get(name)
	switch v.Kind() {
	case wire.KindNull:
		return "", false, nil
	case wire.KindString, wire.KindNumber, wire.KindBool:
		return v.Text(), true, nil
	default:
		return "", false, fault.InvalidParameterValue.Withf("Value for parameter %s is invalid. Reason: Must be a string.", name)
	}
}

// requiredText is a scalar parameter that must be there and not be empty.
func requiredText(p *wire.Object, name string) (string, error) {
	text, _, err := textParam(p, name)
	if err != nil {
		return "", err
	}
	if text == "" {
		return "", missing(name)
	}
	return text, nil
}

// intParam is a whole number between lo and hi. Query sends numbers as text, so
// both spellings are read.
func intParam(p *wire.Object, name string, lo, hi int) (n int, present bool, err error) {
	text, present, err := textParam(p, name)
	if err != nil || !present {
		return 0, false, err
	}
	n, err = strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return 0, false, fault.InvalidParameterValue.Withf("Value for parameter %s is invalid. Reason: Must be a whole number.", name)
	}
	if n < lo || n > hi {
		return 0, false, fault.InvalidParameterValue.Withf("Value %d for parameter %s is invalid. Reason: must be %d to %d.", n, name, lo, hi)
	}
	return n, true, nil
}

// textListParam is a list of scalars; absent is empty, and a lone scalar is a
// list of one.
func textListParam(p *wire.Object, name string) ([]string, error) {
	v := p.Get(name)
	switch v.Kind() {
	case wire.KindNull:
		return nil, nil
	case wire.KindString, wire.KindNumber, wire.KindBool:
		return []string{v.Text()}, nil
	case wire.KindList:
	default:
		return nil, fault.InvalidParameterValue.Withf("Value for parameter %s is invalid. Reason: Must be a list.", name)
	}
	texts := make([]string, 0, len(v.Items()))
	for _, item := range v.Items() {
		switch item.Kind() {
		case wire.KindString, wire.KindNumber, wire.KindBool:
			texts = append(texts, item.Text())
		default:
			return nil, fault.InvalidParameterValue.Withf("Value for parameter %s is invalid. Reason: Must be a list of strings.", name)
		}
	}
	return texts, nil
}

// textMapParam is a map from names to scalars; absent is empty. A null value is
// as good as no entry.
func textMapParam(p *wire.Object, name string) (map[string]string, error) {
	v := p.Get(name)
	switch v.Kind() {
	case wire.KindNull:
		return nil, nil
	case wire.KindObject, wire.KindMap:
	default:
		return nil, fault.InvalidParameterValue.Withf("Value for parameter %s is invalid. Reason: Must be a map of strings.", name)
	}
	texts := make(map[string]string, v.Object().Len())
	for _, m := range v.Object().Members() {
		switch m.Value.Kind() {
		case wire.KindNull:
		case wire.KindString, wire.KindNumber, wire.KindBool:
			texts[m.Name] = m.Value.Text()
		default:
			return nil, fault.InvalidParameterValue.Withf("Value for parameter %s is invalid. Reason: Must be a map of strings.", name)
		}
	}
	return texts, nil
}
