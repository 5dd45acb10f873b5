package faults

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Fault is one way in which a broker fails.
type Fault struct {
	// Name completes the sentence "the broker ...".
	Name string

	// One of these.
	down   bool
	toxic  string // a toxic of toxiproxy, as its API takes it
	answer func(c Call, broker func() (Answer, error)) (Answer, error)
}

// All are the faults there are.
var All = []Fault{
	{Name: "is down", down: true},
	// The call arrives, and is carried out, but nobody is told.
	{Name: "hangs", toxic: `{"type":"timeout","stream":"downstream","attributes":{"timeout":0}}`},
	{Name: "resets connections", toxic: `{"type":"reset_peer","stream":"upstream","attributes":{"timeout":0}}`},
	{Name: "resets before it answers", toxic: `{"type":"reset_peer","stream":"downstream","attributes":{"timeout":0}}`},
	{Name: "breaks off in the head of an answer", toxic: `{"type":"limit_data","stream":"downstream","attributes":{"bytes":20}}`},
	{Name: "breaks off in the middle of an answer", answer: torn},
	{Name: "is slow", toxic: `{"type":"latency","stream":"downstream","attributes":{"latency":200}}`},
	{Name: "has a narrow line", toxic: `{"type":"bandwidth","stream":"downstream","attributes":{"rate":4}}`},

	{Name: "answers 429", answer: status(429, `{"error":"rate_limited","reason":"rate_limited"}`)},
	{Name: "answers 429 and Retry-After 7", answer: status(429, `{"error":"rate_limited","reason":"rate_limited"}`, "Retry-After", "7")},
	{Name: "answers 500", answer: status(500, `{"error":"pool"}`)},
	{Name: "answers 502 with a page", answer: status(502, "<html><body><h1>502 Bad Gateway</h1></body></html>", "Content-Type", "text/html")},
	{Name: "answers 503 and Retry-After 1", answer: status(503, `{"error":"no leader","code":"no_leader"}`, "Retry-After", "1")},
	{Name: "answers 401", answer: status(401, `{"error":"Authentication required"}`)},
	{Name: "answers 403", answer: status(403, `{"error":"Insufficient permissions"}`)},
	{Name: "answers 404", answer: status(404, `{"error":"Not Found","code":"no_such_route"}`)},
	{Name: "answers garbage", answer: status(200, "\x00\xff<html>{]", "Content-Type", "application/json")},
	{Name: "answers half of its JSON", answer: half},
	{Name: "answers for other items", answer: misaligned},
	{Name: "buffers what is pushed", answer: buffered},
	{Name: "has lost its database", answer: databaseAway},
}

// Named finds a fault by its name.
func Named(name string) (Fault, bool) {
	for _, f := range All {
		if f.Name == name {
			return f, true
		}
	}
	return Fault{}, false
}

// Status is a fault that answers every call with a status and a body, without
// asking the broker. Header are names and values.
func Status(code int, body string, header ...string) Fault {
	return Fault{Name: "answers " + http.StatusText(code), answer: status(code, body, header...)}
}

func status(code int, body string, header ...string) func(Call, func() (Answer, error)) (Answer, error) {
	return func(Call, func() (Answer, error)) (Answer, error) {
		h := http.Header{"Content-Type": {"application/json"}}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return Answer{Status: code, Header: h, Body: []byte(body)}, nil
	}
}

// carried is the broker's own answer, made long enough to be broken. An answer
// without a body becomes one with an object.
func carried(broker func() (Answer, error)) (Answer, error) {
	a, err := broker()
	if err == nil && len(a.Body) < 2 {
		a.Status, a.Body = http.StatusOK, []byte(`{"messages":[]}`)
	}
	return a, err
}

func torn(_ Call, broker func() (Answer, error)) (Answer, error) {
	a, err := carried(broker)
	a.Torn = true
	return a, err
}

func half(_ Call, broker func() (Answer, error)) (Answer, error) {
	a, err := carried(broker)
	a.Body = a.Body[:len(a.Body)/2]
	return a, err
}

// misaligned moves every index of the results to the next item.
func misaligned(_ Call, broker func() (Answer, error)) (Answer, error) {
	a, err := broker()
	if err != nil {
		return a, err
	}
	var whole any
	if json.Unmarshal(a.Body, &whole) != nil {
		return a, nil
	}
	list, _ := whole.([]any)
	if object, ok := whole.(map[string]any); ok {
		list, _ = object["results"].([]any)
	}
	for _, item := range list {
		if result, ok := item.(map[string]any); ok {
			if i, ok := result["index"].(float64); ok {
				result["index"] = i + 1
			}
		}
	}
	a.Body, err = json.Marshal(whole)
	return a, err
}

// buffered answers a push as Queen 1.x does while it cannot reach its database:
// the items are on a disk somewhere, under ids that the messages will not have.
func buffered(c Call, broker func() (Answer, error)) (Answer, error) {
	var push struct {
		Items []struct{ Queue string }
	}
	if c.Route != Push || json.Unmarshal(c.Body, &push) != nil {
		return broker()
	}
	type verdict struct {
		Index         int    `json:"index"`
		MessageID     string `json:"message_id"`
		TransactionID string `json:"transaction_id"`
		Queue         string `json:"queueName"`
		Status        string `json:"status"`
	}
	verdicts := make([]verdict, len(push.Items))
	for i, item := range push.Items {
		const id = "0198f0c2-7f00-7000-8000-0000000000aa"
		verdicts[i] = verdict{i, id, id, item.Queue, "buffered"}
	}
	body, err := json.Marshal(verdicts)
	return Answer{Status: http.StatusCreated, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}, err
}

// databaseAway answers as Queen 1.3.0 was recorded to while PostgreSQL refuses
// connections.
func databaseAway(c Call, broker func() (Answer, error)) (Answer, error) {
	unavailable := func(text string) (Answer, error) {
		return status(503, `{"error":"`+text+`"}`, "Retry-After", "1")(c, broker)
	}
	switch c.Route {
	case Push:
		return buffered(c, broker)
	case Pop:
		if strings.Contains(c.Target, "/partition/") {
			break
		}
		return Answer{Status: http.StatusNoContent}, nil
	case Ack:
		return poolAcks(c)
	case KV:
		return unavailable("kv_unavailable")
	case Timers:
		return unavailable("timers_unavailable")
	case Health:
		return status(503, `{"status":"unhealthy","database":"disconnected","engine":"segments-rust","version":"1.3.0"}`)(c, broker)
	}
	return status(500, `{"error":"pool"}`)(c, broker)
}

func poolAcks(c Call) (Answer, error) {
	var batch struct {
		Acks []json.RawMessage `json:"acknowledgments"`
	}
	_ = json.Unmarshal(c.Body, &batch) // a single ack has no list
	results := make([]map[string]any, max(len(batch.Acks), 1))
	for i := range results {
		results[i] = map[string]any{"index": i, "success": false, "error": "pool"}
	}
	body, err := json.Marshal(results)
	return Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}, err
}
