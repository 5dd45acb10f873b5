package embedded_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
)

// groupRig is an engine on disk that keeps consumed messages and can be started
// again.
type groupRig struct {
	t   *testing.T
	clk *clock.Shifted
	dir string
	e   *embedded.Engine
}

func newGroupRig(t *testing.T) *groupRig {
	r := &groupRig{t: t, clk: clock.NewShifted(), dir: t.TempDir()}
	r.open()
	t.Cleanup(func() { r.must(r.e.Close()) })
	return r
}

func (r *groupRig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *groupRig) open() {
	e, err := embedded.Open(embedded.Config{Dir: r.dir, Clock: r.clk, KeepConsumed: true})
	r.must(err)
	r.e = e
}

func (r *groupRig) restart() {
	r.must(r.e.Close())
	r.open()
}

func (r *groupRig) push(lane string, from, to int) {
	r.t.Helper()
	var items []queen.PushItem
	for n := from; n < to; n++ {
		items = append(items, queen.PushItem{Queue: "q", Partition: lane, Payload: json.RawMessage(fmt.Sprint(n)), TransactionID: queen.Txn(fmt.Sprint(lane, n))})
	}
	_, err := r.e.Push(context.Background(), "", items)
	r.must(err)
}

// consume pops everything a group can have and completes it.
func (r *groupRig) consume(group string) (payloads []string) {
	r.t.Helper()
	p, err := r.e.Pop(context.Background(), "", queen.PopRequest{Queue: "q", Group: group, Batch: 10000, Partitions: 100})
	r.must(err)
	for _, m := range p.Messages {
		payloads = append(payloads, string(m.Payload))
	}
	if p.LeaseID != "" {
		r.must(r.e.CommitLease(context.Background(), p.LeaseID))
	}
	return payloads
}

func (r *groupRig) subscribe(group string, seed queen.Seed) {
	r.t.Helper()
	r.must(r.e.Subscribe(context.Background(), "q", group, true, seed))
}

func (r *groupRig) wantCount(group string, n int) {
	r.t.Helper()
	if got := r.consume(group); len(got) != n {
		r.t.Fatalf("group %s consumed %d messages, want %d", group, len(got), n)
	}
}

func TestConsumedMessagesStayForLaterGroups(t *testing.T) {
	r := newGroupRig(t)
	r.push("a", 0, 1200) // more than a chunk
	r.wantCount("first", 1200)
	r.clk.Advance(time.Hour)
	r.wantCount("second", 1200)
	r.restart()
	r.wantCount("first", 0)
	r.wantCount("third", 1200)
	r.push("a", 1200, 1201)
	for _, g := range []string{"first", "second", "third"} {
		r.wantCount(g, 1)
	}
	d, err := r.e.DescribeQueue(context.Background(), "q")
	r.must(err)
	if d.Messages != 1201 || d.Pending != 0 || d.Completed != 1201 {
		t.Errorf("the queue is described as %+v", d)
	}
}

func TestConsumedMessagesGoWithRetention(t *testing.T) {
	r := newGroupRig(t)
	opts := queen.DefaultOptions()
	opts.RetentionEnabled, opts.RetentionSeconds = true, 3600
	_, err := r.e.Configure(context.Background(), "", "q", opts)
	r.must(err)
	r.push("a", 0, 3)
	r.wantCount("first", 3)
	r.wantCount("second", 0)
}

func TestSeedsSurviveARestart(t *testing.T) {
	r := newGroupRig(t)
	r.push("a", 0, 3)
	r.clk.Advance(time.Minute)
	middle := r.clk.Now()
	r.clk.Advance(time.Second)
	r.push("a", 3, 5)
	r.subscribe("new", queen.Seed{New: true})
	r.subscribe("middle", queen.Seed{From: middle})
	r.subscribe("all", queen.Seed{})
	r.restart()
	r.subscribe("new", queen.Seed{}) // registered already
	r.push("b", 5, 6)
	r.wantCount("new", 1)
	r.wantCount("middle", 3)
	r.wantCount("all", 6)
	moved, err := r.e.SeekGroup(context.Background(), "q", "all", nil, queen.Seed{From: middle})
	r.must(err)
	if moved != 2 {
		t.Errorf("moved in %d lanes", moved)
	}
	removed, err := r.e.ForgetGroup(context.Background(), "new", "")
	r.must(err)
	if removed != 2 {
		t.Errorf("removed %d cursors", removed)
	}
	r.restart()
	r.wantCount("all", 3)
	r.wantCount("new", 6)
}

func TestDeadLettersCanBeTaken(t *testing.T) {
	r := newGroupRig(t)
	r.push("a", 0, 3)
	ctx := context.Background()
	var lane string
	for n := range 3 {
		p, err := r.e.Pop(ctx, "", queen.PopRequest{Queue: "q", Batch: 1, Partitions: 1})
		r.must(err)
		lane = p.Messages[0].PartitionID
		_, err = r.e.Ack(ctx, "", "", []queen.Ack{{TransactionID: fmt.Sprint("a", n), PartitionID: lane, Status: queen.DeadLetter, LeaseID: p.LeaseID, Reason: "no"}})
		r.must(err)
	}
	row, _, found, err := r.e.TakeDeadLetter(ctx, lane, "a1", false)
	r.must(err)
	if !found || string(row.Payload) != "1" || row.Reason != "no" {
		t.Fatalf("took %+v, %v", row, found)
	}
	r.restart()
	rows, err := r.e.BrowseDeadLetters(ctx, "q", "")
	r.must(err)
	if len(rows) != 2 {
		t.Fatalf("%d dead letters are left", len(rows))
	}
	_, pushed, found, err := r.e.TakeDeadLetter(ctx, lane, "a2", true)
	r.must(err)
	if !found || pushed.Status != queen.Queued || pushed.Offset != 3 {
		t.Fatalf("replayed as %+v, %v", pushed, found)
	}
	r.restart()
	if got := r.consume(""); len(got) != 1 || got[0] != "2" {
		t.Errorf("after the replay: %v", got)
	}
}

func TestTimersInATransaction(t *testing.T) {
	r := newGroupRig(t)
	ctx := context.Background()
	op := queen.TimerOp{Op: queen.TimerSchedule, Queue: "q", Key: "k", Txn: "t", Delay: time.Minute, Payload: []byte("7")}
	_, err := r.e.Transaction(ctx, "", queen.Transaction{
		Timers: []queen.TimerOp{op},
		KV:     []queen.KVOp{{Op: queen.KVDelete, NS: "n", Key: "none", Required: true}},
	})
	if err == nil {
		t.Fatal("a lost operation did not stop the transaction")
	}
	if _, _, found, err := r.e.PeekTimer(ctx, "q", "k"); err != nil || found {
		t.Fatalf("a timer of a transaction that was refused: %v, %v", found, err)
	}
	res, err := r.e.Transaction(ctx, "", queen.Transaction{Timers: []queen.TimerOp{op, {Op: queen.TimerCancel, Queue: "q", Key: "other"}}})
	r.must(err)
	if len(res.Timers) != 2 || !res.Timers[0].OK || res.Timers[1].Status != queen.TimerAbsent {
		t.Fatalf("%+v", res.Timers)
	}
	r.restart()
	r.clk.Advance(2 * time.Minute)
	if got := r.consume(""); len(got) != 1 || got[0] != "7" {
		t.Errorf("fired %v", got)
	}
}
