package httpserver

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// farDelay bounds a delay before it becomes a duration; the engine refuses
// anything like it.
const farDelay = 100 * 365 * 24 * time.Hour

// ownedByServer are members a client cannot supply.
var ownedByServer = []string{"messageId", "message_id", "producerSub", "producer_sub", "tenant", "tenantId", "tenant_id",
	"deliverAt", "deliver_at", "delaySeconds", "attempts", "claimToken", "claim_token", "claimedUntil", "claimed_until"}

// timerFault is a refused timer operation; detail may be empty.
type timerFault struct{ reason, detail string }

func (f *timerFault) Error() string { return f.reason }

func badTimer(reason, detail string) answer {
	o := newObject(192)
	if detail != "" {
		o.text("detail", detail)
	}
	return answer{status: 400, body: o.text("error", "timers_bad_request").text("reason", reason).close()}
}

func (s *Server) timers(r *request) answer {
	d, err := parse(r.body)
	if err != nil {
		return badTimer("timers_bad_body", err.Error())
	}
	list, err := operations(d)
	if err != nil {
		return badTimer("timers_bad_body", err.Error())
	}
	ops := make([]queen.TimerOp, len(list))
	for i, d := range list {
		if ops[i], err = readTimerOp(i, d); err != nil {
			var f *timerFault
			if errors.As(err, &f) {
				return badTimer(f.reason, f.detail)
			}
			return badTimer("timers_bad_body", err.Error())
		}
	}
	results, err := s.engine.ScheduleTimers(r.ctx, "", ops)
	if err != nil {
		return failure(err, "timers_error")
	}
	o := newObject(32 + 256*len(results))
	o.list("results", len(results), func(out []byte, i int) []byte {
		return appendTimerResult(&object{out: append(out, '{')}, &results[i]).close()
	})
	return ok(o.close())
}

// readTimerOp reads an operation and refuses what a queen.TimerOp cannot say.
func readTimerOp(i int, d document) (op queen.TimerOp, err error) {
	at := func(reason, format string, args ...any) error {
		return &timerFault{reason, fmt.Sprintf("op at index %d", i) + fmt.Sprintf(format, args...)}
	}
	if !d.isObject() {
		return op, at("timers_bad_op", " is not an object")
	}
	f, err := d.fields()
	if err != nil {
		return op, err
	}
	for name := range f {
		if strings.HasPrefix(name, "_") {
			return op, at("timers_server_owned_field", ": `%s` is server-owned; underscore-prefixed fields are injected by the broker and cannot be supplied", name)
		}
	}
	word, _ := optional(f["op"])
	op.Op = queen.TimerVerb(word)
	for name, into := range map[string]*string{"queue": &op.Queue, "timerKey": &op.Key, "partition": &op.Partition, "txn": &op.Txn} {
		if d := f[name]; d.isString() {
			if *into, err = d.text(); err != nil {
				return op, err
			}
		}
	}
	if op.Op == queen.TimerSchedule || op.Op == queen.TimerReschedule {
		if err := readSchedule(&op, f, at); err != nil {
			return op, err
		}
	}
	for _, name := range ownedByServer {
		if f[name] != nil {
			return op, &timerFault{fmt.Sprintf("QTIMER op %d: field %s is server-owned and cannot be supplied", i, name),
				"producerSub and the tenant come from the authenticated request; the message id is minted by the broker; deliverAt is not expressible — the wire carries only the relative delayMs"}
		}
	}
	if d := f["partition"]; d.isString() && op.Partition == "" && op.Op != queen.TimerCancel {
		return op, &timerFault{fmt.Sprintf("QTIMER op %d: partition, when present, must be non-empty", i), ""}
	}
	return op, nil
}

