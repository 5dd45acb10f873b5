package sqs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// dead fills a dead-letter queue with n messages of a source.
func (r *rig) dead(source, dlq string, n int) {
	r.t.Helper()
	for i := range n {
		r.sendAnyID(source, fmt.Sprintf("%s-%d", source[len(source)-8:], i))
	}
	// Received once, given back by expiry, moved by the next receive.
	for range 100 {
		got := r.receive(source, 10)
		if len(got) == 0 {
			break
		}
	}
	r.clock.Advance(31 * time.Second)
	for range 100 {
		r.receive(source, 10)
		if c := r.counts(source); c == [2]string{"0", "0"} {
			return
		}
		r.clock.Advance(31 * time.Second)
	}
	r.t.Fatal("the source does not become empty")
}

// tasks lists a queue's tasks.
func (r *rig) tasks(queue string) []message {
	r.t.Helper()
	var tasks []message
	for _, v := range r.do("ListMessageMoveTasks", "SourceArn", r.queueARN(queue), "MaxResults", 10).Get("Results").Items() {
		tasks = append(tasks, message{v.Object()})
	}
	return tasks
}

func (r *rig) status(queue string) string {
	tasks := r.tasks(queue)
	if len(tasks) == 0 {
		return ""
	}
	return tasks[0].get("Status")
}

func (r *rig) ends(queue, status string) message {
	r.t.Helper()
	eventually(r.t, "the task is "+status, func() bool { return r.status(queue) == status })
	return r.tasks(queue)[0]
}

func (r *rig) start(queue string, pairs ...any) string {
	r.t.Helper()
	return r.do("StartMessageMoveTask", append([]any{"SourceArn", r.queueARN(queue)}, pairs...)...).Get("TaskHandle").Text()
}

func TestMoveTask(t *testing.T) {
	for name, opts := range map[string][]rigOption{"counted by the broker": nil, "counted here": {onPlain()}} {
		for _, queue := range []string{"orders", "orders.fifo"} {
			t.Run(name+", "+queue, func(t *testing.T) {
				r := newRig(t, opts...)
				source, dlq := r.withDLQ(queue, "1", nil)
				r.dead(source, dlq, 12)
				dlqName := dlq[len(testBase+"/"+testAccount+"/"):]

				handle := r.start(dlqName)
				var parts map[string]string
				doc, err := base64.StdEncoding.DecodeString(handle)
				if err != nil || json.Unmarshal(doc, &parts) != nil || parts["sourceArn"] != r.queueARN(dlqName) || parts["taskId"] == "" || len(parts) != 2 {
					t.Errorf("handle %s", doc)
				}
				task := r.ends(dlqName, taskCompleted)
				wantList(t, names(task.Object), "Status", "SourceArn", "ApproximateNumberOfMessagesMoved", "ApproximateNumberOfMessagesToMove", "StartedTimestamp")
				if task.get("ApproximateNumberOfMessagesMoved") != "12" || task.get("ApproximateNumberOfMessagesToMove") != "12" ||
					task.Get("StartedTimestamp").Kind() != wire.KindNumber {
					t.Errorf("task %v", task)
				}
				if c := r.counts(dlq); c != [2]string{"0", "0"} {
					t.Errorf("left in the dead-letter queue: %v", c)
				}
				m := r.receiveOne(source)
				if m.system("ApproximateReceiveCount") != "1" || m.system("queen.sourceQueue") != "" || m.system("queen.originalMessageId") == "" {
					t.Errorf("restored %v", m.Get("Attributes"))
				}
				r.delete(source, m)
				if got := r.drain(source); len(got) != 11 {
					t.Errorf("restored %d others", len(got))
				}
				eventually(t, "the fence is released", func() bool { return len(r.rows("qs:mvf:")) == 0 })
				r.refuse(fault.UnsupportedOperation, "", "CancelMessageMoveTask", "TaskHandle", handle)
			})
		}
	}
}

func TestMoveTaskOfTwoSources(t *testing.T) {
	r := newRig(t)
	dlq := r.create("dlq", nil)
	policy := map[string]string{"RedrivePolicy": redriveTo(r.queueARN("dlq"), "1")}
	one, two := r.create("source-1", policy), r.create("source-2", policy)
	r.dead(one, dlq, 2)
	r.dead(two, dlq, 2)
	r.start("dlq")
	if task := r.ends("dlq", taskCompleted); task.get("ApproximateNumberOfMessagesMoved") != "4" {
		t.Errorf("task %v", task)
	}
	wantSet(t, r.drain(one), "source-1-0", "source-1-1")
	wantSet(t, r.drain(two), "source-2-0", "source-2-1")
}

