package embedded

import (
	"encoding/json"
	"time"
)

// DeadLetter is a natively dead-lettered message.
type DeadLetter struct {
	MessageID     string
	TransactionID string
	Partition     string
	PartitionID   string
	Group         string
	Payload       json.RawMessage
	Reason        string
	Offset        int64
	Attempts      int
	CreatedAt     time.Time
	FailedAt      time.Time
}

// deadLetters are a queue's natively dead-lettered messages, oldest first. Only
// acks of status failed or dlq make them.
type deadLetters struct {
	rows []DeadLetter
	last uint64
}

// deadLetter files a message of the lane.
func (q *queue) deadLetter(c *command, cons *consumer, off int64, reason string) {
	l := cons.lane
	if off < l.floor {
		return // retention was here first
	}
	r := l.at(off)
	b := r.body
	if b == nil {
		var err error
		if b, err = readBody(q.e.journal.db, q.num, l.num, off); err != nil {
			q.e.log.Error("a dead-lettered message cannot be read", "error", err)
			b = &body{payload: json.RawMessage("null")}
		}
	}
	d := DeadLetter{
		MessageID: r.id.String(), TransactionID: b.txn, Partition: l.name, PartitionID: l.id.String(),
		Group: cons.group.name, Payload: b.payload, Reason: reason, Offset: off, Attempts: int(cons.attempts),
		CreatedAt: instant(r.at), FailedAt: instant(c.now),
	}
	if r.id == r.key {
		d.TransactionID = d.MessageID
	}
	q.letters.last++
	q.letters.rows = append(q.letters.rows, d)
	c.set(deadKey(q.num, q.letters.last), d.row())
}

// row is a dead letter in the journal: its members, then the payload as it is.
func (d DeadLetter) row() []byte {
	payload := d.Payload
	d.Payload = nil
	members, err := json.Marshal(d)
	if err != nil {
		panic("embedded: a dead letter does not marshal: " + err.Error())
	}
	var w rowWriter
	w.text(string(members))
	w.rest(payload)
	return w
}

func readDeadLetter(row []byte) (d DeadLetter, err error) {
	in := rowReader{b: row}
	members := in.text()
	if in.err != nil {
		return d, in.err
	}
	err = json.Unmarshal([]byte(members), &d)
	d.Payload = append(json.RawMessage(nil), in.b...)
	return d, err
}
