package sqs

import (
	"errors"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// missing refuses a request without the parameter, in AWS's words (recorded).
func missing(name string) *fault.Error {
	return fault.MissingParameter.Withf("The request must contain the parameter %s.", name)
}

// wrongType refuses a parameter of a kind that cannot be used in its place.
func wrongType(err error) error {
	var te *wire.TypeError
	if !errors.As(err, &te) {
		return err
	}
	return fault.InvalidParameterValue.Withf("Value for parameter %s is invalid. Reason: Must be %s.", excerpt(te.Name), te.Want)
}

// textParam is a scalar parameter's text and whether there is one.
func textParam(p *wire.Object, name string) (text string, present bool, err error) {
	text, present, err = p.StrErr(name)
	return text, present, wrongType(err)
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

// textListParam is a list of texts; absent is empty.
func textListParam(p *wire.Object, name string) ([]string, error) {
	texts, _, err := p.StringList(name)
	return texts, wrongType(err)
}

// textMapParam is a map from names to texts; absent is empty.
func textMapParam(p *wire.Object, name string) (map[string]string, error) {
	pairs, _, err := p.StringMap(name)
	if err != nil {
		return nil, wrongType(err)
	}
	texts := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		texts[pair.Key] = pair.Value
	}
	return texts, nil
}

// echoed is how many characters of a client's text an error message repeats at
// most.
const echoed = 256

// excerpt cuts a client's text to what an error message may repeat.
func excerpt(text string) string {
	n := 0
	for i := range text {
		if n == echoed {
			return text[:i] + "…"
		}
		n++
	}
	return text
}
