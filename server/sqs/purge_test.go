package sqs

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
)

var counterNames = []string{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed"}

func counted(visible, notVisible, delayed string) map[string]string {
	return map[string]string{counterNames[0]: visible, counterNames[1]: notVisible, counterNames[2]: delayed}
}

func TestPurgeQueue(t *testing.T) {
	r := newRig(t)
	url := r.create("q", map[string]string{"VisibilityTimeout": "3"})
	r.push("q", "0", 5)
	held := r.claim("q", 2)
	r.delay("q", "sqs.1", "sqs.2")
	wantMap(t, r.get(url, counterNames...), counted("3", "2", "2"))

	if answer := r.do("PurgeQueue", "QueueUrl", url); answer != nil {
		t.Errorf("answered %v, want no result", answer)
	}
	wantMap(t, r.get(url, counterNames...), counted("0", "0", "0"))
	acks, err := r.broker.Ack(context.Background(), "token", "", []queen.Ack{{
		TransactionID: held[0].TransactionID, PartitionID: held[0].PartitionID, LeaseID: held[0].LeaseID, Status: queen.Retry}})
	if err == nil && acks[0].Success {
		t.Error("a lease of before the purge still works")
	}
	r.clock.Advance(50 * time.Second)
	r.refuse(fault.PurgeQueueInProgress, "Only one PurgeQueue operation on q is allowed every 60 seconds.", "PurgeQueue", "QueueUrl", url)
	wantMap(t, r.get(url, counterNames...), counted("0", "0", "0"))
	r.push("q", "0", 3)
	wantMap(t, r.get(url, counterNames...), counted("3", "0", "0"))
	wantMap(t, r.get(url, "VisibilityTimeout"), map[string]string{"VisibilityTimeout": "3"})
	if got := r.claim("q", 1); len(got) != 1 {
		t.Error("a message sent after the purge is not there")
	}
	r.clock.Advance(3 * time.Second) // the configured lease, not an implicit queue's
	wantMap(t, r.get(url, counterNames...), counted("3", "0", "0"))
	r.clock.Advance(8 * time.Second)
	r.do("PurgeQueue", "QueueUrl", url)
	wantMap(t, r.get(url, counterNames...), counted("0", "0", "0"))
}

func TestPurgeCancelsOnlyOwnTimers(t *testing.T) {
	r := newRig(t)
	url := r.create("q", nil)
	keys := []string{"a", "sqs", "sqs-", "sqsz", "z"}
	for i := range 450 {
		keys = append(keys, fmt.Sprintf("sqs.%03d", i))
	}
	for len(keys) > 0 {
		n := min(200, len(keys))
		r.delay("q", keys[:n]...)
		keys = keys[n:]
	}
	r.do("PurgeQueue", "QueueUrl", url)
	page, err := r.broker.ListTimers(context.Background(), "token", "q", "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, row := range page.Rows {
		left = append(left, row.Key)
	}
	wantList(t, left, "a", "sqs", "sqs-", "sqsz", "z")
}

func TestPurgeStopsAtItsCeiling(t *testing.T) {
	r := newRig(t)
	url := r.create("q", nil)
	const timers = mostTimersCancelled + 100
	for from := 0; from < timers; from += 100 {
		keys := make([]string, 100)
		for i := range keys {
			keys[i] = fmt.Sprintf("sqs.%05d", from+i)
		}
		r.delay("q", keys...)
	}
	r.do("PurgeQueue", "QueueUrl", url)
	wantMap(t, r.get(url, counterNames[2]), map[string]string{counterNames[2]: "100"})
}

// between runs something when the broker's queue is deleted: the moment in the
// middle of a purge.
type between struct {
	queen.Broker
	then func()
}

func (b *between) DeleteQueue(ctx context.Context, tok queen.Token, queue string) (bool, error) {
	existed, err := b.Broker.DeleteQueue(ctx, tok, queue)
	if then := b.then; then != nil {
		b.then = nil
		then()
	}
	return existed, err
}

func TestPurgeOfAQueueThatIsDeletedMeanwhile(t *testing.T) {
	var b *between
	r := newRig(t, func(cfg *Config) { b = &between{Broker: cfg.Broker}; cfg.Broker = b })
	url := r.create("q", nil)
	b.then = func() {
		if err := r.registry.DeleteQueue(context.Background(), "token", "q"); err != nil {
			t.Error(err)
		}
	}
	r.refuse(fault.QueueDoesNotExist, "", "PurgeQueue", "QueueUrl", url)
	infos, err := r.broker.ListQueues(context.Background(), "token")
	if err != nil || len(infos) != 0 {
		t.Fatalf("the broker is left with %+v, %v", infos, err)
	}
}

func TestPurgeOfAQueueThatIsChangedMeanwhile(t *testing.T) {
	var b *between
	var last queen.Options
	r := newRig(t, func(cfg *Config) { b = &between{Broker: cfg.Broker}; cfg.Broker = b }, spy(func(o queen.Options) { last = o }))
	url := r.create("q", nil)
	b.then = func() {
		_, err := r.registry.ChangeQueue(context.Background(), "token", "q", func(q *registry.Queue) error {
			q.Attributes["VisibilityTimeout"] = "77"
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	r.do("PurgeQueue", "QueueUrl", url)
	if last.LeaseTime != 77 {
		t.Errorf("the broker was last told a lease of %d s, want the winner's 77", last.LeaseTime)
	}
	wantMap(t, r.get(url, "VisibilityTimeout"), map[string]string{"VisibilityTimeout": "77"})
}

// The slower of two concurrent changes must not leave the broker with what it
// wrote over.
func TestConfigureInForceChasesTheRecord(t *testing.T) {
	var last queen.Options
	var r *rig
	changes := 0
	set := func(seconds string) {
		_, err := r.registry.ChangeQueue(context.Background(), "token", "q", func(q *registry.Queue) error {
			q.Attributes["VisibilityTimeout"] = seconds
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	r = newRig(t, spy(func(o queen.Options) {
		last = o
		if changes > 0 {
			changes--
			set(fmt.Sprint(100 + changes))
		}
	}))
	url := r.create("q", nil)
	changes = 2
	r.do("SetQueueAttributes", "QueueUrl", url, "Attributes", map[string]string{"VisibilityTimeout": "50"})
	if last.LeaseTime != 100 {
		t.Errorf("the broker was last told %d s, want the winner's 100", last.LeaseTime)
	}
	changes = configurePasses
	r.refuse(fault.ServiceUnavailable, "", "SetQueueAttributes", "QueueUrl", url, "Attributes", map[string]string{"VisibilityTimeout": "50"})
}
