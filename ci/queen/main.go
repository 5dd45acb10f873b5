// Command queen runs the real Queen broker on a private PostgreSQL, for tests
// and for a person at a desk. ci/queen.sh builds and runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/queen-mq/queen-sqs/ci/queenrig"
)

const usage = `usage: ci/queen.sh MODE

  run [options] -- COMMAND...   run COMMAND with a broker; exit with its status
  up [options]                  run a broker until interrupted; print where it is
  install                       build the pinned broker (Queen ` + queenrig.Version + `) into the cache folder, once
  check                         say what is missing

options of run and up:
  -keep          outlive the process that started this one (for up: end it with SIGTERM)
  -brokers N     broker processes on the one database (default 1)
  -mesh          the brokers announce pushes to each other
  -pg NAME=VALUE a setting of PostgreSQL, such as timezone=America/New_York or fsync=off; may be repeated
  -env NAME=VALUE  an environment variable of the brokers; may be repeated

environment:
  QUEEN_CACHE      the cache folder (default ~/.cache/queen-sqs)
  QUEEN_BIN        another broker binary than the pinned one
  QUEEN_RIG_USER   who runs PostgreSQL when root runs this (default postgres, then nobody)

COMMAND finds QUEEN_TEST_URL (and QUEEN_TEST_URL_2, ... with more brokers), QUEEN_TEST_PG_HOST, _PORT, _USER,
_PASSWORD, _DATABASE, and QUEEN_TEST_CONTROL, an address that takes POST /postgres/VERB and POST /broker/N/VERB
with the verbs stop, start and kill. Everything goes away when COMMAND ends, on an interrupt, and when the
process that started this one dies.
`

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := mode(ctx, os.Args[1], os.Args[2:])
	stop()
	os.Exit(code)
}

func mode(ctx context.Context, name string, args []string) int {
	switch name {
	case "run":
		return run(ctx, args)
	case "up":
		return up(ctx, args)
	case "install":
		return install(ctx)
	case "check":
		return check()
	case "help", "-h", "-help", "--help":
		fmt.Print(usage)
		return 0
	}
	fmt.Fprintf(os.Stderr, "queen: unknown mode %q\n\n%s", name, usage)
	return 2
}

// untilOrphaned ends its context when the parent process has died: then this
// process belongs to another one.
func untilOrphaned(ctx context.Context) (context.Context, context.CancelFunc) {
	parent := os.Getppid()
	// The shell script has had this parent for longer.
	if p, err := strconv.Atoi(os.Getenv("QUEEN_RIG_PARENT")); err == nil {
		parent = p
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for os.Getppid() == parent {
			select {
			case <-ctx.Done():
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
		cancel()
	}()
	return ctx, cancel
}

// request is what run and up are asked for.
type request struct {
	queenrig.Options
	keep bool
	rest []string
}

func parse(name string, args []string) (request, error) {
	var req request
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.IntVar(&req.Brokers, "brokers", 1, "")
	flags.BoolVar(&req.Mesh, "mesh", false, "")
	req.Postgres, req.Broker = map[string]string{}, map[string]string{}
	flags.Func("pg", "", pairs(req.Postgres))
	flags.Func("env", "", pairs(req.Broker))
	flags.BoolVar(&req.keep, "keep", false, "")
	if err := flags.Parse(args); err != nil {
		return req, err
	}
	if req.Brokers < 1 || req.Brokers > 3 {
		return req, errors.New("-brokers is 1 to 3")
	}
	req.rest = flags.Args()
	return req, nil
}

// pairs collects the NAME=VALUE arguments of a repeated option.
func pairs(into map[string]string) func(string) error {
	return func(arg string) error {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || name == "" {
			return fmt.Errorf("%q is not NAME=VALUE", arg)
		}
		into[name] = value
		return nil
	}
}

// start installs the broker if need be and builds the rig; an interrupt
// meanwhile leaves nothing behind.
func start(ctx context.Context, req request) (*queenrig.Rig, error) {
	if _, err := queenrig.FindBroker(); err != nil && os.Getenv("QUEEN_BIN") == "" {
		fmt.Fprintln(os.Stderr, "queen: building the broker, this takes some minutes")
		if err := queenrig.Install(ctx, os.Stderr); err != nil {
			return nil, err
		}
	}
	rig, err := queenrig.Start(req.Options)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, errors.Join(errors.New("interrupted"), rig.Close())
	}
	return rig, nil
}

func run(ctx context.Context, args []string) int {
	req, err := parse("run", args)
	if err != nil {
		return fail(2, err)
	}
	if len(req.rest) == 0 {
		return fail(2, errors.New("run needs a command after --"))
	}
	if !req.keep {
		var cancel context.CancelFunc
		ctx, cancel = untilOrphaned(ctx)
		defer cancel()
	}
	rig, err := start(ctx, req)
	if err != nil {
		return fail(1, err)
	}
	code := runCommand(ctx, rig, req.rest)
	if err := rig.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "queen:", err)
	}
	return code
}

