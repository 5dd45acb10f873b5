package queen

import "time"

// The types below are what Queen's HTTP API shows and does beyond Broker, for
// operators and for consumer groups. The gateway uses none of them.

// Seed says where a consumer group begins that meets a queue for the first
// time. The zero Seed is the oldest retained message.
type Seed struct {
	// New begins behind everything that is there. It wins over From.
	New bool
	// From begins with the first message that was committed at or after it.
	From time.Time
}

// QueueDetail is a queue as an operator sees it. The counts are those of the
// group that is furthest behind.
type QueueDetail struct {
	ID        string
	Name      string
	CreatedAt time.Time
	Options   Options
	// Partitions is the number of lanes, Messages the number of retained
	// messages.
	Partitions int
	Messages   int64
	Counts
	// Lanes is left out of a list of queues.
	Lanes []LaneDetail
}

// LaneDetail is one lane of a queue. Oldest and Newest are zero when it is empty.
type LaneDetail struct {
	ID, Name       string
	Oldest, Newest time.Time
	Counts
}

// Counts are of messages: Total ever pushed, Completed by every group, Pending in
// front of the group that is furthest behind, Processing under live leases (at
// most Pending).
type Counts struct {
	Total, Completed, Pending, Processing, DeadLetter int64
}

// StoredMessage is a retained message as an operator sees it.
type StoredMessage struct {
	Queue     string
	Options   Options
	ID        string
	Txn       string
	Partition string
	// PartitionID is the lane's id.
	PartitionID string
	Payload     Payload
	CreatedAt   time.Time
	Offset      int64
	// Status is "dead_letter", "processing", "completed" (by every group) or
	// "pending".
	Status string
	// Reason is kept with a dead-lettered message.
	Reason string
	// Retries is how many failed acks the message's batch has survived.
	Retries int64
	Groups  []MessageGroup
}

// MessageGroup is what one consumer group has done with a message.
type MessageGroup struct {
	Name     string
	Consumed bool
	// LeaseExpires is zero unless the group holds the message under a live lease.
	LeaseExpires time.Time
}

// DeadLetterRow is a natively dead-lettered message: one whose acks used up the
// retry limit, or named the status dlq.
type DeadLetterRow struct {
	ID, Txn     string
	Queue       string
	Partition   string
	PartitionID string
	Group       string
	Payload     Payload
	Reason      string
	Attempts    int
	CreatedAt   time.Time
	FailedAt    time.Time
}

// GroupDetail is a consumer group of one queue.
type GroupDetail struct {
	Name, Queue string
	Lanes       []GroupLane
}

// GroupLane is a group's place in one lane.
type GroupLane struct {
	Partition, PartitionID string
	// Cursor reports that the group has a cursor in the lane.
	Cursor bool
	// Lag counts the messages in front of the group; OldestUnread is the time of
	// the first of them, zero when there is none.
	Lag          int64
	OldestUnread time.Time
	Consumed     int64
	LeaseID      string
	Leased       bool
}

// Totals are the sizes of what belongs to no queue.
type Totals struct {
	KVRows, KVBytes, TimerRows, TimerBytes int64
}
