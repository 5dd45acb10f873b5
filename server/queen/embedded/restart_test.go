package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// rig is an engine on a file system in memory that can lose power: what was not
// synced is gone.
type rig struct {
	testing.TB
	*Engine
	fs    *vfs.MemFS
	clock *clock.Shifted
}

func newRig(t testing.TB) *rig {
	r := &rig{TB: t, fs: vfs.NewCrashableMem(), clock: clock.NewShifted()}
	r.start()
	t.Cleanup(func() { r.Engine.Close() })
	return r
}

func (r *rig) start() {
	r.Helper()
	e, err := Open(Config{Dir: "data", FS: r.fs, Clock: r.clock, CachedBodyBytes: 1 << 10})
	if err != nil {
		r.Fatal(err)
	}
	r.Engine = e
}

// crash cuts the power and starts again on what the disk has.
func (r *rig) crash() {
	r.Helper()
	disk := r.fs.CrashClone(vfs.CrashCloneCfg{})
	if err := r.Engine.Close(); err != nil {
		r.Fatal(err)
	}
	r.fs = disk
	r.start()
}

func (r *rig) restart() {
	r.Helper()
	if err := r.Engine.Close(); err != nil {
		r.Fatal(err)
	}
	r.start()
}

// eachWay runs a test that crashes and one that closes in good order.
func eachWay(t *testing.T, run func(r *rig, again func())) {
	t.Run("crash", func(t *testing.T) { r := newRig(t); run(r, r.crash) })
	t.Run("restart", func(t *testing.T) { r := newRig(t); run(r, r.restart) })
}

func (r *rig) ids(messages []queen.Message) string {
	var ids []string
	for _, m := range messages {
		ids = append(ids, m.TransactionID)
	}
	return strings.Join(ids, " ")
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) same(what string, got, want any) {
	r.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		r.Fatalf("%s: got %s, want %s", what, g, w)
	}
}

func (r *rig) lane(lane string, batch int) []queen.Message {
	r.Helper()
	return mustPop(r, r.Engine, queen.PopRequest{Queue: "q", Lane: &lane, Batch: batch, LeaseSeconds: 30}).Messages
}

func TestMessagesSurvive(t *testing.T) {
	eachWay(t, func(r *rig, again func()) {
		opts := queen.ImplicitOptions()
		opts.RetryLimit, opts.DedupWindowSeconds = 7, 100
		_, err := r.Configure(bg, "", "q", opts)
		r.must(err)
		large := strings.Repeat("x", 5000)
		pushed := mustPush(r, r.Engine, "q", "a", "one", large, "three")
		again()
		got, err := r.ListQueues(bg, "")
		r.must(err)
		r.same("queues", []any{len(got), got[0].Name, got[0].Messages, got[0].Partitions}, []any{1, "q", 3, 1})
		m := r.lane("a", 10)
		r.same("ids", r.ids(m), "one "+large+" three")
		for i := range m {
			r.same("message", []any{m[i].ID, m[i].Offset, m[i].Attempt, string(m[i].Payload)},
				[]any{pushed[i].MessageID, i, 1, fmt.Sprintf("%q", m[i].TransactionID)})
		}
		dup, err := r.Push(bg, "", []queen.PushItem{{Queue: "q", Partition: "a", Payload: []byte("1"), TransactionID: queen.Txn("three")}})
		r.must(err)
		r.same("duplicate", []any{dup[0].Status, dup[0].MessageID, dup[0].Offset}, []any{"duplicate", pushed[2].MessageID, 2})
	})
}

func TestClaimsSurvive(t *testing.T) {
	eachWay(t, func(r *rig, again func()) {
		mustPush(r, r.Engine, "q", "a", "0", "1", "2", "3")
		m := r.lane("a", 3)
		settle(r, r.Engine, queen.Completed, m[0])
		again()
		r.same("leased", len(r.lane("a", 1)), 0)
		r.same("below", settle(r, r.Engine, queen.Completed, m[0])[0].Noop, true)
		lease, err := r.ExtendLease(bg, "", m[0].LeaseID, 60)
		r.must(err)
		r.same("renewed", lease.Renewed, 1)
		r.same("acked", settle(r, r.Engine, queen.Completed, m[1])[0].Success, true)
		again()
		r.clock.Advance(61 * time.Second)
		m = r.lane("a", 10)
		r.same("rest", r.ids(m), "2 3")
		r.same("attempt", m[0].Attempt, 2)
		r.same("released", settle(r, r.Engine, queen.Retry, m[0])[0].Success, true)
		again()
		m = r.lane("a", 10)
		r.same("attempt", m[0].Attempt, 3)
		settle(r, r.Engine, queen.Completed, m...)
		again()
		r.same("drained", len(r.lane("a", 10)), 0)
		r.same("next offset", mustPush(r, r.Engine, "q", "a", "4")[0].Offset, 4)
	})
}

