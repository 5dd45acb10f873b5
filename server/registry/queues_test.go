package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

func mustCreate(t *testing.T, r *Registry, name string) *Queue {
	t.Helper()
	q, created, err := r.CreateQueue(ctx, tok, &Queue{Name: name, Attributes: map[string]string{"DelaySeconds": "1"}})
	if err != nil || !created {
		t.Fatalf("create %s: %v, %v", name, created, err)
	}
	return q
}

func TestCreateQueueAnswersTheWinner(t *testing.T) {
	r, clk := newRegistry(t, nil)
	first := mustCreate(t, r, "q")
	if first.Version == 0 || first.ARN != "arn:aws:sqs:queen-1:000000000000:q" || first.Created.IsZero() || !first.Created.Equal(first.Modified) {
		t.Errorf("created %+v", first)
	}
	clk.Advance(time.Minute)
	again, created, err := r.CreateQueue(ctx, tok, &Queue{Name: "q"})
	if err != nil || created || again.Version != first.Version || !again.Created.Equal(first.Created) || again.Attributes["DelaySeconds"] != "1" {
		t.Errorf("again: %+v, %v, %v", again, created, err)
	}
}

func TestQueueIsCached(t *testing.T) {
	counted := &scarce{most: 1000}
	r, clk := newRegistry(t, func(b queen.Broker) queen.Broker { counted.Broker = b; return counted })
	for range 2 { // misses are never remembered
		calls := counted.calls
		if _, err := r.Queue(ctx, tok, "q"); !errors.Is(err, ErrNotFound) || counted.calls != calls+1 {
			t.Fatalf("a missing queue: %v after %d calls", err, counted.calls-calls)
		}
	}
	mustCreate(t, r, "q")
	read := func(tok queen.Token) int {
		t.Helper()
		calls := counted.calls
		if _, err := r.Queue(ctx, tok, "q"); err != nil {
			t.Fatal(err)
		}
		return counted.calls - calls
	}
	if got := []int{read(tok), read(tok), read("other"), read("other")}; !slices.Equal(got, []int{1, 0, 1, 0}) {
		t.Errorf("calls %v, want one for each principal", got)
	}
	clk.Advance(DefaultTTL)
	if got := read(tok); got != 1 {
		t.Errorf("%d calls after the TTL, want 1", got)
	}
	if _, err := r.ChangeQueue(ctx, "other", "q", func(q *Queue) error { q.Attributes["DelaySeconds"] = "2"; return nil }); err != nil {
		t.Fatal(err)
	}
	if q, err := r.Queue(ctx, tok, "q"); err != nil || q.Attributes["DelaySeconds"] != "2" {
		t.Errorf("after a change: %+v, %v", q, err)
	}
	if err := r.DeleteQueue(ctx, "other", "q"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Queue(ctx, tok, "q"); !errors.Is(err, ErrNotFound) {
		t.Errorf("after a delete: %v", err)
	}
}

func TestChangeQueueReappliesOnce(t *testing.T) {
	r, _ := newRegistry(t, nil)
	created := mustCreate(t, r, "q")
	interfere := func(value string) {
		t.Helper()
		if _, err := r.ChangeQueue(ctx, tok, "q", func(q *Queue) error { q.Tags["other"] = value; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	calls := 0
	q, err := r.ChangeQueue(ctx, tok, "q", func(q *Queue) error {
		if calls++; calls == 1 {
			interfere("once")
		}
		q.Tags["mine"] = "x"
		return nil
	})
	if err != nil || calls != 2 || q.Tags["mine"] != "x" || q.Tags["other"] != "once" || q.Version == created.Version {
		t.Errorf("one loss: %+v after %d calls, %v", q, calls, err)
	}
	_, err = r.ChangeQueue(ctx, tok, "q", func(q *Queue) error { interfere("twice"); return nil })
	if !errors.Is(err, ErrConflict) {
		t.Errorf("two losses: %v", err)
	}
	refusal := errors.New("no")
	if _, err := r.ChangeQueue(ctx, tok, "q", func(*Queue) error { return refusal }); !errors.Is(err, refusal) {
		t.Errorf("a refused change: %v", err)
	}
}

func TestDeletedQueueIsNeverWrittenBack(t *testing.T) {
	r, clk := newRegistry(t, nil)
	q := mustCreate(t, r, "q")
	_, err := r.ChangeQueue(ctx, tok, "q", func(q *Queue) error { return r.DeleteQueue(ctx, tok, "q") })
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("a change of a deleted queue: %v", err)
	}
	if _, _, err := r.StoreQueue(ctx, tok, q); !errors.Is(err, ErrNotFound) {
		t.Errorf("a store of a deleted queue: %v", err)
	}
	record, recently, err := r.QueueOrTombstone(ctx, tok, "q")
	if record != nil || !recently || err != nil {
		t.Errorf("just deleted: %v, %v, %v", record, recently, err)
	}
	clk.Advance(TombstoneLife)
	record, recently, err = r.QueueOrTombstone(ctx, tok, "q")
	if record != nil || recently || err != nil {
		t.Errorf("a minute later: %v, %v, %v", record, recently, err)
	}
	mustCreate(t, r, "q")
	record, recently, err = r.QueueOrTombstone(ctx, tok, "q")
	if record == nil || recently || err != nil {
		t.Errorf("made again: %v, %v, %v", record, recently, err)
	}
}

func TestClaimPurge(t *testing.T) {
	r, clk := newRegistry(t, nil)
	claim := func(want bool) {
		t.Helper()
		if got, err := r.ClaimPurge(ctx, tok, "q"); got != want || err != nil {
			t.Errorf("claim: %v, %v; want %v", got, err, want)
		}
	}
	claim(true)
	claim(false)
	clk.Advance(PurgeWindow)
	claim(true)
	if err := r.DeleteQueue(ctx, tok, "q"); err != nil {
		t.Fatal(err)
	}
	claim(true)
}

func TestListings(t *testing.T) {
	r, _ := newRegistry(t, nil)
	for _, name := range []string{"b", "a", "a-1", "A", "a.fifo"} {
		mustCreate(t, r, name)
	}
	if err := r.DeleteQueue(ctx, tok, "b"); err != nil { // leaves a tombstone beside the records
		t.Fatal(err)
	}
	names, more, err := r.QueueNames(ctx, tok, "", "", 10)
	if err != nil || more || !slices.Equal(names, []string{"A", "a", "a-1", "a.fifo"}) {
		t.Errorf("all: %v, %v, %v", names, more, err)
	}
	names, more, err = r.QueueNames(ctx, tok, "a", "a", 1)
	if err != nil || !more || !slices.Equal(names, []string{"a-1"}) {
		t.Errorf("a page: %v, %v, %v", names, more, err)
	}
	queues, more, err := r.Queues(ctx, tok, "a", 10)
	if err != nil || more || len(queues) != 2 || queues[0].Name != "a-1" || queues[0].Attributes["DelaySeconds"] != "1" {
		t.Errorf("records: %v, %v, %v", queues, more, err)
	}
	many, err := r.QueuesFresh(ctx, tok, []string{"a", "b", "A"})
	if err != nil || len(many) != 2 || many["a"].Name != "a" || many["A"] == nil {
		t.Errorf("many: %v, %v", many, err)
	}
}

// failing fails every call while err is set.
type failing struct {
	queen.Broker
	err   error
	lists int
	// during runs inside a ListQueues.
	during func()
}

func (f *failing) ListQueues(ctx context.Context, tok queen.Token) ([]queen.QueueInfo, error) {
	f.lists++
	if f.during != nil {
		f.during()
	}
	if f.err != nil {
		return nil, f.err
	}
	return f.Broker.ListQueues(ctx, tok)
}

func TestBrokerList(t *testing.T) {
	f := &failing{}
	r, clk := newRegistry(t, func(b queen.Broker) queen.Broker { f.Broker = b; return f })
	has := func(want bool) {
		t.Helper()
		if got, err := r.BrokerHasQueue(ctx, tok, "native"); got != want || err != nil {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
	configure := func() {
		t.Helper()
		if _, err := r.broker.Configure(ctx, tok, "native", queen.DefaultOptions()); err != nil {
			t.Fatal(err)
		}
	}
	has(false)
	configure()
	has(false) // as of three seconds ago
	if f.lists != 1 {
		t.Errorf("%d lists, want 1", f.lists)
	}
	clk.Advance(DefaultTTL)
	has(true)
	if _, err := r.broker.DeleteQueue(ctx, tok, "native"); err != nil {
		t.Fatal(err)
	}
	r.ForgetBrokerQueues()
	has(false)

	configure()
	r.ForgetBrokerQueues()
	has(true)
	clk.Advance(DefaultTTL)
	f.err = errors.New("down")
	lists := f.lists
	has(true) // an old list is better than none
	has(true)
	if f.lists != lists+1 {
		t.Errorf("%d lists after a failure, want 1", f.lists-lists)
	}
	r.ForgetBrokerQueues()
	if _, err := r.BrokerHasQueue(ctx, tok, "native"); !errors.Is(err, f.err) {
		t.Errorf("%v, want the failure", err)
	}
	f.err = nil
	has(true) // a failure is not remembered
}

func TestBrokerListIsAskedForOnce(t *testing.T) {
	f := &failing{}
	r, _ := newRegistry(t, func(b queen.Broker) queen.Broker { f.Broker = b; return f })
	entered, release := make(chan struct{}), make(chan struct{})
	f.during = func() { close(entered); <-release }
	const callers = 8
	answers := make(chan error, callers)
	ask := func() { _, err := r.BrokerHasQueue(ctx, tok, "q"); answers <- err }
	go ask()
	<-entered
	for range callers - 1 {
		go ask()
	}
	// A caller that gives up does not wait for the refresh.
	gone, leave := context.WithCancel(ctx)
	leave()
	if _, err := r.BrokerHasQueue(gone, tok, "q"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that left: %v", err)
	}
	close(release)
	for range callers {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	if f.lists != 1 {
		t.Errorf("%d lists, want 1", f.lists)
	}
}

// Whoever waits for a refresh that fails has failed with it: none of them asks
// in turn.
func TestBrokerListFailsForAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		f := &failing{err: errors.New("down"), during: func() { <-release }}
		r := New(Config{Broker: f, Clock: clock.System()})
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				if _, err := r.BrokerHasQueue(ctx, tok, "q"); !errors.Is(err, f.err) {
					t.Errorf("%v, want the failure", err)
				}
			})
		}
		synctest.Wait()
		close(release)
		callers.Wait()
		if f.lists != 1 {
			t.Errorf("%d lists, want 1", f.lists)
		}
	})
}

