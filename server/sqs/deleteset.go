package sqs

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/queen-mq/queen-sqs/server/registry"
)

// deleteSet is the record of one claim.
type deleteSet struct {
	// Transactions and Messages are the members in delivery order: what an ack
	// names them by, and their ids.
	Transactions []string `json:"m"`
	Messages     []string `json:"i"`
	// Deleted are message ids, not deduplication ids: those can repeat.
	Deleted []string `json:"d"`
	// Life is how many seconds the record lives after a write.
	Life int64 `json:"t"`
	// Until is when the claim is over at the earliest, in epoch milliseconds of
	// the instance that wrote it; 0 when nobody said.
	Until int64 `json:"x,omitempty"`
}

func deleteSetKey(partitionID, lease string) string {
	return registry.Key("qs", "ds", partitionID, lease)
}

// readDeleteSet reads a record; an unreadable one has no members and acks
// nothing.
func readDeleteSet(raw json.RawMessage) deleteSet {
	var set deleteSet
	if json.Unmarshal(raw, &set) != nil {
		set = deleteSet{}
	}
	if set.Life <= 0 {
		set.Life = looseLife
	}
	return set
}

// MarshalJSON writes lists as lists: other readers do not take null for one.
func (d deleteSet) MarshalJSON() ([]byte, error) {
	type plain deleteSet
	p := plain(d)
	for _, list := range []*[]string{&p.Transactions, &p.Messages, &p.Deleted} {
		if *list == nil {
			*list = []string{}
		}
	}
	return json.Marshal(p)
}

func (d *deleteSet) life() time.Duration { return time.Duration(d.Life) * time.Second }

func (d *deleteSet) deleted(messageID string) bool { return slices.Contains(d.Deleted, messageID) }

func (d *deleteSet) mark(messageIDs ...string) {
	for _, id := range messageIDs {
		if !d.deleted(id) {
			d.Deleted = append(d.Deleted, id)
		}
	}
}

// markEarlier marks members that earlier claims of the group have deleted.
func (d *deleteSet) markEarlier(earlier []deleteSet) {
	for _, set := range earlier {
		for _, id := range set.Deleted {
			if slices.Contains(d.Messages, id) {
				d.mark(id)
			}
		}
	}
}

// markCopies marks members that are copies of one before them, in this claim or in
// an earlier one of the group that has deleted it. It answers how many.
func (d *deleteSet) markCopies(earlier []deleteSet) (copies int) {
	for i, id := range d.Messages {
		if d.deleted(id) {
			continue
		}
		before := deleteSet{Transactions: d.Transactions[:i], Messages: d.Messages[:i]}
		_, copied := before.originalOf(d.Transactions[i], id)
		for _, set := range earlier {
			of, found := set.originalOf(d.Transactions[i], id)
			copied = copied || found && set.deleted(of)
		}
		if copied {
			d.mark(id)
			copies++
		}
	}
	return copies
}

// originalOf is the member of which a message is a copy.
func (d *deleteSet) originalOf(transactionID, messageID string) (id string, found bool) {
	if len(d.Transactions) != len(d.Messages) {
		return "", false
	}
	for i, t := range d.Transactions {
		if t == transactionID && copyOf(messageID, d.Messages[i]) {
			return d.Messages[i], true
		}
	}
	return "", false
}

// prefix is the number of members at the head that are all deleted.
func (d *deleteSet) prefix() int {
	if len(d.Transactions) != len(d.Messages) {
		return 0
	}
	n := 0
	for n < len(d.Messages) && d.deleted(d.Messages[n]) {
		n++
	}
	return n
}

// repeats says that a transaction id names more than one member. That is so when a
// deduplication id was used again after its window, and of copies (copyOf).
func (d *deleteSet) repeats() bool {
	for i, t := range d.Transactions {
		if slices.Contains(d.Transactions[:i], t) {
			return true
		}
	}
	return false
}

// complete says that every member is deleted.
func (d *deleteSet) complete() bool {
	return len(d.Transactions) > 0 && d.prefix() == len(d.Transactions)
}

// head is the first member that is not deleted, by its transaction id.
func (d *deleteSet) head() (transactionID string, ok bool) {
	if n := d.prefix(); n < len(d.Transactions) {
		return d.Transactions[n], true
	}
	return "", false
}

// oneAck is how many at the head of a run one ack can complete. It names the last
// of them by its transaction id, and of several messages that bear it the broker
// takes the first it still has.
func oneAck(transactions []string) int {
	for n := len(transactions); n > 1; n-- {
		if !slices.Contains(transactions[:n-1], transactions[n-1]) {
			return n
		}
	}
	return min(1, len(transactions))
}

// copyTime is how close to one another the broker has made the ids of copies. The
// shortest deduplication window is a second: what was sent again after it is none.
const copyTime = time.Second / 2

// copyOf reports whether two messages of a group with one transaction id are one
// message. Queen writes what it could not store to a file, and stores it later in
// lots in which it looks for no duplicates: a send that was refused and made again
// during an outage of its database is then there as often as it was made.
func copyOf(messageID, of string) bool {
	a, okA := madeAt(messageID)
	b, okB := madeAt(of)
	return okA && okB && messageID != of && a.Sub(b).Abs() < copyTime
}

// madeAt is the time in a message id, which the broker made.
func madeAt(messageID string) (time.Time, bool) {
	id, err := uuid.Parse(messageID)
	if err != nil || id.Version() != 7 {
		return time.Time{}, false
	}
	return time.Unix(id.Time().UnixTime()), true
}
