package replay

import (
	"encoding/base64"
	"strconv"
	"time"
)

// moveTaskScripts are the tests of the suite test_sqs_move_task.
var moveTaskScripts = map[string]script{
	"test_cancel_with_invalid_task_handle": func(r *run) {
		r.expect("error", r.sqs("CancelMessageMoveTask", tree{"TaskHandle": "foobared"}))
	},
	"test_cancel_with_invalid_source_arn_in_task_handle": func(r *run) {
		r.expect("error", r.sqs("CancelMessageMoveTask", tree{"TaskHandle": taskHandle("arn:aws:sqs:" + region + ":" + account + ":missing")}))
	},
	"test_cancel_with_invalid_task_id_in_task_handle": func(r *run) {
		r.expect("error", r.sqs("CancelMessageMoveTask", tree{"TaskHandle": taskHandle(r.arn(r.queue("queue", nil)))}))
	},
	"test_source_needs_redrive_policy": func(r *run) {
		r.expect("error", r.sqs("StartMessageMoveTask", tree{"SourceArn": r.arn(r.queue("queue", nil)), "DestinationArn": r.arn(r.queue("other", nil))}))
	},
	"test_destination_needs_to_exist": func(r *run) {
		m := r.deadLetters(0, "source")
		r.expect("error", r.sqs("StartMessageMoveTask", tree{"SourceArn": m.arn, "DestinationArn": m.arn + "-missing"}))
	},
	"test_basic_move_task_workflow": func(r *run) {
		m := r.deadLetters(2, "source")
		destination := r.arn(r.queue("destination", nil))
		r.expect("start-message-move-task-response", r.sqs("StartMessageMoveTask", tree{"SourceArn": m.arn, "DestinationArn": destination}))
		r.expect("list-message-move-task-response", m.listed("COMPLETED"))
	},
	"test_move_task_workflow_with_default_destination": func(r *run) {
		m := r.deadLetters(2, "source")
		r.expectPart("source-arn", m.arn)
		r.expectPart("original-source", m.sources[0])
		r.expect("start-message-move-task-response", r.sqs("StartMessageMoveTask", tree{"SourceArn": m.arn}))
		r.expect("list-message-move-task-response", m.listed("COMPLETED"))
	},
	"test_move_task_workflow_with_multiple_sources_as_default_destination": func(r *run) {
		m := r.deadLetters(2, "source-1", "source-2")
		r.expectPart("source-arn", m.arn)
		r.expectPart("original-source-1", m.sources[0])
		r.expectPart("original-source-2", m.sources[1])
		r.expect("start-message-move-task-response", r.sqs("StartMessageMoveTask", tree{"SourceArn": m.arn}))
		r.expect("list-message-move-task-response", m.listed("COMPLETED"))
	},
	"test_move_task_with_throughput_limit": func(r *run) {
		m := r.deadLetters(4, "source")
		a := m.slow()
		r.expect("start-message-move-task-response", a)
		m.listed("COMPLETED")
	},
	"test_move_task_cancel": func(r *run) {
		m := r.deadLetters(10, "source")
		held := r.good("StartMessageMoveTask", m.slow()).tree["TaskHandle"]
		r.expect("list-while", m.moved(2))
		r.expect("cancel", r.sqs("CancelMessageMoveTask", tree{"TaskHandle": held}))
		r.expect("list-after", m.listed("CANCELLED"))
	},
	"test_move_task_delete_destination_queue_while_running": func(r *run) {
		m := r.deadLetters(10, "source")
		r.good("StartMessageMoveTask", m.slow())
		m.moved(3)
		r.do("DeleteQueue", on(m.destination))
		r.expect("list", m.listed("FAILED"))
	},
	"test_start_multiple_move_tasks": func(r *run) {
		m := r.deadLetters(10, "source")
		r.good("StartMessageMoveTask", m.slow())
		r.expect("error", m.slow())
	},
}

// taskHandle is a well-formed handle of a task that never was.
func taskHandle(source string) string {
	return base64.StdEncoding.EncodeToString([]byte(`{"taskId":"5b0bd3a8-29c3-4e6a-9d4e-0c4f3fb1a001","sourceArn":"` + source + `"}`))
}

// moving is a dead-letter queue with messages in it.
type moving struct {
	*run
	arn         string
	sources     []string
	destination string
}

// deadLetters sends n messages to each of the sources and lets them become dead
// letters.
func (r *run) deadLetters(n int, sources ...string) *moving {
	dead := r.queue("dead", nil)
	m := &moving{run: r, arn: r.arn(dead)}
	urls := map[string]string{}
	for _, name := range sources {
		q := r.queue(name, tree{"RedrivePolicy": `{"deadLetterTargetArn":"` + m.arn + `","maxReceiveCount":"1"}`, "VisibilityTimeout": "1"})
		m.sources, urls[name] = append(m.sources, r.arn(q)), q
		for i := range n {
			r.do("SendMessage", on(q, "MessageBody", name+" "+strconv.Itoa(i)))
		}
	}
	// A message that is held can keep others back, so this takes several rounds.
	for range 20 {
		if r.visible(dead) == strconv.Itoa(n*len(sources)) {
			return m
		}
		for _, name := range sources {
			r.do("ReceiveMessage", on(urls[name], "MaxNumberOfMessages", int64(10)))
		}
		r.advance(2 * time.Second)
	}
	r.fail("%s of %d messages became dead letters", r.visible(dead), n*len(sources))
	return m
}

// visible is how many messages of a queue can be received.
func (r *run) visible(q string) string {
	a := r.do("GetQueueAttributes", on(q, "AttributeNames", list("ApproximateNumberOfMessages")))
	return a.tree["Attributes"].(tree)["ApproximateNumberOfMessages"].(string)
}

// slow starts a move of one message a second to a queue of its own.
func (m *moving) slow() answered {
	if m.destination == "" {
		m.destination = m.queue("destination", nil)
	}
	return m.sqs("StartMessageMoveTask", tree{"SourceArn": m.arn, "DestinationArn": m.run.arn(m.destination), "MaxNumberOfMessagesPerSecond": int64(1)})
}

// moved lets seconds pass until n messages are moved, and answers that listing.
func (m *moving) moved(n int64) answered {
	return m.until("ApproximateNumberOfMessagesMoved", n)
}

// listed lets seconds pass until the task has a status, and answers that listing.
func (m *moving) listed(status string) answered { return m.until("Status", status) }

func (m *moving) until(member string, value any) answered {
	var a answered
	for range 40 {
		a = m.do("ListMessageMoveTasks", tree{"SourceArn": m.arn})
		results, _ := a.tree["Results"].([]any)
		if len(results) > 0 && results[0].(tree)[member] == value {
			return a
		}
		m.advance(500 * time.Millisecond)
	}
	m.fail("after 20 seconds %s is not %v: %v", member, value, a.tree)
	return a
}
