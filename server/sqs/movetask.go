package sqs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// Message move tasks. A task is a record; a mover (mover.go) works on it. One
// task per source queue is active, which a fence beside the records sees to.

// Statuses of a task.
const (
	taskRunning    = "RUNNING"
	taskCompleted  = "COMPLETED"
	taskCancelling = "CANCELLING"
	taskCancelled  = "CANCELLED"
	taskFailed     = "FAILED"
)

const (
	taskLife  = 7 * 24 * time.Hour
	fenceLife = 24 * time.Hour
	// staleAfter is how long a mover may be silent before another takes its task
	// over.
	staleAfter = 30 * time.Second
	mostRate   = 500
	mostTasks  = 10
	taskPage   = 100

	alreadyRunning = "There is already a task running. Only one active task is allowed for a source queue arn at a given time."
)

// moveTask is the record of a task.
type moveTask struct {
	Source      string  `json:"source"`
	Destination *string `json:"destination"`
	Status      string  `json:"status"`
	Moved       int64   `json:"moved"`
	Total       int64   `json:"total"`
	// Rate is in messages per second.
	Rate *int `json:"rate"`
	// Started and Heartbeat are epoch milliseconds.
	Started   int64   `json:"started"`
	Heartbeat int64   `json:"hb"`
	Reason    *string `json:"failureReason"`
	// Owner names the mover that works on the task. One that finds another name
	// here stops.
	Owner string `json:"owner,omitempty"`
}

// readTask reads a record; an unreadable one has failed.
func readTask(raw json.RawMessage) moveTask {
	var t moveTask
	if json.Unmarshal(raw, &t) != nil {
		return moveTask{Status: taskFailed}
	}
	switch t.Status {
	case taskRunning, taskCompleted, taskCancelling, taskCancelled:
	default:
		t.Status = taskFailed
	}
	return t
}

func (t *moveTask) active() bool { return t.Status == taskRunning || t.Status == taskCancelling }

// stale says that no mover works on an active task any more.
func (t *moveTask) stale(now time.Time) bool {
	return t.active() && now.Sub(time.UnixMilli(t.Heartbeat)) > staleAfter
}

// moveFence is the record that keeps a source queue's tasks apart.
type moveFence struct {
	Task   string `json:"task"`
	Source string `json:"source"`
	At     int64  `json:"at"`
}

func taskPrefix(source string) string { return registry.Key("qs", "mv", source) + ":" }
func fenceKey(source string) string   { return registry.Key("qs", "mvf", source) }

// starts keeps the starts of tasks a millisecond apart: tasks of one source are
// told apart by it in lists, newest first.
type starts struct{ last atomic.Int64 }

// next is now, or the first millisecond after the last start.
func (s *starts) next(now time.Time) time.Time {
	for {
		last := s.last.Load()
		ms := max(now.UnixMilli(), last+1)
		if s.last.CompareAndSwap(last, ms) {
			return time.UnixMilli(ms)
		}
	}
}

// taskKey sorts a source's tasks by their start, newest first.
func taskKey(source string, started time.Time, id string) string {
	return taskPrefix(source) + fmt.Sprintf("%016x:%s", math.MaxInt64-started.UnixMilli(), id)
}

func taskID(key string) string { return key[strings.LastIndexByte(key, ':')+1:] }

// taskHandle is what a client names a task by: base64 of a JSON document, as
// Amazon's (recorded).
type taskHandle struct {
	TaskID    string `json:"taskId"`
	SourceARN string `json:"sourceArn"`
}

func (s *Service) taskHandle(source, id string) string {
	doc, err := json.Marshal(taskHandle{id, s.queueARN(source)})
	if err != nil {
		panic("sqs: " + err.Error()) // two strings always have a JSON form
	}
	return base64.StdEncoding.EncodeToString(doc)
}

