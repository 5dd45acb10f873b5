package queenrig

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Process is a part of the rig that a fault test can take away and bring back.
type Process interface {
	// Start runs it and returns when it answers. A running one is left alone.
	Start() error
	// Stop ends it in order; a stopped one is left alone.
	Stop() error
	// Kill ends it as a crash does.
	Kill() error
}

const (
	startTimeout = 90 * time.Second
	stopTimeout  = 20 * time.Second
)

// process is one child process that can be started again and again with the
// same command.
type process struct {
	name    string
	path    string
	args    []string
	env     []string
	dir     string
	attr    *syscall.SysProcAttr
	log     string
	pidFile string
	// stop and crash are the signals of an orderly end and of a crash.
	stop, crash syscall.Signal
	// ready answers nil when the process takes work.
	ready func() error

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{}
}

func (p *process) Start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running() {
		return nil
	}
	if err := p.spawn(); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	if err := p.await(); err != nil {
		return errors.Join(fmt.Errorf("%s: %w; its log ends:\n%s", p.name, err, tail(p.log)), p.end(p.crash))
	}
	return nil
}

func (p *process) spawn() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.path, p.args...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = p.env, p.dir, p.attr
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := os.WriteFile(p.pidFile, []byte(strconv.Itoa(cmd.Process.Pid)), 0o644); err != nil {
		return errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	done := make(chan struct{})
	go func() {
		// The exit status of a process that was told to end says nothing.
		_ = cmd.Wait()
		// The guard must not take another process of that number for this one.
		_ = os.Remove(p.pidFile)
		close(done)
	}()
	p.cmd, p.done = cmd, done
	return nil
}

func (p *process) await() error {
	var err error
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); {
		if err = p.ready(); err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("ended before it was ready (%s)", p.cmd.ProcessState)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("not ready after %s: %w", startTimeout, err)
}

func (p *process) Stop() error { return p.lockedEnd(p.stop) }
func (p *process) Kill() error { return p.lockedEnd(p.crash) }

func (p *process) lockedEnd(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.end(sig)
}

func (p *process) end(sig syscall.Signal) error {
	if !p.running() {
		return nil
	}
	_ = p.cmd.Process.Signal(sig)
	select {
	case <-p.done:
		return nil
	case <-time.After(stopTimeout):
	}
	_ = p.cmd.Process.Kill()
	<-p.done
	return fmt.Errorf("%s: did not end within %s and was killed", p.name, stopTimeout)
}

func (p *process) running() bool {
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// pidFile is where the guard looks for a process to end.
func pidFile(dir, name string) string { return filepath.Join(dir, name+".pid") }

// freePorts finds n free ports of the loopback below the range that systems use
// for outgoing connections, so that a stopped process finds its port free when
// it is started again.
func freePorts(n int) ([]int, error) {
	const low, high = 20000, 32000
	var ports []int
	// Rigs that start together begin at different places.
	at := low + int(time.Now().UnixNano()/1000+int64(os.Getpid())*7919)%(high-low)
	for range high - low {
		if at++; at >= high {
			at = low
		}
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(at)))
		if err != nil {
			continue
		}
		l.Close()
		if ports = append(ports, at); len(ports) == n {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("fewer than %d free ports between %d and %d", n, low, high)
}
