package embedded

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// recovery rebuilds the state by one scan of the journal in key order.
type recovery struct {
	e      *Engine
	queues map[uint64]*queue
	lanes  map[uint64]*lane
}

func (e *Engine) recover() error {
	if e.journal.db == nil {
		return nil
	}
	if err := e.checkFormat(); err != nil {
		return err
	}
	r := &recovery{e: e, queues: map[uint64]*queue{}, lanes: map[uint64]*lane{}}
	it, err := e.journal.db.NewIter(&pebble.IterOptions{UpperBound: []byte{spaceBody}})
	if err != nil {
		return fmt.Errorf("cannot read the journal: %w", err)
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err == nil {
			err = r.row(it.Key(), value)
		}
		if err != nil {
			return fmt.Errorf("cannot read the journal's row %q: %w", it.Key(), err)
		}
	}
	if err := it.Error(); err != nil {
		return fmt.Errorf("cannot read the journal: %w", err)
	}
	r.finish()
	return nil
}

// checkFormat refuses a folder of another layout and marks a new one.
func (e *Engine) checkFormat() error {
	db := e.journal.db
	value, closer, err := db.Get(metaFormat)
	switch {
	case err == pebble.ErrNotFound:
		return db.Set(metaFormat, binary.AppendVarint(nil, journalFormat), pebble.Sync)
	case err != nil:
		return fmt.Errorf("cannot read the journal: %w", err)
	}
	defer closer.Close()
	if format, _ := binary.Varint(value); format != journalFormat {
		return fmt.Errorf("the data folder %q has journal format %d, this version reads format %d: use the version that wrote it", e.dir, format, journalFormat)
	}
	return nil
}

func (r *recovery) row(key, value []byte) error {
	switch key[0] {
	case spaceMeta:
		return r.meta(key, value)
	case spaceQueue:
		return r.queue(key, value)
	case spaceGroup:
		return r.group(key)
	case spaceLane:
		return r.lane(key, value)
	case spaceConsumer:
		return r.consumer(key, value)
	case spaceMessage:
		return r.message(key, value)
	case spaceDedup:
		return r.dedup(key, value)
	case spaceDead:
		return r.dead(key, value)
	case spaceKV:
		row, err := decodeKV(string(key[1:]), value)
		if err == nil {
			r.e.kv.put(row)
		}
		return err
	case spaceTimer:
		return r.timer(key, value)
	}
	return fmt.Errorf("unknown kind of row")
}

func (r *recovery) meta(key, value []byte) error {
	mark, _ := binary.Varint(value)
	switch string(key) {
	case string(metaNumbers):
		r.e.numbers.last, r.e.numbers.mark = uint64(mark), uint64(mark)
	case string(metaVersions):
		r.e.kv.versions.last, r.e.kv.versions.mark = uint64(mark), uint64(mark)
	}
	return nil
}

// used makes sure that a number that is in use is not handed out again, should
// its mark have been behind it.
func (r *recovery) used(n uint64) { r.e.numbers.last = max(r.e.numbers.last, n) }

func (r *recovery) queue(key, value []byte) error {
	nums, _, ok := splitNums(key, 1)
	if !ok {
		return errShortRow
	}
	in := rowReader{b: value}
	name := in.text()
	q := newQueue(r.e, name)
	q.exists, q.num = true, nums[0]
	q.id, q.created = in.uid(), in.int()
	if in.err != nil {
		return in.err
	}
	if err := json.Unmarshal(in.b, &q.opts); err != nil {
		return err
	}
	q.clock = q.created
	r.used(q.num)
	r.queues[q.num] = q
	r.e.queues[name] = q
	return nil
}

// owner answers the queue a row belongs to and the rest of its key.
func (r *recovery) owner(key []byte, n int) (q *queue, nums []uint64, rest []byte, err error) {
	nums, rest, ok := splitNums(key, n)
	if !ok {
		return nil, nil, nil, errShortRow
	}
	if q = r.queues[nums[0]]; q == nil {
		return nil, nil, nil, fmt.Errorf("its queue is missing")
	}
	return q, nums, rest, nil
}

func (r *recovery) group(key []byte) error {
	q, _, name, err := r.owner(key, 1)
	if err != nil {
		return err
	}
	q.group(string(name)).registered = true
	return nil
}

func (r *recovery) lane(key, value []byte) error {
	q, nums, _, err := r.owner(key, 2)
	if err != nil {
		return err
	}
	in := rowReader{b: value}
	l := &lane{queue: q, num: nums[1], name: in.text(), id: in.uid(), floor: in.int(), used: in.int()}
	l.start, l.next, l.base, l.bodiless, l.cleaned = l.floor, l.floor, l.floor, l.floor, l.floor
	q.adopt(l)
	r.used(l.num)
	r.lanes[l.num] = l
	return in.err
}

