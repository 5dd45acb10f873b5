// Package client calls an SQS or SNS endpoint the way real programs do: through
// AWS SDKs, one per wire protocol, and through signed requests of its own for
// what an SDK refuses to say. Parameters and answers are plain trees, spelled as
// in AWS JSON 1.0, so that a scenario is written once for every protocol.
package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Protocol is a wire protocol of SQS.
type Protocol string

// The protocols. SNS is spoken in Query by every SDK, whichever of the two is
// chosen for SQS.
const (
	JSON  Protocol = "json"
	Query Protocol = "query"
)

// Services, as signatures name them.
const (
	SQS = "sqs"
	SNS = "sns"
)

// Params is a tree of parameters: string, int64, bool, []byte, []any and
// Params. Member names begin with an upper-case letter throughout.
type Params = map[string]any

// Credentials sign requests.
type Credentials struct {
	AccessKeyID string
	Secret      string
	Session     string // empty for long-lived keys
}

// Config is what a client needs to reach an endpoint.
type Config struct {
	// Endpoints serve the same queues; requests alternate over them. At least
	// one, scheme and host without a trailing slash.
	Endpoints []string
	// SNS is the endpoint of SNS where it is another one; empty for the same.
	SNS         string
	Region      string
	Credentials Credentials
	// Now is the time requests are signed with; nil means time.Now.
	Now func() time.Time
	// Transport carries the requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
	// Again sends requests again that a gateway did not answer; nil sends each
	// once.
	Again *Again
}

// endpoint of a service, as requests to it are signed.
func (c Config) endpoint(service string) string {
	if service == SNS && c.SNS != "" {
		return c.SNS
	}
	return c.Endpoints[0]
}

func (c Config) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// Client calls actions.
type Client interface {
	// Call sends one request and never retries but by Config.Again. An error the endpoint answered
	// is an *APIError; any other error means that there was no usable answer.
	Call(ctx context.Context, service, action string, p Params) (Params, error)
}

// APIError is an error the endpoint answered, as it was on the wire.
type APIError struct {
	// Type is the shape name behind "#" in the body's __type, empty over Query.
	Type string
	// Code is the query code: the XML Code, or the first part of the
	// x-amzn-query-error header. Empty when a JSON answer has no such header.
	Code string
	// Fault is "Sender" or "Receiver", from beside Code.
	Fault     string
	Message   string
	Status    int
	RequestID string
	// SDK is the code under which the SDK raised it, empty for raw requests.
	SDK string
}

func (e *APIError) Error() string {
	return fmt.Sprintf("%d %s %s (%s): %s", e.Status, e.Type, e.Code, e.Fault, e.Message)
}

// errInexpressible is answered by an SDK client for parameters its typed inputs
// have no place for.
var errInexpressible = errors.New("the SDK cannot express these parameters")

// New makes the client of a protocol: the SDK where it can say what is asked, a
// raw request otherwise. All its traffic passes through rec.
func New(protocol Protocol, cfg Config, rec *Recorder) Client {
	cfg.Transport = rec.over(cfg)
	raw := &Raw{Protocol: protocol, Config: cfg}
	if protocol == JSON {
		return fallback{newV2(cfg), raw}
	}
	return fallback{newV1(cfg), raw}
}

// NewRaw makes a client without an SDK, recorded by rec.
func NewRaw(protocol Protocol, cfg Config, rec *Recorder) *Raw {
	cfg.Transport = rec.over(cfg)
	return &Raw{Protocol: protocol, Config: cfg}
}

type fallback struct {
	sdk Client
	raw *Raw
}

func (f fallback) Call(ctx context.Context, service, action string, p Params) (Params, error) {
	out, err := f.sdk.Call(ctx, service, action, p)
	if errors.Is(err, errInexpressible) {
		raw := *f.raw
		if service == SNS {
			raw.Protocol = Query // as the SDK would
		}
		return raw.Call(ctx, service, action, p)
	}
	return out, err
}
