package httpclient

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/queen-mq/queen-sqs/server/jsontext"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// encode is v as JSON, or a refusal of a call that has no JSON form.
func encode(v any) ([]byte, error) {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return nil, badRequest(err.Error())
	}
	return text, nil
}

// decode reads the body of a 2xx answer. The error quotes an answer that is some
// other server's page, but no JSON: that may hold messages, which must not reach
// a log line.
func decode(body []byte, v any) error {
	err := json.Unmarshal(body, v)
	if err == nil {
		return nil
	}
	e := &queen.BodyError{Reason: err.Error()}
	if text := bytes.TrimSpace(body); len(text) > 0 && text[0] != '{' && text[0] != '[' {
		e.Detail = string(text[:min(len(text), maxErrorText)])
	}
	return e
}

// badRequest refuses a call that could only harm: the broker would answer 400,
// or worse, take it.
func badRequest(reason string) error { return &queen.StatusError{Code: 400, Body: reason} }

// isNull reports whether a member is absent or null.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// indexed is an entry of an answer that says which entry of the request it
// belongs to.
type indexed struct {
	Index *int `json:"index"`
}

func (i indexed) index() *int { return i.Index }

// align puts the entries of an answer in the order of the n entries of the
// request. They must cover it exactly once: a missing, repeated or foreign index
// makes the whole answer unusable.
func align[T interface{ index() *int }](n int, entries []T) ([]T, error) {
	if len(entries) != n {
		return nil, &queen.BodyError{Reason: fmt.Sprintf("%d results for a request of %d", len(entries), n)}
	}
	out, seen := make([]T, n), make([]bool, n)
	for _, e := range entries {
		i := e.index()
		switch {
		case i == nil:
			return nil, &queen.BodyError{Reason: "a result without an index"}
		case *i < 0 || *i >= n:
			return nil, &queen.BodyError{Reason: fmt.Sprintf("index %d in an answer to %d", *i, n)}
		case seen[*i]:
			return nil, &queen.BodyError{Reason: fmt.Sprintf("index %d twice in an answer", *i)}
		}
		out[*i], seen[*i] = e, true
	}
	return out, nil
}

// either is a member with two spellings.
func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// orUnknown is an offset that may be absent.
func orUnknown(offset *int64) int64 {
	if offset == nil {
		return queen.Unknown
	}
	return *offset
}
