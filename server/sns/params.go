package sns

import (
	"errors"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// invalid refuses a parameter, in the words with which AWS begins (recorded).
func invalid(format string, args ...any) *fault.Error {
	return fault.InvalidParameter.Withf("Invalid parameter: "+format, args...)
}

// missing refuses a request without a parameter (recorded with Unsubscribe).
func missing(name string) *fault.Error {
	return invalid("%s Reason: no value for required parameter", name)
}

// wrongType refuses a parameter of a kind that cannot be used in its place.
func wrongType(err error) error {
	var te *wire.TypeError
	if !errors.As(err, &te) {
		return err
	}
	return invalid("%s Reason: must be %s", clip(te.Name), te.Want)
}

// text is a scalar parameter's text and whether there is one.
func text(p *wire.Object, name string) (value string, present bool, err error) {
	value, present, err = p.StrErr(name)
	return value, present, wrongType(err)
}

// required is a scalar parameter that must be there; it may be empty.
func required(p *wire.Object, name string) (string, error) {
	value, present, err := text(p, name)
	if err == nil && !present {
		err = missing(name)
	}
	return value, err
}

// texts is a map of strings; absent is empty.
func texts(p *wire.Object, name string) (map[string]string, error) {
	pairs, _, err := p.StringMap(name)
	if err != nil {
		return nil, wrongType(err)
	}
	m := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		m[pair.Key] = pair.Value
	}
	return m, nil
}

// echoed is how many characters of a client's text an error repeats at most.
const echoed = 256

func clip(s string) string {
	if utf8.RuneCountInString(s) <= echoed {
		return s
	}
	return string([]rune(s)[:echoed]) + "…"
}
