package replay

import (
	"sort"
	"strconv"
	"strings"
	"time"
)

// sqsMessages are the tests of the suite test_sqs about messages: their
// attributes, FIFO queues and dead letters.
var sqsMessages = map[string]script{
	"test_send_message_with_binary_attributes": func(r *run) {
		q := r.queue("queue", nil)
		value := []byte("traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01")
		r.do("SendMessage", on(q, "MessageBody", "test", "MessageAttributes", tree{"attr1": bytesOf(value)}))
		r.expect("binary-attrs-msg", r.sqs("ReceiveMessage", on(q, "MessageAttributeNames", list("All"))))
	},
	"test_send_message_with_empty_string_attribute": func(r *run) {
		q := r.queue("queue", nil)
		r.expect("empty-string-attr", r.sqs("SendMessage", on(q, "MessageBody", "test", "MessageAttributes", tree{"ErrorDetails": text("")})))
	},
	"test_aws_trace_header_propagation": func(r *run) {
		q := r.queue("queue", nil)
		// The client's own header for traces, which becomes the system attribute.
		call := r.spoken.Encode("sqs", "SendMessage", on(q, "MessageBody", "test", "MessageAttributes", tree{"timestamp": number("1493147359900")}))
		call.Header["X-Amzn-Trace-Id"] = []string{"Root=1-3152b799-8954dae64eda91bc9a23a7e8;Parent=7fa8c0f79203be72;Sampled=1"}
		r.good("SendMessage", r.send(r.spoken, call, "SendMessage"))
		r.expectPart("xray-msg", r.first(r.do("ReceiveMessage", on(q, "AttributeNames", list("SentTimestamp", "AWSTraceHeader"), "MessageAttributeNames", list("All")))))
	},
	"test_receive_message_message_attribute_names_filters": attributeFilters,
	"test_receive_message_attribute_names_filters": func(r *run) {
		systemFilters(r, "AttributeNames", list("SenderId", "SequenceNumber"))
	},
	"test_receive_message_message_system_attribute_names_filters": func(r *run) {
		systemFilters(r, r.systemNames(), list("SenderId", "SequenceNumber"))
	},
	"test_message_system_attribute_names_with_attribute_names": func(r *run) {
		q := r.queue("queue", nil)
		r.do("SendMessage", on(q, "MessageBody", "msg", "MessageAttributes", tree{"Foo": text("Bar")}))
		ask := func(attributes, system []any) answered {
			p := on(q, "AttributeNames", attributes)
			// The recorder's Query client wrote one list over the other.
			if !r.query() {
				p["MessageSystemAttributeNames"] = system
			}
			return r.received(p)
		}
		r.expect("same_values", ask(list("All"), list("All")))
		r.expect("different_values", ask(list("SenderId"), list("All")))
	},

	"test_fifo_empty_message_groups_added_back_to_queue": func(r *run) {
		q := r.fifo("queue", nil)
		send := func(body string) {
			r.do("SendMessage", on(q, "MessageBody", body, "MessageGroupId", "group", "MessageDeduplicationId", "dedup-"+body[len(body)-1:]))
		}
		send("Message 1")
		a := r.do("ReceiveMessage", on(q))
		r.do("DeleteMessage", on(q, "ReceiptHandle", handle(r.first(a))))
		r.expect("inital-fifo-receive", a)
		r.expect("empty-fifo-receive", r.sqs("ReceiveMessage", on(q)))
		send("Message 2")
		r.expect("final-fifo-receive", r.sqs("ReceiveMessage", on(q)))
	},
	"test_fifo_queue_send_message_with_delay_seconds_fails": func(r *run) {
		q := r.fifo("queue", tree{"ContentBasedDeduplication": "true"})
		r.expect("send_message", r.sqs("SendMessage", on(q, "MessageBody", "message", "MessageGroupId", "group", "DelaySeconds", int64(2))))
	},
	"test_fifo_queue_send_message_with_zero_delay_defaults_to_queue_delay": func(r *run) {
		q := r.fifo("queue", tree{"ContentBasedDeduplication": "true", "DelaySeconds": "2"})
		r.expect("send_message_result", r.sqs("SendMessage", on(q, "MessageBody", "message-1", "MessageGroupId", "group", "DelaySeconds", int64(0))))
		r.expect("receive_message_initial_result", r.sqs("ReceiveMessage", on(q)))
		r.advance(3 * time.Second)
		r.expect("receive_message_after_delay_result", r.sqs("ReceiveMessage", on(q)))
	},
	"test_fifo_message_attributes": func(r *run) {
		q := r.fifo("queue", tree{"ContentBasedDeduplication": "true", "VisibilityTimeout": "1"})
		r.expect("send_message", r.sqs("SendMessage", on(q, "MessageBody", "message-body-1", "MessageGroupId", "group-1", "MessageDeduplicationId", "dedup-1")))
		r.expect("receive_message_0", r.sqs("ReceiveMessage", on(q, "AttributeNames", list("All"))))
		r.advance(2 * time.Second)
		r.expect("receive_message_1", r.sqs("ReceiveMessage", on(q, "AttributeNames", list("All"))))
	},
	"test_posting_to_fifo_requires_deduplicationid_group_id": func(r *run) {
		q := r.fifo("queue", nil)
		withoutID := on(q, "MessageBody", "test", "MessageGroupId", "group")
		withoutGroup := on(q, "MessageBody", "test", "MessageDeduplicationId", "dedup")
		r.expect("invalid-parameter-value", r.sqs("SendMessage", withoutID))
		r.expect("missing-parameter", r.sqs("SendMessage", withoutGroup))
		// What the recording calls Query here was sent and answered as JSON.
		r.expect("invalid-parameter-value-query", r.over(r.json, "sqs", "SendMessage", withoutID))
		r.expect("missing-parameter-query", r.over(r.json, "sqs", "SendMessage", withoutGroup))
	},
	"test_fifo_deduplication_arrives_once_after_delete": func(r *run) {
		q, send := r.deduplicating()
		send("group")
		a := r.do("ReceiveMessage", on(q))
		r.do("DeleteMessage", on(q, "ReceiptHandle", handle(r.first(a))))
		r.expect("get-messages", a)
		send("group")
		r.expect("get-messages-duplicate", r.sqs("ReceiveMessage", on(q)))
	},
	"test_fifo_deduplication_not_on_message_group_id": func(r *run) {
		q, send := r.deduplicating()
		send("group-1")
		send("group-2")
		r.expect("get-messages", r.sqs("ReceiveMessage", on(q)))
		r.expect("get-dedup-messages", r.sqs("ReceiveMessage", on(q)))
	},
	"test_sqs_fifo_same_dedup_id_different_message_groups": func(r *run) {
		q := r.fifo("queue", nil)
		r.throughput(q, "Test", "group1", "dedup", "same-dedup-different-grp-1")
		r.throughput(q, "Test", "group2", "dedup", "same-dedup-different-grp-2")
	},
	"test_sqs_fifo_message_group_scope_no_throughput_setting": func(r *run) {
		q := r.fifo("queue", tree{"ContentBasedDeduplication": "true", "DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perQueue"})
		r.throughput(q, "Test", "group1", "", "same-dedup-different-grp-1")
		r.throughput(q, "Test", "group2", "", "same-dedup-different-grp-2")
	},
	"test_fifo_high_throughput_ordering": func(r *run) {
		q := r.fifo("queue", tree{"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"})
		r.throughput(q, "Test1", "group1", "dedup", "same-dedup-different-grp-1")
		r.throughput(q, "Test2", "group2", "dedup", "same-dedup-different-grp-2")
	},
	"test_fifo_change_to_high_throughput_after_creation": func(r *run) {
		q := r.fifo("queue", tree{"DeduplicationScope": "queue", "FifoThroughputLimit": "perQueue"})
		r.throughput(q, "Test1", "group1", "dedup", "same-dedup-different-grp-1")
		r.throughput(q, "Test2", "group2", "dedup", "same-dedup-different-grp-2")
		r.do("SetQueueAttributes", on(q, "Attributes", tree{"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"}))
		r.expect("set-to-high-throughput", r.all(q))
		r.throughput(q, "Test3", "group3", "dedup", "same-dedup-different-grp-high-throughput")
		r.throughput(q, "Test3", "group3", "dedup", "same-dedup-different-grp-high-throughput-2")
		r.throughput(q, "Test4", "group4", "dedup2", "new-dedup2-high-throughput")
		r.throughput(q, "Test5", "group5", "dedup2", "same-dedup2-high-throughput")
	},
	"test_fifo_change_to_regular_throughput_after_creation": func(r *run) {
		q := r.fifo("queue", tree{"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"})
		r.throughput(q, "Test1", "group1", "dedup", "same-dedup-different-grp-1")
		r.throughput(q, "Test2", "group2", "dedup", "same-dedup-different-grp-2")
		r.do("SetQueueAttributes", on(q, "Attributes", tree{"DeduplicationScope": "queue", "FifoThroughputLimit": "perQueue"}))
		r.expect("set-to-regular-throughput", r.all(q))
		r.throughput(q, "Test3", "group3", "dedup", "same-dedup-different-grp-regular-throughput")
	},
	"test_fifo_delete_after_visibility_timeout": func(r *run) {
		q, a := r.heldFIFO()
		r.expect("received_sqs_message", a)
		r.advance(1100 * time.Millisecond)
		r.expect("delete_after_timeout_fifo", r.sqs("DeleteMessage", on(q, "ReceiptHandle", handle(r.first(a)))))
	},
	"test_fifo_delete_after_visibility_timeout_extended": func(r *run) {
		q, a := r.heldFIFO()
		r.expect("received_sqs_message", a)
		held := handle(r.first(a))
		r.do("ChangeMessageVisibility", on(q, "ReceiptHandle", held, "VisibilityTimeout", int64(5)))
		r.advance(1500 * time.Millisecond)
		r.do("DeleteMessage", on(q, "ReceiptHandle", held))
		r.advance(5 * time.Second)
		r.expect("delete_after_timeout_fifo_extended", r.sqs("ReceiveMessage", on(q)))
	},
	"test_fifo_group_visibility_extends_with_change_message_visibility": func(r *run) {
		q := r.fifo("queue", tree{"VisibilityTimeout": "1"})
		for i, body := range []string{"foo", "bar", "baz"} {
			r.do("SendMessage", on(q, "MessageBody", body, "MessageGroupId", "group", "MessageDeduplicationId", "dedup-"+strconv.Itoa(i)))
		}
		a := r.do("ReceiveMessage", on(q, "MaxNumberOfMessages", int64(5)))
		r.expect("receive_all_messages", a)
		changed := map[string]int{"0-visible": 0, "all-invisible": 0, "1-visible": 1, "1-invisible": 1, "2-visible": 2, "no-invisible": 2}[r.parameter()]
		r.do("ChangeMessageVisibility", on(q, "ReceiptHandle", handle(r.messages(a)[changed]), "VisibilityTimeout", int64(4)))
		r.advance(2500 * time.Millisecond)
		r.expect("some-messages-invisible", r.sqs("ReceiveMessage", on(q, "MaxNumberOfMessages", int64(5))))
	},
	"test_dead_letter_queue_message_attributes": deadLetterAttributes,
}

