package front

import (
	"context"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// parking is a ReceiveMessage that parks until its context ends or the test
// releases it.
type parking struct {
	parked  chan struct{} // one for each that has parked
	release chan struct{} // one for each that may response
	ended   chan error    // the cause of each context that ended
}

func newParking() *parking {
	return &parking{parked: make(chan struct{}, 2000), release: make(chan struct{}), ended: make(chan error, 2000)}
}

func (p *parking) handlers() map[string]wire.Handler {
	return map[string]wire.Handler{
		"ReceiveMessage": p.park,
		"SendMessage":    p.park,
		"ListQueues":     listQueues,
	}
}

func (p *parking) park(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	if req.Action == "ReceiveMessage" {
		defer wire.Park(ctx)()
	}
	done := ctx.Done()
	p.parked <- struct{}{}
	select {
	case <-p.release:
		return wire.NewObject(wire.Member{Name: "Released", Value: wire.String(req.Params.Get("QueueUrl").Text())}), nil
	case <-done:
		p.ended <- context.Cause(ctx)
		return nil, fault.ServiceUnavailable.Default().Because(ctx.Err())
	}
}

func (p *parking) wantEnd(t *testing.T, want error) {
	t.Helper()
	select {
	case cause := <-p.ended:
		if cause != want {
			t.Fatalf("the context ended because of %v, want %v", cause, want)
		}
	case <-time.After(patience):
		t.Fatal("the context did not end")
	}
}

func receives() map[string]string {
	return map[string]string{"json": jsonCall("ReceiveMessage", `{"QueueUrl":"q"}`), "query": queryCall("Action=ReceiveMessage&QueueUrl=q")}
}

func TestKilledClientEndsItsLongPoll(t *testing.T) {
	for protocol, request := range receives() {
		for how, kill := range map[string]func(net.Conn){
			"closed":      func(c net.Conn) { c.Close() },
			"reset":       func(c net.Conn) { c.(*net.TCPConn).SetLinger(0); c.Close() },
			"half closed": func(c net.Conn) { c.(*net.TCPConn).CloseWrite() },
		} {
			t.Run(protocol+" "+how, func(t *testing.T) {
				p := newParking()
				r := run(t, Config{}, p.handlers())
				c, _ := r.dial(t)
				io.WriteString(c, request)
				<-p.parked
				kill(c)
				p.wantEnd(t, errClientGone)
				if strings.Contains(r.log.String(), "level=WARN") {
					t.Errorf("a client that hung up is a warning:\n%s", r.log)
				}
			})
		}
	}
}

func TestPipelinedRequestBehindALongPoll(t *testing.T) {
	for protocol, request := range receives() {
		for name, size := range map[string]int{"short": 10, "long": 3 * maxAhead} {
			t.Run(protocol+" "+name, func(t *testing.T) {
				p := newParking()
				r := run(t, Config{}, p.handlers())
				c, br := r.dial(t)
				io.WriteString(c, request)
				<-p.parked
				time.Sleep(2 * watchAfter) // not needed for the result: makes the watch the one that reads
				prefix := strings.Repeat("abc", size)
				io.WriteString(c, jsonCall("ListQueues", `{"QueueNamePrefix":"`+prefix+`"}`))
				p.release <- struct{}{}
				read(t, br).want(t, 200, "Released")
				read(t, br).want(t, 200, " "+prefix+`"`)
				// And the connection goes on.
				io.WriteString(c, request)
				<-p.parked
				p.release <- struct{}{}
				read(t, br).want(t, 200, "Released")
				c.Close()
			})
		}
	}
}

func TestAThousandHungUpClientsLeaveNothingBehind(t *testing.T) {
	p := newParking()
	r := run(t, Config{}, p.handlers())
	r.exchange(t, jsonCall("ListQueues", "{}")).want(t, 200)
	before := runtime.NumGoroutine()

	const clients = 1000
	var open []net.Conn
	for i := range clients {
		c, err := net.Dial("tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
		if i%2 == 0 {
			io.WriteString(c, receives()["json"])
		} else {
			io.WriteString(c, receives()["query"])
		}
	}
	for range clients {
		<-p.parked
	}
	for _, c := range open {
		c.Close()
	}
	for range clients {
		p.wantEnd(t, errClientGone)
	}
	for deadline := time.Now().Add(patience); len(r.conns.all()) > 1; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections are left open", len(r.conns.all())-1)
		}
	}
	// The workers are in fasthttp's pool, which keeps them for a while.
	r.Shutdown(context.Background())
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func TestLongPollsOutliveTheReadTimeout(t *testing.T) {
	p := newParking()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := New(Config{Handlers: p.handlers(), ReadTimeout: 50 * time.Millisecond, Clock: clock.System()})
	go f.Serve(ln)
	defer f.Shutdown(context.Background())
	r := &running{Front: f, addr: ln.Addr().String()}
	c, br := r.dial(t)
	io.WriteString(c, jsonCall("ReceiveMessage", "{}"))
	<-p.parked
	select {
	case cause := <-p.ended:
		t.Fatalf("the long poll ended because of %v", cause)
	case <-time.After(200 * time.Millisecond):
	}
	p.release <- struct{}{}
	read(t, br).want(t, 200)
}
