package target

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// listing is how one kind of thing is listed, and deleted.
type listing struct {
	service, action, members, member string
	remove, param                    string
}

var listings = []listing{
	{client.SNS, "ListTopics", "Topics", "TopicArn", "DeleteTopic", "TopicArn"},
	{client.SQS, "ListQueues", "QueueUrls", "", "DeleteQueue", "QueueUrl"},
}

// Empty deletes every topic and every queue of a target that may be purged, over
// the first of the protocols over which that works, and answers how many. An
// error leaves what it had not come to; it is ErrUnable where anything else may
// live.
func Empty(ctx context.Context, t Target, protocols []client.Protocol) (int, error) {
	if !t.Abilities().MayBePurged {
		return 0, ErrUnable
	}
	deleted := 0
	var problems []error
	for _, p := range protocols {
		c := client.New(p, t.Config(), &client.Recorder{})
		n, err := empty(ctx, c)
		if deleted += n; err == nil {
			return deleted, nil
		}
		problems = append(problems, err)
	}
	return deleted, errors.Join(problems...)
}

func empty(ctx context.Context, c client.Client) (int, error) {
	deleted := 0
	for _, l := range listings {
		names, err := l.all(ctx, c)
		if err != nil {
			return deleted, err
		}
		for _, name := range names {
			if _, err := c.Call(ctx, l.service, l.remove, client.Params{l.param: name}); err != nil {
				return deleted, fmt.Errorf("%s %s: %w", l.remove, name, err)
			}
			deleted++
		}
	}
	return deleted, nil
}

// all lists page by page. Queues come in pages only where a page's size is named.
func (l listing) all(ctx context.Context, c client.Client) ([]string, error) {
	ask := client.Params{}
	if l.service == client.SQS {
		ask["MaxResults"] = int64(1000)
	}
	var names []string
	for {
		answer, err := c.Call(ctx, l.service, l.action, ask)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.action, err)
		}
		members, _ := answer[l.members].([]any)
		for _, m := range members {
			if structure, ok := m.(client.Params); ok {
				m = structure[l.member]
			}
			if name, ok := m.(string); ok {
				names = append(names, name)
			}
		}
		token, _ := answer["NextToken"].(string)
		if token == "" {
			return names, nil
		}
		ask = maps.Clone(ask)
		ask["NextToken"] = token
	}
}
