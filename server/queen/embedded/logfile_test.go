package embedded

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// logs answers the lengths of the log files by name.
func (r *rig) logs() map[string]int64 {
	r.Helper()
	names, err := r.fs.List("data")
	if err != nil {
		r.Fatal(err)
	}
	lengths := map[string]int64{}
	for _, name := range names {
		if strings.HasSuffix(name, ".log") {
			info, err := r.fs.Stat(r.fs.PathJoin("data", name))
			if err != nil {
				r.Fatal(err)
			}
			lengths[name] = info.Size()
		}
	}
	return lengths
}

func (r *rig) pushBodies(queueName string, bodies ...string) {
	r.Helper()
	for _, body := range bodies {
		if _, err := r.Push(r.Context(), "", []queen.PushItem{{Queue: queueName, Payload: []byte(`"` + body + `"`)}}); err != nil {
			r.Fatal(err)
		}
	}
}

func TestRecordsDoNotLengthenTheLog(t *testing.T) {
	r := newRig(t)
	r.pushBodies("q", "first")
	before := r.logs()
	for i := range 50 {
		r.pushBodies("q", fmt.Sprint(i))
	}
	if after := r.logs(); fmt.Sprint(before) != fmt.Sprint(after) || len(after) == 0 {
		t.Errorf("log lengths were %v and are %v", before, after)
	}
}

// A power cut may keep any part of what was not synced; what was answered is all
// there, records longer than the zeros ahead of them too.
func TestZerosBehindTheLastRecordAreItsEnd(t *testing.T) {
	for _, kept := range []int{0, 50, 100} {
		t.Run(fmt.Sprint(kept, "% of what was not synced"), func(t *testing.T) {
			r := newRig(t)
			var want []string
			for round := range 4 {
				long := strings.Repeat("x", zeroAhead/4*(3*round+1))
				short := fmt.Sprint("short ", round)
				r.pushBodies("q", short, long)
				want = append(want, `"`+short+`"`, `"`+long+`"`)

				disk := r.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: kept, RNG: rand.New(rand.NewPCG(1, uint64(round)))})
				if err := r.Engine.Close(); err != nil {
					t.Fatal(err)
				}
				r.fs = disk
				r.start()
			}
			got, err := r.Pop(t.Context(), "", queen.PopRequest{Queue: "q", Batch: 100, Partitions: 1, LeaseSeconds: 30})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Messages) != len(want) {
				t.Fatalf("%d messages, want %d", len(got.Messages), len(want))
			}
			for i, m := range got.Messages {
				if string(m.Payload) != want[i] {
					t.Errorf("message %d is %.20q of %d bytes, want %.20q of %d", i, m.Payload, len(m.Payload), want[i], len(want[i]))
				}
			}
		})
	}
}

func TestReusedLogKeepsItsLength(t *testing.T) {
	fs := logFS{vfs.NewMem()}
	write := func(f vfs.File, err error, p []byte) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if n, err := f.Write(p); err != nil || n != len(p) {
			t.Fatalf("wrote %d of %d: %v", n, len(p), err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	first := bytes.Repeat([]byte("a"), 2*zeroAhead+1)
	f, err := fs.Create("1.log", vfs.WriteCategoryUnspecified)
	write(f, err, bytes.Clone(first))
	f, err = fs.ReuseForWrite("1.log", "2.log", vfs.WriteCategoryUnspecified)
	write(f, err, []byte("b"))
	f, err = fs.Create("table.sst", vfs.WriteCategoryUnspecified)
	write(f, err, []byte("c"))

	for name, want := range map[string][]byte{
		"2.log":     append(append([]byte("b"), first[1:]...), make([]byte, zeroAhead-1)...),
		"table.sst": []byte("c"),
	} {
		f, err := fs.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		f.Close()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s has %d bytes, want %d (%v)", name, len(got), len(want), err)
		}
	}
}