func TestMoveTaskRefusals(t *testing.T) {
	r := newRig(t)
	r.withDLQ("orders", "1", nil)
	r.create("other", nil)
	r.create("other.fifo", map[string]string{"FifoQueue": "true"})
	arn := r.queueARN("orders-dlq")
	const noSource = "The resource that you specified for the SourceArn parameter doesn't exist."
	for _, c := range []struct {
		action string
		params []any
		kind   *fault.Kind
		text   string
	}{
		{"StartMessageMoveTask", nil, fault.MissingParameter, "The request must contain the parameter SourceArn."},
		{"StartMessageMoveTask", []any{"SourceArn", "nonsense"}, fault.InvalidParameterValue, ""},
		{"StartMessageMoveTask", []any{"SourceArn", "arn:aws:sqs:queen-1:111111111111:orders-dlq"}, fault.InvalidParameterValue, ""},
		{"StartMessageMoveTask", []any{"SourceArn", r.queueARN("nope")}, fault.ResourceNotFoundException, noSource},
		{"StartMessageMoveTask", []any{"SourceArn", r.queueARN("other")}, fault.InvalidParameterValue, "Source queue must be configured as a Dead Letter Queue."},
		{"StartMessageMoveTask", []any{"SourceArn", arn, "DestinationArn", r.queueARN("nope")}, fault.ResourceNotFoundException,
			"The resource that you specified for the DestinationArn parameter doesn't exist."},
		{"StartMessageMoveTask", []any{"SourceArn", arn, "DestinationArn", arn}, fault.InvalidParameterValue, ""},
		{"StartMessageMoveTask", []any{"SourceArn", arn, "DestinationArn", r.queueARN("other.fifo")}, fault.InvalidParameterValue, ""},
		{"StartMessageMoveTask", []any{"SourceArn", arn, "MaxNumberOfMessagesPerSecond", 0}, fault.InvalidParameterValue, ""},
		{"StartMessageMoveTask", []any{"SourceArn", arn, "MaxNumberOfMessagesPerSecond", 501}, fault.InvalidParameterValue, ""},
		{"CancelMessageMoveTask", nil, fault.MissingParameter, ""},
		{"CancelMessageMoveTask", []any{"TaskHandle", "foobared"}, fault.InvalidParameterValue, "Value for parameter TaskHandle is invalid."},
		{"CancelMessageMoveTask", []any{"TaskHandle", base64.StdEncoding.EncodeToString([]byte(`{"taskId":"x","sourceArn":"arn:aws:sqs:us-east-1:878966065785:test1"}`))},
			fault.ResourceNotFoundException, noSource},
		{"CancelMessageMoveTask", []any{"TaskHandle", r.taskHandle("nope", "x")}, fault.ResourceNotFoundException, noSource},
		{"CancelMessageMoveTask", []any{"TaskHandle", r.taskHandle("other", "x")}, fault.ResourceNotFoundException, "Task does not exist."},
		{"ListMessageMoveTasks", nil, fault.MissingParameter, ""},
		{"ListMessageMoveTasks", []any{"SourceArn", r.queueARN("nope")}, fault.ResourceNotFoundException, noSource},
		{"ListMessageMoveTasks", []any{"SourceArn", arn, "MaxResults", 11}, fault.InvalidParameterValue, ""},
		{"ListMessageMoveTasks", []any{"SourceArn", arn, "MaxResults", 0}, fault.InvalidParameterValue, ""},
	} {
		_, err := r.try(c.action, c.params...)
		if !fault.Is(err, c.kind) || (c.text != "" && fault.From(err).Message() != c.text) {
			t.Errorf("%s %v: %v", c.action, c.params, err)
		}
	}
	if answer := r.do("ListMessageMoveTasks", "SourceArn", arn); answer.Len() != 0 {
		t.Errorf("no tasks: %v", answer)
	}

}

// slow starts a task of one message a second over n messages, and waits until
// it has moved the first.
func slow(t *testing.T, n int) (r *rig, source, dlq, handle string) {
	t.Helper()
	r = newRig(t)
	source, dlq = r.withDLQ("orders", "1", nil)
	r.dead(source, dlq, n)
	handle = r.start("orders-dlq", "MaxNumberOfMessagesPerSecond", 1)
	r.moves(1)
	return r, source, dlq, handle
}