func runCommand(ctx context.Context, rig *queenrig.Rig, command []string) int {
	control, closeControl, err := rig.ServeControl()
	if err != nil {
		return fail(1, err)
	}
	defer closeControl()

	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(append(os.Environ(), rig.Env()...), queenrig.ControlEnv+"="+control)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	// A file or a pipe is passed on; a terminal would stop a command that reads
	// it from a group in the background.
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeCharDevice == 0 {
		cmd.Stdin = os.Stdin
	}
	// A group of its own, so that what the command started ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fail(127, err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = endGroup(cmd.Process.Pid, done)
	}
	var exit *exec.ExitError
	if err == nil {
		return 0
	}
	if !errors.As(err, &exit) {
		return fail(1, err)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}

// endGroup asks the command and its children to end, and kills them ten seconds
// later.
func endGroup(pid int, done <-chan error) error {
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	select {
	case err := <-done:
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		return err
	case <-time.After(10 * time.Second):
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	return <-done
}

func up(ctx context.Context, args []string) int {
	req, err := parse("up", args)
	if err != nil {
		return fail(2, err)
	}
	if len(req.rest) > 0 {
		return fail(2, fmt.Errorf("up takes no arguments: %s", strings.Join(req.rest, " ")))
	}
	if !req.keep {
		var cancel context.CancelFunc
		ctx, cancel = untilOrphaned(ctx)
		defer cancel()
	}
	rig, err := start(ctx, req)
	if err != nil {
		return fail(1, err)
	}
	control, closeControl, err := rig.ServeControl()
	if err != nil {
		return fail(1, errors.Join(err, rig.Close()))
	}
	for _, line := range append(rig.Env(), queenrig.ControlEnv+"="+control) {
		fmt.Println(line)
	}
	<-ctx.Done()
	if err := errors.Join(closeControl(), rig.Close()); err != nil {
		return fail(1, err)
	}
	return 0
}

func install(ctx context.Context) int {
	if err := queenrig.Install(ctx, os.Stderr); err != nil {
		return fail(1, err)
	}
	path, err := queenrig.FindBroker()
	if err != nil {
		return fail(1, err)
	}
	fmt.Println(path)
	return 0
}

func check() int {
	tools, err := queenrig.FindTools()
	if tools.Broker != "" {
		fmt.Println("found: Queen at", tools.Broker)
	}
	if tools.PostgresBin != "" {
		fmt.Printf("found: PostgreSQL %d in %s\n", tools.PostgresVersion, tools.PostgresBin)
	}
	if err == nil {
		return 0
	}
	fmt.Println(err)
	if tools.Broker == "" {
		if path, err := exec.LookPath("cargo"); err == nil {
			fmt.Println("found: cargo at", path)
		} else {
			fmt.Println("missing: cargo, which ci/queen.sh install needs")
		}
	}
	return 1
}

func fail(code int, err error) int {
	fmt.Fprintln(os.Stderr, "queen:", err)
	return code
}
