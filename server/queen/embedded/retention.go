package embedded

import (
	"slices"
	"sort"
	"time"
)

const (
	// sweepDelay is how long consumed messages may stay on disk: Queen's own
	// interval of retention sweeps (queen-wire 12.1).
	sweepDelay = 5e6
	// sweepPause is the least time between two sweeps of a queue. What is due
	// earlier already reads as gone.
	sweepPause = 1e6
	// idleLane is how long an empty lane is kept (queen-wire 12.1).
	idleLane = 30 * 24 * 3600 * 1e6
	// fewRows is up to how many rows of a lane are deleted one by one. Beyond it
	// one range delete is cheaper.
	fewRows = 4
)

// retention is the age at which messages are removed, in microseconds; 0 means
// never.
func (q *queue) retention() int64 {
	if !q.opts.RetentionEnabled || q.opts.RetentionSeconds <= 0 {
		return 0
	}
	return int64(q.opts.RetentionSeconds) * 1e6
}

// unretired is the first offset that retention leaves at the instant now.
func (l *lane) unretired(now int64) int64 {
	age := l.queue.retention()
	if age == 0 || l.floor == l.next || l.at(l.floor).at+age > now {
		return l.floor
	}
	n := sort.Search(int(l.next-l.floor), func(i int) bool { return l.at(l.floor+int64(i)).at+age > now })
	return l.floor + int64(n)
}

// retain removes what is too old from a lane, consumed or not.
func (q *queue) retain(c *command, l *lane) {
	first := l.unretired(c.now)
	if first == l.floor {
		return
	}
	l.retire(first)
	c.set(laneKey(q.num, l.num), l.row())
}

// keeps reports whether consumed messages stay for groups that come later.
func (q *queue) keeps() bool { return q.e.keep && q.retention() == 0 }

func (q *queue) markDirty(l *lane) {
	if !l.dirty {
		l.dirty = true
		q.dirty = append(q.dirty, l)
	}
}

// arm sets the alarm for the next housekeeping.
func (q *queue) arm(now int64) {
	if !q.exists {
		return
	}
	due := q.sweep.due
	consider := func(at int64) {
		if due == 0 || at < due {
			due = at
		}
	}
	if due == 0 && q.live > 0 && q.retention() > 0 {
		consider(q.oldest() + q.retention())
	}
	if len(q.dirty) > 0 {
		consider(now + sweepDelay)
	}
	if len(q.dedup.log) > 0 {
		consider(q.dedup.log[0].at + q.window())
	}
	if due == q.sweep.due {
		return
	}
	due = max(due, q.sweep.ran+sweepPause)
	if due == q.sweep.due {
		return
	}
	stop(&q.sweep.alarm)
	q.sweep.due = due
	e, name := q.e, q.name
	q.sweep.alarm = e.clock.AfterFunc(time.Duration(due-now)*time.Microsecond, func() {
		e.alarmed(func() { e.sweep(name) })
	})
}

// oldest is the time of the oldest message. There must be one.
func (q *queue) oldest() int64 {
	oldest := int64(1)<<62 - 1
	for _, l := range q.order {
		if l.floor < l.next {
			oldest = min(oldest, l.at(l.floor).at)
		}
	}
	return oldest
}

// sweep is a queue's housekeeping: retention, expired transaction ids, consumed
// messages, idle lanes.
func (e *Engine) sweep(name string) {
	c := e.begin(scope{queues: []string{name}})
	q := c.queues[0]
	q.sweep.cancel()
	if q.exists {
		q.sweep.ran = c.now
		q.tidy(c)
	}
	if err := c.finish(); err != nil {
		e.log.Error("sweeping a queue", "error", err)
	}
}

func (q *queue) tidy(c *command) {
	q.expireDedup(c)
	if q.retention() > 0 && q.live > 0 {
		for _, l := range q.order {
			q.retain(c, l)
		}
	}
	dirty := q.dirty
	q.dirty = nil
	gone := q.live == 0
	for _, l := range dirty {
		l.dirty = false
		for _, cons := range l.consumers {
			if !cons.leased(c.now) {
				cons.claimStart = -1
			}
		}
		l.collect()
		gone = gone && l.start == l.next
	}
	if gone && len(dirty) > 0 {
		q.cleanAll(c)
	} else {
		for _, l := range dirty {
			l.clean(c)
		}
	}
	q.removeIdle(c)
}

// cleanAll deletes the rows of a drained queue at once, however many lanes it
// has.
func (q *queue) cleanAll(c *command) {
	c.deleteRange(numKey(spaceMessage, q.num), numKey(spaceMessage, q.num+1))
	c.deleteRange(numKey(spaceBody, q.num), numKey(spaceBody, q.num+1))
	for _, l := range q.order {
		l.cleaned, l.apart, l.dirty = l.next, false, false
	}
	q.dirty = nil
}

// clean deletes the rows of a lane that nobody needs.
func (l *lane) clean(c *command) {
	q := l.queue
	if n := l.start - l.cleaned; n > fewRows {
		c.deleteRange(messageKey(q.num, l.num, l.cleaned), messageKey(q.num, l.num, l.start))
	} else {
		for off := l.cleaned; off < l.start; off++ {
			c.delete(messageKey(q.num, l.num, off))
		}
	}
	if l.apart && l.start > l.cleaned {
		c.deleteRange(bodyKey(q.num, l.num, l.cleaned), bodyKey(q.num, l.num, l.start))
		l.apart = l.start < l.next
	}
	l.cleaned = l.start
}

// removeIdle takes out lanes that are empty and were not used for idleLane. A
// later push makes a new one, with a new id and offset 0.
func (q *queue) removeIdle(c *command) {
	idle := func(l *lane) bool {
		if l.start != l.next || l.used+idleLane > c.now {
			return false
		}
		return !slices.ContainsFunc(l.consumers, func(cons *consumer) bool { return cons.leased(c.now) })
	}
	if !slices.ContainsFunc(q.order, idle) {
		return
	}
	q.order = slices.DeleteFunc(q.order, func(l *lane) bool {
		if !idle(l) {
			return false
		}
		q.discard(l)
		delete(q.lanes, l.name)
		c.delete(laneKey(q.num, l.num))
		c.deleteRange(numKey(spaceConsumer, q.num, l.num), numKey(spaceConsumer, q.num, l.num+1))
		return true
	})
}