func (r *rig) moves(n int) {
	r.t.Helper()
	eventually(r.t, fmt.Sprint(n, " are moved"), func() bool {
		return r.tasks("orders-dlq")[0].get("ApproximateNumberOfMessagesMoved") == strconv.Itoa(n)
	})
}

func TestMoveTaskRate(t *testing.T) {
	r, _, dlq, _ := slow(t, 4)
	began := r.clock.Now()
	for n := 2; n <= 4; n++ {
		r.clock.Advance(1100 * time.Millisecond)
		r.moves(n)
	}
	r.clock.Advance(1100 * time.Millisecond)
	task := r.ends("orders-dlq", taskCompleted)
	if took := r.clock.Now().Sub(began); took < 3*time.Second {
		t.Errorf("four messages at one a second took %v", took)
	}
	if task.get("MaxNumberOfMessagesPerSecond") != "1" {
		t.Errorf("task %v", task)
	}
	if c := r.counts(dlq); c[0] != "0" {
		t.Errorf("left %v", c)
	}
}

func TestMoveTaskIsTheOnlyOne(t *testing.T) {
	r, _, _, handle := slow(t, 3)
	for _, rig := range []*rig{r, r.another()} {
		rig.refuse(fault.InvalidParameterValue, alreadyRunning, "StartMessageMoveTask", "SourceArn", r.queueARN("orders-dlq"))
	}
	if task := r.tasks("orders-dlq")[0]; task.get("TaskHandle") != handle || task.get("Status") != taskRunning {
		t.Errorf("task %v", task)
	}
}

func TestMoveTaskCancel(t *testing.T) {
	r, _, dlq, handle := slow(t, 5)
	answer := r.another().do("CancelMessageMoveTask", "TaskHandle", handle)
	if answer.Get("ApproximateNumberOfMessagesMoved").Text() != "1" {
		t.Errorf("answered %v", answer)
	}
	if task := r.tasks("orders-dlq")[0]; task.get("Status") != taskCancelling || task.Has("TaskHandle") {
		t.Errorf("task %v", task)
	}
	r.do("CancelMessageMoveTask", "TaskHandle", handle) // again, before it took effect
	r.clock.Advance(2 * time.Second)
	task := r.ends("orders-dlq", taskCancelled)
	if task.get("ApproximateNumberOfMessagesMoved") != "1" || r.counts(dlq) != [2]string{"4", "0"} {
		t.Errorf("task %v, left %v", task, r.counts(dlq))
	}
	r.refuse(fault.UnsupportedOperation, "", "CancelMessageMoveTask", "TaskHandle", handle)

	r.start("orders-dlq")
	eventually(t, "the second task completes", func() bool { return r.status("orders-dlq") == taskCompleted })
	tasks := r.tasks("orders-dlq")
	if len(tasks) != 2 || tasks[0].get("ApproximateNumberOfMessagesMoved") != "4" || tasks[1].get("Status") != taskCancelled {
		t.Errorf("newest first: %v", tasks)
	}
	if one := r.do("ListMessageMoveTasks", "SourceArn", r.queueARN("orders-dlq")).Get("Results").Items(); len(one) != 1 {
		t.Errorf("%d results by default", len(one))
	}
}

// An instance that is shut down leaves its task to whoever looks next.
func TestMoveTaskIsContinuedElsewhere(t *testing.T) {
	for _, how := range []string{"list", "start", "cancel"} {
		t.Run(how, func(t *testing.T) {
			r, source, dlq, handle := slow(t, 3)
			r.Close()
			other := r.another()
			switch how {
			case "list":
				if got := other.status("orders-dlq"); got != taskRunning {
					t.Errorf("status %s", got)
				}
			case "start":
				other.refuse(fault.InvalidParameterValue, alreadyRunning, "StartMessageMoveTask", "SourceArn", r.queueARN("orders-dlq"))
			case "cancel":
				other.do("CancelMessageMoveTask", "TaskHandle", handle)
				task := other.ends("orders-dlq", taskCancelled)
				if task.get("ApproximateNumberOfMessagesMoved") != "1" || other.counts(dlq)[0] != "2" {
					t.Errorf("task %v, left %v", task, other.counts(dlq))
				}
				return
			}
			for n := 2; n <= 3; n++ {
				other.moves(n)
				r.clock.Advance(1100 * time.Millisecond)
			}
			other.ends("orders-dlq", taskCompleted)
			if got := other.drain(source); len(got) != 3 {
				t.Errorf("restored %v", got)
			}
		})
	}
}

