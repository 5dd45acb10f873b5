package faults_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/ci/queenrig"
	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/load"
)

// TestOutages takes the real broker and its database away from under a gateway
// that is busy, and brings them back: the broker stopped for ten seconds, hung,
// and PostgreSQL killed. No message whose send was answered is lost, groups keep
// their order, every error is one that AWS's SDKs retry, and the same gateway
// process works on. The rates are printed and not judged.
func TestOutages(t *testing.T) {
	rig := ownRig(t, queenrig.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	gateway := startGateway(ctx, t, rig, "LOG_LEVEL=debug")
	defer func() {
		gateway.Stop()
		for line := range strings.Lines(gateway.Log()) {
			if strings.Contains(line, "found nothing to delete") || strings.Contains(line, "its marks stay") || strings.Contains(line, "could not be carried over") ||
				strings.Contains(line, "handed out once") {
				t.Log(strings.TrimSpace(line))
			}
		}
	}()

	o := newOutage(t, gateway.URL())
	defer o.client.Close()
	if err := o.start(ctx); err != nil {
		t.Fatal(err)
	}
	o.steady(ctx)
	for _, fault := range []struct {
		name       string
		begin, end func() error
		lasts      time.Duration
	}{
		{"the broker is stopped", rig.Brokers[0].Stop, rig.Brokers[0].Start, 10 * time.Second},
		{"the broker hangs", rig.Brokers[0].Pause, rig.Brokers[0].Resume, 5 * time.Second},
		{"PostgreSQL is killed", rig.Postgres.Kill, rig.Postgres.Start, 5 * time.Second},
	} {
		o.during(ctx, fault.name, fault.begin, fault.end, fault.lasts)
	}
	o.finish(ctx)
}

const (
	outageSenders   = 6
	outageConsumers = 6
	outageGroups    = 4
	// outageBacklog keeps the senders from running away from the consumers while
	// nothing is broken.
	outageBacklog = 300
	// outageVisibility is how long a message is away whose receive was cut off.
	outageVisibility = 10 * time.Second
)

// mostCopies: a send that PostgreSQL's end has cut may be stored as often as it was
// made (Queen's spool, with its defaults). The gateway hands out one, or a second
// when a claim ends right behind the first: once for each group.
const mostCopies = outageGroups

// outage is the load and what became of it.
type outage struct {
	t      *testing.T
	client *load.Client
	plain  string // queue URLs
	fifo   string

	stopSending chan struct{}
	stopAll     chan struct{}
	broken      atomic.Bool
	senders     sync.WaitGroup
	consumers   sync.WaitGroup

	mu       sync.Mutex
	answered map[string]bool // sends that were answered
	received map[string]int
	deleted  map[string]removed // by id
	bearer   map[string]string  // body of a group -> the id it first came under
	copies   map[string]bool    // other ids of the same
	returned []string           // deliveries by receives that began after a delete was answered
	order    map[string]int     // group -> the highest number received
	errors   map[string]int     // by action and code
	bad      map[string]int     // those no SDK retries
	sends    int
	deletes  int
}

// removed is when a delete was answered, and what handle it bore.
type removed struct {
	at     time.Time
	handle string
}

// inside shows what a receipt handle names, for a reader.
func inside(handle string) string {
	text, _, _ := strings.Cut(handle, ".")
	content, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return err.Error()
	}
	return string(content)
}

func newOutage(t *testing.T, url string) *outage {
	return &outage{
		t: t, client: load.NewClient(url, outageSenders+2*outageConsumers+outageGroups),
		stopSending: make(chan struct{}), stopAll: make(chan struct{}),
		answered: map[string]bool{}, received: map[string]int{}, deleted: map[string]removed{},
		bearer: map[string]string{}, copies: map[string]bool{},
		order: map[string]int{}, errors: map[string]int{}, bad: map[string]int{},
	}
}

