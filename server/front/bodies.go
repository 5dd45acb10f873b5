package front

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// MaxBody is the most bytes of a request's body that are read, encoded as it
// is: twice the largest message, for form encoding, base64 and the parameters
// around it (QS-16, RequestBodyTooLarge). One byte more is refused before it is
// buffered.
const MaxBody = 2 << 20

var (
	errBodyTooLarge = errors.New("front: body over the limit")
	errBodyBusy     = errors.New("front: too many large bodies at once")
)

const (
	// smallBody is what a body may take without asking, in bytes.
	smallBody = 64 << 10
	// largeBodies bounds the memory of all bodies above smallBody together, in
	// bytes. Requests beyond it wait for their turn unread.
	largeBodies = 16 * (MaxBody + 1)
	// undeclaredBodies is the part of it for bodies that do not say how long they
	// will be, each of which may turn out to be one byte too long. SDKs declare.
	undeclaredBodies = 4 * (MaxBody + 1)
	// largeBodyWait is how long a large body waits for its turn.
	largeBodyWait = 10 * time.Second
)

// largeClasses are the sizes of large buffers, in bytes. The last has a byte to
// spare, which only a body over the limit fills.
var largeClasses = [...]int{256 << 10, 512 << 10, 1 << 20, MaxBody + 1}

// bodies reads request bodies into buffers it owns. The memory of large ones is
// bounded, whatever clients declare or send.
type bodies struct {
	small      sync.Pool // *[]byte of at most smallBody
	large      [len(largeClasses)]sync.Pool
	declared   *semaphore.Weighted // of bytes, in the order they are asked for
	undeclared *semaphore.Weighted
}

func newBodies() *bodies {
	return &bodies{declared: semaphore.NewWeighted(largeBodies - undeclaredBodies), undeclared: semaphore.NewWeighted(undeclaredBodies)}
}

// body is a request's body until release.
type body struct {
	bytes []byte
	from  *bodies
	buf   *[]byte // what goes back to pool
	pool  *sync.Pool

	budget *semaphore.Weighted
	taken  int // of budget, in bytes; taken whole, so that nobody waits while holding a part
}

// release gives the memory back. Nothing may refer to bytes any more.
func (b *body) release() {
	if b.buf == nil {
		return
	}
	*b.buf = b.bytes[:0]
	b.pool.Put(b.buf)
	if b.taken > 0 {
		b.budget.Release(int64(b.taken))
	}
	*b = body{}
}

// read reads a body of declared bytes, or of an unknown number when declared is
// negative. ctx ends the wait of a large one for its turn. The errors are
// errBodyTooLarge, errBodyBusy and those of r; the body is then what was read so
// far, and has to be released too.
func (p *bodies) read(ctx context.Context, r io.Reader, declared int) (body, error) {
	if declared > MaxBody {
		return p.beginning(r), errBodyTooLarge
	}
	if declared == 0 || r == nil {
		return body{}, nil
	}
	b := body{from: p, budget: p.declared}
	if declared < 0 {
		b.budget = p.undeclared
	}
	if declared <= smallBody {
		b.take(&p.small, max(declared, 4096))
	} else if err := b.takeLarge(ctx, declared); err != nil {
		return body{}, err
	}
	for {
		n, err := r.Read(b.bytes[len(b.bytes):cap(b.bytes)])
		b.bytes = b.bytes[:len(b.bytes)+n]
		if len(b.bytes) > MaxBody {
			return b, errBodyTooLarge
		}
		if err == io.EOF {
			return b, nil
		}
		if err == nil && len(b.bytes) == cap(b.bytes) {
			err = b.grow(ctx)
		}
		if err != nil {
			return b, err
		}
	}
}

// beginning is what is there of a body that will not be read: enough to tell
// which service it is for.
func (p *bodies) beginning(r io.Reader) body {
	b := body{from: p}
	if r != nil {
		b.take(&p.small, 4096)
		n, _ := r.Read(b.bytes[:4096])
		b.bytes = b.bytes[:n]
	}
	return b
}

// take makes a buffer of at least size bytes of a pool the body's own.
func (b *body) take(pool *sync.Pool, size int) {
	b.pool = pool
	b.buf, _ = pool.Get().(*[]byte)
	if b.buf == nil {
		b.buf = new([]byte)
	}
	if cap(*b.buf) < size {
		*b.buf = make([]byte, 0, size)
	}
	b.bytes = (*b.buf)[:0]
}

// takeLarge moves the body into a buffer for expected bytes, once the budget
// has room for it.
func (b *body) takeLarge(ctx context.Context, expected int) error {
	class := 0
	for largeClasses[class] < expected {
		class++
	}
	ctx, cancel := context.WithTimeout(ctx, largeBodyWait)
	defer cancel()
	if b.budget.Acquire(ctx, int64(largeClasses[class])) != nil {
		return errBodyBusy
	}
	small := *b
	b.take(&b.from.large[class], largeClasses[class])
	b.taken = largeClasses[class]
	b.bytes = append(b.bytes, small.bytes...)
	small.release()
	return nil
}

// grow makes room behind a full buffer. A body that says not how long it will be
// takes the largest buffer at once, so that nobody waits for a second one while
// holding a first.
func (b *body) grow(ctx context.Context) error {
	if cap(b.bytes) < smallBody {
		b.bytes = append(make([]byte, 0, min(2*cap(b.bytes), smallBody)), b.bytes...)
		return nil
	}
	return b.takeLarge(ctx, MaxBody+1)
}
