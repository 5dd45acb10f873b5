package measure

import (
	"context"
	"strconv"

	"github.com/queen-mq/queen-sqs/divergences/measured"
	"github.com/queen-mq/queen-sqs/steps/load"
)

// messageGroups are the groups that are sent to, and sequenceRounds how often to
// each.
var messageGroups = []string{"a", "b", "c"}

const sequenceRounds = 5

// sequence sends to message groups in turns.
func sequence(ctx context.Context, client *load.Client, run measured.Run) (any, error) {
	url, err := client.CreateQueue(ctx, "sequence.fifo", map[string]string{"FifoQueue": "true"})
	if err != nil {
		return nil, err
	}
	out := measured.Sequence{Run: run}
	for _, g := range messageGroups {
		out.Rows = append(out.Rows, measured.SequenceRow{Group: g})
	}
	for round := range sequenceRounds {
		for i, g := range messageGroups {
			var answer struct{ SequenceNumber string }
			err := client.Call(ctx, "SendMessage", map[string]string{
				"QueueUrl": url, "MessageBody": "m", "MessageGroupId": g, "MessageDeduplicationId": g + strconv.Itoa(round),
			}, &answer)
			if err != nil {
				return nil, err
			}
			out.Rows[i].Numbers = append(out.Rows[i].Numbers, answer.SequenceNumber)
		}
	}
	return out, nil
}
