package embedded

import (
	"encoding/json"
	"strings"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// firePerCommit bounds the timers one commit delivers.
const firePerCommit = 256

// fire delivers every timer that is due. Each is pushed and removed in the same
// commit, so it is delivered exactly once. The push does not pass through the
// dedup window but is remembered by it (queen-wire 9.6).
func (e *Engine) fire() {
	for e.fireSome() {
	}
}

// fireSome delivers one commit's worth and reports whether more are due.
func (e *Engine) fireSome() (more bool) {
	names := e.dueQueues()
	c := e.begin(scope{queues: names, timers: true})
	stop(&e.timers.alarm)
	in := newIntake(c)
	for n := 0; len(e.timers.due) > 0 && e.timers.due[0].deliverAt <= c.now; n++ {
		t := e.timers.due[0]
		if more = n == firePerCommit || !c.has(t.queue); more {
			break
		}
		e.deliver(c, in, t)
	}
	in.placeAll()
	if err := c.finish(); err != nil {
		e.log.Error("firing timers", "error", err)
		return false
	}
	return more
}

// dueQueues names the queues of the timers that are due, in due order and at most
// a commit's worth.
func (e *Engine) dueQueues() (names []string) {
	s := &e.timers
	s.mu.Lock()
	defer s.mu.Unlock()
	now := e.micros()
	var visit func(i int)
	visit = func(i int) {
		if i >= len(s.due) || s.due[i].deliverAt > now || len(names) >= firePerCommit {
			return
		}
		names = append(names, s.due[i].queue)
		visit(2*i + 1)
		visit(2*i + 2)
	}
	visit(0)
	return names
}

// deliver turns a timer into a message.
func (e *Engine) deliver(c *command, in *intake, t *timer) {
	payload, err := t.body(e)
	if err != nil {
		e.log.Error("a timer's payload cannot be read", "error", err)
		payload = []byte("null")
	}
	q := c.queue(t.queue)
	q.materialize(c, queen.ImplicitOptionsOf(q.name))
	in.append(q.lane(c, t.partition), t.id, txnKey(t.txn), t.txn, deliverable(payload))
	e.timers.remove(e, t)
	c.delete(timerKey(t.queue, t.key))
}

// deliverable makes JSON of a timer's payload: as it is when it is JSON, null
// when it is empty, else a string of its text.
func deliverable(payload []byte) []byte {
	if len(payload) == 0 {
		return []byte("null")
	}
	if json.Valid(payload) {
		return payload
	}
	return jsonText(strings.ToValidUTF8(string(payload), "\ufffd"))
}
