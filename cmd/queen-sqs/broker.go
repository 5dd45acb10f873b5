package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/config"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
	"github.com/queen-mq/queen-sqs/server/queen/httpserver"
)

// brokerGrace is how long a broker that is asked to end waits for requests.
const brokerGrace = 25 * time.Second

// broker serves Queen's HTTP API over the embedded engine.
func broker(p process) int {
	cfg, err := config.LoadBroker(p.args, p.environ)
	if errors.Is(err, config.ErrHelp) {
		fmt.Fprint(p.stdout, config.BrokerHelp())
		return 0
	}
	if err != nil {
		return p.refuse(err)
	}
	log := logger(p.stderr, &config.Config{LogLevel: cfg.LogLevel, LogJSON: cfg.LogJSON})
	for _, w := range cfg.Warnings {
		log.Warn(w)
	}
	defer floored()()
	var clk clock.Clock = clock.System()
	var shifted *clock.Shifted
	if cfg.TestClock {
		shifted = clock.NewShifted()
		clk = shifted
	}
	engine, err := embedded.Open(embedded.Config{Dir: cfg.Data, Clock: clk, Logger: log, KeepConsumed: true})
	if err != nil {
		return p.refuse(err)
	}
	status := 0
	if err := serveBroker(p, cfg, engine, clk, shifted, log); err != nil {
		status = p.refuse(err)
	}
	if err := engine.Close(); err != nil {
		status = p.refuse(fmt.Errorf("the broker was not closed cleanly: %w", err))
	}
	return status
}

func serveBroker(p process, cfg *config.Broker, engine *embedded.Engine, clk clock.Clock, shifted *clock.Shifted, log *slog.Logger) error {
	var tokens httpserver.Tokens
	for _, t := range cfg.Tokens {
		if err := tokens.Add(t.Token, t.Role); err != nil {
			return err
		}
	}
	var advance func(time.Duration)
	if shifted != nil {
		advance = shifted.Advance
	}
	s, err := httpserver.New(httpserver.Config{Engine: engine, Tokens: tokens, Clock: clk, Logger: log, Advance: advance})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("%s cannot be listened on: %w; end what listens there or set QUEEN_BROKER_LISTEN", cfg.Listen, err)
	}
	store := "memory"
	if cfg.Data != "" {
		store = cfg.Data
	}
	log.Info("serving", "listen", ln.Addr().String(), "store", store, "tokens", tokens.Len(), "test_clock", cfg.TestClock)

	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	select {
	case err := <-served:
		return err
	case sig := <-p.signals:
		log.Info("shutting down", "signal", sig.String(), "grace", brokerGrace.String())
	}
	ctx, cut := context.WithTimeout(context.Background(), brokerGrace)
	defer cut()
	go cutOnSecond(ctx, cut, p.signals, log)
	err = s.Shutdown(ctx)
	log.Info("stopped")
	return errors.Join(err, <-served)
}
