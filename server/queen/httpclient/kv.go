package httpclient

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// KV is one call.
func (c *Client) KV(ctx context.Context, tok queen.Token, ops []queen.KVOp) ([]queen.KVResult, error) {
	if len(ops) == 0 {
		return nil, nil
	}
	request, err := encode(struct {
		Operations []queen.KVOp `json:"operations"`
	}{ops})
	if err != nil {
		return nil, err
	}
	body, err := c.do(ctx, call{method: http.MethodPost, path: "/api/v1/kv", body: request, token: tok})
	c.budgets.spent(kvWrites(ops), err)
	if err != nil {
		return nil, err
	}
	var answer struct {
		precondition
		Error   json.RawMessage
		Results []kvAnswer
	}
	if err := decode(body, &answer); err != nil {
		return nil, err
	}
	if answer.lost() {
		return nil, answer.err(0, len(ops))
	}
	if answer.failed() || !isNull(answer.Error) {
		return nil, &queen.BodyError{Reason: either(answer.Reason, "not ok"), Detail: string(answer.Error)}
	}
	results, err := align(len(ops), answer.Results)
	if err != nil {
		return nil, err
	}
	return c.kvResults(results), nil
}

// precondition is the part of an answer that says that a Required operation
// lost. Of a large value the broker leaves out everything but OK and Reason.
type precondition struct {
	OK          *bool
	Reason      string
	FailedIndex *int
	KVReason    queen.KVReason
	Version     int64
	Value       json.RawMessage
}

func (p precondition) failed() bool { return p.OK != nil && !*p.OK }
func (p precondition) lost() bool   { return p.failed() && p.Reason == "kv_precondition" }

// err counts the failed index from the first of n KV operations, which stand
// behind before other entries in the answer's index space.
func (p precondition) err(before, n int) error {
	e := &queen.PreconditionError{FailedIndex: -1, Reason: p.KVReason, Version: p.Version, Value: p.Value}
	if p.FailedIndex != nil {
		if i := *p.FailedIndex - before; i >= 0 && i < n {
			e.FailedIndex = i
		}
	}
	return e
}

type kvAnswer struct {
	indexed
	Op        queen.KVVerb
	Key       string
	Found     bool
	Applied   bool
	Reason    queen.KVReason
	Value     json.RawMessage
	Version   int64
	ExpiresAt *string
	UpdatedAt *string
	Rows      []struct {
		Key       string
		Value     json.RawMessage
		Version   int64
		ExpiresAt *string
		UpdatedAt *string
	}
	Missing   []string
	Truncated bool
	NextAfter *string
}

func (c *Client) kvResults(answer []kvAnswer) []queen.KVResult {
	results := make([]queen.KVResult, len(answer))
	for i, a := range answer {
		r := queen.KVResult{
			Op: a.Op, Key: a.Key, Found: a.Found, Applied: a.Applied, Reason: a.Reason,
			Value: a.Value, Version: a.Version,
			ExpiresAt: c.zone.kv(a.ExpiresAt, false), UpdatedAt: c.zone.kv(a.UpdatedAt, true),
			Missing: a.Missing, Truncated: a.Truncated,
		}
		if a.NextAfter != nil {
			r.NextAfter = *a.NextAfter
		}
		for _, row := range a.Rows {
			r.Rows = append(r.Rows, queen.KVRow{
				Key: row.Key, Value: row.Value, Version: row.Version,
				ExpiresAt: c.zone.kv(row.ExpiresAt, false), UpdatedAt: c.zone.kv(row.UpdatedAt, true),
			})
		}
		results[i] = r
	}
	return results
}
