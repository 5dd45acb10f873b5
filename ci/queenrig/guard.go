package queenrig

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// guard is a small process that outlives its parent just long enough to clean
// up after it. It reads a pipe whose other end only the parent holds: the pipe
// ends when the parent does, however that came about.
type guard struct {
	pipe *os.File
	cmd  *exec.Cmd
}

// The guard stands in a session of its own, so that an interrupt from the
// terminal does not end it before its work is done. A rig that was closed has
// removed its folder, and nothing is left to do. The folder is removed when
// PostgreSQL has taken its backends down.
const guardScript = `
trap '' HUP INT TERM
cat >/dev/null
[ -d "$1" ] || exit 0
for f in "$1"/broker-*.pid; do
  [ -e "$f" ] && kill -KILL "$(cat "$f")" 2>/dev/null
done
if [ -e "$1/postgres.pid" ]; then
  pid=$(cat "$1/postgres.pid")
  kill -QUIT "$pid" 2>/dev/null
  n=0
  while kill -0 "$pid" 2>/dev/null && [ $n -lt 100 ]; do sleep 0.1; n=$((n+1)); done
  kill -KILL "$pid" 2>/dev/null
fi
rm -rf -- "$1"
`

func newGuard(dir string) (*guard, error) {
	// Both ends are close-on-exec, so no other child keeps the pipe open.
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// Output goes nowhere: a test binary's own output must not stay open.
	cmd := exec.Command("/bin/sh", "-c", guardScript, "queen-rig-guard", dir)
	cmd.Stdin = r
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return &guard{pipe: w, cmd: cmd}, nil
}

// release ends the guard of a rig that has cleaned up by itself.
func (g *guard) release() error {
	return errors.Join(g.pipe.Close(), g.cmd.Wait())
}
