package sns

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"github.com/queen-mq/queen-sqs/server/action"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

const (
	testRegion  = "queen-1"
	testAccount = "000000000000"
	testToken   = queen.Token("token")
	arnPrefix   = "arn:aws:sns:" + testRegion + ":" + testAccount + ":"
	queueARN    = "arn:aws:sqs:" + testRegion + ":" + testAccount + ":"
)

// rig is a Service on an embedded broker whose clock the test moves.
type rig struct {
	*Service
	t      testing.TB
	clock  *clock.Shifted
	broker *watched
}

// watched is a broker that counts transactions, and fails them when told to.
type watched struct {
	queen.Broker
	mu     sync.Mutex
	pushes []int // of each transaction
	// refuse is asked before a transaction.
	refuse func(n int, tx queen.Transaction) error
}

func (w *watched) Transaction(ctx context.Context, tok queen.Token, tx queen.Transaction) (queen.TransactionResult, error) {
	w.mu.Lock()
	n := len(w.pushes)
	w.pushes = append(w.pushes, len(tx.Pushes))
	refuse := w.refuse
	w.mu.Unlock()
	if refuse != nil {
		if err := refuse(n, tx); err != nil {
			return queen.TransactionResult{}, err
		}
	}
	return w.Broker.Transaction(ctx, tok, tx)
}

// transactions answers the sizes of the transactions since it was asked last.
func (w *watched) transactions() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	sizes := w.pushes
	w.pushes = nil
	return sizes
}

func newRig(t testing.TB, change ...func(*Config)) *rig {
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
	return newRigOn(t, &watched{Broker: engine}, clk, change...)
}

// newRigOn is one more gateway in front of a broker.
func newRigOn(t testing.TB, broker *watched, clk *clock.Shifted, change ...func(*Config)) *rig {
	records := registry.New(registry.Config{Broker: broker, Clock: clk, Region: testRegion, Account: testAccount})
	cfg := Config{Broker: broker, Tokens: action.Tokens{Default: testToken}, Registry: records, Clock: clk, Region: testRegion, Account: testAccount}
	for _, c := range change {
		c(&cfg)
	}
	return &rig{Service: New(cfg), t: t, clock: clk, broker: broker}
}

// as answers a parameter's value: a text, a map of texts, a list, a structure.
func as(v any) wire.Value {
	switch v := v.(type) {
	case wire.Value:
		return v
	case string:
		return wire.String(v)
	case map[string]string:
		o := wire.NewObject()
		for name, value := range v {
			o.Set(name, wire.String(value))
		}
		return wire.Map(o)
	case []string:
		var items []wire.Value
		for _, s := range v {
			items = append(items, wire.String(s))
		}
		return wire.List(items...)
	case []*wire.Object:
		var items []wire.Value
		for _, o := range v {
			items = append(items, wire.Struct(o))
		}
		return wire.List(items...)
	case *wire.Object:
		return wire.Struct(v)
	}
	panic("rig: a value of a kind it does not know")
}

// object is a structure of name, value pairs.
func object(pairs ...any) *wire.Object {
	o := wire.NewObject()
	for i := 0; i < len(pairs); i += 2 {
		o.Set(pairs[i].(string), as(pairs[i+1]))
	}
	return o
}

// tags is a list of Key and Value in the spelling of the wire.
func tags(pairs ...string) wire.Value {
	var items []*wire.Object
	for i := 0; i < len(pairs); i += 2 {
		items = append(items, object("Key", pairs[i], "Value", pairs[i+1]))
	}
	return as(items)
}

// attrs are message attributes as name, type, value triples.
func attrs(triples ...string) *wire.Object {
	o := wire.NewObject()
	for i := 0; i < len(triples); i += 3 {
		member := "StringValue"
		if envelope.IsBinary(triples[i+1]) {
			member = "BinaryValue"
		}
		o.Set(triples[i], as(object("DataType", triples[i+1], member, triples[i+2])))
	}
	return o
}

func (r *rig) try(action string, pairs ...any) (*wire.Object, error) {
	r.t.Helper()
	return r.Handlers()[action](context.Background(), &wire.Request{
		Service: wire.SNS, Action: action, Params: object(pairs...), Path: "/", TraceHeader: "",
		AccessKeyID: "AKIDTEST",
	})
}

