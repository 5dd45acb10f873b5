// Package target is what a conformance run is pointed at: this gateway started
// in-process, several gateways over one broker, any endpoint URL, or Amazon.
package target

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// Side says which half of a divergence a target has to show.
type Side string

// The sides. A peer endpoint and the gateway's aws profile stand on Amazon's.
const (
	ThisGateway Side = "this gateway"
	Amazon      Side = "Amazon"
)

// Abilities is what a scenario may do to a target.
type Abilities struct {
	Side Side
	// MovesClock: time can be moved with Advance. Without it a scenario waits for
	// real, or is not run when that would take long.
	MovesClock bool
	// ChecksSignatures: requests with a wrong signature are refused.
	ChecksSignatures bool
	// Restarts: the target can be stopped and started over the same data.
	Restarts bool
	// MayBePurged: nothing but this run's queues live there.
	MayBePurged bool
	// ReachesBroker: the target is a BackDoor too.
	ReachesBroker bool
	// CostsMoney: every request is billed.
	CostsMoney bool

	// RecordsSettle is how long a change of a queue, a topic or a subscription may
	// stay unseen: several gateways each keep what they read for that long. Zero
	// for one gateway. Amazon documents 60 s for the same changes.
	RecordsSettle time.Duration
	// PushesSettle is how long a message that was sent may stay unfound by a
	// receive; zero when it is found at once.
	PushesSettle time.Duration
	// ReleasesSettle is the same for a message that was given back.
	ReleasesSettle time.Duration
	// MessagesLate is how late a message may be found that was delayed, or given
	// back to the queue. A receive that misses one is asked again for so long.
	MessagesLate time.Duration
	// DelaysAgain: what a queue's delay held back may be found late by the delay
	// once more. Queen 1.3.0 does so when a receive looked just before its time.
	DelaysAgain bool
	// NoOffsets and NoAttempts: the broker is one before 1.4, and tells neither a
	// message's place in its lane nor how often it was delivered.
	NoOffsets, NoAttempts bool
	// NoWide: scenarios of very many queues or messages are left to other targets.
	NoWide bool
	// Cuts: gateways are stopped and killed while scenarios run. A request may be
	// cut, and a long poll may be answered before its time.
	Cuts bool
}

// Target is one reachable SQS/SNS service.
type Target interface {
	// Name is how a report calls it.
	Name() string
	Abilities() Abilities
	// Config is how clients reach it now; a restart may change the endpoints.
	Config() client.Config
	// Account is the account id in queue URLs and ARNs, empty when unknown.
	Account() string
	// Advance moves the target's clock by d and answers once everything due by
	// then has happened.
	Advance(ctx context.Context, d time.Duration) error
	// Restart stops the target in an orderly way and starts it over the same data.
	Restart(ctx context.Context) error
	// Close ends what this run has started. A target that was only reached stays.
	Close() error
}

// ErrUnable is answered by a target for what its Abilities deny.
var ErrUnable = errors.New("the target cannot do this")

// Reporter is a source that has something to say about a run.
type Reporter interface{ Report(io.Writer) }

// Source hands targets to scenarios.
type Source interface {
	// Shared is the one target of all scenarios that leave its clock alone.
	Shared(ctx context.Context) (Target, error)
	// Private is a target of the scenario's own, durable when it is to be
	// restarted. The scenario closes it. A source that has only one target
	// answers that, and Exclusive is true then.
	Private(ctx context.Context, durable bool) (Target, error)
	// Exclusive: there is one clock for all, so scenarios must not run at the
	// same time once one of them moves it.
	Exclusive() bool
	Close() error
}