func (s *Service) startMessageMoveTask(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	tok := s.tokens.Of(req)
	source, err := s.arnParam(ctx, req, "SourceArn")
	if err != nil {
		return nil, err
	}
	if source == nil {
		return nil, missing("SourceArn")
	}
	destination, err := s.arnParam(ctx, req, "DestinationArn")
	if err != nil {
		return nil, err
	}
	rate, limited, err := ranged(req.Params, "MaxNumberOfMessagesPerSecond", 1, mostRate, "Must be between 1 and 500, if provided.")
	if err != nil {
		return nil, err
	}
	if destination != nil && destination.Name == source.Name {
		return nil, fault.InvalidParameterValue.With("Source queue arn and destination queue arn must be different.")
	}
	if destination != nil && destination.FIFO() != source.FIFO() {
		return nil, fault.InvalidParameterValue.With("Source queue and destination queue must be of the same type.")
	}
	if ok, err := s.isDeadLetterQueue(ctx, tok, source.Name); err != nil || !ok {
		if err == nil {
			err = fault.InvalidParameterValue.With("Source queue must be configured as a Dead Letter Queue.")
		}
		return nil, brokerFault(err)
	}

	now := s.starts.next(s.clock.Now())
	id := uuid.NewString()
	key := taskKey(source.Name, now, id)
	if err := s.claimFence(ctx, tok, source.Name, key); err != nil {
		return nil, brokerFault(err)
	}
	task := moveTask{
		Source: source.Name, Status: taskRunning, Started: now.UnixMilli(), Heartbeat: now.UnixMilli(), Owner: uuid.NewString(),
	}
	if destination != nil {
		task.Destination = &destination.Name
	}
	if limited {
		task.Rate = &rate
	}
	if task.Total, err = s.ready(ctx, tok, source.Name); err == nil {
		_, _, err = s.registry.PutIf(ctx, tok, key, task, taskLife, 0)
	}
	if err != nil {
		s.releaseFence(ctx, tok, source.Name, key)
		return nil, brokerFault(err)
	}
	s.startMover(tok, key, task)
	return wire.NewObject(wire.Member{Name: "TaskHandle", Value: wire.String(s.taskHandle(source.Name, id))}), nil
}

// arnParam reads a queue's record by its ARN among the parameters; nil without
// one.
func (s *Service) arnParam(ctx context.Context, req *wire.Request, name string) (*registry.Queue, error) {
	arn, _, err := textParam(req.Params, name)
	if err != nil || arn == "" {
		return nil, err
	}
	queue, ok := s.nameFromARN(arn)
	if !ok {
		return nil, fault.InvalidParameterValue.Withf(
			"You must use this format to specify the %s: arn:<partition>:<service>:<region>:<account-id>:<resource-id>", name)
	}
	q, err := s.registry.QueueFresh(ctx, s.tokens.Of(req), queue)
	if errors.Is(err, registry.ErrNotFound) {
		return nil, noResource(name)
	}
	return q, brokerFault(err)
}

func noResource(parameter string) error {
	return fault.ResourceNotFoundException.Withf("The resource that you specified for the %s parameter doesn't exist.", parameter)
}

// isDeadLetterQueue reports whether some queue's RedrivePolicy names the queue.
func (s *Service) isDeadLetterQueue(ctx context.Context, tok queen.Token, name string) (bool, error) {
	after := ""
	for {
		queues, more, err := s.registry.Queues(ctx, tok, after, sourcePage)
		if err != nil {
			return false, err
		}
		for _, q := range queues {
			after = q.Name
			if policy, ok := q.Redrive(); ok {
				if target, ok := s.nameFromARN(policy.DeadLetterTargetARN); ok && target == name {
					return true, nil
				}
			}
		}
		if !more {
			return false, nil
		}
	}
}

// ready is how many messages a queue has to move.
func (s *Service) ready(ctx context.Context, tok queen.Token, queue string) (int64, error) {
	depth, err := s.broker.Depth(ctx, tok, queue, queen.DefaultGroup)
	var status *queen.StatusError
	if errors.As(err, &status) && status.Code == 404 {
		return 0, nil // nothing was ever sent to it
	}
	return depth.Ready, err
}

// claimFence makes a task the active one of its source.
func (s *Service) claimFence(ctx context.Context, tok queen.Token, source, key string) error {
	fence := moveFence{Task: key, Source: source, At: s.clock.Now().UnixMilli()}
	held, won, err := s.registry.PutIf(ctx, tok, fenceKey(source), fence, fenceLife, 0)
	if err != nil || won {
		return err
	}
	free, err := s.fenceIsFree(ctx, tok, held)
	if err != nil {
		return err
	}
	if free {
		_, won, err = s.registry.PutIf(ctx, tok, fenceKey(source), fence, fenceLife, held.Version)
	}
	if err == nil && !won {
		return fault.InvalidParameterValue.With(alreadyRunning)
	}
	return err
}

// fenceIsFree reports whether the task that a fence names is over. A task that
// was left behind is not: it is continued here.
func (s *Service) fenceIsFree(ctx context.Context, tok queen.Token, held registry.Row) (bool, error) {
	var fence moveFence
	if json.Unmarshal(held.Value, &fence) != nil {
		return true, nil
	}
	row, err := s.registry.Get(ctx, tok, fence.Task)
	if errors.Is(err, registry.ErrNotFound) {
		// Either its start is under way, between fence and record, or it died there.
		return s.clock.Now().Sub(time.UnixMilli(fence.At)) > staleAfter, nil
	}
	if err != nil {
		return false, err
	}
	task, err := s.resume(ctx, tok, row)
	return err == nil && !task.active(), err
}

// releaseFence ends a task's hold of its source. A fence that names another task
// stays.
func (s *Service) releaseFence(ctx context.Context, tok queen.Token, source, key string) {
	row, err := s.registry.Get(ctx, tok, fenceKey(source))
	if err == nil {
		var fence moveFence
		if json.Unmarshal(row.Value, &fence) != nil || fence.Task != key {
			return
		}
		_, err = s.registry.DeleteIf(ctx, tok, fenceKey(source), row.Version)
	}
	if err != nil && !errors.Is(err, registry.ErrNotFound) {
		s.lines.Warn("the fence of a move task was not released; it counts as stale soon", "error", err)
	}
}