func readSchedule(op *queen.TimerOp, f map[string]document, at func(reason, format string, args ...any) error) error {
	if op.Queue == "" {
		return at("timers_queue_required", ": queue is required")
	}
	delay, err := strconv.ParseFloat(string(f["delayMs"]), 64)
	if !f["delayMs"].isNumber() || err != nil {
		return at("timers_delay_required", ": delayMs (a number of milliseconds) is required; a delayMs in the past is LEGAL and fires on the first cycle")
	}
	most := float64(farDelay / time.Millisecond)
	op.Delay = time.Duration(min(max(delay, -most), most) * float64(time.Millisecond))
	if !f["payload"].isString() {
		return at("timers_payload_required", ": payload (base64) is required")
	}
	text, err := f["payload"].text()
	if err != nil {
		return err
	}
	// Go's decoder skips line breaks, which Queen's does not know.
	if strings.ContainsAny(text, "\r\n") {
		err = errors.New("line breaks are not allowed")
	} else {
		op.Payload, err = base64.StdEncoding.Strict().DecodeString(text)
	}
	if err != nil {
		return at("timers_payload_not_base64", ": payload is not valid base64: %s", err)
	}
	if op.Payload == nil {
		op.Payload = []byte{}
	}
	for _, name := range []string{"payloadZstd", "encrypted"} {
		if isTrue(f[name]) {
			return at("timers_payload_encoding", ": %s is not supported by this broker, send the payload as it is", name)
		}
	}
	return nil
}

// appendTimerResult writes a result without its place.
func appendTimerResult(o *object, v *queen.TimerResult) *object {
	if !v.DeliverAt.IsZero() {
		o.micros("deliverAt", v.DeliverAt)
	}
	if v.MessageID != "" {
		o.text("messageId", v.MessageID)
	}
	return o.bool("ok", v.OK).text("queue", v.Queue).text("status", string(v.Status)).text("timerKey", v.Key).textOrNull("txn", v.Txn)
}

func (s *Server) cancelTimer(r *request) answer {
	result, err := s.engine.CancelTimer(r.ctx, "", r.param(0), r.param(1), r.readQuery().text("txn"))
	if err != nil {
		return failure(err, "timers_error")
	}
	return ok(appendTimerResult(newObject(192), &result).close())
}

func appendTimerRow(o *object, t *queen.TimerRow) *object {
	o.text("queue", t.Queue).text("timerKey", t.Key).text("partition", t.Partition).micros("deliverAt", t.DeliverAt)
	o.text("txn", t.Txn).text("messageId", t.MessageID).bool("payloadZstd", false).bool("encrypted", false)
	o.raw("producerSub", "null").int("attempts", 0).raw("lastError", "null").bool("claimed", false)
	return o.micros("createdAt", t.CreatedAt).micros("updatedAt", t.UpdatedAt)
}

func (s *Server) peekTimer(r *request) answer {
	row, payload, found, err := s.engine.PeekTimer(r.ctx, r.param(0), r.param(1))
	if err != nil {
		return failure(err, "timers_error")
	}
	o := newObject(448+2*len(payload)).bool("found", found)
	if !found {
		return ok(o.text("queue", r.param(0)).text("timerKey", r.param(1)).close())
	}
	return ok(appendTimerRow(o, &row).text("payload", base64.StdEncoding.EncodeToString(payload)).close())
}

func (s *Server) listTimers(r *request) answer {
	q := r.readQuery()
	if q.text("mode") == "count" {
		return s.countTimers(r, q.text("prefix"))
	}
	page, err := s.engine.ListTimers(r.ctx, "", r.param(0), q.text("after"), int(q.lenient("limit", 100, 1, 1000)))
	if err != nil {
		return failure(err, "timers_error")
	}
	o := newObject(64 + 384*len(page.Rows))
	o.list("rows", len(page.Rows), func(out []byte, i int) []byte {
		return appendTimerRow(&object{out: append(out, '{')}, &page.Rows[i]).close()
	})
	return ok(o.bool("truncated", page.Truncated).textOrNull("nextAfter", page.NextAfter).close())
}

// countTimers is a later version's: 1.3.0 ignores the mode.
func (s *Server) countTimers(r *request, prefix string) answer {
	if prefix == "" || len(prefix) > 128 || strings.IndexByte(prefix, 0) >= 0 {
		return badTimer("timers_prefix_required", "mode=count needs a prefix of 1 to 128 bytes without NUL")
	}
	n, err := s.engine.CountTimers(r.ctx, "", r.param(0), prefix)
	if err != nil {
		return failure(err, "timers_error")
	}
	return ok(newObject(32).int("count", int64(n)).close())
}
