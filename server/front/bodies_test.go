package front

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"golang.org/x/sync/semaphore"

	"github.com/queen-mq/queen-sqs/server/clock"
)

func TestBodiesAreReadWhole(t *testing.T) {
	p := newBodies()
	for _, n := range []int{0, 1, 4095, 4096, 4097, smallBody - 1, smallBody, smallBody + 1, 300_000, MaxBody - 1, MaxBody} {
		sent := bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n]
		for name, declared := range map[string]int{"declared": n, "chunked": -1} {
			for reader, r := range map[string]io.Reader{"whole": bytes.NewReader(sent), "data with EOF": iotest.DataErrReader(bytes.NewReader(sent))} {
				b, err := p.read(context.Background(), r, declared)
				if err != nil {
					t.Fatalf("%d bytes, %s, %s: %v", n, name, reader, err)
				}
				if !bytes.Equal(b.bytes, sent) {
					t.Fatalf("%d bytes, %s, %s: read %d other ones", n, name, reader, len(b.bytes))
				}
				b.release()
			}
		}
	}
	p.wantAllFree(t)
}

func (p *bodies) wantAllFree(t *testing.T) {
	t.Helper()
	for budget, size := range map[*semaphore.Weighted]int64{p.declared: largeBodies - undeclaredBodies, p.undeclared: undeclaredBodies} {
		if !budget.TryAcquire(size) {
			t.Errorf("of %d bytes some did not come back", size)
			continue
		}
		budget.Release(size)
	}
}

