package faults_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/steps/client"
	. "github.com/queen-mq/queen-sqs/steps/faults"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// costs is what an action asks of the broker.
type costs map[Route]int

// session is a client of a gateway whose calls to the broker are counted.
type session struct {
	t       *testing.T
	gateway *target.Breakable
	client  *client.Raw
	made    int
}

func (s *session) call(action string, p client.Params) client.Params {
	s.t.Helper()
	answer, err := s.client.Call(s.t.Context(), client.SQS, action, p)
	if err != nil {
		s.t.Fatalf("%s: %v", action, err)
	}
	return answer
}

// queue makes a queue with messages in it, and the gateway know it.
func (s *session) queue(fifo bool, messages int) (url string) {
	s.t.Helper()
	s.made++
	name, attributes := fmt.Sprintf("budget-%d-%d", os.Getpid(), s.made), client.Params{}
	if fifo {
		name += ".fifo"
		attributes = client.Params{"FifoQueue": "true", "ContentBasedDeduplication": "true"}
	}
	url = s.call("CreateQueue", client.Params{"QueueName": name, "Attributes": attributes})["QueueUrl"].(string)
	for i := range messages {
		p := client.Params{"QueueUrl": url, "MessageBody": fmt.Sprint("message ", i)}
		if fifo {
			p["MessageGroupId"] = "g"
		}
		s.call("SendMessage", p)
	}
	s.call("GetQueueAttributes", client.Params{"QueueUrl": url, "AttributeNames": []any{"QueueArn"}})
	return url
}

// take receives n messages and answers their handles.
func (s *session) take(url string, n int) (handles []any) {
	s.t.Helper()
	for tries := 0; len(handles) < n; tries++ {
		if tries == 50 {
			s.t.Fatalf("%d of %d messages were received", len(handles), n)
		}
		answer := s.call("ReceiveMessage", client.Params{"QueueUrl": url, "MaxNumberOfMessages": int64(n - len(handles))})
		list, _ := answer["Messages"].([]any)
		for _, m := range list {
			handles = append(handles, m.(client.Params)["ReceiptHandle"])
		}
	}
	return handles
}

func entries(member string, values ...any) []any {
	var list []any
	for i, v := range values {
		list = append(list, client.Params{"Id": fmt.Sprint("e", i), member: v})
	}
	return list
}

