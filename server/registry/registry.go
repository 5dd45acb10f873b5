// Package registry keeps what the gateway knows and the broker does not: the
// records of queues, in the broker's key/value store. Records are changed by
// compare-and-set only, so that any number of gateways can stand in front of
// one broker. What is held in memory is a cache with a time to live.
package registry

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"log/slog"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/sampled"
)

// DefaultTTL is how old a cached record may be.
const DefaultTTL = 3 * time.Second

// Bounds of the caches, in entries. Beyond them the oldest entry goes.
const (
	queueCacheBound      = 4096
	brokerListCacheBound = 1024
)

var (
	// ErrNotFound is a record that does not exist.
	ErrNotFound = errors.New("registry: no such record")
	// ErrConflict is a change that lost to other writers twice; the caller may
	// try again.
	ErrConflict = errors.New("registry: the record kept changing")
	// ErrTooLarge is a record beyond MaxValueBytes; nothing was sent.
	ErrTooLarge = errors.New("registry: the record is too large")
)

// Config is what a Registry is made of. Broker and Clock are required.
type Config struct {
	Broker queen.Broker
	Clock  clock.Clock
	// Region and Account are the labels of ARNs.
	Region  string
	Account string
	// TTL is how old a cached record may be: 0 means DefaultTTL, a negative one
	// turns the caches off.
	TTL time.Duration
	// Log may be nil.
	Log *slog.Logger
}

// Registry reads and changes records. It is safe for concurrent use.
type Registry struct {
	// Rows is the store beneath, for records of other packages: delete-sets,
	// move tasks, remembered answers.
	Rows

	broker  queen.Broker
	clock   clock.Clock
	region  string
	account string
	ttl     time.Duration
	hashKey []byte

	queues      *cache[*Queue]
	brokerLists *brokerLists
	lines       *sampled.Log
}

// New makes a Registry. It does not call the broker.
func New(cfg Config) *Registry {
	if cfg.TTL == 0 {
		cfg.TTL = DefaultTTL
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	r := &Registry{
		Rows:    Rows{Broker: cfg.Broker},
		broker:  cfg.Broker,
		clock:   cfg.Clock,
		region:  cfg.Region,
		account: cfg.Account,
		ttl:     cfg.TTL,
		lines:   sampled.New(cfg.Log, cfg.Clock),
		hashKey: make([]byte, 32),
	}
	_, _ = rand.Read(r.hashKey) // never fails
	r.queues = newCache[*Queue](cfg.Clock, cfg.TTL, queueCacheBound)
	r.brokerLists = newBrokerLists(cfg.Broker, cfg.Clock, cfg.TTL, cfg.Log)
	return r
}

// credential is a principal in a cache's key: what one principal may see must
// not leak to another, and a token must not lie about in memory.
type credential [16]byte

func (r *Registry) credential(tok queen.Token) credential {
	if tok == "" {
		return credential{} // nothing to hide, and no hash per request
	}
	mac := hmac.New(sha256.New, r.hashKey)
	mac.Write([]byte(tok))
	var c credential
	copy(c[:], mac.Sum(nil))
	return c
}
