package sqs

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// watched is a broker that counts calls and can be made to fail. A hook that is
// nil lets the call through; so does one that answers errThrough.
type watched struct {
	queen.Broker
	capabilities func(queen.Capabilities) queen.Capabilities

	mu    sync.Mutex
	pops  []queen.PopRequest
	kvs   [][]queen.KVOp
	acks  []queen.Ack
	txs   []queen.Transaction
	lease []int

	onPop    func(n int, req queen.PopRequest) (queen.PopResult, error)
	afterPop func(n int)
	onKV     func(ops []queen.KVOp) error
	onAck    func(acks []queen.Ack) ([]queen.AckResult, error)
	onTx     func(tx queen.Transaction) error
	onPush   func(items []queen.PushItem) ([]queen.PushResult, error)
	onTimer  func(ops []queen.TimerOp) ([]queen.TimerResult, error)
}

var (
	errThrough = errors.New("let it through")
	errBroken  = &queen.StatusError{Code: 500, Body: "pool"}
)

// watch makes the rig's broker a watched one.
func watch(w *watched) rigOption {
	return func(cfg *Config) {
		w.Broker = cfg.Broker
		cfg.Broker = w
	}
}

func (w *watched) Capabilities(ctx context.Context) (queen.Capabilities, error) {
	c, err := w.Broker.Capabilities(ctx)
	if w.capabilities != nil {
		c = w.capabilities(c)
	}
	return c, err
}

func (w *watched) Pop(ctx context.Context, tok queen.Token, req queen.PopRequest) (queen.PopResult, error) {
	w.mu.Lock()
	w.pops = append(w.pops, req)
	n := len(w.pops)
	w.mu.Unlock()
	if w.onPop != nil {
		if res, err := w.onPop(n, req); !errors.Is(err, errThrough) {
			return res, err
		}
	}
	res, err := w.Broker.Pop(ctx, tok, req)
	if w.afterPop != nil {
		w.afterPop(n)
	}
	return res, err
}

func (w *watched) KV(ctx context.Context, tok queen.Token, ops []queen.KVOp) ([]queen.KVResult, error) {
	w.mu.Lock()
	w.kvs = append(w.kvs, ops)
	w.mu.Unlock()
	if w.onKV != nil {
		if err := w.onKV(ops); err != nil {
			return nil, err
		}
	}
	return w.Broker.KV(ctx, tok, ops)
}

func (w *watched) Ack(ctx context.Context, tok queen.Token, group string, acks []queen.Ack) ([]queen.AckResult, error) {
	w.mu.Lock()
	w.acks = append(w.acks, acks...)
	w.mu.Unlock()
	if w.onAck != nil {
		if res, err := w.onAck(acks); !errors.Is(err, errThrough) {
			return res, err
		}
	}
	return w.Broker.Ack(ctx, tok, group, acks)
}

func (w *watched) Transaction(ctx context.Context, tok queen.Token, tx queen.Transaction) (queen.TransactionResult, error) {
	w.mu.Lock()
	w.txs = append(w.txs, tx)
	w.mu.Unlock()
	if w.onTx != nil {
		if err := w.onTx(tx); err != nil {
			return queen.TransactionResult{}, err
		}
	}
	return w.Broker.Transaction(ctx, tok, tx)
}

func (w *watched) Push(ctx context.Context, tok queen.Token, items []queen.PushItem) ([]queen.PushResult, error) {
	if w.onPush != nil {
		if res, err := w.onPush(items); !errors.Is(err, errThrough) {
			return res, err
		}
	}
	return w.Broker.Push(ctx, tok, items)
}

func (w *watched) ScheduleTimers(ctx context.Context, tok queen.Token, ops []queen.TimerOp) ([]queen.TimerResult, error) {
	if w.onTimer != nil {
		if res, err := w.onTimer(ops); !errors.Is(err, errThrough) {
			return res, err
		}
	}
	return w.Broker.ScheduleTimers(ctx, tok, ops)
}

func (w *watched) ExtendLease(ctx context.Context, tok queen.Token, lease string, seconds int) (queen.Lease, error) {
	w.mu.Lock()
	w.lease = append(w.lease, seconds)
	w.mu.Unlock()
	return w.Broker.ExtendLease(ctx, tok, lease, seconds)
}

// forget drops what was seen so far.
func (w *watched) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pops, w.kvs, w.acks, w.txs, w.lease = nil, nil, nil, nil, nil
}

// plain is a broker whose answers carry neither offsets nor counts.
type plain struct{ queen.Broker }

func (p plain) Capabilities(ctx context.Context) (queen.Capabilities, error) {
	c, err := p.Broker.Capabilities(ctx)
	c.Attempts, c.Offsets = false, false
	return c, err
}

func (p plain) Push(ctx context.Context, tok queen.Token, items []queen.PushItem) ([]queen.PushResult, error) {
	res, err := p.Broker.Push(ctx, tok, items)
	for i := range res {
		res[i].Offset = queen.Unknown
	}
	return res, err
}

func (p plain) Pop(ctx context.Context, tok queen.Token, req queen.PopRequest) (queen.PopResult, error) {
	res, err := p.Broker.Pop(ctx, tok, req)
	for i := range res.Messages {
		res.Messages[i].Offset, res.Messages[i].Attempt = queen.Unknown, 0
	}
	return res, err
}

