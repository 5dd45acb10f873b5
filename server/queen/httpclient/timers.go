package httpclient

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

type timerOp struct {
	Op        queen.TimerVerb `json:"op"`
	Queue     string          `json:"queue"`
	Key       string          `json:"timerKey"`
	Partition string          `json:"partition,omitempty"`
	DelayMs   *int64          `json:"delayMs,omitempty"`
	Txn       string          `json:"txn,omitempty"`
	Payload   *string         `json:"payload,omitempty"`
}

// encodeTimers writes timer operations as a JSON array. A payload that is no JSON
// is refused here unless the broker is known to quote it: 1.3.0 takes it, and the
// pop that claims it cannot be read, nor any other message of that claim.
func (c *Client) encodeTimers(ops []queen.TimerOp) ([]byte, error) {
	wire := make([]timerOp, len(ops))
	for i, op := range ops {
		wire[i] = timerOp{Op: op.Op, Queue: op.Queue, Key: op.Key, Txn: op.Txn}
		if op.Op == queen.TimerCancel {
			continue
		}
		if len(op.Payload) > 0 && !json.Valid(op.Payload) && !c.broker.quotesText() {
			return nil, badRequest(fmt.Sprintf("the payload of timer operation %d is no JSON", i))
		}
		// Rounded up: a timer is never early.
		ms := int64((op.Delay + time.Millisecond - 1) / time.Millisecond)
		wire[i].Partition, wire[i].DelayMs = op.Partition, &ms
		if op.Payload != nil {
			text := base64.StdEncoding.EncodeToString(op.Payload)
			wire[i].Payload = &text
		}
	}
	return encode(wire)
}

// ScheduleTimers is one call.
func (c *Client) ScheduleTimers(ctx context.Context, tok queen.Token, ops []queen.TimerOp) ([]queen.TimerResult, error) {
	if len(ops) == 0 {
		return nil, nil
	}
	list, err := c.encodeTimers(ops)
	if err != nil {
		return nil, err
	}
	request := append([]byte(`{"operations":`), list...)
	request = append(request, '}')
	body, err := c.do(ctx, call{method: http.MethodPost, path: "/api/v1/timers", body: request, token: tok})
	c.budgets.spent(true, err)
	if err != nil {
		return nil, err
	}
	var answer struct{ Results []timerAnswer }
	if err := decode(body, &answer); err != nil {
		return nil, err
	}
	return c.timerResults(answer.Results, ops)
}

// timerResults matches answers with operations. Timer answers carry no index:
// they are in the order of the request, and each names its timer.
func (c *Client) timerResults(answers []timerAnswer, ops []queen.TimerOp) ([]queen.TimerResult, error) {
	if len(answers) != len(ops) {
		return nil, &queen.BodyError{Reason: fmt.Sprintf("%d results for a request of %d", len(answers), len(ops))}
	}
	results := make([]queen.TimerResult, len(ops))
	for i, a := range answers {
		if a.Queue != ops[i].Queue || a.Key != ops[i].Key {
			return nil, &queen.BodyError{Reason: fmt.Sprintf("result %d is of another timer", i)}
		}
		results[i] = c.timerResult(a)
	}
	return results, nil
}

type timerAnswer struct {
	OK        bool
	Status    queen.TimerStatus
	Queue     string
	Key       string `json:"timerKey"`
	Txn       string
	MessageID string
	DeliverAt string
}

func (c *Client) timerResult(a timerAnswer) queen.TimerResult {
	return queen.TimerResult{
		OK: a.OK, Status: a.Status, Queue: a.Queue, Key: a.Key, Txn: a.Txn,
		MessageID: a.MessageID, DeliverAt: c.zone.utc(a.DeliverAt),
	}
}

// ListTimers is one call.
func (c *Client) ListTimers(ctx context.Context, tok queen.Token, queue, after string, limit int) (queen.TimerPage, error) {
	if limit == 0 {
		limit = 100
	}
	answer, err := c.timers(ctx, tok, queue, "limit="+strconv.Itoa(limit)+afterQuery(after))
	if err != nil {
		return queen.TimerPage{}, err
	}
	page := queen.TimerPage{Truncated: answer.Truncated, NextAfter: answer.NextAfter, Rows: make([]queen.TimerRow, 0, len(answer.Rows))}
	for _, r := range answer.Rows {
		page.Rows = append(page.Rows, queen.TimerRow{
			Queue: r.Queue, Key: r.Key, Partition: r.Partition, Txn: r.Txn, MessageID: r.MessageID,
			DeliverAt: c.zone.utc(r.DeliverAt), CreatedAt: c.zone.utc(r.CreatedAt), UpdatedAt: c.zone.utc(r.UpdatedAt),
		})
	}
	return page, nil
}

// CountTimers is one call, or on a broker that answers the list instead of the
// count (1.3.0) one for each thousand timers.
func (c *Client) CountTimers(ctx context.Context, tok queen.Token, queue, prefix string) (int, error) {
	if len(prefix) < 1 || len(prefix) > 128 {
		return 0, badRequest("the prefix of a timer count has 1 to 128 bytes")
	}
	answer, err := c.timers(ctx, tok, queue, "mode=count&prefix="+escape(prefix))
	if err != nil {
		return 0, err
	}
	if answer.Count != nil {
		return *answer.Count, nil
	}
	count := 0
	for {
		if answer.Rows == nil {
			return 0, &queen.BodyError{Reason: "neither a count nor a list of timers"}
		}
		for _, r := range answer.Rows {
			switch {
			case strings.HasPrefix(r.Key, prefix):
				count++
			case r.Key > prefix:
				// The keys come in byte order: no more of them has the prefix.
				return count, nil
			}
		}
		if !answer.Truncated || answer.NextAfter == "" {
			return count, nil
		}
		if answer, err = c.timers(ctx, tok, queue, "limit=1000"+afterQuery(answer.NextAfter)); err != nil {
			return 0, err
		}
	}
}

// timersAnswer is a list of timers, or their count.
type timersAnswer struct {
	Count *int
	Rows  []struct {
		Queue     string
		Key       string `json:"timerKey"`
		Partition string
		Txn       string
		MessageID string
		DeliverAt string
		CreatedAt string
		UpdatedAt string
	}
	Truncated bool
	NextAfter string
}

func (c *Client) timers(ctx context.Context, tok queen.Token, queue, query string) (timersAnswer, error) {
	var answer timersAnswer
	body, err := c.do(ctx, call{method: http.MethodGet, path: "/api/v1/timers/" + escape(queue) + "?" + query, token: tok})
	if err != nil {
		return answer, err
	}
	return answer, decode(body, &answer)
}

func afterQuery(after string) string {
	if after == "" {
		return ""
	}
	return "&after=" + escape(after)
}

// CancelTimer is one call.
func (c *Client) CancelTimer(ctx context.Context, tok queen.Token, queue, key, txn string) (queen.TimerResult, error) {
	path := "/api/v1/timers/" + escape(queue) + "/" + escape(key)
	if txn != "" {
		path += "?txn=" + escape(txn)
	}
	body, err := c.do(ctx, call{method: http.MethodDelete, path: path, token: tok})
	if err != nil {
		return queen.TimerResult{}, err
	}
	var answer timerAnswer
	if err := decode(body, &answer); err != nil {
		return queen.TimerResult{}, err
	}
	if answer.Status == "" {
		return queen.TimerResult{}, &queen.BodyError{Reason: "a cancel without a status", Detail: string(body)}
	}
	return c.timerResult(answer), nil
}