// systemNames is the list that reached Amazon when the recorder asked for system
// attributes: its Query client wrote them under the older name.
func (r *run) systemNames() string {
	if r.query() {
		return "AttributeNames"
	}
	return "MessageSystemAttributeNames"
}

// received receives once what is there, and gives it back for the next receive.
func (r *run) received(p tree) answered {
	a := r.do("ReceiveMessage", p)
	for _, m := range r.messages(a) {
		r.do("ChangeMessageVisibility", on(p["QueueUrl"].(string), "ReceiptHandle", handle(m), "VisibilityTimeout", int64(0)))
	}
	return a
}

func attributeFilters(r *run) {
	q := r.queue("queue", nil)
	r.expect("send_message_response", r.sqs("SendMessage", on(q, "MessageBody", "msg", "MessageAttributes", tree{
		"Help.Me": text("Me"), "Hello": text("There"), "General": text("Kenobi"),
	})))
	ask := func(names ...any) answered { return r.received(on(q, "MessageAttributeNames", names)) }
	only := func(names ...any) tree { return r.first(ask(names...)) }
	r.expect("empty_filter", ask())
	r.expect("all_name", ask("All"))
	r.expectPart("all_wildcard_asterisk", only("*"))
	r.expectPart("all_wildcard", only(".*"))
	r.expectPart("only_non_existing_names", only("Foo", "Help"))
	r.expectPart("only_existing", only("Hello", "General"))
	r.expectPart("existing_and_non_existing", only("Foo", "Hello"))
	r.expectPart("prefix_filter", only("Hel.*"))
	r.expect("illegal_name_1", ask("AWS."))
	r.expect("illegal_name_2", ask("..foo"))
}

