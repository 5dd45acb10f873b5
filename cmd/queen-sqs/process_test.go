package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/steps/load"
)

// patience bounds what a test waits for; nothing asserts how long it took.
const patience = 30 * time.Second

// scratch is a folder that lasts as long as the tests.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "queen-sqs-test-"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(scratch)
	os.Exit(status)
}

var binary = sync.OnceValues(func() (string, error) {
	return load.Build(context.Background(), "github.com/queen-mq/queen-sqs/cmd/queen-sqs", scratch)
})

// start starts the command with nothing but the given environment.
func start(t *testing.T, environ []string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(path, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, environ...)
	cmd.Dir = t.TempDir()
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, stdout, stderr
}

// finish waits for the command and answers its exit status.
func finish(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	killer := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer killer.Stop()
	cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

func execute(t *testing.T, environ []string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd, out, errs := start(t, environ, args...)
	return finish(t, cmd), out.String(), errs.String()
}

func waitHealthy(t *testing.T, addr string) {
	t.Helper()
	client := http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		resp, err := client.Get("http://" + addr + "/healthz")
		if err == nil {
			resp.Body.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the gateway does not serve:", err)
		}
	}
}

func freeAddr(t *testing.T) string {
	t.Helper()
	addr, err := load.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

func TestServe(t *testing.T) {
	addr := freeAddr(t)
	data := filepath.Join(t.TempDir(), "data")
	cmd, stdout, stderr := start(t, []string{"QUEEN_SQS_LISTEN=" + addr}, "serve", "--data", data)
	waitHealthy(t, addr)

	status, out, errs := execute(t, []string{"QUEEN_SQS_LISTEN=" + addr}, "healthcheck")
	if status != 0 || out != `{"status":"ok","service":"queen-sqs"}`+"\n" {
		t.Errorf("healthcheck: %d %s %s", status, out, errs)
	}

	status, _, errs = execute(t, []string{"QUEEN_SQS_LISTEN=" + freeAddr(t)}, "serve", "--data", data)
	if status != 1 || !strings.Contains(errs, "in use") || strings.Count(errs, "queen-sqs: ") != 1 || strings.Contains(errs, "goroutine") {
		t.Errorf("a second gateway on the folder: %d\n%s", status, errs)
	}
	status, _, errs = execute(t, []string{"QUEEN_SQS_LISTEN=" + addr}, "serve", "--store", "memory")
	if status != 1 || !strings.Contains(errs, "QUEEN_SQS_LISTEN") {
		t.Errorf("a second gateway on the address: %d\n%s", status, errs)
	}

	cmd.Process.Signal(syscall.SIGTERM)
	if status := finish(t, cmd); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if !strings.Contains(stdout.String(), "aws --endpoint-url http://"+addr) {
		t.Errorf("no line to try it:\n%s", stdout)
	}
	for _, want := range []string{"msg=serving", "listen=" + addr, "embedded, in " + data, "auth=off", "profile=queen", "receive_mode=exact", "region=queen-1", "account=000000000000", "handle_secret=generated", "msg=stopped"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("the log does not have %q", want)
		}
	}
	status, _, errs = execute(t, []string{"QUEEN_SQS_LISTEN=" + addr}, "healthcheck")
	if status != 1 || !strings.Contains(errs, "does not answer") {
		t.Errorf("healthcheck of nothing: %d %s", status, errs)
	}

	cmd, _, stderr = start(t, []string{"QUEEN_SQS_LISTEN=" + addr, "QUEEN_SQS_CREDENTIALS=AKID:the-secret", "QUEEN_LOG_JSON=true"}, "serve", "--data", data)
	waitHealthy(t, addr)
	cmd.Process.Signal(os.Interrupt)
	if status := finish(t, cmd); status != 0 {
		t.Errorf("exit status %d", status)
	}
	var serving map[string]any
	for line := range strings.Lines(stderr.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("no JSON: %s", line)
		}
		if entry["msg"] == "serving" {
			serving = entry
		}
	}
	if serving["handle_secret"] != "loaded" || serving["auth"] != "sigv4" || serving["principals"] != 1.0 {
		t.Errorf("%v", serving)
	}
	if strings.Contains(stderr.String(), "the-secret") {
		t.Error("a secret is in the log")
	}
}

func TestSignalAnswersLongPolls(t *testing.T) {
	addr := freeAddr(t)
	cmd, _, stderr := start(t, nil, "serve", "--listen", addr, "--store", "memory")
	waitHealthy(t, addr)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	br := bufio.NewReader(c)
	call := func(action, body string) {
		fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: %s\r\nX-Amz-Target: AmazonSQS.%s\r\nContent-Length: %d\r\n\r\n%s", addr, action, len(body), body)
	}
	answer := func() (int, string) {
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	call("CreateQueue", `{"QueueName":"q"}`)
	if status, body := answer(); status != 200 {
		t.Fatal(status, body)
	}
	call("ReceiveMessage", `{"QueueUrl":"http://x/000000000000/q","WaitTimeSeconds":20}`)
	time.Sleep(100 * time.Millisecond) // either side of the signal, the request is answered
	cmd.Process.Signal(syscall.SIGTERM)
	if status, body := answer(); status != 200 && status != 503 {
		t.Error(status, body)
	}
	if status := finish(t, cmd); status != 0 {
		t.Errorf("exit status %d\n%s", status, stderr)
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"serve", "--help"}, {"version"}, {"healthcheck", "--help"}} {
		status, stdout, stderr := execute(t, nil, args...)
		if status != 0 || stdout == "" || stderr != "" {
			t.Errorf("%v: %d %q %q", args, status, stdout, stderr)
		}
		if args[0] == "serve" && !strings.Contains(stdout, "QUEEN_SQS_SHUTDOWN_GRACE_MS") {
			t.Error("the help does not list the settings")
		}
	}
	for _, args := range [][]string{{}, {"nonsense"}, {"serve", "--nonsense"}, {"serve", "--listen", "0.0.0.0:9324"}} {
		status, stdout, stderr := execute(t, nil, args...)
		if status == 0 || stdout != "" || stderr == "" {
			t.Errorf("%v: %d %q %q", args, status, stdout, stderr)
		}
	}
}

func TestTheLineToTryItIsOneWordEach(t *testing.T) {
	for in, want := range map[string]string{"AKID": "AKID", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'"} {
		if got := quote(in); got != want {
			t.Errorf("quote(%q) is %s", in, got)
		}
	}
	for in, want := range map[string]string{"0.0.0.0:1": "127.0.0.1:1", ":1": "127.0.0.1:1", "[::]:1": "[::1]:1", "localhost:1": "localhost:1", "10.0.0.1:1": "10.0.0.1:1"} {
		if got := reachable(in); got != want {
			t.Errorf("reachable(%q) is %s", in, got)
		}
	}
}
