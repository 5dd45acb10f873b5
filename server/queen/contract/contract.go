// Package contract is Queen's wire contract as tests: one per statement, named
// after its section. Any queen.Broker can be held to it: the embedded engine, the
// engine behind HTTP, a real Queen 1.3.0. The expected values are those of the
// recorded answers of Queen 1.3.0 and of the contract's text, never what an
// engine here happens to do; where brokers may differ, the table Differences
// says how and why.
//
// Every queue, key and timer a run makes has a name of its own, so that the suite
// can run against a broker that others use.
package contract

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// Target is a broker under test and what can be done with it.
type Target struct {
	Broker queen.Broker
	Token  queen.Token
	// Advance moves the broker's clock. Nil means that time passes by itself:
	// cases that need a little of it wait, those that need much are skipped with
	// a reason.
	Advance func(time.Duration)
	// Reference says that the target is Queen 1.3.0 itself, Differences and all.
	Reference bool
}

// Factory opens a target; it registers its own cleanup.
type Factory func(t *testing.T) Target

// Run holds a target to the whole contract.
func Run(t *testing.T, open Factory) {
	target := open(t)
	caps, err := target.Broker.Capabilities(context.Background())
	if err != nil {
		t.Fatalf("the broker does not tell its capabilities: %v", err)
	}
	var random [4]byte
	rand.Read(random[:])
	for _, group := range groups {
		for _, c := range group {
			t.Run(c.section+" "+c.statement, func(t *testing.T) {
				c.run(&T{T: t, Target: target, caps: caps, name: "c" + hex.EncodeToString(random[:]) + "-" + nextName()})
			})
		}
	}
}

// testCase is one statement of the contract.
type testCase struct {
	section   string
	statement string
	run       func(*T)
}

// groups is the suite, in the order of the contract's sections.
var groups = [][]testCase{
	healthCases, queueCases, depthCases, pushCases, dedupCases, popCases, claimCases, attemptCases, waitCases,
	ackCases, signalCases, leaseCases, timerCases, firingCases, kvVerdictCases, kvReadCases, kvExpiryCases,
	kvRefusalCases, transactionCases, transactionRefusalCases, retentionCases, nameCases, payloadCases, idCases,
}

var names int

func nextName() string { names++; return fmt.Sprint(names) }

// T is one case's hold on the target. Its helpers fail the test themselves.
type T struct {
	*testing.T
	Target
	caps   queen.Capabilities
	name   string
	queues int
}

// patience is how long a case waits for what a broker without a movable clock
// does by itself: long enough for a timer on a default Queen 1.3.0.
const patience = 35 * time.Second

// longestSleep is the longest wait for time that cannot be moved.
const longestSleep = 4 * time.Second

// key is a name of this case's own.
func (t *T) key(suffix string) string { return t.name + ":" + suffix }

// queue is an unused queue name.
func (t *T) queue() string {
	t.queues++
	name := fmt.Sprintf("%s-%d", t.name, t.queues)
	t.Cleanup(func() { t.Broker.DeleteQueue(context.Background(), t.Token, name) })
	return name
}

// configured is a new queue with the options the gateway sends, changed by each
// of the given functions.
func (t *T) configured(change ...func(*queen.Options)) string {
	t.Helper()
	name := t.queue()
	t.configure(name, change...)
	return name
}

func gatewayOptions() queen.Options {
	o := queen.DefaultOptions()
	o.LeaseTime, o.DeadLetterQueue, o.RetentionSeconds, o.RetentionEnabled, o.DedupWindowSeconds = 30, false, 345600, true, 0
	return o
}

func (t *T) configure(name string, change ...func(*queen.Options)) queen.Options {
	t.Helper()
	o := gatewayOptions()
	for _, f := range change {
		f(&o)
	}
	got, err := t.Broker.Configure(t.Context(), t.Token, name, o)
	t.ok(err)
	return got
}

func (t *T) ok(err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pass lets time go by, for what has to be over then.
func (t *T) pass(d time.Duration) {
	t.Helper()
	switch {
	case t.Advance != nil:
		t.Advance(d)
	case d <= longestSleep:
		time.Sleep(d)
	default:
		t.Skipf("needs %v to pass and this target's clock cannot be moved", d)
	}
}

// movable skips a case that needs so much time that only a movable clock has it.
func (t *T) movable() {
	t.Helper()
	if t.Advance == nil {
		t.Skip("needs more time than a test can wait and this target's clock cannot be moved")
	}
}

// eventually repeats a question until the answer is yes.
func (t *T) eventually(what string, yes func() bool) {
	t.Helper()
	for start := time.Now(); !yes(); time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > patience {
			t.Fatalf("never happened: %s", what)
		}
	}
}

// msg is an item whose payload and transaction id say the same.
func msg(queueName, lane, text string) queen.PushItem {
	return queen.PushItem{Queue: queueName, Partition: lane, Payload: str(text), TransactionID: queen.Txn(text)}
}