func (r *recovery) consumer(key, value []byte) error {
	q, nums, name, err := r.owner(key, 2)
	if err != nil {
		return err
	}
	l := r.lanes[nums[1]]
	if l == nil {
		return fmt.Errorf("its lane is missing")
	}
	c := l.consumer(q.group(string(name)))
	if err := c.readRow(value); err != nil {
		return err
	}
	l.next = max(l.next, c.committed+1)
	if c.lease != (uid{}) {
		r.e.leases.join(c)
	}
	return nil
}

func (r *recovery) message(key, value []byte) error {
	_, nums, _, err := r.owner(key, 3)
	if err != nil {
		return err
	}
	l := r.lanes[nums[1]]
	if l == nil {
		return fmt.Errorf("its lane is missing")
	}
	rec, _, _, apart, err := readMessageRow(value)
	if err != nil {
		return err
	}
	l.apart = l.apart || apart
	off := int64(nums[2])
	if l.chunks == nil {
		r.begin(l, off)
	}
	if off < l.start {
		return nil // consumed; the next sweep removes the row
	}
	if off != l.next {
		return fmt.Errorf("offset %d follows %d", off, l.next-1)
	}
	l.append(rec)
	return nil
}

// begin makes a lane ready for its first record. Consumed messages that no claim
// needs are left out.
func (r *recovery) begin(l *lane, first int64) {
	consumed, remembered, registered := int64(1)<<62, int64(1)<<62, false
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
		l.floor = max(l.floor, consumed)
	}
	if l.cleaned = min(l.cleaned, first); l.chunks == nil {
		l.start = max(first, min(l.floor, remembered))
	}
	l.base, l.next = l.start, l.start
	l.floor = max(l.floor, l.start)
	l.bodiless = l.start
}

func (r *recovery) dedup(key, value []byte) error {
	q, nums, _, err := r.owner(key, 4)
	if err != nil {
		return err
	}
	in := rowReader{b: value}
	entry := dedupEntry{laneTxn{nums[2], in.uid()}, in.uid(), int64(nums[3]), int64(nums[1])}
	q.dedup.add(entry)
	q.clock = max(q.clock, entry.at)
	return in.err
}

func (r *recovery) dead(key, value []byte) error {
	q, nums, _, err := r.owner(key, 2)
	if err != nil {
		return err
	}
	letter, err := readDeadLetter(value)
	q.letters.rows = append(q.letters.rows, letter)
	q.letters.last = nums[1]
	return err
}

func (r *recovery) timer(key, value []byte) error {
	if len(key) < 3 {
		return errShortRow
	}
	n := 3 + int(binary.BigEndian.Uint16(key[1:]))
	if len(key) < n {
		return errShortRow
	}
	t, payload, err := readTimerRow(string(key[3:n]), string(key[n:]), value)
	if err != nil {
		return err
	}
	t.payload = r.e.bodies.admit("", payload)
	r.e.timers.seq = max(r.e.timers.seq, t.seq)
	r.e.timers.add(t)
	return nil
}

// finish puts the lanes in order and every consumer in its place.
func (r *recovery) finish() {
	r.e.numbers.mark = max(r.e.numbers.mark, r.e.numbers.last)
	now := r.e.micros()
	for _, q := range r.queues {
		slices.SortFunc(q.order, func(a, b *lane) int { return cmp.Compare(a.num, b.num) })
		q.clock = max(q.clock, now)
		q.live = 0
		for _, l := range q.order {
			r.settle(q, l)
		}
		// First come, first served holds across a restart.
		byAge := slices.Clone(q.order)
		slices.SortStableFunc(byAge, func(a, b *lane) int { return cmp.Compare(a.age(), b.age()) })
		for _, l := range byAge {
			for _, c := range l.consumers {
				c.place(now)
			}
		}
	}
}

// age is the time of a lane's oldest message; empty lanes come last.
func (l *lane) age() int64 {
	if l.floor == l.next {
		return 1<<63 - 1
	}
	return l.at(l.floor).at
}

func (r *recovery) settle(q *queue, l *lane) {
	if l.chunks == nil {
		for _, c := range l.consumers {
			l.next = max(l.next, c.committed+1)
		}
		l.start, l.floor, l.base, l.bodiless, l.cleaned = l.next, l.next, l.next, l.next, min(l.cleaned, l.next)
		return
	}
	l.floor = min(l.floor, l.next)
	q.live += l.next - l.floor
	last := l.at(l.next - 1).at
	q.clock, l.used = max(q.clock, last), max(l.used, last)
	l.collect()
}

// resume sets every alarm after a start.
func (e *Engine) resume() {
	for _, q := range e.snapshot() {
		q.mu.Lock()
		q.arm(e.micros())
		q.mu.Unlock()
	}
	e.kv.mu.Lock()
	e.kv.arm(e, e.micros())
	e.kv.mu.Unlock()
	e.timers.mu.Lock()
	e.timers.arm(e, e.micros())
	e.timers.mu.Unlock()
}
