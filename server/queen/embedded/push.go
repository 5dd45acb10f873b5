package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// maxTransactionID is the longest transaction id in bytes.
const maxTransactionID = 65535

// Push implements queen.Broker. The whole request is checked before anything is
// stored. Payloads are kept byte for byte, white space around the value aside.
// An empty partition means DefaultPartition.
func (e *Engine) Push(ctx context.Context, _ queen.Token, items []queen.PushItem) ([]queen.PushResult, error) {
	if err := e.enter(ctx, ""); err != nil {
		return nil, err
	}
	defer e.leave()
	if err := checkPush(items); err != nil {
		return nil, err
	}
	results := make([]queen.PushResult, len(items))
	if len(items) == 0 {
		return results, nil
	}
	c := e.begin(scope{queues: pushQueues(items)})
	in := newIntake(c)
	for i := range items {
		results[i] = in.push(&items[i])
	}
	in.placeAll()
	return results, c.finish()
}

func pushQueues(items []queen.PushItem) []string {
	names := make([]string, 0, 1)
	for i := range items {
		if i == 0 || items[i].Queue != items[i-1].Queue {
			names = append(names, items[i].Queue)
		}
	}
	return names
}

// checkPush refuses what Queen refuses (queen-wire 6.1), and a queue name it
// would answer "buffered" and lose.
func checkPush(items []queen.PushItem) error {
	for i := range items {
		it := &items[i]
		switch {
		case it.Queue == "":
			return badBody("missing field `queue`")
		case it.Payload == nil:
			return badBody("missing field `payload`")
		case hasControl(it.Queue) || hasControl(it.Partition) || it.TransactionID != nil && hasControl(*it.TransactionID):
			return badBody("control characters are not allowed in queue, partition or transactionId")
		case it.TransactionID != nil && len(*it.TransactionID) > maxTransactionID:
			return badBody("transactionId of item %d exceeds the 65535-byte limit", i)
		case utf8.RuneCountInString(it.Queue) > maxQueueName:
			return badBody("queue of item %d exceeds the 255-character limit", i)
		case !json.Valid(it.Payload):
			return badBody("payload of item %d is not JSON", i)
		}
	}
	return nil
}

// trimJSON drops the white space around a JSON value.
func trimJSON(b []byte) []byte { return bytes.Trim(b, " \t\r\n") }

// intake appends messages for one command.
type intake struct {
	c *command
	// leaders are the items of this command by lane and transaction id: the later
	// of two equal ones follows the first, also without a dedup window.
	leaders map[laneTxn]original
	touched []*lane
}

type laneTxn struct {
	lane uint64
	key  uid
}

type original struct {
	id     uid
	offset int64
}

func newIntake(c *command) *intake { return &intake{c: c} }

// push stores one item or finds its original.
func (in *intake) push(it *queen.PushItem) queen.PushResult {
	q := in.c.queue(it.Queue)
	q.materialize(in.c, queen.ImplicitOptionsOf(q.name))
	l := q.lane(in.c, partitionOf(it.Partition))
	r := queen.PushResult{Queue: it.Queue, Status: queen.Queued}
	if it.TransactionID == nil {
		id := in.c.e.ids.next(in.c.now)
		r.Offset = in.append(l, id, id, "", trimJSON(it.Payload))
		r.MessageID = id.String()
		r.TransactionID = r.MessageID
		return r
	}
	r.TransactionID = *it.TransactionID
	key := laneTxn{l.num, txnKey(*it.TransactionID)}
	if first, ok := in.find(q, key); ok {
		in.lead(key, first)
		r.MessageID, r.Offset, r.Status = first.id.String(), first.offset, queen.Duplicate
		return r
	}
	id := in.c.e.ids.next(in.c.now)
	r.Offset = in.append(l, id, key.key, *it.TransactionID, trimJSON(it.Payload))
	r.MessageID = id.String()
	in.lead(key, original{id, r.Offset})
	return r
}

func partitionOf(name string) string {
	if name == "" {
		return queen.DefaultPartition
	}
	return name
}

// find answers the original of a transaction id: an item of this command, or one
// inside the queue's dedup window.
func (in *intake) find(q *queue, key laneTxn) (original, bool) {
	if first, ok := in.leaders[key]; ok {
		return first, true
	}
	return q.dedup.find(key, q.window(), in.c.now)
}

func (in *intake) lead(key laneTxn, first original) {
	if in.leaders == nil {
		in.leaders = map[laneTxn]original{}
	}
	if _, ok := in.leaders[key]; !ok {
		in.leaders[key] = first
	}
}

// append stores a message and answers its offset. An empty txn with key equal to
// id means that the message id is the transaction id.
func (in *intake) append(l *lane, id, key uid, txn string, payload []byte) int64 {
	c, q := in.c, l.queue
	off := l.next
	r := record{id: id, key: key, at: q.clock, body: c.e.bodies.admit(txn, payload)}
	if c.e.journal.db != nil {
		row, apart := messageRow(&r, txn, payload)
		c.set(messageKey(q.num, l.num, off), row)
		if apart {
			c.set(bodyKey(q.num, l.num, off), payload)
			l.apart = true
		}
	}
	if key != id && q.window() > 0 {
		q.dedup.add(dedupEntry{laneTxn{l.num, key}, id, off, r.at})
		c.set(dedupKey(q.num, r.at, l.num, off), dedupRow(key, id))
	}
	l.append(r)
	l.used = r.at
	if n := len(in.touched); n == 0 || in.touched[n-1] != l {
		in.touched = append(in.touched, l)
	}
	return off
}

// placeAll offers the lanes that grew to their consumers.
func (in *intake) placeAll() {
	for _, l := range in.touched {
		for _, cons := range l.consumers {
			cons.place(in.c.now)
		}
	}
}
