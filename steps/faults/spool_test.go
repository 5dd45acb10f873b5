package faults_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/ci/queenrig"
	"github.com/queen-mq/queen-sqs/steps/load"
)

// TestSpool sends a message of a group again and again while the broker's database
// is away. The broker keeps every try in a file and stores them afterwards, by
// default in lots in which it looks for no duplicates, and with lots of one as it
// should. Either way the gateway hands the message out once.
func TestSpool(t *testing.T) {
	for _, c := range []struct {
		name   string
		broker map[string]string
		copies bool
	}{
		{"with the broker's defaults", nil, true},
		{"with lots of one", map[string]string{"FILE_BUFFER_MAX_BATCH": "1"}, false},
	} {
		t.Run(c.name, func(t *testing.T) { sendIntoSpool(t, ownRig(t, queenrig.Options{Broker: c.broker}), c.copies) })
	}
}

// spooledTries are made by several senders at a time, so that some get into one
// lot whatever the machine.
const (
	spooledTries = 200
	spoolSenders = 8
)

func sendIntoSpool(t *testing.T, rig *queenrig.Rig, copies bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	gateway := startGateway(ctx, t, rig)
	defer gateway.Stop()
	client := load.NewClient(gateway.URL(), spoolSenders)
	defer client.Close()
	queue, err := client.CreateQueue(ctx, "spool.fifo", map[string]string{"FifoQueue": "true", "VisibilityTimeout": "5"})
	if err != nil {
		t.Fatal(err)
	}
	send := func(body string) error {
		return client.Call(ctx, "SendMessage", map[string]string{
			"QueueUrl": queue, "MessageBody": body, "MessageGroupId": "g", "MessageDeduplicationId": body,
		}, nil)
	}
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	stored := func() (n int) {
		var answer struct {
			Attributes struct{ ApproximateNumberOfMessages string }
		}
		must("GetQueueAttributes", client.Call(ctx, "GetQueueAttributes",
			map[string]any{"QueueUrl": queue, "AttributeNames": []string{"ApproximateNumberOfMessages"}}, &answer))
		_, err := fmt.Sscan(answer.Attributes.ApproximateNumberOfMessages, &n)
		must("the number of messages", err)
		return n
	}
	must("before", send("before"))

	must("killing PostgreSQL", rig.Postgres.Kill())
	var senders sync.WaitGroup
	for range spoolSenders {
		senders.Go(func() {
			for range spooledTries / spoolSenders {
				if err := send("again"); err == nil {
					t.Error("a send was answered without a database")
				}
			}
		})
	}
	senders.Wait()
	must("starting PostgreSQL", rig.Postgres.Start())
	for client.Call(ctx, "GetQueueUrl", map[string]string{"QueueName": "spool.fifo"}, nil) != nil || stored() < 2 {
		if ctx.Err() != nil {
			t.Fatal("nothing was stored out of the spool")
		}
		time.Sleep(100 * time.Millisecond)
	}
	must("the last try", send("again"))
	must("after", send("after"))
	n := stored()
	if t.Logf("%d tries are stored as %d messages", spooledTries+1, n-2); copies != (n > 3) {
		t.Errorf("%d messages are stored, copies among them: %v", n, copies)
	}

	var got []string
	for quiet := time.Now(); time.Since(quiet) < 11*time.Second; {
		messages, err := client.Receive(ctx, queue, 10, 1)
		must("ReceiveMessage", err)
		for _, m := range messages {
			got, quiet = append(got, m.Body), time.Now()
			must("DeleteMessage", client.Delete(ctx, queue, m.ReceiptHandle))
		}
	}
	if !slices.Equal(got, []string{"before", "again", "after"}) || stored() != 0 {
		t.Errorf("received %v, and %d are left", got, stored())
	}
}
