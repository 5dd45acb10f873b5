package awsjson

import (
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/jsontext"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// ContentType is that of every response, errors included.
const ContentType = "application/x-amz-json-1.0"

// QueryErrorHeader is the header that gives an error's code as Query spells it.
// SDKs that came from Query read it. There is no X-Amzn-Errortype beside it: the
// Java SDK v1 loses its typed exceptions when it finds one.
const QueryErrorHeader = "x-amzn-query-error"

// AppendResult appends the body of a response. Members that are null are left
// out; a list or map that the action put in is written even if it is empty. A
// nil result, that of an action without one, is {}.
func AppendResult(dst []byte, result *wire.Object) []byte {
	return wire.AppendJSONObject(dst, result)
}

// AppendError appends the body of an error. The status is the kind's, the header
// is QueryError's.
func AppendError(dst []byte, err *fault.Error) []byte {
	dst = append(dst, `{"__type":"`...)
	dst = append(dst, err.Kind.Namespace...)
	dst = append(dst, '#')
	dst = append(dst, err.Kind.JSON...)
	dst = append(dst, `","message":`...)
	dst = jsontext.AppendString(dst, err.Message())
	return append(dst, '}')
}

// QueryError is the value of the header x-amzn-query-error.
func QueryError(err *fault.Error) string {
	return err.Kind.Query + ";" + err.Kind.Side()
}
