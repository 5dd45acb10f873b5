package queenrig

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Postgres is the rig's private cluster. It trusts everyone on the loopback.
type Postgres struct {
	Host     string
	Port     int
	User     string
	Password string
	Database string

	*process
}

// postgresSettings are small, and durable as PostgreSQL is by default. The time
// zone is UTC because Queen 1.x writes the database's local time with a Z
// behind it.
var postgresSettings = map[string]string{
	"listen_addresses":        "127.0.0.1",
	"unix_socket_directories": "",
	"timezone":                "UTC",
	"log_timezone":            "UTC",
	"shared_buffers":          "64MB",
	"max_connections":         "120",
	"max_wal_size":            "256MB",
	"log_min_messages":        "warning",
	"log_min_error_statement": "panic",
	"synchronous_commit":      "on",
	"fsync":                   "on",
}

func newPostgres(tools Tools, dir string, settings map[string]string) (*Postgres, error) {
	ports, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	home := filepath.Join(dir, "postgres")
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		// PostgreSQL refuses to run as root.
		cred, err := ordinaryUser()
		if err != nil {
			return nil, err
		}
		attr.Credential = cred
		if err := os.Chown(home, int(cred.Uid), int(cred.Gid)); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(home, "data")
	env := []string{"PATH=" + tools.PostgresBin + ":/usr/bin:/bin", "HOME=" + home, "LC_ALL=C", "TZ=UTC"}
	initdb := exec.Command(filepath.Join(tools.PostgresBin, "initdb"),
		"-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.Env, initdb.Dir, initdb.SysProcAttr = env, home, attr
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w:\n%s", err, out)
	}

	pg := &Postgres{Host: "127.0.0.1", Port: ports[0], User: "postgres", Password: "postgres", Database: "postgres"}
	port := strconv.Itoa(pg.Port)
	pg.process = &process{
		name: "postgres", path: filepath.Join(tools.PostgresBin, "postgres"),
		args: []string{"-D", data, "-p", port}, env: env, dir: home, attr: attr,
		log: filepath.Join(dir, "postgres.log"), pidFile: pidFile(dir, "postgres"),
		// Fast shutdown, and immediate shutdown: the latter leaves the same
		// recovery to the next start as a crash, and no orphaned backends.
		stop: syscall.SIGINT, crash: syscall.SIGQUIT,
		ready: func() error {
			return exec.Command(filepath.Join(tools.PostgresBin, "pg_isready"), "-q", "-h", pg.Host, "-p", port, "-U", pg.User).Run()
		},
	}
	all := maps.Clone(postgresSettings)
	maps.Copy(all, settings)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		pg.args = append(pg.args, "-c", name+"="+all[name])
	}
	return pg, nil
}

// ordinaryUser is who runs PostgreSQL when the rig runs as root:
// QUEEN_RIG_USER, else postgres, else nobody.
func ordinaryUser() (*syscall.Credential, error) {
	names := []string{"postgres", "nobody"}
	if name := os.Getenv("QUEEN_RIG_USER"); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil && uid != 0 {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, &MissingError{
		What:   "a user to run PostgreSQL as, which refuses root (looked for " + strings.Join(names, ", ") + ")",
		Remedy: "run as an ordinary user, or name one in QUEEN_RIG_USER",
	}
}
