package steps

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// Steps of message move tasks, which work behind their answers.
func (w *World) registerMoveTasks(sc *godog.ScenarioContext) {
	sc.Step(`^I start moving the messages of "([^"]*)"(?: to "([^"]*)")?(?: at (\d+) a second)?$`, w.startMove)
	sc.Step(`^I cancel moving the messages of "([^"]*)"$`, func(ctx context.Context, queue string) error {
		task, err := w.moveTask(ctx, queue)
		if err != nil {
			return err
		}
		return w.call(ctx, "CancelMessageMoveTask", client.Params{"TaskHandle": task["TaskHandle"]})
	})
	sc.Step(`^a handle of a move of "([^"]*)" that nobody started is remembered as "([^"]*)"$`, func(queue, name string) {
		w.vars[name] = base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `{"taskId":"10f97b8c-7ba5-4b63-8a2e-9e5a8a2c0d11","sourceArn":%q}`, w.arn(queue)))
	})
	sc.Step(`^the latest move of "([^"]*)" is (\w+)(?: with (\d+) moved)?$`, w.moveIs)
	sc.Step(`^the latest move of "([^"]*)" has:$`, func(ctx context.Context, queue string, t *godog.Table) error {
		task, err := w.moveTask(ctx, queue)
		if err != nil {
			return err
		}
		return w.compare("the task", task, t, false)
	})
	sc.Step(`^the latest move of "([^"]*)" has exactly:$`, func(ctx context.Context, queue string, t *godog.Table) error {
		task, err := w.moveTask(ctx, queue)
		if err != nil {
			return err
		}
		return w.compare("the task", task, t, true)
	})
}

func (w *World) startMove(ctx context.Context, source, destination, rate string) error {
	p := client.Params{"SourceArn": w.arn(source)}
	if destination != "" {
		p["DestinationArn"] = w.arn(destination)
	}
	if rate != "" {
		p["MaxNumberOfMessagesPerSecond"] = typed("MaxNumberOfMessagesPerSecond", rate)
	}
	return w.call(ctx, "StartMessageMoveTask", p)
}

// moveTask is the latest task of a queue.
func (w *World) moveTask(ctx context.Context, queue string) (client.Params, error) {
	if err := w.must(ctx, "ListMessageMoveTasks", client.Params{"SourceArn": w.arn(queue)}); err != nil {
		return nil, err
	}
	tasks := list(w.last.answer["Results"])
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%s has no move task: %v", queue, w.last.answer)
	}
	return tasks[0], nil
}

// moveIs waits until the latest task of a queue is in a state, and has moved so
// many messages when moved is not empty.
func (w *World) moveIs(ctx context.Context, queue, status, moved string) error {
	var task client.Params
	for range 1500 {
		var err error
		if task, err = w.moveTask(ctx, queue); err != nil {
			return err
		}
		count, _ := client.Text(task["ApproximateNumberOfMessagesMoved"])
		if task["Status"] == status && (moved == "" || moved == count) {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("the move of %s is %v", queue, task)
}
