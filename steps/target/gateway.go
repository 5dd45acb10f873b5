package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/steps/client"
)

// The in-process gateway's fixed identity.
const (
	gatewayRegion  = "queen-1"
	gatewayAccount = "000000000000"
)

var gatewayKeys = client.Credentials{AccessKeyID: "AKIDCONFORMANCE", Secret: "conformance-secret-key"}

// InProcess starts gateways in this process, on random loopback ports, over the
// embedded broker and a clock that can be moved. The profile is "queen", also
// when empty.
func InProcess(profile string) (Source, error) {
	switch profile {
	case "", "queen":
		return &inProcess{profile: "queen"}, nil
	}
	return nil, fmt.Errorf("there is no profile %q: use queen", profile)
}

// InProcessLanes is InProcess with the profile "queen" and another width of the
// standard queues that name none, 1 to 100000 lanes. Which messages share a lane
// is chance otherwise: on the widest queues none do, on one lane all do, so that
// a held message gets in the way of every other (QS-01).
func InProcessLanes(lanes int) Source { return &inProcess{profile: "queen", lanes: lanes} }

type inProcess struct {
	profile string
	lanes   int

	mu     sync.Mutex
	shared *gateway
}

func (s *inProcess) Shared(context.Context) (Target, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared == nil {
		g, err := s.start(false)
		if err != nil {
			return nil, err
		}
		s.shared = g
	}
	return s.shared, nil
}

func (s *inProcess) Private(_ context.Context, durable bool) (Target, error) {
	return s.start(durable)
}

func (s *inProcess) Exclusive() bool { return false }

func (s *inProcess) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared == nil {
		return nil
	}
	return s.shared.Close()
}

func (s *inProcess) start(durable bool) (*gateway, error) {
	g := &gateway{profile: s.profile, lanes: s.lanes}
	if durable {
		dir, err := os.MkdirTemp("", "queen-sqs-features-")
		if err != nil {
			return nil, err
		}
		g.dir = dir
	}
	run, err := startGateway(g.dir, clock.NewShifted(), g.lanes)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(g.dir))
	}
	g.run = run
	return g, nil
}

// gateway is one in-process gateway, in memory unless dir is set.
type gateway struct {
	profile string
	lanes   int
	dir     string
	run     *running
}

func (g *gateway) Name() string {
	if g.profile == "queen" {
		return "this gateway"
	}
	return "this gateway in profile " + g.profile
}

func (g *gateway) Abilities() Abilities {
	side := ThisGateway
	if g.profile == "aws" {
		side = Amazon
	}
	return Abilities{Side: side, MovesClock: true, ChecksSignatures: true, Restarts: true, MayBePurged: true, ReachesBroker: true}
}

func (g *gateway) Config() client.Config {
	return client.Config{Endpoints: []string{g.run.Endpoint()}, Region: gatewayRegion, Credentials: gatewayKeys}
}

func (g *gateway) Account() string { return gatewayAccount }

func (g *gateway) Advance(_ context.Context, d time.Duration) error {
	g.run.Advance(d)
	return nil
}

// Fail implements BackDoor.
func (g *gateway) Fail(how string) error { return g.run.Fail(how) }

// PushNative implements BackDoor.
func (g *gateway) PushNative(ctx context.Context, queue, lane, payload string) error {
	return g.run.PushNative(ctx, queue, lane, payload)
}

// MakeNative implements BackDoor.
func (g *gateway) MakeNative(ctx context.Context, queue string) error {
	return g.run.MakeNative(ctx, queue)
}

// Restart starts the next gateway with the clock of the stopped one.
func (g *gateway) Restart(ctx context.Context) error {
	if g.dir == "" {
		return fmt.Errorf("a gateway in memory forgets everything: %w", ErrUnable)
	}
	if err := g.run.stop(ctx); err != nil {
		return err
	}
	run, err := startGateway(g.dir, g.run.Clock, g.lanes)
	if err != nil {
		return err
	}
	g.run = run
	return nil
}

func (g *gateway) Close() error {
	err := g.run.stop(context.Background())
	if g.dir == "" {
		return err
	}
	return errors.Join(err, os.RemoveAll(g.dir))
}