// A refresh whose caller left says nothing about the broker.
func TestBrokerListForgetsACallersDeparture(t *testing.T) {
	f := &failing{}
	r, _ := newRegistry(t, func(b queen.Broker) queen.Broker { f.Broker = b; return f })
	gone, leave := context.WithCancel(ctx)
	f.during, f.err = leave, context.Canceled
	if _, err := r.BrokerHasQueue(gone, tok, "q"); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that left: %v", err)
	}
	f.during, f.err = nil, nil
	if has, err := r.BrokerHasQueue(ctx, tok, "q"); has || err != nil {
		t.Errorf("the next caller: %v, %v", has, err)
	}
}

func TestBrokerListsAreBounded(t *testing.T) {
	f := &failing{}
	r, clk := newRegistry(t, func(b queen.Broker) queen.Broker { f.Broker = b; return f })
	for i := range brokerListCacheBound + 5 {
		if _, err := r.BrokerHasQueue(ctx, queen.Token(fmt.Sprint(i)), "q"); err != nil {
			t.Fatal(err)
		}
		clk.Advance(time.Microsecond)
	}
	if n := len(r.brokerLists.lists); n != brokerListCacheBound {
		t.Errorf("%d lists are kept, want %d", n, brokerListCacheBound)
	}
	lists := f.lists
	if _, err := r.BrokerHasQueue(ctx, queen.Token(fmt.Sprint(brokerListCacheBound+4)), "q"); err != nil || f.lists != lists {
		t.Errorf("the latest list was forgotten: %v", err)
	}
}
