package front

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/queen-mq/queen-sqs/server/wire"
)

// fasthttp does not tell a handler that its client hung up. A conn does: while a
// request asks for it, the connection is read ahead of fasthttp, and the end of
// the stream ends the request's context. Whatever else arrives meanwhile is kept
// for fasthttp's next Read, so a pipelined request loses nothing.

// errClientGone is the cause of a request's context when its client hung up. A
// half-closed connection counts as gone: no AWS client sends its request and
// then closes its side.
var errClientGone = errors.New("front: the client hung up")

// errRequestDone is the cause of a request's context once its response was written.
var errRequestDone = errors.New("front: the request is done")

const (
	// watchAfter is how long a request runs before its connection is watched.
	// Almost every request is done earlier and pays for a timer at most.
	watchAfter = 5 * time.Millisecond

	// maxAhead bounds what is kept for the next Read, in bytes. A client that
	// pipelines more than that behind a long poll is not watched any further.
	maxAhead = 4096
)

// How long and how far a connection is read on after a response that was written
// before the whole request was read. Closing it at once would reset it, and a
// client that is still sending would never read its response.
const (
	lingerTime  = 10 * time.Second
	lingerPause = 2 * time.Second
	maxLinger   = 64 << 20
)

// conn is an accepted connection, above TLS where TLS is on.
type conn struct {
	net.Conn
	conns *connSet

	// ahead and aheadErr are what was read before fasthttp asked for it. They
	// belong to the watching goroutine while there is one, else to Read.
	ahead    []byte
	aheadErr error
	first    [1]byte // where the first byte goes: a parked connection costs no buffer

	// heard says that anything arrived on the connection. It belongs to Read.
	heard bool

	lingers atomic.Bool

	mu      sync.Mutex
	request *requestContext // the request being handled, nil between requests
	timer   *time.Timer     // starts the watch
	done    chan struct{}   // closed when the watching goroutine ends; nil without one
}

// requestContext is the context of one request. Its Done starts the watch of
// the connection (after a few milliseconds), so that a request which nobody
// waits for pays nothing. It ends when the client hangs up, the server is cut
// short, or the request is done.
type requestContext struct {
	context.Context // a cancelCtx of the standard library, so that children need no goroutine
	cancel          context.CancelCauseFunc
	conn            *conn

	armed atomic.Bool // the watch was asked for, or must not be any more

	// endsEarly marks a request that may be ended by a shutdown before it is
	// done. Guarded by conn.mu.
	endsEarly bool
}

func (c *requestContext) Done() <-chan struct{} {
	if c.armed.CompareAndSwap(false, true) {
		c.conn.watchSoon(c)
	}
	return c.Context.Done()
}

// Value implements context.Context.
func (c *requestContext) Value(key any) any {
	if key == (wire.ParkKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Park implements wire.Parker.
func (c *requestContext) Park() (unpark func()) {
	c.conn.endEarly(c)
	return func() {
		c.conn.mu.Lock()
		c.endsEarly = false
		c.conn.mu.Unlock()
	}
}

// begin makes the context of a request that is about to be handled. end must be
// called when it was.
func (c *conn) begin() *requestContext {
	inner, cancel := context.WithCancelCause(context.Background())
	r := &requestContext{Context: inner, cancel: cancel, conn: c}
	c.mu.Lock()
	c.request = r
	c.mu.Unlock()
	return r
}

// end ends the context and the watch, and leaves the connection to fasthttp.
func (c *conn) end(r *requestContext) {
	r.armed.Store(true)
	c.mu.Lock()
	c.request = nil
	done := c.done
	c.done = nil
	if c.timer != nil {
		c.timer.Stop()
	}
	if done != nil {
		c.Conn.SetReadDeadline(aLongTimeAgo)
	}
	c.mu.Unlock()
	if done != nil {
		<-done
		c.Conn.SetReadDeadline(time.Time{})
	}
	r.cancel(errRequestDone)
}

var aLongTimeAgo = time.Unix(1, 0)

func (c *conn) watchSoon(r *requestContext) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.request != r {
		return
	}
	if c.timer == nil {
		c.timer = time.AfterFunc(watchAfter, c.watch)
		return
	}
	c.timer.Reset(watchAfter)
}

// watch starts the watching goroutine of the request being handled, if that
// request asked for one. It runs on the timer, which may fire late.
func (c *conn) watch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.request
	if r == nil || c.done != nil || !r.armed.Load() {
		return
	}
	// The deadline of reading the request is still set; a long poll outlives it.
	c.Conn.SetReadDeadline(time.Time{})
	c.done = make(chan struct{})
	go c.readAhead(r, c.done)
}