func str(text string) json.RawMessage {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return b
}

func (t *T) pushItems(items ...queen.PushItem) []queen.PushResult {
	t.Helper()
	results, err := t.Broker.Push(t.Context(), t.Token, items)
	t.ok(err)
	if len(results) != len(items) {
		t.Fatalf("%d items, %d results", len(items), len(results))
	}
	return results
}

// push stores messages in one lane and expects them to be queued.
func (t *T) push(queueName, lane string, texts ...string) []queen.PushResult {
	t.Helper()
	items := make([]queen.PushItem, len(texts))
	for i, text := range texts {
		items[i] = msg(queueName, lane, text)
	}
	results := t.pushItems(items...)
	for i, r := range results {
		if r.Status != queen.Queued {
			t.Fatalf("push of %q answered %q", texts[i], r.Status)
		}
	}
	return results
}

func (t *T) popReq(req queen.PopRequest) queen.PopResult {
	t.Helper()
	res, err := t.Broker.Pop(t.Context(), t.Token, req)
	t.ok(err)
	return res
}

// pop claims up to batch messages of any one lane.
func (t *T) pop(queueName string, batch int) []queen.Message {
	t.Helper()
	return t.popReq(queen.PopRequest{Queue: queueName, Batch: batch, Partitions: 1, LeaseSeconds: 30}).Messages
}

// popLane claims up to batch messages of one lane.
func (t *T) popLane(queueName, lane string, batch, lease int) []queen.Message {
	t.Helper()
	return t.popReq(queen.PopRequest{Queue: queueName, Lane: &lane, Batch: batch, Partitions: 1, LeaseSeconds: lease}).Messages
}

func (t *T) ackGroup(group string, acks ...queen.Ack) []queen.AckResult {
	t.Helper()
	results, err := t.Broker.Ack(t.Context(), t.Token, group, acks)
	t.ok(err)
	if len(results) != len(acks) {
		t.Fatalf("%d acks, %d results", len(acks), len(results))
	}
	return results
}

func (t *T) acks(acks ...queen.Ack) []queen.AckResult { t.Helper(); return t.ackGroup("", acks...) }

func ack(m queen.Message, status queen.AckStatus) queen.Ack {
	return queen.Ack{TransactionID: m.TransactionID, PartitionID: m.PartitionID, LeaseID: m.LeaseID, Status: status}
}

// complete acks messages as completed in one call and expects success.
func (t *T) complete(messages ...queen.Message) {
	t.Helper()
	acks := make([]queen.Ack, len(messages))
	for i, m := range messages {
		acks[i] = ack(m, queen.Completed)
	}
	for _, r := range t.acks(acks...) {
		if !r.Success {
			t.Fatalf("ack of %q: %s", r.TransactionID, r.Error)
		}
	}
}

// depth answers the group's totals. On the reference only Pending is told.
func (t *T) depth(queueName string) queen.Depth {
	t.Helper()
	d, err := t.Broker.Depth(t.Context(), t.Token, queueName, queen.DefaultGroup)
	t.ok(err)
	return d
}

func (t *T) pending(queueName string, want int64) {
	t.Helper()
	if got := t.depth(queueName).Pending; got != want {
		t.Fatalf("pending is %d, want %d", got, want)
	}
}

// texts are the transaction ids of messages, in order.
func texts(messages []queen.Message) string {
	ids := make([]string, len(messages))
	for i, m := range messages {
		ids[i] = m.TransactionID
	}
	return strings.Join(ids, " ")
}

func (t *T) want(what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Fatalf("%s: got %s, want %s", what, g, w)
	}
}

// status expects a *queen.StatusError of the code whose body holds every part.
func (t *T) status(err error, code int, parts ...string) {
	t.Helper()
	var refused *queen.StatusError
	if !errors.As(err, &refused) {
		t.Fatalf("got %v (%T), want status %d", err, err, code)
	}
	if refused.Code != code {
		t.Fatalf("got status %d %s, want %d", refused.Code, refused.Body, code)
	}
	for _, part := range parts {
		if !strings.Contains(refused.Body, part) {
			t.Fatalf("body %s lacks %s", refused.Body, part)
		}
	}
}

// parked starts a pop that waits and answers where its messages will arrive.
func (t *T) parked(req queen.PopRequest) <-chan []queen.Message {
	req.Wait = 20 * time.Second
	arrived := make(chan []queen.Message, 1)
	ctx := t.Context()
	go func() {
		res, _ := t.Broker.Pop(ctx, t.Token, req)
		arrived <- res.Messages
	}()
	time.Sleep(50 * time.Millisecond) // nothing tells that a pop has parked
	return arrived
}

func (t *T) arrives(from <-chan []queen.Message) []queen.Message {
	t.Helper()
	select {
	case messages := <-from:
		return messages
	case <-time.After(patience):
		t.Fatal("the parked pop was not answered")
		return nil
	}
}
