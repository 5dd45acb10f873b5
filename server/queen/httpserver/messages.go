package httpserver

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/queen-mq/queen-sqs/server/queen"
)

func (s *Server) listMessages(r *request) answer {
	q := r.readQuery()
	limit, offset := q.lenient("limit", 200, 1, 1000), q.lenient("offset", 0, 0, 1<<31)
	names := []string{q.text("queue")}
	if names[0] == "" {
		queues, err := s.engine.DescribeQueues(r.ctx)
		if err != nil {
			return failure(err, "list failed")
		}
		names = names[:0]
		for i := range queues {
			if ns := q.text("namespace"); ns != "" && queues[i].Options.Namespace != ns {
				continue
			}
			if task := q.text("task"); task != "" && queues[i].Options.Task != task {
				continue
			}
			names = append(names, queues[i].Name)
		}
	}
	var list []queen.StoredMessage
	for _, name := range names {
		page, err := s.engine.BrowseMessages(r.ctx, name, q.text("partition"), q.text("status"), int(offset), int(limit)-len(list))
		if err != nil {
			return failure(err, "list failed")
		}
		if list = append(list, page...); len(list) >= int(limit) {
			break
		}
	}
	groups, queueMode := groupsOf(list)
	o := newObject(128 + 768*len(list))
	o.list("messages", len(list), func(out []byte, i int) []byte { return appendStored(out, &list[i]) })
	mode := newObject(96).int("busGroupsCount", int64(groups)).bool("hasQueueMode", queueMode).text("type", modeName(groups, queueMode))
	return ok(o.document("mode", mode.close()).int("total", int64(len(list))).close())
}

// groupsOf counts the named groups that have consumed, and tells whether the
// nameless one has.
func groupsOf(list []queen.StoredMessage) (named int, queueMode bool) {
	seen := map[string]bool{}
	for i := range list {
		for _, g := range list[i].Groups {
			if g.Name == queen.DefaultGroup {
				queueMode = true
			} else if !seen[g.Name] {
				seen[g.Name] = true
				named++
			}
		}
	}
	return named, queueMode
}

func modeName(groups int, queueMode bool) string {
	switch {
	case groups > 0 && queueMode:
		return "hybrid"
	case groups > 0:
		return "bus"
	case queueMode:
		return "queue"
	}
	return "none"
}

func appendStored(out []byte, m *queen.StoredMessage) []byte {
	consumed, named := 0, 0
	lease, queueStatus := queen.MessageGroup{}, "pending"
	for _, g := range m.Groups {
		if g.Name == queen.DefaultGroup {
			lease = g
			switch {
			case g.Consumed:
				queueStatus = "completed"
			case !g.LeaseExpires.IsZero():
				queueStatus = "processing"
			}
			continue
		}
		named++
		if g.Consumed {
			consumed++
		}
	}
	if m.Status == "dead_letter" {
		queueStatus = m.Status
	}
	hash := sha256.Sum256([]byte(m.Txn))
	o := &object{out: append(out, '{')}
	o.document("busStatus", newObject(64).int("consumedBy", int64(consumed)).int("totalGroups", int64(named)).close())
	o.millis("createdAt", m.CreatedAt).document("data", m.Payload).text("id", m.ID).bool("isEncrypted", false)
	o.millis("leaseExpiresAt", lease.LeaseExpires).text("namespace", m.Options.Namespace).text("partition", m.Partition)
	o.text("partitionId", m.PartitionID).document("payload", m.Payload).bool("payloadAvailable", true).raw("producerSub", "null")
	o.text("queue", m.Queue).text("queuePath", m.Queue+"/"+m.Partition).int("queuePriority", int64(m.Options.Priority))
	o.text("queueStatus", queueStatus).document("segment", newObject(48).int("frameIdx", 0).int("seq", m.Offset).close())
	o.text("status", m.Status).text("task", m.Options.Task).raw("traceId", "null").text("transactionId", m.Txn)
	return o.text("txnHash", hex.EncodeToString(hash[:16])).close()
}

