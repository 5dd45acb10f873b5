package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/load"
)

// Restarting starts two gateway processes over one broker. Requests alternate
// between them, and from the first scenario on the second process is stopped or
// killed again and again, at random, and started anew. Clients send again what
// was refused. There is one target for all scenarios.
func Restarting(brokerURL string) (Source, error) {
	dir, err := os.MkdirTemp("", "queen-sqs-restarting-")
	if err != nil {
		return nil, err
	}
	return &restarting{url: brokerURL, dir: dir, again: &client.Again{}}, nil
}

// http1 carries the requests of one run.
var http1 = &http.Transport{MaxIdleConnsPerHost: 64}

// How long the second gateway lives, and how long it is away.
const (
	leastLife, mostLife = 2 * time.Second, 6 * time.Second
	mostAway            = 300 * time.Millisecond
)

type restarting struct {
	url   string
	dir   string
	again *client.Again

	caps     queen.Capabilities
	start    sync.Once
	startErr error

	mu             sync.Mutex // held while a process changes
	gateways       []*load.Gateway
	stopped, kills int
	failed         error // a process that did not start again

	end   chan struct{}
	ended chan struct{}
}

func (s *restarting) Shared(ctx context.Context) (Target, error) {
	s.start.Do(func() { s.startErr = s.startAll(ctx) })
	if s.startErr != nil {
		return nil, s.startErr
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return restartingTarget{s}, s.failed
}

func (s *restarting) Private(ctx context.Context, _ bool) (Target, error) { return s.Shared(ctx) }

func (s *restarting) Exclusive() bool { return false }

func (s *restarting) startAll(ctx context.Context) error {
	var err error
	if s.caps, err = capabilities(s.url); err != nil {
		return err
	}
	binary, err := load.Build(ctx, "github.com/queen-mq/queen-sqs/cmd/queen-sqs", s.dir)
	if err != nil {
		return err
	}
	for range 2 {
		addr, err := load.FreeAddr()
		if err != nil {
			return err
		}
		g := &load.Gateway{Binary: binary, Addr: addr, Env: []string{
			"QUEEN_URL=" + s.url,
			"QUEEN_SQS_HANDLE_SECRET=the same on both gateways",
			"QUEEN_SQS_CREDENTIALS=" + gatewayKeys.AccessKeyID + ":" + gatewayKeys.Secret,
			"QUEEN_SQS_REGION=" + gatewayRegion,
			"QUEEN_SQS_ACCOUNT=" + gatewayAccount,
			"LOG_LEVEL=warn",
		}}
		if err := g.Start(ctx); err != nil {
			return err
		}
		s.gateways = append(s.gateways, g)
	}
	s.end, s.ended = make(chan struct{}), make(chan struct{})
	go s.unrest()
	return nil
}

// unrest ends the second gateway again and again, every other time without
// giving it a chance to answer what it has.
func (s *restarting) unrest() {
	defer close(s.ended)
	for {
		life := leastLife + rand.N(mostLife-leastLife)
		select {
		case <-time.After(life):
		case <-s.end:
			return
		}
		s.mu.Lock()
		g := s.gateways[1]
		if rand.N(2) == 0 {
			g.Kill()
			s.kills++
		} else {
			g.Stop()
			s.stopped++
		}
		time.Sleep(rand.N(mostAway))
		s.failed = errors.Join(s.failed, again(context.Background(), g))
		s.mu.Unlock()
	}
}

// again starts a process on the port it had. Another socket may have that for a
// moment.
func again(ctx context.Context, g *load.Gateway) (err error) {
	for range 5 {
		if err = g.Start(ctx); err == nil {
			return nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	return err
}

func (s *restarting) Close() error {
	if s.end != nil {
		close(s.end)
		<-s.ended
	}
	for _, g := range s.gateways {
		g.Stop()
	}
	http1.CloseIdleConnections()
	return errors.Join(s.failed, os.RemoveAll(s.dir))
}

// Report says what the run went through.
func (s *restarting) Report(w io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(w, "one of two gateways was killed %d times and stopped %d times\n%v\n", s.kills, s.stopped, s.again)
}

// restartingTarget is the gateways as a scenario sees them, which does not end
// them.
type restartingTarget struct{ *restarting }

// Close implements Target.
func (restartingTarget) Close() error { return nil }

func (s *restarting) Name() string { return "two gateways over " + s.url + ", one of them restarting" }

func (s *restarting) Abilities() Abilities {
	return Abilities{
		Side: ThisGateway, ChecksSignatures: true, Restarts: true, Cuts: true, NoWide: true,
		RecordsSettle: registry.DefaultTTL, MessagesLate: messageLag,
		DelaysAgain: !s.caps.Attempts, NoOffsets: !s.caps.Offsets, NoAttempts: !s.caps.Attempts,
	}
}

func (s *restarting) Config() client.Config {
	cfg := client.Config{Region: gatewayRegion, Credentials: gatewayKeys, Transport: http1, Again: s.again}
	for _, g := range s.gateways {
		cfg.Endpoints = append(cfg.Endpoints, g.URL())
	}
	return cfg
}

func (s *restarting) Account() string { return gatewayAccount }

func (s *restarting) Advance(context.Context, time.Duration) error { return ErrUnable }

// Restart restarts both, one after the other, under all scenarios.
func (s *restarting) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.gateways {
		g.Stop()
		if err := again(ctx, g); err != nil {
			return err
		}
	}
	return nil
}
