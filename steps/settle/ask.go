// Package settle asks a target the open questions, and keeps what it answered as
// evidence.
package settle

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/divergences/evidence"
	"github.com/queen-mq/queen-sqs/divergences/rows"
	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// Options says whom to ask what.
type Options struct {
	Target    target.Target
	Questions []rows.Question
	// MaxWait is how long a question may wait for real; longer ones are not asked.
	MaxWait time.Duration
	// Run is what every name begins with; it has to be unique.
	Run string
	// Said is told of each answer; it may be nil.
	Said func(rows.Question, evidence.Answer)
}

// Ask asks the questions one after the other. Whatever it creates is deleted,
// also when ctx ends in between; then the rest is not asked. The error is about
// what could not be deleted.
func Ask(ctx context.Context, o Options) ([]evidence.Answer, error) {
	var answers []evidence.Answer
	var left error
	for i, q := range o.Questions {
		s := &session{target: o.Target, run: fmt.Sprintf("%s%02d", o.Run, i), got: map[string]map[string]string{}, failed: map[string]string{}}
		a := evidence.Answer{Question: q.ID, Row: q.Row, Here: q.Here, Recorded: q.Amazon}
		wait := time.Duration(q.Seconds()) * time.Second
		switch {
		case ctx.Err() != nil:
			a.NotAsked = "the run was interrupted"
		case !o.Target.Abilities().MovesClock && wait > o.MaxWait:
			a.NotAsked = fmt.Sprintf("it needs %v and the clock cannot be moved", wait)
		default:
			err := s.ask(ctx, q)
			a.Calls = s.calls
			if err != nil {
				a.NotAsked = s.redact(err.Error())
			} else {
				a.Is = s.read(q)
			}
			left = errors.Join(left, s.tidy(context.WithoutCancel(ctx)))
		}
		answers = append(answers, a)
		if o.Said != nil {
			o.Said(q, a)
		}
	}
	return answers, left
}

// session is one question being asked.
type session struct {
	target target.Target
	run    string
	sdk    client.Client

	got    map[string]map[string]string // answers by name, by the paths of their members
	failed map[string]string            // errors by name: code and text
	calls  []evidence.Call

	queues, topics []string // what may have been created, by the names asked for
	account        string
}