// The budget of every action: the calls it makes to a broker that counts
// deliveries, and those it makes beside them to one that does not (Queen 1.3.0),
// counters dropped behind the answer included. The gateway knows the queue
// already. /health is not counted.
var budget = []struct {
	action string
	does   func(s *session) func()
	counts costs
	beside costs
}{
	{"SendMessage", func(s *session) func() {
		url := s.queue(false, 0)
		return func() { s.call("SendMessage", client.Params{"QueueUrl": url, "MessageBody": "m"}) }
	}, costs{Push: 1}, nil},
	{"SendMessage to a FIFO queue", func(s *session) func() {
		url := s.queue(true, 0)
		return func() {
			s.call("SendMessage", client.Params{"QueueUrl": url, "MessageBody": "m", "MessageGroupId": "g"})
		}
	}, costs{Push: 1}, nil},
	{"SendMessage with a delay", func(s *session) func() {
		url := s.queue(false, 0)
		return func() {
			s.call("SendMessage", client.Params{"QueueUrl": url, "MessageBody": "m", "DelaySeconds": int64(900)})
		}
	}, costs{Timers: 1}, nil},
	{"SendMessageBatch of 10", func(s *session) func() {
		url := s.queue(false, 0)
		return func() {
			s.call("SendMessageBatch", client.Params{"QueueUrl": url, "Entries": entries("MessageBody", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j")})
		}
	}, costs{Push: 1}, nil},
	{"ReceiveMessage that finds nothing", func(s *session) func() {
		url := s.queue(false, 0)
		return func() {
			s.call("ReceiveMessage", client.Params{"QueueUrl": url, "MaxNumberOfMessages": int64(10)})
		}
	}, costs{Pop: 1}, nil},
	{"ReceiveMessage of 1", func(s *session) func() {
		url := s.queue(false, 3)
		return func() { s.take(url, 1) }
	}, costs{Pop: 1}, costs{KV: 1}},
	{"ReceiveMessage that waits", func(s *session) func() {
		url := s.queue(false, 1)
		return func() {
			s.call("ReceiveMessage", client.Params{"QueueUrl": url, "WaitTimeSeconds": int64(20)})
		}
	}, costs{Pop: 1}, costs{KV: 1}},
	{"ReceiveMessage of a FIFO group", func(s *session) func() {
		url := s.queue(true, 5)
		return func() { s.take(url, 5) }
	}, costs{Pop: 1, KV: 1}, nil},
	{"ReceiveMessage of a FIFO queue that finds nothing", func(s *session) func() {
		url := s.queue(true, 0)
		return func() { s.call("ReceiveMessage", client.Params{"QueueUrl": url}) }
	}, costs{Pop: 1}, nil},
	{"DeleteMessage", func(s *session) func() {
		url := s.queue(false, 1)
		handle := s.take(url, 1)[0]
		return func() { s.call("DeleteMessage", client.Params{"QueueUrl": url, "ReceiptHandle": handle}) }
	}, costs{Ack: 1}, costs{KV: 1}},
	{"DeleteMessage from a FIFO claim", func(s *session) func() {
		url := s.queue(true, 2)
		handle := s.take(url, 2)[0]
		return func() { s.call("DeleteMessage", client.Params{"QueueUrl": url, "ReceiptHandle": handle}) }
	}, costs{KV: 2, Ack: 1}, costs{KV: 1}},
	{"DeleteMessage from the middle of a FIFO claim", func(s *session) func() {
		url := s.queue(true, 3)
		handle := s.take(url, 3)[1]
		return func() { s.call("DeleteMessage", client.Params{"QueueUrl": url, "ReceiptHandle": handle}) }
	}, costs{KV: 2}, costs{KV: 1}},
	{"DeleteMessageBatch of 5", func(s *session) func() {
		// A message that is held blocks its lane, and several may share one.
		url := s.queue(false, 30)
		handles := s.take(url, 5)
		return func() {
			s.call("DeleteMessageBatch", client.Params{"QueueUrl": url, "Entries": entries("ReceiptHandle", handles...)})
		}
	}, costs{Ack: 1}, costs{KV: 1}},
	{"DeleteMessageBatch of a FIFO claim", func(s *session) func() {
		url := s.queue(true, 5)
		handles := s.take(url, 5)
		return func() {
			s.call("DeleteMessageBatch", client.Params{"QueueUrl": url, "Entries": entries("ReceiptHandle", handles...)})
		}
	}, costs{KV: 2, Ack: 1}, costs{KV: 1}},
	{"ChangeMessageVisibility", func(s *session) func() {
		url := s.queue(false, 1)
		handle := s.take(url, 1)[0]
		return func() {
			s.call("ChangeMessageVisibility", client.Params{"QueueUrl": url, "ReceiptHandle": handle, "VisibilityTimeout": int64(60)})
		}
	}, costs{Lease: 1}, nil},
	{"ChangeMessageVisibility to 0", func(s *session) func() {
		url := s.queue(false, 1)
		handle := s.take(url, 1)[0]
		return func() {
			s.call("ChangeMessageVisibility", client.Params{"QueueUrl": url, "ReceiptHandle": handle, "VisibilityTimeout": int64(0)})
		}
	}, costs{Ack: 1}, nil},
	{"ChangeMessageVisibility of a FIFO claim", func(s *session) func() {
		url := s.queue(true, 1)
		handle := s.take(url, 1)[0]
		return func() {
			s.call("ChangeMessageVisibility", client.Params{"QueueUrl": url, "ReceiptHandle": handle, "VisibilityTimeout": int64(60)})
		}
	}, costs{KV: 2, Lease: 1}, nil},
	{"CreateQueue", func(s *session) func() {
		s.made++
		name := fmt.Sprintf("budget-%d-%d", os.Getpid(), s.made)
		return func() { s.call("CreateQueue", client.Params{"QueueName": name}) }
	}, costs{KV: 3, Queues: 1, Configure: 1}, nil},
	{"GetQueueUrl", func(s *session) func() {
		url := s.queue(false, 0)
		return func() { s.call("GetQueueUrl", client.Params{"QueueName": url[strings.LastIndex(url, "/")+1:]}) }
	}, costs{}, nil},
	{"GetQueueAttributes of what the record holds", func(s *session) func() {
		url := s.queue(false, 0)
		return func() {
			s.call("GetQueueAttributes", client.Params{"QueueUrl": url, "AttributeNames": []any{"VisibilityTimeout", "QueueArn"}})
		}
	}, costs{KV: 1}, nil},
	{"GetQueueAttributes of everything", func(s *session) func() {
		url := s.queue(false, 1)
		return func() {
			s.call("GetQueueAttributes", client.Params{"QueueUrl": url, "AttributeNames": []any{"All"}})
		}
	}, costs{KV: 1, Depth: 1, Timers: 1}, costs{Depth: 1}},
	{"SetQueueAttributes", func(s *session) func() {
		url := s.queue(false, 0)
		return func() {
			s.call("SetQueueAttributes", client.Params{"QueueUrl": url, "Attributes": client.Params{"VisibilityTimeout": "60"}})
		}
	}, costs{KV: 3, Configure: 1}, nil},
	{"ListQueues", func(s *session) func() {
		return func() { s.call("ListQueues", client.Params{"MaxResults": int64(10)}) }
	}, costs{KV: 1}, nil},
	{"PurgeQueue", func(s *session) func() {
		url := s.queue(false, 1)
		return func() { s.call("PurgeQueue", client.Params{"QueueUrl": url}) }
	}, costs{KV: 3, Timers: 1, Delete: 1, Configure: 1}, nil},
	{"DeleteQueue", func(s *session) func() {
		url := s.queue(false, 1)
		return func() { s.call("DeleteQueue", client.Params{"QueueUrl": url}) }
	}, costs{KV: 2, Timers: 1, Delete: 2}, nil},
}

// TestBudget holds every action to the number of calls that it may make.
func TestBudget(t *testing.T) {
	t.Run("a broker that counts deliveries", func(t *testing.T) { testBudget(t, "", false) })
	t.Run("Queen 1.3.0", func(t *testing.T) { testBudget(t, realBroker(t), true) })
}

func testBudget(t *testing.T, brokerURL string, beside bool) {
	gateway, err := target.NewBreakable(brokerURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := gateway.Close(); err != nil {
			t.Error(err)
		}
	}()
	s := &session{t: t, gateway: gateway, client: client.NewRaw(client.JSON, gateway.Config(), &client.Recorder{})}
	s.take(s.queue(false, 1), 1) // the gateway knows its broker
	for _, b := range budget {
		want := maps.Clone(b.counts)
		if beside {
			for route, n := range b.beside {
				want[route] += n
			}
		}
		got, n := s.measure(b.does)
		if !maps.Equal(got, want) {
			t.Errorf("%s makes %s, not %s", b.action, got, want)
			for _, c := range n {
				t.Logf("  %s %s %.200s", c.Method, c.Target, c.Body)
			}
		}
	}
}

// measure prepares an action and counts what it asks of the broker, up to the
// last call behind its answer.
func (s *session) measure(does func(*session) func()) (costs, []Call) {
	s.t.Helper()
	act := does(s)
	settled := func() {
		if err := s.gateway.Settled(context.Background()); err != nil {
			s.t.Fatal(err)
		}
	}
	settled()
	s.gateway.Broker.Forget()
	act()
	settled()
	counts := costs(s.gateway.Broker.Counts())
	delete(counts, Health)
	return counts, s.gateway.Broker.Calls()
}

func (c costs) String() string {
	var parts []string
	for _, route := range slices.Sorted(maps.Keys(c)) {
		parts = append(parts, fmt.Sprint(c[route], " ", route))
	}
	if parts == nil {
		return "no call"
	}
	return strings.Join(parts, ", ")
}