func TestConsumedMessagesStayGone(t *testing.T) {
	eachWay(t, func(r *rig, again func()) {
		for round := range 5 {
			for i := range 40 {
				mustPush(r, r.Engine, "q", fmt.Sprint(i%4), fmt.Sprintf("%d-%d", round, i))
			}
			for n := 0; n < 40; {
				m := mustPop(r, r.Engine, queen.PopRequest{Queue: "q", Batch: 7, Partitions: 2}).Messages
				settle(r, r.Engine, queen.Completed, m...)
				n += len(m)
			}
			if round%2 == 0 {
				r.clock.Advance(6 * time.Second) // the sweep removes the rows
			}
			again()
			d, err := r.Depth(bg, "", "q", "")
			r.must(err)
			r.same("pending", d.Pending, 0)
			r.same("popped", len(mustPop(r, r.Engine, queen.PopRequest{Queue: "q", Batch: 9, Partitions: 9}).Messages), 0)
		}
		r.same("offset", mustPush(r, r.Engine, "q", "0", "last")[0].Offset, 50)
	})
}

func TestRetentionAndDedupSurvive(t *testing.T) {
	eachWay(t, func(r *rig, again func()) {
		opts := queen.ImplicitOptions()
		opts.RetentionEnabled, opts.RetentionSeconds, opts.DedupWindowSeconds = true, 20, 60
		_, err := r.Configure(bg, "", "q", opts)
		r.must(err)
		mustPush(r, r.Engine, "q", "a", "0", "1")
		again()
		r.clock.Advance(21 * time.Second)
		again()
		r.same("gone", len(r.lane("a", 1)), 0)
		again()
		r.same("offset", mustPush(r, r.Engine, "q", "a", "2")[0].Offset, 2)
		dup, err := r.Push(bg, "", []queen.PushItem{{Queue: "q", Partition: "a", Payload: []byte("1"), TransactionID: queen.Txn("0")}})
		r.must(err)
		r.same("still taken", dup[0].Status, queen.Duplicate)
		r.clock.Advance(60 * time.Second)
		again()
		r.same("free again", mustPush(r, r.Engine, "q", "a", "0")[0].Status, queen.Queued)
	})
}

func TestKeyValueRowsSurvive(t *testing.T) {
	eachWay(t, func(r *rig, again func()) {
		run := func(op queen.KVOp) queen.KVResult {
			r.Helper()
			op.NS, op.Key = "n", "k"
			if op.Op != queen.KVGet && op.Op != queen.KVDelete && op.TTLSeconds == 0 {
				op.Forever = true
			}
			results, err := r.KV(bg, "", []queen.KVOp{op})
			r.must(err)
			return results[0]
		}
		seen := map[int64]bool{}
		for i := range 4 {
			put := run(queen.KVOp{Op: queen.KVPut, Value: []byte(fmt.Sprint(i)), TTLSeconds: 100})
			if seen[put.Version] {
				r.Fatalf("version %d twice", put.Version)
			}
			seen[put.Version] = true
			again()
			got := run(queen.KVOp{Op: queen.KVGet})
			r.same("row", []any{string(got.Value), got.Version, got.ExpiresAt.IsZero()}, []any{i, put.Version, false})
			run(queen.KVOp{Op: queen.KVDelete})
			again()
			r.same("deleted", run(queen.KVOp{Op: queen.KVGet}).Found, false)
		}
		run(queen.KVOp{Op: queen.KVPut, Value: []byte("1"), TTLSeconds: 100})
		again()
		r.clock.Advance(101 * time.Second)
		r.same("expired", run(queen.KVOp{Op: queen.KVGet}).Found, false)
	})
}

