package measure

import (
	"context"
	"fmt"
	"strconv"

	"github.com/queen-mq/queen-sqs/steps/load"
)

func sendPlain(ctx context.Context, client *load.Client, url string, n int) error {
	return load.Each(ctx, 8, (n+9)/10, func(ctx context.Context, i int) error {
		var bodies []string
		for b := i * 10; b < min(i*10+10, n); b++ {
			bodies = append(bodies, "message "+strconv.Itoa(b))
		}
		return client.SendBatch(ctx, url, bodies)
	})
}

// receiveAll receives until a receive returns nothing.
func receiveAll(ctx context.Context, client *load.Client, url string, deleting bool) ([]load.Message, error) {
	var all []load.Message
	for {
		got, err := client.Receive(ctx, url, 10, 0)
		if err != nil || len(got) == 0 {
			return all, err
		}
		all = append(all, got...)
		if deleting {
			if err := client.DeleteBatch(ctx, url, got); err != nil {
				return all, err
			}
		}
	}
}

func counters(ctx context.Context, client *load.Client, url string) (visible, inFlight, delayed int, err error) {
	names := []string{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed"}
	var out struct{ Attributes map[string]string }
	if err := client.Call(ctx, "GetQueueAttributes", map[string]any{"QueueUrl": url, "AttributeNames": names}, &out); err != nil {
		return 0, 0, 0, err
	}
	for i, into := range []*int{&visible, &inFlight, &delayed} {
		if *into, err = strconv.Atoi(out.Attributes[names[i]]); err != nil {
			return 0, 0, 0, fmt.Errorf("%s: %w", names[i], err)
		}
	}
	return visible, inFlight, delayed, nil
}
