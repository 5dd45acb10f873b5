package queen

import (
	"slices"
	"strings"
	"time"
)

// Unknown is the value of an offset the broker did not report.
const Unknown int64 = -1

// PushItem is one message to append.
type PushItem struct {
	Queue     string
	Partition string
	Payload   Payload
	// TransactionID is the dedup key and the name an ack uses. Nil lets the
	// broker use the message id.
	TransactionID *string
}

// Txn is a transaction id for a PushItem.
func Txn(id string) *string { return &id }

// PushStatus is the verdict on one item.
type PushStatus string

// The push verdicts. Buffered means that the broker could not reach its
// database and may still lose the item; only Queued and Duplicate are facts.
const (
	Queued     PushStatus = "queued"
	Duplicate  PushStatus = "duplicate"
	Buffered   PushStatus = "buffered"
	PushFailed PushStatus = "failed"
	PushError  PushStatus = "error"
)

// PushResult is the verdict on one item. For a duplicate, MessageID and Offset
// are the original's.
type PushResult struct {
	MessageID     string
	TransactionID string
	Queue         string
	Status        PushStatus
	// Offset is the message's place in its lane, from 0; Unknown when the broker
	// does not say.
	Offset int64
}

// PopRequest claims messages of one queue.
type PopRequest struct {
	Queue string
	// Lane pins the pop to one partition; nil takes any lane with work.
	Lane *string
	// Batch is the message budget of the whole request, 1 or more.
	Batch int
	// Partitions is the most lanes claimed, 1 or more; a pinned pop ignores it.
	Partitions int
	// Wait is how long to park when nothing is claimable; 0 does not park.
	Wait time.Duration
	// LeaseSeconds is the length of the lease; 0 means the queue's LeaseTime.
	LeaseSeconds int
	// Group is the consumer group; empty means DefaultGroup.
	Group string
}

// PopResult is one claim: all its messages are held by the same lease, those of
// one lane in offset order. An empty one has no messages and no lease.
type PopResult struct {
	LeaseID           string
	PartitionsClaimed int
	Messages          []Message
}

// Message is one claimed message.
type Message struct {
	ID            string
	TransactionID string
	Partition     string
	PartitionID   string
	LeaseID       string
	Payload       Payload
	// CreatedAt is the time of the commit, in microseconds.
	CreatedAt time.Time
	// Attempt is the lane's delivery count, 1 on the first delivery; 0 when the
	// broker does not say.
	Attempt int
	// Offset is the place in the lane; Unknown when the broker does not say.
	Offset int64
}

// AckStatus is what an ack asks for.
type AckStatus string

// The ack words. Unknown words read as Failed.
const (
	Completed  AckStatus = "completed"
	Retry      AckStatus = "retry"
	Failed     AckStatus = "failed"
	DeadLetter AckStatus = "dlq"
)

// Ack settles one message of a claim. An ack without a LeaseID is not checked
// against the lease and ends whoever's it is: the gateway always names it.
type Ack struct {
	TransactionID string `json:"transactionId"`
	PartitionID   string `json:"partitionId"`
	// Status left out means Completed.
	Status  AckStatus `json:"status,omitempty"`
	LeaseID string    `json:"leaseId,omitempty"`
	// Reason is kept with a dead-lettered message.
	Reason string `json:"error,omitempty"`
	// Group overrides the call's group inside a Transaction.
	Group string `json:"consumerGroup,omitempty"`
}

// AckResult is the verdict on one ack. Error is empty on success.
type AckResult struct {
	TransactionID string
	Success       bool
	Error         string
	LeaseReleased bool
	DLQ           bool
	Noop          bool
}

// finalRefusals begin the verdicts on an ack that are about the message or its
// claim, and would be the same again (queen-wire 7.3; 2.x has the same words).
var finalRefusals = []string{
	"consumer not found", "invalid or expired lease", "no leased batch", "position beyond leased batch",
	"already committed", "unresolvable", "dlq rejected", "partition not owned by tenant",
}

// Retryable reports whether a refused ack may succeed when it is sent again: the
// broker did not get to a verdict. What it says then is open-ended, down to the
// texts of its database's connections.
func (r AckResult) Retryable() bool {
	return !r.Success && !slices.ContainsFunc(finalRefusals, func(final string) bool { return strings.HasPrefix(r.Error, final) })
}

// Lease is the answer to an extension. ExpiresAt is the earliest expiry among
// the renewed lanes, and zero when Renewed is 0.
type Lease struct {
	Renewed   int
	ExpiresAt time.Time
}
