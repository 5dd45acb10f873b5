package embedded

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// The model is the contract in its most naive form: slices that are searched
// from the front. A random run of commands, time steps, crashes and restarts
// must find the engine and the model of one mind.
type model struct {
	lanes map[string]*modelLane
	delay time.Duration
}

type modelLane struct {
	messages  []modelMessage // by offset
	committed int
	lease     string
	expires   time.Time
	batchEnd  int
	attemptAt int
	attempts  int
	retries   int
	dead      []string
}

type modelMessage struct {
	txn string
	at  time.Time
}

func (m *model) lane(name string) *modelLane {
	l := m.lanes[name]
	if l == nil {
		l = &modelLane{committed: -1, attemptAt: -1}
		m.lanes[name] = l
	}
	return l
}

func (l *modelLane) leased(now time.Time) bool { return l.lease != "" && l.expires.After(now) }

// claim answers what a pinned pop of the lane must deliver.
func (m *model) claim(l *modelLane, now time.Time, batch int) (ids []string) {
	if l.leased(now) {
		return nil
	}
	for off := l.committed + 1; off < len(l.messages) && len(ids) < batch; off++ {
		if l.messages[off].at.Add(m.delay).After(now) {
			break
		}
		ids = append(ids, l.messages[off].txn)
	}
	return ids
}

func (l *modelLane) claimed(lease string, expires time.Time, n int) {
	start := l.committed + 1
	l.lease, l.expires, l.batchEnd = lease, expires, start+n-1
	if l.attemptAt == start {
		l.attempts++
	} else {
		l.attempts = 1
	}
	l.attemptAt = start
}

// ack applies one call's acks, all under the lane's live lease and all of claimed
// messages.
func (l *modelLane) ack(statuses map[int]queen.AckStatus, retryLimit int) {
	signal := -1
	for off, s := range statuses {
		if s != queen.Completed && (signal < 0 || off < signal) {
			signal = off
		}
	}
	cursor := l.committed
	for off, s := range statuses {
		if s == queen.Completed && (signal < 0 || off < signal) {
			cursor = max(cursor, off)
		}
	}
	release := cursor >= l.batchEnd
	if signal >= 0 {
		release = true
		switch statuses[signal] {
		case queen.Failed:
			if l.retries < retryLimit {
				l.retries++
				break
			}
			fallthrough
		case queen.DeadLetter:
			l.dead = append(l.dead, l.messages[signal].txn)
			cursor, l.retries = signal, 0
		}
	} else if release {
		l.retries = 0
	}
	moved := cursor > l.committed
	l.committed = cursor
	if release {
		l.lease = ""
	}
	switch {
	case cursor >= l.batchEnd:
		l.attempts, l.attemptAt = 0, -1
	case moved:
		l.attemptAt = cursor + 1
	}
}

func TestAgainstTheModel(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { runModel(t, rand.New(rand.NewPCG(seed, 7))) })
	}
}

func runModel(t *testing.T, rnd *rand.Rand) {
	r := newRig(t)
	m := &model{lanes: map[string]*modelLane{}}
	opts := queen.ImplicitOptions()
	opts.RetryLimit, opts.DedupWindowSeconds = 2, 0
	if rnd.IntN(2) == 0 {
		m.delay, opts.DelayedProcessing = 3*time.Second, 3
	}
	_, err := r.Configure(bg, "", "q", opts)
	r.must(err)
	held := map[string][]queen.Message{} // the last claim of each lane
	serial := 0
	for step := range 600 {
		name := fmt.Sprint(rnd.IntN(4))
		l := m.lane(name)
		switch p := rnd.IntN(100); {
		case p < 30:
			n := 1 + rnd.IntN(4)
			var ids []string
			for range n {
				ids = append(ids, fmt.Sprintf("m%d", serial))
				serial++
			}
			for _, res := range mustPush(r, r.Engine, "q", name, ids...) {
				r.same("offset", res.Offset, len(l.messages))
				l.messages = append(l.messages, modelMessage{txn: res.TransactionID, at: r.clock.Now()})
			}
		case p < 60:
			batch := 1 + rnd.IntN(5)
			now := r.clock.Now()
			got := r.lane(name, batch)
			if m.delay > 0 && edge(l, now, m.delay) {
				now = r.clock.Now() // the machine's own pace reached a message in between
			}
			want := m.claim(l, now, batch)
			var ids []string
			for _, x := range got {
				ids = append(ids, x.TransactionID)
			}
			if !slices.Equal(ids, want) {
				t.Fatalf("step %d: lane %s delivered %v, the model says %v", step, name, ids, want)
			}
			if len(got) > 0 {
				l.claimed(got[0].LeaseID, now.Add(30*time.Second), len(got))
				held[name] = got
				r.same("attempt", got[0].Attempt, l.attempts)
				r.same("offset", got[0].Offset, l.committed+1)
				r.same("payload", string(got[0].Payload), fmt.Sprintf("%q", ids[0]))
			}
		case p < 85:
			ackSome(r, rnd, l, held[name])
		case p < 92:
			r.clock.Advance(time.Duration(1+rnd.IntN(20)) * time.Second)
		case p < 94:
			r.clock.Advance(31 * time.Second)
		case p < 97:
			r.crash()
		default:
			r.restart()
		}
		compareDepth(r, m)
	}
	compareDeadLetters(r, m)
}

