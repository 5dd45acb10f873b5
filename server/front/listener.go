package front

import (
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	// errDraining is the cause of a request's context that a shutdown ended
	// early: a long poll, whose response is empty then.
	errDraining = errors.New("front: shutting down")
	// errCut is the cause of a request's context whose connection was closed
	// because the grace of a shutdown was over.
	errCut = errors.New("front: connection cut")
)

// connSet is every open connection.
type connSet struct {
	draining atomic.Bool

	mu   sync.Mutex
	open map[*conn]struct{}
	none chan struct{} // closed when a waited-for set is empty
}

func newConnSet() *connSet { return &connSet{open: make(map[*conn]struct{})} }

func (s *connSet) add(c *conn) {
	s.mu.Lock()
	s.open[c] = struct{}{}
	s.mu.Unlock()
}

func (s *connSet) remove(c *conn) {
	s.mu.Lock()
	delete(s.open, c)
	if s.none != nil && len(s.open) == 0 {
		close(s.none)
		s.none = nil
	}
	s.mu.Unlock()
}

func (s *connSet) all() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*conn, 0, len(s.open))
	for c := range s.open {
		all = append(all, c)
	}
	return all
}

// drain ends every request that may end early, now and from now on.
func (s *connSet) drain() {
	s.draining.Store(true)
	for _, c := range s.all() {
		c.drain()
	}
}

// cut closes every connection and returns how many requests were being handled.
func (s *connSet) cut() (requests int) {
	for _, c := range s.all() {
		if c.cut() {
			requests++
		}
	}
	return requests
}

// empty returns a channel that is closed once no connection is open.
func (s *connSet) empty() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.none != nil {
		return s.none
	}
	none := make(chan struct{})
	if len(s.open) == 0 {
		close(none)
		return none
	}
	s.none = none
	return none
}

// listener makes a conn of every accepted connection.
type listener struct {
	net.Listener
	conns *connSet
}

func (l listener) Accept() (net.Conn, error) {
	accepted, err := l.accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: accepted, conns: l.conns}
	l.conns.add(c)
	return c, nil
}

// accept retries after errors that pass by themselves, above all having no file
// descriptor left, which would otherwise end the listener.
func (l listener) accept() (net.Conn, error) {
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		c, err := l.Listener.Accept()
		if err == nil {
			return c, nil
		}
		if !slices.ContainsFunc(temporary, func(e error) bool { return errors.Is(err, e) }) {
			return nil, err
		}
		time.Sleep(pause)
	}
}

// temporary are the errors of accept that pass by themselves.
var temporary = []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.ECONNRESET}