func (c *conn) readAhead(r *requestContext, done chan<- struct{}) {
	defer close(done)
	if c.aheadErr != nil {
		r.cancel(errClientGone)
		return
	}
	buf := c.first[:]
	for len(c.ahead) < maxAhead {
		n, err := c.Conn.Read(buf)
		c.ahead = append(c.ahead, buf[:n]...)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return // end interrupted the read
		}
		if err != nil {
			c.aheadErr = err
			r.cancel(errClientGone)
			return
		}
		room := maxAhead - len(c.ahead)
		if n > 0 && len(buf) == 1 {
			buf = make([]byte, room)
		}
		buf = buf[:min(len(buf), room)]
	}
}

// Read hands out what was read ahead, then reads.
func (c *conn) Read(p []byte) (int, error) {
	if len(c.ahead) > 0 {
		n := copy(p, c.ahead)
		c.ahead = c.ahead[n:]
		if len(c.ahead) == 0 {
			c.ahead = nil
		}
		return n, nil
	}
	if c.aheadErr != nil {
		return 0, c.aheadErr
	}
	n, err := c.Conn.Read(p)
	c.heard = c.heard || n > 0
	return n, err
}

// endEarly marks the request as one that a shutdown may end before it is done.
// On a server that is shutting down it ends at once.
func (c *conn) endEarly(r *requestContext) {
	c.mu.Lock()
	r.endsEarly = true
	c.mu.Unlock()
	if c.conns.draining.Load() {
		r.cancel(errDraining)
	}
}

// drain ends the request being handled if it may end early.
func (c *conn) drain() {
	c.mu.Lock()
	r := c.request
	ends := r != nil && r.endsEarly
	c.mu.Unlock()
	if ends {
		r.cancel(errDraining)
	}
}

// cut closes the connection under whatever it is doing. It reports whether that
// was a request.
func (c *conn) cut() bool {
	c.mu.Lock()
	r := c.request
	c.mu.Unlock()
	if r != nil {
		r.cancel(errCut)
	}
	if abort, ok := c.Conn.(interface{ NetConn() net.Conn }); ok {
		// Closing TLS wants to say good-bye first, which may block.
		abort.NetConn().Close()
	}
	c.Conn.Close()
	return r != nil
}

// linger makes Close wait for a client that is still sending, within bounds, so
// that it reads its response.
func (c *conn) linger() { c.lingers.Store(true) }

// Close closes the connection. After linger it first closes only the sending
// side and reads on.
func (c *conn) Close() error {
	if c.lingers.Load() {
		c.discard()
	}
	c.conns.remove(c)
	return c.Conn.Close()
}

var discardPool = sync.Pool{New: func() any { return new([8192]byte) }}

func (c *conn) discard() {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	buf := discardPool.Get().(*[8192]byte)
	defer discardPool.Put(buf)
	end := time.Now().Add(lingerTime)
	for left := maxLinger; left > 0; {
		wait := min(time.Until(end), lingerPause)
		if wait <= 0 || c.Conn.SetReadDeadline(time.Now().Add(wait)) != nil {
			return
		}
		n, err := c.Read(buf[:])
		if err != nil {
			return
		}
		left -= n
	}
}