// A mover that fell silent loses its task, and stops when it comes back.
func TestMoveTaskIsTakenOver(t *testing.T) {
	var hang atomic.Bool
	hung := make(chan struct{})
	release := make(chan struct{})
	w := &watched{}
	w.onPop = func(_ int, req queen.PopRequest) (queen.PopResult, error) {
		if req.LeaseSeconds == moveLeaseSeconds && hang.CompareAndSwap(true, false) {
			close(hung)
			<-release
		}
		return queen.PopResult{}, errThrough
	}
	r := newRig(t, watch(w))
	source, dlq := r.withDLQ("orders", "1", nil)
	r.dead(source, dlq, 25)
	hang.Store(true)
	r.start("orders-dlq")
	<-hung
	r.clock.Advance(staleAfter - time.Second)
	other := r.another()
	other.tasks("orders-dlq") // not silent for long enough
	before := owner(t, r)
	r.clock.Advance(2 * time.Second)
	other.tasks("orders-dlq")
	if after := owner(t, r); after == before {
		t.Error("not taken over")
	}
	task := other.ends("orders-dlq", taskCompleted)
	if task.get("ApproximateNumberOfMessagesMoved") != "25" {
		t.Errorf("task %v", task)
	}
	close(release)
	r.Close() // waits for the mover that was taken over
	if got := other.drain(source); len(got) != 25 {
		t.Errorf("restored %d", len(got))
	}
}

func owner(t *testing.T, r *rig) string {
	t.Helper()
	return readTask(r.rows("qs:mv:")[0].Value).Owner
}

