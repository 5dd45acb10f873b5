package httpserver_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestSubscriptions(t *testing.T) {
	r := newRig(t)
	push := func(n int) {
		r.want(201, "POST", "/api/v1/push", fmt.Sprintf(`{"items":[{"queue":"q","partition":"a","payload":%d}]}`, n))
		r.clk.Advance(time.Minute)
	}
	push(1)
	middle := r.clk.Now().Format(time.RFC3339Nano)
	push(2)
	for query, want := range map[string]string{
		"":                      "1 2", // no group reads everything
		"&subscriptionMode=new": "",    // and is held by the one before
		"&consumerGroup=all&subscriptionMode=all":                        "1 2",
		"&consumerGroup=other&subscriptionMode=other":                    "1 2",
		"&consumerGroup=plain":                                           "",
		"&consumerGroup=new&subscriptionMode=new":                        "",
		"&consumerGroup=now&subscriptionMode=all&subscriptionFrom=now":   "",
		"&consumerGroup=word&subscriptionFrom=word":                      "",
		"&consumerGroup=time&subscriptionFrom=" + escape(middle):         "2",
		"&consumerGroup=then&subscriptionFrom=2000-01-01T00:00:00Z":      "1 2",
		"&consumerGroup=later&subscriptionFrom=2100-01-01T00:00:00.123Z": "",
	} {
		if query == "&subscriptionMode=new" {
			continue // asked below, in order
		}
		if got := r.pop("/api/v1/pop/queue/q?wait=false" + query).data(); got != want {
			t.Errorf("%s: popped %q, want %q", query, got, want)
		}
	}
	if got := r.pop("/api/v1/pop/queue/q?wait=false&subscriptionMode=new").data(); got != "" {
		t.Errorf("a leased lane was popped: %s", got)
	}
	push(3)
	r.want(201, "POST", "/api/v1/push", `{"items":[{"queue":"q","partition":"b","payload":4}]}`)
	for _, group := range []string{"plain", "new", "now", "word", "later"} {
		// The mode counts at the first contact only.
		if got := r.pop("/api/v1/pop/queue/q?wait=false&partitions=5&subscriptionMode=all&consumerGroup=" + group).data(); got != "3 4" {
			t.Errorf("group %s popped %q", group, got)
		}
	}
}

func TestAutoAckCommitsPositions(t *testing.T) {
	r := newRig(t)
	r.want(200, "POST", "/api/v1/configure", `{"queue":"q","dedupWindowSeconds":0,"leaseTime":1}`)
	for _, txn := range []string{"same", "other", "same"} {
		r.want(201, "POST", "/api/v1/push", `{"items":[{"queue":"q","payload":"`+txn+`","transactionId":"`+txn+`"}]}`)
	}
	p := r.pop("/api/v1/pop/queue/q?wait=false&autoAck=true")
	if p.data() != `"same" "other" "same"` || p.LeaseID != "" || p.Messages[0].LeaseID != "" {
		t.Fatalf("%+v", p)
	}
	r.clk.Advance(time.Minute)
	if p := r.pop("/api/v1/pop/queue/q?wait=false"); len(p.Messages) != 0 {
		t.Errorf("delivered again: %s", p.data())
	}
}