func TestTimersSurvive(t *testing.T) {
	eachWay(t, func(r *rig, again func()) {
		schedule := func(key string, delay time.Duration) queen.TimerResult {
			r.Helper()
			res, err := r.ScheduleTimers(bg, "", []queen.TimerOp{{Op: queen.TimerSchedule, Queue: "q", Key: key, Partition: "a", Delay: delay, Txn: key, Payload: []byte(`"` + key + `"`)}})
			r.must(err)
			return res[0]
		}
		schedule("later", time.Hour)
		due := schedule("soon", 10*time.Second)
		again()
		r.clock.Advance(11 * time.Second)
		again()
		m := r.lane("a", 10)
		r.same("fired once", []string{r.ids(m), m[0].ID, string(m[0].Payload)}, []string{"soon", due.MessageID, `"soon"`})
		n, err := r.CountTimers(bg, "", "q", "l")
		r.must(err)
		r.same("pending", n, 1)
		_, err = r.DeleteQueue(bg, "", "q")
		r.must(err)
		again()
		r.clock.Advance(time.Hour)
		again()
		r.same("fired into the deleted queue", r.ids(r.lane("a", 10)), "later")
	})
}

func TestTransactionsDeadLettersAndGroupsSurvive(t *testing.T) {
	eachWay(t, func(r *rig, again func()) {
		mustPush(r, r.Engine, "q", "a", "0", "1")
		m := r.lane("a", 2)
		_, err := r.Transaction(bg, "", queen.Transaction{
			Pushes: []queen.PushItem{{Queue: "other", Partition: "b", Payload: []byte(`{"moved":1}`)}},
			Acks:   []queen.Ack{{TransactionID: "0", PartitionID: m[0].PartitionID, LeaseID: m[0].LeaseID, Status: queen.Completed}},
			KV:     []queen.KVOp{{Op: queen.KVPut, NS: "n", Key: "k", Value: []byte("1"), Forever: true}},
		})
		r.must(err)
		again()
		r.same("moved", string(mustPop(r, r.Engine, queen.PopRequest{Queue: "other", Batch: 1}).Messages[0].Payload), `{"moved":1}`)
		res, err := r.Ack(bg, "", "", []queen.Ack{{TransactionID: "1", PartitionID: m[0].PartitionID, LeaseID: m[0].LeaseID, Status: queen.DeadLetter, Reason: "why"}})
		r.must(err)
		r.same("dead-lettered", res[0].DLQ, true)
		mustPush(r, r.Engine, "q", "a", "2")
		r.same("group", r.ids(mustPop(r, r.Engine, queen.PopRequest{Queue: "q", Batch: 1, Group: "g"}).Messages), "2")
		settle(r, r.Engine, queen.Completed, r.lane("a", 1)...)
		r.clock.Advance(61 * time.Second)
		again()
		q := r.peek("q")
		letters := q.letters.rows
		q.mu.Unlock()
		r.same("letters", []string{letters[0].TransactionID, letters[0].Reason, string(letters[0].Payload)}, []string{"1", "why", `"1"`})
		r.same("kept for the group", r.ids(mustPop(r, r.Engine, queen.PopRequest{Queue: "q", Batch: 1, Group: "g"}).Messages), "2")
	})
}

// Everything that was answered before the power went is there afterwards, and
// nothing twice, however many callers shared the fsyncs.
func TestConcurrentCallsSurviveACrash(t *testing.T) {
	r := newRig(t)
	for round := range 3 {
		var mu sync.Mutex
		var group sync.WaitGroup
		answered := map[string]bool{}
		for w := range 8 {
			group.Go(func() {
				for i := range 30 {
					id := fmt.Sprintf("%d-%d-%d", round, w, i)
					res, err := r.Push(bg, "", []queen.PushItem{{Queue: "q", Partition: fmt.Sprint(w % 3), Payload: []byte(`1`), TransactionID: &id}})
					if err != nil || res[0].Status != queen.Queued {
						t.Error(res, err)
						return
					}
					mu.Lock()
					answered[id] = true
					mu.Unlock()
				}
			})
		}
		group.Wait()
		r.crash()
		found := map[string]int{}
		for len(found) < len(answered) {
			m := mustPop(t, r.Engine, queen.PopRequest{Queue: "q", Batch: 50, Partitions: 3}).Messages
			if len(m) == 0 {
				t.Fatalf("round %d: %d of %d messages are there", round, len(found), len(answered))
			}
			for _, x := range m {
				found[x.TransactionID]++
				if !answered[x.TransactionID] || found[x.TransactionID] > 1 {
					t.Fatalf("unexpected %s", x.TransactionID)
				}
			}
			settle(t, r.Engine, queen.Completed, m...)
			r.crash()
		}
	}
}

