// Package readme runs what the README shows, so that the README tells the truth
// about today.
package readme

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/steps/load"
)

// A block that is run stands behind a comment that names what runs it and what
// it must print:
//
//	<!-- run: python; prints: hello -->
//	```python
//	...
//	```
var block = regexp.MustCompile("(?ms)^<!-- run: ([a-z]+); prints: ([^\n]*?) -->\n```[a-z]*\n(.*?)^```$")

// runners name the command for each kind of block. FILE is the block's text in a
// folder of its own.
var runners = map[string]struct {
	file    string
	command []string
	needs   string // what has to be on the machine
	prepare []string
}{
	"awscli": {file: "block.sh", command: []string{"bash", "-eu", "block.sh"}, needs: "aws"},
	"python": {file: "block.py", command: []string{"python3", "block.py"}, needs: "python3"},
	"node": {file: "block.mjs", command: []string{"node", "block.mjs"}, needs: "npm",
		prepare: []string{"npm", "install", "--no-audit", "--no-fund", "--silent", "@aws-sdk/client-sqs@3.1175.0", "@aws-sdk/client-sns@3.1169.0"}},
	"go": {file: "block.go", command: []string{"go", "run", "block.go"}, needs: "go"},
}

const documented = "127.0.0.1:9324"

func TestEveryBlockOfTheReadmeRuns(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := block.FindAllStringSubmatch(string(text), -1)
	if want := strings.Count(string(text), "<!-- run:"); len(blocks) != want || want == 0 {
		t.Fatalf("%d blocks are marked to be run, %d could be read", want, len(blocks))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	binary, err := load.Build(ctx, "github.com/queen-mq/queen-sqs/cmd/queen-sqs", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range blocks {
		kind, prints, code := b[1], b[2], b[3]
		t.Run(fmt.Sprint(i+1, " ", kind), func(t *testing.T) { runBlock(ctx, t, binary, kind, prints, code) })
	}
}

func runBlock(ctx context.Context, t *testing.T, binary, kind, prints, code string) {
	runner, ok := runners[kind]
	if !ok {
		t.Fatalf("nothing runs a block of kind %q", kind)
	}
	if _, err := exec.LookPath(runner.needs); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("CI must have %s: %v", runner.needs, err)
		}
		t.Skipf("not run: %v", err)
	}
	addr, err := load.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	gateway := &load.Gateway{Binary: binary, Addr: addr, Data: filepath.Join(t.TempDir(), "data"), Open: true}
	if err := gateway.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer gateway.Stop()

	dir := t.TempDir()
	if kind == "go" {
		// The block imports what this module requires, so it lives inside it.
		if dir, err = os.MkdirTemp(".", "block-"); err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
	}
	code = strings.ReplaceAll(code, documented, addr)
	if err := os.WriteFile(filepath.Join(dir, runner.file), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	if runner.prepare != nil {
		if out, err := run(ctx, dir, runner.prepare); err != nil {
			t.Fatalf("%v: %v\n%s", runner.prepare, err, out)
		}
	}
	out, err := run(ctx, dir, runner.command)
	if err != nil {
		t.Fatalf("%v: %v\n%s", runner.command, err, out)
	}
	if !strings.Contains(out, prints) {
		t.Errorf("printed, without %q:\n%s", prints, out)
	}
}

func run(ctx context.Context, dir string, command []string) (string, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
