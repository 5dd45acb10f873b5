package front

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// dialTLS offers HTTP/2 first, as many clients do.
func (r *running) dialTLS(t *testing.T) (*tls.Conn, *bufio.Reader) {
	t.Helper()
	c, err := tls.Dial("tcp", r.addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return c, bufio.NewReader(c)
}

func TestTLS(t *testing.T) {
	p := newParking()
	r := run(t, Config{TLS: &tls.Config{Certificates: []tls.Certificate{testCertificate(t)}}}, p.handlers())
	c, br := r.dialTLS(t)
	if got := c.ConnectionState().NegotiatedProtocol; got != "http/1.1" {
		t.Errorf("negotiated %q", got)
	}
	for range 3 {
		io.WriteString(c, jsonCall("ListQueues", "{}"))
		read(t, br).want(t, 200, "https://gateway / ")
	}

	t.Run("long poll with a pipelined request", func(t *testing.T) {
		io.WriteString(c, jsonCall("ReceiveMessage", "{}"))
		<-p.parked
		time.Sleep(2 * watchAfter) // not needed for the result: makes the watch the one that reads
		io.WriteString(c, queryCall("Action=ListQueues&QueueNamePrefix="+strings.Repeat("x", 2*maxAhead)))
		p.release <- struct{}{}
		read(t, br).want(t, 200, "Released")
		read(t, br).want(t, 200, "<ListQueuesResponse")
	})
	t.Run("killed client", func(t *testing.T) {
		for _, kill := range []func(*tls.Conn){
			func(c *tls.Conn) { c.Close() },
			func(c *tls.Conn) { c.NetConn().Close() },                                          // without good-bye
			func(c *tls.Conn) { c.NetConn().(*net.TCPConn).SetLinger(0); c.NetConn().Close() }, // reset
		} {
			c, _ := r.dialTLS(t)
			io.WriteString(c, jsonCall("ReceiveMessage", "{}"))
			<-p.parked
			kill(c)
			p.wantEnd(t, errClientGone)
		}
	})
	t.Run("oversized", func(t *testing.T) {
		c, br := r.dialTLS(t)
		fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n", 2*MaxBody)
		if _, err := io.WriteString(c, strings.Repeat("x", 2*MaxBody)); err != nil {
			t.Fatal("sending:", err)
		}
		read(t, br).want(t, 400, "2097152")
	})
	t.Run("plain HTTP on the TLS port", func(t *testing.T) {
		c, br := r.dial(t)
		io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n")
		if line, err := br.ReadString('\n'); err == nil && strings.Contains(line, "200") {
			t.Errorf("served: %s", line)
		}
	})
}