func systemFilters(r *run, parameter string, several []any) {
	q := r.queue("queue", nil)
	r.do("SendMessage", on(q, "MessageBody", "msg", "MessageAttributes", tree{"Foo": text("Bar")}))
	r.expect("all_attributes", r.received(on(q, parameter, list("All"))))
	r.expect("all_system_and_message_attributes", r.received(on(q, parameter, list("All"), "MessageAttributeNames", list("All"))))
	r.expect("single_attribute", r.received(on(q, parameter, list("SenderId"))))
	r.expect("multiple_attributes", r.received(on(q, parameter, several)))
}

// deduplicating is a FIFO queue that takes the id from the body when the test's
// parameter says so, and a sender of one body with one id to any group.
func (r *run) deduplicating() (string, func(group string)) {
	byContent := strings.HasSuffix(r.parameter(), "True")
	attributes := tree{}
	if byContent {
		attributes["ContentBasedDeduplication"] = "true"
	}
	q := r.fifo("queue", attributes)
	return q, func(group string) {
		p := on(q, "MessageBody", `{"foo": "bar"}`, "MessageGroupId", group)
		if !byContent {
			p["MessageDeduplicationId"] = "dedup"
		}
		r.do("SendMessage", p)
	}
}

// throughput sends a message, receives, deletes what it got and holds the
// receive against the recorded one.
func (r *run) throughput(q, body, group, id, name string) {
	p := on(q, "MessageBody", body, "MessageGroupId", group)
	if id != "" {
		p["MessageDeduplicationId"] = id
	}
	r.do("SendMessage", p)
	a := r.do("ReceiveMessage", on(q))
	for _, m := range r.messages(a) {
		r.do("DeleteMessage", on(q, "ReceiptHandle", handle(m)))
	}
	r.expect(name, a)
}

