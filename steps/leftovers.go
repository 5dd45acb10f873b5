package steps

import (
	"context"
	"strings"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// findLeft adds to what is to be deleted whatever bears the scenario's names: a
// run that was interrupted may have cut the answer to what it created.
func (w *World) findLeft(ctx context.Context) error {
	p := client.Params{"QueueNamePrefix": w.scope + "-"}
	left, err := w.raw.Call(ctx, client.SQS, "ListQueues", p)
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
		page, err := w.raw.Call(ctx, client.SNS, "ListTopics", token)
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
