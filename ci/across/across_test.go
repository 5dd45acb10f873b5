// Package across holds two gateways, each over a Queen process of its own, to
// being one service: what one of them hands out the other takes back.
package across

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/ci/queenrig"
	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// With the mesh this runs on the rig of ci/queen.sh run -brokers 2 -mesh;
// without it, on a rig of its own.
func TestHandlesWithMesh(t *testing.T) {
	rig, ok := queenrig.FromEnv()
	if !ok || len(rig.URLs) < 2 {
		t.Skip("not run: needs two Queen brokers; run it under ci/queen.sh run -brokers 2 -mesh -- go test ./ci/across")
	}
	hold(t, "with the mesh", rig.URLs[:2])
}

func TestHandlesWithoutMesh(t *testing.T) {
	if _, ok := queenrig.FromEnv(); !ok {
		t.Skip("not run: needs Queen; run it under ci/queen.sh run -brokers 2 -mesh -- go test ./ci/across")
	}
	rig, err := queenrig.Start(queenrig.Options{Brokers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer rig.Close()
	hold(t, "without the mesh", []string{rig.Brokers[0].URL, rig.Brokers[1].URL})
}

// hold runs everything on two gateways and leaves nothing behind.
func hold(t *testing.T, how string, brokers []string) {
	warm(t, brokers)
	goroutines := runtime.NumGoroutine()
	source, err := target.OverBrokers(brokers...)
	if err != nil {
		t.Fatal(err)
	}
	both, err := source.Shared(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	cfg := both.Config()
	cfg.Transport = transport
	var g [2]client.Client
	for i, endpoint := range cfg.Endpoints {
		one := cfg
		one.Endpoints = []string{endpoint}
		g[i] = client.New(client.JSON, one, &client.Recorder{})
	}
	for _, suffix := range []string{"", ".fifo"} {
		for from := range 2 {
			q := newQueue(t, g, suffix)
			q.deleteElsewhere(t, from)
			q.extendElsewhere(t, from)
			q.releaseElsewhere(t, from)
			q.drop(t)
		}
		measure(t, how, g, suffix)
	}
	transport.CloseIdleConnections()
	if err := source.Close(); err != nil {
		t.Error(err)
	}
	settled(t, goroutines, brokers)
}

// warm starts what lives as long as the process, such as the HTTP server's clock.
func warm(t *testing.T, brokers []string) {
	t.Helper()
	source, err := target.OverBrokers(brokers...)
	if err == nil {
		_, err = source.Shared(context.Background())
	}
	if err == nil {
		err = source.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// queue is a queue that both gateways serve.
type queue struct {
	g    [2]client.Client
	url  string
	fifo bool
	sent int
	held client.Params // in measure: what is to be released
}

func newQueue(t *testing.T, g [2]client.Client, suffix string) *queue {
	t.Helper()
	p := client.Params{"QueueName": fmt.Sprintf("across-%d%s", time.Now().UnixNano(), suffix)}
	if suffix != "" {
		p["Attributes"] = client.Params{"FifoQueue": "true"}
	}
	q := &queue{g: g, fifo: suffix != ""}
	q.url, _ = must(t, g[0], "CreateQueue", p)["QueueUrl"].(string)
	return q
}

func (q *queue) drop(t *testing.T) {
	t.Helper()
	must(t, q.g[0], "DeleteQueue", client.Params{"QueueUrl": q.url})
}

func must(t *testing.T, c client.Client, action string, p client.Params) client.Params {
	t.Helper()
	answer, err := c.Call(context.Background(), client.SQS, action, p)
	if err != nil {
		t.Fatalf("%s: %v", action, err)
	}
	return answer
}

func (q *queue) send(t *testing.T, at int) {
	t.Helper()
	q.sent++
	p := client.Params{"QueueUrl": q.url, "MessageBody": strconv.Itoa(q.sent)}
	if q.fifo {
		p["MessageGroupId"], p["MessageDeduplicationId"] = "g", strconv.Itoa(q.sent)
	}
	must(t, q.g[at], "SendMessage", p)
}

// receive answers one message, or nil when none came in time.
func (q *queue) receive(t *testing.T, at int, wait, visibility int64) client.Params {
	t.Helper()
	m, err := q.poll(at, wait, visibility)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (q *queue) poll(at int, wait, visibility int64) (client.Params, error) {
	answer, err := q.g[at].Call(context.Background(), client.SQS, "ReceiveMessage", client.Params{
		"QueueUrl": q.url, "WaitTimeSeconds": wait, "VisibilityTimeout": visibility, "AttributeNames": []any{"All"},
	})
	messages, _ := answer["Messages"].([]any)
	if err != nil || len(messages) == 0 {
		return nil, err
	}
	return messages[0].(client.Params), nil
}

func (q *queue) mustReceive(t *testing.T, at int, visibility int64) client.Params {
	t.Helper()
	for range 3 {
		if m := q.receive(t, at, 20, visibility); m != nil {
			return m
		}
	}
	t.Fatal("the message did not come")
	return nil
}

func (q *queue) delete(t *testing.T, at int, m client.Params) {
	t.Helper()
	must(t, q.g[at], "DeleteMessage", client.Params{"QueueUrl": q.url, "ReceiptHandle": m["ReceiptHandle"]})
}

func (q *queue) change(t *testing.T, at int, m client.Params, seconds int64) {
	t.Helper()
	must(t, q.g[at], "ChangeMessageVisibility", client.Params{"QueueUrl": q.url, "ReceiptHandle": m["ReceiptHandle"], "VisibilityTimeout": seconds})
}

// counts are visible and invisible messages, as a gateway sees them.
func (q *queue) counts(t *testing.T, at int) string {
	t.Helper()
	a := must(t, q.g[at], "GetQueueAttributes", client.Params{"QueueUrl": q.url, "AttributeNames": []any{"All"}})["Attributes"].(client.Params)
	return fmt.Sprint(a["ApproximateNumberOfMessages"], " ", a["ApproximateNumberOfMessagesNotVisible"])
}

// have waits for a count on both gateways.
func (q *queue) have(t *testing.T, want string) {
	t.Helper()
	for at := range 2 {
		var got string
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
			if got = q.counts(t, at); got == want {
				break
			}
		}
		if got != want {
			t.Errorf("gateway %d counts %q, want %q", at, got, want)
		}
	}
}

func (q *queue) deleteElsewhere(t *testing.T, at int) {
	t.Helper()
	q.send(t, at)
	m := q.mustReceive(t, at, 60)
	q.have(t, "0 1")
	q.delete(t, 1-at, m)
	q.have(t, "0 0")
}

func (q *queue) extendElsewhere(t *testing.T, at int) {
	t.Helper()
	q.send(t, at)
	m := q.mustReceive(t, at, 2)
	q.change(t, 1-at, m, 60)
	time.Sleep(3 * time.Second) // the broker's clock cannot be moved
	for side := range 2 {
		if again := q.receive(t, side, 0, 60); again != nil {
			t.Errorf("an extended message came back at gateway %d: %v", side, again)
		}
	}
	q.have(t, "0 1")
	q.delete(t, at, m)
	q.have(t, "0 0")
}

func (q *queue) releaseElsewhere(t *testing.T, at int) {
	t.Helper()
	q.send(t, at)
	m := q.mustReceive(t, at, 60)
	q.change(t, 1-at, m, 0)
	again := q.mustReceive(t, at, 60)
	attributes, _ := again["Attributes"].(client.Params)
	if again["MessageId"] != m["MessageId"] || attributes["ApproximateReceiveCount"] != "2" {
		t.Errorf("released %v, got %v", m["MessageId"], again)
	}
	q.delete(t, 1-at, again)
	q.have(t, "0 0")
}

const rounds = 3

// measure prints how long what happens at one gateway takes to be seen at the
// other. Nothing is asserted of a time.
func measure(t *testing.T, how string, g [2]client.Client, suffix string) {
	q := newQueue(t, g, suffix)
	defer q.drop(t)
	kind := cmp.Or(strings.TrimPrefix(suffix, "."), "standard")
	first := func() client.Params { q.send(t, 0); return q.mustReceive(t, 1, 60) }
	q.delete(t, 1, first()) // lanes and rings exist from here on
	for _, what := range []struct {
		name   string
		before func()
		event  func()
		parked bool
	}{
		{"send, parked receive elsewhere", func() {}, func() { q.send(t, 0) }, true},
		{"send, receives elsewhere again and again", func() {}, func() { q.send(t, 0) }, false},
		{"release, parked receive elsewhere", func() { q.send(t, 0); q.held = q.mustReceive(t, 0, 60) }, func() { q.change(t, 0, q.held, 0) }, true},
		{"release, receives elsewhere again and again", func() { q.send(t, 0); q.held = q.mustReceive(t, 0, 60) }, func() { q.change(t, 0, q.held, 0) }, false},
	} {
		var took []time.Duration
		for range rounds {
			what.before()
			var begun time.Time
			var m client.Params
			if what.parked {
				got := make(chan client.Params, 1)
				go func() {
					m, _ := q.poll(1, 20, 60)
					if m == nil {
						m, _ = q.poll(1, 20, 60)
					}
					got <- m
				}()
				time.Sleep(300 * time.Millisecond) // until it is parked
				begun = time.Now()
				what.event()
				if m = <-got; m == nil {
					t.Fatal("the message did not come")
				}
			} else {
				what.event()
				begun = time.Now()
				for m == nil {
					m = q.receive(t, 1, 0, 60)
				}
			}
			took = append(took, time.Since(begun))
			q.delete(t, 1, m)
		}
		slices.Sort(took)
		fmt.Printf("measured %s, %s queue, %s: median %v, longest %v of %d\n", how, kind, what.name,
			took[rounds/2].Round(time.Millisecond), took[rounds-1].Round(time.Millisecond), rounds)
	}
}

// settled waits until the gateways have left no goroutine, and no connection to
// a broker.
func settled(t *testing.T, goroutines int, brokers []string) {
	t.Helper()
	var now, conns int
	for range 200 {
		now, conns = runtime.NumGoroutine(), connections(t, brokers)
		if now <= goroutines && conns == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	stacks = stacks[:runtime.Stack(stacks, true)]
	t.Errorf("%d goroutines, %d before; %d connections to the brokers\n%s", now, goroutines, conns, bytes.TrimSpace(stacks))
}

// connections counts this process's established connections to the brokers.
func connections(t *testing.T, brokers []string) int {
	t.Helper()
	table, err := os.ReadFile("/proc/self/net/tcp")
	if err != nil {
		t.Skip("connections can only be counted on Linux:", err)
	}
	own := map[string]bool{} // the table is that of all processes
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if link, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil {
			own[link] = true
		}
	}
	n := 0
	for _, broker := range brokers {
		u, err := url.Parse(broker)
		if err != nil {
			t.Fatal(err)
		}
		port, _ := strconv.Atoi(u.Port())
		for line := range strings.Lines(string(table)) {
			f := strings.Fields(line)
			if len(f) > 9 && strings.HasSuffix(f[2], fmt.Sprintf(":%04X", port)) && f[3] == "01" && own["socket:["+f[9]+"]"] {
				n++
			}
		}
	}
	return n
}
