// Package queen is the broker's model: the verbs of a Queen broker as one Go
// interface, and the types that travel through it. It is the whole of what the
// gateway knows about brokers; it knows nothing of SQS.
//
// The meaning of every verb is Queen's wire contract. Where Queen 1.3.0 and
// later versions differ, the types follow the later shape and Capabilities says
// what a broker leaves out.
package queen

import (
	"context"
	"encoding/json"
	"time"
)

// DefaultGroup is the consumer group of a request that names none. It starts at
// the oldest retained message. The gateway uses no other.
const DefaultGroup = "__QUEUE_MODE__"

// DefaultPartition is the lane of a push that names none.
const DefaultPartition = "Default"

// Token is the bearer token a call is made with; empty means none. It belongs
// to the caller of one request, never to the Broker, because one gateway serves
// several principals.
type Token string

// Broker is Queen's verbs, no more. Every method is safe for concurrent use,
// honours its context, and answers durable facts: a write that returned without
// an error survives a crash of the broker. Errors are those of errors.go.
// Nothing is retried inside a Broker; that decision belongs to the caller.
type Broker interface {
	// Configure creates the queue or replaces its whole set of options. It
	// answers the options in force.
	Configure(ctx context.Context, tok Token, queue string, opts Options) (Options, error)
	// DeleteQueue removes the queue with its lanes and messages. Timers of the
	// name and KV rows stay. It reports whether the queue existed.
	DeleteQueue(ctx context.Context, tok Token, queue string) (existed bool, err error)
	// ListQueues answers every queue, newest first.
	ListQueues(ctx context.Context, tok Token) ([]QueueInfo, error)
	// Depth counts what the group has not consumed. An unknown queue is a
	// *StatusError with code 404.
	Depth(ctx context.Context, tok Token, queue, group string) (Depth, error)

	// Push appends items. The verdicts are per item, in the order of the items.
	Push(ctx context.Context, tok Token, items []PushItem) ([]PushResult, error)
	// Pop claims messages under one lease. An empty answer is not an error. A
	// Pop with Wait parks until something is claimable, Wait has passed (empty
	// answer) or the context ends (its error); a parked Pop holds no lease.
	Pop(ctx context.Context, tok Token, req PopRequest) (PopResult, error)
	// Ack settles claimed messages for a group (empty means DefaultGroup). A
	// completed ack is a cursor: it completes everything below it in its lane.
	// The verdicts are per item, in the order of the acks.
	Ack(ctx context.Context, tok Token, group string, acks []Ack) ([]AckResult, error)
	// ExtendLease moves the expiry of a live lease to at least seconds (1 or
	// more) from now; it never shortens one. It answers how many lanes were
	// renewed; 0 means the lease is over.
	ExtendLease(ctx context.Context, tok Token, leaseID string, seconds int) (Lease, error)

	// KV runs at most 256 operations as one unit. A lost operation that was
	// Required fails the call with a *PreconditionError and writes nothing.
	// Results are in the order of the operations.
	KV(ctx context.Context, tok Token, ops []KVOp) ([]KVResult, error)

	// ScheduleTimers runs at most 256 timer operations; results are in the order
	// of the operations.
	ScheduleTimers(ctx context.Context, tok Token, ops []TimerOp) ([]TimerResult, error)
	// ListTimers answers the pending timers of a queue in byte order of their
	// keys, after the key after (exclusive, empty for the first page). limit is
	// 1 to 1000; 0 means 100.
	ListTimers(ctx context.Context, tok Token, queue, after string, limit int) (TimerPage, error)
	// CountTimers counts the pending timers whose key starts with prefix (1 to
	// 128 bytes).
	CountTimers(ctx context.Context, tok Token, queue, prefix string) (int, error)
	// CancelTimer removes one timer. Status absent may mean it has fired.
	CancelTimer(ctx context.Context, tok Token, queue, key, txn string) (TimerResult, error)

	// Transaction commits pushes, acks and KV operations together or not at
	// all. A pushed transaction id inside its dedup window is a *DuplicateError,
	// a lost Required KV operation a *PreconditionError, a refused ack a
	// *BodyError.
	Transaction(ctx context.Context, tok Token, tx Transaction) (TransactionResult, error)

	// Health asks the broker how it is. It needs no token.
	Health(ctx context.Context) (Health, error)
	// Capabilities says what this broker can do beyond the base contract. The
	// first call may have to ask the broker.
	Capabilities(ctx context.Context) (Capabilities, error)
}

// Capabilities is what a broker does beyond the base contract. The gateway
// picks or refuses a receive mode by it, at boot and aloud. A broker that is not
// Queen itself puts them into its /health answer as the member "capabilities".
type Capabilities struct {
	// Offsets: push answers and popped messages carry the offset (1.4 and later).
	Offsets bool `json:"offsets"`
	// Attempts: popped messages carry the delivery count (1.4 and later).
	// Without it the gateway counts deliveries in the key/value store.
	Attempts bool `json:"attempts"`
	// MessageClaims: leases can be held per message (embedded engine only).
	MessageClaims bool `json:"messageClaims"`
	// KeepsIDs: an ack finds a message by its transaction id however old the
	// message is. Without it ids leave the broker's hash window after
	// max(dedup window, completed retention, 15 minutes).
	KeepsIDs bool `json:"keepsIds"`
	// ExactPayloads: a payload pushed in a transaction comes back byte for byte.
	ExactPayloads bool `json:"exactPayloads"`
	// Engine and Version name the broker, for the log.
	Engine  string `json:"-"`
	Version string `json:"-"`
}

// Health is a broker's own account of itself.
type Health struct {
	// Status is "healthy", or "unhealthy" or "settling".
	Status   string `json:"status"`
	Database string `json:"database,omitempty"`
	Engine   string `json:"engine"`
	Version  string `json:"version"`
}

// Healthy reports whether the broker takes work.
func (h Health) Healthy() bool { return h.Status == "healthy" }

// QueueInfo is one row of ListQueues.
type QueueInfo struct {
	ID        string
	Name      string
	CreatedAt time.Time
	// Partitions is the number of lanes, Messages the number of retained
	// messages.
	Partitions int
	Messages   int64
}

// Depth is what one consumer group has in front of it. Pending includes leased
// messages; Ready is Pending minus Processing. Messages still hidden by
// DelayedProcessing count as pending and ready.
type Depth struct {
	Pending    int64
	Processing int64
	Ready      int64
	// Hidden is how many of Ready DelayedProcessing still hides; 0 from a broker
	// that cannot tell.
	Hidden int64
	Lanes  []LaneDepth
}

// LaneDepth is one lane's share of a Depth.
type LaneDepth struct {
	Partition  string
	Pending    int64
	Processing int64
	Ready      int64
}

// Payload is a message's JSON document, byte for byte.
type Payload = json.RawMessage
