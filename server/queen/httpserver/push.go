package httpserver

import (
	"errors"
	"fmt"

	"github.com/queen-mq/queen-sqs/server/queen"
)

const maxTransactionID = 65535

func (s *Server) push(r *request) answer {
	items, err := readPush(r.body)
	if err != nil {
		return badBody(err)
	}
	results, err := s.engine.Push(r.ctx, "", items)
	if err != nil {
		return failure(err, "push failed")
	}
	out := appendList(make([]byte, 0, 2+192*len(results)), len(results), func(out []byte, i int) []byte {
		p := &results[i]
		o := &object{out: append(out, '{')}
		o.int("index", int64(i)).text("message_id", p.MessageID).text("transaction_id", p.TransactionID)
		o.text("queueName", p.Queue).text("status", string(p.Status))
		if p.Offset != queen.Unknown {
			o.int("offset", p.Offset)
		}
		return o.close()
	})
	return answer{status: 201, body: out}
}

func readPush(body []byte) ([]queen.PushItem, error) {
	d, err := parse(body)
	if err != nil {
		return nil, err
	}
	if !d.isObject() {
		return nil, fmt.Errorf("invalid type: %s, expected struct PushBody", d.kind())
	}
	var list document
	err = d.members(func(name string, value document) error {
		if name != "items" {
			return nil
		}
		if list != nil {
			return errors.New("duplicate field `items`")
		}
		list = value
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case list == nil:
		return nil, errors.New("missing field `items`")
	case !list.isArray():
		return nil, fmt.Errorf("invalid type: %s, expected a sequence", list.kind())
	}
	items := []queen.PushItem{}
	err = list.elements(func(value document) error {
		item, err := readPushItem(value)
		items = append(items, item)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range items {
		if t := items[i].TransactionID; t != nil && len(*t) > maxTransactionID {
			return nil, fmt.Errorf("transactionId of item %d exceeds the %d-byte limit", i, maxTransactionID)
		}
	}
	return items, nil
}

// readPushItem takes null for a partition or a transaction id as absent. Queen
// refuses control characters in names here, and nowhere else.
func readPushItem(d document) (item queen.PushItem, err error) {
	if !d.isObject() {
		return item, fmt.Errorf("invalid type: %s, expected struct PushItem", d.kind())
	}
	var queueName, partition, txn document
	seen := func(field *document, name string, value document) error {
		if *field != nil {
			return fmt.Errorf("duplicate field `%s`", name)
		}
		*field = value
		return nil
	}
	var payload document
	err = d.members(func(name string, value document) error {
		switch name {
		case "queue":
			return seen(&queueName, name, value)
		case "partition":
			return seen(&partition, name, value)
		case "payload":
			return seen(&payload, name, value)
		case "transactionId":
			return seen(&txn, name, value)
		}
		return nil
	})
	if err != nil {
		return item, err
	}
	if queueName == nil {
		return item, errors.New("missing field `queue`")
	}
	if payload == nil {
		return item, errors.New("missing field `payload`")
	}
	if item.Queue, err = plainName(queueName); err != nil {
		return item, err
	}
	item.Partition = queen.DefaultPartition
	if !partition.isNull() {
		if item.Partition, err = plainName(partition); err != nil {
			return item, err
		}
	}
	if !txn.isNull() {
		text, err := plainName(txn)
		if err != nil {
			return item, err
		}
		item.TransactionID = &text
	}
	item.Payload = queen.Payload(payload)
	return item, nil
}

func plainName(d document) (string, error) {
	text, err := d.text()
	if err == nil && control(text) {
		err = errors.New("control characters are not allowed in queue, partition or transactionId")
	}
	return text, err
}
