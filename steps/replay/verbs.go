package replay

import (
	"fmt"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// queue makes a queue and answers its URL. The recordings made all their queues
// over JSON.
func (r *run) queue(name string, attributes tree) string {
	return r.good("CreateQueue", r.create(name, attributes)).tree["QueueUrl"].(string)
}

func (r *run) create(name string, attributes tree) answered {
	p := tree{"QueueName": name}
	if attributes != nil {
		p["Attributes"] = attributes
	}
	return r.over(r.json, client.SQS, "CreateQueue", p)
}

// fifo makes a FIFO queue.
func (r *run) fifo(name string, attributes tree) string {
	all := tree{"FifoQueue": "true"}
	for k, v := range attributes {
		all[k] = v
	}
	return r.queue(name+".fifo", all)
}

// arn of a queue.
func (r *run) arn(url string) string {
	a := r.do("GetQueueAttributes", tree{"QueueUrl": url, "AttributeNames": list("QueueArn")})
	return a.tree["Attributes"].(tree)["QueueArn"].(string)
}

// on is the parameters of a call about a queue, with more of them in pairs.
func on(url string, more ...any) tree {
	p := tree{"QueueUrl": url}
	for i := 0; i < len(more); i += 2 {
		p[more[i].(string)] = more[i+1]
	}
	return p
}

func list(items ...any) []any { return items }

// receive asks for messages that have to be there, and answers them.
func (r *run) messages(a answered) []tree {
	all, _ := a.tree["Messages"].([]any)
	out := make([]tree, len(all))
	for i := range all {
		out[i] = all[i].(tree)
	}
	return out
}

// first is the only message of an answer.
func (r *run) first(a answered) tree {
	all := r.messages(a)
	if len(all) != 1 {
		r.fail("received %d messages and not one", len(all))
	}
	return all[0]
}

// handle is a message's receipt handle.
func handle(message tree) string { return message["ReceiptHandle"].(string) }

// entries makes n batch entries of what make answers for each number from 0.
func entries(n int, make func(i int) tree) []any {
	all := []any{}
	for i := range n {
		all = append(all, make(i))
	}
	return all
}

func text(value string) tree   { return tree{"DataType": "String", "StringValue": value} }
func number(value string) tree { return tree{"DataType": "Number", "StringValue": value} }
func bytesOf(b []byte) tree    { return tree{"DataType": "Binary", "BinaryValue": b} }

func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}
