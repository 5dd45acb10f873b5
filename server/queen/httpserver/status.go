package httpserver

import (
	"encoding/json"
	"time"
)

func (s *Server) health(r *request) answer {
	h, err := s.engine.Health(r.ctx)
	if err != nil {
		h.Status, h.Database = "unhealthy", "disconnected"
	}
	caps, err := s.engine.Capabilities(r.ctx)
	if err != nil {
		return failure(err, "health failed")
	}
	flags, err := json.Marshal(caps)
	if err != nil {
		return failure(err, "health failed")
	}
	o := newObject(320).text("status", h.Status).text("database", h.Database).text("engine", h.Engine).text("version", h.Version)
	a := ok(o.document("capabilities", flags).close())
	if !h.Healthy() {
		a.status = 503
	}
	return a
}

func (s *Server) status(r *request) answer {
	h, err := s.engine.Health(r.ctx)
	if err != nil {
		return failure(err, "status failed")
	}
	return ok(newObject(64).text("status", "ok").text("engine", h.Engine).close())
}

// metrics is what of Queen's process metrics has a meaning here.
func (s *Server) metrics(r *request) answer {
	requests := newObject(48).int("rate", 0).int("total", s.requests.Load())
	o := newObject(128).document("requests", requests.close())
	return ok(o.int("uptime", int64(s.clock.Now().Sub(s.started).Seconds())).close())
}

// refreshStats has nothing to refresh: every count is taken when it is asked for.
func (s *Server) refreshStats(r *request) answer {
	queues, err := s.engine.DescribeQueues(r.ctx)
	if err != nil {
		return failure(err, "refresh failed")
	}
	lanes := 0
	for i := range queues {
		lanes += queues[i].Partitions
	}
	o := newObject(160).text("engine", "segments").int("queuesUpdated", int64(len(queues))).int("segPartitions", int64(lanes))
	return ok(o.millis("refreshedAt", s.clock.Now()).close())
}

// testClock moves the clock: {"advance":"30s"}, a Go duration of zero or more.
// Everything that was due by then has happened when it answers.
func (s *Server) testClock(r *request) answer {
	if s.advance == nil {
		return answer{status: 404, body: noSuchRoute}
	}
	var body struct {
		Advance string `json:"advance"`
	}
	err := json.Unmarshal(r.body, &body)
	d, bad := time.ParseDuration(body.Advance)
	if err != nil || bad != nil || d < 0 {
		return refuse(400, `the body must be like {"advance":"30s"}, with a duration of zero or more`)
	}
	s.advance(d)
	return ok(newObject(64).micros("now", s.clock.Now()).close())
}
