package target

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/queen/httpclient"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/sigv4"
	"github.com/queen-mq/queen-sqs/steps/client"
)

// What Queen 1.3.0 needs when QUEEN_SWEEPER_IDLE_MAX_SLEEP_MS and
// QUEEN_HOTLIST_RESEED_MS are 1000.
const (
	// pushLag is how long a push may take to be found through another process of
	// the broker, which hears of it through the mesh.
	pushLag = 300 * time.Millisecond
	// releaseLag is the same for a message that was given back, of which no process
	// tells another.
	releaseLag = 1200 * time.Millisecond
	// messageLag is how late a timer may fire, the end of a queue's delay be
	// noticed, and a message given back at one process be found at another. It is a
	// second or two; but the broker finds lanes by a list in memory, and one that is
	// missing there is sought within QUEEN_HOTLIST_RESEED_MS and up to 15 s more.
	messageLag = 17 * time.Second
)

// OverBrokers starts one gateway in this process for each URL of a broker,
// which all lead to the same data. Requests alternate between the gateways. A
// private target has gateways of its own over the same brokers.
func OverBrokers(urls ...string) (Source, error) {
	if len(urls) == 0 {
		return nil, errors.New("a gateway over HTTP needs the URL of a broker")
	}
	secret := make([]byte, 32)
	rand.Read(secret)
	return &overBrokers{urls: urls, secret: secret}, nil
}

type overBrokers struct {
	urls   []string
	secret []byte

	mu     sync.Mutex
	caps   *queen.Capabilities
	shared *fleet
}

func (s *overBrokers) Shared(context.Context) (Target, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared == nil {
		f, err := s.start()
		if err != nil {
			return nil, err
		}
		s.shared = f
	}
	return s.shared, nil
}

// Private answers gateways of the scenario's own over the shared brokers.
func (s *overBrokers) Private(context.Context, bool) (Target, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.start()
}

func (s *overBrokers) Exclusive() bool { return false }

func (s *overBrokers) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared == nil {
		return nil
	}
	return s.shared.Close()
}

func (s *overBrokers) start() (*fleet, error) {
	if s.caps == nil {
		caps, err := capabilities(s.urls[0])
		if err != nil {
			return nil, err
		}
		s.caps = &caps
	}
	f := &fleet{urls: s.urls, secret: s.secret, caps: *s.caps}
	return f, f.start()
}

// capabilities asks a broker, which may be busy, what it can do.
func capabilities(url string) (caps queen.Capabilities, err error) {
	c, err := httpclient.New(httpclient.Config{URL: url, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return caps, err
	}
	defer c.Close()
	for range 10 {
		if caps, err = c.Capabilities(context.Background()); err == nil {
			return caps, nil
		}
		time.Sleep(time.Second)
	}
	return caps, err
}

// fleet is gateways in this process over brokers that outlive them.
type fleet struct {
	urls   []string
	secret []byte

	gateways []*server.Instance
	clients  []*httpclient.Client
	brokers  []*broker
	caps     queen.Capabilities
}

func (f *fleet) Name() string {
	if len(f.urls) == 1 {
		return "this gateway over " + f.urls[0]
	}
	return fmt.Sprintf("%d gateways over %s", len(f.urls), strings.Join(f.urls, " and "))
}

func (f *fleet) Abilities() Abilities {
	a := Abilities{Side: ThisGateway, ChecksSignatures: true, Restarts: true, MessagesLate: messageLag, DelaysAgain: !f.caps.Attempts,
		NoOffsets: !f.caps.Offsets, NoAttempts: !f.caps.Attempts, ReachesBroker: true}
	if len(f.urls) > 1 {
		a.RecordsSettle, a.NoWide = registry.DefaultTTL, true
		a.PushesSettle, a.ReleasesSettle = pushLag, releaseLag
	}
	return a
}

func (f *fleet) Config() client.Config {
	var endpoints []string
	for _, g := range f.gateways {
		endpoints = append(endpoints, g.Endpoint())
	}
	return client.Config{Endpoints: endpoints, Region: gatewayRegion, Credentials: gatewayKeys}
}

func (f *fleet) Account() string { return gatewayAccount }

func (f *fleet) Advance(context.Context, time.Duration) error { return ErrUnable }

func (f *fleet) Restart(ctx context.Context) error {
	return errors.Join(f.stop(ctx), f.start())
}

func (f *fleet) Close() error { return f.stop(context.Background()) }

func (f *fleet) start() error {
	for _, url := range f.urls {
		c, err := httpclient.New(httpclient.Config{URL: url, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			return errors.Join(err, f.Close())
		}
		f.clients = append(f.clients, c)
		b := &broker{Broker: c}
		f.brokers = append(f.brokers, b)
		g, err := server.Start(server.Options{
			Config: server.Config{
				Credentials:  []sigv4.Credential{{AccessKeyID: gatewayKeys.AccessKeyID, Secret: gatewayKeys.Secret}},
				Region:       gatewayRegion,
				Account:      gatewayAccount,
				HandleSecret: f.secret,
			},
			Broker: b,
			Clock:  clock.System(),
		})
		if err != nil {
			return errors.Join(err, f.Close())
		}
		f.gateways = append(f.gateways, g)
	}
	return nil
}

func (f *fleet) stop(ctx context.Context) error {
	var errs []error
	for _, g := range f.gateways {
		errs = append(errs, g.Stop(ctx))
	}
	for _, c := range f.clients {
		c.Close()
	}
	f.gateways, f.clients, f.brokers = nil, nil, nil
	return errors.Join(errs...)
}

// Fail implements BackDoor, for the way from every gateway of the fleet.
func (f *fleet) Fail(how string) error {
	for _, b := range f.brokers {
		if err := b.Fail(how); err != nil {
			return err
		}
	}
	return nil
}

// PushNative implements BackDoor.
func (f *fleet) PushNative(ctx context.Context, queue, lane, payload string) error {
	return f.brokers[0].PushNative(ctx, queue, lane, payload)
}

// MakeNative implements BackDoor.
func (f *fleet) MakeNative(ctx context.Context, queue string) error {
	return f.brokers[0].MakeNative(ctx, queue)
}
