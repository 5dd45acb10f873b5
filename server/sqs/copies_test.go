package sqs

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/queen-mq/queen-sqs/server/queen"
)

func TestOneAck(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  int
	}{
		{nil, 0},
		{[]string{"a"}, 1},
		{[]string{"a", "b", "c"}, 3},
		{[]string{"a", "a"}, 1},
		{[]string{"a", "a", "b"}, 3},
		{[]string{"a", "b", "a"}, 2},
		{[]string{"a", "b", "a", "b"}, 2},
		{[]string{"a", "a", "a"}, 1},
	} {
		if got := oneAck(c.names); got != c.want {
			t.Errorf("%v: %d, want %d", c.names, got, c.want)
		}
	}
}

// idAt is a message id as a broker makes it at a time.
func idAt(at time.Time, n byte) string {
	id := uuid.UUID{6: 0x70, 8: 0x80, 15: n}
	ms := at.UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	return id.String()
}

func TestCopies(t *testing.T) {
	now := time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC)
	id := func(after time.Duration, n byte) string { return idAt(now.Add(after), n) }
	for name, c := range map[string]struct {
		names, ids []string
		earlier    []deleteSet
		want       []string
	}{
		"none": {[]string{"a", "b"}, []string{id(0, 1), id(0, 2)}, nil, nil},
		"two beside one another": {[]string{"a", "a", "b", "a"}, []string{id(0, 1), id(0, 2), id(0, 3), id(400*time.Millisecond, 4)},
			nil, []string{id(0, 2), id(400*time.Millisecond, 4)}},
		"an id used again after its window": {[]string{"a", "a"}, []string{id(0, 1), id(time.Second, 2)}, nil, nil},
		"ids that tell no time":             {[]string{"a", "a"}, []string{"1", "2"}, nil, nil},
		"the rest of a deleted one": {[]string{"a", "a", "b"}, []string{id(0, 2), id(0, 3), id(0, 4)},
			[]deleteSet{{Transactions: []string{"a"}, Messages: []string{id(0, 1)}, Deleted: []string{id(0, 1)}}},
			[]string{id(0, 2), id(0, 3)}},
		"an earlier claim that has not deleted it": {[]string{"a"}, []string{id(0, 2)},
			[]deleteSet{{Transactions: []string{"a"}, Messages: []string{id(0, 1)}}}, nil},
		"the same again": {[]string{"a"}, []string{id(0, 1)},
			[]deleteSet{{Transactions: []string{"a"}, Messages: []string{id(0, 1)}, Deleted: []string{id(0, 1)}}}, nil},
		"marks without members": {[]string{"a"}, []string{id(0, 2)}, []deleteSet{{Deleted: []string{id(0, 1)}}}, nil},
	} {
		d := deleteSet{Transactions: c.names, Messages: c.ids}
		if n := d.markCopies(c.earlier); n != len(c.want) || !slices.Equal(d.Deleted, c.want) {
			t.Errorf("%s: %d, %v, want %v", name, n, d.Deleted, c.want)
		}
	}
}

// What a broker has stored many times over is handed out once, and what is
// deleted stays deleted, over claims of ten.
func TestCopiesAreHandedOutOnce(t *testing.T) {
	for name, opts := range map[string][]rigOption{"with counts": nil, "without": {onPlain()}} {
		t.Run(name, func(t *testing.T) {
			r, _, url := fifoRig(t, opts...)
			// Without a window the broker stores all of them, as out of its spool.
			off := queen.DefaultOptions()
			off.DedupWindowSeconds = 0
			if _, err := r.broker.Configure(t.Context(), "", "orders.fifo", off); err != nil {
				t.Fatal(err)
			}
			push := func(body string, n int) {
				t.Helper()
				items := make([]queen.PushItem, n)
				for i := range items {
					items[i] = queen.PushItem{Queue: "orders.fifo", Partition: "g", TransactionID: &body, Payload: json.RawMessage(fmt.Sprintf("%q", body))}
				}
				if _, err := r.broker.Push(t.Context(), "", items); err != nil {
					t.Fatal(err)
				}
			}
			push("a", 1)
			push("b", 23)
			push("c", 1)
			push("d", 3)
			var all []string
			for range 10 {
				got := r.receive(url, 10)
				all = append(all, bodies(got)...)
				r.delete(url, got...)
			}
			if !slices.Equal(all, []string{"a", "b", "c", "d"}) {
				t.Errorf("received %v", all)
			}
			for range 5 {
				r.clock.Advance(31 * time.Second)
				if got := r.receive(url, 10); len(got) > 0 {
					t.Errorf("received %v again", bodies(got))
				}
			}
			if c := r.counts(url); c != [2]string{"0", "0"} {
				t.Errorf("counts %v", c)
			}
		})
	}
}

// A broker that fails while the last message of a claim is deleted: what was
// answered stays deleted, whether the request that failed is made again or not.
func TestADeleteThatFailsTakesNothingBack(t *testing.T) {
	for _, again := range []bool{true, false} {
		r, w, url := fifoRig(t)
		r.sendGroup(url, "g", "0", "1")
		got := r.receive(url, 10)
		w.onAck = func([]queen.Ack) ([]queen.AckResult, error) { return nil, errBroken }
		r.delete(url, got[0]) // marked, though not acked
		// From the ack on, the broker is gone.
		gone := false
		w.onAck = func([]queen.Ack) ([]queen.AckResult, error) { gone = true; return nil, errBroken }
		w.onKV = func([]queen.KVOp) error {
			if gone {
				return errBroken
			}
			return nil
		}
		if _, err := r.try("DeleteMessage", "QueueUrl", url, "ReceiptHandle", got[1].handle()); err == nil || !gone {
			t.Fatalf("%v, an ack tried: %v", err, gone)
		}
		w.onKV, w.onAck = nil, nil
		want := []string{"1"}
		if again {
			r.delete(url, got[1])
			want = nil
		}
		r.clock.Advance(31 * time.Second)
		if left := bodies(r.receive(url, 10)); !slices.Equal(left, want) {
			t.Errorf("again %v: received %v, want %v", again, left, want)
		}
	}
}

// An ack that was lost is made up for by the same delete again.
func TestADeleteAgainAcks(t *testing.T) {
	r, w, url := fifoRig(t)
	r.sendGroup(url, "g", "0", "1")
	got := r.receive(url, 10)
	w.onAck = func([]queen.Ack) ([]queen.AckResult, error) { return nil, errBroken }
	r.delete(url, got...)
	w.onAck = nil
	r.delete(url, got[1])
	if c := r.counts(url); c != [2]string{"0", "0"} {
		t.Errorf("counts %v", c)
	}
	if rows := r.rows("qs:ds:"); len(rows) > 0 {
		t.Errorf("rows are left: %v", rows)
	}
}
