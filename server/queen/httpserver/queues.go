package httpserver

import (
	"errors"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

func (s *Server) deleteQueue(r *request) answer {
	name := r.param(0)
	existed, err := s.engine.DeleteQueue(r.ctx, "", name)
	if err != nil {
		return failure(err, "delete failed")
	}
	o := newObject(128).text("queue", name).bool("deleted", existed).bool("existed", existed)
	if !existed {
		o.text("message", "Queue not found, nothing was deleted")
	}
	return ok(o.close())
}

func (s *Server) listQueues(r *request) answer {
	queues, err := s.engine.DescribeQueues(r.ctx)
	if err != nil {
		return failure(err, "list failed")
	}
	totals, err := s.engine.Totals(r.ctx)
	if err != nil {
		return failure(err, "list failed")
	}
	o := newObject(128 + 320*len(queues))
	o.int("kvBytes", totals.KVBytes).int("kvRows", totals.KVRows)
	o.list("queues", len(queues), func(out []byte, i int) []byte {
		q := &queues[i]
		counts := newObject(96).int("pending", q.Pending).int("processing", q.Processing).int("total", q.Messages)
		o := &object{out: append(out, '{')}
		o.millis("createdAt", q.CreatedAt).text("id", q.ID).document("messages", counts.close()).text("name", q.Name)
		o.text("namespace", q.Options.Namespace).int("partitions", int64(q.Partitions)).int("retainedBytes", 0)
		return o.document("segments", segments(q)).text("task", q.Options.Task).close()
	})
	return ok(o.int("timerBytes", totals.TimerBytes).int("timerRows", totals.TimerRows).close())
}

// segments counts what Queen stores messages in. Here every lane with messages is
// one.
func segments(q *queen.QueueDetail) []byte {
	n := int64(0)
	for i := range q.Lanes {
		if !q.Lanes[i].Newest.IsZero() {
			n++
		}
	}
	if q.Lanes == nil && q.Messages > 0 {
		n = int64(q.Partitions)
	}
	return newObject(64).int("messages", q.Messages).int("segments", n).close()
}

func counts(c *queen.Counts) []byte {
	o := newObject(128).int("completed", c.Completed).int("deadLetter", c.DeadLetter).raw("failed", "null")
	return o.int("pending", c.Pending).int("processing", c.Processing).int("total", c.Total).close()
}

func (s *Server) queueDetail(r *request) answer {
	q, err := s.engine.DescribeQueue(r.ctx, r.param(0))
	if err != nil {
		return failure(err, "detail failed")
	}
	o := newObject(512 + 384*len(q.Lanes))
	o.millis("createdAt", q.CreatedAt).text("id", q.ID).text("name", q.Name).text("namespace", q.Options.Namespace)
	o.list("partitions", len(q.Lanes), func(out []byte, i int) []byte {
		l := &q.Lanes[i]
		o := &object{out: append(out, '{')}
		o.millis("createdAt", l.Oldest).text("id", l.ID).text("name", l.Name)
		o.millis("newestMessage", l.Newest).millis("oldestMessage", l.Oldest)
		return o.document("stats", counts(&l.Counts)).close()
	})
	o.int("retainedBytes", 0).document("segments", segments(&q)).text("task", q.Options.Task)
	return ok(o.document("totals", counts(&q.Counts)).close())
}

// depth answers what a group has in front of it; without a group, the worst of
// all groups.
func (s *Server) depth(r *request) answer {
	name := r.param(0)
	group := r.readQuery().text("group")
	var d queen.Depth
	var err error
	if group == "" {
		d, err = s.worstDepth(r, name)
	} else {
		d, err = s.engine.Depth(r.ctx, "", name, group)
	}
	if err != nil {
		return failure(err, "depth failed")
	}
	pending, ready := 0, 0
	for i := range d.Lanes {
		if d.Lanes[i].Pending > 0 {
			pending++
		}
		if d.Lanes[i].Ready > 0 {
			ready++
		}
	}
	o := newObject(256 + 96*len(d.Lanes))
	o.text("queue", name).textOrNull("group", group).int("pending", d.Pending).int("processing", d.Processing)
	o.int("ready", d.Ready).int("partitionsPending", int64(pending)).int("partitionsReady", int64(ready))
	o.bool("conflation", false).int("effectivePending", d.Pending).int("effectiveReady", d.Ready)
	o.list("partitions", len(d.Lanes), func(out []byte, i int) []byte {
		l := &d.Lanes[i]
		o := &object{out: append(out, '{')}
		o.text("partition", l.Partition).int("pending", l.Pending).int("processing", l.Processing)
		return o.int("ready", l.Ready).close()
	})
	return ok(o.close())
}

func (s *Server) worstDepth(r *request, name string) (d queen.Depth, err error) {
	q, err := s.engine.DescribeQueue(r.ctx, name)
	if err != nil {
		return d, err
	}
	for i := range q.Lanes {
		l := &q.Lanes[i]
		row := queen.LaneDepth{Partition: l.Name, Pending: l.Pending, Processing: min(l.Processing, l.Pending)}
		row.Ready = row.Pending - row.Processing
		d.Lanes = append(d.Lanes, row)
		d.Pending += row.Pending
		d.Processing += row.Processing
		d.Ready += row.Ready
	}
	return d, nil
}

// label sums up the queues of a namespace or a task.
type label struct {
	name           string
	queues, lanes  int
	total, pending int64
}

func (s *Server) labels(r *request, of func(q *queen.QueueDetail) string) (list []*label, err error) {
	queues, err := s.engine.DescribeQueues(r.ctx)
	byName := map[string]*label{}
	for i := range queues {
		name := of(&queues[i])
		if name == "" {
			continue
		}
		l := byName[name]
		if l == nil {
			l = &label{name: name}
			byName[name] = l
			list = append(list, l)
		}
		l.queues++
		l.lanes += queues[i].Partitions
		l.total += queues[i].Messages
		l.pending += queues[i].Pending
	}
	return list, err
}

func (s *Server) listNamespaces(r *request) answer {
	return s.answerLabels(r, "namespaces", "namespace", func(q *queen.QueueDetail) string { return q.Options.Namespace })
}

func (s *Server) listTasks(r *request) answer {
	return s.answerLabels(r, "tasks", "task", func(q *queen.QueueDetail) string { return q.Options.Task })
}

func (s *Server) answerLabels(r *request, plural, singular string, of func(q *queen.QueueDetail) string) answer {
	list, err := s.labels(r, of)
	if err != nil {
		return failure(err, "list failed")
	}
	o := newObject(64 + 128*len(list))
	o.list(plural, len(list), func(out []byte, i int) []byte {
		l := list[i]
		o := &object{out: append(out, '{')}
		o.text(singular, l.name).int("queues", int64(l.queues)).int("partitions", int64(l.lanes))
		return o.document("messages", newObject(64).int("total", l.total).int("pending", l.pending).close()).close()
	})
	return ok(o.close())
}

func (s *Server) overview(r *request) answer {
	queues, err := s.engine.DescribeQueues(r.ctx)
	if err != nil {
		return failure(err, "overview failed")
	}
	var sum queen.Counts
	namespaces, tasks, lanes := map[string]bool{}, map[string]bool{}, 0
	for i := range queues {
		q := &queues[i]
		lanes += q.Partitions
		sum.Total += q.Messages
		sum.Completed += q.Completed
		sum.Pending += q.Pending
		sum.Processing += q.Processing
		sum.DeadLetter += q.DeadLetter
		if q.Options.Namespace != "" {
			namespaces[q.Options.Namespace] = true
		}
		if q.Options.Task != "" {
			tasks[q.Options.Task] = true
		}
	}
	messages := newObject(128).int("total", sum.Total).int("pending", sum.Pending).int("processing", sum.Processing)
	messages.int("completed", sum.Completed).int("failed", 0).int("deadLetter", sum.DeadLetter)
	o := newObject(384)
	o.int("queues", int64(len(queues))).int("partitions", int64(lanes)).int("namespaces", int64(len(namespaces)))
	o.int("tasks", int64(len(tasks))).document("messages", messages.close())
	return ok(o.millis("timestamp", s.clock.Now()).close())
}

// statusQueues lists queues with their counts, as the dashboard does.
func (s *Server) statusQueues(r *request) answer {
	q := r.readQuery()
	limit, offset := q.lenient("limit", 100, 1, 1000), q.lenient("offset", 0, 0, 1<<31)
	queues, err := s.engine.DescribeQueues(r.ctx)
	if err != nil {
		return failure(err, "status failed")
	}
	queues = queues[min(offset, int64(len(queues))):]
	queues = queues[:min(limit, int64(len(queues)))]
	o := newObject(64 + 320*len(queues))
	o.list("queues", len(queues), func(out []byte, i int) []byte {
		q := &queues[i]
		o := &object{out: append(out, '{')}
		o.text("id", q.ID).text("name", q.Name).text("namespace", q.Options.Namespace).text("task", q.Options.Task)
		o.millis("createdAt", q.CreatedAt).int("partitions", int64(q.Partitions))
		return o.document("messages", counts(&q.Counts)).close()
	})
	return ok(o.document("pagination", newObject(48).int("limit", limit).int("offset", offset).close()).close())
}

func (s *Server) statusQueue(r *request) answer {
	q, err := s.engine.DescribeQueue(r.ctx, r.param(0))
	var status *queen.StatusError
	if errors.As(err, &status) && status.Code == 404 {
		return refuse(404, "Queue not found")
	}
	if err != nil {
		return failure(err, "status failed")
	}
	opts := &q.Options
	config := newObject(160).int("leaseTime", int64(opts.LeaseTime)).int("retryLimit", int64(opts.RetryLimit))
	config.int("retryDelay", int64(opts.RetryDelay)).int("ttl", int64(opts.TTL)).int("maxQueueSize", int64(opts.MaxSize))
	config.bool("deadLetterQueue", opts.DeadLetterQueue)
	head := newObject(320).text("id", q.ID).text("name", q.Name).text("namespace", opts.Namespace).text("task", opts.Task)
	head.int("priority", int64(opts.Priority)).document("config", config.close()).millis("createdAt", q.CreatedAt)
	o := newObject(512 + 512*len(q.Lanes))
	o.document("queue", head.close()).document("totals", newObject(128).document("messages", counts(&q.Counts)).close())
	o.list("partitions", len(q.Lanes), func(out []byte, i int) []byte {
		l := &q.Lanes[i]
		c := counts(&l.Counts)
		o := &object{out: append(out, '{')}
		o.text("id", l.ID).text("name", l.Name).document("stats", c).document("messages", c)
		o.document("cursor", newObject(64).int("totalConsumed", l.Completed).int("batchesConsumed", 0).close())
		o.millis("createdAt", l.Oldest).millis("lastActivity", latest(l.Newest, l.Oldest))
		return o.millis("newestMessage", l.Newest).millis("oldestMessage", l.Oldest).close()
	})
	return ok(o.close())
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
