package model

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// Asked is what a request asked for, as far as its answer depends on it.
type Asked struct {
	Service, Operation, Protocol string
}

// routes are paths that are no request to a service.
var routes = []string{"/healthz", "/_test/", "/console/"}

// Read finds out what a request asked for; ok is false for one that asked no
// service.
func Read(method string, u *url.URL, h http.Header, body []byte) (a Asked, ok bool) {
	for _, r := range routes {
		if strings.HasPrefix(u.Path, r) {
			return a, false
		}
	}
	if method != http.MethodGet && method != http.MethodPost {
		return a, false
	}
	if target := strings.TrimSpace(h.Get("X-Amz-Target")); target != "" {
		a.Service, a.Operation = serviceOfTarget(target)
		a.Protocol = JSON
		return a, true
	}
	form, _ := url.ParseQuery(string(body))
	get := func(name string) string {
		if v := form.Get(name); v != "" {
			return strings.TrimSpace(v)
		}
		return strings.TrimSpace(u.Query().Get(name))
	}
	a.Operation, a.Protocol = get("Action"), Query
	switch get("Version") {
	case snsModel.Metadata.APIVersion:
		a.Service = SNS
	case "":
		a.Service = ServiceOf(a.Operation)
	default:
		a.Service = SQS
	}
	if kind, _, err := mime.ParseMediaType(h.Get("Accept")); err == nil && kind == "application/json" {
		a.Protocol = QueryInJSON
	}
	return a, true
}
