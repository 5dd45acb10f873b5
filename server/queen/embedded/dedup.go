package embedded

// dedupTable is a queue's memory of transaction ids: by lane and id, and in the
// order of their time. It outlives the messages.
type dedupTable struct {
	index map[laneTxn]int64 // position in the log
	log   []dedupEntry
	first int64 // position of log[0]
}

type dedupEntry struct {
	laneTxn
	id     uid
	offset int64
	at     int64
}

func (t *dedupTable) add(entry dedupEntry) {
	if t.index == nil {
		t.index = map[laneTxn]int64{}
	}
	t.index[entry.laneTxn] = t.first + int64(len(t.log))
	t.log = append(t.log, entry)
}

// find answers the message that holds a transaction id, if it is younger than
// the window (microseconds).
func (t *dedupTable) find(key laneTxn, window, now int64) (original, bool) {
	at, ok := t.index[key]
	if !ok {
		return original{}, false
	}
	entry := &t.log[at-t.first]
	if entry.at+window <= now {
		return original{}, false
	}
	return original{entry.id, entry.offset}, true
}

// original answers the message that holds a transaction id, however old.
func (t *dedupTable) original(key laneTxn) (original, bool) {
	at, ok := t.index[key]
	if !ok {
		return original{}, false
	}
	entry := &t.log[at-t.first]
	return original{entry.id, entry.offset}, true
}

// expire forgets what has left the window and answers how many entries that was
// and the time of the last of them.
func (t *dedupTable) expire(window, now int64) (n int, last int64) {
	for n < len(t.log) && t.log[n].at+window <= now {
		entry := &t.log[n]
		if t.index[entry.laneTxn] == t.first+int64(n) {
			delete(t.index, entry.laneTxn)
		}
		last = entry.at
		n++
	}
	t.first += int64(n)
	t.log = t.log[n:]
	if len(t.log) == 0 {
		t.log, t.index = nil, nil
	}
	return n, last
}

// window is how long a transaction id stays taken, in microseconds.
func (q *queue) window() int64 { return int64(q.opts.DedupWindowSeconds) * 1e6 }

// expireDedup forgets transaction ids beyond the window. The journal's rows are
// in the order of time, so that one range delete removes them.
func (q *queue) expireDedup(c *command) {
	n, last := q.dedup.expire(q.window(), c.now)
	if n > 0 {
		c.deleteRange(numKey(spaceDedup, q.num), numKey(spaceDedup, q.num, uint64(last+1)))
	}
}

func dedupRow(key, id uid) []byte {
	var w rowWriter = make([]byte, 0, 32)
	w.uid(key)
	w.uid(id)
	return w
}
