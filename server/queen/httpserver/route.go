package httpserver

import (
	"context"
	"strings"
	"unicode/utf8"
)

// request is one HTTP request, whichever server brought it. path and query are as
// they came, percent-encoded.
type request struct {
	ctx    context.Context
	method string
	path   string
	query  string
	body   []byte
	// params are the decoded parts of the path that a pattern names, in order.
	params []string
}

func (r *request) param(i int) string { return r.params[i] }

// endpoint is one method of a route.
type endpoint struct {
	method string
	needs  role
	handle func(s *Server, r *request) answer
}

// route is a path: segments, of which :name takes any that is not empty and
// *name whatever follows.
type route struct {
	segments  []string
	endpoints []endpoint
}

type table struct {
	exact  map[string]*route
	others []*route
}

func newTable(rows []row) *table {
	t := &table{exact: map[string]*route{}}
	byPattern := map[string]*route{}
	for _, row := range rows {
		rt := byPattern[row.pattern]
		if rt == nil {
			rt = &route{segments: strings.Split(row.pattern[1:], "/")}
			byPattern[row.pattern] = rt
			if strings.ContainsAny(row.pattern, ":*") {
				t.others = append(t.others, rt)
			} else {
				t.exact[row.pattern] = rt
			}
		}
		rt.endpoints = append(rt.endpoints, endpoint{row.method, row.needs, row.handle})
	}
	return t
}

// row is one line of the table of routes.
type row struct {
	method  string
	pattern string
	needs   role
	handle  func(s *Server, r *request) answer
}

// find answers the route of a path and its parameters, still encoded.
func (t *table) find(path string) (*route, []string) {
	if rt := t.exact[path]; rt != nil {
		return rt, nil
	}
	if !strings.HasPrefix(path, "/") {
		return nil, nil
	}
	segments := strings.Split(path[1:], "/")
	for _, rt := range t.others {
		if params, ok := rt.match(segments); ok {
			return rt, params
		}
	}
	return nil, nil
}

func (rt *route) match(segments []string) (params []string, ok bool) {
	for i, want := range rt.segments {
		if want[0] == '*' {
			rest := strings.Join(segments[min(i, len(segments)):], "/")
			return append(params, rest), rest != ""
		}
		if i >= len(segments) {
			return nil, false
		}
		switch {
		case want[0] == ':':
			if segments[i] == "" {
				return nil, false
			}
			params = append(params, segments[i])
		case segments[i] != want:
			return nil, false
		}
	}
	return params, len(segments) == len(rt.segments)
}

// allow lists the route's methods; HEAD comes with GET.
func (rt *route) allow() string {
	var methods []string
	for _, e := range rt.endpoints {
		methods = append(methods, e.method)
		if e.method == "GET" {
			methods = append(methods, "HEAD")
		}
	}
	return strings.Join(methods, ",")
}

func (rt *route) endpoint(method string) *endpoint {
	if method == "HEAD" {
		method = "GET"
	}
	for i := range rt.endpoints {
		if rt.endpoints[i].method == method {
			return &rt.endpoints[i]
		}
	}
	return nil
}

// decodeParams decodes the parts of a path that the pattern names.
func (rt *route) decodeParams(params []string) ([]string, *answer) {
	for i, p := range params {
		decoded := unpercent(p)
		if !utf8.ValidString(decoded) {
			bad := plain(400, "Invalid URL: Invalid UTF-8 in `%s`", rt.paramName(i))
			return nil, &bad
		}
		params[i] = decoded
	}
	return params, nil
}

func (rt *route) paramName(n int) string {
	for _, s := range rt.segments {
		if s[0] == ':' || s[0] == '*' {
			if n == 0 {
				return s[1:]
			}
			n--
		}
	}
	return ""
}