func TestOneByteTooMany(t *testing.T) {
	p := newBodies()
	for name, declared := range map[string]int{"declared": MaxBody + 1, "chunked": -1} {
		r := strings.NewReader(strings.Repeat("x", MaxBody+1))
		b, err := p.read(context.Background(), r, declared)
		if !errors.Is(err, errBodyTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
		if declared > 0 && r.Len() < MaxBody-smallBody {
			t.Error("a body that declared itself too large was read")
		}
		b.release()
	}
	p.wantAllFree(t)
}

func TestLargeBodiesWaitForTheirTurn(t *testing.T) {
	p := newBodies()
	const all = largeBodies - undeclaredBodies
	if !p.declared.TryAcquire(all) {
		t.Fatal("a new budget is not free")
	}
	large := strings.Repeat("x", smallBody+1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if b, err := p.read(ctx, strings.NewReader(large), len(large)); !errors.Is(err, errBodyBusy) || b.buf != nil {
		t.Errorf("a large body without a place: %v", err)
	}
	small, err := p.read(ctx, strings.NewReader("small"), 5)
	if err != nil || string(small.bytes) != "small" {
		t.Errorf("a small body waits: %v", err)
	}
	small.release()

	var wg sync.WaitGroup
	wg.Go(func() {
		b, err := p.read(t.Context(), strings.NewReader(large), len(large))
		if err != nil || string(b.bytes) != large {
			t.Errorf("a large body that waited: %v", err)
		}
		b.release()
	})
	p.declared.Release(all)
	wg.Wait()
	p.wantAllFree(t)
}

func oversized(target, encoding string) string {
	return "POST /?" + target + " HTTP/1.1\r\nHost: h\r\n" + encoding + "\r\n\r\n"
}

func TestOversizedRequestsAreAnsweredWhileTheyAreSent(t *testing.T) {
	r := run(t, Config{}, stubs)
	const total = 8 << 20
	piece := strings.Repeat("x", 1<<16)
	for name, test := range map[string]struct {
		head    string
		chunked bool
		want    string
	}{
		"json, declared":  {"POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Target: AmazonSQS.ListQueues\r\nContent-Length: 8388608\r\n\r\n", false, `"__type":"com.amazon.coral.service#InvalidParameterValueException"`},
		"json, chunked":   {"POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Target: AmazonSQS.ListQueues\r\nTransfer-Encoding: chunked\r\n\r\n", true, `"__type":"com.amazon.coral.service#InvalidParameterValueException"`},
		"query, declared": {oversized("Action=ListQueues", "Content-Length: 8388608"), false, "<Code>InvalidParameterValue</Code>"},
		"query, chunked":  {oversized("Action=ListQueues", "Transfer-Encoding: chunked"), true, "<Code>InvalidParameterValue</Code>"},
		"sns":             {oversized("Action=Publish&Version=2010-03-31", "Content-Length: 8388608"), false, "http://sns.amazonaws.com/doc/2010-03-31/"},
	} {
		t.Run(name, func(t *testing.T) {
			c, br := r.dial(t)
			io.WriteString(c, test.head)
			// All of it is sent before the response is looked at, as simple clients do.
			for range total / len(piece) {
				var err error
				if test.chunked {
					_, err = fmt.Fprintf(c, "%x\r\n%s\r\n", len(piece), piece)
				} else {
					_, err = io.WriteString(c, piece)
				}
				if err != nil {
					t.Fatal("sending:", err)
				}
			}
			a := read(t, br)
			a.want(t, 400, test.want, "2097152")
			if !a.Close {
				t.Error("the connection stays open")
			}
			if _, err := br.ReadByte(); err != io.EOF {
				t.Errorf("after the response: %v", err)
			}
		})
	}
	r.exchange(t, jsonCall("ListQueues", "{}")).want(t, 200)
}

func TestTheLargestBodyIsTaken(t *testing.T) {
	r := run(t, Config{}, stubs)
	body := `{"QueueNamePrefix":"` + strings.Repeat("x", MaxBody-22) + `"}`
	if len(body) != MaxBody {
		t.Fatal(len(body))
	}
	r.exchange(t, jsonCall("DeleteQueue", body)).want(t, 200)
	r.exchange(t, jsonCall("DeleteQueue", body+" ")).want(t, 400, "2097152")
}

func TestExpectContinue(t *testing.T) {
	r := run(t, Config{}, stubs)
	for _, name := range []string{"Expect", "expect"} {
		c, br := r.dial(t)
		io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\n"+name+": 100-continue\r\nContent-Length: 17\r\n\r\n")
		line, err := br.ReadString('\n')
		if err != nil || line != "HTTP/1.1 100 Continue\r\n" {
			t.Fatalf("%q, %v", line, err)
		}
		br.ReadString('\n')
		io.WriteString(c, "Action=ListQueues")
		read(t, br).want(t, 200, "<ListQueuesResponse")
	}
	a := r.exchange(t, "POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Target: AmazonSQS.ListQueues\r\nExpect: 100-continue\r\nContent-Length: 2097153\r\n\r\n")
	a.want(t, 400, "2097152")
	if !a.Close {
		t.Error("the connection stays open")
	}
}

func TestABodyThatEndsEarlyIsNotARequest(t *testing.T) {
	r := run(t, Config{}, stubs)
	for _, head := range []string{"Content-Length: 100", "Transfer-Encoding: chunked"} {
		c, br := r.dial(t)
		io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\n"+head+"\r\n\r\n5\r\nActio\r\n")
		c.(interface{ CloseWrite() error }).CloseWrite()
		read(t, br).want(t, 400, "InvalidParameterValue")
	}
}

// Fifty requests over the limit at once, each half sent, may hold what the
// budget allows and nothing afterwards.
func TestOversizedRequestsDoNotAddUp(t *testing.T) {
	r := runAt(t, Config{}, clock.System(), stubs)
	heap := func() int64 {
		runtime.GC()
		runtime.GC() // what pools hold survives one
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	piece := strings.Repeat("x", MaxBody/2)
	var half, done sync.WaitGroup
	release := make(chan struct{})
	for i := range 50 {
		c, br := r.dial(t)
		half.Add(1)
		done.Add(2)
		go func() {
			defer done.Done()
			var once sync.Once
			defer once.Do(half.Done)
			if i%2 == 0 {
				fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", MaxBody+1, piece)
				once.Do(half.Done)
				<-release
				io.WriteString(c, piece+"x")
				return
			}
			fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", MaxBody+1)
			io.WriteString(c, piece[:len(piece)/2])
			once.Do(half.Done)
			<-release
			io.WriteString(c, piece[len(piece)/2:]+piece+"x\r\n0\r\n\r\n")
		}()
		go func() {
			defer done.Done()
			read(t, br).want(t, 400, "2097152")
		}()
	}
	half.Wait()
	during := heap()
	close(release)
	done.Wait()
	after := heap()
	t.Logf("heap grew by %d KiB during and %d KiB after", (during-before)>>10, (after-before)>>10)
	if during-before > 2*largeBodies {
		t.Errorf("heap grew by %d bytes", during-before)
	}
	r.bodies.wantAllFree(t)
}
