package sqs

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/action"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
	"github.com/queen-mq/queen-sqs/server/receipt"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

const (
	testRegion  = "queen-1"
	testAccount = "000000000000"
	testBase    = "http://localhost:9324"
)

// rig is a Service on an embedded broker whose clock the test moves.
type rig struct {
	*Service
	t      *testing.T
	clock  *clock.Shifted
	broker queen.Broker
}

// rigOption changes what the Service of a rig is made of.
type rigOption func(*Config)

// newRig makes a rig. The registry's caches live as long as in production.
func newRig(t *testing.T, opts ...rigOption) *rig {
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
	cfg := Config{
		Broker:            engine,
		Tokens:            action.Tokens{Default: "token"},
		Handles:           receipt.New([]byte("0123456789abcdef"), clk),
		Clock:             clk,
		Region:            testRegion,
		Account:           testAccount,
		DefaultPartitions: 8,
	}
	for _, opt := range opts {
		opt(&cfg)
	}
	if cfg.Registry == nil {
		cfg.Registry = registry.New(registry.Config{Broker: cfg.Broker, Clock: clk, Region: testRegion, Account: testAccount})
	}
	r := &rig{Service: New(cfg), t: t, clock: clk, broker: cfg.Broker}
	t.Cleanup(r.Close)
	return r
}

// params is a request's parameters as name, value pairs.
func params(pairs ...any) *wire.Object {
	o := wire.NewObject()
	for i := 0; i < len(pairs); i += 2 {
		o.Set(pairs[i].(string), value(pairs[i+1]))
	}
	return o
}

// value makes a tree of strings, numbers, booleans, lists and maps.
func value(v any) wire.Value {
	switch v := v.(type) {
	case wire.Value:
		return v
	case string:
		return wire.String(v)
	case int:
		return wire.Int(int64(v))
	case bool:
		return wire.Bool(v)
	case []string:
		items := make([]wire.Value, len(v))
		for i, s := range v {
			items[i] = wire.String(s)
		}
		return wire.List(items...)
	case []*wire.Object:
		items := make([]wire.Value, len(v))
		for i, o := range v {
			items[i] = wire.Struct(o)
		}
		return wire.List(items...)
	case map[string]string:
		return textMap(v)
	case *wire.Object:
		return wire.Struct(v)
	default:
		panic("rig: a value of a kind it does not know")
	}
}

func request(action string, p *wire.Object) *wire.Request {
	return &wire.Request{
		Service: wire.SQS, Action: action, Params: p, Path: "/", BaseURL: testBase,
		AccessKeyID: "AKIDTEST", RequestID: "request",
	}
}

// try calls an action.
func (r *rig) try(action string, pairs ...any) (*wire.Object, error) {
	r.t.Helper()
	return r.send(request(action, params(pairs...)))
}

func (r *rig) send(req *wire.Request) (*wire.Object, error) {
	r.t.Helper()
	return r.Handlers()[req.Action](context.Background(), req)
}

// do calls an action that must succeed.
func (r *rig) do(action string, pairs ...any) *wire.Object {
	r.t.Helper()
	answer, err := r.try(action, pairs...)
	if err != nil {
		r.t.Fatalf("%s: %v", action, err)
	}
	return answer
}

// refuse calls an action that must fail with that kind, and with that text
// unless it is empty.
func (r *rig) refuse(kind *fault.Kind, text, action string, pairs ...any) {
	r.t.Helper()
	_, err := r.try(action, pairs...)
	wantFault(r.t, err, kind, text)
}

func wantFault(t *testing.T, err error, kind *fault.Kind, text string) {
	t.Helper()
	if !fault.Is(err, kind) {
		t.Fatalf("answered %v, want %s", err, kind.JSON)
	}
	if got := fault.From(err).Message(); text != "" && got != text {
		t.Fatalf("text %q, want %q", got, text)
	}
}

// create makes a queue and answers its URL.
func (r *rig) create(name string, attributes map[string]string) string {
	r.t.Helper()
	p := []any{"QueueName", name}
	if attributes != nil {
		p = append(p, "Attributes", attributes)
	}
	url, _ := r.do("CreateQueue", p...).Str("QueueUrl")
	return url
}

// get answers attributes of a queue.
func (r *rig) get(url string, names ...string) map[string]string {
	r.t.Helper()
	return texts(r.do("GetQueueAttributes", "QueueUrl", url, "AttributeNames", names).Get("Attributes"))
}

func texts(v wire.Value) map[string]string {
	m := map[string]string{}
	for _, member := range v.Object().Members() {
		m[member.Name] = member.Value.Text()
	}
	return m
}

func list(v wire.Value) []string {
	items := []string{}
	for _, item := range v.Items() {
		items = append(items, item.Text())
	}
	return items
}

func wantMap(t *testing.T, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func wantList(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

// push puts messages into the broker's lanes past the gateway.
func (r *rig) push(queue, partition string, n int) {
	r.t.Helper()
	items := make([]queen.PushItem, n)
	for i := range items {
		items[i] = queen.PushItem{Queue: queue, Partition: partition, Payload: queen.Payload(`{"b":"hello"}`)}
	}
	if _, err := r.broker.Push(context.Background(), "token", items); err != nil {
		r.t.Fatal(err)
	}
}

// delay schedules delayed messages past the gateway.
func (r *rig) delay(queue string, keys ...string) {
	r.t.Helper()
	ops := make([]queen.TimerOp, len(keys))
	for i, key := range keys {
		ops[i] = queen.TimerOp{
			Op: queen.TimerSchedule, Queue: queue, Key: key, Partition: "0", Delay: time.Minute, Txn: key,
			Payload: []byte(`{"b":"later"}`),
		}
	}
	if _, err := r.broker.ScheduleTimers(context.Background(), "token", ops); err != nil {
		r.t.Fatal(err)
	}
}

// claim receives up to n messages past the gateway and holds them.
func (r *rig) claim(queue string, n int) []queen.Message {
	r.t.Helper()
	res, err := r.broker.Pop(context.Background(), "token", queen.PopRequest{Queue: queue, Batch: n, Partitions: 1})
	if err != nil {
		r.t.Fatal(err)
	}
	return res.Messages
}
