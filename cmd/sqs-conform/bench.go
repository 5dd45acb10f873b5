package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/queen-mq/queen-sqs/steps/load"
)

const benchUsage = `usage: sqs-conform bench [flags] WHAT
WHAT is one of
  rates     sends and receive+deletes a second of signed workers, beside a no-op
            server driven by the same client, and the drain of a backlog
  backlog   memory, restart time and receive rate of a deep backlog on disk
  oversize  memory of the gateway under requests over the body limit
  cost      what the gateway costs: pushes and pop+acks at a broker beside sends and
            receive+deletes through a gateway, on real Queen and on the embedded
            engine, at 1, 16 and 64 connections
  fifo      order and exclusivity of FIFO groups under consumers that fail
  noop      the no-op server of rates, at --listen
`

// benchConfig is what every benchmark needs.
type benchConfig struct {
	gateway  string // binary; built when empty
	endpoint string // of fifo, instead of a gateway of its own
	queenURL string // of cost, instead of a Queen of its own
	listen   string // of noop
	dir      string // scratch folder, removed at the end
	workers  int
	duration time.Duration
	messages int
	bodySize int
	requests int
}

func bench(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), benchUsage)
		flags.PrintDefaults()
	}
	var c benchConfig
	flags.StringVar(&c.gateway, "gateway", "", "gateway `binary`; built from this module when not given")
	flags.StringVar(&c.endpoint, "endpoint", "", "fifo: `URL` of an endpoint that knows the credentials of the loads, instead of a gateway of its own")
	flags.StringVar(&c.queenURL, "queen-url", "", "cost: `URL` of a Queen broker, instead of one that is started for it")
	flags.StringVar(&c.listen, "listen", "127.0.0.1:9325", "noop: `address` to serve")
	flags.IntVar(&c.workers, "workers", 16, "concurrent workers")
	flags.DurationVar(&c.duration, "duration", 5*time.Second, "length of each rate measurement")
	flags.IntVar(&c.messages, "messages", 0, "size of the backlog (rates: 100,000; backlog: 1,000,000; fifo: 20,000)")
	flags.IntVar(&c.bodySize, "body", 256, "body size in bytes")
	flags.IntVar(&c.requests, "requests", 50, "oversize: requests at once")
	if err := flags.Parse(args); err != nil {
		return err
	}
	what := map[string]func(context.Context, benchConfig) error{
		"rates":    benchRates,
		"backlog":  benchBacklog,
		"oversize": benchOversize,
		"fifo":     benchFIFO,
		"cost":     benchCost,
		"noop":     benchNoop,
	}[flags.Arg(0)]
	if what == nil || flags.NArg() != 1 {
		flags.Usage()
		return flag.ErrHelp
	}

	if flags.Arg(0) == "noop" {
		return benchNoop(ctx, c)
	}
	dir, err := os.MkdirTemp("", "queen-sqs-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c.dir = dir
	if c.gateway == "" && c.endpoint == "" {
		if c.gateway, err = load.Build(ctx, "github.com/queen-mq/queen-sqs/cmd/queen-sqs", dir); err != nil {
			return err
		}
	}
	fmt.Printf("%s/%s, %d cores, %s, %d workers, %d-byte bodies\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), c.workers, c.bodySize)
	return what(ctx, c)
}

// start starts a gateway on disk in the scratch folder, with signatures
// verified.
func (c benchConfig) start(ctx context.Context) (*load.Gateway, error) {
	addr, err := load.FreeAddr()
	if err != nil {
		return nil, err
	}
	g := &load.Gateway{Binary: c.gateway, Addr: addr, Data: filepath.Join(c.dir, "data"), Env: []string{"LOG_LEVEL=warn"}}
	return g, g.Start(ctx)
}

func mib(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }
