package httpserver

import (
	"context"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// Engine is a broker that can be served: queen.Broker, and what Queen's API has
// beyond it.
type Engine interface {
	queen.Broker

	// Subscribe registers a group with a queue at its first contact and puts its
	// cursors where the seed says. With create a missing queue is made.
	Subscribe(ctx context.Context, queue, group string, create bool, seed queen.Seed) error
	// LeaseOf answers the lease a group has, or had last, in a lane; empty for
	// none.
	LeaseOf(ctx context.Context, partitionID, group string) (string, error)
	// CommitLease completes everything a live lease holds.
	CommitLease(ctx context.Context, leaseID string) error

	// DescribeQueues lists the queues without their lanes, newest first.
	DescribeQueues(ctx context.Context) ([]queen.QueueDetail, error)
	// DescribeQueue answers one; an unknown one is a *queen.StatusError 404.
	DescribeQueue(ctx context.Context, name string) (queen.QueueDetail, error)
	Totals(ctx context.Context) (queen.Totals, error)

	// BrowseMessages lists up to limit messages behind the first offset, newest
	// first; empty partition and status take every one.
	BrowseMessages(ctx context.Context, queue, partition, status string, offset, limit int) ([]queen.StoredMessage, error)
	// FindMessage looks a message up by lane and transaction id.
	FindMessage(ctx context.Context, partitionID, txn string) (m queen.StoredMessage, found bool, err error)
	// BrowseDeadLetters lists dead letters, newest first; empty names take all.
	BrowseDeadLetters(ctx context.Context, queue, group string) ([]queen.DeadLetterRow, error)
	// TakeDeadLetter removes a dead letter; with replay it pushes it again.
	TakeDeadLetter(ctx context.Context, partitionID, txn string, replay bool) (row queen.DeadLetterRow, pushed queen.PushResult, found bool, err error)

	// PeekTimer answers one pending timer with its payload.
	PeekTimer(ctx context.Context, queue, key string) (row queen.TimerRow, payload []byte, found bool, err error)

	// DescribeGroups lists the groups that have consumed; an empty name takes all.
	DescribeGroups(ctx context.Context, group string) ([]queen.GroupDetail, error)
	// SeekGroup moves a group's cursors (in one lane when partition is not nil) and
	// answers how many.
	SeekGroup(ctx context.Context, queue, group string, partition *string, to queen.Seed) (int, error)
	// ForgetGroup removes a group from a queue, or from all with an empty name.
	ForgetGroup(ctx context.Context, group, queue string) (int, error)
}