func (s *Service) cancelMessageMoveTask(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	tok := s.tokens.Of(req)
	text, err := requiredText(req.Params, "TaskHandle")
	if err != nil {
		return nil, err
	}
	row, err := s.findTask(ctx, tok, text)
	if err != nil {
		return nil, brokerFault(err)
	}
	for range changeAttempts {
		task := readTask(row.Value)
		if !task.active() {
			return nil, fault.UnsupportedOperation.With("Only active tasks can be cancelled.")
		}
		if task.Status == taskRunning {
			task.Status = taskCancelling
			winner, won, err := s.registry.PutIf(ctx, tok, row.Key, task, taskLife, row.Version)
			if err != nil {
				return nil, brokerFault(err)
			}
			row = winner
			if !won && winner.Version == 0 {
				return nil, noTask()
			}
			if !won {
				continue
			}
		}
		if _, err := s.resume(ctx, tok, row); err != nil {
			return nil, brokerFault(err)
		}
		return wire.NewObject(wire.Member{Name: "ApproximateNumberOfMessagesMoved", Value: wire.Int(task.Moved)}), nil
	}
	return nil, fault.ServiceUnavailable.Default().Because(registry.ErrConflict)
}

func noTask() error { return fault.ResourceNotFoundException.With("Task does not exist.") }

// findTask reads the task that a handle names.
func (s *Service) findTask(ctx context.Context, tok queen.Token, text string) (registry.Row, error) {
	var h taskHandle
	doc, err := base64.StdEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(doc, &h) != nil || h.TaskID == "" || h.SourceARN == "" {
		return registry.Row{}, fault.InvalidParameterValue.With("Value for parameter TaskHandle is invalid.")
	}
	source, ok := s.nameFromARN(h.SourceARN)
	if !ok {
		return registry.Row{}, noResource("SourceArn")
	}
	if exists, err := s.queueExists(ctx, tok, source); err != nil || !exists {
		if err == nil {
			err = noResource("SourceArn")
		}
		return registry.Row{}, err
	}
	after := ""
	for {
		rows, more, err := s.registry.Page(ctx, tok, taskPrefix(source), after, taskPage, false)
		if err != nil {
			return registry.Row{}, err
		}
		for _, row := range rows {
			after = row.Key
			if taskID(row.Key) == h.TaskID {
				return row, nil
			}
		}
		if !more {
			return registry.Row{}, noTask()
		}
	}
}

func (s *Service) listMessageMoveTasks(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	source, err := s.arnParam(ctx, req, "SourceArn")
	if err != nil {
		return nil, err
	}
	if source == nil {
		return nil, missing("SourceArn")
	}
	limit, given, err := ranged(req.Params, "MaxResults", 1, mostTasks, "Must be between 1 and 10, if provided.")
	if err != nil {
		return nil, err
	}
	if !given {
		limit = 1
	}
	rows, _, err := s.registry.Page(ctx, s.tokens.Of(req), taskPrefix(source.Name), "", limit, false)
	if err != nil {
		return nil, brokerFault(err)
	}
	var results []wire.Value
	for _, row := range rows {
		task, err := s.resume(ctx, s.tokens.Of(req), row)
		if err != nil {
			return nil, brokerFault(err)
		}
		results = append(results, wire.Struct(s.taskObject(source.Name, row.Key, task)))
	}
	answer := wire.NewObject()
	if len(results) > 0 {
		answer.Set("Results", wire.List(results...))
	}
	return answer, nil
}

// taskObject is one task of a listing. StartedTimestamp is in milliseconds, as
// in the examples of the API reference; no recording tells.
func (s *Service) taskObject(source, key string, t moveTask) *wire.Object {
	o := wire.NewObject()
	if t.Status == taskRunning {
		o.Set("TaskHandle", wire.String(s.taskHandle(source, taskID(key))))
	}
	o.Set("Status", wire.String(t.Status))
	o.Set("SourceArn", wire.String(s.queueARN(source)))
	if t.Destination != nil {
		o.Set("DestinationArn", wire.String(s.queueARN(*t.Destination)))
	}
	if t.Rate != nil {
		o.Set("MaxNumberOfMessagesPerSecond", wire.Int(int64(*t.Rate)))
	}
	o.Set("ApproximateNumberOfMessagesMoved", wire.Int(t.Moved))
	o.Set("ApproximateNumberOfMessagesToMove", wire.Int(t.Total))
	if t.Reason != nil {
		o.Set("FailureReason", wire.String(*t.Reason))
	}
	return o.Set("StartedTimestamp", wire.Int(t.Started))
}
