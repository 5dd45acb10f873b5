package httpclient

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// Push sends every item in one call. A Buffered verdict is passed on as it is:
// the item may still be lost.
func (c *Client) Push(ctx context.Context, tok queen.Token, items []queen.PushItem) ([]queen.PushResult, error) {
	if len(items) == 0 {
		return nil, nil
	}
	request, err := appendItems([]byte(`{"items":`), items)
	if err != nil {
		return nil, err
	}
	request = append(request, '}')
	body, err := c.do(ctx, call{method: http.MethodPost, path: "/api/v1/push", body: request, token: tok})
	if err != nil {
		return nil, err
	}
	var answer []pushAnswer
	if err := decode(body, &answer); err != nil {
		return nil, err
	}
	if answer, err = align(len(items), answer); err != nil {
		return nil, err
	}
	results := make([]queen.PushResult, len(items))
	for i, a := range answer {
		results[i] = a.result(items[i].Queue)
		if a.Offset != nil {
			c.broker.sawOffset.Store(true)
		}
	}
	return results, nil
}

// appendItems writes push items by hand, because a payload must arrive with
// every byte it has and an encoder would take its white space out.
func appendItems(dst []byte, items []queen.PushItem) ([]byte, error) {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		// What is no JSON would change what the request means. A payload that is
		// left out is the broker's to judge.
		if len(item.Payload) > 0 && !json.Valid(item.Payload) {
			return nil, badRequest("the payload is no JSON")
		}
		names := struct {
			Queue     string `json:"queue"`
			Partition string `json:"partition,omitempty"`
		}{item.Queue, item.Partition}
		head, err := encode(names)
		if err != nil {
			return nil, err
		}
		dst = append(dst, head[:len(head)-1]...)
		if len(item.Payload) > 0 {
			dst = append(dst, `,"payload":`...)
			dst = append(dst, item.Payload...)
		}
		if item.TransactionID != nil {
			txn, err := encode(*item.TransactionID)
			if err != nil {
				return nil, err
			}
			dst = append(dst, `,"transactionId":`...)
			dst = append(dst, txn...)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}

// pushAnswer is the verdict on one item, in the spelling of push answers and in
// that of everything else.
type pushAnswer struct {
	indexed
	MessageID      string `json:"message_id"`
	MessageID2     string `json:"messageId"`
	TransactionID  string `json:"transaction_id"`
	TransactionID2 string `json:"transactionId"`
	Queue          string `json:"queueName"`
	Status         queen.PushStatus
	Offset         *int64
}

func (a pushAnswer) result(queue string) queen.PushResult {
	r := queen.PushResult{
		MessageID:     either(a.MessageID, a.MessageID2),
		TransactionID: either(a.TransactionID, a.TransactionID2),
		Queue:         either(a.Queue, queue),
		Status:        a.Status,
		Offset:        orUnknown(a.Offset),
	}
	written := r.Status == "" || r.Status == queen.Queued || r.Status == queen.Duplicate || r.Status == queen.Buffered
	switch {
	case written && r.MessageID == "":
		// A verdict that names no message has not written one.
		r.Status = queen.PushError
	case r.Status == "":
		r.Status = queen.Queued
	}
	return r
}

// Ack sends one call for all acks. Only their own group argument counts here,
// Ack.Group belongs to transactions.
func (c *Client) Ack(ctx context.Context, tok queen.Token, group string, acks []queen.Ack) ([]queen.AckResult, error) {
	if len(acks) == 0 {
		return nil, nil
	}
	path, request, err := ackRequest(group, acks)
	if err != nil {
		return nil, err
	}
	body, err := c.do(ctx, call{method: http.MethodPost, path: path, body: request, token: tok})
	if err != nil {
		return nil, err
	}
	var answer []ackAnswer
	if err := decode(body, &answer); err != nil {
		return nil, err
	}
	if answer, err = align(len(acks), answer); err != nil {
		return nil, err
	}
	results := make([]queen.AckResult, len(acks))
	for i, a := range answer {
		results[i] = a.result()
	}
	return results, nil
}

func ackRequest(group string, acks []queen.Ack) (path string, request []byte, err error) {
	if len(acks) == 1 {
		single := acks[0]
		single.Group = group
		request, err = encode(single)
		return "/api/v1/ack", request, err
	}
	all := make([]queen.Ack, len(acks))
	for i, a := range acks {
		all[i], all[i].Group = a, ""
	}
	request, err = encode(struct {
		Acks  []queen.Ack `json:"acknowledgments"`
		Group string      `json:"consumerGroup,omitempty"`
	}{all, group})
	return "/api/v1/ack/batch", request, err
}

type ackAnswer struct {
	indexed
	TransactionID string
	Success       bool
	Error         *string
	LeaseReleased bool
	DLQ           bool
	Noop          bool
}

func (a ackAnswer) result() queen.AckResult {
	r := queen.AckResult{
		TransactionID: a.TransactionID, Success: a.Success,
		LeaseReleased: a.LeaseReleased, DLQ: a.DLQ, Noop: a.Noop,
	}
	if a.Success {
		return r
	}
	r.Error = "refused without a reason"
	if a.Error != nil && *a.Error != "" {
		r.Error = *a.Error
	}
	return r
}

// ExtendLease is one call.
func (c *Client) ExtendLease(ctx context.Context, tok queen.Token, leaseID string, seconds int) (queen.Lease, error) {
	request, err := encode(struct {
		Seconds int `json:"seconds"`
	}{seconds})
	if err != nil {
		return queen.Lease{}, err
	}
	body, err := c.do(ctx, call{method: http.MethodPost, path: "/api/v1/lease/" + escape(leaseID) + "/extend", body: request, token: tok})
	if err != nil {
		return queen.Lease{}, err
	}
	var answer struct {
		Renewed      int
		NewExpiresAt string
		ExpiresAt    string
	}
	if err := decode(body, &answer); err != nil {
		return queen.Lease{}, err
	}
	if answer.Renewed == 0 {
		return queen.Lease{}, nil
	}
	return queen.Lease{Renewed: answer.Renewed, ExpiresAt: c.zone.utc(either(answer.NewExpiresAt, answer.ExpiresAt))}, nil
}
