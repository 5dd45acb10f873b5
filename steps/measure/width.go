package measure

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/queen-mq/queen-sqs/divergences/measured"
	"github.com/queen-mq/queen-sqs/steps/load"
)

// The queues that are measured: every number of messages in every number of
// lanes.
var (
	widthLanes = []int{1, 8, 64, 256}
	widthSent  = []int{3, 10, 100, 1000}
)

// heldSeconds is the visibility timeout of what is held: longer than a
// measurement.
const heldSeconds = 3600

// width holds as many messages of each queue as its lanes give.
func width(ctx context.Context, client *load.Client, run measured.Run) (any, error) {
	out := measured.Width{Run: run}
	for _, lanes := range widthLanes {
		for _, sent := range widthSent {
			row, err := held(ctx, client, lanes, sent)
			if err != nil {
				return nil, fmt.Errorf("%d lanes, %d messages: %w", lanes, sent, err)
			}
			if !row.Accounted() {
				return nil, fmt.Errorf("not every message is accounted for: %+v", row)
			}
			out.Rows = append(out.Rows, row)
		}
	}
	return out, nil
}

// held sends, receives and keeps as many as it can, looks at the counters, and
// then receives all.
func held(ctx context.Context, client *load.Client, lanes, sent int) (measured.WidthRow, error) {
	row := measured.WidthRow{Lanes: lanes, Sent: sent}
	url, err := client.CreateQueue(ctx, fmt.Sprintf("width-%d-%d", lanes, sent), map[string]string{
		"queen.partitions": strconv.Itoa(lanes), "VisibilityTimeout": strconv.Itoa(heldSeconds),
	})
	if err != nil {
		return row, err
	}
	if err := sendPlain(ctx, client, url, sent); err != nil {
		return row, err
	}
	kept, err := receiveAll(ctx, client, url, false)
	if err != nil {
		return row, err
	}
	row.Held = len(kept)
	if row.Visible, row.InFlight, _, err = counters(ctx, client, url); err != nil {
		return row, err
	}
	for chunk := range slices.Chunk(kept, 10) {
		if err := client.DeleteBatch(ctx, url, chunk); err != nil {
			return row, err
		}
	}
	rest, err := receiveAll(ctx, client, url, true)
	if err != nil {
		return row, err
	}
	times := map[string]int{}
	for _, m := range append(kept, rest...) {
		times[m.Body]++
	}
	row.Received = len(times)
	for _, n := range times {
		if n > 1 {
			row.Twice++
		}
	}
	return row, nil
}
