package httpclient

import (
	"context"
	"fmt"
	"net/http"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// Transaction is one call: at most one push entry with all items, one entry for
// each ack, and the riders beside them: KV operations, and timers when there are
// any.
func (c *Client) Transaction(ctx context.Context, tok queen.Token, tx queen.Transaction) (queen.TransactionResult, error) {
	request, err := c.transactionRequest(tx)
	if err != nil {
		return queen.TransactionResult{}, err
	}
	body, err := c.do(ctx, call{method: http.MethodPost, path: "/api/v1/transaction", body: request, token: tok})
	if len(tx.KV)+len(tx.Timers) > 0 {
		c.budgets.spent(true, err)
	}
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

func (c *Client) transactionRequest(tx queen.Transaction) ([]byte, error) {
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
	if len(tx.Timers) > 0 {
		timers, err := c.encodeTimers(tx.Timers)
		if err != nil {
			return nil, err
		}
		request = append(request, `,"timers":`...)
		request = append(request, timers...)
	}
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

	// A timer's own members.
	OK         bool
	Status     queen.TimerStatus
	TimerQueue string `json:"queue"`
	TimerKey   string
	Txn        string
	DeliverAt  string
}

// kind is push, ack, or the kind of a rider: kv or timer.
func (e txEntry) kind() string {
	switch {
	case e.OpIndex == nil && e.Type == "ack":
		return "ack"
	case e.OpIndex == nil:
		return "push"
	case e.Type == "ack":
		return ""
	}
	return e.Type
}

// demux tells the results of a committed transaction apart. The indices run
// through all of them in the order the entries were sent: push items, acks,
// riders.
func (c *Client) demux(results []txEntry, tx queen.Transaction) (queen.TransactionResult, error) {
	var out queen.TransactionResult
	var kv []kvAnswer
	var timers []timerAnswer
	entries, err := align(len(tx.Pushes)+len(tx.Acks)+len(tx.KV)+len(tx.Timers), results)
	if err != nil {
		return out, err
	}
	for i, e := range entries {
		want, slot := kindAt(i, tx)
		if e.kind() != want || e.OpIndex != nil && *e.OpIndex != slot {
			return out, &queen.BodyError{Reason: fmt.Sprintf("result %d of a transaction is not the %s of the request", i, want)}
		}
		if e.Success != nil && !*e.Success {
			return out, &queen.BodyError{Reason: fmt.Sprintf("result %d of a committed transaction failed", i)}
		}
		switch want {
		case "push":
			out.Pushes = append(out.Pushes, e.push(tx.Pushes[slot].Queue))
		case "ack":
			out.Acks = append(out.Acks, queen.AckResult{
				TransactionID: e.TransactionID, Success: true, LeaseReleased: e.LeaseReleased, DLQ: e.DLQ, Noop: e.Noop,
			})
		case "kv":
			kv = append(kv, e.kvAnswer)
		case "timer":
			timers = append(timers, timerAnswer{
				OK: e.OK, Status: e.Status, Queue: e.TimerQueue, Key: e.TimerKey, Txn: e.Txn, MessageID: e.MessageID, DeliverAt: e.DeliverAt,
			})
		}
	}
	if len(kv) > 0 {
		out.KV = c.kvResults(kv)
	}
	if len(timers) > 0 {
		out.Timers, err = c.timerResults(timers, tx.Timers)
	}
	return out, err
}

// kindAt is what the result number i must be, and its place among those of its
// kind.
func kindAt(i int, tx queen.Transaction) (kind string, slot int) {
	for _, k := range []struct {
		kind string
		n    int
	}{{"push", len(tx.Pushes)}, {"ack", len(tx.Acks)}, {"kv", len(tx.KV)}, {"timer", len(tx.Timers)}} {
		if i < k.n {
			return k.kind, i
		}
		i -= k.n
	}
	return "", i
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
