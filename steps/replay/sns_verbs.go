package replay

import (
	"time"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// topic makes a topic and answers its ARN.
func (r *run) topic(name string, attributes tree) string {
	return r.good("CreateTopic", r.createTopic(name, attributes)).tree["TopicArn"].(string)
}

func (r *run) createTopic(name string, attributes tree) answered {
	p := tree{"Name": name}
	if attributes != nil {
		p["Attributes"] = attributes
	}
	return r.sns("CreateTopic", p)
}

func (r *run) fifoTopic(attributes tree) string {
	all := tree{"FifoTopic": "true"}
	for k, v := range attributes {
		all[k] = v
	}
	return r.topic("topic.fifo", all)
}

// subscribe subscribes a queue and answers the subscription's ARN.
func (r *run) subscribe(topic, queueURL string, attributes tree) string {
	return r.good("Subscribe", r.subscribing(topic, r.arn(queueURL), attributes)).tree["SubscriptionArn"].(string)
}

func (r *run) subscribing(topic, endpoint string, attributes tree) answered {
	p := tree{"TopicArn": topic, "Protocol": "sqs", "Endpoint": endpoint}
	if attributes != nil {
		p["Attributes"] = attributes
	}
	return r.sns("Subscribe", p)
}

// wired is a topic with one standard queue.
func (r *run) wired(attributes tree) (topic, q, subscription string) {
	topic, q = r.topic("topic", nil), r.queue("queue", nil)
	return topic, q, r.subscribe(topic, q, attributes)
}

func (r *run) publish(topic, message string, more ...any) answered {
	return r.tell("Publish", about(topic, append([]any{"Message", message}, more...)...))
}

// about is the parameters of a call about a topic, with more of them in pairs.
func about(topic string, more ...any) tree {
	p := tree{"TopicArn": topic}
	for i := 0; i < len(more); i += 2 {
		p[more[i].(string)] = more[i+1]
	}
	return p
}

func (r *run) subscription(arn string) answered {
	return r.sns("GetSubscriptionAttributes", tree{"SubscriptionArn": arn})
}

func (r *run) setSubscription(arn, name, value string) answered {
	return r.sns("SetSubscriptionAttributes", tree{"SubscriptionArn": arn, "AttributeName": name, "AttributeValue": value})
}

func (r *run) topicAttributes(arn string) answered {
	return r.sns("GetTopicAttributes", about(arn))
}

func (r *run) setTopic(arn, name, value string) answered {
	return r.sns("SetTopicAttributes", about(arn, "AttributeName", name, "AttributeValue", value))
}

// shown receives what is in a queue, without system attributes.
func (r *run) shown(q string) answered {
	return r.over(r.json, client.SQS, "ReceiveMessage", on(q, "MaxNumberOfMessages", int64(10), "MessageAttributeNames", list("All")))
}

// shownWhole receives what is in a queue with system attributes.
func (r *run) shownWhole(q string) answered {
	return r.over(r.json, client.SQS, "ReceiveMessage", on(q, "MaxNumberOfMessages", int64(10), "MessageAttributeNames", list("All"), "AttributeNames", list("All")))
}

// shownAgain receives, and lets the messages become visible again.
func (r *run) shownAgain(q string) answered {
	a := r.shown(q)
	r.advance(31 * time.Second)
	return a
}

// taken receives, and deletes what came.
func (r *run) taken(q string) answered { return r.gone(q, r.shown(q)) }

func (r *run) takenWhole(q string) answered { return r.gone(q, r.shownWhole(q)) }

func (r *run) gone(q string, a answered) answered {
	for _, m := range r.messages(a) {
		r.do("DeleteMessage", on(q, "ReceiptHandle", handle(m)))
	}
	return a
}

// gathered receives until nothing comes, and answers the messages as one answer
// without its metadata, in the order of the wanted bodies' recording.
func (r *run) gathered(q string) tree {
	var all []any
	for {
		a := r.takenWhole(q)
		if len(r.messages(a)) == 0 {
			return tree{"Messages": all}
		}
		all = append(all, a.tree["Messages"].([]any)...)
	}
}
