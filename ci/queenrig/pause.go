package queenrig

import (
	"errors"
	"syscall"
)

// Pause keeps a running process from doing anything, as a machine does that has
// run out of memory: its connections stay and nothing is answered.
func (p *process) Pause() error { return p.send(syscall.SIGSTOP) }

// Resume ends a Pause.
func (p *process) Resume() error { return p.send(syscall.SIGCONT) }

func (p *process) send(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.running() {
		return errors.New(p.name + ": is not running")
	}
	return p.cmd.Process.Signal(sig)
}