func (s *session) ask(ctx context.Context, q rows.Question) error {
	s.account = s.target.Account()
	s.sdk = client.New(client.JSON, s.target.Config(), &client.Recorder{})
	for _, c := range q.Calls {
		if err := s.wait(ctx, time.Duration(c.WaitSeconds)*time.Second); err != nil {
			return err
		}
		p, _ := s.fill(c.With).(client.Params)
		if err := s.call(ctx, c, p); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) wait(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	if s.target.Abilities().MovesClock {
		return s.target.Advance(ctx, d)
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return errors.New("the run was interrupted")
	}
}

func (s *session) call(ctx context.Context, c rows.Call, p client.Params) error {
	name, _ := p["QueueName"].(string)
	topic, _ := p["Name"].(string)
	switch c.Action {
	case "CreateQueue":
		s.queues = append(s.queues, name)
	case "CreateTopic":
		s.topics = append(s.topics, topic)
	}
	if ctx.Err() != nil {
		return errors.New("the run was interrupted")
	}
	// A call that was begun is finished, so that it is known what it has created.
	answer, err := s.sdk.Call(context.WithoutCancel(ctx), service(c.Action), c.Action, p)
	var refused *client.APIError
	if err != nil && !errors.As(err, &refused) {
		return fmt.Errorf("%s: %w", c.Action, err)
	}
	done := evidence.Call{Action: c.Action, Status: 200}
	if refused != nil {
		code := refused.Code
		if refused.Type != "" {
			code = refused.Type
		}
		done.Status, done.Error = refused.Status, s.redact(code+": "+refused.Message)
		s.failed[c.As] = code + ": " + refused.Message
	} else {
		got := map[string]string{}
		flatten("", answer, got)
		s.got[c.As] = got
		if u := got["QueueUrl"]; u != "" {
			if parts := strings.Split(u, "/"); len(parts) > 4 {
				s.account = parts[len(parts)-2]
			}
		}
		done.Answer = map[string]string{}
		for path, v := range got {
			done.Answer[path] = s.hide(path, v)
		}
	}
	s.calls = append(s.calls, done)
	return nil
}

// service of an action of the questions.
func service(action string) string {
	switch action {
	case "CreateTopic", "DeleteTopic", "Publish", "PublishBatch", "Subscribe", "Unsubscribe", "ListTopics", "ListSubscriptionsByTopic":
		return client.SNS
	}
	return client.SQS
}

// tidy deletes what the question has created, or may have: as it was answered,
// and by its names, because a call that was cut answers none. What cannot be
// deleted keeps nothing else from being deleted.
func (s *session) tidy(ctx context.Context) error {
	var left error
	note := func(what string, err error) {
		if err != nil {
			left = errors.Join(left, fmt.Errorf("%s is left: %w", what, err))
		}
	}
	arns, err := s.topicARNs(ctx)
	note("a topic", unlessRefused(err))
	for _, arn := range arns {
		_, err := s.again(ctx, client.SNS, "DeleteTopic", client.Params{"TopicArn": arn})
		note(arn, err)
	}
	urls, err := s.queueURLs(ctx)
	note("a queue named "+s.run+"-...", unlessRefused(err))
	for _, u := range urls {
		_, err := s.again(ctx, client.SQS, "DeleteQueue", client.Params{"QueueUrl": u})
		var refused *client.APIError
		if errors.As(err, &refused) && strings.HasSuffix(refused.Code, "NonExistentQueue") {
			continue // the question deletes it itself
		}
		note(u, err)
	}
	return left
}

// tries is how often a call is made where an SDK would make it again.
const tries = 5

// again makes a call until it is answered, or refused for good.
func (s *session) again(ctx context.Context, service, action string, p client.Params) (answer client.Params, err error) {
	for try := range tries {
		if try > 0 {
			time.Sleep(50 * time.Millisecond << try)
		}
		answer, err = s.sdk.Call(ctx, service, action, p)
		if err == nil || refusedForGood(err) {
			break
		}
	}
	return answer, err
}

// refusedForGood says that the endpoint has answered an error which an SDK does
// not retry.
func refusedForGood(err error) bool {
	var refused *client.APIError
	return errors.As(err, &refused) && !client.Retried(client.JSON, refused)
}

// unlessRefused is err, unless the endpoint refuses to list at all: one without
// topics has none to delete.
func unlessRefused(err error) error {
	if refusedForGood(err) {
		return nil
	}
	return err
}

// queueURLs are those of the queues that were asked for: as they were answered
// and as they are listed.
func (s *session) queueURLs(ctx context.Context) (urls []string, err error) {
	if len(s.queues) == 0 {
		return nil, nil
	}
	for _, got := range s.got {
		if u := got["QueueUrl"]; u != "" {
			urls = append(urls, u)
		}
	}
	page, err := s.again(ctx, client.SQS, "ListQueues", client.Params{"QueueNamePrefix": s.run + "-"})
	listed, _ := page["QueueUrls"].([]any)
	for _, u := range listed {
		urls = append(urls, fmt.Sprint(u))
	}
	return unique(urls), err
}

// topicARNs are those of the topics that were asked for: as they were answered,
// or, where an answer is missing, as they are listed.
func (s *session) topicARNs(ctx context.Context) ([]string, error) {
	var arns []string
	missing := false
	for _, name := range unique(s.topics) {
		before := len(arns)
		for _, got := range s.got {
			if strings.HasSuffix(got["TopicArn"], ":"+name) {
				arns = append(arns, got["TopicArn"])
			}
		}
		missing = missing || len(arns) == before
	}
	token := client.Params{}
	for missing {
		page, err := s.again(ctx, client.SNS, "ListTopics", token)
		if err != nil {
			return arns, err
		}
		got := map[string]string{}
		flatten("", page, got)
		for _, arn := range got {
			if name := arn[strings.LastIndex(arn, ":")+1:]; strings.HasPrefix(name, s.run+"-") {
				arns = append(arns, arn)
			}
		}
		token = client.Params{"NextToken": got["NextToken"]}
		missing = got["NextToken"] != ""
	}
	return unique(arns), nil
}

func unique(names []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, n := range names {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}