func TestDiscovery(t *testing.T) {
	r := newRig(t)
	r.want(200, "POST", "/api/v1/configure", `{"queue":"one","namespace":"ns","task":"t1"}`)
	r.want(200, "POST", "/api/v1/configure", `{"queue":"two","options":{"namespace":"ns","task":"t2"}}`)
	r.want(201, "POST", "/api/v1/push", `{"items":[{"queue":"one","payload":1},{"queue":"two","payload":2},{"queue":"ns.t3.x","payload":3},{"queue":"else","payload":4}]}`)
	for query, want := range map[string]string{"task=t2": "2", "namespace=ns&task=t3": "3", "namespace=none": "", "namespace=else": "4"} {
		if got := r.pop("/api/v1/pop?wait=false&" + query).data(); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if got := r.pop("/api/v1/pop?wait=false&namespace=ns").data(); got != "1" {
		t.Errorf("what is left of the namespace: %q", got)
	}
	if got := r.want(400, "GET", "/api/v1/pop", ""); got != `{"success":false,"error":"namespace or task is required","messages":[]}` {
		t.Error(got)
	}
	if got := r.want(200, "GET", "/api/v1/resources/namespaces", ""); !strings.Contains(got, `{"namespace":"ns","queues":3,"partitions":3,`) {
		t.Error(got)
	}
}

func TestSeekAndForget(t *testing.T) {
	r := newRig(t)
	r.want(201, "POST", "/api/v1/push", `{"items":[{"queue":"q","partition":"a","payload":1},{"queue":"q","partition":"a","payload":2}]}`)
	all := "/api/v1/pop/queue/q?wait=false&autoAck=true&consumerGroup=g&subscriptionMode=all"
	if got := r.pop(all).data(); got != "1 2" {
		t.Fatalf("popped %q", got)
	}
	seek := "/api/v1/consumer-groups/g/queues/q/seek"
	r.want(200, "POST", seek, `{"timestamp":"2000-01-01T00:00:00Z"}`)
	if got := r.pop(all).data(); got != "1 2" {
		t.Errorf("after a seek to the begin: %q", got)
	}
	r.want(200, "POST", "/api/v1/consumer-groups/g/queues/q/partitions/a/seek", `{"timestamp":"2000-01-01T00:00:00Z"}`)
	r.want(200, "POST", seek, `{"toEnd":true}`)
	if got := r.pop(all).data(); got != "" {
		t.Errorf("after a seek to the end: %q", got)
	}
	for body, status := range map[string]int{`{}`: 400, ``: 400, `{"timestamp":"soon"}`: 400, `{"toEnd":false}`: 400} {
		r.want(status, "POST", seek, body)
	}
	r.want(404, "POST", "/api/v1/consumer-groups/g/queues/none/seek", `{"toEnd":true}`)
	r.want(200, "DELETE", "/api/v1/consumer-groups/g/queues/q", "")
	if got := r.want(200, "GET", "/api/v1/consumer-groups/g", ""); got != "{}" {
		t.Errorf("a forgotten group: %s", got)
	}
	if got := r.pop(all).data(); got != "1 2" {
		t.Errorf("a group that begins anew: %q", got)
	}
}

func TestDeadLetters(t *testing.T) {
	r := newRig(t)
	r.want(200, "POST", "/api/v1/configure", `{"queue":"q","retryLimit":0}`)
	r.want(201, "POST", "/api/v1/push", `{"items":[{"queue":"q","payload":{"b":1, "a":2},"transactionId":"bad"},{"queue":"q","payload":"good"}]}`)
	p := r.pop("/api/v1/pop/queue/q?wait=false")
	id := p.PartitionID
	r.want(200, "POST", "/api/v1/ack", `{"transactionId":"bad","partitionId":"`+id+`","status":"failed","error":"boom","leaseId":"`+p.LeaseID+`"}`)
	got := r.want(200, "GET", "/api/v1/dlq?queue=q", "")
	for _, part := range []string{`"total":1`, `"errorMessage":"boom"`, `"data":{"b":1, "a":2}`, `"consumerGroup":"__QUEUE_MODE__"`} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in %s", part, got)
		}
	}
	if got := r.want(200, "GET", "/api/v1/messages/"+id+"/bad", ""); !strings.Contains(got, `"status":"dead_letter"`) {
		t.Error(got)
	}
	if got := r.want(200, "GET", "/api/v1/messages?queue=q&status=dead_letter", ""); !strings.Contains(got, `"transactionId":"bad"`) || !strings.Contains(got, `"total":1`) {
		t.Error(got)
	}
	r.want(200, "POST", "/api/v1/messages/"+id+"/bad/retry", "")
	r.want(404, "POST", "/api/v1/messages/"+id+"/bad/retry", "")
	r.want(404, "DELETE", "/api/v1/messages/"+id+"/bad", "")
	if got := r.pop("/api/v1/pop/queue/q?wait=false").data(); got != `"good" {"b":1, "a":2}` {
		t.Errorf("after the replay: %s", got)
	}
	if got := r.want(200, "GET", "/api/v1/dlq", ""); !strings.Contains(got, `"total":0`) {
		t.Error(got)
	}
}

func TestConfigureModes(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"queue":"q","leaseTime":"45","deadLetterQueue":"false","retryLimit":9}`, 200, `"leaseTime":45,"retryLimit":9`},
		{`{"queue":"q","mode":"merge","leaseTime":46}`, 200, `"leaseTime":46,"retryLimit":9`},
		{`{"queue":"q","mode":"replace","leaseTime":47}`, 200, `"leaseTime":47,"retryLimit":3`},
		{`{"queue":"q","options":{"leaseTime":48},"leaseTime":49,"retryLimit":9}`, 200, `"leaseTime":48,"retryLimit":3`},
		{`{"queue":"q","mode":"other"}`, 400, `mode must be`},
		{`{"queue":"q","leaseTime":true}`, 500, `configure failed: db error`},
		{`{"queue":"q","minPopWaitTime":-5,"dedupWindowSeconds":-1}`, 200, `"minPopWaitTime":0,"dedupWindowSeconds":0`},
		{`{}`, 400, `queue is required`},
		{`[]`, 400, `queue is required`},
		{`{"queue":7}`, 400, `queue is required`},
		{`{`, 400, `bad body: EOF while parsing an object at line 1 column 1`},
	} {
		if got := r.want(c.status, "POST", "/api/v1/configure", c.body); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
	}
}

func TestLeasesBesideTheAcks(t *testing.T) {
	r := newRig(t)
	r.want(201, "POST", "/api/v1/push", `{"items":[{"queue":"q","partition":"a","payload":1,"transactionId":"a"},{"queue":"q","partition":"b","payload":2,"transactionId":"b"}]}`)
	a := r.pop("/api/v1/pop/queue/q/partition/a?wait=false&leaseSeconds=5")
	b := r.pop("/api/v1/pop/queue/q/partition/b?wait=false&leaseSeconds=50")
	ack := func(p popped, txn string) string {
		return `{"type":"ack","transactionId":"` + txn + `","partitionId":"` + p.PartitionID + `","status":"completed"}`
	}
	both := `{"operations":[` + ack(a, "a") + "," + ack(b, "b") + `],"requiredLeases":["` + a.LeaseID + `","` + b.LeaseID + `"]}`
	r.clk.Advance(10 * time.Second)
	if got := r.want(200, "POST", "/api/v1/transaction", both); !strings.Contains(got, "invalid or expired lease") {
		t.Errorf("a lease that is over: %s", got)
	}
	a = r.pop("/api/v1/pop/queue/q/partition/a?wait=false&leaseSeconds=5")
	both = `{"operations":[` + ack(a, "a") + "," + ack(b, "b") + `],"requiredLeases":["` + a.LeaseID + `","` + b.LeaseID + `"]}`
	if got := r.want(200, "POST", "/api/v1/transaction", both); !strings.Contains(got, `"success":true,"transactionId"`) {
		t.Errorf("two leases: %s", got)
	}
}