func (o *outage) start(ctx context.Context) (err error) {
	visibility := fmt.Sprint(int(outageVisibility.Seconds()))
	if o.plain, err = o.client.CreateQueue(ctx, "outage", map[string]string{"VisibilityTimeout": visibility}); err != nil {
		return err
	}
	o.fifo, err = o.client.CreateQueue(ctx, "outage.fifo", map[string]string{"VisibilityTimeout": visibility, "FifoQueue": "true"})
	if err != nil {
		return err
	}
	for w := range outageSenders {
		o.senders.Go(func() {
			o.send(ctx, func(n int) (string, map[string]string) {
				body := fmt.Sprintf("%d-%d", w, n)
				return body, map[string]string{"QueueUrl": o.plain, "MessageBody": body}
			})
		})
	}
	for g := range outageGroups {
		group := fmt.Sprint("g", g)
		o.senders.Go(func() {
			o.send(ctx, func(n int) (string, map[string]string) {
				body := fmt.Sprintf("%s-%d", group, n)
				return body, map[string]string{"QueueUrl": o.fifo, "MessageBody": body, "MessageGroupId": group, "MessageDeduplicationId": body}
			})
		})
	}
	for i := range outageConsumers {
		queue := o.plain
		if i%2 == 1 {
			queue = o.fifo
		}
		o.consumers.Go(func() { o.consume(ctx, queue) })
	}
	return nil
}

