package docker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	"github.com/ory/dockertest/v3"
)

const (
	accessKey = "AKIDEXAMPLE"
	secretKey = "some-secret"
	port      = "9324/tcp"
)

// client is an SDK's client of one address that remembers which gateways
// answered it.
type client struct {
	*sqs.Client
	mu       sync.Mutex
	answered map[string]int // by what the proxy says
	last     string
}

func newClient(hostPort string) *client {
	c := &client{answered: map[string]int{}}
	c.Client = sqs.New(sqs.Options{
		BaseEndpoint:     aws.String("http://" + hostPort),
		Region:           "us-east-1",
		Credentials:      credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
		HTTPClient:       &http.Client{Transport: c},
		RetryMaxAttempts: 8,
	})
	return c
}

// RoundTrip is http.RoundTripper's.
func (c *client) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusOK {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.last = resp.Header.Get("X-Gateway")
		c.answered[c.last]++
	}
	return resp, err
}

// forget starts counting anew.
func (c *client) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.answered)
}

func (c *client) counts() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.answered)
}

// stack is compose.yml, running.
type stack struct {
	*engine
	service  map[string]*dockertest.Resource
	grace    uint // seconds that a gateway has to end
	proxy    *client
	gateways [2]*client // past the proxy
}

func startStack(t *testing.T) *stack {
	e := openEngine(t)
	c := readCompose(t, merged(given, e.vars))
	network := e.network(t)
	s := &stack{engine: e, service: map[string]*dockertest.Resource{}, grace: uint(c.Services["gateway-1"].StopGracePeriod / time.Second)}
	for _, name := range c.order(t) {
		service := c.Services[name]
		if strings.HasPrefix(name, "gateway-") {
			service.Ports = []string{"9324"}
		}
		// What it waits for is healthy: everything is before the next one starts.
		s.service[name] = e.start(t, network, name, service)
		e.healthy(t, s.service[name])
	}
	s.proxy = newClient(s.service["proxy"].GetHostPort(port))
	s.gateways[0] = newClient(s.service["gateway-1"].GetHostPort(port))
	s.gateways[1] = newClient(s.service["gateway-2"].GetHostPort(port))
	return s
}

func TestSQSOverTwoGateways(t *testing.T) {
	s := startStack(t)
	t.Run("fifty messages", s.fifty)
	t.Run("visibility across gateways", s.visibility)
	t.Run("one gateway stops", s.stopOne)
}

func (s *stack) queue(t *testing.T, name string) *string {
	t.Helper()
	q, err := s.proxy.CreateQueue(s.ctx, &sqs.CreateQueueInput{QueueName: &name, Attributes: map[string]string{"VisibilityTimeout": "600"}})
	check(t, err)
	t.Cleanup(func() {
		if _, err := s.proxy.DeleteQueue(s.ctx, &sqs.DeleteQueueInput{QueueUrl: q.QueueUrl}); err != nil && !t.Failed() {
			t.Error(err)
		}
	})
	return q.QueueUrl
}

// fifty sends, receives and deletes through the proxy, so that what one gateway
// did the other goes on with.
func (s *stack) fifty(t *testing.T) {
	url := s.queue(t, "fifty")
	s.proxy.forget()
	for i := range 40 {
		_, err := s.proxy.SendMessage(s.ctx, &sqs.SendMessageInput{QueueUrl: url, MessageBody: aws.String(body(i))})
		check(t, err)
	}
	batch := &sqs.SendMessageBatchInput{QueueUrl: url}
	for i := 40; i < 50; i++ {
		batch.Entries = append(batch.Entries, types.SendMessageBatchRequestEntry{Id: aws.String(body(i)), MessageBody: aws.String(body(i))})
	}
	sent, err := s.proxy.SendMessageBatch(s.ctx, batch)
	check(t, err)
	if len(sent.Successful) != 10 {
		t.Fatalf("of a batch of 10, sent were %d: %+v", len(sent.Successful), sent.Failed)
	}
	s.bothAnswered(t, "sends")

	s.proxy.forget()
	left := drain(t, s.ctx, s.proxy, url, expect(50))
	s.bothAnswered(t, "receives and deletes")
	if left == 0 {
		t.Error("no receipt handle was good at the gateway that did not give it")
	}
	s.empty(t, url)
}

func (s *stack) bothAnswered(t *testing.T, what string) {
	t.Helper()
	got := s.proxy.counts()
	if got["gateway-1"] == 0 || got["gateway-2"] == 0 {
		t.Errorf("the %s were answered by %v", what, got)
	}
	t.Logf("%s were answered by %v", what, got)
}

func (s *stack) empty(t *testing.T, url *string) {
	t.Helper()
	for i, c := range []*client{s.gateways[0], s.gateways[1]} {
		got, err := c.GetQueueAttributes(s.ctx, &sqs.GetQueueAttributesInput{QueueUrl: url, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll}})
		check(t, err)
		for _, name := range []string{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"} {
			if got.Attributes[name] != "0" {
				t.Errorf("gateway-%d says %s=%s", i+1, name, got.Attributes[name])
			}
		}
	}
}

