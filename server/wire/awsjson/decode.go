// Package awsjson is the codec of AWS JSON 1.0, the protocol of today's SDKs:
// the action in the header X-Amz-Target, one JSON object each way.
package awsjson

import (
	"strings"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Decode reads a request. The action is what follows the service's prefix in
// target, and is checked before the body is looked at: one that the service does
// not have is InvalidAction. A body that is blank, null or {} has no parameters;
// one that is no JSON object is InvalidParameterValue. params is never nil when
// there is no error. service is right also with an error.
//
// The strings in params share one copy of the body; the body itself may be used
// again.
func Decode(target string, body []byte) (service wire.Service, action string, params *wire.Object, err *fault.Error) {
	service, action, ok := wire.Target(target)
	if !ok {
		return service, "", nil, fault.InvalidAction.Default()
	}
	if s, known := wire.ServiceOf(action); !known || s != service {
		return service, "", nil, fault.InvalidAction.Default()
	}
	text := string(body)
	if strings.Trim(text, " \t\r\n") == "" {
		return service, action, wire.NewObject(), nil
	}
	v, bad := parse(text)
	if bad != nil {
		return service, action, nil, fault.InvalidParameterValue.With("The request body is not a valid JSON document: " + bad.Error() + ".")
	}
	switch v.Kind() {
	case wire.KindObject:
		params = v.Object()
	case wire.KindNull:
		params = wire.NewObject()
	default:
		return service, action, nil, fault.InvalidParameterValue.With("The request body must be a JSON object.")
	}
	mirrorTags(params)
	return service, action, params, nil
}

// mirrorTags gives the parameter Tags its lower-case name as well, and the other
// way around: CreateQueue has the one, all other actions have the other, and
// clients mix them up.
func mirrorTags(params *wire.Object) {
	upper, lower := params.Get("Tags"), params.Get("tags")
	switch {
	case lower.IsNull() && !upper.IsNull():
		params.Set("tags", upper)
	case upper.IsNull() && !lower.IsNull():
		params.Set("Tags", lower)
	}
}