func (r *rig) do(action string, pairs ...any) *wire.Object {
	r.t.Helper()
	answer, err := r.try(action, pairs...)
	if err != nil {
		r.t.Fatalf("%s: %v", action, err)
	}
	return answer
}

func (r *rig) refuse(kind *fault.Kind, text, action string, pairs ...any) {
	r.t.Helper()
	answer, err := r.try(action, pairs...)
	if !fault.Is(err, kind) {
		r.t.Fatalf("%s: answered %v, %v, want %s", action, answer, err, kind.JSON)
	}
	if got := fault.From(err).Message(); text != "" && got != text {
		r.t.Fatalf("%s: text\n%q, want\n%q", action, got, text)
	}
}

func member1(o *wire.Object, name string) string { s, _ := o.Str(name); return s }

// queue makes a queue and answers its ARN.
func (r *rig) queue(name string) string {
	r.t.Helper()
	q := &registry.Queue{Name: name, Attributes: map[string]string{registry.Partitions: "2"}}
	if _, _, err := r.registry.CreateQueue(context.Background(), testToken, q); err != nil {
		r.t.Fatal(err)
	}
	opts := queen.DefaultOptions()
	opts.DedupWindowSeconds = q.DedupWindow()
	if _, err := r.broker.Configure(context.Background(), testToken, name, opts); err != nil {
		r.t.Fatal(err)
	}
	return queueARN + name
}

// removeQueue deletes a queue with its record.
func (r *rig) removeQueue(name string) {
	r.t.Helper()
	if _, err := r.broker.DeleteQueue(context.Background(), testToken, name); err != nil {
		r.t.Fatal(err)
	}
	if err := r.registry.DeleteQueue(context.Background(), testToken, name); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) topic(name string, attributes map[string]string) string {
	r.t.Helper()
	if registry.IsFIFO(name) {
		if attributes == nil {
			attributes = map[string]string{}
		}
		attributes[fifoTopic] = "true"
	}
	return member1(r.do("CreateTopic", "Name", name, "Attributes", attributes), "TopicArn")
}

// sub subscribes a queue, which it makes.
func (r *rig) sub(topic, queue string, attributes map[string]string) string {
	r.t.Helper()
	return member1(r.do("Subscribe", "TopicArn", topic, "Protocol", "sqs", "Endpoint", r.queue(queue), "Attributes", attributes), "SubscriptionArn")
}

// drain takes everything out of a queue in the order of its lanes.
func (r *rig) drain(queue string) []queen.Message {
	r.t.Helper()
	var all []queen.Message
	for {
		got, err := r.broker.Pop(context.Background(), testToken, queen.PopRequest{Queue: queue, Batch: 1000, Partitions: 1, LeaseSeconds: 30})
		if err != nil {
			r.t.Fatal(err)
		}
		if len(got.Messages) == 0 {
			return all
		}
		last := got.Messages[len(got.Messages)-1]
		all = append(all, got.Messages...)
		if _, err := r.broker.Ack(context.Background(), testToken, "", []queen.Ack{{
			TransactionID: last.TransactionID, PartitionID: last.PartitionID, Status: queen.Completed, LeaseID: got.LeaseID,
		}}); err != nil {
			r.t.Fatal(err)
		}
	}
}

// bodies drains a queue and answers the bodies.
func (r *rig) bodies(queue string) []string {
	r.t.Helper()
	var out []string
	for _, m := range r.drain(queue) {
		out = append(out, envelope.Decode(m.Payload).Body)
	}
	return out
}

// messages drains a queue of notifications and answers their messages.
func (r *rig) messages(queue string) []string {
	r.t.Helper()
	var out []string
	for _, body := range r.bodies(queue) {
		var n struct{ Message string }
		if err := json.Unmarshal([]byte(body), &n); err != nil {
			r.t.Fatalf("%q: %v", body, err)
		}
		out = append(out, n.Message)
	}
	return out
}

func (r *rig) want(what string, got, want []string) {
	r.t.Helper()
	if !slices.Equal(got, want) {
		r.t.Fatalf("%s: got %q, want %q", what, got, want)
	}
}
