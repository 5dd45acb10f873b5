package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
)

const tok = queen.Token("token")

var ctx = context.Background()

// newRegistry makes a Registry on an embedded broker whose clock the test moves.
func newRegistry(t *testing.T, wrap func(queen.Broker) queen.Broker) (*Registry, *clock.Shifted) {
	t.Helper()
	clk := clock.NewShifted()
	engine, err := embedded.Open(embedded.Config{Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	var broker queen.Broker = engine
	if wrap != nil {
		broker = wrap(engine)
	}
	return New(Config{Broker: broker, Clock: clk, Region: "queen-1", Account: "000000000000"}), clk
}

func TestKey(t *testing.T) {
	cases := []struct {
		parts []string
		want  string
	}{
		{[]string{"qs", "q", "orders.fifo"}, "qs:q:orders.fifo"},
		{[]string{"qs", "rra", "q", "a:b c%é"}, "qs:rra:q:a%3Ab%20c%25%C3%A9"},
		{[]string{"", "\x00"}, ":%00"},
		{[]string{"A-Z_az.09"}, "A-Z_az.09"},
	}
	for _, c := range cases {
		if got := Key(c.parts...); got != c.want {
			t.Errorf("%q: %q, want %q", c.parts, got, c.want)
		}
	}
}

func TestPutIf(t *testing.T) {
	r, _ := newRegistry(t, nil)
	if _, err := r.Get(ctx, tok, "k"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("an absent row: %v", err)
	}
	if row, won, err := r.PutIf(ctx, tok, "k", "x", Forever, 5); won || err != nil || row.Version != 0 {
		t.Fatalf("a change of an absent row: %+v, %v, %v", row, won, err)
	}
	first, won, err := r.PutIf(ctx, tok, "k", "one", Forever, 0)
	if !won || err != nil || first.Version == 0 {
		t.Fatalf("a new row: %+v, %v, %v", first, won, err)
	}
	lost, won, err := r.PutIf(ctx, tok, "k", "two", Forever, 0)
	if won || err != nil || lost.Version != first.Version || string(lost.Value) != `"one"` {
		t.Fatalf("a second new row: %+v, %v, %v", lost, won, err)
	}
	second, won, err := r.PutIf(ctx, tok, "k", "two", Forever, first.Version)
	if !won || err != nil || second.Version == first.Version {
		t.Fatalf("a change: %+v, %v, %v", second, won, err)
	}
	if won, err := r.DeleteIf(ctx, tok, "k", first.Version); won || err != nil {
		t.Fatalf("a delete of an old version: %v, %v", won, err)
	}
	if row, err := r.Get(ctx, tok, "k"); err != nil || string(row.Value) != `"two"` || row.Version != second.Version {
		t.Fatalf("read %+v, %v", row, err)
	}
	if won, err := r.DeleteIf(ctx, tok, "k", second.Version); !won || err != nil {
		t.Fatalf("a delete: %v, %v", won, err)
	}
	if err := r.Put(ctx, tok, "k", "x", Forever); err != nil {
		t.Fatal(err)
	}
	if err := r.Delete(ctx, tok, "k"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Get(ctx, tok, "k"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("a deleted row: %v", err)
	}
}

func TestRowsExpire(t *testing.T) {
	r, clk := newRegistry(t, nil)
	if err := r.Put(ctx, tok, "k", 1, 1500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	clk.Advance(1900 * time.Millisecond) // lifetimes are rounded up
	if _, err := r.Get(ctx, tok, "k"); err != nil {
		t.Fatal(err)
	}
	clk.Advance(200 * time.Millisecond)
	if _, err := r.Get(ctx, tok, "k"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("an expired row: %v", err)
	}
}

func TestTooLargeIsNotSent(t *testing.T) {
	r := New(Config{Broker: nil, Clock: clock.System()})
	if _, _, err := r.PutIf(ctx, tok, "k", strings.Repeat("x", MaxValueBytes-1), Forever, 0); !errors.Is(err, ErrTooLarge) {
		t.Fatalf("%v, want ErrTooLarge", err)
	}
	if _, err := PutOp("k", strings.Repeat("x", MaxValueBytes-2), Forever, nil); err != nil {
		t.Fatalf("the largest value: %v", err)
	}
}

func TestPages(t *testing.T) {
	r, _ := newRegistry(t, nil)
	for i := range 25 {
		if err := r.Put(ctx, tok, fmt.Sprintf("p:%02d", i), i, Forever); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Put(ctx, tok, "q:00", 0, Forever); err != nil {
		t.Fatal(err)
	}
	rows, more, err := r.Page(ctx, tok, "p:", "", 25, false)
	if err != nil || more || len(rows) != 25 || rows[24].Key != "p:24" || string(rows[24].Value) != "24" {
		t.Fatalf("all: %d rows, more %v, %v", len(rows), more, err)
	}
	rows, more, err = r.Page(ctx, tok, "p:", "p:03", 2, true)
	if err != nil || !more || len(rows) != 2 || rows[0].Key != "p:04" || len(rows[0].Value) != 0 {
		t.Fatalf("a page: %+v, more %v, %v", rows, more, err)
	}
	rows, more, err = r.Page(ctx, tok, "p:", "p:24", 2, true)
	if err != nil || more || len(rows) != 0 {
		t.Fatalf("past the end: %+v, more %v, %v", rows, more, err)
	}
}

// scarce is a broker whose reads are cut as by a read budget: getMany answers a
// few of its keys and does not name the others, getPrefix cuts its page, with or
// without a cursor.
type scarce struct {
	queen.Broker
	most     int
	noCursor bool
	calls    int
}

func (s *scarce) KV(ctx context.Context, tok queen.Token, ops []queen.KVOp) ([]queen.KVResult, error) {
	s.calls++
	results, err := s.Broker.KV(ctx, tok, ops)
	for i := range results {
		if rows := results[i].Rows; len(rows) > s.most {
			results[i].Rows = rows[:s.most]
			results[i].Truncated = true
			if ops[i].Op == queen.KVGetPrefix {
				results[i].NextAfter = rows[s.most-1].Key
			}
		}
		if s.noCursor {
			results[i].NextAfter = ""
		}
	}
	return results, err
}

func TestGetManyAsksAgainForWhatTheBudgetCut(t *testing.T) {
	s := &scarce{most: 1000}
	r, _ := newRegistry(t, func(b queen.Broker) queen.Broker { s.Broker = b; return s })
	var keys []string
	for i := range 300 {
		keys = append(keys, fmt.Sprintf("k%03d", i))
		if i%3 != 0 {
			if err := r.Put(ctx, tok, keys[i], i, Forever); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, most := range []int{1000, 7, 1} {
		s.most = most
		rows, err := r.GetMany(ctx, tok, slices.Clone(keys))
		if err != nil || len(rows) != 200 || string(rows["k001"].Value) != "1" {
			t.Fatalf("%d rows a call: %d rows, %v", most, len(rows), err)
		}
	}
	s.most = 0
	var unusable *queen.BodyError
	if _, err := r.GetMany(ctx, tok, []string{"k001"}); !errors.As(err, &unusable) {
		t.Fatalf("a store that answers nothing: %v", err)
	}
	if rows, err := r.GetMany(ctx, tok, nil); err != nil || len(rows) != 0 {
		t.Fatalf("no keys: %v, %v", rows, err)
	}
}

func TestPageGoesOnWhereTheBudgetCut(t *testing.T) {
	for _, noCursor := range []bool{false, true} {
		s := &scarce{most: 1000}
		r, _ := newRegistry(t, func(b queen.Broker) queen.Broker { s.Broker = b; return s })
		for i := range 10 {
			if err := r.Put(ctx, tok, fmt.Sprint("k", i), i, Forever); err != nil {
				t.Fatal(err)
			}
		}
		s.most, s.noCursor = 3, noCursor
		rows, more, err := r.Page(ctx, tok, "k", "", 8, false)
		if err != nil || !more || len(rows) != 8 || rows[7].Key != "k7" {
			t.Fatalf("%d rows, more %v, %v", len(rows), more, err)
		}
	}
}
