package httpclient

import (
	"encoding/hex"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// zone puts right what Queen 1.x says about time. It writes the database's local
// time with a Z behind it, everywhere but in the key/value store, whose times
// carry their offset: so the offset is learned there. A gateway reads a
// key/value row before it claims a message, so it is known in time.
type zone struct {
	log *slog.Logger

	mu     sync.RWMutex
	known  bool
	offset time.Duration
	// seen is the newest instant the offset was read from: it changes with the
	// season.
	seen   time.Time
	warned bool
}

// slack is how far the clocks of a broker and its database may be apart.
const slack = time.Minute

// kv reads a time of the key/value store, null or absent as zero, and learns from
// it. Only times that are past teach: the offset of a far expiry may be that of
// another season.
func (z *zone) kv(text *string, past bool) time.Time {
	if text == nil {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, *text)
	if err != nil {
		return time.Time{}
	}
	if past {
		z.learn(t)
	}
	return t.UTC()
}

func (z *zone) learn(t time.Time) {
	z.mu.RLock()
	fresh := z.known && !t.After(z.seen)
	z.mu.RUnlock()
	if fresh {
		return
	}
	_, seconds := t.Zone()
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.known && !t.After(z.seen) {
		return
	}
	z.known, z.seen, z.offset = true, t, time.Duration(seconds)*time.Second
	if z.offset != 0 && !z.warned {
		z.warned = true
		z.log.Warn("the broker's database does not run in UTC: times are corrected by the offset of its key/value store; set the database's time zone to UTC",
			"offset", z.offset)
	}
}

func (z *zone) current() (offset time.Duration, known bool) {
	z.mu.RLock()
	defer z.mu.RUnlock()
	return z.offset, z.known
}

// utc reads a time that was written as the database's local time; an unreadable
// one is zero.
func (z *zone) utc(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	offset, _ := z.current()
	return t.UTC().Add(-offset)
}

// message reads when a message was committed. Its id, minted by the broker's own
// clock, is a witness, but not a judge: the id of a fired timer is as old as its
// scheduling, so a commit after the id is possible at any distance. A commit
// before the id is not.
func (z *zone) message(created, id string) time.Time {
	minted, hasID := mintedAt(id)
	t, err := time.Parse(time.RFC3339Nano, created)
	if err != nil {
		// The id's time is the next best thing, and zero when there is none.
		return minted
	}
	t = t.UTC()
	offset, known := z.current()
	switch {
	case known && offset == 0, !known && !hasID:
		return t
	case !known:
		if early := t.Sub(minted); early < -slack {
			// Zones differ by quarters of an hour.
			t = t.Add(-early.Round(15 * time.Minute))
		}
		return t
	}
	t = t.Add(-offset)
	if !hasID || near(t, minted) {
		return t
	}
	// The season's hour may have changed since the offset was learned.
	for _, hour := range []time.Duration{time.Hour, -time.Hour} {
		if other := t.Add(hour); near(other, minted) {
			return other
		}
	}
	return t
}

func near(a, b time.Time) bool { return a.Sub(b).Abs() <= slack }

// mintedAt is the time in a UUIDv7, to the millisecond.
func mintedAt(id string) (time.Time, bool) {
	if len(id) != 36 || id[14] != '7' {
		return time.Time{}, false
	}
	var ms [6]byte
	if _, err := hex.Decode(ms[:], []byte(strings.Replace(id[:13], "-", "", 1))); err != nil {
		return time.Time{}, false
	}
	var n int64
	for _, b := range ms {
		n = n<<8 | int64(b)
	}
	return time.UnixMilli(n).UTC(), true
}
