package wire

import "context"

// Service is one of the two services on the listener.
type Service uint8

// The services.
const (
	SQS Service = iota
	SNS
)

func (s Service) String() string {
	if s == SNS {
		return "sns"
	}
	return "sqs"
}

// Request is one decoded request.
type Request struct {
	Service Service
	Action  string
	// Params spell their names as AWS JSON 1.0 does, whichever protocol asked.
	// Scalars of a Query request are all strings.
	Params *Object
	// Path is the request's path without query string, as received. Old SDKs
	// address a queue by it.
	Path string
	// BaseURL is scheme and host as the client reached them, without a trailing
	// slash: what queue URLs begin with.
	BaseURL string
	// TraceHeader is the X-Amzn-Trace-Id header, empty when absent.
	TraceHeader string
	// AccessKeyID is the verified access key id; with auth off the presented one,
	// or "anonymous".
	AccessKeyID string
	// RequestID is the UUID that goes into the response.
	RequestID string
}

// Handler implements one action. A nil Object means that the action has no
// result at all, an empty one that its result has no members. An error that is
// not a *fault.Error becomes InternalFailure.
type Handler func(ctx context.Context, req *Request) (*Object, error)