// edge reports whether a message of the lane becomes visible within a second:
// the clock moves by itself while a pop runs.
func edge(l *modelLane, now time.Time, delay time.Duration) bool {
	return slices.ContainsFunc(l.messages, func(x modelMessage) bool {
		d := x.at.Add(delay).Sub(now)
		return d > 0 && d < time.Second
	})
}

// ackSome acks a random part of a claim with random words, sometimes one that is
// over.
func ackSome(r *rig, rnd *rand.Rand, l *modelLane, claim []queen.Message) {
	if len(claim) == 0 {
		return
	}
	words := []queen.AckStatus{queen.Completed, queen.Completed, queen.Completed, queen.Completed, queen.Retry, queen.Failed, queen.DeadLetter}
	var acks []queen.Ack
	statuses := map[int]queen.AckStatus{}
	live := l.lease == claim[0].LeaseID && l.leased(r.clock.Now())
	for _, x := range claim {
		if rnd.IntN(2) == 0 {
			continue
		}
		word := words[rnd.IntN(len(words))]
		acks = append(acks, queen.Ack{TransactionID: x.TransactionID, PartitionID: x.PartitionID, LeaseID: x.LeaseID, Status: word})
		if live && int(x.Offset) > l.committed {
			statuses[int(x.Offset)] = word
		}
	}
	rnd.Shuffle(len(acks), func(i, j int) { acks[i], acks[j] = acks[j], acks[i] })
	results, err := r.Ack(bg, "", "", acks)
	r.must(err)
	for i, res := range results {
		off := slices.IndexFunc(l.messages, func(x modelMessage) bool { return x.txn == res.TransactionID })
		want := ""
		switch {
		case !live:
			want = errLease
		case off <= l.committed && acks[i].Status != queen.Completed:
			want = errCommitted
		}
		r.same("ack error", res.Error, want)
		r.same("no-op", res.Noop, want == "" && off <= l.committed)
	}
	if len(statuses) > 0 {
		l.ack(statuses, 2)
	}
}

func compareDepth(r *rig, m *model) {
	r.Helper()
	d, err := r.Depth(bg, "", "q", "")
	r.must(err)
	now := r.clock.Now()
	for _, row := range d.Lanes {
		l := m.lane(row.Partition)
		want := queen.LaneDepth{Partition: row.Partition, Pending: int64(len(l.messages) - 1 - l.committed)}
		if l.leased(now) {
			want.Processing = int64(l.batchEnd - l.committed)
		}
		want.Ready = want.Pending - want.Processing
		r.same("depth", row, want)
	}
}

func compareDeadLetters(r *rig, m *model) {
	r.Helper()
	want := map[string][]string{}
	for name, l := range m.lanes {
		if len(l.dead) > 0 {
			want[name] = l.dead
		}
	}
	got := map[string][]string{}
	q := r.peek("q")
	for _, d := range q.letters.rows {
		got[d.Partition] = append(got[d.Partition], d.TransactionID)
		if !json.Valid(d.Payload) {
			r.Fatalf("payload %s", d.Payload)
		}
	}
	q.mu.Unlock()
	r.same("dead letters", got, want)
}
