package faults

import (
	"net/http"
	"strings"
)

// Route is what a call asks of the broker.
type Route string

// The routes of Queen's API that a gateway uses.
const (
	Push        Route = "push"
	Pop         Route = "pop"
	Ack         Route = "ack"
	Lease       Route = "lease"
	KV          Route = "kv"
	Timers      Route = "timers"
	Transaction Route = "transaction"
	Configure   Route = "configure"
	// Queues is the list of queues, Depth what one has in front of a group, and
	// Delete the removal of one.
	Queues Route = "queues"
	Depth  Route = "depth"
	Delete Route = "delete"
	Health Route = "health"
	Other  Route = "other"
)

// Routes are all of them.
var Routes = []Route{Push, Pop, Ack, Lease, KV, Timers, Transaction, Configure, Queues, Depth, Delete, Health, Other}

var prefixes = []struct {
	path  string
	route Route
}{
	{"/api/v1/push", Push},
	{"/api/v1/pop/", Pop},
	{"/api/v1/ack", Ack},
	{"/api/v1/lease/", Lease},
	{"/api/v1/kv", KV},
	{"/api/v1/timers", Timers},
	{"/api/v1/transaction", Transaction},
	{"/api/v1/configure", Configure},
	{"/health", Health},
}

func routeOf(method, path string) Route {
	for _, p := range prefixes {
		if strings.HasPrefix(path, p.path) {
			return p.route
		}
	}
	name, ok := strings.CutPrefix(path, "/api/v1/resources/queues")
	switch {
	case !ok:
		return Other
	case method == http.MethodDelete:
		return Delete
	case name == "":
		return Queues
	}
	return Depth
}
