package wire

import (
	"bytes"
	"strings"
)

// Protocol is one of the two protocols a request can speak.
type Protocol uint8

// The protocols.
const (
	// Query is form parameters in, XML out (or JSON, see Sniffed.JSONResponse).
	Query Protocol = iota
	// JSON is AWS JSON 1.0.
	JSON
)

func (p Protocol) String() string {
	if p == JSON {
		return "json"
	}
	return "query"
}

// Prefixes of X-Amz-Target. The rest of the header is the action.
const (
	SQSTarget = "AmazonSQS."
	SNSTarget = "AmazonSimpleNotificationService."
)

// SNSVersion is the API version that marks a Query request as one for SNS.
// Every other version is one of SQS, which has had several.
const SNSVersion = "2010-03-31"

// earlyBytes is how far into a body that was not decoded yet the service is
// looked for.
const earlyBytes = 4096

// Sniffed is what a request says about itself before it is verified and
// decoded. An error raised that early is written by it.
type Sniffed struct {
	Protocol Protocol
	Service  Service
	// JSONResponse says that a Query request asks for a response in JSON.
	JSONResponse bool
}

// Sniff tells protocol and service of a request. An X-Amz-Target with the
// prefix of one of the two services makes it AWS JSON, and nothing else does: a
// target without such a prefix is ignored, because there are clients that send
// one along with a form. Method, path and Content-Type decide nothing. A request
// that is neither a form nor has a usable target is thus a Query request without
// an Action, and refused as such in XML.
//
// The service of a Query request is Decode's to tell; this one is for errors
// before that and reads the first 4096 bytes of the body only.
func Sniff(target, accept string, rawQuery, body []byte) Sniffed {
	if service, _, ok := Target(target); ok {
		return Sniffed{Protocol: JSON, Service: service}
	}
	return Sniffed{Protocol: Query, Service: earlyService(rawQuery, body), JSONResponse: wantsJSON(accept)}
}

// Target splits an X-Amz-Target into service and action; ok is false when it has
// neither of the two prefixes. The action may be empty or unknown.
func Target(target string) (service Service, action string, ok bool) {
	target = strings.TrimSpace(target)
	if action, ok = strings.CutPrefix(target, SQSTarget); ok {
		return SQS, action, true
	}
	if action, ok = strings.CutPrefix(target, SNSTarget); ok {
		return SNS, action, true
	}
	return SQS, "", false
}

// QueryService is the service of a Query request by its Version, or by its
// Action when it has none.
func QueryService(version, action string) Service {
	if version != "" {
		if version == SNSVersion {
			return SNS
		}
		return SQS
	}
	service, _ := ServiceOf(action)
	return service
}

func earlyService(rawQuery, body []byte) Service {
	if len(body) > earlyBytes {
		body = body[:earlyBytes]
	}
	version, action := "", ""
	for _, form := range [][]byte{body, rawQuery} {
		if version == "" {
			version = plainParameter(form, "Version")
		}
		if action == "" {
			action = plainParameter(form, "Action")
		}
	}
	return QueryService(version, action)
}

// plainParameter is the last value of that name in a form, left encoded: the
// values looked for hold nothing that a client would encode.
func plainParameter(form []byte, name string) (value string) {
	for len(form) > 0 {
		var pair []byte
		pair, form, _ = bytes.Cut(form, []byte{'&'})
		if len(pair) > len(name) && pair[len(name)] == '=' && string(pair[:len(name)]) == name {
			value = string(pair[len(name)+1:])
		}
	}
	return value
}

// wantsJSON reads an Accept header: whichever of JSON and XML is named first and
// not refused with q=0. A wildcard asks for nothing in particular, which is XML.
func wantsJSON(accept string) bool {
	for accept != "" {
		var item string
		item, accept, _ = strings.Cut(accept, ",")
		media, params, _ := strings.Cut(item, ";")
		if refused(params) {
			continue
		}
		media = strings.TrimSpace(media)
		switch {
		case strings.EqualFold(media, "application/json"):
			return true
		case strings.EqualFold(media, "application/xml"), strings.EqualFold(media, "text/xml"):
			return false
		}
	}
	return false
}

func refused(params string) bool {
	for params != "" {
		var p string
		p, params, _ = strings.Cut(params, ";")
		name, q, _ := strings.Cut(p, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q = strings.TrimSpace(q)
		return q != "" && strings.Trim(q, "0.") == ""
	}
	return false
}

// IsQueuePath reports whether a request's path has the form of a queue's,
// /account/name.
func IsQueuePath(path string) bool {
	path, ok := strings.CutPrefix(path, "/")
	if !ok {
		return false
	}
	account, name, ok := strings.Cut(strings.TrimSuffix(path, "/"), "/")
	return ok && account != "" && name != "" && !strings.Contains(name, "/")
}
