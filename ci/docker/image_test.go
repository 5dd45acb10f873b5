package docker

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// alone is the gateway's image with the embedded broker.
func alone(e *engine, environment map[string]string) service {
	return service{Image: e.vars["GATEWAY_IMAGE"], Environment: environment, Ports: []string{"9324"}}
}

func TestTheGatewayImageKeepsMessagesInItsVolume(t *testing.T) {
	e := openEngine(t)
	gateway := e.start(t, e.network(t), "gateway", alone(e, map[string]string{"QUEEN_SQS_CREDENTIALS": given["QUEEN_SQS_CREDENTIALS"]}))
	e.healthy(t, gateway)
	if user := gateway.Container.Config.User; user != "65532:65532" {
		t.Errorf("the image runs as %q", user)
	}

	c := newClient(gateway.GetHostPort(port))
	q, err := c.CreateQueue(e.ctx, &sqs.CreateQueueInput{QueueName: aws.String("kept")})
	check(t, err)
	_, err = c.SendMessage(e.ctx, &sqs.SendMessageInput{QueueUrl: q.QueueUrl, MessageBody: aws.String("hello")})
	check(t, err)
	if err := e.Client.StopContainerWithContext(gateway.Container.ID, 30, e.ctx); err != nil {
		t.Fatal(err)
	}
	if status := e.wait(t, gateway); status != 0 {
		t.Errorf("it ended with status %d", status)
	}
	if err := e.Client.StartContainerWithContext(gateway.Container.ID, nil, e.ctx); err != nil {
		t.Fatal(err)
	}
	e.healthy(t, gateway)

	c = newClient(gateway.GetHostPort(port))
	got, err := c.ReceiveMessage(e.ctx, &sqs.ReceiveMessageInput{QueueUrl: q.QueueUrl, WaitTimeSeconds: 20})
	check(t, err)
	if len(got.Messages) != 1 || *got.Messages[0].Body != "hello" {
		t.Fatalf("received after the restart: %+v", got.Messages)
	}
}

func TestTheGatewayImageRefusesToServeWithoutCredentials(t *testing.T) {
	e := openEngine(t)
	gateway := e.start(t, e.network(t), "gateway", alone(e, nil))
	if status := e.wait(t, gateway); status != 1 {
		t.Errorf("it ended with status %d", status)
	}
	if log := e.log(gateway); !strings.Contains(log, "QUEEN_SQS_CREDENTIALS") {
		t.Errorf("its log does not name the remedy: %s", log)
	}
}
