// Package awsquery is the codec of the Query protocol: form parameters in, XML
// out, or JSON for who asks for it. It is what SDKs spoke to SQS until the end
// of 2023 and what they still speak to SNS.
package awsquery

import (
	"bytes"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Limits of a request. maxSegments is the protocol's; maxNodes bounds the memory
// that a hostile request can take, far above what any real one has.
const (
	maxSegments = 32
	maxNodes    = 1 << 16
)

// signing are the parameters of the signature's second version. They are no
// parameters of the action, like Action, Version and everything that begins with
// X-Amz-.
var signing = map[string]bool{
	"AWSAccessKeyId":   true,
	"Signature":        true,
	"SignatureMethod":  true,
	"SignatureVersion": true,
	"SecurityToken":    true,
	"Timestamp":        true,
	"Expires":          true,
}

// Decode reads a request from its path, its query string and its form body, all
// as received; where query string and body name a parameter the body wins. params
// are spelled as AWS JSON spells them, all scalars are strings; never nil when
// there is no error.
//
// service is right also with an error, and so is action, which is what was sent,
// trimmed: empty, or a name that does not exist, is InvalidAction whatever else
// is wrong, but for what checkPath says of a queue's path. Otherwise a malformed
// escape, text that is no UTF-8, a name of more than 32 parts or an excess of
// parameters is InvalidParameterValue.
//
// The strings in params share one copy of the input, which may be used again.
func Decode(path string, rawQuery, body []byte) (service wire.Service, action string, params *wire.Object, err *fault.Error) {
	t := trees.Get().(*tree)
	defer t.release()
	f := form{tree: t, text: make([]byte, 0, len(rawQuery)+len(body)+4)}
	f.read(rawQuery)
	f.read(body)

	action = strings.TrimSpace(f.action)
	service = wire.QueryService(f.version, action)
	if refused := checkPath(path, action); refused != nil {
		return service, action, nil, refused
	}
	if s, known := wire.ServiceOf(action); !known || s != service {
		return service, action, nil, fault.InvalidAction.Default()
	}
	if f.bad == "" && !utf8.Valid(f.text) {
		f.bad = "A parameter of the request is not valid UTF-8."
	}
	if f.bad != "" {
		return service, action, nil, fault.InvalidParameterValue.With(f.bad)
	}
	return service, action, t.params(service), nil
}

// checkPath refuses a request that goes to a queue's path and names no action, or
// one of the two that AWS refuses there. Without an Action AWS responds to such a
// path with 404, not with InvalidAction (recorded).
func checkPath(path, action string) *fault.Error {
	if !wire.IsQueuePath(path) {
		return nil
	}
	switch action {
	case "":
		return fault.UnknownOperation.Default()
	case "CreateQueue", "ListQueues":
		return fault.InvalidAction.Withf("The action %s is not valid for this endpoint.", action)
	}
	return nil
}

// form takes the parameters of a request apart.
type form struct {
	tree            *tree
	action, version string
	bad             string // the first thing wrong, as a sentence for the client

	// text is every name and value, decoded and one after the other with a byte
	// between them, so that no two bad halves can make one good character.
	// Decoding never makes a text longer, so it never grows, and the strings that
	// point into it stay.
	text []byte
}

func (f *form) read(encoded []byte) {
	for len(encoded) > 0 {
		var pair []byte
		pair, encoded, _ = bytes.Cut(encoded, []byte{'&'})
		if len(pair) == 0 {
			continue
		}
		name, value, _ := bytes.Cut(pair, []byte{'='})
		n, nameOK := f.decode(name)
		v, valueOK := f.decode(value)
		if !nameOK || !valueOK {
			f.refuse("A parameter of the request has a malformed percent escape.")
			continue
		}
		f.parameter(n, v)
	}
}

func (f *form) refuse(why string) {
	if f.bad == "" {
		f.bad = why
	}
}

func (f *form) parameter(name, value string) {
	switch {
	case name == "Action":
		f.action = value
	case name == "Version":
		f.version = strings.TrimSpace(value)
	case signing[name], len(name) >= 6 && strings.EqualFold(name[:6], "X-Amz-"):
	case f.bad != "":
		// Nothing will be made of it.
	case strings.Count(name, ".") >= maxSegments:
		f.refuse("A parameter name of the request has more than 32 parts.")
	case !f.tree.put(name, value):
		f.refuse("The request has too many parameters.")
	}
}

// decode resolves the escapes of one name or value: %XX and + for a space. A
// percent sign without two hexadecimal digits is refused, not guessed at.
func (f *form) decode(encoded []byte) (string, bool) {
	start := len(f.text)
	for {
		i := 0
		for i < len(encoded) && encoded[i] != '%' && encoded[i] != '+' {
			i++
		}
		f.text = append(f.text, encoded[:i]...)
		if i == len(encoded) {
			break
		}
		if encoded[i] == '+' {
			f.text = append(f.text, ' ')
			encoded = encoded[i+1:]
			continue
		}
		if i+2 >= len(encoded) {
			return "", false
		}
		high, low := unhex[encoded[i+1]], unhex[encoded[i+2]]
		if high < 0 || low < 0 {
			return "", false
		}
		f.text = append(f.text, byte(high<<4|low))
		encoded = encoded[i+3:]
	}
	decoded := f.text[start:]
	f.text = append(f.text, '&')
	return unsafe.String(unsafe.SliceData(decoded), len(decoded)), true
}

// unhex is the value of a hexadecimal digit, negative for every other byte.
var unhex = func() (t [256]int8) {
	for c := range t {
		t[c] = -1
	}
	for i, c := range []byte("0123456789abcdef") {
		t[c] = int8(i)
		t[bytes.ToUpper([]byte{c})[0]] = int8(i)
	}
	return t
}()
