package front

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// The cost of the way to an action and back, beside fasthttp's own: one signed
// request after the other on one connection of loopback, with an empty response.
func BenchmarkRequest(b *testing.B) {
	nothing := func(context.Context, *wire.Request) (*wire.Object, error) { return nil, nil }
	waits := func(ctx context.Context, _ *wire.Request) (*wire.Object, error) {
		_, cancel := context.WithTimeout(ctx, time.Minute)
		cancel()
		return nil, nil
	}
	gateway := func(cfg Config, h wire.Handler) func(net.Listener) {
		cfg.Handlers, cfg.Clock = map[string]wire.Handler{"ListQueues": h}, clock.System()
		f := New(cfg)
		return func(ln net.Listener) { f.Serve(ln) }
	}
	noop := func(ln net.Listener) {
		response := []byte("{}")
		(&fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) { ctx.SetBody(response) }}).Serve(ln)
	}
	for _, bench := range []struct {
		name  string
		serve func(net.Listener)
	}{
		{"fasthttp alone", noop},
		{"signature not looked at", gateway(Config{}, nothing)},
		{"signature verified", gateway(Config{Verifier: testVerifier()}, nothing)},
		{"action with a timeout", gateway(Config{Verifier: testVerifier()}, waits)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			defer ln.Close()
			go bench.serve(ln)
			c, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			br := bufio.NewReader(c)
			request := []byte(signed(&testing.T{}, "json", forge{}))
			var resp fasthttp.Response
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Write(request); err != nil {
					b.Fatal(err)
				}
				if err := resp.Read(br); err != nil || resp.StatusCode() != http.StatusOK {
					b.Fatal(err, resp.StatusCode(), string(resp.Body()))
				}
			}
		})
	}
}

// The cost of a large body.
func BenchmarkBody(b *testing.B) {
	p := newBodies()
	for name, size := range map[string]int{"1 KiB": 1 << 10, "256 KiB": 256 << 10, "2 MiB": MaxBody} {
		sent := strings.Repeat("x", size)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				body, err := p.read(context.Background(), io.NopCloser(strings.NewReader(sent)), size)
				if err != nil {
					b.Fatal(err)
				}
				body.release()
			}
		})
	}
}
