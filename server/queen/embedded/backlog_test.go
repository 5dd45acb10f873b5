package embedded

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// TestDeepBacklog pushes a deep backlog, restarts on it and drains it. It checks
// that heap and disk stay within bounds and are given back. QUEEN_BACKLOG sets
// the number of messages and prints what was measured.
func TestDeepBacklog(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 20_000
	}
	if s := os.Getenv("QUEEN_BACKLOG"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	dir := filepath.Join(t.TempDir(), "data")
	clk := clock.NewShifted()
	cfg := Config{Dir: dir, Clock: clk, CachedBodyBytes: 4 << 20}
	e, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	standard(t, e)
	before := liveHeap()
	begin := time.Now()
	fillBacklog(t, e, n)
	t.Logf("pushed %d in %v", n, time.Since(begin))
	grown := liveHeap() - before
	t.Logf("heap %d bytes a message, rss %d MB, disk %d MB", grown/int64(n), rss()>>20, diskBytes(dir)>>20)
	// Records, the bounded bodies, and what the journal keeps at hand.
	if most := int64(n)*100 + cfg.CachedBodyBytes + 8<<20; grown > most {
		t.Errorf("the heap grew by %d bytes, at most %d are expected", grown, most)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	begin = time.Now()
	e = open(t, cfg)
	t.Logf("restarted in %v, rss %d MB", time.Since(begin), rss()>>20)

	begin = time.Now()
	for done, last := 0, 0; done < n; {
		res := mustPop(t, e, queen.PopRequest{Queue: "q", Batch: 50, Partitions: 1})
		if len(res.Messages) == 0 {
			t.Fatalf("nothing to claim after %d of %d", done, n)
		}
		if string(res.Messages[0].Payload) != string(benchBody) {
			t.Fatalf("payload %q", res.Messages[0].Payload)
		}
		settle(t, e, queen.Completed, res.Messages...)
		if done += len(res.Messages); done-last >= n/5 {
			t.Logf("drained to %d at %.0f messages a second", done, float64(done-last)/time.Since(begin).Seconds())
			begin, last = time.Now(), done
			clk.Advance(6 * time.Second)
		}
	}
	clk.Advance(10 * time.Second)
	if err := e.journal.db.Flush(); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); diskBytes(dir) > 12<<20; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > 30*time.Second {
			t.Fatalf("%d MB of disk were not given back:\n%s", diskBytes(dir)>>20, e.journal.db.Metrics())
		}
	}
	t.Logf("drained: heap %d bytes, rss %d MB, disk %d kB", liveHeap()-before, rss()>>20, diskBytes(dir)>>10)
	if q := e.peek("q"); true {
		live, records := q.live, 0
		for _, l := range q.order {
			records += len(l.chunks)
		}
		q.mu.Unlock()
		if live != 0 || records != 0 || e.bodies.used.Load() != 0 {
			t.Errorf("%d messages, %d chunks, %d bytes of bodies are left", live, records, e.bodies.used.Load())
		}
	}
}

// liveHeap is what lives on the heap without the journal's own memory: with the
// race detector, half of all processes have that there too.
func liveHeap() int64 {
	var m runtime.MemStats
	for range 3 { // the profile is up to two cycles old
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) - manualMemory()
}

// manualMemory is what the journal's library has allocated on the heap that it
// manages by hand elsewhere. The allocations are so large that the profile has
// all of them.
func manualMemory() (n int64) {
	records := make([]runtime.MemProfileRecord, 10_000)
	count, ok := runtime.MemProfile(records, false)
	if !ok {
		panic(fmt.Sprint("a heap profile of ", count, " records"))
	}
	for _, r := range records[:count] {
		for frames := runtime.CallersFrames(r.Stack()); ; {
			frame, more := frames.Next()
			if strings.HasSuffix(frame.Function, "/internal/manual.New") {
				n += r.InUseBytes()
				break
			}
			if !more {
				break
			}
		}
	}
	return n
}

// rss is the process's resident memory; 0 where it cannot be told.
func rss() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident int64
	fmt.Sscan(string(b), &size, &resident)
	return resident * int64(os.Getpagesize())
}

// diskBytes is the size of a folder.
func diskBytes(dir string) (n int64) {
	filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}
