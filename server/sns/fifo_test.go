package sns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// send publishes to a FIFO topic and answers the MessageId.
func (r *rig) send(topic, message, group, dedup string) string {
	r.t.Helper()
	return member1(r.do("Publish", r.fifo(topic, message, group, dedup)...), "MessageId")
}

func (r *rig) fifo(topic, message, group, dedup string) []any {
	pairs := []any{"TopicArn", topic, "Message", message, "MessageGroupId", group}
	if dedup != "" {
		pairs = append(pairs, "MessageDeduplicationId", dedup)
	}
	return pairs
}

func TestFIFODelivery(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t.fifo", map[string]string{"ContentBasedDeduplication": "true"})
	r.sub(topic, "q.fifo", nil)
	r.sub(topic, "raw.fifo", map[string]string{"RawMessageDelivery": "true"})
	r.sub(topic, "standard", nil)
	id := r.send(topic, "Test", "g1", "")

	got := r.drain("q.fifo")
	if len(got) != 1 || got[0].Partition != "g1" || got[0].TransactionID != "532eaabd9574880dbf76b9b8cc00832c20a6ec113d682299550d7a6e0f345e25" {
		t.Fatalf("%+v", got)
	}
	body := envelope.Decode(got[0].Payload).Body
	if want := `{"Type":"Notification","MessageId":"` + id + `","TopicArn":"` + topic + `","Message":"Test","Timestamp":"`; !strings.HasPrefix(body, want) || strings.Contains(body, "SignatureVersion") {
		t.Errorf("%s", body)
	}
	if m := envelope.Decode(r.drain("raw.fifo")[0].Payload); m.Body != "Test" || m.System != nil {
		t.Errorf("%+v", m)
	}
	standard := r.drain("standard")
	if m := envelope.Decode(standard[0].Payload); len(standard) != 1 || m.System != nil || m.Body != body || standard[0].TransactionID != standard[0].ID {
		t.Errorf("%+v %+v", standard, m)
	}
}

// A repeated id has the first one's answer, delivers nothing, and is new again
// after five minutes (recorded: the original MessageId).
func TestFIFODeduplication(t *testing.T) {
	r := newRig(t)
	other := newRigOn(t, r.broker, r.clock)
	topic := r.topic("t.fifo", nil)
	r.sub(topic, "q.fifo", map[string]string{"RawMessageDelivery": "true"})
	r.sub(topic, "standard", map[string]string{"RawMessageDelivery": "true"})
	first := r.send(topic, "one", "g", "d")
	if again := other.send(topic, "one", "g", "d"); again != first {
		t.Errorf("%s is not %s", again, first)
	}
	r.clock.Advance(dedupWindow - time.Second)
	if again := other.send(topic, "other text, other group", "h", "d"); again != first {
		t.Errorf("%s is not %s", again, first)
	}
	r.want("FIFO queue", r.bodies("q.fifo"), []string{"one"})
	r.want("standard queue", r.bodies("standard"), []string{"one"})
	r.clock.Advance(time.Second)
	if again := r.send(topic, "two", "g", "d"); again == first {
		t.Error("the window does not end")
	}
	r.want("FIFO queue", r.bodies("q.fifo"), []string{"two"})

	// Another topic, and the same topic made again, know nothing of it.
	if id := r.send(r.topic("u.fifo", nil), "m", "g", "d"); id == first {
		t.Error("two topics share their ids")
	}
	last := r.send(topic, "last", "g", "e")
	r.do("DeleteTopic", "TopicArn", topic)
	r.clock.Advance(time.Millisecond)
	r.topic("t.fifo", nil)
	if id := r.send(topic, "m", "g", "e"); id == last {
		t.Error("a topic made again remembers")
	}
}

// Nobody matches, and the id is taken nevertheless: a later subscriber does not
// get the repetition (SN-04).
func TestFIFODeduplicationWithoutSubscribers(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t.fifo", nil)
	first := r.send(topic, "m", "g", "d")
	if got := r.broker.transactions(); len(got) != 0 {
		t.Errorf("transactions %v", got)
	}
	r.sub(topic, "q.fifo", nil)
	if again := r.send(topic, "m", "g", "d"); again != first {
		t.Errorf("%s is not %s", again, first)
	}
	r.want("the queue", r.bodies("q.fifo"), nil)
}

