// Package embedded is a Queen broker in the gateway's own process: a state
// machine in memory with a journal on disk, or with none.
//
// A command takes the locks of the queues it touches (in the order of their
// names, then the key/value store's, then the timers'), changes the state, and
// hands its journal rows to Pebble while it still holds them, so that the
// journal's order is the state's order. It waits for the rows to be on disk
// after the locks are gone: concurrent commands share one fsync, and no answer
// leaves before what it tells is durable. A read waits for what it saw.
//
// Time comes from a clock.Clock alone. Whatever falls due (an expired lease
// that a parked pop waits for, the end of a delay, a timer, retention) runs from
// Clock.AfterFunc and is complete when its function returns.
package embedded

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// Name and Version are how the engine calls itself in Health.
const (
	Name    = "queen-sqs-embedded"
	Version = "1.0.0"
)

// Config says where and how an Engine keeps its state.
type Config struct {
	// Dir is the folder of the journal, created when missing. Empty keeps
	// everything in memory: the same semantics, nothing survives Close.
	Dir string
	// Clock is the source of all time; nil is the machine's.
	Clock clock.Clock
	// Logger receives the journal's troubles; nil discards them.
	Logger *slog.Logger
	// CachedBodyBytes bounds the message bodies kept in the heap; what exceeds it
	// is read from the journal when it is popped. 0 means 32 MiB. Without a
	// journal it has no effect.
	CachedBodyBytes int64
	// BlockCacheBytes bounds the journal's block cache; 0 means 32 MiB.
	BlockCacheBytes int64
	// KeepConsumed keeps messages that every group has consumed, for groups that
	// come later, on queues without retention, as Queen does. Without it they go
	// at once.
	KeepConsumed bool
	// FS replaces the file system in tests.
	FS vfs.FS
}

// Engine is a queen.Broker in process.
type Engine struct {
	clock   clock.Clock
	log     *slog.Logger
	dir     string
	keep    bool // Config.KeepConsumed
	journal *journal
	ids     *minter
	numbers counter // of queues and lanes
	bodies  bodyCache

	// gate is held shared by whoever is inside the engine and exclusively by
	// Close. A parked pop is outside.
	gate   sync.RWMutex
	closed bool
	broken atomic.Pointer[error]
	// deliveries counts claims whose bodies are still being read.
	deliveries sync.WaitGroup

	mu     sync.Mutex // guards queues; the innermost lock
	queues map[string]*queue

	lanes  laneIndex
	leases leaseIndex

	kv     kvStore
	timers timerStore
}

var _ queen.Broker = (*Engine)(nil)

// Open starts an engine and rebuilds its state from the journal. Only one
// process at a time can have a folder open.
func Open(cfg Config) (*Engine, error) {
	if cfg.Clock == nil {
		cfg.Clock = clock.System()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.BlockCacheBytes <= 0 {
		cfg.BlockCacheBytes = 32 << 20
	}
	if cfg.CachedBodyBytes <= 0 {
		cfg.CachedBodyBytes = 32 << 20
	}
	e := &Engine{
		clock:  cfg.Clock,
		log:    cfg.Logger,
		dir:    cfg.Dir,
		keep:   cfg.KeepConsumed,
		ids:    newMinter(),
		queues: map[string]*queue{},
	}
	e.numbers.row = metaNumbers
	e.lanes.byID = map[uid]*lane{}
	e.leases.byID = map[uid]*claim{}
	e.kv.init()
	e.timers.init()
	j, err := openJournal(cfg, e.fail)
	if err != nil {
		return nil, err
	}
	e.journal = j
	e.bodies.init(cfg.CachedBodyBytes, j.db == nil)
	if err := e.recover(); err != nil {
		return nil, errors.Join(err, j.close())
	}
	e.resume()
	return e, nil
}

// Close answers parked pops with an error, waits for calls under way and closes
// the journal. A second Close does nothing.
func (e *Engine) Close() error {
	e.gate.Lock()
	if e.closed {
		e.gate.Unlock()
		return nil
	}
	e.closed = true
	e.gate.Unlock()

	for _, q := range e.snapshot() {
		q.mu.Lock()
		q.shutdown()
		q.mu.Unlock()
	}
	e.deliveries.Wait()
	e.kv.mu.Lock()
	stop(&e.kv.alarm)
	e.kv.mu.Unlock()
	e.timers.mu.Lock()
	stop(&e.timers.alarm)
	e.timers.mu.Unlock()
	return e.journal.close()
}

func stop(t *clock.Timer) {
	if *t != nil {
		(*t).Stop()
		*t = nil
	}
}

// enter admits a call; leave ends it. The route names the error document of a
// broken journal.
func (e *Engine) enter(ctx context.Context, route string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.gate.RLock()
	if e.closed {
		e.gate.RUnlock()
		return &queen.TransportError{Err: errClosed}
	}
	if e.broken.Load() != nil {
		e.gate.RUnlock()
		return unavailable(route)
	}
	return nil
}

func (e *Engine) leave() { e.gate.RUnlock() }

// fail records that the journal is lost. State in memory may be ahead of the
// disk from here on, so nothing more is taken or told.
func (e *Engine) fail(err error) {
	if e.broken.CompareAndSwap(nil, &err) {
		e.log.Error("the journal failed, no further work is taken", "error", err)
		go e.dismissAll()
	}
}

// dismissAll answers every parked pop once the journal is lost.
func (e *Engine) dismissAll() {
	for _, q := range e.snapshot() {
		q.mu.Lock()
		for _, g := range q.groups {
			for _, w := range g.everyWaiter() {
				w.dismiss(unavailable(""))
			}
		}
		q.mu.Unlock()
	}
}

// alarmed runs what the clock calls: nothing once the engine is closed or broken.
func (e *Engine) alarmed(run func()) {
	if e.enter(context.Background(), "") != nil {
		return
	}
	defer e.leave()
	run()
}

// micros is the present in microseconds since 1970, the engine's unit of time.
func (e *Engine) micros() int64 { return e.clock.Now().UnixMicro() }

// Health implements queen.Broker.
func (e *Engine) Health(ctx context.Context) (queen.Health, error) {
	h := queen.Health{Status: "healthy", Database: "connected", Engine: Name, Version: Version}
	if err := ctx.Err(); err != nil {
		return h, err
	}
	e.gate.RLock()
	defer e.gate.RUnlock()
	if e.closed {
		return h, &queen.TransportError{Err: errClosed}
	}
	if e.broken.Load() != nil {
		h.Status, h.Database = "unhealthy", "disconnected"
	}
	return h, nil
}

// Capabilities implements queen.Broker.
func (e *Engine) Capabilities(ctx context.Context) (queen.Capabilities, error) {
	return queen.Capabilities{
		Offsets:       true,
		Attempts:      true,
		MessageClaims: false,
		KeepsIDs:      true,
		ExactPayloads: true,
		Engine:        Name,
		Version:       Version,
	}, ctx.Err()
}
