package target

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server"
	"github.com/queen-mq/queen-sqs/server/action"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
	"github.com/queen-mq/queen-sqs/server/queen/httpclient"
	"github.com/queen-mq/queen-sqs/server/queen/httpserver"
	"github.com/queen-mq/queen-sqs/server/sigv4"
	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/faults"
)

// BrokerToken is what a Breakable gateway shows its broker.
const BrokerToken = "the-gateways-own-token"

// Breakable is a gateway in this process that reaches its broker over HTTP,
// through a proxy that breaks. Its clock stands still, so that what it has
// cached stays cached however long a fault takes.
type Breakable struct {
	Broker *faults.Proxy

	gateway   *server.Instance
	client    *httpclient.Client
	transport *http.Transport // of the clients
	label     string
	baseline  int
	behind    func() error // ends the broker
}

// BreakableSource is a Source that can hand out such gateways.
type BreakableSource interface {
	Breakable() (*Breakable, error)
}

// Breakable implements BreakableSource.
func (s *inProcess) Breakable() (*Breakable, error) { return NewBreakable("", nil) }

// Breakable implements BreakableSource, with the first of the brokers.
func (s *overBrokers) Breakable() (*Breakable, error) { return NewBreakable(s.urls[0], nil) }

// NewBreakable starts a gateway over the broker of a URL, or, without one, over
// an embedded engine of its own that is served over HTTP. log may be nil.
func NewBreakable(brokerURL string, log *slog.Logger) (*Breakable, error) {
	b := &Breakable{label: rand.Text(), transport: &http.Transport{}, behind: func() error { return nil }}
	err := b.start(brokerURL, log)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *Breakable) start(brokerURL string, log *slog.Logger) (err error) {
	if brokerURL == "" {
		if brokerURL, b.behind, err = serveEngine(); err != nil {
			return err
		}
	}
	if b.Broker, err = faults.New(brokerURL); err != nil {
		return err
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	b.client, err = httpclient.New(httpclient.Config{URL: b.Broker.URL, Timeout: 2 * time.Second, Log: log})
	if err != nil {
		return err
	}
	// Goroutines inherit labels: by this one the gateway's are told from all others
	// of the process.
	pprof.Do(context.Background(), pprof.Labels("gateway", b.label), func(context.Context) {
		b.gateway, err = server.Start(server.Options{
			Config: server.Config{
				Credentials: []sigv4.Credential{{AccessKeyID: gatewayKeys.AccessKeyID, Secret: gatewayKeys.Secret}},
				Tokens:      action.Tokens{Default: BrokerToken},
				Region:      gatewayRegion,
				Account:     gatewayAccount,
			},
			Broker: b.client,
			Clock:  still{time.Now().UTC()},
			Log:    log,
		})
	})
	if err != nil {
		return err
	}
	return b.rest()
}

// rest waits until the gateway has started and does nothing, and counts its
// goroutines then.
func (b *Breakable) rest() error {
	resp, err := (&http.Client{Transport: b.transport}).Get(b.gateway.Endpoint() + "/healthz")
	if err != nil {
		return err
	}
	resp.Body.Close()
	b.transport.CloseIdleConnections()
	for same := 0; same < 5; same++ {
		n, err := b.goroutines()
		if err != nil {
			return err
		}
		if n != b.baseline {
			b.baseline, same = n, 0
		}
		time.Sleep(2 * time.Millisecond)
	}
	return nil
}

// serveEngine serves a new engine in memory over HTTP.
func serveEngine() (url string, end func() error, err error) {
	engine, err := embedded.Open(embedded.Config{Clock: clock.System()})
	if err != nil {
		return "", nil, err
	}
	srv, err := httpserver.New(httpserver.Config{Engine: engine})
	if err != nil {
		return "", nil, errors.Join(err, engine.Close())
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, errors.Join(err, engine.Close())
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	return "http://" + ln.Addr().String(), func() error {
		// Calls that a fault has cut off may still be under way.
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := srv.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return errors.Join(<-served, engine.Close())
	}, nil
}

// still is a clock that does not move.
type still struct{ at time.Time }

func (s still) Now() time.Time { return s.at }

func (s still) AfterFunc(d time.Duration, f func()) clock.Timer {
	return clock.System().AfterFunc(d, f)
}

// Name implements Target.
func (b *Breakable) Name() string { return "this gateway over a broker that breaks" }

// Abilities implements Target.
func (b *Breakable) Abilities() Abilities {
	return Abilities{Side: ThisGateway, ChecksSignatures: true}
}

// Config implements Target.
func (b *Breakable) Config() client.Config {
	return client.Config{Endpoints: []string{b.gateway.Endpoint()}, Region: gatewayRegion, Credentials: gatewayKeys, Transport: b.transport}
}

// Account implements Target.
func (b *Breakable) Account() string { return gatewayAccount }

// Advance implements Target.
func (b *Breakable) Advance(context.Context, time.Duration) error { return ErrUnable }

// Restart implements Target.
func (b *Breakable) Restart(context.Context) error { return ErrUnable }

// Close implements Target.
func (b *Breakable) Close() error {
	var errs []error
	if b.gateway != nil {
		errs = append(errs, b.gateway.Stop(context.Background()))
	}
	if b.client != nil {
		b.client.Close()
	}
	if b.Broker != nil {
		errs = append(errs, b.Broker.Close())
	}
	b.transport.CloseIdleConnections()
	return errors.Join(append(errs, b.behind())...)
}

// Settled waits until nothing is left in the gateway of the calls made so far:
// no connection to the broker, and no goroutine that was not there at the start.
// It closes the connections that are kept for the next call.
func (b *Breakable) Settled(ctx context.Context) error {
	for tries := 0; ; tries++ {
		b.client.Close()
		b.transport.CloseIdleConnections()
		running, err := b.goroutines()
		if err != nil {
			return err
		}
		open := b.Broker.Connections()
		if running <= b.baseline && open == 0 {
			return nil
		}
		if tries == 1000 {
			return fmt.Errorf("%d goroutines of the gateway and %d connections to its broker are left, %d and 0 before:\n%s", running, open, b.baseline, b.stacks())
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// goroutines counts the gateway's goroutines, without those that the HTTP server
// keeps idle for the next connection.
func (b *Breakable) goroutines() (int, error) {
	n := 0
	for _, block := range strings.Split(b.stacks(), "\n\n") {
		if block == "" {
			continue
		}
		var count int
		if _, err := fmt.Sscanf(block, "%d @", &count); err != nil {
			return 0, fmt.Errorf("a goroutine profile that cannot be read: %w", err)
		}
		if strings.Contains(block, "fasthttp.(*workerPool).workerFunc") && !strings.Contains(block, "ServeConn") && !strings.Contains(block, "serveConn") {
			continue
		}
		n += count
	}
	return n, nil
}

// stacks are the blocks of the goroutine profile that carry the gateway's label.
func (b *Breakable) stacks() string {
	var all bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&all, 1) // a buffer takes everything
	var own []string
	for _, block := range strings.Split(strings.TrimSpace(all.String()), "\n\n") {
		if !strings.Contains(block, b.label) {
			continue
		}
		// The first block follows the profile's heading.
		if at := strings.Index(block, "\n"); strings.HasPrefix(block, "goroutine profile") && at >= 0 {
			block = block[at+1:]
		}
		own = append(own, block)
	}
	return strings.Join(own, "\n\n")
}
