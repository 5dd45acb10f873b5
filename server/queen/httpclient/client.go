// Package httpclient is a queen.Broker over Queen's HTTP API. It speaks to the
// 1.x line, to 2.x and to every server of the same routes.
//
// It adds nothing to what the broker says and retries nothing; but it does not
// let the known untruths of Queen 1.x pass: a pop that looks empty because the
// database is away is an error, and times that the database wrote in its local
// zone are put right.
package httpclient

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
)

// The limits of one call. A parked pop gets its wait on top.
const (
	connectTimeout = 3 * time.Second
	callTimeout    = 10 * time.Second
	healthTimeout  = 3 * time.Second
	// idleTimeout is below what load balancers allow an idle connection, so that
	// it is this side that closes one.
	idleTimeout = 30 * time.Second
)

// Config says where the broker is.
type Config struct {
	// URL is the broker's base address: http or https, a host, and a path
	// prefix if it has one.
	URL string
	// MaxConns is the most connections for calls that are answered at once; more
	// calls wait for one. 0 means 256.
	MaxConns int
	// MaxParked is the most pops that wait at the broker at one time, each on a
	// connection of its own; more wait here first. 0 means 4096.
	MaxParked int
	// Timeout is the longest a call may take; a parked pop gets its wait on top.
	// 0 means 10 seconds.
	Timeout time.Duration
	// Log is told what broker was found; nil means slog.Default.
	Log *slog.Logger
	// Clock is nil but in tests. Network deadlines do not follow it.
	Clock clock.Clock
}

// Client is a queen.Broker.
type Client struct {
	base    string
	log     *slog.Logger
	timeout time.Duration

	// Pops that park use connections of their own, so that any number of idle
	// receivers never keeps a send or an ack from the broker.
	calls  *http.Transport
	parked *http.Transport
	slots  chan struct{}

	zone    zone
	empties empties
	budgets *budgets
	broker  broker
	// lost is set when a call brought no answer: what answers next may be
	// another broker.
	lost atomic.Bool
}

var _ queen.Broker = (*Client)(nil)

// New checks the configuration. It never contacts the broker.
func New(cfg Config) (*Client, error) {
	base, err := baseURL(cfg.URL)
	if err != nil {
		return nil, err
	}
	if cfg.MaxConns < 0 || cfg.MaxParked < 0 || cfg.Timeout < 0 {
		return nil, errors.New("queen client: a limit is negative")
	}
	if cfg.MaxConns == 0 {
		cfg.MaxConns = 256
	}
	if cfg.MaxParked == 0 {
		cfg.MaxParked = 4096
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = callTimeout
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.System()
	}
	c := &Client{
		base:    base,
		log:     cfg.Log,
		timeout: cfg.Timeout,
		calls:   transport(cfg.MaxConns),
		parked:  transport(cfg.MaxParked),
		slots:   make(chan struct{}, cfg.MaxParked),
	}
	c.budgets = newBudgets(cfg.Clock, cfg.Log)
	c.calls.MaxConnsPerHost = cfg.MaxConns
	c.zone.log = cfg.Log
	c.broker.asking = make(chan struct{}, 1)
	c.empties.clock = cfg.Clock
	c.empties.ask = c.databaseAway
	return c, nil
}

// Close closes the idle connections. Calls in progress go on.
func (c *Client) Close() {
	c.calls.CloseIdleConnections()
	c.parked.CloseIdleConnections()
}

func baseURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", fmt.Errorf("queen client: the broker's URL cannot be read: %w", err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("queen client: the broker's URL must begin with http:// or https://, not %q", u.Scheme)
	case u.Hostname() == "":
		return "", errors.New("queen client: the broker's URL names no host")
	case u.User != nil:
		return "", errors.New("queen client: the broker's URL carries credentials; calls bring their own token")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", errors.New("queen client: the broker's URL has a query or a fragment")
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func transport(idle int) *http.Transport {
	dialer := net.Dialer{Timeout: connectTimeout, KeepAlive: 15 * time.Second}
	// HTTP/1 only: there a call that is given up closes its connection, which is
	// how the broker learns to drop a parked pop.
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: connectTimeout,
		Protocols:           &protocols,
		MaxIdleConns:        idle,
		MaxIdleConnsPerHost: idle,
		IdleConnTimeout:     idleTimeout,
		DisableCompression:  true,
	}
}
