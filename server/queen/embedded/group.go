package embedded

import (
	"container/heap"

	"github.com/queen-mq/queen-sqs/server/clock"
)

// group is one consumer group of a queue: its lanes with something to claim, in
// the order they became claimable, and its parked pops. Every queue has
// DefaultGroup; registered says that it has consumed.
type group struct {
	queue      *queue
	name       string
	registered bool

	ready consumerList
	// due holds the consumers that become claimable by themselves: when a lease
	// expires or a delay ends.
	due consumerHeap

	wild   waiterList             // parked pops for any lane
	pinned map[string]*waiterList // parked pops for one lane
	// awaited are consumers that became ready while a pinned pop waits for their
	// lane.
	awaited []*consumer

	alarm   clock.Timer // rings when the first of due matters to a parked pop
	alarmAt int64
}

func (g *group) reset() {
	g.registered = false
	g.ready, g.due, g.awaited = consumerList{}, nil, nil
	stop(&g.alarm)
}

// register notes a group's first contact; it reads from the oldest retained
// message.
func (g *group) register(c *command) {
	if g.registered {
		return
	}
	g.registered = true
	c.set(groupKey(g.queue.num, g.name), nil)
}

// settle moves consumers whose time has come.
func (g *group) settle(now int64) {
	for len(g.due) > 0 && g.due[0].wakeAt <= now {
		g.due[0].place(now)
	}
}

// consumer is a group's place in a lane: Queen's consumer row and where the
// scheduler keeps it.
type consumer struct {
	lane  *lane
	group *group

	// exists says that the group has claimed from the lane: the row is there.
	exists    bool
	committed int64
	// lease is the worker; it stays after its expiry until the next claim.
	lease    uid
	expires  int64
	batchEnd int64
	// claimStart is where the last claim began, -1 when it is forgotten. Its ids
	// stay resolvable until then.
	claimStart    int64
	attemptOffset int64
	attempts      int64
	retries       int64

	wakeAt     int64
	heapIndex  int // in group.due, -1 when not
	next, prev *consumer
	listed     bool // in group.ready
}

func (c *consumer) leased(now int64) bool { return c.lease != uid{} && c.expires > now }

// head is the first offset the group has not consumed.
func (c *consumer) head() int64 { return max(c.committed+1, c.lane.floor) }

func (c *consumer) pending() bool { return c.lane.next > c.head() }

// place puts the consumer where it belongs now: among the ready, among the due,
// or nowhere. A ready one keeps its turn.
func (c *consumer) place(now int64) {
	if c.leased(now) {
		c.sleep(c.expires)
		return
	}
	if !c.pending() {
		c.rest()
		return
	}
	if delay := c.lane.queue.delay(); delay > 0 {
		if visible := c.lane.at(c.head()).at + delay; visible > now {
			c.sleep(visible)
			return
		}
	}
	c.unsleep()
	if c.listed {
		return
	}
	c.group.ready.push(c)
	if c.group.pinned[c.lane.name] != nil {
		c.group.awaited = append(c.group.awaited, c)
	}
}

func (c *consumer) sleep(until int64) {
	if c.listed {
		c.group.ready.remove(c)
	}
	c.wakeAt = until
	if c.heapIndex >= 0 {
		heap.Fix(&c.group.due, c.heapIndex)
		return
	}
	heap.Push(&c.group.due, c)
}

func (c *consumer) unsleep() {
	if c.heapIndex >= 0 {
		heap.Remove(&c.group.due, c.heapIndex)
	}
}

func (c *consumer) rest() {
	c.unsleep()
	if c.listed {
		c.group.ready.remove(c)
	}
}

// release ends the lease.
func (c *consumer) release() {
	c.group.queue.e.leases.remove(c)
	c.lease, c.expires = uid{}, 0
}

func (c *consumer) save(cmd *command) {
	l := c.lane
	cmd.set(consumerKey(l.queue.num, l.num, c.group.name), c.row())
}

func (c *consumer) row() []byte {
	var w rowWriter = make([]byte, 0, 64)
	w.int(c.committed)
	w.uid(c.lease)
	for _, v := range []int64{c.expires, c.batchEnd, c.claimStart, c.attemptOffset, c.attempts, c.retries} {
		w.int(v)
	}
	return w
}

func (c *consumer) readRow(row []byte) error {
	in := rowReader{b: row}
	c.exists = true
	c.committed = in.int()
	c.lease = in.uid()
	for _, v := range []*int64{&c.expires, &c.batchEnd, &c.claimStart, &c.attemptOffset, &c.attempts, &c.retries} {
		*v = in.int()
	}
	return in.err
}

// consumerList is first come, first served, with removal from the middle.
type consumerList struct{ first, last *consumer }

func (l *consumerList) push(c *consumer) {
	c.listed, c.prev, c.next = true, l.last, nil
	if l.last != nil {
		l.last.next = c
	} else {
		l.first = c
	}
	l.last = c
}

func (l *consumerList) remove(c *consumer) {
	if c.prev != nil {
		c.prev.next = c.next
	} else {
		l.first = c.next
	}
	if c.next != nil {
		c.next.prev = c.prev
	} else {
		l.last = c.prev
	}
	c.listed, c.prev, c.next = false, nil, nil
}

type consumerHeap []*consumer

func (h consumerHeap) Len() int           { return len(h) }
func (h consumerHeap) Less(i, j int) bool { return h[i].wakeAt < h[j].wakeAt }
func (h consumerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].heapIndex, h[j].heapIndex = i, j
}

func (h *consumerHeap) Push(x any) {
	c := x.(*consumer)
	c.heapIndex = len(*h)
	*h = append(*h, c)
}

func (h *consumerHeap) Pop() any {
	old := *h
	c := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	c.heapIndex = -1
	return c
}
