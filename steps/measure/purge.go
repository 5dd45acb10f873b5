package measure

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/queen-mq/queen-sqs/divergences/measured"
	"github.com/queen-mq/queen-sqs/steps/load"
)

// purgeBacklogs are the backlogs that are measured.
var purgeBacklogs = []measured.PurgeRow{
	{}, {Visible: 1000}, {Visible: 10_000}, {Visible: 100_000}, {Delayed: 100}, {Delayed: 1000}, {Delayed: 5000},
}

// purgesEach is how often each backlog is purged.
const purgesEach = 5

// purge purges each backlog in a few queues, because a queue can be
// purged once a minute.
func purge(ctx context.Context, client *load.Client, run measured.Run) (any, error) {
	out := measured.Purge{Run: run}
	for _, row := range purgeBacklogs {
		for i := range purgesEach {
			url, err := client.CreateQueue(ctx, fmt.Sprintf("purge-%d-%d-%d", row.Visible, row.Delayed, i), nil)
			if err != nil {
				return nil, err
			}
			if err := sendPlain(ctx, client, url, row.Visible); err != nil {
				return nil, err
			}
			if err := sendDelayed(ctx, client, url, row.Delayed); err != nil {
				return nil, err
			}
			if visible, _, delayed, err := counters(ctx, client, url); err != nil || visible != row.Visible || delayed != row.Delayed {
				return nil, fmt.Errorf("the backlog is %d and %d delayed, not %+v (%v)", visible, delayed, row, err)
			}
			start := time.Now()
			if err := client.Call(ctx, "PurgeQueue", map[string]string{"QueueUrl": url}, nil); err != nil {
				return nil, err
			}
			took := time.Since(start)
			row.Milliseconds = append(row.Milliseconds, float64(took.Microseconds())/1000)
			if visible, inFlight, delayed, err := counters(ctx, client, url); err != nil || visible+inFlight+delayed != 0 {
				return nil, fmt.Errorf("after the purge there are %d, %d and %d messages (%v)", visible, inFlight, delayed, err)
			}
		}
		slices.Sort(row.Milliseconds)
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

type delayedEntry struct {
	Id           string
	MessageBody  string
	DelaySeconds int
}

func sendDelayed(ctx context.Context, client *load.Client, url string, n int) error {
	return load.Each(ctx, 8, (n+9)/10, func(ctx context.Context, i int) error {
		var entries []delayedEntry
		for b := i * 10; b < min(i*10+10, n); b++ {
			entries = append(entries, delayedEntry{"e" + strconv.Itoa(b), "later", 900})
		}
		var out struct{ Failed []struct{ Message string } }
		err := client.Call(ctx, "SendMessageBatch", map[string]any{"QueueUrl": url, "Entries": entries}, &out)
		if err == nil && len(out.Failed) > 0 {
			err = fmt.Errorf("%d entries failed: %s", len(out.Failed), out.Failed[0].Message)
		}
		return err
	})
}
