package front

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/wire"
)

// patience bounds what a test waits for; nothing asserts how long it took.
const patience = 20 * time.Second

// pair is a client's end of a connection over a real socket and the conn at the
// other end, over TLS if asked.
func pair(t *testing.T, secure bool) (client net.Conn, c *conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	inner := ln
	if secure {
		inner = tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{testCertificate(t)}})
	}
	conns := newConnSet()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := listener{inner, conns}.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	if client, err = net.Dial("tcp", ln.Addr().String()); err != nil {
		t.Fatal(err)
	}
	c = (<-accepted).(*conn)
	if secure {
		client = tls.Client(client, &tls.Config{InsecureSkipVerify: true})
		shaken := make(chan error, 1)
		go func() { shaken <- client.(*tls.Conn).Handshake() }()
		if err := c.Conn.(*tls.Conn).Handshake(); err != nil {
			t.Fatal(err)
		}
		if err := <-shaken; err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { client.Close(); c.Conn.Close() })
	return client, c
}

func testCertificate(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// bothWays runs a test over plain TCP and over TLS.
func bothWays(t *testing.T, test func(t *testing.T, client net.Conn, c *conn)) {
	for name, secure := range map[string]bool{"tcp": false, "tls": true} {
		t.Run(name, func(t *testing.T) {
			client, c := pair(t, secure)
			test(t, client, c)
		})
	}
}

func waitDone(t *testing.T, ctx context.Context) {
	t.Helper()
	select {
	case <-ctx.Done():
	case <-time.After(patience):
		t.Fatal("the context did not end")
	}
}

func TestContextEndsWhenTheClientHangsUp(t *testing.T) {
	bothWays(t, func(t *testing.T, client net.Conn, c *conn) {
		ctx := c.begin()
		client.Close()
		waitDone(t, ctx)
		if cause := context.Cause(ctx); cause != errClientGone {
			t.Fatalf("cause is %v", cause)
		}
		c.end(ctx)
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Fatal("reading the dead connection succeeded")
		}
	})
}

func TestContextEndsWhenTheClientResets(t *testing.T) {
	client, c := pair(t, false)
	ctx := c.begin()
	client.(*net.TCPConn).SetLinger(0)
	client.Close()
	waitDone(t, ctx)
	c.end(ctx)
}

func TestChildContextsEndToo(t *testing.T) {
	client, c := pair(t, false)
	ctx := c.begin()
	child, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	client.Close()
	waitDone(t, child)
	if cause := context.Cause(child); cause != errClientGone {
		t.Fatalf("cause is %v", cause)
	}
	c.end(ctx)
}

func TestBytesThatArriveMeanwhileAreKept(t *testing.T) {
	for name, n := range map[string]int{"one byte": 1, "a request": 300, "as much as is kept": maxAhead, "more than is kept": 3 * maxAhead} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, client net.Conn, c *conn) {
				sent := strings.Repeat("0123456789", n/10+1)[:n]
				ctx := c.begin()
				ctx.Done()
				// Waiting for the watch makes sure that it is what reads.
				for watching := false; !watching; time.Sleep(time.Millisecond) {
					c.mu.Lock()
					watching = c.done != nil
					c.mu.Unlock()
				}
				go io.WriteString(client, sent)
				for arrived := false; !arrived; time.Sleep(time.Millisecond) {
					// The watch is interrupted over and over; nothing may get lost.
					c.end(ctx)
					arrived = len(c.ahead) > 0
					ctx = c.begin()
					ctx.Done()
					c.watch()
				}
				c.end(ctx)
				got := make([]byte, n)
				if _, err := io.ReadFull(c, got); err != nil {
					t.Fatal(err)
				}
				if string(got) != sent {
					t.Fatal("what was read is not what was sent")
				}
			})
		})
	}
}

func TestHangUpBehindAPipelinedRequest(t *testing.T) {
	client, c := pair(t, false)
	ctx := c.begin()
	ctx.Done()
	io.WriteString(client, "GET / HTTP/1.1\r\n\r\n")
	client.Close()
	waitDone(t, ctx)
	c.end(ctx)
	got, err := io.ReadAll(bufio.NewReader(c))
	if err != nil || string(got) != "GET / HTTP/1.1\r\n\r\n" {
		t.Fatalf("read %q, %v", got, err)
	}
}

func TestAnAnsweredRequestLeavesTheConnectionAlone(t *testing.T) {
	bothWays(t, func(t *testing.T, client net.Conn, c *conn) {
		for range 100 {
			ctx := c.begin()
			ctx.Done()
			c.watch()
			c.end(ctx)
			if cause := context.Cause(ctx); cause != errRequestDone {
				t.Fatalf("cause is %v", cause)
			}
			ctx.Done() // a straggler asks again, and must not start a watch
			c.watch()
			go io.WriteString(client, "x")
			if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestRequestsThatNobodyWaitsForAreNotWatched(t *testing.T) {
	_, c := pair(t, false)
	ctx := c.begin()
	ctx.Err()
	ctx.Value("x")
	c.watch()
	if c.timer != nil || c.done != nil {
		t.Fatal("the connection is watched")
	}
	c.end(ctx)
}

func TestDrainEndsOnlyWhatMayEndEarly(t *testing.T) {
	_, c := pair(t, false)
	ctx := c.begin()
	c.conns.drain()
	if ctx.Err() != nil {
		t.Fatal("a request was ended that may not end early")
	}
	c.endEarly(ctx)
	waitDone(t, ctx)
	if cause := context.Cause(ctx); cause != errDraining {
		t.Fatalf("cause is %v", cause)
	}
	c.end(ctx)
}

func TestDrainSparesWhatWaitsNoMore(t *testing.T) {
	_, c := pair(t, false)
	ctx := c.begin()
	unpark := wire.Park(context.WithoutCancel(ctx)) // found through children
	unpark()
	c.conns.drain()
	if ctx.Err() != nil {
		t.Fatal("a request was ended that does something")
	}
	defer wire.Park(ctx)()
	waitDone(t, ctx)
	c.end(ctx)
}

func TestCutEndsTheRequest(t *testing.T) {
	bothWays(t, func(t *testing.T, client net.Conn, c *conn) {
		ctx := c.begin()
		ctx.Done()
		c.watch()
		if n := c.conns.cut(); n != 1 {
			t.Fatalf("cut %d requests", n)
		}
		waitDone(t, ctx)
		c.end(ctx)
		if _, err := io.ReadAll(client); err != nil && !strings.Contains(err.Error(), "EOF") {
			t.Fatal(err)
		}
	})
}

func TestCloseLetsASendingClientReadItsAnswer(t *testing.T) {
	bothWays(t, func(t *testing.T, client net.Conn, c *conn) {
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			io.WriteString(c, "refused")
			c.linger()
			c.Close()
		}()
		// Far more than the sockets hold, so that the client is still sending when
		// the response is there.
		piece := strings.Repeat("x", 1<<20)
		for range 16 {
			if _, err := io.WriteString(client, piece); err != nil {
				t.Fatal(err)
			}
		}
		got, err := io.ReadAll(client)
		if err != nil || string(got) != "refused" {
			t.Fatalf("read %q, %v", got, err)
		}
		client.Close()
		<-closed
		select {
		case <-c.conns.empty():
		default:
			t.Fatal("the closed connection is still in the set")
		}
	})
}