func (s *Server) messageDetail(r *request) answer {
	m, found, err := s.engine.FindMessage(r.ctx, r.param(0), r.param(1))
	if err != nil {
		return failure(err, "resolve failed: db error")
	}
	if !found {
		return refuse(404, "Message not found")
	}
	named, queueMode := groupsOf([]queen.StoredMessage{m})
	lease := queen.MessageGroup{}
	o := newObject(1024 + 2*len(m.Payload))
	o.list("consumerGroups", len(m.Groups), func(out []byte, i int) []byte {
		g := &m.Groups[i]
		if lease.LeaseExpires.IsZero() {
			lease = *g
		}
		o := &object{out: append(out, '{')}
		return o.bool("consumed", g.Consumed).text("group", g.Name).offset("leaseExpiresAt", g.LeaseExpires).text("name", g.Name).close()
	})
	kind := modeName(named, queueMode)
	if kind == "hybrid" {
		kind = "bus"
	}
	opts := &m.Options
	o.millis("createdAt", m.CreatedAt).document("data", m.Payload).textOrNull("errorMessage", m.Reason).text("id", m.ID)
	o.bool("isEncrypted", false).offset("leaseExpiresAt", lease.LeaseExpires)
	o.document("mode", newObject(96).int("busGroupsCount", int64(named)).bool("hasQueueMode", queueMode).text("type", kind).close())
	o.text("namespace", opts.Namespace).text("partition", m.Partition).text("partitionId", m.PartitionID)
	o.document("payload", m.Payload).raw("producerSub", "null").text("queue", m.Queue)
	config := newObject(128).int("leaseTime", int64(opts.LeaseTime)).int("priority", int64(opts.Priority))
	config.int("retryDelay", int64(opts.RetryDelay)).int("retryLimit", int64(opts.RetryLimit)).int("ttl", int64(opts.TTL))
	o.document("queueConfig", config.close()).text("queuePath", m.Queue+"/"+m.Partition).int("retryCount", m.Retries)
	return ok(o.text("status", m.Status).text("task", opts.Task).raw("traceId", "null").text("transactionId", m.Txn).close())
}

func (s *Server) deleteMessage(r *request) answer {
	_, _, found, err := s.engine.TakeDeadLetter(r.ctx, r.param(0), r.param(1), false)
	if err != nil {
		return failure(err, "delete failed")
	}
	o := newObject(256)
	if !found {
		o.text("error", "Message not found")
		o.text("message", "No dead-letter row for this address. Live messages live in immutable segments and cannot be deleted")
		o.text("partitionId", r.param(0)).bool("success", false).text("transactionId", r.param(1))
		return answer{status: 404, body: o.close()}
	}
	return ok(o.text("partitionId", r.param(0)).bool("success", true).text("transactionId", r.param(1)).close())
}

// retryMessage pushes a dead letter again, as a new message.
func (s *Server) retryMessage(r *request) answer {
	row, pushed, found, err := s.engine.TakeDeadLetter(r.ctx, r.param(0), r.param(1), true)
	if err != nil {
		return failure(err, "retry failed")
	}
	if !found {
		return refuse(404, "Message not found in DLQ")
	}
	replayed := newObject(256).int("index", 0).text("message_id", pushed.MessageID).text("queueName", pushed.Queue)
	replayed.text("status", string(pushed.Status)).text("transaction_id", pushed.TransactionID)
	o := newObject(384).bool("dlqRowRemoved", true).text("partition", row.Partition).text("queue", row.Queue)
	return ok(o.document("replayedAs", replayed.close()).bool("success", true).close())
}

func (s *Server) deadLetters(r *request) answer {
	q := r.readQuery()
	limit, offset := q.lenient("limit", 100, 1, 1000), q.lenient("offset", 0, 0, 1<<31)
	rows, err := s.engine.BrowseDeadLetters(r.ctx, q.text("queue"), q.text("consumerGroup"))
	if err != nil {
		return failure(err, "dlq failed")
	}
	total := len(rows)
	rows = rows[min(int(offset), total):]
	rows = rows[:min(int(limit), len(rows))]
	o := newObject(128 + 512*len(rows))
	o.list("messages", len(rows), func(out []byte, i int) []byte {
		d := &rows[i]
		o := &object{out: append(out, '{')}
		o.text("consumerGroup", d.Group).millis("createdAt", d.CreatedAt).document("data", d.Payload)
		o.textOrNull("errorMessage", d.Reason).millis("failedAt", d.FailedAt).text("id", d.ID).text("partition", d.Partition)
		o.text("partitionId", d.PartitionID).raw("producerSub", "null").text("queue", d.Queue)
		return o.int("retryCount", int64(max(d.Attempts-1, 0))).text("transactionId", d.Txn).close()
	})
	o.document("pagination", newObject(48).int("limit", limit).int("offset", offset).close())
	return ok(o.int("total", int64(total)).close())
}
