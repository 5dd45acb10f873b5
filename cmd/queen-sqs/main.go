// Command queen-sqs speaks Amazon SQS and SNS to unmodified AWS SDKs, over an
// embedded broker or a Queen broker.
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
)

// command is one subcommand. It answers the process's exit status.
type command struct {
	name string
	what string
	run  func(p process) int
}

// process is what a command has of the process it is.
type process struct {
	args    []string // behind the subcommand
	environ []string
	stdout  io.Writer
	stderr  io.Writer
	signals <-chan os.Signal // those that ask the process to end
}

var commands = []command{
	{"serve", "serve SQS (queen-sqs serve --help lists the settings)", serve},
	{"broker", "serve Queen's own HTTP API over the embedded broker (queen-sqs broker --help lists the settings)", broker},
	{"healthcheck", "ask the gateway of the same settings whether it serves; exit status 0 or 1", healthcheck},
	{"version", "print the version", version},
}

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(run(os.Args[1:], process{environ: os.Environ(), stdout: os.Stdout, stderr: os.Stderr, signals: signals}))
}

func run(args []string, p process) int {
	if len(args) == 0 {
		usage(p.stderr)
		return 2
	}
	for _, c := range commands {
		if c.name == args[0] {
			p.args = args[1:]
			return c.run(p)
		}
	}
	switch args[0] {
	case "help", "--help", "-help", "-h":
		usage(p.stdout)
		return 0
	}
	return p.refuse(fmt.Errorf("there is no command %.80q; queen-sqs help lists them", args[0]))
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "Usage: queen-sqs COMMAND [flags]")
	fmt.Fprintln(w)
	for _, c := range commands {
		fmt.Fprintf(w, "  %-12s %s\n", c.name, c.what)
	}
}

// refuse prints why a command does nothing.
func (p process) refuse(err error) int {
	fmt.Fprintln(p.stderr, "queen-sqs:", err)
	return 1
}

func version(p process) int {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{Main: debug.Module{Version: "unknown"}}
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = ", commit " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", modified"
		}
	}
	fmt.Fprintf(p.stdout, "queen-sqs %s (%s, %s/%s%s%s)\n", info.Main.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, revision, modified)
	return 0
}
