package registry

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
)

func TestEffectiveValues(t *testing.T) {
	plain := &Queue{Name: "q"}
	if plain.FIFO() || plain.Width() != unstampedWidth || plain.DedupWindow() != 0 || plain.MaximumMessageSize() != 1048576 ||
		plain.Seconds(VisibilityTimeout) != 30 || plain.Seconds(MessageRetentionPeriod) != 345600 || plain.Seconds(DelaySeconds) != 0 {
		t.Errorf("a queue without attributes: %+v", plain)
	}
	set := &Queue{Name: "q", Attributes: map[string]string{
		Partitions: " 5 ", VisibilityTimeout: "0", MaximumMessageSize: "99999999", DedupWindowSeconds: "9", ContentBasedDeduplication: "true",
		DelaySeconds: "rubbish",
	}}
	if set.Width() != 5 || set.Seconds(VisibilityTimeout) != 0 || set.MaximumMessageSize() != 1048576 || set.DedupWindow() != 9 ||
		set.ContentBasedDeduplication() || set.Seconds(DelaySeconds) != 0 {
		t.Errorf("a queue with attributes: %+v", set)
	}
	if (&Queue{Name: "q", Attributes: map[string]string{Partitions: "0"}}).Width() != 1 {
		t.Error("a width of 0 is not 1")
	}
	fifo := &Queue{Name: "q.fifo", Attributes: map[string]string{ContentBasedDeduplication: "TRUE", Partitions: "5"}}
	if !fifo.FIFO() || fifo.Width() != 0 || fifo.DedupWindow() != 300 || !fifo.ContentBasedDeduplication() {
		t.Errorf("a FIFO queue: %+v", fifo)
	}
}

func TestParseRedrive(t *testing.T) {
	const arn = "arn:aws:sqs:queen-1:000000000000:dlq"
	good := map[string]int{
		`{"deadLetterTargetArn":"` + arn + `","maxReceiveCount":3}`:           3,
		`{"maxReceiveCount":"1000","deadLetterTargetArn":"` + arn + `"}`:      1000,
		`{"deadLetterTargetArn":"` + arn + `","maxReceiveCount":" 5 ","x":1}`: 5,
	}
	for doc, count := range good {
		if p, ok := ParseRedrive(doc); !ok || p.MaxReceiveCount != count || p.DeadLetterTargetARN != arn {
			t.Errorf("%s: %+v, %v", doc, p, ok)
		}
	}
	for _, doc := range []string{
		``, `x`, `[]`, `null`, `{}`, `{"maxReceiveCount":3}`, `{"deadLetterTargetArn":"a"}`, `{"deadLetterTargetArn":1,"maxReceiveCount":3}`,
		`{"deadLetterTargetArn":"a","maxReceiveCount":0}`, `{"deadLetterTargetArn":"a","maxReceiveCount":1.5}`,
		`{"deadLetterTargetArn":"a","maxReceiveCount":"x"}`, `{"deadLetterTargetArn":"a","maxReceiveCount":[3]}`,
		`{"deadLetterTargetArn":"a","maxReceiveCount":null}`,
	} {
		if p, ok := ParseRedrive(doc); ok {
			t.Errorf("%s: %+v", doc, p)
		}
	}
	if _, ok := (&Queue{Name: "q"}).Redrive(); ok {
		t.Error("a queue without a policy has one")
	}
}

func TestRecordRoundTrip(t *testing.T) {
	r := New(Config{Clock: clock.System(), Region: "queen-1", Account: "000000000000"})
	q := &Queue{
		Name: "q", Attributes: map[string]string{"DelaySeconds": "1"}, Tags: map[string]string{"é": ""},
		Created: time.UnixMilli(1700000000123).UTC(), Modified: time.UnixMilli(1700000001456).UTC(), ARN: "arn:x", Version: 9,
	}
	text, err := json.Marshal(q.stored())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"attributes":{"DelaySeconds":"1"},"tags":{"é":""},"createdTs":1700000000123,"modifiedTs":1700000001456,"arn":"arn:x"}`
	if string(text) != want {
		t.Errorf("stored as\n%s\nwant\n%s", text, want)
	}
	got := r.decodeQueue("q", Row{Value: text, Version: 9})
	if !maps.Equal(got.Attributes, q.Attributes) || !maps.Equal(got.Tags, q.Tags) || !got.Created.Equal(q.Created) ||
		!got.Modified.Equal(q.Modified) || got.ARN != q.ARN || got.Version != 9 || got.Name != "q" {
		t.Errorf("read as %+v", got)
	}
	if empty, _ := json.Marshal((&Queue{}).stored()); string(empty) == "" || string(empty)[:30] != `{"attributes":{},"tags":{},"cr` {
		t.Errorf("an empty record is stored as %s", empty)
	}
}

func TestDamagedRecordsAreStillQueues(t *testing.T) {
	r := New(Config{Clock: clock.System(), Region: "queen-1", Account: "000000000000"})
	for _, text := range []string{
		``, `null`, `7`, `"x"`, `{}`,
		`{"attributes":[],"tags":7,"createdTs":"x","modifiedTs":{},"arn":5}`,
	} {
		q := r.decodeQueue("q", Row{Value: json.RawMessage(text), Version: 3})
		if q.Name != "q" || q.Version != 3 || q.ARN != "arn:aws:sqs:queen-1:000000000000:q" || q.Attributes == nil || q.Tags == nil {
			t.Errorf("%s: %+v", text, q)
		}
	}
	q := r.decodeQueue("q", Row{Value: json.RawMessage(`{"attributes":{"DelaySeconds":5,"VisibilityTimeout":"7"},"createdTs":1000}`)})
	if len(q.Attributes) != 1 || q.Seconds(VisibilityTimeout) != 7 || !q.Modified.Equal(time.UnixMilli(1000)) {
		t.Errorf("half a record: %+v", q)
	}
}

func TestCloneIsIndependent(t *testing.T) {
	q := &Queue{Name: "q", Attributes: map[string]string{"a": "1"}}
	c := q.Clone()
	c.Attributes["a"] = "2"
	c.Tags["t"] = "x"
	if q.Attributes["a"] != "1" || q.Tags != nil {
		t.Errorf("the original is now %+v", q)
	}
}
