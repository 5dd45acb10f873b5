package sns

import (
	"context"

	"github.com/google/uuid"

	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/queuename"
	"github.com/queen-mq/queen-sqs/server/registry"
)

// Bounds of one transaction (SN-03, WidePublishInSeveralTransactions):
// beyond them a publish is several.
const (
	mostPushes      = 256
	mostBundleBytes = 8 << 20
)

// alwaysOne is how many subscribers of a topic always fit one transaction,
// however large a message becomes by its escapes.
const alwaysOne = 4

// subscriber is a subscription as a publish needs it.
type subscriber struct {
	record *registry.Subscription
	// queue is empty for an endpoint that is no queue of this deployment.
	queue      string
	deadLetter string
	raw        bool
	policy     policy
}

// compile makes a subscriber of a record, once for each version of it. A stored
// policy that cannot be read lets nothing through.
func (s *Service) compile(record *registry.Subscription) *subscriber {
	sub := &subscriber{record: record, raw: record.Raw()}
	if record.Protocol == protocolSQS {
		sub.queue, _ = s.queueOf(record.Endpoint)
	}
	if doc := record.Attributes[registry.RedrivePolicy]; doc != "" {
		sub.deadLetter, _ = s.deadLetterQueue(doc)
	}
	var err error
	if sub.policy, err = compilePolicy(record); err != nil {
		s.lines.Warn("a stored filter policy cannot be read; its subscription receives nothing", "topic", record.Topic, "subscription", record.ID)
	}
	return sub
}

// delivery is one copy of a message on its way to a queue.
type delivery struct {
	subscription string
	queue        string
	lane         string
	raw          bool
}

// fanOut delivers a message to every subscriber that wants it, all or none up to
// the bounds of a transaction. On a FIFO topic m gets the id of the message that
// it repeats, if it does.
func (s *Service) fanOut(ctx context.Context, tok queen.Token, m *message) error {
	subscribers, truncated, err := s.subscribers.Of(ctx, tok, m.topic)
	if err != nil {
		return brokerFault(err)
	}
	if truncated {
		s.lines.Warn("a topic has too many subscriptions; the last ones receive nothing", "topic", m.topic.Name, "most", registry.MostSubscriptions)
	}
	if m.topic.FIFO() && len(subscribers) > alwaysOne {
		unlock, err := s.order.lock(ctx, m.topic.Name, m.group)
		if err != nil {
			return brokerFault(err)
		}
		defer unlock()
	}
	deliveries, err := s.deliveries(ctx, tok, m, subscribers)
	if err != nil {
		return brokerFault(err)
	}
	if m.topic.FIFO() {
		return brokerFault(s.deliverOnce(ctx, tok, m, deliveries))
	}
	for len(deliveries) > 0 {
		n := bundle(deliveries, m, mostPushes)
		if _, err := s.broker.Transaction(ctx, tok, queen.Transaction{Pushes: pushes(deliveries[:n], m)}); err != nil {
			return brokerFault(err)
		}
		deliveries = deliveries[n:]
	}
	return nil
}

// deliveries picks the subscribers that want the message and finds their queues.
// A queue that is gone is replaced by the subscription's dead-letter queue, or
// else left out.
func (s *Service) deliveries(ctx context.Context, tok queen.Token, m *message, subscribers []*subscriber) ([]delivery, error) {
	var wanted []*subscriber
	names := make([]string, 0, len(subscribers))
	for _, sub := range subscribers {
		if sub.policy.wants(m) {
			wanted = append(wanted, sub)
			names = appendName(names, sub.queue)
		}
	}
	queues, err := s.registry.QueuesFresh(ctx, tok, names)
	if err != nil {
		return nil, err
	}
	if err := s.addDeadLetterQueues(ctx, tok, wanted, queues); err != nil {
		return nil, err
	}
	out := make([]delivery, 0, len(wanted))
	served := make(map[string]bool, len(wanted))
	for _, sub := range wanted {
		q := queues[sub.queue]
		if q == nil {
			q = queues[sub.deadLetter]
		}
		if q == nil || q.FIFO() && !m.topic.FIFO() {
			s.lines.Warn("a subscription has no queue to deliver to; it was left out of a publish", "topic", m.topic.Name, "subscription", sub.record.ID)
			continue
		}
		if m.topic.FIFO() && served[q.Name] {
			continue
		}
		served[q.Name] = true
		out = append(out, delivery{subscription: sub.record.ID, queue: q.Name, lane: laneOf(q, m), raw: sub.raw})
	}
	return out, nil
}

// addDeadLetterQueues adds the queues that stand in for those that are gone.
func (s *Service) addDeadLetterQueues(ctx context.Context, tok queen.Token, wanted []*subscriber, queues map[string]*registry.Queue) error {
	var names []string
	for _, sub := range wanted {
		if queues[sub.queue] == nil && queues[sub.deadLetter] == nil {
			names = appendName(names, sub.deadLetter)
		}
	}
	if len(names) == 0 {
		return nil
	}
	more, err := s.registry.QueuesFresh(ctx, tok, names)
	for name, q := range more {
		queues[name] = q
	}
	return err
}

func appendName(names []string, name string) []string {
	if name == "" || len(names) > 0 && names[len(names)-1] == name {
		return names
	}
	return append(names, name)
}

func laneOf(q *registry.Queue, m *message) string {
	if q.FIFO() {
		return m.group
	}
	return queuename.Lane(uuid.NewString(), q.Width())
}

// bundle is how many of the deliveries fit one transaction, at least one if
// there is one.
func bundle(deliveries []delivery, m *message, most int) int {
	n, bytes := 0, 0
	for n < len(deliveries) && n < most {
		d := deliveries[n]
		bytes += len(m.payload(d.raw)) + len(d.queue) + len(d.lane)
		if bytes > mostBundleBytes && n > 0 {
			break
		}
		n++
	}
	return n
}

func pushes(deliveries []delivery, m *message) []queen.PushItem {
	items := make([]queen.PushItem, len(deliveries))
	for i, d := range deliveries {
		items[i] = queen.PushItem{Queue: d.queue, Partition: d.lane, Payload: m.payload(d.raw)}
		if registry.IsFIFO(d.queue) {
			items[i].TransactionID = &m.dedup
		}
	}
	return items
}
