package httpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// maxPark is the longest wait that is asked of the broker in one call. 1.x
// clients keep to it and 2.x allows 60 seconds.
const maxPark = 30 * time.Second

// Pop is one call, or one for each thirty seconds of a longer wait. When the
// context ends, the connection is closed, and the broker drops the parked
// request without claiming anything.
//
// A wildcard pop that finds nothing is believed only while the broker has its
// database: 1.x answers one as if the queue were empty when it has not. That is
// a *queen.StatusError with code 503.
func (c *Client) Pop(ctx context.Context, tok queen.Token, req queen.PopRequest) (queen.PopResult, error) {
	for wait := max(req.Wait, 0); ; wait -= maxPark {
		result, err := c.pop(ctx, tok, req, min(wait, maxPark))
		if err != nil || len(result.Messages) > 0 {
			return result, err
		}
		if req.Lane == nil && c.broker.mayPretendEmpty() {
			if err := c.empties.doubt(ctx); err != nil {
				return queen.PopResult{}, err
			}
		}
		if wait <= maxPark {
			return queen.PopResult{}, nil
		}
	}
}

func (c *Client) pop(ctx context.Context, tok queen.Token, req queen.PopRequest, wait time.Duration) (queen.PopResult, error) {
	k := call{method: http.MethodGet, token: tok, once: true}
	if wait > 0 {
		left, free, err := c.park(ctx, wait)
		if err != nil {
			return queen.PopResult{}, err
		}
		defer free()
		wait = left
	}
	if wait > 0 {
		k.via, k.timeout = c.parked, c.timeout+wait
	}
	k.path = popPath(req, wait)
	body, err := c.do(ctx, k)
	if err != nil {
		return queen.PopResult{}, err
	}
	// 204 has no body; neither has an empty answer of any other spelling.
	if len(bytes.TrimSpace(body)) == 0 {
		return queen.PopResult{}, nil
	}
	var answer popAnswer
	if err := decode(body, &answer); err != nil {
		return queen.PopResult{}, err
	}
	return c.popResult(answer)
}

// park takes one of the places for pops that wait at the broker. Waiting for the
// place is part of the wait: what is left of it is answered, 0 when it is over.
func (c *Client) park(ctx context.Context, wait time.Duration) (left time.Duration, free func(), err error) {
	free = func() { <-c.slots }
	select {
	case c.slots <- struct{}{}:
		return wait, free, nil
	default:
	}
	begun := time.Now()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case c.slots <- struct{}{}:
		return max(wait-time.Since(begun), 0), free, nil
	case <-timer.C:
		return 0, func() {}, nil
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	}
}

func popPath(req queen.PopRequest, wait time.Duration) string {
	path := "/api/v1/pop/queue/" + escape(req.Queue)
	if req.Lane != nil {
		path += "/partition/" + escape(*req.Lane)
	}
	path += "?batch=" + strconv.Itoa(max(req.Batch, 1)) +
		"&partitions=" + strconv.Itoa(max(req.Partitions, 1)) +
		"&wait=" + strconv.FormatBool(wait > 0)
	if req.LeaseSeconds > 0 {
		path += "&leaseSeconds=" + strconv.Itoa(req.LeaseSeconds)
	}
	if wait > 0 {
		path += "&timeout=" + strconv.FormatInt(max(wait.Milliseconds(), 1), 10)
	}
	if req.Group != "" {
		path += "&consumerGroup=" + escape(req.Group)
	}
	return path
}

type popAnswer struct {
	Success           *bool
	Error             json.RawMessage
	Partition         string
	PartitionID       string
	LeaseID           string
	PartitionsClaimed int
	Messages          []struct {
		ID              string
		TransactionID   *string
		Data            json.RawMessage
		CreatedAt       string
		Partition       *string
		PartitionID     string
		LeaseID         string
		DeliveryAttempt *int
		Offset          *int64
	}
}

func (c *Client) popResult(answer popAnswer) (queen.PopResult, error) {
	if answer.Success != nil && !*answer.Success {
		return queen.PopResult{}, &queen.BodyError{Reason: "pop refused", Detail: string(answer.Error)}
	}
	if len(answer.Messages) == 0 {
		return queen.PopResult{}, nil
	}
	result := queen.PopResult{
		LeaseID:           answer.LeaseID,
		PartitionsClaimed: answer.PartitionsClaimed,
		Messages:          make([]queen.Message, len(answer.Messages)),
	}
	for i, m := range answer.Messages {
		msg := queen.Message{
			ID:            m.ID,
			TransactionID: m.ID,
			Partition:     answer.Partition,
			PartitionID:   either(m.PartitionID, answer.PartitionID),
			LeaseID:       either(m.LeaseID, answer.LeaseID),
			Payload:       m.Data,
			CreatedAt:     c.zone.message(m.CreatedAt, m.ID),
			Offset:        orUnknown(m.Offset),
		}
		if m.TransactionID != nil {
			msg.TransactionID = *m.TransactionID
		}
		if m.Partition != nil {
			msg.Partition = *m.Partition
		}
		if m.DeliveryAttempt != nil {
			msg.Attempt = *m.DeliveryAttempt
			c.broker.sawAttempt.Store(true)
		}
		if m.Offset != nil {
			c.broker.sawOffset.Store(true)
		}
		if msg.ID == "" || msg.PartitionID == "" || msg.LeaseID == "" {
			return queen.PopResult{}, &queen.BodyError{Reason: "a message without id, partition id or lease id"}
		}
		result.Messages[i] = msg
	}
	return result, nil
}
