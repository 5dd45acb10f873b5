// Command sqs-conform is the harness around the gateway: it runs the features
// against any endpoint, and measures what the documents claim.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// command is one subcommand.
type command struct {
	name string
	what string
	run  func(ctx context.Context, args []string) error
}

var commands = []command{
	{"run", "judge an SQS and SNS endpoint by the features (sqs-conform run --help)", runCommand},
	{"settle", "ask an endpoint what is not known of Amazon (sqs-conform settle --help)", settleCommand},
	{"replay", "hold this gateway against Amazon's recorded answers (sqs-conform replay --help)", replayCommand},
	{"peers", "put reports of run side by side (sqs-conform peers --help)", peersCommand},
	{"bench", "measure rates, a deep backlog or oversized requests (sqs-conform bench --help)", bench},
	{"model", "send requests made out of Amazon's models to an endpoint (sqs-conform model --help)", modelCommand},
	{"register", "measure what the register of divergences says in numbers (sqs-conform register --help)", registerCommand},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process, whatever a clean-up is waiting for.
	context.AfterFunc(ctx, stop)
	if err := run(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "sqs-conform:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		for _, c := range commands {
			if c.name == args[0] {
				return c.run(ctx, args[1:])
			}
		}
	}
	fmt.Fprintln(os.Stderr, "usage: sqs-conform COMMAND [flags]")
	for _, c := range commands {
		fmt.Fprintf(os.Stderr, "  %-8s %s\n", c.name, c.what)
	}
	if len(args) == 0 {
		return flag.ErrHelp
	}
	return fmt.Errorf("there is no command %q", args[0])
}
