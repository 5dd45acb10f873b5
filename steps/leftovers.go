package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// begun makes a call of an action. One that creates is finished once it has
// begun, whatever becomes of ctx, so that it is known what it has created; where
// its answer does not come, or leaves that open, the scenario looks for it.
func (w *World) begun(ctx context.Context, action string, call func(context.Context) (client.Params, error)) (client.Params, error) {
	if action != "CreateQueue" && action != "CreateTopic" || ctx.Err() != nil {
		return call(ctx)
	}
	answer, err := call(context.WithoutCancel(ctx))
	var refused *client.APIError
	if err != nil && !spent(err) && (!errors.As(err, &refused) || refused.Status >= 500) {
		w.doubt = true
	}
	return answer, err
}

// tidy deletes the queues of a private target whose broker outlives it and is
// shared: a thousand of them would slow every listing. It is a courtesy to the
// scenarios that follow, and proves nothing.
func (w *World) tidy(ctx context.Context) {
	a := w.target.Abilities()
	door, ok := w.target.(target.BackDoor)
	if !ok || a.MovesClock || !a.ReachesBroker {
		return
	}
	if door.Fail("") == nil {
		_ = w.deleteCreated(ctx)
	}
}

// deleteCreated deletes every topic and queue that the scenario has made, or may
// have, also when ctx has ended. What cannot be deleted is kept in w.left, and
// keeps nothing else from being deleted.
func (w *World) deleteCreated(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	w.last = outcome{}
	w.signing, w.raw.Signing = client.Signing{}, client.Signing{}
	var problems []string
	note := func(what string, err error) {
		if err != nil {
			w.left = append(w.left, what)
			problems = append(problems, err.Error())
		}
	}
	if w.doubt {
		if err := w.findLeft(ctx); err != nil {
			note("whatever is named "+w.scope+"-...", fmt.Errorf("looking for what is left: %w", err))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.sns.topics)) {
		arn := w.sns.topics[name]
		note(arn, w.remove(ctx, w.snsClient(w.sdk), client.SNS, "DeleteTopic", client.Params{"TopicArn": arn}))
	}
	for _, u := range slices.Sorted(maps.Keys(w.created)) {
		note(u, w.remove(ctx, w.sdk, client.SQS, "DeleteQueue", client.Params{"QueueUrl": u}))
	}
	if len(problems) > 0 {
		return errors.New(strings.Join(problems, "; "))
	}
	return nil
}

// removeTries is how often something is deleted where that may fail by chance.
const removeTries = 5

// remove deletes one queue or topic. What is gone already is as good as deleted.
func (w *World) remove(ctx context.Context, c client.Client, service, action string, p client.Params) error {
	a := w.target.Abilities()
	for try := 1; ; try++ {
		_, err := c.Call(ctx, service, action, p)
		var refused *client.APIError
		known := errors.As(err, &refused)
		if err == nil || known && strings.HasSuffix(refused.Code, "NonExistentQueue") {
			return nil
		}
		// A gateway may die even now, and what is left at Amazon stays there.
		again := (a.Cuts || a.CostsMoney) && (!known || client.Retried(w.suite.Protocol, refused))
		if !again || try == removeTries {
			return fmt.Errorf("%s %v afterwards: %w", action, slices.Collect(maps.Values(p)), err)
		}
		time.Sleep(50 * time.Millisecond << try)
	}
}

// findLeft adds to what is to be deleted whatever bears the scenario's names.
func (w *World) findLeft(ctx context.Context) error {
	p := client.Params{"QueueNamePrefix": w.scope + "-"}
	left, err := w.sdk.Call(ctx, client.SQS, "ListQueues", p)
	if err != nil {
		return err
	}
	urls, _ := left["QueueUrls"].([]any)
	for _, u := range urls {
		if u, ok := u.(string); ok {
			w.created[u] = true
		}
	}
	token := client.Params{}
	for {
		page, err := w.snsClient(w.sdk).Call(ctx, client.SNS, "ListTopics", token)
		if err != nil {
			return err
		}
		for _, t := range list(page["Topics"]) {
			arn, _ := t["TopicArn"].(string)
			if name := arn[strings.LastIndex(arn, ":")+1:]; strings.HasPrefix(name, w.scope+"-") {
				w.sns.topics[name] = arn
			}
		}
		next, _ := page["NextToken"].(string)
		if next == "" {
			return nil
		}
		token = client.Params{"NextToken": next}
	}
}
