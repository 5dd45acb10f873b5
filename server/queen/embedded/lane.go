package embedded

import "sync"

// chunkSize is how many message records a chunk holds at most.
const chunkSize = 512

// record is a queued message as the heap knows it. Its body is nil when only the
// journal has it.
type record struct {
	id   uid
	key  uid // txnKey of its transaction id
	at   int64
	body *body
}

// lane is one partition of a queue. Offsets count from 0 without holes:
//
//	start <= floor <= next
//
// Records exist from start on. Those below floor are consumed or retired and
// stay only while the claim they belong to is remembered, so that an ack can
// still name them; nobody is delivered them.
type lane struct {
	queue *queue
	num   uint64
	id    uid
	name  string

	start, floor, next int64
	// base is the offset of the first record of the first chunk.
	base   int64
	chunks [][]record
	// bodiless is the offset below which bodies were given back.
	bodiless int64
	// cleaned is the offset below which the journal has no rows any more.
	cleaned int64
	dirty   bool
	// apart says that body rows may exist at or above cleaned.
	apart bool
	// used is when the lane was last pushed to, for the removal of idle lanes.
	used int64
	gone bool

	consumers []*consumer
}

func (l *lane) at(off int64) *record {
	i := off - l.base
	return &l.chunks[i/chunkSize][i%chunkSize]
}

func (l *lane) append(r record) {
	if len(l.chunks) == 0 {
		l.base = l.next
		l.chunks = append(l.chunks, make([]record, 0, 2))
	}
	tail := &l.chunks[len(l.chunks)-1]
	if len(*tail) == chunkSize {
		l.chunks = append(l.chunks, make([]record, 0, chunkSize))
		tail = &l.chunks[len(l.chunks)-1]
	}
	*tail = append(*tail, r)
	l.next++
	l.queue.live++
}

// consumer answers the lane's consumer of a group.
func (l *lane) consumer(g *group) *consumer {
	for _, c := range l.consumers {
		if c.group == g {
			return c
		}
	}
	return nil
}

// collect drops what nobody needs any more: bodies that every registered group
// has consumed, then records that no remembered claim covers.
func (l *lane) collect() {
	consumed, remembered, registered := l.next, l.next, false
	for _, c := range l.consumers {
		if c.claimStart >= 0 {
			remembered = min(remembered, c.claimStart)
		}
		if c.group.registered {
			registered = true
			consumed = min(consumed, c.committed+1)
		}
	}
	if registered && !l.queue.keeps() {
		l.raise(consumed)
	}
	for ; l.bodiless < l.floor; l.bodiless++ {
		if l.bodiless >= l.start {
			l.queue.e.bodies.release(&l.at(l.bodiless).body)
		}
	}
	l.dropTo(min(l.floor, remembered))
	if l.cleaned < l.start || l.start < l.floor {
		l.queue.markDirty(l)
	}
}

func (l *lane) dropTo(off int64) {
	if off <= l.start {
		return
	}
	l.start = off
	if l.start == l.next {
		l.chunks, l.base = nil, l.next
		return
	}
	for l.base+chunkSize <= l.start {
		l.chunks[0] = nil
		l.chunks = l.chunks[1:]
		l.base += chunkSize
	}
}

// retire moves the floor up to off, for retention.
func (l *lane) retire(off int64) {
	l.raise(off)
	l.collect()
}

func (l *lane) raise(floor int64) {
	if floor = min(floor, l.next); floor > l.floor {
		l.queue.live -= floor - l.floor
		l.floor = floor
	}
}

// find answers the lowest offset in from..to that carries the key.
func (l *lane) find(key uid, from, to int64) (off int64, ok bool) {
	for off = max(from, l.start); off <= to && off < l.next; off++ {
		if l.at(off).key == key {
			return off, true
		}
	}
	return 0, false
}

func (l *lane) row() []byte {
	var w rowWriter
	w.text(l.name)
	w.uid(l.id)
	w.int(l.floor)
	w.int(l.used)
	return w
}

// laneIndex finds lanes by partition id.
type laneIndex struct {
	mu   sync.RWMutex
	byID map[uid]*lane
}

func (x *laneIndex) get(id uid) *lane {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.byID[id]
}

func (x *laneIndex) put(l *lane) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.byID[l.id] = l
}

func (x *laneIndex) remove(id uid) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.byID, id)
}
