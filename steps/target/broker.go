package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// BackDoor is what a scenario does to the broker behind a target that
// ReachesBroker.
type BackDoor interface {
	// Fail makes the broker misbehave from now on:
	//
	//	"status 503", "status 429 5"  every call is answered so, with retry-after
	//	"silence"                     no call is answered
	//	"nonsense"                    every answer is unreadable
	//	"buffering"                   pushes are only buffered
	//	"rolling back"                no transaction is committed
	//	""                            it works again
	Fail(how string) error
	// PushNative appends a payload that no gateway made.
	PushNative(ctx context.Context, queue, lane, payload string) error
	// MakeNative makes a queue that no gateway knows.
	MakeNative(ctx context.Context, queue string) error
}

// broker is a broker that can be made to misbehave.
type broker struct {
	queen.Broker
	failure   atomic.Pointer[error]
	buffering atomic.Bool
	rolling   atomic.Bool
}

var errSilent = &queen.TransportError{Err: errors.New("the scenario says so")}

// Fail implements BackDoor.
func (b *broker) Fail(how string) error {
	var failure error
	switch kind, rest, _ := strings.Cut(how, " "); kind {
	case "", "buffering", "rolling":
	case "silence":
		failure = errSilent
	case "nonsense":
		failure = &queen.BodyError{Reason: "the scenario says so"}
	case "status":
		code, wait, _ := strings.Cut(rest, " ")
		status, err := strconv.Atoi(code)
		if err != nil {
			return err
		}
		answer := &queen.StatusError{Code: status, Body: "text of the broker"}
		if seconds, err := strconv.Atoi(wait); err == nil {
			answer.RetryAfter, answer.HasRetryAfter = time.Duration(seconds)*time.Second, true
		}
		failure = answer
	default:
		return fmt.Errorf("the broker cannot fail by %q", how)
	}
	b.failure.Store(&failure)
	b.buffering.Store(how == "buffering")
	b.rolling.Store(how == "rolling back")
	return nil
}

// PushNative implements BackDoor.
func (b *broker) PushNative(ctx context.Context, queue, lane, payload string) error {
	results, err := b.Broker.Push(ctx, "", []queen.PushItem{{Queue: queue, Partition: lane, Payload: json.RawMessage(payload)}})
	if err == nil && results[0].Status != queen.Queued {
		err = fmt.Errorf("the push was answered %q", results[0].Status)
	}
	return err
}

// MakeNative implements BackDoor.
func (b *broker) MakeNative(ctx context.Context, queue string) error {
	_, err := b.Broker.Configure(ctx, "", queue, queen.Options{})
	return err
}

func (b *broker) broken() error {
	if failure := b.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}

// orFail makes the call, unless the broker is broken.
func orFail[T any](b *broker, call func() (T, error)) (T, error) {
	if err := b.broken(); err != nil {
		var none T
		return none, err
	}
	return call()
}

// The broker's verbs.

func (b *broker) Configure(ctx context.Context, tok queen.Token, queue string, opts queen.Options) (queen.Options, error) {
	return orFail(b, func() (queen.Options, error) { return b.Broker.Configure(ctx, tok, queue, opts) })
}

func (b *broker) DeleteQueue(ctx context.Context, tok queen.Token, queue string) (bool, error) {
	return orFail(b, func() (bool, error) { return b.Broker.DeleteQueue(ctx, tok, queue) })
}

func (b *broker) ListQueues(ctx context.Context, tok queen.Token) ([]queen.QueueInfo, error) {
	return orFail(b, func() ([]queen.QueueInfo, error) { return b.Broker.ListQueues(ctx, tok) })
}

func (b *broker) Depth(ctx context.Context, tok queen.Token, queue, group string) (queen.Depth, error) {
	return orFail(b, func() (queen.Depth, error) { return b.Broker.Depth(ctx, tok, queue, group) })
}

func (b *broker) Push(ctx context.Context, tok queen.Token, items []queen.PushItem) ([]queen.PushResult, error) {
	if b.buffering.Load() {
		results := make([]queen.PushResult, len(items))
		for i := range results {
			results[i] = queen.PushResult{Status: queen.Buffered, Offset: queen.Unknown}
		}
		return results, nil
	}
	return orFail(b, func() ([]queen.PushResult, error) { return b.Broker.Push(ctx, tok, items) })
}

func (b *broker) Pop(ctx context.Context, tok queen.Token, req queen.PopRequest) (queen.PopResult, error) {
	return orFail(b, func() (queen.PopResult, error) { return b.Broker.Pop(ctx, tok, req) })
}

func (b *broker) Ack(ctx context.Context, tok queen.Token, group string, acks []queen.Ack) ([]queen.AckResult, error) {
	return orFail(b, func() ([]queen.AckResult, error) { return b.Broker.Ack(ctx, tok, group, acks) })
}

func (b *broker) ExtendLease(ctx context.Context, tok queen.Token, leaseID string, seconds int) (queen.Lease, error) {
	return orFail(b, func() (queen.Lease, error) { return b.Broker.ExtendLease(ctx, tok, leaseID, seconds) })
}

func (b *broker) KV(ctx context.Context, tok queen.Token, ops []queen.KVOp) ([]queen.KVResult, error) {
	return orFail(b, func() ([]queen.KVResult, error) { return b.Broker.KV(ctx, tok, ops) })
}

func (b *broker) ScheduleTimers(ctx context.Context, tok queen.Token, ops []queen.TimerOp) ([]queen.TimerResult, error) {
	return orFail(b, func() ([]queen.TimerResult, error) { return b.Broker.ScheduleTimers(ctx, tok, ops) })
}

func (b *broker) ListTimers(ctx context.Context, tok queen.Token, queue, after string, limit int) (queen.TimerPage, error) {
	return orFail(b, func() (queen.TimerPage, error) { return b.Broker.ListTimers(ctx, tok, queue, after, limit) })
}

func (b *broker) CountTimers(ctx context.Context, tok queen.Token, queue, prefix string) (int, error) {
	return orFail(b, func() (int, error) { return b.Broker.CountTimers(ctx, tok, queue, prefix) })
}

func (b *broker) CancelTimer(ctx context.Context, tok queen.Token, queue, key, txn string) (queen.TimerResult, error) {
	return orFail(b, func() (queen.TimerResult, error) { return b.Broker.CancelTimer(ctx, tok, queue, key, txn) })
}

func (b *broker) Transaction(ctx context.Context, tok queen.Token, tx queen.Transaction) (queen.TransactionResult, error) {
	if b.rolling.Load() {
		return queen.TransactionResult{}, errSilent
	}
	return orFail(b, func() (queen.TransactionResult, error) { return b.Broker.Transaction(ctx, tok, tx) })
}