// onPlain puts the rig on such a broker.
func onPlain() rigOption { return func(cfg *Config) { cfg.Broker = plain{cfg.Broker} } }

// sendTo sends one message.
func (r *rig) sendTo(url, body string, pairs ...any) *wire.Object {
	r.t.Helper()
	return r.do("SendMessage", append([]any{"QueueUrl", url, "MessageBody", body}, pairs...)...)
}

// sendGroup sends bodies to a message group.
func (r *rig) sendGroup(url, group string, bodies ...string) {
	r.t.Helper()
	for _, body := range bodies {
		r.sendTo(url, body, "MessageGroupId", group, "MessageDeduplicationId", body)
	}
}

// message is a received message, for tests.
type message struct{ *wire.Object }

func (m message) get(name string) string { return m.Get(name).Text() }
func (m message) body() string           { return m.get("Body") }
func (m message) handle() string         { return m.get("ReceiptHandle") }
func (m message) id() string             { return m.get("MessageId") }
func (m message) system(name string) string {
	return m.Get("Attributes").Object().Get(name).Text()
}

// receive asks for up to max messages with all attributes.
func (r *rig) receive(url string, max int, pairs ...any) []message {
	r.t.Helper()
	return messagesOf(r.do("ReceiveMessage", append([]any{
		"QueueUrl", url, "MaxNumberOfMessages", max,
		"AttributeNames", []string{"All"}, "MessageAttributeNames", []string{"All"},
	}, pairs...)...))
}

func messagesOf(answer *wire.Object) []message {
	var messages []message
	for _, v := range answer.Get("Messages").Items() {
		messages = append(messages, message{v.Object()})
	}
	return messages
}

// receiveOne receives exactly one message.
func (r *rig) receiveOne(url string, pairs ...any) message {
	r.t.Helper()
	got := r.receive(url, 1, pairs...)
	if len(got) != 1 {
		r.t.Fatalf("received %d messages, want 1", len(got))
	}
	return got[0]
}

func (r *rig) delete(url string, messages ...message) {
	r.t.Helper()
	for _, m := range messages {
		r.do("DeleteMessage", "QueueUrl", url, "ReceiptHandle", m.handle())
	}
}

func (r *rig) visibility(url string, m message, seconds int) {
	r.t.Helper()
	r.do("ChangeMessageVisibility", "QueueUrl", url, "ReceiptHandle", m.handle(), "VisibilityTimeout", seconds)
}

func bodies(messages []message) []string {
	list := []string{}
	for _, m := range messages {
		list = append(list, m.body())
	}
	return list
}

func wantBodies(t *testing.T, messages []message, want ...string) {
	t.Helper()
	if got := bodies(messages); !slices.Equal(got, want) {
		t.Fatalf("received %q, want %q", got, want)
	}
}

func wantSet(t *testing.T, got []string, want ...string) {
	t.Helper()
	got, want = slices.Clone(got), slices.Clone(want)
	sort.Strings(got)
	sort.Strings(want)
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}

// drain receives and deletes until nothing comes.
func (r *rig) drain(url string) []string {
	r.t.Helper()
	all := []string{}
	for range 100 {
		got := r.receive(url, 10)
		if len(got) == 0 {
			return all
		}
		all = append(all, bodies(got)...)
		r.delete(url, got...)
	}
	r.t.Fatal("the queue does not drain")
	return nil
}

// counts are the visible and the invisible messages of a queue.
func (r *rig) counts(url string) [2]string {
	r.t.Helper()
	m := r.get(url, "ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
	return [2]string{m["ApproximateNumberOfMessages"], m["ApproximateNumberOfMessagesNotVisible"]}
}

// rows are the gateway's rows of a prefix.
func (r *rig) rows(prefix string) []registry.Row {
	r.t.Helper()
	rows, _, err := r.registry.Page(context.Background(), "token", prefix, "", 1000, false)
	if err != nil {
		r.t.Fatal(err)
	}
	return rows
}

// typed is a message attribute as a parameter.
func typed(label, member, value string) *wire.Object {
	return params("DataType", label, member, value)
}

// attributeSet is a map of message attributes as a parameter.
func attributeSet(pairs ...any) wire.Value {
	o := wire.NewObject()
	for i := 0; i < len(pairs); i += 2 {
		o.Set(pairs[i].(string), wire.Struct(pairs[i+1].(*wire.Object)))
	}
	return wire.Map(o)
}

func names(o *wire.Object) []string {
	var list []string
	for _, m := range o.Members() {
		list = append(list, m.Name)
	}
	return list
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// another is a second gateway on the rig's broker, with the same secret.
func (r *rig) another() *rig {
	r.t.Helper()
	svc := New(Config{
		Broker: r.broker, Handles: r.handles, Clock: r.clock, Region: testRegion, Account: testAccount, DefaultPartitions: 8,
		Registry: registry.New(registry.Config{Broker: r.broker, Clock: r.clock, Region: testRegion, Account: testAccount}),
	})
	r.t.Cleanup(svc.Close)
	return &rig{Service: svc, t: r.t, clock: r.clock, broker: r.broker}
}

// eventually waits, by the machine's clock, for what background work brings
// about. It asserts that it happens, not when.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 2000 {
		if ok() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("never happened: %s", what)
}

func long(n int) string { return strings.Repeat("a", n) }
