package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/steps/load"
)

const bodyLimit = 2 << 20

// benchOversize sends requests of one byte over the body limit, all at once and
// slowly enough that all are under way together, and prints the gateway's
// memory before, during and after. Half of them say how long they are, half are
// chunked.
func benchOversize(ctx context.Context, c benchConfig) error {
	gateway, err := c.start(ctx)
	if err != nil {
		return err
	}
	defer gateway.Stop()
	if err := printFootprint("before", gateway); err != nil {
		return err
	}

	// Every request first sends half of its body and waits for the others, so
	// that the gateway holds whatever it holds for all of them at once.
	var half sync.WaitGroup
	half.Add(c.requests)
	answers := make([]string, c.requests)
	var done sync.WaitGroup
	for i := range c.requests {
		done.Go(func() { answers[i] = oversize(gateway.Addr, i%2 == 1, &half) })
	}
	half.Wait()
	time.Sleep(200 * time.Millisecond)
	if err := printFootprint(fmt.Sprintf("with %d requests of %d bytes under way", c.requests, bodyLimit+1), gateway); err != nil {
		return err
	}
	done.Wait()
	if err := printFootprint("after", gateway); err != nil {
		return err
	}
	counts := map[string]int{}
	for _, a := range answers {
		counts[a]++
	}
	for answer, n := range counts {
		fmt.Printf("%d times: %s\n", n, answer)
	}
	client := load.NewClient(gateway.URL(), 1)
	defer client.Close()
	if _, err := client.CreateQueue(ctx, "still-there", nil); err != nil {
		return fmt.Errorf("the gateway does not serve any more: %w", err)
	}
	return nil
}

// oversize sends one request and answers what came back, in a few words.
func oversize(addr string, chunked bool, half *sync.WaitGroup) string {
	var once sync.Once
	ready := func() { once.Do(half.Done) }
	defer ready()
	conn, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return "not connected: " + err.Error()
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(30 * time.Second))

	head := "POST / HTTP/1.1\r\nHost: " + addr + "\r\nX-Amz-Target: AmazonSQS.SendMessage\r\n"
	if chunked {
		head += "Transfer-Encoding: chunked\r\n\r\n"
	} else {
		head += fmt.Sprintf("Content-Length: %d\r\n\r\n", bodyLimit+1)
	}
	go func() {
		io.WriteString(conn, head)
		piece := strings.Repeat("x", (bodyLimit+2)/2)
		for n := range 2 {
			if n == 1 {
				piece = piece[:bodyLimit+1-len(piece)]
			}
			if chunked {
				fmt.Fprintf(conn, "%x\r\n%s\r\n", len(piece), piece)
			} else {
				io.WriteString(conn, piece)
			}
			if n == 0 {
				ready()
				half.Wait()
			}
		}
		if chunked {
			io.WriteString(conn, "0\r\n\r\n")
		}
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return "no answer: " + err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return "half an answer: " + err.Error()
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, text)
}