func TestMoveTaskFence(t *testing.T) {
	ctx := context.Background()
	r := newRig(t)
	source, dlq := r.withDLQ("orders", "1", nil)
	r.dead(source, dlq, 1)
	arn := r.queueARN("orders-dlq")
	put := func(key string, v any) {
		t.Helper()
		if err := r.registry.Put(ctx, "token", key, v, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	key := taskKey("orders-dlq", r.clock.Now(), "lost")

	// A fresh fence without a record: its start is under way.
	put(fenceKey("orders-dlq"), moveFence{Task: key, Source: "orders-dlq", At: r.clock.Now().UnixMilli()})
	r.refuse(fault.InvalidParameterValue, alreadyRunning, "StartMessageMoveTask", "SourceArn", arn)
	// A foreign release is harmless.
	r.releaseFence(ctx, "token", "orders-dlq", "another task")
	r.refuse(fault.InvalidParameterValue, alreadyRunning, "StartMessageMoveTask", "SourceArn", arn)
	// Later it is stale, and so is one without a time.
	r.clock.Advance(31 * time.Second)
	r.start("orders-dlq")
	r.ends("orders-dlq", taskCompleted)
	eventually(t, "the fence is released", func() bool { return len(r.rows("qs:mvf:")) == 0 })
	put(fenceKey("orders-dlq"), map[string]string{"task": key})
	r.start("orders-dlq")
	r.ends("orders-dlq", taskCompleted)
	eventually(t, "the fence is released", func() bool { return len(r.rows("qs:mvf:")) == 0 })

	// A fence of a finished task is free.
	put(fenceKey("orders-dlq"), moveFence{Task: r.rows("qs:mv:")[0].Key, Source: "orders-dlq", At: r.clock.Now().UnixMilli()})
	r.start("orders-dlq")
	r.ends("orders-dlq", taskCompleted)

	// A task that was left behind while another holds the fence has failed.
	eventually(t, "the fence is released", func() bool { return len(r.rows("qs:mvf:")) == 0 })
	old := taskKey("orders-dlq", r.clock.Now().Add(time.Hour), "old")
	put(old, moveTask{Source: "orders-dlq", Status: taskRunning})
	put(fenceKey("orders-dlq"), moveFence{Task: "another", At: r.clock.Now().UnixMilli()})
	if task := r.tasks("orders-dlq")[0]; task.get("Status") != taskFailed || task.get("FailureReason") == "" {
		t.Errorf("task %v", task)
	}
	// An unreadable record has failed.
	put(old, "nonsense")
	if got := r.status("orders-dlq"); got != taskFailed {
		t.Errorf("status %s", got)
	}
}

func TestMoveTaskThatCannotPlace(t *testing.T) {
	r := newRig(t)
	dlq := r.create("orders-dlq", map[string]string{"queen.partitions": "1"})
	source := r.create("orders", map[string]string{"RedrivePolicy": redriveTo(r.queueARN("orders-dlq"), "1")})
	r.dead(source, dlq, 2)
	r.sendTo(dlq, "native") // came from nowhere
	r.dead(source, dlq, 1)
	r.start("orders-dlq")
	task := r.ends("orders-dlq", taskFailed)
	if task.get("ApproximateNumberOfMessagesMoved") != "2" || task.get("FailureReason") != reasonNoSource {
		t.Errorf("task %v", task)
	}
	if c := r.counts(dlq); c != [2]string{"2", "0"} {
		t.Errorf("left %v, want the rest back at once", c)
	}

	r.create("elsewhere", nil)
	r.start("orders-dlq", "DestinationArn", r.queueARN("elsewhere"))
	task = r.ends("orders-dlq", taskCompleted)
	if task.get("DestinationArn") != r.queueARN("elsewhere") || task.get("ApproximateNumberOfMessagesMoved") != "2" {
		t.Errorf("task %v", task)
	}
}

func TestMoveTaskWhoseDestinationGoes(t *testing.T) {
	r := newRig(t)
	source, dlq := r.withDLQ("orders", "1", nil)
	destination := r.create("elsewhere", nil)
	r.dead(source, dlq, 4)
	r.start("orders-dlq", "DestinationArn", r.queueARN("elsewhere"), "MaxNumberOfMessagesPerSecond", 1)
	r.moves(1)
	r.do("DeleteQueue", "QueueUrl", destination)
	r.clock.Advance(1100 * time.Millisecond)
	task := r.ends("orders-dlq", taskFailed)
	if task.get("FailureReason") != "AWS.SimpleQueueService.NonExistentQueue" || task.get("ApproximateNumberOfMessagesMoved") != "1" {
		t.Errorf("task %v", task)
	}
	if c := r.counts(dlq); c != [2]string{"3", "0"} {
		t.Errorf("left %v", c)
	}
}

func TestMoveTaskAtABrokenBroker(t *testing.T) {
	w := &watched{}
	r := newRig(t, watch(w))
	source, dlq := r.withDLQ("orders", "1", nil)
	r.dead(source, dlq, 2)
	w.onTx = func(queen.Transaction) error { return errBroken }
	r.start("orders-dlq")
	if task := r.ends("orders-dlq", taskFailed); task.get("FailureReason") != "ServiceUnavailable" {
		t.Errorf("task %v", task)
	}
	w.onTx = nil
	if c := r.counts(dlq); c != [2]string{"2", "0"} {
		t.Errorf("left %v", c)
	}
	r.start("orders-dlq")
	r.ends("orders-dlq", taskCompleted)
}

// What clients deleted from a FIFO dead-letter queue is not restored.
func TestMoveTaskSkipsDeletedMessages(t *testing.T) {
	r := newRig(t)
	source, dlq := r.withDLQ("orders.fifo", "1", nil)
	r.dead(source, dlq, 3)
	got := r.receive(dlq, 10)
	r.delete(dlq, got[1])
	r.visibility(dlq, got[0], 0)
	r.start("orders-dlq.fifo")
	if task := r.ends("orders-dlq.fifo", taskCompleted); task.get("ApproximateNumberOfMessagesMoved") != "2" {
		t.Errorf("task %v", task)
	}
	wantList(t, r.drain(source), got[0].body(), got[2].body())
	if c := r.counts(dlq); c != [2]string{"0", "0"} {
		t.Errorf("left %v", c)
	}
}

func TestTaskKeysSortNewestFirst(t *testing.T) {
	at := time.UnixMilli(1700000000000)
	list := []string{taskKey("q", at, "a"), taskKey("q", at.Add(time.Millisecond), "b"), taskKey("q", at.Add(time.Hour), "c")}
	slices.Sort(list)
	var ids []string
	for _, key := range list {
		ids = append(ids, taskID(key))
	}
	wantList(t, ids, "c", "b", "a")
}