// heldFIFO is a FIFO queue with one message, received for one second.
func (r *run) heldFIFO() (string, answered) {
	q := r.fifo("queue", tree{"VisibilityTimeout": "1", "ContentBasedDeduplication": "true"})
	r.do("SendMessage", on(q, "MessageBody", "foobar", "MessageGroupId", "group"))
	return q, r.do("ReceiveMessage", on(q))
}

func deadLetterAttributes(r *run) {
	dead := r.queue("dead", nil)
	deadARN := r.arn(dead)
	q := r.queue("source", tree{"RedrivePolicy": `{"deadLetterTargetArn":"` + deadARN + `","maxReceiveCount":"1"}`})
	r.expectPart("dlq-arn", deadARN)
	r.expectPart("sourcen-arn", r.arn(q))
	r.do("SendMessage", on(q, "MessageBody", "message-1",
		"MessageAttributes", tree{"MyAttribute": text("foobar")},
		"MessageSystemAttributes", tree{"AWSTraceHeader": text("Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1")}))
	r.do("SendMessage", on(q, "MessageBody", "message-2"))

	r.expectPart("rec-pre-dlq", r.drained(q, 1*time.Second))
	r.advance(2 * time.Second)
	r.do("ReceiveMessage", on(q, "MaxNumberOfMessages", int64(10)))
	r.expectPart("dlq-messages", r.drained(dead, 30*time.Second))
}

// drained receives until nothing comes, and answers the messages ordered by
// their bodies, without the sender, as the test recorded them.
func (r *run) drained(q string, timeout time.Duration) []any {
	var all []any
	for {
		got := r.messages(r.do("ReceiveMessage", on(q, "MaxNumberOfMessages", int64(10), "VisibilityTimeout", int64(timeout.Seconds()),
			"AttributeNames", list("All"), "MessageAttributeNames", list("All"))))
		if len(got) == 0 {
			break
		}
		for _, m := range got {
			if attributes, ok := m["Attributes"].(tree); ok {
				delete(attributes, "SenderId")
			}
			all = append(all, m)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].(tree)["Body"].(string) < all[j].(tree)["Body"].(string) })
	return all
}
