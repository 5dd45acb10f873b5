package queenrig

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// need skips a test on a machine without the real broker.
func need(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs a real broker: not in -short")
	}
	if _, err := FindTools(); err != nil {
		t.Skipf("not run, the real broker is not here: %v", err)
	}
}

func status(t *testing.T, url string) int {
	t.Helper()
	resp, err := http.Get(url + "/health")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

func TestPartsStopAndStart(t *testing.T) {
	need(t)
	rig, err := Start(Options{Brokers: 2, Mesh: true})
	if err != nil {
		t.Fatal(err)
	}
	defer rig.Close()
	control, closeControl, err := rig.ServeControl()
	if err != nil {
		t.Fatal(err)
	}
	defer closeControl()
	remote := Remote{Control: control}

	for _, verb := range []func() error{rig.Postgres.Stop, remote.Postgres().Stop} {
		if err := verb(); err != nil {
			t.Fatal(err)
		}
		if code := status(t, rig.Brokers[0].URL); code != http.StatusServiceUnavailable {
			t.Fatalf("health is %d while the database is away", code)
		}
	}
	if err := remote.Postgres().Start(); err != nil {
		t.Fatal(err)
	}
	if err := rig.Postgres.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := rig.Postgres.Start(); err != nil {
		t.Fatal(err)
	}
	if err := remote.Broker(1).Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := http.Get(rig.Brokers[1].URL + "/health"); err == nil {
		t.Fatal("a killed broker answers")
	}
	if code := status(t, rig.Brokers[0].URL); code != http.StatusOK {
		t.Fatalf("the other broker's health is %d", code)
	}
	if err := rig.Brokers[1].Start(); err != nil {
		t.Fatal(err)
	}
	if code := status(t, rig.Brokers[1].URL); code != http.StatusOK {
		t.Fatalf("health after a new start is %d", code)
	}
	if err := remote.Broker(2).Stop(); err == nil {
		t.Error("a broker that does not exist was stopped")
	}

	if err := rig.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(rig.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the rig's folder is still there: %v", err)
	}
	if _, err := http.Get(rig.Brokers[0].URL + "/health"); err == nil {
		t.Error("a broker answers after Close")
	}
}

// A process that is killed with a rig running leaves neither processes nor
// files behind.
func TestDeathOfParent(t *testing.T) {
	if os.Getenv("QUEENRIG_TEST_CHILD") != "" {
		rig, err := Start(Options{})
		if err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		fmt.Println(rig.dir, rig.Brokers[0].URL)
		select {}
	}
	need(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestDeathOfParent$")
	cmd.Env = append(os.Environ(), "QUEENRIG_TEST_CHILD=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	dir, url, ok := strings.Cut(strings.TrimSpace(line), " ")
	if !ok || filepath.Base(dir) == dir {
		cmd.Process.Kill()
		t.Fatalf("the child said %q", line)
	}
	status(t, url)
	cmd.Process.Kill()
	cmd.Wait()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is still there", dir)
		}
	}
	if _, err := http.Get(url + "/health"); err == nil {
		t.Error("the broker outlived its parent")
	}
}

func TestMissing(t *testing.T) {
	t.Setenv("QUEEN_BIN", "")
	t.Setenv("QUEEN_CACHE", t.TempDir())
	_, err := Start(Options{})
	var missing *MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "ci/queen.sh install") {
		t.Fatalf("got %v", err)
	}
}

func TestFreePorts(t *testing.T) {
	ports, err := freePorts(20)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, p := range ports {
		if p < 20000 || p >= 32000 || seen[p] {
			t.Errorf("port %d", p)
		}
		seen[p] = true
	}
}
