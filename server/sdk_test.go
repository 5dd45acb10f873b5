package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"testing"
	"time"

	v2aws "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	v2sqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/awserr"
	v1credentials "github.com/aws/aws-sdk-go/aws/credentials"
	"github.com/aws/aws-sdk-go/aws/session"
	v4 "github.com/aws/aws-sdk-go/aws/signer/v4"
	v1sqs "github.com/aws/aws-sdk-go/service/sqs"
	"github.com/aws/smithy-go"

	"github.com/queen-mq/queen-sqs/server"
	"github.com/queen-mq/queen-sqs/server/sigv4"
)

const (
	key    = "AKIDSDK"
	secret = "sdk-secret"
)

// start starts a gateway in memory that verifies signatures.
func start(t *testing.T) *server.Instance {
	t.Helper()
	i, err := server.Start(server.Options{Config: server.Config{
		Credentials:   []sigv4.Credential{{AccessKeyID: key, Secret: secret}},
		ShutdownGrace: 10 * time.Second,
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := i.Stop(context.Background()); err != nil {
			t.Error("Stop:", err)
		}
	})
	return i
}

// modern is the SDK that speaks AWS JSON.
func modern(i *server.Instance, secret string) *v2sqs.Client {
	return v2sqs.New(v2sqs.Options{
		BaseEndpoint:     v2aws.String(i.Endpoint()),
		Region:           "us-east-1",
		Credentials:      credentials.NewStaticCredentialsProvider(key, secret, ""),
		RetryMaxAttempts: 1,
		HTTPClient:       http.DefaultClient,
	})
}

// old is the last SDK that speaks Query.
func old(t *testing.T, i *server.Instance, secret string) *v1sqs.SQS {
	t.Helper()
	s, err := session.NewSession(&aws.Config{
		Endpoint:    aws.String(i.Endpoint()),
		Region:      aws.String("eu-central-1"),
		Credentials: v1credentials.NewStaticCredentials(key, secret, ""),
		MaxRetries:  aws.Int(0),
	})
	if err != nil {
		t.Fatal(err)
	}
	return v1sqs.New(s)
}

func TestBothSDKsOnOneListener(t *testing.T) {
	i := start(t)
	ctx := t.Context()
	json, query := modern(i, secret), old(t, i, secret)

	created, err := json.CreateQueue(ctx, &v2sqs.CreateQueueInput{QueueName: v2aws.String("shared")})
	if err != nil {
		t.Fatal(err)
	}
	if want := i.Endpoint() + "/000000000000/shared"; *created.QueueUrl != want {
		t.Errorf("queue URL %s, want %s", *created.QueueUrl, want)
	}
	found, err := query.GetQueueUrlWithContext(ctx, &v1sqs.GetQueueUrlInput{QueueName: aws.String("shared")})
	if err != nil || *found.QueueUrl != *created.QueueUrl {
		t.Fatal(found, err)
	}
	// Each sends what the other receives.
	sent, err := json.SendMessage(ctx, &v2sqs.SendMessageInput{QueueUrl: created.QueueUrl, MessageBody: v2aws.String("from JSON")})
	if err != nil {
		t.Fatal(err)
	}
	got, err := query.ReceiveMessageWithContext(ctx, &v1sqs.ReceiveMessageInput{QueueUrl: found.QueueUrl})
	if err != nil || len(got.Messages) != 1 || *got.Messages[0].Body != "from JSON" || *got.Messages[0].MessageId != *sent.MessageId {
		t.Fatal(got, err)
	}
	if _, err := json.DeleteMessage(ctx, &v2sqs.DeleteMessageInput{QueueUrl: created.QueueUrl, ReceiptHandle: got.Messages[0].ReceiptHandle}); err != nil {
		t.Fatal(err)
	}
	if _, err := query.SendMessageWithContext(ctx, &v1sqs.SendMessageInput{QueueUrl: found.QueueUrl, MessageBody: aws.String("<from & Query>")}); err != nil {
		t.Fatal(err)
	}
	back, err := json.ReceiveMessage(ctx, &v2sqs.ReceiveMessageInput{QueueUrl: created.QueueUrl})
	if err != nil || len(back.Messages) != 1 || *back.Messages[0].Body != "<from & Query>" {
		t.Fatal(back, err)
	}
}

func TestSDKsSeeTheirErrors(t *testing.T) {
	i := start(t)
	ctx := t.Context()
	_, err := modern(i, secret).GetQueueUrl(ctx, &v2sqs.GetQueueUrlInput{QueueName: v2aws.String("none")})
	var missing *types.QueueDoesNotExist
	if !errors.As(err, &missing) {
		t.Errorf("JSON: %v", err)
	}
	_, err = old(t, i, secret).GetQueueUrlWithContext(ctx, &v1sqs.GetQueueUrlInput{QueueName: aws.String("none")})
	var failure awserr.RequestFailure
	if !errors.As(err, &failure) || failure.Code() != "AWS.SimpleQueueService.NonExistentQueue" || failure.StatusCode() != 400 || failure.RequestID() == "" {
		t.Errorf("Query: %v", err)
	}

	_, err = modern(i, "wrong").ListQueues(ctx, &v2sqs.ListQueuesInput{})
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "SignatureDoesNotMatch" {
		t.Errorf("JSON, wrong secret: %v", err)
	}
	_, err = old(t, i, "wrong").ListQueuesWithContext(ctx, &v1sqs.ListQueuesInput{})
	if !errors.As(err, &failure) || failure.Code() != "SignatureDoesNotMatch" || failure.StatusCode() != 403 {
		t.Errorf("Query, wrong secret: %v", err)
	}
}

// get sends a GET, signed in the query string (presigned) or in a header.
func get(t *testing.T, i *server.Instance, path string, params url.Values, presigned bool, header http.Header) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, i.Endpoint()+path+"?"+params.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	signer := v4.NewSigner(v1credentials.NewStaticCredentials(key, secret, ""))
	if presigned {
		_, err = signer.Presign(req, nil, "sqs", "us-east-1", time.Hour, time.Now())
	} else {
		_, err = signer.Sign(req, nil, "sqs", "us-east-1", time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

func TestGetWithParameters(t *testing.T) {
	i := start(t)
	for name, presigned := range map[string]bool{"signed": false, "presigned": true} {
		t.Run(name, func(t *testing.T) {
			path := "/000000000000/" + name // a held message may block another one's lane (QS-01)
			status, _, body := get(t, i, "/", url.Values{"Action": {"CreateQueue"}, "QueueName": {name}, "Version": {"2012-11-05"}}, presigned, nil)
			if status != 200 || !strings.Contains(body, "<QueueUrl>"+i.Endpoint()+path+"</QueueUrl>") {
				t.Fatal(status, body)
			}
			// The queue is addressed by the path alone.
			status, header, body := get(t, i, path, url.Values{"Action": {"SendMessage"}, "MessageBody": {"a b+c/d=ä&"}}, presigned, nil)
			if status != 200 || !strings.Contains(body, "<SendMessageResult>") || header.Get("x-amzn-RequestId") == "" {
				t.Fatal(status, body)
			}
			status, _, body = get(t, i, path, url.Values{"Action": {"ReceiveMessage"}}, presigned, nil)
			if status != 200 || !strings.Contains(body, "<Body>a b+c/d=ä&amp;</Body>") {
				t.Fatal(status, body)
			}
			status, _, body = get(t, i, path, nil, presigned, nil)
			if status != 404 || !strings.Contains(body, "<UnknownOperationException") {
				t.Error(status, body)
			}
			status, _, body = get(t, i, path, url.Values{"Action": {"ListQueues"}}, presigned, nil)
			if status != 400 || !strings.Contains(body, "The action ListQueues is not valid for this endpoint.") {
				t.Error(status, body)
			}
		})
	}
}

func TestQueryAnsweredInJSON(t *testing.T) {
	i := start(t)
	accept := http.Header{"Accept": {"application/json"}}
	status, header, body := get(t, i, "/", url.Values{"Action": {"ListQueues"}}, false, accept)
	var answer map[string]any
	if err := json.Unmarshal([]byte(body), &answer); status != 200 || err != nil || answer["ListQueuesResponse"] == nil || header.Get("Content-Type") != "application/json" {
		t.Error(status, header, body)
	}
	status, header, body = get(t, i, "/", url.Values{"Action": {"Nonsense"}}, false, accept)
	if status != 400 || !strings.Contains(body, `"Code":"InvalidAction"`) || header.Get("Content-Type") != "application/json" {
		t.Error(status, header, body)
	}
	status, header, body = get(t, i, "/000000000000/q", nil, false, accept)
	if status != 404 || !strings.Contains(body, "<UnknownOperationException") || header.Get("Content-Type") != "text/xml" {
		t.Error(status, header, body)
	}
}

// A client that goes away in the middle of a long poll over the real engine
// claims nothing: the message that arrives next is receivable at once, once.
func TestAbandonedLongPollClaimsNothing(t *testing.T) {
	i := start(t)
	for name, receive := range map[string]func(ctx context.Context, queue string){
		"json": func(ctx context.Context, queue string) {
			modern(i, secret).ReceiveMessage(ctx, &v2sqs.ReceiveMessageInput{QueueUrl: &queue, WaitTimeSeconds: 20})
		},
		"query": func(ctx context.Context, queue string) {
			old(t, i, secret).ReceiveMessageWithContext(ctx, &v1sqs.ReceiveMessageInput{QueueUrl: &queue, WaitTimeSeconds: aws.Int64(20)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			client := modern(i, secret)
			created, err := client.CreateQueue(t.Context(), &v2sqs.CreateQueueInput{QueueName: v2aws.String("abandoned-" + name), Attributes: map[string]string{"queen.partitions": "1"}})
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				sent := make(chan struct{}, 1)
				ctx, abandon := context.WithCancel(t.Context())
				ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent <- struct{}{} }})
				ended := make(chan struct{})
				go func() { defer close(ended); receive(ctx, *created.QueueUrl) }()
				<-sent
				i.WaitParked(t, 1)
				abandon()
				<-ended
				i.WaitParked(t, 0)
			}
			if _, err := client.SendMessage(t.Context(), &v2sqs.SendMessageInput{QueueUrl: created.QueueUrl, MessageBody: v2aws.String("m")}); err != nil {
				t.Fatal(err)
			}
			got, err := client.ReceiveMessage(t.Context(), &v2sqs.ReceiveMessageInput{QueueUrl: created.QueueUrl})
			if err != nil || len(got.Messages) != 1 {
				t.Fatal(got, err)
			}
		})
	}
}
