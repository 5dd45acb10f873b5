package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/queen-mq/queen-sqs/ci/queenrig"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
	"github.com/queen-mq/queen-sqs/server/queen/httpclient"
	"github.com/queen-mq/queen-sqs/steps/load"
)

// costConnections are the numbers of clients that are measured.
var costConnections = []int{1, 16, 64}

// costLanes is the width of the queues, the same on both ways.
const costLanes = 64

// benchCost prints what the gateway costs: pushes and pops with acks made at a
// broker directly beside sends and receives with deletes through a gateway in
// front of it, for real Queen and for the embedded engine, behind HTTP and
// within. The two ways take turns, so that both meet the same machine.
func benchCost(ctx context.Context, c benchConfig) error {
	for _, b := range []struct {
		name  string
		start func(context.Context, benchConfig) (*costBroker, error)
	}{
		{"Queen over HTTP", startQueen},
		{"the embedded engine over HTTP", startEngineServer},
		{"the embedded engine within", startEngine},
	} {
		broker, err := b.start(ctx, c)
		var missing *queenrig.MissingError
		if errors.As(err, &missing) {
			fmt.Printf("\n%s: not measured: %v\n", b.name, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		err = errors.Join(c.cost(ctx, b.name, broker), broker.end())
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
	}
	return nil
}

// costBroker is a broker and a gateway in front of it.
type costBroker struct {
	direct  queen.Broker
	version string
	gateway *load.Gateway
	end     func() error
}

// startQueen takes the broker of --queen-url, or starts one with its PostgreSQL.
func startQueen(ctx context.Context, c benchConfig) (*costBroker, error) {
	url, end := c.queenURL, func() error { return nil }
	if url == "" {
		rig, err := queenrig.Start(queenrig.Options{})
		if err != nil {
			return nil, err
		}
		url, end = rig.Brokers[0].URL, rig.Close
	}
	return overHTTP(ctx, c, url, end)
}

func startEngineServer(ctx context.Context, c benchConfig) (*costBroker, error) {
	addr, err := load.FreeAddr()
	if err != nil {
		return nil, err
	}
	server := exec.Command(c.gateway, "broker")
	server.Env = append(os.Environ(), "QUEEN_BROKER_LISTEN="+addr, "QUEEN_BROKER_DATA="+filepath.Join(c.dir, "broker"), "LOG_LEVEL=warn")
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		return nil, err
	}
	end := func() error {
		return errors.Join(server.Process.Signal(syscall.SIGTERM), server.Wait())
	}
	if err := healthy(ctx, "http://"+addr); err != nil {
		return nil, errors.Join(err, end())
	}
	return overHTTP(ctx, c, "http://"+addr, end)
}

// healthy waits until a broker answers.
func healthy(ctx context.Context, url string) error {
	client, err := httpclient.New(httpclient.Config{URL: url, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer client.Close()
	for range 500 {
		if _, err = client.Health(ctx); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("the broker does not answer: %w", err)
}

// overHTTP puts a gateway in front of a broker's URL. It ends the broker when
// that fails.
func overHTTP(ctx context.Context, c benchConfig, url string, end func() error) (*costBroker, error) {
	direct, err := httpclient.New(httpclient.Config{URL: url, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, errors.Join(err, end())
	}
	health, err := direct.Health(ctx)
	if err != nil {
		return nil, errors.Join(err, end())
	}
	gateway, err := costGateway(ctx, c, "QUEEN_URL="+url, "QUEEN_SQS_HANDLE_SECRET=the-benchmarks-handle-secret")
	if err != nil {
		return nil, errors.Join(err, end())
	}
	return &costBroker{direct: direct, version: health.Engine + " " + health.Version, gateway: gateway, end: func() error {
		gateway.Stop()
		direct.Close()
		return end()
	}}, nil
}

// startEngine measures an engine of this process beside a gateway with an engine
// of its own; both are on disk.
func startEngine(ctx context.Context, c benchConfig) (*costBroker, error) {
	engine, err := embedded.Open(embedded.Config{Dir: filepath.Join(c.dir, "engine"), Clock: clock.System()})
	if err != nil {
		return nil, err
	}
	gateway, err := costGateway(ctx, c, "QUEEN_SQS_DATA="+filepath.Join(c.dir, "gateway"))
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return &costBroker{direct: engine, version: "on disk", gateway: gateway, end: func() error {
		gateway.Stop()
		return engine.Close()
	}}, nil
}

func costGateway(ctx context.Context, c benchConfig, env ...string) (*load.Gateway, error) {
	addr, err := load.FreeAddr()
	if err != nil {
		return nil, err
	}
	g := &load.Gateway{Binary: c.gateway, Addr: addr, Env: append(env, "LOG_LEVEL=warn")}
	return g, g.Start(ctx)
}

// cost prints the table of one broker.
func (c benchConfig) cost(ctx context.Context, name string, b *costBroker) error {
	fmt.Printf("\n%s (%s)\n", name, b.version)
	fmt.Printf("%11s  %-42s %10s %10s %8s\n", "connections", "", "direct/s", "gateway/s", "ratio")
	for _, n := range costConnections {
		direct, err := newDirect(ctx, b.direct, fmt.Sprint("direct-", n), c.bodySize)
		if err != nil {
			return err
		}
		client := load.NewClient(b.gateway.URL(), n)
		url, err := client.CreateQueue(ctx, fmt.Sprint("gateway-", n), map[string]string{"queen.partitions": strconv.Itoa(costLanes)})
		if err != nil {
			return err
		}
		body := strings.Repeat("x", c.bodySize)
		send := func(ctx context.Context) (int, error) { return 1, client.Send(ctx, url, body) }
		pair := func(ctx context.Context) (int, error) {
			messages, err := client.Receive(ctx, url, 1, 0)
			if err != nil || len(messages) == 0 {
				return 0, err
			}
			return 1, client.Delete(ctx, url, messages[0].ReceiptHandle)
		}
		for _, row := range []struct {
			what            string
			direct, gateway func(context.Context) (int, error)
		}{
			{"push | SendMessage", direct.push, send},
			{"pop+ack | ReceiveMessage+DeleteMessage", direct.popAck, pair},
		} {
			there, err := c.counted(ctx, n, row.direct)
			if err != nil {
				return err
			}
			here, err := c.counted(ctx, n, row.gateway)
			if err != nil {
				return err
			}
			fmt.Printf("%11d  %-42s %10.0f %10.0f %8.2f\n", n, row.what, there, here, here/there)
		}
		client.Close()
	}
	return nil
}

// counted is how much work is done in a second by that many workers, after a
// moment of warming up. Work answers how much it did: a pop that finds every
// lane taken did nothing.
func (c benchConfig) counted(ctx context.Context, workers int, work func(context.Context) (int, error)) (float64, error) {
	var done atomic.Int64
	step := func(ctx context.Context, _ int) error {
		n, err := work(ctx)
		done.Add(int64(n))
		return err
	}
	if _, err := load.Rate(ctx, workers, c.duration/5, step); err != nil {
		return 0, err
	}
	done.Store(0)
	began := time.Now()
	_, err := load.Rate(ctx, workers, c.duration, step)
	return float64(done.Load()) / time.Since(began).Seconds(), err
}

// direct makes the calls that a gateway would make, without one.
type direct struct {
	broker  queen.Broker
	queue   string
	payload queen.Payload
}

func newDirect(ctx context.Context, b queen.Broker, queue string, bodySize int) (*direct, error) {
	opts := queen.DefaultOptions()
	opts.LeaseTime, opts.DedupWindowSeconds = 30, 0
	_, err := b.Configure(ctx, "", queue, opts)
	return &direct{b, queue, queen.Payload(`{"b":"` + strings.Repeat("x", bodySize) + `"}`)}, err
}

func (d *direct) push(ctx context.Context) (int, error) {
	results, err := d.broker.Push(ctx, "", []queen.PushItem{{Queue: d.queue, Partition: strconv.Itoa(rand.IntN(costLanes)), Payload: d.payload}})
	if err == nil && results[0].Status != queen.Queued {
		err = fmt.Errorf("a push was answered %q", results[0].Status)
	}
	return 1, err
}

func (d *direct) popAck(ctx context.Context) (int, error) {
	claim, err := d.broker.Pop(ctx, "", queen.PopRequest{Queue: d.queue, Batch: 1, Partitions: 1, LeaseSeconds: 300})
	if err != nil || len(claim.Messages) == 0 {
		return 0, err
	}
	m := claim.Messages[0]
	results, err := d.broker.Ack(ctx, "", queen.DefaultGroup, []queen.Ack{{
		TransactionID: m.TransactionID, PartitionID: m.PartitionID, LeaseID: m.LeaseID, Status: queen.Completed,
	}})
	if err == nil && !results[0].Success {
		err = fmt.Errorf("an ack was refused: %s", results[0].Error)
	}
	return 1, err
}
