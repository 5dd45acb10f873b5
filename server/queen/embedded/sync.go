package embedded

import (
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// mostLinger bounds how long a sync waits for more commands to share it.
const mostLinger = time.Millisecond

// write is what one sync of the journal makes durable: the rows of every command
// that joined it.
type write struct {
	done chan struct{}
	err  error
}

// wait waits for the disk. A nil write is there already.
func (w *write) wait() error {
	if w == nil {
		return nil
	}
	<-w.done
	return w.err
}

// syncer syncs the journal for all commands at once. A sync costs as much for
// one command as for many, so under load it waits a moment for those that are
// about to come: as many as shared the last sync or were waiting when it ended,
// for at most twice the time a sync takes. A command that is alone waits for
// nobody.
type syncer struct {
	db     *pebble.DB
	broken func(error)
	wake   chan struct{}
	ended  chan struct{}

	mu      sync.Mutex
	open    *write // what the next sync covers, nil when there is nothing to sync
	members int    // commands that joined open
	// expected is how many members the next sync waits for, and full is closed
	// when they are there.
	expected int
	full     chan struct{}
}

func startSyncer(db *pebble.DB, broken func(error)) *syncer {
	s := &syncer{db: db, broken: broken, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go s.run()
	return s
}

// stop ends the syncer once everything that joined is synced. Nobody may join
// any more.
func (s *syncer) stop() {
	close(s.wake)
	<-s.ended
}

// join answers the write that makes durable what the caller handed to the
// journal before.
func (s *syncer) join() *write {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = &write{done: make(chan struct{})}
		s.full = make(chan struct{})
		s.wake <- struct{}{}
	}
	s.members++
	if s.members == s.expected {
		close(s.full)
	}
	return s.open
}

func (s *syncer) run() {
	defer close(s.ended)
	linger := time.NewTimer(mostLinger)
	defer linger.Stop()
	var took time.Duration
	for range s.wake {
		s.linger(linger, min(2*took, mostLinger))
		w, size := s.take()
		start := time.Now()
		if err := s.sync(); err != nil {
			w.err = journalFault(err)
			s.broken(err)
		}
		took = time.Since(start)
		s.expect(size)
		close(w.done)
	}
}

// sync returns once everything handed to the journal before is on disk.
func (s *syncer) sync() error {
	mark := s.db.NewBatch()
	defer mark.Close()
	if err := mark.LogData(nil, nil); err != nil {
		return err
	}
	// Waiting apart from applying makes a failed sync an error: within Apply it
	// would end the process.
	if err := s.db.ApplyNoSyncWait(mark, pebble.Sync); err != nil {
		return err
	}
	return mark.SyncWait()
}

// linger waits until the expected members are there.
func (s *syncer) linger(timer *time.Timer, most time.Duration) {
	s.mu.Lock()
	full, short := s.full, s.members < s.expected
	s.mu.Unlock()
	if !short || most <= 0 {
		return
	}
	timer.Reset(most)
	select {
	case <-full:
	case <-timer.C:
	}
}

// take closes the open write to further members.
func (s *syncer) take() (w *write, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, size = s.open, s.members
	s.open, s.members = nil, 0
	// Nobody counts until the sync is over: full belongs to the next linger.
	s.expected = 0
	return w, size
}

// expect says for how many commands the next sync waits: those that are about to
// be answered, who may come back at once, and those that wait already.
func (s *syncer) expect(size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expected = size + s.members
}

// submit hands a batch to the journal without waiting for the disk. A nil batch
// is no write.
func (e *Engine) submit(b *pebble.Batch) *write {
	if b == nil {
		return nil
	}
	defer b.Close()
	if err := e.journal.db.Apply(b, pebble.NoSync); err != nil {
		e.fail(err)
		done := make(chan struct{})
		close(done)
		return &write{done: done, err: journalFault(err)}
	}
	return e.journal.sync.join()
}

func journalFault(err error) error {
	return &queen.TransportError{Err: fmt.Errorf("journal: %w", err)}
}
