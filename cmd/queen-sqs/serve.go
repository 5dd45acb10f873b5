package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server"
	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/config"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
	"github.com/queen-mq/queen-sqs/server/queen/httpclient"
)

func serve(p process) int {
	cfg, err := config.Load(p.args, p.environ)
	if errors.Is(err, config.ErrHelp) {
		fmt.Fprint(p.stdout, config.Help())
		return 0
	}
	if err != nil {
		return p.refuse(err)
	}
	log := logger(p.stderr, cfg)
	for _, w := range cfg.Warnings {
		log.Warn(w)
	}

	defer floored()()
	var clk clock.Clock = clock.System()
	if cfg.TestClock {
		clk = clock.NewShifted()
	}
	broker, closeBroker, err := openBroker(cfg, clk, log)
	if err != nil {
		return p.refuse(err)
	}
	status := 0
	if err := serveOver(p, cfg, broker, clk, log); err != nil {
		status = p.refuse(err)
	}
	if err := closeBroker(); err != nil {
		status = p.refuse(fmt.Errorf("the broker was not closed cleanly: %w", err))
	}
	return status
}

// serveOver serves until a signal ends it.
func serveOver(p process, cfg *config.Config, broker queen.Broker, clk clock.Clock, log *slog.Logger) error {
	secret, from, err := handleSecret(cfg)
	if err != nil {
		return err
	}
	s, err := server.New(server.Config{
		Listen:            cfg.Listen,
		TLS:               cfg.TLS,
		AuthOff:           cfg.AuthOff,
		Credentials:       cfg.Credentials,
		Tokens:            cfg.Tokens,
		Region:            cfg.Region,
		Account:           cfg.Account,
		DefaultPartitions: cfg.DefaultPartitions,
		HandleSecret:      secret,
		ShutdownGrace:     cfg.ShutdownGrace,
		TestClock:         cfg.TestClock,
	}, broker, clk, log)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return errors.Join(fmt.Errorf("%s cannot be listened on: %w; end what listens there or set QUEEN_SQS_LISTEN", cfg.Listen, err), s.Shutdown(context.Background()))
	}
	addr := ln.Addr().String()
	announce(log, cfg, addr, from)
	if !cfg.LogJSON {
		fmt.Fprintf(p.stdout, "Try it:\n  %s\n", tryIt(cfg, addr))
	}

	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	select {
	case err := <-served:
		return errors.Join(err, s.Shutdown(context.Background()))
	case sig := <-p.signals:
		log.Info("shutting down", "signal", sig.String(), "grace", cfg.ShutdownGrace.String())
	}
	ctx, cut := context.WithCancel(context.Background())
	defer cut()
	go cutOnSecond(ctx, cut, p.signals, log)
	err = s.Shutdown(ctx)
	log.Info("stopped")
	return errors.Join(err, <-served)
}

// sameSignal is how soon after the first a signal is still the same one: a
// wrapper such as timeout sends it to the process and to its group.
const sameSignal = 100 * time.Millisecond

// cutOnSecond calls cut when whoever stops the process asks again.
func cutOnSecond(ctx context.Context, cut context.CancelFunc, signals <-chan os.Signal, log *slog.Logger) {
	first := time.Now()
	for {
		select {
		case <-signals:
			if time.Since(first) < sameSignal {
				continue
			}
			log.Warn("second signal: cutting what is left")
			cut()
		case <-ctx.Done():
		}
		return
	}
}

func logger(w io.Writer, cfg *config.Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: cfg.LogLevel}
	if cfg.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// openBroker opens the embedded broker, or makes a client of another one. That
// one need not be there yet: it may start later than the gateway.
func openBroker(cfg *config.Config, clk clock.Clock, log *slog.Logger) (broker queen.Broker, closeBroker func() error, err error) {
	if cfg.QueenURL != "" {
		client, err := httpclient.New(httpclient.Config{URL: cfg.QueenURL, Log: log})
		if err != nil {
			return nil, nil, err
		}
		ctx, cancel := context.WithCancel(context.Background())
		met := make(chan struct{})
		go func() {
			defer close(met)
			meet(ctx, client, cfg.QueenURL, log)
		}()
		return client, func() error {
			cancel()
			<-met
			client.Close()
			return nil
		}, nil
	}
	engine, err := embedded.Open(embedded.Config{Dir: cfg.Data, Clock: clk, Logger: log})
	if err != nil {
		return nil, nil, err
	}
	return engine, engine.Close, nil
}

// meet asks the broker what it is, so that the log says at boot what cannot be
// had of it: the client logs that. Its settings cannot be asked for; that its
// key/value budget is too small is logged when it first refuses a call.
func meet(ctx context.Context, broker queen.Broker, url string, log *slog.Logger) {
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		_, err := broker.Capabilities(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		log.Warn("the broker does not answer; requests that need it fail until it does", "url", url, "error", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// handleSecret is what seals receipt handles, and where it comes from.
func handleSecret(cfg *config.Config) (secret []byte, from string, err error) {
	switch {
	case cfg.HandleSecret != nil:
		return cfg.HandleSecret, config.SecretConfigured, nil
	case cfg.Data == "":
		secret = make([]byte, 32)
		rand.Read(secret)
		return secret, config.SecretGenerated, nil
	}
	secret, generated, err := config.LoadOrCreateHandleSecret(cfg.Data)
	if generated {
		return secret, config.SecretGenerated, err
	}
	return secret, config.SecretLoaded, err
}

// announce logs what was started, in one line.
func announce(log *slog.Logger, cfg *config.Config, addr, secretFrom string) {
	store := "queen " + cfg.QueenURL
	switch {
	case cfg.QueenURL != "":
	case cfg.Data == "":
		store = "embedded, in memory"
	default:
		store = "embedded, in " + cfg.Data
	}
	auth := "sigv4"
	if cfg.AuthOff {
		auth = "off"
	}
	log.Info("serving",
		"listen", addr,
		"endpoint", endpoint(cfg, addr),
		"tls", cfg.TLS != nil,
		"store", store,
		"auth", auth,
		"principals", len(cfg.Credentials),
		"broker_token", cfg.Tokens.Default != "",
		"profile", cfg.Profile,
		"receive_mode", cfg.ReceiveMode,
		"region", cfg.Region,
		"account", cfg.Account,
		"default_partitions", cfg.DefaultPartitions,
		"handle_secret", secretFrom,
		"shutdown_grace_ms", cfg.ShutdownGrace.Milliseconds(),
		"test_clock", cfg.TestClock,
	)
}

// endpoint is a URL that reaches an address from the same machine.
func endpoint(cfg *config.Config, addr string) string {
	scheme := "http://"
	if cfg.TLS != nil {
		scheme = "https://"
	}
	return scheme + reachable(addr)
}

// reachable is an address with a host to connect to: that of an address which
// stands for every interface is loopback.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip != nil && ip.To4() == nil {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port)
}

// tryIt is a line of shell that makes a queue. Unverified, any credentials will
// do; a secret is not printed.
func tryIt(cfg *config.Config, addr string) string {
	key, secret := "test", "test"
	if !cfg.AuthOff {
		key, secret = cfg.Credentials[0].AccessKeyID, `"$SECRET"`
	}
	var options strings.Builder
	if cfg.TLS != nil {
		options.WriteString(" --no-verify-ssl")
	}
	return fmt.Sprintf("AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=%s aws --endpoint-url %s --region %s%s sqs create-queue --queue-name hello",
		quote(key), secret, endpoint(cfg, addr), cmp.Or(cfg.Region, "queen-1"), options.String())
}

// quote makes one word of shell of a text.
func quote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
