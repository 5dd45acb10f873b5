package httpclient

import (
	"context"
	"fmt"
	"net/http"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// Transaction is one call: at most one push entry with all items, one entry for
// each ack, and the KV operations beside them.
func (c *Client) Transaction(ctx context.Context, tok queen.Token, tx queen.Transaction) (queen.TransactionResult, error) {
	request, err := transactionRequest(tx)
	if err != nil {
		return queen.TransactionResult{}, err
	}
	body, err := c.do(ctx, call{method: http.MethodPost, path: "/api/v1/transaction", body: request, token: tok})
	if err != nil {
		return queen.TransactionResult{}, err
	}
	var answer txAnswer
	if err := decode(body, &answer); err != nil {
		return queen.TransactionResult{}, err
	}
	if err := answer.refusal(tx); err != nil {
		return queen.TransactionResult{}, err
	}
	return c.demux(answer.Results, tx)
}

func transactionRequest(tx queen.Transaction) ([]byte, error) {
	request := []byte(`{"operations":[`)
	var err error
	if len(tx.Pushes) > 0 {
		request = append(request, `{"type":"push","items":`...)
		if request, err = appendItems(request, tx.Pushes); err != nil {
			return nil, err
		}
		request = append(request, '}')
	}
	for i, a := range tx.Acks {
		if i > 0 || len(tx.Pushes) > 0 {
			request = append(request, ',')
		}
		entry, err := encode(struct {
			Type string `json:"type"`
			queen.Ack
		}{"ack", a})
		if err != nil {
			return nil, err
		}
		request = append(request, entry...)
	}
	ops := tx.KV
	if ops == nil {
		ops = []queen.KVOp{}
	}
	kv, err := encode(ops)
	if err != nil {
		return nil, err
	}
	request = append(request, `],"kv":`...)
	request = append(request, kv...)
	return append(request, '}'), nil
}

type txAnswer struct {
	precondition
	Success *bool
	Error   string
	Results []txEntry
}

// refusal is the error of a transaction that was answered 200 and not committed.
func (a txAnswer) refusal(tx queen.Transaction) error {
	refused := a.failed() || a.Success != nil && !*a.Success
	switch {
	case !refused:
		return nil
	case a.Reason == "duplicate":
		return &queen.DuplicateError{Detail: a.Error}
	case a.Reason == "kv_precondition":
		return a.err(len(tx.Pushes)+len(tx.Acks), len(tx.KV))
	}
	return &queen.BodyError{Reason: either(a.Reason, "not committed"), Detail: a.Error}
}

// txEntry is one result. Riders carry OpIndex, their place in their own list.
type txEntry struct {
	kvAnswer
	Type          string
	OpIndex       *int
	Success       *bool
	MessageID     string
	TransactionID string
	Queue         string `json:"queueName"`
	Duplicate     bool
	Offset        *int64
	Error         *string
	DLQ           bool
	Noop          bool
	LeaseReleased bool
}

// kind is push, ack, or the kind of a rider.
func (e txEntry) kind() string {
	if e.OpIndex == nil && e.Type != "ack" {
		return "push"
	}
	return e.Type
}

// demux tells the results of a committed transaction apart. The indices run
// through all of them in the order the entries were sent: push items, acks,
// riders.
func (c *Client) demux(results []txEntry, tx queen.Transaction) (queen.TransactionResult, error) {
	var out queen.TransactionResult
	pushes, acks := len(tx.Pushes), len(tx.Acks)
	entries, err := align(pushes+acks+len(tx.KV), results)
	if err != nil {
		return out, err
	}
	var kv []kvAnswer
	for i, e := range entries {
		want := "push"
		switch {
		case i >= pushes+acks:
			want = "kv"
		case i >= pushes:
			want = "ack"
		}
		if e.kind() != want || want == "kv" && (e.OpIndex == nil || *e.OpIndex != i-pushes-acks) {
			return out, &queen.BodyError{Reason: fmt.Sprintf("result %d of a transaction is not the %s of the request", i, want)}
		}
		if e.Success != nil && !*e.Success {
			return out, &queen.BodyError{Reason: fmt.Sprintf("result %d of a committed transaction failed", i)}
		}
		switch want {
		case "push":
			out.Pushes = append(out.Pushes, e.push(tx.Pushes[i].Queue))
		case "ack":
			out.Acks = append(out.Acks, queen.AckResult{
				TransactionID: e.TransactionID, Success: true, LeaseReleased: e.LeaseReleased, DLQ: e.DLQ, Noop: e.Noop,
			})
		default:
			kv = append(kv, e.kvAnswer)
		}
	}
	if len(kv) > 0 {
		out.KV = c.kvResults(kv)
	}
	return out, nil
}

func (e txEntry) push(queue string) queen.PushResult {
	r := queen.PushResult{
		MessageID: e.MessageID, TransactionID: e.TransactionID, Queue: either(e.Queue, queue),
		Status: queen.Queued, Offset: orUnknown(e.Offset),
	}
	if e.Duplicate {
		r.Status = queen.Duplicate
	}
	return r
}
