package embedded

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// What Queen's HTTP API shows beyond queen.Broker.

// DescribeQueues lists every queue without its lanes, newest first.
func (e *Engine) DescribeQueues(ctx context.Context) ([]queen.QueueDetail, error) {
	if err := e.enter(ctx, ""); err != nil {
		return nil, err
	}
	defer e.leave()
	type row struct {
		detail queen.QueueDetail
		num    uint64
	}
	var rows []row
	var seen []*write
	for _, q := range e.snapshot() {
		q.mu.Lock()
		if q.exists && !q.dead {
			q.clock = max(q.clock, e.micros())
			rows = append(rows, row{q.describe(), q.num})
			seen = append(seen, q.last)
		}
		q.mu.Unlock()
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(b.num, a.num) })
	details := make([]queen.QueueDetail, len(rows))
	for i := range rows {
		details[i] = rows[i].detail
		details[i].Lanes = nil
	}
	return details, waitAll(seen)
}

func waitAll(seen []*write) error {
	for _, w := range seen {
		if err := w.wait(); err != nil {
			return err
		}
	}
	return nil
}

// DescribeQueue answers one queue; an unknown one is a *queen.StatusError 404.
func (e *Engine) DescribeQueue(ctx context.Context, name string) (queen.QueueDetail, error) {
	if err := e.enter(ctx, ""); err != nil {
		return queen.QueueDetail{}, err
	}
	defer e.leave()
	q := e.peek(name)
	if q == nil {
		return queen.QueueDetail{}, refusal(404, field{"error", "Queue not found"})
	}
	d, seen := q.describe(), q.last
	q.mu.Unlock()
	return d, seen.wait()
}

func (q *queue) describe() queen.QueueDetail {
	d := queen.QueueDetail{
		ID: q.id.String(), Name: q.name, CreatedAt: instant(q.created), Options: q.opts,
		Partitions: len(q.order), Lanes: make([]queen.LaneDetail, 0, len(q.order)),
	}
	dead := map[string]int64{}
	for i := range q.letters.rows {
		dead[q.letters.rows[i].PartitionID]++
	}
	groups := q.watched()
	for _, l := range q.order {
		row := queen.LaneDetail{ID: l.id.String(), Name: l.name}
		for _, g := range groups {
			depth := l.depth(g, q.clock)
			row.Pending = max(row.Pending, depth.Pending)
			row.Processing = max(row.Processing, depth.Processing)
		}
		row.Total, row.Completed, row.DeadLetter = l.next, l.next-row.Pending, dead[row.ID]
		if first := l.unretired(q.clock); first < l.next {
			row.Oldest, row.Newest = instant(l.at(first).at), instant(l.at(l.next-1).at)
			d.Messages += l.next - first
		}
		d.Total += row.Total
		d.Completed += row.Completed
		d.Pending += row.Pending
		d.Processing += row.Processing
		d.DeadLetter += row.DeadLetter
		d.Lanes = append(d.Lanes, row)
	}
	return d
}

// watched are the groups that have consumed, or DefaultGroup when none has.
func (q *queue) watched() []*group {
	var groups []*group
	for _, g := range q.groups {
		if g.registered {
			groups = append(groups, g)
		}
	}
	if len(groups) == 0 {
		return []*group{q.groups[queen.DefaultGroup]}
	}
	slices.SortFunc(groups, func(a, b *group) int { return strings.Compare(a.name, b.name) })
	return groups
}

// Totals counts what belongs to no queue.
func (e *Engine) Totals(ctx context.Context) (t queen.Totals, err error) {
	if err := e.enter(ctx, "kv"); err != nil {
		return t, err
	}
	defer e.leave()
	now := e.micros()
	e.kv.mu.Lock()
	e.kv.rows.Ascend(func(row *kvRow) bool {
		if row.expires == 0 || row.expires > now {
			t.KVRows++
			t.KVBytes += int64(len(row.name) + len(row.value))
		}
		return true
	})
	e.kv.mu.Unlock()
	e.timers.mu.Lock()
	e.timers.rows.Ascend(func(row *timer) bool {
		t.TimerRows++
		if row.payload != nil {
			t.TimerBytes += int64(len(row.payload.payload))
		}
		return true
	})
	e.timers.mu.Unlock()
	return t, nil
}