// visibility takes a message at one gateway and gives it back at the other.
func (s *stack) visibility(t *testing.T) {
	first, second := s.gateways[0], s.gateways[1]
	url := s.queue(t, "visibility")
	_, err := second.SendMessage(s.ctx, &sqs.SendMessageInput{QueueUrl: url, MessageBody: aws.String("m")})
	check(t, err)
	taken := s.receive(t, first, url, 20)
	if taken == nil {
		t.Fatal("gateway-1 does not find what gateway-2 was sent")
	}
	for i, c := range []*client{second, first} {
		if again := s.receive(t, c, url, 0); again != nil {
			t.Fatalf("the message is in flight, and receive %d got it", i+1)
		}
	}
	_, err = second.ChangeMessageVisibility(s.ctx, &sqs.ChangeMessageVisibilityInput{QueueUrl: url, ReceiptHandle: taken.ReceiptHandle, VisibilityTimeout: 0})
	check(t, err)
	again := s.receive(t, second, url, 20)
	if again == nil {
		t.Fatal("the message was given back, and gateway-2 does not find it")
	}
	if *again.MessageId != *taken.MessageId || again.Attributes["ApproximateReceiveCount"] != "2" {
		t.Errorf("gateway-2 received %s as its delivery %s, after %s", *again.MessageId, again.Attributes["ApproximateReceiveCount"], *taken.MessageId)
	}
	_, err = first.DeleteMessage(s.ctx, &sqs.DeleteMessageInput{QueueUrl: url, ReceiptHandle: again.ReceiptHandle})
	check(t, err)
	s.empty(t, url)
}

func (s *stack) receive(t *testing.T, c *client, url *string, wait int32) *types.Message {
	t.Helper()
	got, err := c.ReceiveMessage(s.ctx, &sqs.ReceiveMessageInput{QueueUrl: url, WaitTimeSeconds: wait,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll}})
	check(t, err)
	if len(got.Messages) == 0 {
		return nil
	}
	return &got.Messages[0]
}

// stopOne stops a gateway while clients send and receive. They do not notice,
// and nothing is lost.
func (s *stack) stopOne(t *testing.T) {
	url := s.queue(t, "stop-one")
	var mu sync.Mutex
	sent := map[string]bool{}
	ctx, enough := context.WithCancel(s.ctx)
	defer enough()
	var sending sync.WaitGroup
	for sender := range 2 {
		sending.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				text := fmt.Sprintf("%d-%d", sender, i)
				_, err := s.proxy.SendMessage(s.ctx, &sqs.SendMessageInput{QueueUrl: url, MessageBody: &text})
				if err != nil {
					t.Errorf("%s: %v", text, err)
					return
				}
				mu.Lock()
				sent[text] = true
				mu.Unlock()
			}
		})
	}
	s.until(t, "both gateways take messages", func() bool {
		got := s.proxy.counts()
		return got["gateway-1"] > 5 && got["gateway-2"] > 5
	})

	gateway := s.service["gateway-1"]
	if err := s.Client.StopContainerWithContext(gateway.Container.ID, s.grace, s.ctx); err != nil {
		t.Fatal(err)
	}
	if status := s.wait(t, gateway); status != 0 {
		t.Errorf("gateway-1 ended with status %d", status)
	}
	s.proxy.forget()
	s.until(t, "the other gateway takes messages", func() bool { return s.proxy.counts()["gateway-2"] > 20 })
	enough()
	sending.Wait()
	if t.Failed() {
		return
	}
	t.Logf("%d messages were sent", len(sent))
	if n := s.proxy.counts()["gateway-1"]; n > 0 {
		t.Errorf("gateway-1 has ended and answered %d requests", n)
	}
	drain(t, s.ctx, s.proxy, url, sent)

	// And back again.
	if err := s.Client.StartContainerWithContext(gateway.Container.ID, nil, s.ctx); err != nil {
		t.Fatal(err)
	}
	s.healthy(t, gateway)
	s.gateways[0] = newClient(gateway.GetHostPort(port))
	s.empty(t, url)
	s.until(t, "gateway-1 is back", func() bool {
		_, err := s.proxy.GetQueueUrl(s.ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("stop-one")})
		check(t, err)
		return s.proxy.counts()["gateway-1"] > 0
	})
}

func (s *stack) until(t *testing.T, what string, reached func() bool) {
	t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for !reached() {
		if t.Failed() || s.ctx.Err() != nil || time.Now().After(deadline) {
			t.Fatalf("it did not come to pass that %s", what)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// drain receives and deletes until everything that is expected was there and
// nothing is left, and answers how many deletes another gateway answered than the receive. More
// than once may only come what an SDK sent again.
func drain(t *testing.T, ctx context.Context, c *client, url *string, want map[string]bool) (crossed int) {
	t.Helper()
	left := maps.Clone(want)
	deadline := time.Now().Add(5 * time.Minute)
	for {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d messages were not received", len(left), len(want))
		}
		got, err := c.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 2})
		check(t, err)
		if len(got.Messages) == 0 && len(left) == 0 {
			return crossed
		}
		giver := c.last
		for _, m := range got.Messages {
			if !want[*m.Body] {
				t.Fatalf("%q was received and not sent", *m.Body)
			}
			delete(left, *m.Body)
			_, err := c.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: url, ReceiptHandle: m.ReceiptHandle})
			check(t, err)
			if c.last != giver {
				crossed++
			}
		}
	}
}

func body(i int) string { return fmt.Sprintf("message-%d", i) }

func expect(n int) map[string]bool {
	all := map[string]bool{}
	for i := range n {
		all[body(i)] = true
	}
	return all
}

func check(t *testing.T, err error) {
	t.Helper()
	var api smithy.APIError
	switch {
	case errors.As(err, &api):
		t.Fatalf("%s: %s", api.ErrorCode(), api.ErrorMessage())
	case err != nil:
		t.Fatal(err)
	}
}
