package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/queen-mq/queen-sqs/divergences/register"
	"github.com/queen-mq/queen-sqs/server/jsontext"
	"github.com/queen-mq/queen-sqs/steps/load"
)

// What is measured for the register.
var (
	widthLanes    = []int{1, 8, 64, 256}
	widthSent     = []int{3, 10, 100, 1000}
	purgeBacklogs = []register.PurgeRow{{}, {Visible: 1000}, {Visible: 10_000}, {Visible: 100_000}, {Delayed: 100}, {Delayed: 1000}, {Delayed: 5000}}
	groups        = []string{"a", "b", "c"}
)

const (
	purgesEach     = 5
	sequenceRounds = 5
	heldSeconds    = 3600
)

// measureRegister measures one thing or all, against a gateway process on disk,
// and writes the measurements.
func measureRegister(ctx context.Context, what, binary string) error {
	measurements := []struct {
		name string
		file string
		run  func(context.Context, *load.Client, register.Run) (any, error)
	}{
		{"width", register.WidthFile, measureWidth},
		{"purge", register.PurgeFile, measurePurge},
		{"sequence", register.SequenceFile, measureSequence},
	}
	dir, err := os.MkdirTemp("", "queen-sqs-register-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	known := false
	for _, m := range measurements {
		known = known || what == m.name || what == "all"
	}
	if !known {
		return fmt.Errorf("there is nothing called %q to measure: width, purge, sequence or all", what)
	}
	if binary == "" {
		if binary, err = load.Build(ctx, "github.com/queen-mq/queen-sqs/cmd/queen-sqs", dir); err != nil {
			return err
		}
	}
	addr, err := load.FreeAddr()
	if err != nil {
		return err
	}
	gateway := &load.Gateway{Binary: binary, Addr: addr, Data: filepath.Join(dir, "data"), Env: []string{"LOG_LEVEL=warn"}}
	if err := gateway.Start(ctx); err != nil {
		return err
	}
	defer gateway.Stop()
	client := load.NewClient(gateway.URL(), 16)
	defer client.Close()

	for _, m := range measurements {
		if what != m.name && what != "all" {
			continue
		}
		run := register.Run{
			Command: "sqs-conform register --measure " + m.name,
			Date:    time.Now().UTC().Format(time.DateOnly),
			Machine: fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
		}
		result, err := m.run(ctx, client, run)
		if err != nil {
			return fmt.Errorf("measuring %s: %w", m.name, err)
		}
		text, err := jsontext.MarshalIndent(result)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.FromSlash(m.file), text, 0o644); err != nil {
			return err
		}
		fmt.Println("wrote", m.file)
	}
	return nil
}

func measureWidth(ctx context.Context, client *load.Client, run register.Run) (any, error) {
	out := register.Width{Run: run}
	for _, lanes := range widthLanes {
		for _, sent := range widthSent {
			row, err := measureHeld(ctx, client, lanes, sent)
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

// measureHeld sends, receives and keeps as many as it can, looks at the
// counters, and then receives all.
func measureHeld(ctx context.Context, client *load.Client, lanes, sent int) (register.WidthRow, error) {
	row := register.WidthRow{Lanes: lanes, Sent: sent}
	url, err := client.CreateQueue(ctx, fmt.Sprintf("width-%d-%d", lanes, sent), map[string]string{
		"queen.partitions": strconv.Itoa(lanes), "VisibilityTimeout": strconv.Itoa(heldSeconds),
	})
	if err != nil {
		return row, err
	}
	if err := sendPlain(ctx, client, url, sent); err != nil {
		return row, err
	}
	held, err := receiveAll(ctx, client, url, false)
	if err != nil {
		return row, err
	}
	row.Held = len(held)
	if row.Visible, row.InFlight, _, err = counters(ctx, client, url); err != nil {
		return row, err
	}
	for chunk := range slices.Chunk(held, 10) {
		if err := client.DeleteBatch(ctx, url, chunk); err != nil {
			return row, err
		}
	}
	rest, err := receiveAll(ctx, client, url, true)
	if err != nil {
		return row, err
	}
	times := map[string]int{}
	for _, m := range append(held, rest...) {
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

func sendPlain(ctx context.Context, client *load.Client, url string, n int) error {
	return load.Each(ctx, 8, (n+9)/10, func(ctx context.Context, i int) error {
		var bodies []string
		for b := i * 10; b < min(i*10+10, n); b++ {
			bodies = append(bodies, "message "+strconv.Itoa(b))
		}
		return client.SendBatch(ctx, url, bodies)
	})
}

// receiveAll receives until a receive answers nothing.
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

// measurePurge purges each backlog in a few queues, because a queue can be
// purged once a minute.
func measurePurge(ctx context.Context, client *load.Client, run register.Run) (any, error) {
	out := register.Purge{Run: run}
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

// measureSequence sends to message groups in turns.
func measureSequence(ctx context.Context, client *load.Client, run register.Run) (any, error) {
	url, err := client.CreateQueue(ctx, "sequence.fifo", map[string]string{"FifoQueue": "true"})
	if err != nil {
		return nil, err
	}
	out := register.Sequence{Run: run}
	for _, g := range groups {
		out.Rows = append(out.Rows, register.SequenceRow{Group: g})
	}
	for round := range sequenceRounds {
		for i, g := range groups {
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