// BrowseMessages lists up to limit retained messages of a queue behind the first
// offset of them, newest first. An unknown queue has none. An empty status takes
// every one.
func (e *Engine) BrowseMessages(ctx context.Context, name, partition, status string, offset, limit int) ([]queen.StoredMessage, error) {
	if err := e.enter(ctx, ""); err != nil {
		return nil, err
	}
	defer e.leave()
	list := []queen.StoredMessage{}
	q := e.peek(name)
	if q == nil {
		return list, nil
	}
	defer q.mu.Unlock()
	type place struct {
		lane *lane
		off  int64
	}
	var places []place
	for _, l := range q.order {
		if partition != "" && l.name != partition {
			continue
		}
		// No page reaches further into a lane than this, unless a status is asked for.
		first := l.unretired(q.clock)
		if status == "" {
			first = max(first, l.next-int64(offset)-int64(limit))
		}
		for off := l.next - 1; off >= first; off-- {
			places = append(places, place{l, off})
		}
	}
	sort.SliceStable(places, func(i, j int) bool {
		return places[i].lane.at(places[i].off).at > places[j].lane.at(places[j].off).at
	})
	for _, p := range places {
		if status != "" && p.lane.status(p.off) != status {
			continue
		}
		if offset > 0 {
			offset--
			continue
		}
		if len(list) == limit {
			break
		}
		m, err := e.stored(p.lane, p.off)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// FindMessage answers the retained message of a lane with a transaction id, the
// newest when several have it.
func (e *Engine) FindMessage(ctx context.Context, partitionID, txn string) (m queen.StoredMessage, found bool, err error) {
	if err := e.enter(ctx, ""); err != nil {
		return m, false, err
	}
	defer e.leave()
	l, q := e.lockLane(partitionID)
	if l == nil {
		return m, false, nil
	}
	defer q.mu.Unlock()
	key := txnKey(txn)
	for off := l.next - 1; off >= l.unretired(q.clock); off-- {
		if l.at(off).key == key {
			m, err = e.stored(l, off)
			return m, err == nil, err
		}
	}
	return m, false, nil
}

// lockLane finds a lane and locks its queue; nil when there is none.
func (e *Engine) lockLane(partitionID string) (*lane, *queue) {
	id, ok := parseUID(partitionID)
	if !ok {
		return nil, nil
	}
	l := e.lanes.get(id)
	if l == nil {
		return nil, nil
	}
	q := e.peek(l.queue.name)
	if q == nil {
		return nil, nil
	}
	if l.gone || l.queue != q {
		q.mu.Unlock()
		return nil, nil
	}
	return l, q
}

// status is what an operator calls a message's state.
func (l *lane) status(off int64) string {
	q := l.queue
	id := l.at(off).id.String()
	for i := range q.letters.rows {
		if q.letters.rows[i].MessageID == id {
			return "dead_letter"
		}
	}
	pending := false
	for _, g := range q.watched() {
		c := l.consumer(g)
		if off <= c.committed {
			continue
		}
		if c.leased(q.clock) && off <= c.batchEnd {
			return "processing"
		}
		pending = true
	}
	if pending {
		return "pending"
	}
	return "completed"
}

func (e *Engine) stored(l *lane, off int64) (queen.StoredMessage, error) {
	q, r := l.queue, l.at(off)
	b := r.body
	if b == nil {
		var err error
		if b, err = readBody(e.journal.db, q.num, l.num, off); err != nil {
			return queen.StoredMessage{}, err
		}
	}
	var delivered queen.Message
	delivered.ID = r.id.String()
	fill(&delivered, r.id, r.key, b)
	m := queen.StoredMessage{
		Queue: q.name, Options: q.opts, ID: delivered.ID, Txn: delivered.TransactionID, Partition: l.name,
		PartitionID: l.id.String(), Payload: delivered.Payload, CreatedAt: instant(r.at), Offset: off, Status: l.status(off),
	}
	for i := range q.letters.rows {
		if q.letters.rows[i].MessageID == m.ID {
			m.Reason = q.letters.rows[i].Reason
		}
	}
	for _, g := range q.watched() {
		c := l.consumer(g)
		if !g.registered {
			continue
		}
		row := queen.MessageGroup{Name: g.name, Consumed: off <= c.committed}
		if !row.Consumed && c.leased(q.clock) && off <= c.batchEnd {
			row.LeaseExpires = instant(c.expires)
		}
		m.Retries = max(m.Retries, c.retries)
		m.Groups = append(m.Groups, row)
	}
	return m, nil
}

// BrowseDeadLetters lists natively dead-lettered messages, newest first: those of
// one queue, or of all with an empty name, of one group or of all.
func (e *Engine) BrowseDeadLetters(ctx context.Context, name, group string) ([]queen.DeadLetterRow, error) {
	if err := e.enter(ctx, ""); err != nil {
		return nil, err
	}
	defer e.leave()
	list := []queen.DeadLetterRow{}
	for _, q := range e.snapshot() {
		if name != "" && q.name != name {
			continue
		}
		q.mu.Lock()
		for i := range q.letters.rows {
			if group == "" || q.letters.rows[i].Group == group {
				list = append(list, q.letters.rows[i].operatorRow(q.name))
			}
		}
		q.mu.Unlock()
	}
	slices.SortStableFunc(list, func(a, b queen.DeadLetterRow) int { return b.FailedAt.Compare(a.FailedAt) })
	return list, nil
}

func (d DeadLetter) operatorRow(queueName string) queen.DeadLetterRow {
	return queen.DeadLetterRow{
		ID: d.MessageID, Txn: d.TransactionID, Queue: queueName, Partition: d.Partition, PartitionID: d.PartitionID,
		Group: d.Group, Payload: d.Payload, Reason: d.Reason, Attempts: d.Attempts, CreatedAt: d.CreatedAt, FailedAt: d.FailedAt,
	}
}

// TakeDeadLetter removes the newest dead letter of a lane with a transaction id.
// With replay its payload is pushed to the same lane in the same commit, under a
// new transaction id.
func (e *Engine) TakeDeadLetter(ctx context.Context, partitionID, txn string, replay bool) (row queen.DeadLetterRow, pushed queen.PushResult, found bool, err error) {
	if err := e.enter(ctx, ""); err != nil {
		return row, pushed, false, err
	}
	defer e.leave()
	l, q := e.lockLane(partitionID)
	if l == nil {
		return row, pushed, false, nil
	}
	name := q.name
	q.mu.Unlock()
	c := e.begin(scope{queues: []string{name}})
	q = c.queues[0]
	rows := q.letters.rows
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i].PartitionID != partitionID || rows[i].TransactionID != txn {
			continue
		}
		row, found = rows[i].operatorRow(name), true
		q.removeLetter(c, i)
		if replay {
			in := newIntake(c)
			pushed = in.push(&queen.PushItem{Queue: name, Partition: row.Partition, Payload: row.Payload})
			in.placeAll()
		}
		break
	}
	return row, pushed, found, c.finish()
}

// removeLetter takes out one dead letter. The journal numbers them in the order
// of the rows, so what remains is numbered anew.
func (q *queue) removeLetter(c *command, i int) {
	c.deleteRange(numKey(spaceDead, q.num), numKey(spaceDead, q.num+1))
	q.letters.rows = slices.Delete(slices.Clone(q.letters.rows), i, i+1)
	q.letters.last = 0
	for _, d := range q.letters.rows {
		q.letters.last++
		c.set(deadKey(q.num, q.letters.last), d.row())
	}
}