func TestFIFODeduplicationScope(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t.fifo", map[string]string{"ContentBasedDeduplication": "true"})
	r.sub(topic, "q.fifo", map[string]string{"RawMessageDelivery": "true"})
	if r.send(topic, "m", "a", "") != r.send(topic, "m", "b", "") {
		t.Error("the scope is not the topic")
	}
	if got := r.drain("q.fifo"); len(got) != 1 || got[0].Partition != "a" {
		t.Errorf("%+v", got)
	}
	r.do("SetTopicAttributes", "TopicArn", topic, "AttributeName", "FifoThroughputScope", "AttributeValue", "MessageGroup")
	if r.send(topic, "n", "a", "") == r.send(topic, "n", "b", "") {
		t.Error("the scope is not the group")
	}
	r.want("both groups", r.bodies("q.fifo"), []string{"n", "n"})
}

// The whole batch again has the same ids (recorded), and so has an id that is
// twice in one batch.
func TestFIFOBatchAgain(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t.fifo", map[string]string{"ContentBasedDeduplication": "true"})
	r.sub(topic, "q.fifo", map[string]string{"RawMessageDelivery": "true"})
	batch := []*wire.Object{entry("1", "MessageGroupId", "g"), entry("2", "MessageGroupId", "g"),
		entry("3", "MessageGroupId", "g", "MessageDeduplicationId", "d"), entry("4", "MessageGroupId", "g", "MessageDeduplicationId", "d")}
	publish := func() string {
		return string(wire.AppendJSONObject(nil, r.do("PublishBatch", "TopicArn", topic, "PublishBatchRequestEntries", batch)))
	}
	first := publish()
	if again := publish(); again != first {
		t.Errorf("%s\n%s", first, again)
	}
	r.want("the queue", r.bodies("q.fifo"), []string{"message 1", "message 2", "message 3"})
}

// All who publish one id at once have one answer, and one copy is delivered.
func TestFIFODeduplicationAtOnce(t *testing.T) {
	one := newRig(t)
	two := newRigOn(t, one.broker, one.clock)
	topic := one.topic("t.fifo", nil)
	for i := range 6 {
		one.sub(topic, fmt.Sprint("q", i, ".fifo"), map[string]string{"RawMessageDelivery": "true"})
	}
	ids := make([]string, 16)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			answer, err := []*rig{one, two}[i%2].try("Publish", one.fifo(topic, "m", "g", "d")...)
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = member1(answer, "MessageId")
		})
	}
	wg.Wait()
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 1 {
		t.Errorf("%q", ids)
	}
	for i := range 6 {
		one.want("a queue", one.bodies(fmt.Sprint("q", i, ".fifo")), []string{"m"})
	}
}

// subscribeMany makes n FIFO subscribers and answers their queues.
func (r *rig) subscribeMany(topic string, n int) []string {
	r.t.Helper()
	queues := make([]string, n)
	for i := range n {
		queues[i] = fmt.Sprintf("q%d.fifo", i)
		r.sub(topic, queues[i], map[string]string{"RawMessageDelivery": "true"})
	}
	return queues
}