func over(ctx context.Context, stop chan struct{}) bool {
	select {
	case <-stop:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// send sends one message after the other, each again until it was answered, as a
// producer with an SDK does.
func (o *outage) send(ctx context.Context, message func(n int) (body string, request map[string]string)) {
	for n := 0; !over(ctx, o.stopSending); {
		if o.backlog() > outageBacklog && !o.broken.Load() {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		body, request := message(n)
		if o.failed("SendMessage", o.client.Call(ctx, "SendMessage", request, nil)) {
			continue
		}
		o.mu.Lock()
		o.answered[body] = true
		o.sends++
		o.mu.Unlock()
		n++
	}
}

// backlog is how many messages wait for their consumers.
func (o *outage) backlog() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.answered) - len(o.received)
}

func (o *outage) consume(ctx context.Context, queue string) {
	for !over(ctx, o.stopAll) {
		began := time.Now()
		messages, err := o.client.Receive(ctx, queue, 10, 1)
		if o.failed("ReceiveMessage", err) {
			continue
		}
		if len(messages) == 0 {
			continue
		}
		for _, m := range messages {
			o.note(m, began)
		}
		o.delete(ctx, queue, messages)
	}
}

// delete deletes messages in one batch. Those that could not be deleted come
// back.
func (o *outage) delete(ctx context.Context, queue string, messages []load.Message) {
	type entry struct{ Id, ReceiptHandle string }
	request := struct {
		QueueUrl string
		Entries  []entry
	}{QueueUrl: queue}
	for i, m := range messages {
		request.Entries = append(request.Entries, entry{fmt.Sprint(i), m.ReceiptHandle})
	}
	var answer struct {
		Successful []struct{ Id string }
		Failed     []struct {
			Id, Code    string
			SenderFault bool
		}
	}
	if o.failed("DeleteMessageBatch", o.client.Call(ctx, "DeleteMessageBatch", request, &answer)) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range answer.Successful {
		var i int
		fmt.Sscan(e.Id, &i)
		o.deleted[messages[i].MessageId] = removed{time.Now(), messages[i].ReceiptHandle}
		o.deletes++
	}
	for _, e := range answer.Failed {
		o.errors["an entry of DeleteMessageBatch "+e.Code]++
		// A claim that ended while the delete was under way is the sender's fault.
		if late := e.SenderFault && queue == o.fifo; e.Code != "ServiceUnavailable" && e.Code != "RequestThrottled" && !late {
			o.bad["an entry of DeleteMessageBatch: "+e.Code]++
		}
	}
}

// note records a delivery. Those of a group arrive in order, but for repetitions.
func (o *outage) note(m load.Message, began time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	body := m.Body
	o.received[body]++
	if by, ok := o.deleted[m.MessageId]; ok && by.at.Before(began) {
		o.returned = append(o.returned, fmt.Sprintf("%s, deleted at %s with %s, was received again at %s (begun at %s) with %s", body,
			by.at.Format(time.StampMilli), inside(by.handle), time.Now().Format(time.StampMilli), began.Format(time.StampMilli), inside(m.ReceiptHandle)))
	}
	group, number, _ := strings.Cut(body, "-")
	if !strings.HasPrefix(group, "g") {
		return
	}
	if first, ok := o.bearer[body]; !ok {
		o.bearer[body] = m.MessageId
	} else if first != m.MessageId {
		o.copies[m.MessageId] = true
	}
	var n int
	fmt.Sscan(number, &n)
	if next := o.order[group]; o.received[body] == 1 && n != next {
		o.t.Errorf("group %s: message %d came when %d was due", group, n, next)
	}
	o.order[group] = max(o.order[group], n+1)
}

// failed looks at an error, and waits a little after one, as an SDK does.
func (o *outage) failed(action string, err error) bool {
	if err == nil {
		return false
	}
	code, retried := "no answer", false
	var status *load.StatusError
	if errors.As(err, &status) {
		var body struct {
			Type string `json:"__type"`
		}
		_ = json.Unmarshal([]byte(status.Body), &body)
		code = body.Type[strings.LastIndex(body.Type, "#")+1:]
		retried = client.Retried(client.JSON, &client.APIError{Status: status.Status, SDK: code})
	}
	o.mu.Lock()
	o.errors[action+" "+code]++
	if !retried {
		o.bad[fmt.Sprintf("%s: %v", action, err)]++
	}
	o.mu.Unlock()
	time.Sleep(20 * time.Millisecond)
	return true
}

// second is what was done in one second.
func (o *outage) second(ctx context.Context) (sends, deletes int) {
	o.mu.Lock()
	sends, deletes = o.sends, o.deletes
	o.mu.Unlock()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sends - sends, o.deletes - deletes
}

func (o *outage) steady(ctx context.Context) (sends, deletes int) {
	for range 3 {
		s, d := o.second(ctx)
		sends, deletes = sends+s/3, deletes+d/3
	}
	o.t.Logf("steady: %d sends/s, %d deletes/s", sends, deletes)
	return sends, deletes
}

// during prints what a fault does to the rates and how soon they are back. That
// they come back at all is required.
func (o *outage) during(ctx context.Context, name string, begin, end func() error, lasts time.Duration) {
	before, _ := o.steady(ctx)
	o.mu.Lock()
	clear(o.errors)
	o.mu.Unlock()
	o.broken.Store(true)
	if err := begin(); err != nil {
		o.t.Fatalf("%s: %v", name, err)
	}
	began := time.Now()
	var rates []string
	for time.Since(began) < lasts {
		s, d := o.second(ctx)
		rates = append(rates, fmt.Sprintf("%d/%d", s, d))
	}
	if err := end(); err != nil {
		o.t.Fatalf("after %s: %v", name, err)
	}
	o.broken.Store(false)
	o.t.Logf("%s at %s for %.0f s; sends/deletes a second meanwhile: %s", name, began.Format(time.StampMilli), time.Since(began).Seconds(), strings.Join(rates, " "))
	rates = nil
	sent, deleted := 0, 0
	for range 30 {
		s, d := o.second(ctx)
		rates = append(rates, fmt.Sprintf("%d/%d", s, d))
		sent, deleted = sent+s, deleted+d
		if s >= before*2/3 && deleted > 0 {
			break
		}
	}
	o.t.Logf("  and after it, until two thirds of the rate were back: %s", strings.Join(rates, " "))
	if sent == 0 || deleted == 0 {
		o.t.Errorf("%s: the gateway did not get back to work", name)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, kind := range slices.Sorted(maps.Keys(o.errors)) {
		o.t.Logf("  %d times %s", o.errors[kind], kind)
	}
}

// finish ends the load, drains the queues and looks for what is missing.
func (o *outage) finish(ctx context.Context) {
	close(o.stopSending)
	o.senders.Wait()
	var missing []string
	// The drain gives up only when nothing that is missing came for a long time,
	// however slow the machine.
	fewest := len(o.missing()) + 1
	for last := time.Now(); time.Since(last) < 90*time.Second; {
		if missing = o.missing(); len(missing) == 0 {
			break
		}
		if len(missing) < fewest {
			fewest, last = len(missing), time.Now()
		}
		o.second(ctx)
	}
	close(o.stopAll)
	o.consumers.Wait()
	for _, body := range missing[:min(len(missing), 10)] {
		o.t.Errorf("%q was answered and is lost", body)
	}
	repeated := 0
	for _, n := range o.received {
		repeated += n - 1
	}
	for text, n := range o.bad {
		o.t.Errorf("%d times an error that no SDK retries: %s", n, text)
	}
	for _, r := range o.returned[:min(len(o.returned), 10)] {
		o.t.Error(r)
	}
	if len(o.returned) > 0 {
		o.t.Errorf("%d deliveries of messages whose delete was answered", len(o.returned))
	}
	if len(o.copies) > mostCopies {
		o.t.Errorf("%d messages of groups are copies of others", len(o.copies))
	}
	o.t.Logf("%d sends answered, %d lost; %d deliveries were repetitions; %d messages of groups were copies", len(o.answered), len(missing), repeated, len(o.copies))
}

func (o *outage) missing() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var bodies []string
	for body := range o.answered {
		if o.received[body] == 0 {
			bodies = append(bodies, body)
		}
	}
	return bodies
}
