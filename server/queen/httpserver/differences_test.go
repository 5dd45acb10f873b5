package httpserver

import (
	"regexp"
	"time"
)

// difference is where this server answers other than Queen 1.3.0 did, on purpose
// or because it cannot be otherwise. An empty pattern takes anything.
type difference struct {
	where, path, kind *regexp.Regexp
	why               string
}

func diff(where, path, kind, why string) difference {
	return difference{regexp.MustCompile(where), regexp.MustCompile(path), regexp.MustCompile("^(" + kind + ")$"), why}
}

var differences = []difference{
	diff(`POST /api/v1/push$`, `\.offset$`, "extra", "later versions answer offsets"),
	diff(`GET /api/v1/pop`, `\.(offset|deliveryAttempt)$`, "extra", "later versions answer offsets and attempts"),
	diff(`/depth`, `\.(processing|ready|partitionsReady|effectiveReady)$`, "extra", "later versions tell ready from leased"),
	diff(`GET /health$`, `\.(engine|version)$`, "value", "another engine"),
	diff(`GET /health$`, `\.capabilities$`, "extra", "what this engine can beyond Queen"),
	diff(`GET /status$`, `\.engine$`, "value", "another engine"),
	diff(`GET /nope$`, ``, "status", "there is no dashboard behind unknown paths"),

	diff(`6\.1 refusals.*POST /api/v1/push$`, `^\.error$`, "value", "a refusal of a member does not say where in the body it is"),
	diff(`6\.1 refusals.*call 6:`, ``, "status", "a queue without a name is refused, not buffered and lost"),
	diff(`6\.1 refusals.*call 20:`, ``, "status", "a queue name of more than 255 characters is refused, not buffered and lost"),
	diff(`6\.1 refusals.*call 24:`, ``, "identity", "an empty partition name means Default, so that one message more is there"),
	diff(`5\.2 defaults.*call 3:`, `\.options\.retryLimit$`, "value", "mode merge keeps what is not named, as later versions do"),
	diff(`5\.2 defaults.*call 5:`, ``, "status", "another mode than merge or replace is refused, as later versions do"),
	diff(`5\.3 dedup right after.*call 1[45]:`, `(status|message_id)$`, "value|identity", "the first duplicate after a re-creation is found too"),
	diff(`5\.4 depth.*call 15:.*never-seen`, `ending$`, "value", "consumed messages go at once on a queue with retention, so that a later group does not count them"),
	diff(`POST /api/v1/ack`, `\.leaseReleased$`, "value", "the flag tells the truth"),
	diff(`GET /api/v1/dlq`, `\.id$`, "identity", "a dead letter has its message's id, not one of its own"),
	diff(`9\.1 refusals.*call 8:`, `^\.detail$`, "value", "another decoder's words"),
	diff(`9\.3 count.*call 1:`, ``, "status", "mode=count needs a prefix, as in later versions"),
	diff(`9\.6 payloads that are not JSON`, ``, "text", "a timer's payload that is no JSON is delivered as a string, as in later versions"),
}

// leftOut are cases that cannot be asked again one call after the other, or not
// from a certain call on (case/number).
var leftOut = map[string]string{
	"6.1 a thousand items in one request":                              "the push is not in the recording",
	"6.2 pop parameters/10":                                            "what freed the lane in between is not in the recording",
	"6.3 width, shared batch, one lease id/7":                          "what acknowledged in between is not in the recording",
	"6.3 eight poppers, 64 lanes, no waiting: false empties":           "most of the calls are not in the recording",
	"6.5 what wakes a parked pop, and how fast":                        "calls beside each other",
	"6.5 a client that goes away while parked claims nothing":          "calls beside each other",
	"7.2 batches: alignment, several lanes, several leases, nothing/3": "lanes come in no order, and the answer is cut before it shows which is which",
	"9.2 list and paging/0":                                            "the request that made the timers is cut",
	"9.4 peek, and keys in a path":                                     "the timers are those of 9.2",
	"9.5 cancel by DELETE":                                             "the timers are those of 9.2",
	"9.6 fire: at once, negative, later; what is delivered/3":          "timers fire here when they are due, not up to a second later",
	"10.2 required:true aborts the call/5":                             "the request before it is cut",
	"10.2 concurrent incr of one key":                                  "most of the calls are not in the recording",
	"10.3 rate of calls":                                               "there is no rate here",
	"12.5 odd names in paths":                                          "most of the calls are not in the recording; TestNamesInPaths does the same",
	"12.6 bytes of payloads":                                           "most of the calls are not in the recording; TestPayloadBytes does the same",
	"16 8 pushers, one lane, 1 item(s) a push, one broker":             "calls beside each other",
	"16 8 pushers, one lane, 10 item(s) a push, one broker":            "calls beside each other",
	"16 8 pushers, one lane, 1 item(s) a push, over two brokers":       "calls beside each other",
	"16 8 pushers, one lane, 10 item(s) a push, over two brokers":      "calls beside each other",
	"6.6 push at one, pop at the other, wake-up times":                 "two processes",
	"6.6 ack, extend and release at the other process":                 "two processes",
	"6.6 dedup after delete and re-creation at the other process":      "two processes",
	"6.6 dedup and FIFO order across processes":                        "two processes",
	"6.6 configure and delete at one, effect at the other":             "two processes",
	"16 receive count in KV: one call of ten incr after a pop of ten":  "most of the calls are not in the recording",
}

// pauses are how long the recording waited before a call (case/number) where no
// id shows it.
var pauses = map[string]time.Duration{
	"7.3 expired lease/3":             1200 * time.Millisecond,
	"8 extend/16":                     1200 * time.Millisecond,
	"9.6 fire into a deleted queue/3": 1500 * time.Millisecond,
	"10.2 expiry/2":                   1300 * time.Millisecond,
	"12.1 retention of 2 s/18":        2500 * time.Millisecond,
}
