// Package load drives an SQS endpoint hard: a signed client with as little of
// its own as a client can have, the processes it is pointed at, and the loads
// that benchmarks and crash tests share.
package load

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Client speaks AWS JSON 1.0 to one endpoint and signs every request. It is safe
// for concurrent use and retries nothing: what it is answered is what happened.
type Client struct {
	endpoint string
	creds    aws.Credentials
	signer   *v4.Signer
	http     *http.Client
}

// Credentials of the loads. They are no secret: the endpoints are on loopback.
const (
	AccessKeyID = "AKIDLOAD"
	Secret      = "load-secret"
)

// NewClient makes a client of an endpoint such as http://127.0.0.1:9324, with
// room for that many connections.
func NewClient(endpoint string, connections int) *Client {
	return &Client{
		endpoint: endpoint,
		creds:    aws.Credentials{AccessKeyID: AccessKeyID, SecretAccessKey: Secret},
		signer:   v4.NewSigner(),
		http: &http.Client{
			Timeout: 60 * time.Second,
			Transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
				MaxIdleConns:        connections,
				MaxIdleConnsPerHost: connections,
				MaxConnsPerHost:     connections,
				DisableCompression:  true,
			},
		},
	}
}

// Close drops the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// StatusError is an answer other than 200.
type StatusError struct {
	Status int
	Body   string
}

func (e *StatusError) Error() string { return fmt.Sprintf("status %d: %.300s", e.Status, e.Body) }

// Call sends one action and decodes its answer into out, which may be nil. An
// answer other than 200 is a *StatusError.
func (c *Client) Call(ctx context.Context, action string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return c.CallRaw(ctx, action, body, out)
}

// CallRaw is Call with the body's bytes.
func (c *Client) CallRaw(ctx context.Context, action string, body []byte, out any) error {
	return c.request(ctx, "sqs", "AmazonSQS."+action, body, out)
}

func (c *Client) request(ctx context.Context, service, target string, body []byte, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint+"/", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Target", target)
	sum := sha256.Sum256(body)
	if err := c.signer.SignHTTP(ctx, c.creds, req, hex.EncodeToString(sum[:]), service, "us-east-1", time.Now()); err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return &StatusError{resp.StatusCode, string(answer)}
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// Message is a received message.
type Message struct {
	MessageId     string
	ReceiptHandle string
	Body          string
	Attributes    map[string]string
}

// CreateQueue makes a queue and answers its URL.
func (c *Client) CreateQueue(ctx context.Context, name string, attributes map[string]string) (string, error) {
	var out struct{ QueueUrl string }
	err := c.Call(ctx, "CreateQueue", map[string]any{"QueueName": name, "Attributes": attributes}, &out)
	return out.QueueUrl, err
}

// Send sends one message.
func (c *Client) Send(ctx context.Context, queueURL, body string) error {
	return c.Call(ctx, "SendMessage", sendInput{QueueUrl: queueURL, MessageBody: body}, nil)
}

type sendInput struct {
	QueueUrl    string
	MessageBody string
}

type batchEntry struct {
	Id            string
	MessageBody   string `json:",omitempty"`
	ReceiptHandle string `json:",omitempty"`
}

type batchInput struct {
	QueueUrl string
	Entries  []batchEntry
}

type batchOutput struct {
	Failed []struct{ Id, Code, Message string }
}

func (c *Client) batch(ctx context.Context, action string, in batchInput) error {
	var out batchOutput
	if err := c.Call(ctx, action, in, &out); err != nil {
		return err
	}
	if len(out.Failed) > 0 {
		return fmt.Errorf("%s: %d entries failed, the first with %s: %s", action, len(out.Failed), out.Failed[0].Code, out.Failed[0].Message)
	}
	return nil
}

// SendBatch sends at most ten messages.
func (c *Client) SendBatch(ctx context.Context, queueURL string, bodies []string) error {
	in := batchInput{QueueUrl: queueURL}
	for i, body := range bodies {
		in.Entries = append(in.Entries, batchEntry{Id: fmt.Sprint("e", i), MessageBody: body})
	}
	return c.batch(ctx, "SendMessageBatch", in)
}

type receiveInput struct {
	QueueUrl                    string
	MaxNumberOfMessages         int
	WaitTimeSeconds             int
	MessageSystemAttributeNames []string `json:",omitempty"`
}

// Receive receives at most that many messages, waiting at most that many
// seconds.
func (c *Client) Receive(ctx context.Context, queueURL string, most, waitSeconds int, attributes ...string) ([]Message, error) {
	var out struct{ Messages []Message }
	err := c.Call(ctx, "ReceiveMessage", receiveInput{queueURL, most, waitSeconds, attributes}, &out)
	return out.Messages, err
}

// Delete deletes one message by its handle.
func (c *Client) Delete(ctx context.Context, queueURL, handle string) error {
	return c.Call(ctx, "DeleteMessage", map[string]string{"QueueUrl": queueURL, "ReceiptHandle": handle}, nil)
}

// DeleteBatch deletes at most ten messages.
func (c *Client) DeleteBatch(ctx context.Context, queueURL string, messages []Message) error {
	in := batchInput{QueueUrl: queueURL}
	for i, m := range messages {
		in.Entries = append(in.Entries, batchEntry{Id: fmt.Sprint("e", i), ReceiptHandle: m.ReceiptHandle})
	}
	return c.batch(ctx, "DeleteMessageBatch", in)
}
