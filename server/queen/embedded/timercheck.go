package embedded

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// The limits of queen-wire 9.1.
const (
	maxTimerOps     = 256
	maxTimerPayload = 1 << 20
	maxTimerDelay   = 90 * 24 * time.Hour
)

func badTimer(reason, detail string) error {
	if detail == "" {
		return refusal(400, field{"error", "timers_bad_request"}, field{"reason", reason})
	}
	return refusal(400, field{"detail", detail}, field{"error", "timers_bad_request"}, field{"reason", reason})
}

// checkTimers refuses a call before anything of it runs.
func checkTimers(ops []queen.TimerOp) error {
	if len(ops) > maxTimerOps {
		return badTimer("timers_too_many_ops", fmt.Sprintf("%d ops in one call, the ceiling is %d", len(ops), maxTimerOps))
	}
	type name struct{ queue, key string }
	seen := map[name]bool{}
	for i := range ops {
		if err := checkTimer(i, &ops[i]); err != nil {
			return err
		}
		n := name{ops[i].Queue, ops[i].Key}
		if seen[n] {
			return badTimer("QTIMER a (queue, timerKey) appears more than once in one call",
				"one key at most once per call is what makes the intra-space lock order total (PLAN_KV_TIMERS §2.2)")
		}
		seen[n] = true
	}
	return nil
}

func checkTimer(i int, op *queen.TimerOp) error {
	at := func(format string, args ...any) string {
		return fmt.Sprintf("op at index %d: ", i) + fmt.Sprintf(format, args...)
	}
	switch op.Op {
	case queen.TimerSchedule, queen.TimerReschedule, queen.TimerCancel:
	default:
		return badTimer(fmt.Sprintf("QTIMER op %d: unknown operation", i), "")
	}
	if op.Queue == "" {
		return badTimer("timers_queue_required", at("queue is required"))
	}
	if op.Key == "" {
		return badTimer(fmt.Sprintf("QTIMER op %d: timerKey is required", i), "")
	}
	if op.Op == queen.TimerCancel {
		return nil
	}
	switch {
	case op.Txn == "":
		return badTimer(fmt.Sprintf("QTIMER op %d: txn is required", i), "")
	case op.Payload == nil:
		return badTimer("timers_payload_required", at("payload (base64) is required"))
	case len(op.Payload) > maxTimerPayload:
		return refusal(413, field{"detail", at("payload is %d bytes, the ceiling is %d", len(op.Payload), maxTimerPayload)},
			field{"error", "payload_too_large"}, field{"reason", "timers_payload_too_large"})
	case op.Delay > maxTimerDelay:
		return refusal(403, field{"detail", at("delayMs %d is beyond the %d ms horizon in force here",
			op.Delay.Milliseconds(), maxTimerDelay.Milliseconds())},
			field{"error", "timer_horizon_exceeded"}, field{"reason", "timers_horizon"})
	// Queen takes these and can never deliver them; they are refused instead.
	case utf8.RuneCountInString(op.Queue) > maxQueueName:
		return badTimer("timers_bad_queue", at("queue exceeds the 255-character limit"))
	case len(op.Txn) > maxTransactionID:
		return badTimer("timers_bad_txn", at("txn exceeds the 65535-byte limit"))
	case hasControl(op.Queue) || hasControl(op.Partition) || hasControl(op.Txn):
		return badTimer("timers_bad_name", at("control characters are not allowed in queue, partition or txn"))
	}
	return nil
}
