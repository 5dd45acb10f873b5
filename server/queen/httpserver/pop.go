package httpserver

import (
	"context"
	"errors"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// What a pop that does not say is given (queen-wire 6.2).
const (
	defaultBatch   = 200
	defaultTimeout = 30000
	// longestPark bounds a timeout; Queen has no limit, and a duration has.
	longestPark = 24 * time.Hour
	// discoveryInterval is how often a parked pop that names no queue looks again,
	// as Queen does.
	discoveryInterval = 100 * time.Millisecond
)

// popParams are the parameters of every pop.
type popParams struct {
	queen.PopRequest
	autoAck bool
	group   string
	seed    queen.Seed
}

func (s *Server) readPop(q *query) (p popParams, refused *answer) {
	p.Batch = int(max(q.int("batch", 32, defaultBatch), 1))
	p.Partitions = int(max(q.int("partitions", 32, 1), 1))
	p.autoAck = q.bool("autoAck")
	wait := q.bool("wait")
	timeout := q.int("timeout", -64, defaultTimeout)
	p.LeaseSeconds = int(max(q.int("leaseSeconds", 32, 0), 0))
	q.bool("conflation")
	q.bool("autopilot")
	if refused := q.refusal(); refused != nil {
		return p, refused
	}
	if wait {
		p.Wait = min(time.Duration(min(timeout, int64(longestPark/time.Millisecond)))*time.Millisecond, longestPark)
	}
	p.group = q.text("consumerGroup")
	if p.group == "" {
		p.group = queen.DefaultGroup
	}
	p.Group = p.group
	p.seed = readSeed(q)
	return p, nil
}

var popOnce = []string{"batch", "partitions", "autoAck", "wait", "timeout", "leaseSeconds", "consumerGroup",
	"subscriptionMode", "subscriptionFrom", "conflation", "autopilot", "namespace", "task"}

// readSeed reads where a new group begins: with a time, at the tail (the default)
// or with everything. A subscriptionFrom that is no time is the tail, a
// subscriptionMode that is none of Queen's words is everything.
func readSeed(q *query) queen.Seed {
	if from := q.text("subscriptionFrom"); from != "" {
		if t, ok := readTime(from); ok {
			return queen.Seed{From: t}
		}
		return queen.Seed{New: true}
	}
	mode, given := q.values["subscriptionMode"]
	return queen.Seed{New: !given || mode == "" || mode == "new" || mode == "new-only"}
}

func readTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

func (s *Server) popQueue(r *request) answer {
	p, refused := s.readPop(r.readQuery(popOnce...))
	if refused != nil {
		return *refused
	}
	p.Queue = r.param(0)
	if len(r.params) > 1 {
		lane := r.param(1)
		p.Lane = &lane
	}
	ctx, cancel := r.ctx, func() {}
	if p.Wait > 0 {
		ctx, cancel = s.listening.patient(ctx)
	}
	defer cancel()
	result, err := s.claim(ctx, &p)
	if err != nil {
		return popFailure(err)
	}
	return p.answer(p.Queue, result)
}

// popFailure answers a long poll that was cut short as one that found nothing.
func popFailure(err error) answer {
	if errors.Is(err, context.Canceled) {
		return nothing
	}
	return failure(err, "pop failed")
}

// claim pops for a group, which it registers first, and settles at once what is
// not to be acknowledged.
func (s *Server) claim(ctx context.Context, p *popParams) (queen.PopResult, error) {
	if err := s.engine.Subscribe(ctx, p.Queue, p.group, p.Lane == nil, p.seed); err != nil {
		return queen.PopResult{}, err
	}
	result, err := s.engine.Pop(ctx, "", p.PopRequest)
	if err != nil || !p.autoAck || len(result.Messages) == 0 {
		return result, err
	}
	err = s.engine.CommitLease(context.WithoutCancel(ctx), result.LeaseID)
	result.LeaseID = ""
	for i := range result.Messages {
		result.Messages[i].LeaseID = ""
	}
	return result, err
}

// popDiscover pops from any queue of a namespace, a task, or both. One answer
// holds messages of one queue.
func (s *Server) popDiscover(r *request) answer {
	q := r.readQuery(popOnce...)
	p, refused := s.readPop(q)
	if refused != nil {
		return *refused
	}
	namespace, task := q.text("namespace"), q.text("task")
	if namespace == "" && task == "" {
		body := newObject(96).bool("success", false).text("error", "namespace or task is required").raw("messages", "[]").close()
		return answer{status: 400, body: body}
	}
	until := s.clock.Now().Add(p.Wait)
	p.Wait = 0
	ctx, cancel := s.listening.patient(r.ctx)
	defer cancel()
	for {
		result, err := s.discover(ctx, &p, namespace, task)
		if err != nil {
			return popFailure(err)
		}
		left := until.Sub(s.clock.Now())
		if len(result.Messages) > 0 || left <= 0 {
			return p.answer("", result)
		}
		if err := s.pause(ctx, min(left, discoveryInterval)); err != nil {
			return popFailure(err)
		}
	}
}

// discover claims from the first queue that has something, beginning behind the
// one that was served last so that none is starved.
func (s *Server) discover(ctx context.Context, p *popParams, namespace, task string) (queen.PopResult, error) {
	queues, err := s.engine.DescribeQueues(ctx)
	if err != nil {
		return queen.PopResult{}, err
	}
	first := int(s.turns.Add(1))
	for i := range queues {
		q := &queues[(first+i)%len(queues)]
		if namespace != "" && q.Options.Namespace != namespace || task != "" && q.Options.Task != task {
			continue
		}
		p.Queue = q.Name
		result, err := s.claim(ctx, p)
		if err != nil || len(result.Messages) > 0 {
			return result, err
		}
	}
	return queen.PopResult{}, nil
}

// pause waits on the server's clock.
func (s *Server) pause(ctx context.Context, d time.Duration) error {
	woken := make(chan struct{})
	timer := s.clock.AfterFunc(d, func() { close(woken) })
	defer timer.Stop()
	select {
	case <-woken:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *popParams) answer(queueName string, result queen.PopResult) answer {
	if len(result.Messages) == 0 {
		return nothing
	}
	size := 256
	for i := range result.Messages {
		size += 448 + len(result.Messages[i].Payload)
	}
	first := &result.Messages[0]
	o := newObject(size)
	o.bool("success", true).text("queue", queueName).text("partition", first.Partition).text("partitionId", first.PartitionID)
	o.text("leaseId", result.LeaseID).text("consumerGroup", p.group)
	o.list("messages", len(result.Messages), func(out []byte, i int) []byte {
		return appendMessage(out, &result.Messages[i], p.group)
	})
	return ok(o.int("partitionsClaimed", int64(result.PartitionsClaimed)).close())
}

func appendMessage(out []byte, m *queen.Message, group string) []byte {
	o := &object{out: append(out, '{')}
	o.text("id", m.ID).text("transactionId", m.TransactionID).raw("traceId", "null").document("data", m.Payload)
	o.raw("producerSub", "null").micros("createdAt", m.CreatedAt).text("partitionId", m.PartitionID)
	o.text("partition", m.Partition).text("leaseId", m.LeaseID).text("consumerGroup", group)
	if m.Attempt > 0 {
		o.int("deliveryAttempt", int64(m.Attempt))
	}
	if m.Offset != queen.Unknown {
		o.int("offset", m.Offset)
	}
	return o.close()
}
