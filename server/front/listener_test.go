package front

import (
	"io"
	"net"
	"os"
	"syscall"
	"testing"
)

// scarce is a listener that fails for want of file descriptors first.
type scarce struct {
	net.Listener
	failures []error
}

func (l *scarce) Accept() (net.Conn, error) {
	if len(l.failures) == 0 {
		client, c := net.Pipe()
		client.Close()
		return c, nil
	}
	err := l.failures[0]
	l.failures = l.failures[1:]
	return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", err)}
}

func TestAcceptSurvivesWhatPasses(t *testing.T) {
	l := listener{&scarce{failures: []error{syscall.EMFILE, syscall.ECONNABORTED, syscall.ENFILE}}, newConnSet()}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err != io.EOF {
		t.Error(err)
	}
	c.Close()
	l = listener{&scarce{failures: []error{syscall.EBADF}}, newConnSet()}
	if _, err := l.Accept(); err == nil {
		t.Error("a broken listener goes on")
	}
}
