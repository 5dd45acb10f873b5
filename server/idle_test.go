package server_test

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server"
)

// A connection on which nothing was asked ends without a word: its client may be
// keeping it for later and would take an answer for that of its next request.
// One that began a request is told.
func TestConnectionThatAskedNothingIsClosedSilently(t *testing.T) {
	i := startWith(t, server.Options{Config: server.Config{ReadTimeout: 100 * time.Millisecond}})
	for begun, answered := range map[string]bool{
		"":                           false,
		"POST / HTTP/1.1\r\nHost: x": true,
	} {
		conn, err := net.Dial("tcp", i.Addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, begun); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(conn)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(got, []byte("did not arrive in time")) != answered || !answered && len(got) > 0 {
			t.Errorf("after %q came %q", begun, got)
		}
	}
}
