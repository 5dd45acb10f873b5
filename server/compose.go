package server

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/receipt"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/sns"
	"github.com/queen-mq/queen-sqs/server/sqs"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// leastHandleSecret is the least length of a handle secret in bytes.
const leastHandleSecret = 16

// New makes a Server over a broker, which stays the caller's to close after
// Shutdown. It does not call the broker. A nil log is silent.
func New(cfg Config, broker queen.Broker, clk clock.Clock, log *slog.Logger) (*Server, error) {
	if broker == nil || clk == nil {
		return nil, errors.New("server: a broker and a clock are needed")
	}
	if len(cfg.HandleSecret) < leastHandleSecret {
		return nil, fmt.Errorf("server: the handle secret has %d bytes and needs %d", len(cfg.HandleSecret), leastHandleSecret)
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	handlers, stop := actions(cfg, broker, clk, log)
	s, err := newServer(cfg, handlers, clk, log)
	if err != nil {
		stop()
		return nil, err
	}
	s.stop = stop
	return s, nil
}

// actions is every action this gateway answers, and what ends the work behind
// them.
func actions(cfg Config, broker queen.Broker, clk clock.Clock, log *slog.Logger) (handlers map[string]wire.Handler, stop func()) {
	tokens := cfg.Tokens
	if cfg.AuthOff {
		tokens.ByAccessKey = nil // an unverified key is anybody's
	}
	records := registry.New(registry.Config{
		Broker:  broker,
		Clock:   clk,
		Region:  cfg.Region,
		Account: cfg.Account,
		Log:     log,
	})
	queues := sqs.New(sqs.Config{
		Broker:            broker,
		Registry:          records,
		Tokens:            tokens,
		Handles:           receipt.New(cfg.HandleSecret, clk),
		Clock:             clk,
		Region:            cfg.Region,
		Account:           cfg.Account,
		DefaultPartitions: cfg.DefaultPartitions,
		Closes:            cfg.Closes,
		Log:               log,
	})
	handlers = queues.Handlers()
	maps.Copy(handlers, sns.New(sns.Config{
		Broker: broker, Registry: records, Tokens: tokens, Clock: clk, Region: cfg.Region, Account: cfg.Account, Closes: cfg.Closes, Log: log,
	}).Handlers())
	return handlers, queues.Close
}
