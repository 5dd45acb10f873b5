package httpserver

import (
	"math"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// age is how long ago an instant was, in whole seconds.
func (s *Server) age(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return max(int64(s.clock.Now().Sub(t)/time.Second), 0)
}

func (s *Server) listGroups(r *request) answer {
	groups, err := s.engine.DescribeGroups(r.ctx, "")
	if err != nil {
		return failure(err, "consumer groups failed")
	}
	out := appendList(make([]byte, 0, 2+320*len(groups)), len(groups), func(out []byte, i int) []byte {
		g := &groups[i]
		lag, behind, cursors, oldest := int64(0), 0, 0, int64(0)
		for j := range g.Lanes {
			l := &g.Lanes[j]
			if lag += l.Lag; l.Lag > 0 {
				behind++
				oldest = max(oldest, s.age(l.OldestUnread))
			}
			if l.Cursor {
				cursors++
			}
		}
		state := "Stable"
		if lag > 0 {
			state = "Lagging"
		}
		o := &object{out: append(out, '{')}
		o.text("name", g.Name).text("queueName", g.Queue).list("topics", 1, func(out []byte, _ int) []byte { return appendText(out, g.Queue) })
		o.text("state", state).int("members", int64(cursors)).text("storage", "segments").int("totalLag", lag)
		o.int("maxTimeLag", oldest).int("partitionCursors", int64(cursors)).int("partitionsWithLag", int64(behind))
		return o.bool("conflation", false).close()
	})
	return ok(out)
}

func (s *Server) groupDetail(r *request) answer {
	groups, err := s.engine.DescribeGroups(r.ctx, r.param(0))
	if err != nil {
		return failure(err, "consumer group failed")
	}
	out := []byte{'{'}
	for i := range groups {
		if i > 0 {
			out = append(out, ',')
		}
		g := &groups[i]
		out = append(appendText(out, g.Queue), ':')
		o := newObject(64+192*len(g.Lanes)).bool("conflation", false)
		o.list("partitions", len(g.Lanes), func(out []byte, i int) []byte {
			l := &g.Lanes[i]
			o := &object{out: append(out, '{')}
			o.text("partition", l.Partition).textOrNull("workerId", l.LeaseID).bool("leaseActive", l.Leased).int("offsetLag", l.Lag)
			return o.int("totalConsumed", l.Consumed).raw("lastConsumedAt", "null").int("timeLagSeconds", s.age(l.OldestUnread)).close()
		})
		out = append(out, o.close()...)
	}
	return ok(append(out, '}'))
}

func (s *Server) laggingGroups(r *request) answer {
	least := r.readQuery().lenient("minLagSeconds", 3600, 0, math.MaxInt32)
	groups, err := s.engine.DescribeGroups(r.ctx, "")
	if err != nil {
		return failure(err, "consumer groups failed")
	}
	type row struct {
		group *queen.GroupDetail
		lane  *queen.GroupLane
	}
	var rows []row
	for i := range groups {
		for j := range groups[i].Lanes {
			if l := &groups[i].Lanes[j]; l.Lag > 0 && s.age(l.OldestUnread) >= least {
				rows = append(rows, row{&groups[i], l})
			}
		}
	}
	out := appendList(make([]byte, 0, 2+320*len(rows)), len(rows), func(out []byte, i int) []byte {
		g, l := rows[i].group, rows[i].lane
		age := s.age(l.OldestUnread)
		o := &object{out: append(out, '{')}
		o.text("consumer_group", g.Name).text("queue_name", g.Queue).text("partition_name", l.Partition).text("partition_id", l.PartitionID)
		o.textOrNull("worker_id", l.LeaseID).int("offset_lag", l.Lag).int("time_lag_seconds", age).int("lag_hours", age/3600)
		return o.millis("oldest_unconsumed_at", l.OldestUnread).raw("last_consumed_at", "null").close()
	})
	return ok(out)
}

func (s *Server) seekQueue(r *request) answer { return s.seek(r, nil) }

func (s *Server) seekPartition(r *request) answer {
	partition := r.param(2)
	return s.seek(r, &partition)
}

func (s *Server) seek(r *request, partition *string) answer {
	group, name := r.param(0), r.param(1)
	to, given := readSeek(r.body)
	if !given {
		return refuse(400, "Must specify toEnd=true or a timestamp")
	}
	moved, err := s.engine.SeekGroup(r.ctx, name, group, partition, to)
	if err != nil {
		return failure(err, "seek failed")
	}
	o := newObject(256).bool("success", moved > 0).text("queueName", name).text("consumerGroup", group)
	if partition != nil {
		o.text("partition", *partition)
	}
	o.int("partitionsUpdated", int64(moved))
	if moved == 0 {
		return answer{status: 404, body: o.text("error", "Queue not found or has no partitions").close()}
	}
	return ok(o.bool("seekToEnd", to.New).millis("targetTimestamp", to.From).close())
}

func readSeek(body []byte) (to queen.Seed, given bool) {
	d, err := parse(body)
	if err != nil || !d.isObject() {
		return to, false
	}
	f, err := d.fields()
	if err != nil {
		return to, false
	}
	if isTrue(f["toEnd"]) {
		return queen.Seed{New: true}, true
	}
	text, _ := optional(f["timestamp"])
	to.From, given = readTime(text)
	return to, given
}

func (s *Server) forgetGroup(r *request) answer {
	group := r.param(0)
	removed, err := s.engine.ForgetGroup(r.ctx, group, "")
	if err != nil {
		return failure(err, "delete failed")
	}
	o := newObject(160).text("consumerGroup", group).int("deletedPartitions", int64(removed))
	return ok(o.bool("metadataDeleted", deleteMetadata(r)).bool("success", true).close())
}

func (s *Server) forgetGroupOfQueue(r *request) answer {
	group, name := r.param(0), r.param(1)
	removed, err := s.engine.ForgetGroup(r.ctx, group, name)
	if err != nil {
		return failure(err, "delete failed")
	}
	o := newObject(224).text("consumerGroup", group).int("deletedPartitions", int64(removed))
	return ok(o.bool("metadataDeleted", deleteMetadata(r)).text("queueName", name).bool("success", true).close())
}

func deleteMetadata(r *request) bool { return r.readQuery().text("deleteMetadata") != "false" }
