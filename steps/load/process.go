package load

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Build compiles a command of this module into dir and answers the path of the
// binary.
func Build(ctx context.Context, pkg, dir string) (string, error) {
	out := filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.CommandContext(ctx, "go", "build", "-o", out, pkg)
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", pkg, err, text)
	}
	return out, nil
}

// FreeAddr is a loopback address nobody listens on at the moment.
func FreeAddr() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer ln.Close()
	return ln.Addr().String(), nil
}

// Gateway is a queen-sqs process.
type Gateway struct {
	Binary string
	// Addr is host:port; Data the folder of the embedded broker, empty when Env
	// names another broker.
	Addr string
	Data string
	// Open leaves the credentials away: auth is off.
	Open bool
	// Env is added to the environment, as NAME=value.
	Env []string

	cmd  *exec.Cmd
	log  bytes.Buffer
	done chan error
}

// URL is the gateway's endpoint.
func (g *Gateway) URL() string { return "http://" + g.Addr }

// Start starts the process and returns once it answers /healthz.
func (g *Gateway) Start(ctx context.Context) error {
	g.log.Reset()
	g.cmd = exec.Command(g.Binary, "serve")
	g.cmd.Env = append(os.Environ(),
		"QUEEN_SQS_LISTEN="+g.Addr,
	)
	if g.Data != "" {
		g.cmd.Env = append(g.cmd.Env, "QUEEN_SQS_DATA="+g.Data)
	}
	if !g.Open {
		g.cmd.Env = append(g.cmd.Env, "QUEEN_SQS_CREDENTIALS="+AccessKeyID+":"+Secret)
	}
	g.cmd.Env = append(g.cmd.Env, g.Env...)
	g.cmd.Stdout = &g.log
	g.cmd.Stderr = &g.log
	if err := g.cmd.Start(); err != nil {
		return err
	}
	g.done = make(chan error, 1)
	go func(cmd *exec.Cmd, done chan error) { done <- cmd.Wait() }(g.cmd, g.done)
	return g.waitHealthy(ctx)
}

func (g *Gateway) waitHealthy(ctx context.Context) error {
	client := http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	for {
		resp, err := client.Get(g.URL() + "/healthz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-g.done:
			g.done <- err
			return fmt.Errorf("the gateway ended before it was ready: %v\n%s", err, g.log.String())
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Kill ends the process with SIGKILL and waits until it is gone.
func (g *Gateway) Kill() { g.signal(syscall.SIGKILL) }

// Stop asks the process to end and waits until it is gone.
func (g *Gateway) Stop() { g.signal(syscall.SIGTERM) }

func (g *Gateway) signal(sig syscall.Signal) {
	if g.cmd == nil || g.cmd.Process == nil {
		return
	}
	_ = g.cmd.Process.Signal(sig)
	g.done <- <-g.done
}

// Log is what the process printed since its last start. Read it only after the
// process ended.
func (g *Gateway) Log() string { return g.log.String() }

// RSS is the process's resident memory in bytes, and its high-water mark.
func (g *Gateway) RSS() (now, peak int64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			now = kb << 10
		case "VmHWM":
			peak = kb << 10
		}
	}
	return now, peak, nil
}

// PID is the process's number while it runs.
func (g *Gateway) PID() int { return g.cmd.Process.Pid }
