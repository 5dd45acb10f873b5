package httpclient

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// Configure sends the whole set of options: 1.3.0 replaces what a request does
// not name with its defaults, 1.6 and later merge, and this is right on both.
func (c *Client) Configure(ctx context.Context, tok queen.Token, queue string, opts queen.Options) (queen.Options, error) {
	request, err := encode(struct {
		Queue string `json:"queue"`
		queen.Options
	}{queue, opts})
	if err != nil {
		return queen.Options{}, err
	}
	body, err := c.do(ctx, call{method: http.MethodPost, path: "/api/v1/configure", body: request, token: tok})
	if err != nil {
		return queen.Options{}, err
	}
	// An option that the answer leaves out is as it was sent.
	answer := struct {
		Configured bool
		Error      json.RawMessage
		Options    *queen.Options
	}{Options: &opts}
	if err := decode(body, &answer); err != nil {
		return queen.Options{}, err
	}
	if !isNull(answer.Error) || !answer.Configured {
		return queen.Options{}, &queen.BodyError{Reason: "not configured", Detail: string(body)}
	}
	return opts, nil
}

// DeleteQueue is one call.
func (c *Client) DeleteQueue(ctx context.Context, tok queen.Token, queue string) (existed bool, err error) {
	body, err := c.do(ctx, call{method: http.MethodDelete, path: queuePath(queue), token: tok})
	if err != nil {
		return false, err
	}
	var answer struct {
		Deleted bool
		Existed *bool
		Error   json.RawMessage
	}
	if err := decode(body, &answer); err != nil {
		return false, err
	}
	if !isNull(answer.Error) {
		return false, &queen.BodyError{Reason: "not deleted", Detail: string(body)}
	}
	if answer.Existed != nil {
		return *answer.Existed, nil
	}
	return answer.Deleted, nil
}

// ListQueues reads the live list, never the cached one.
func (c *Client) ListQueues(ctx context.Context, tok queen.Token) ([]queen.QueueInfo, error) {
	body, err := c.do(ctx, call{method: http.MethodGet, path: "/api/v1/resources/queues", token: tok})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Queues []struct {
			ID         string
			Name       string
			CreatedAt  string
			Partitions int
			Messages   struct{ Total int64 }
		}
	}
	if err := decode(body, &answer); err != nil {
		return nil, err
	}
	queues := make([]queen.QueueInfo, 0, len(answer.Queues))
	for _, q := range answer.Queues {
		queues = append(queues, queen.QueueInfo{
			ID: q.ID, Name: q.Name, CreatedAt: c.zone.utc(q.CreatedAt),
			Partitions: q.Partitions, Messages: q.Messages.Total,
		})
	}
	return queues, nil
}

type depthAnswer struct {
	Pending    int64
	Processing *int64
	Ready      *int64
	// Hidden is told by brokers that are not Queen itself.
	Hidden     int64
	Partitions []struct {
		Partition  string
		Pending    int64
		Processing *int64
		Ready      *int64
	}
}

// Depth asks a second question of a broker that counts no leased messages
// (1.3.0): its queue detail does, for all groups together. The two answers are
// of two moments, so a lane's leased messages are never more than its pending
// ones.
func (c *Client) Depth(ctx context.Context, tok queen.Token, queue, group string) (queen.Depth, error) {
	if group == "" {
		group = queen.DefaultGroup
	}
	body, err := c.do(ctx, call{method: http.MethodGet, path: queuePath(queue) + "/depth?group=" + escape(group), token: tok})
	if err != nil {
		return queen.Depth{}, err
	}
	var answer depthAnswer
	if err := decode(body, &answer); err != nil {
		return queen.Depth{}, err
	}
	if answer.Ready == nil && answer.Processing == nil && answer.Pending > 0 {
		if err := c.addProcessing(ctx, tok, queue, &answer); err != nil {
			return queen.Depth{}, err
		}
	}
	return answer.depth(), nil
}

func (c *Client) addProcessing(ctx context.Context, tok queen.Token, queue string, answer *depthAnswer) error {
	body, err := c.do(ctx, call{method: http.MethodGet, path: queuePath(queue), token: tok})
	if err != nil {
		return err
	}
	type stats struct{ Processing int64 }
	var detail struct {
		Totals     stats
		Partitions []struct {
			Name  string
			Stats stats
		}
	}
	if err := decode(body, &detail); err != nil {
		return err
	}
	lanes := make(map[string]int64, len(detail.Partitions))
	for _, p := range detail.Partitions {
		lanes[p.Name] = p.Stats.Processing
	}
	var total int64
	for i := range answer.Partitions {
		lane := &answer.Partitions[i]
		processing := min(lanes[lane.Partition], lane.Pending)
		lane.Processing = &processing
		total += processing
	}
	if len(answer.Partitions) == 0 {
		total = min(detail.Totals.Processing, answer.Pending)
	}
	answer.Processing = &total
	return nil
}

func (a depthAnswer) depth() queen.Depth {
	d := queen.Depth{Pending: a.Pending, Hidden: a.Hidden, Lanes: make([]queen.LaneDepth, 0, len(a.Partitions))}
	d.Processing, d.Ready = split(a.Pending, a.Processing, a.Ready)
	for _, p := range a.Partitions {
		lane := queen.LaneDepth{Partition: p.Partition, Pending: p.Pending}
		lane.Processing, lane.Ready = split(p.Pending, p.Processing, p.Ready)
		d.Lanes = append(d.Lanes, lane)
	}
	return d
}

// split completes what an answer says of pending = processing + ready.
func split(pending int64, processing, ready *int64) (int64, int64) {
	switch {
	case processing == nil && ready == nil:
		return 0, pending
	case processing == nil:
		return pending - *ready, *ready
	case ready == nil:
		return *processing, pending - *processing
	}
	return *processing, *ready
}

func queuePath(queue string) string { return "/api/v1/resources/queues/" + escape(queue) }
