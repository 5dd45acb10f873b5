package httpclient

import (
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// budgetEvery is how often one budget is complained about at most.
const budgetEvery = 10 * time.Second

// budget names the settings of the broker that bound calls to its key/value
// store and timers. Queen allows 100 calls a second that write and 200 that only
// read unless it is told otherwise, which is little for a gateway.
type budget struct {
	name        string
	rate, burst string

	mu         sync.Mutex
	last       time.Time
	suppressed int
}

// budgets are the two there are.
type budgets struct {
	reads, writes budget
	clock         clock.Clock
	log           *slog.Logger
}

func newBudgets(clk clock.Clock, log *slog.Logger) *budgets {
	return &budgets{
		reads:  budget{name: "reads", rate: "QUEEN_KV_READ_RATE", burst: "QUEEN_KV_READ_BURST"},
		writes: budget{name: "writes", rate: "QUEEN_KV_WRITE_RATE", burst: "QUEEN_KV_WRITE_BURST"},
		clock:  clk, log: log,
	}
}

// spent looks at the outcome of a call that one of the budgets bounds. A 429
// that the broker did not mean as one, such as that of a proxy in front of it,
// looks alike.
func (b *budgets) spent(writing bool, err error) {
	var status *queen.StatusError
	if !errors.As(err, &status) || status.Code != http.StatusTooManyRequests {
		return
	}
	which := &b.reads
	if writing {
		which = &b.writes
	}
	suppressed, ok := which.due(b.clock.Now())
	if !ok {
		return
	}
	b.log.Warn("the broker throttles key/value and timer "+which.name+": its budget is too small for this load; raise "+
		which.rate+" and "+which.burst+" of the broker", "suppressed", suppressed)
}

func (b *budget) due(now time.Time) (suppressed int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.last.IsZero() && now.Sub(b.last) < budgetEvery {
		b.suppressed++
		return 0, false
	}
	suppressed, b.suppressed, b.last = b.suppressed, 0, now
	return suppressed, true
}

// kvWrites reports whether a call with these operations counts as a write: one
// that writes is enough.
func kvWrites(ops []queen.KVOp) bool {
	for _, op := range ops {
		switch op.Op {
		case queen.KVGet, queen.KVGetMany, queen.KVGetPrefix:
		default:
			return true
		}
	}
	return false
}