// The order within a group is the same for every subscriber, also beyond one
// transaction.
func TestFIFOOrderIsTheSameForAll(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t.fifo", nil)
	queues := r.subscribeMany(topic, 300)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 5 {
				name := fmt.Sprint(i, ".", j)
				if _, err := r.try("Publish", r.fifo(topic, name, "g", name)...); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	want := r.bodies(queues[0])
	if len(want) != 20 {
		t.Fatalf("%d messages", len(want))
	}
	for _, q := range queues[1:] {
		r.want(q, r.bodies(q), want)
	}
}

// A publish that was interrupted between its transactions is finished by the
// next one with its id: everybody has one copy, of one id.
func TestFIFOInterrupted(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t.fifo", nil)
	queues := r.subscribeMany(topic, 300)
	for _, q := range queues[:3] {
		arn := member1(r.do("Subscribe", "TopicArn", topic, "Protocol", "sqs", "Endpoint", queueARN+q), "SubscriptionArn")
		r.do("SetSubscriptionAttributes", "SubscriptionArn", arn, "AttributeName", "RawMessageDelivery", "AttributeValue", "false")
	}
	r.broker.refuse = func(n int, _ queen.Transaction) error {
		if n == 1 {
			return &queen.TransportError{Err: errors.New("down")}
		}
		return nil
	}
	r.refuse(fault.ServiceUnavailable, "", "Publish", r.fifo(topic, "m", "g", "d")...)
	r.broker.refuse = nil
	id := r.send(topic, "m", "g", "d")
	if again := r.send(topic, "m", "g", "d"); again != id {
		t.Errorf("%s is not %s", again, id)
	}
	for i, q := range queues {
		got := r.bodies(q)
		if len(got) != 1 || i >= 3 && got[0] != "m" || i < 3 && !strings.Contains(got[0], `"MessageId":"`+id+`"`) {
			t.Fatalf("%s: %q", q, got)
		}
	}
}

// An id that somebody sent to one of the queues directly costs that queue the
// message and nobody else.
func TestFIFODuplicateInOneQueue(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t.fifo", nil)
	queues := r.subscribeMany(topic, 7)
	for _, q := range []string{queues[2], queues[5]} {
		if _, err := r.broker.Push(t.Context(), testToken, []queen.PushItem{{
			Queue: q, Partition: "g", Payload: json.RawMessage(`{"b":"direct"}`), TransactionID: queen.Txn("d"),
		}}); err != nil {
			t.Fatal(err)
		}
	}
	id := r.send(topic, "m", "g", "d")
	for i, q := range queues {
		want := "m"
		if i == 2 || i == 5 {
			want = "direct"
		}
		r.want(q, r.bodies(q), []string{want})
	}
	if r.send(topic, "m", "g", "d") != id {
		t.Error("the id is not remembered")
	}
}

// silent is a broker that leaves the details out of its refusals, as Queen does
// when they are long.
type silent struct{ queen.Broker }

func (b silent) Transaction(ctx context.Context, tok queen.Token, tx queen.Transaction) (queen.TransactionResult, error) {
	res, err := b.Broker.Transaction(ctx, tok, tx)
	var lost *queen.PreconditionError
	if errors.As(err, &lost) {
		err = &queen.PreconditionError{FailedIndex: -1}
	}
	return res, err
}

func TestFIFODeduplicationOnATerseBroker(t *testing.T) {
	r := newRig(t)
	terse := newRigOn(t, &watched{Broker: silent{r.broker}}, r.clock)
	topic := r.topic("t.fifo", nil)
	r.sub(topic, "q.fifo", map[string]string{"RawMessageDelivery": "true"})
	first := terse.send(topic, "m", "g", "d")
	if again := terse.send(topic, "m", "g", "d"); again != first {
		t.Errorf("%s is not %s", again, first)
	}
	r.want("the queue", r.bodies("q.fifo"), []string{"m"})
}

// The dead-letter queue of a FIFO subscription gets group and id as well; two
// subscriptions with one dead-letter queue leave one copy there.
func TestFIFODeadLetters(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t.fifo", nil)
	redrive := map[string]string{"RawMessageDelivery": "true", "RedrivePolicy": `{"deadLetterTargetArn":"` + r.queue("dlq.fifo") + `"}`}
	for _, q := range []string{"a.fifo", "b.fifo"} {
		r.sub(topic, q, redrive)
		r.removeQueue(q)
	}
	r.send(topic, "m", "g", "d")
	got := r.drain("dlq.fifo")
	if len(got) != 1 || got[0].Partition != "g" || got[0].TransactionID != "d" {
		t.Errorf("%+v", got)
	}
}

// A row that cannot be read fails the publish and is not overwritten.
func TestFIFOUnreadableRow(t *testing.T) {
	r := newRig(t)
	topic := r.topic("t.fifo", nil)
	record, err := r.registry.Topic(t.Context(), testToken, "t.fifo")
	if err != nil {
		t.Fatal(err)
	}
	m := &message{topic: record, dedup: "d"}
	if err := r.registry.Put(t.Context(), testToken, m.dedupKey(), []int{}, registry.Forever); err != nil {
		t.Fatal(err)
	}
	r.refuse(fault.InternalFailure, "", "Publish", r.fifo(topic, "m", "g", "d")...)
}
