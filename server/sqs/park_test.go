package sqs

import (
	"context"
	"testing"

	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/wire"
)

type parker struct{ parked int }

func (p *parker) Park() func() {
	p.parked++
	return func() { p.parked-- }
}

// A shutdown may end a receive only while it waits at the broker.
func TestOnlyTheWaitIsParked(t *testing.T) {
	p := &parker{}
	w := &watched{onPop: func(_ int, req queen.PopRequest) (queen.PopResult, error) {
		if waits := req.Wait > 0; waits != (p.parked == 1) {
			t.Errorf("wait %v, parked %d", req.Wait, p.parked)
		}
		return queen.PopResult{}, errThrough
	}}
	r := newRig(t, watch(w))
	url := r.create("orders", nil)
	r.do("SendMessage", "QueueUrl", url, "MessageBody", "a")
	w.forget()
	ctx := context.WithValue(context.Background(), wire.ParkKey{}, p)
	for _, wait := range []int{20, 0} {
		if _, err := r.Handlers()["ReceiveMessage"](ctx, request("ReceiveMessage", params("QueueUrl", url, "MaxNumberOfMessages", 1, "WaitTimeSeconds", wait))); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.pops) != 2 || p.parked != 0 {
		t.Errorf("%d claims, parked %d", len(w.pops), p.parked)
	}
}