// A journal that cannot be synced fails the call and everything after it.
func TestABrokenJournalRefusesWork(t *testing.T) {
	var broken errorfs.Toggle
	broken.Injector = errorfs.ErrInjected.If(errorfs.And(errorfs.Writes, errorfs.PathMatch("data/*.log")))
	e, err := Open(Config{Dir: "data", FS: errorfs.Wrap(vfs.NewMem(), &broken)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	mustPush(t, e, "q", "a", "one")
	parked := make(chan error, 1)
	lane := "b"
	go func() {
		_, err := e.Pop(bg, "", queen.PopRequest{Queue: "q", Lane: &lane, Batch: 1, Wait: time.Hour})
		parked <- err
	}()
	waitParked(e, "q", 1)

	broken.On()
	_, err = e.Push(bg, "", []queen.PushItem{{Queue: "q", Partition: "a", Payload: []byte("1")}})
	var unknown *queen.TransportError
	if !errors.As(err, &unknown) {
		t.Fatalf("a push that could not be synced answered %v", err)
	}
	if err := <-parked; err == nil {
		t.Fatal("the parked pop was told nothing")
	}
	var refused *queen.StatusError
	if _, err := e.Push(bg, "", nil); !errors.As(err, &refused) || refused.Code != 500 {
		t.Fatalf("a later push answered %v", err)
	}
	if _, err := e.KV(bg, "", nil); !errors.As(err, &refused) || refused.Code != 503 || refused.RetryAfter != time.Second {
		t.Fatalf("a later KV call answered %v", err)
	}
	if h, err := e.Health(bg); err != nil || h.Healthy() {
		t.Fatal(h, err)
	}
}

// waitParked waits until n pops are parked on a queue.
func waitParked(e *Engine, name string, n int) {
	for parked := -1; parked != n; time.Sleep(time.Millisecond) {
		e.mu.Lock()
		q := e.queues[name]
		e.mu.Unlock()
		if q == nil {
			continue
		}
		q.mu.Lock()
		parked = q.parked
		q.mu.Unlock()
	}
}

func TestAFolderHasOneUser(t *testing.T) {
	dir := t.TempDir()
	open(t, Config{Dir: dir})
	_, err := Open(Config{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Fatal(err)
	}
}

func TestAnotherFormatIsRefused(t *testing.T) {
	fs := vfs.NewMem()
	e, err := Open(Config{Dir: "data", FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	c := e.begin(scope{})
	c.set(metaFormat, []byte{8})
	if err := errors.Join(c.finish(), e.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err = Open(Config{Dir: "data", FS: fs}); err == nil || !strings.Contains(err.Error(), "journal format 4") {
		t.Fatal(err)
	}
}

func TestCallsAfterCloseAreRefused(t *testing.T) {
	e, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := e.Pop(bg, "", queen.PopRequest{Queue: "q", Batch: 1, Wait: time.Hour})
		ended <- err
	}()
	waitParked(e, "q", 1)
	if err := errors.Join(e.Close(), e.Close()); err != nil {
		t.Fatal(err)
	}
	_, later := e.Push(bg, "", nil)
	for _, err := range []error{<-ended, later} {
		if !errors.Is(err, errClosed) {
			t.Fatalf("got %v", err)
		}
	}
}

// A process that is killed leaves every message whose push it reported. The test
// runs itself as the victim.
func TestKilledProcess(t *testing.T) {
	if dir := os.Getenv("EMBEDDED_VICTIM"); dir != "" {
		victim(dir)
	}
	dir := filepath.Join(t.TempDir(), "data")
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProcess$")
	cmd.Env = append(os.Environ(), "EMBEDDED_VICTIM="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	if _, err := io.CopyN(&told, out, 2000); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	rest, _ := io.ReadAll(out)
	cmd.Wait()
	told.Write(rest)

	e := open(t, Config{Dir: dir})
	found := map[string]bool{}
	for {
		m := mustPop(t, e, queen.PopRequest{Queue: "q", Batch: 1000, Partitions: 4}).Messages
		if len(m) == 0 {
			break
		}
		for _, x := range m {
			found[x.TransactionID] = true
		}
	}
	lines := strings.Split(told.String(), "\n")
	for _, id := range lines[:len(lines)-1] {
		if !found[id] {
			t.Fatalf("%s was answered and is lost; %d found", id, len(found))
		}
	}
}

func victim(dir string) {
	e, err := Open(Config{Dir: dir})
	if err != nil {
		panic(err)
	}
	for w := range 4 {
		go func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d", w, i)
				if _, err := e.Push(bg, "", []queen.PushItem{{Queue: "q", Partition: fmt.Sprint(w), Payload: []byte("1"), TransactionID: &id}}); err != nil {
					panic(err)
				}
				os.Stdout.WriteString(id + "\n")
			}
		}()
	}
	select {}
}
