package httpserver

import (
	"fmt"

	"github.com/queen-mq/queen-sqs/server/queen"
)

func (s *Server) ack(r *request) answer {
	d, err := parse(r.body)
	if err != nil {
		return badBody(err)
	}
	a, err := readAck(d)
	if err != nil {
		return badBody(err)
	}
	return s.settle(r, a.Group, []queen.Ack{a})
}

func (s *Server) ackBatch(r *request) answer {
	d, err := parse(r.body)
	if err != nil {
		return badBody(err)
	}
	if !d.isObject() {
		return badBody(fmt.Errorf("invalid type: %s, expected struct AckBatch", d.kind()))
	}
	var acks []queen.Ack
	group := ""
	err = d.members(func(name string, value document) (err error) {
		switch name {
		case "consumerGroup":
			group, _, err = value.optionalText()
		case "acknowledgments":
			if !value.isArray() {
				return fmt.Errorf("invalid type: %s, expected a sequence", value.kind())
			}
			return value.elements(func(value document) error {
				a, err := readAck(value)
				acks = append(acks, a)
				return err
			})
		}
		return err
	})
	if err != nil {
		return badBody(err)
	}
	return s.settle(r, group, acks)
}

// readAck takes an absent member as empty. A group in an entry of a batch counts
// for nothing.
func readAck(d document) (a queen.Ack, err error) {
	if !d.isObject() {
		return a, fmt.Errorf("invalid type: %s, expected an acknowledgment", d.kind())
	}
	status := ""
	err = d.members(func(name string, value document) (err error) {
		switch name {
		case "transactionId":
			a.TransactionID, _, err = value.optionalText()
		case "partitionId":
			a.PartitionID, _, err = value.optionalText()
		case "status":
			status, _, err = value.optionalText()
		case "leaseId":
			a.LeaseID, _, err = value.optionalText()
		case "error":
			a.Reason, _, err = value.optionalText()
		case "consumerGroup":
			a.Group, _, err = value.optionalText()
		}
		return err
	})
	a.Status = queen.AckStatus(status)
	if status == "" {
		a.Status = queen.Completed
	}
	return a, err
}

func (s *Server) settle(r *request, group string, acks []queen.Ack) answer {
	results, err := s.engine.Ack(r.ctx, "", group, acks)
	if err != nil {
		return failure(err, "ack failed")
	}
	out := appendList(make([]byte, 0, 2+160*len(results)), len(results), func(out []byte, i int) []byte {
		v := &results[i]
		o := &object{out: append(out, '{')}
		o.int("index", int64(i)).text("transactionId", v.TransactionID).bool("success", v.Success)
		o.textOrNull("error", v.Error).bool("leaseReleased", v.LeaseReleased).bool("dlq", v.DLQ).bool("noop", v.Noop)
		return o.close()
	})
	return ok(out)
}
