package queenrig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// Version is the broker's pinned version: the one that crates.io builds.
const Version = "1.3.0"

// minPostgres is the oldest PostgreSQL whose syntax the broker's schema uses.
const minPostgres = 15

// MissingError says what a rig cannot be built without.
type MissingError struct{ What, Remedy string }

func (e *MissingError) Error() string { return "missing: " + e.What + "; " + e.Remedy }

// Tools are the programs a rig runs.
type Tools struct {
	// Broker is the path of the queen binary.
	Broker string
	// PostgresBin is the folder of initdb and postgres, PostgresVersion their
	// major version.
	PostgresBin     string
	PostgresVersion int
}

// CacheDir is where the broker is installed: QUEEN_CACHE, else
// ~/.cache/queen-sqs.
func CacheDir() string {
	if dir := os.Getenv("QUEEN_CACHE"); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	return filepath.Join(home, ".cache", "queen-sqs")
}

func brokerRoot() string { return filepath.Join(CacheDir(), "queen-engine-"+Version) }

// FindTools looks for everything a rig needs. Its error joins one *MissingError
// for each thing that is not there.
func FindTools() (Tools, error) {
	var t Tools
	var errs [3]error
	t.Broker, errs[0] = FindBroker()
	t.PostgresBin, t.PostgresVersion, errs[1] = findPostgres()
	if os.Geteuid() == 0 {
		_, errs[2] = ordinaryUser()
	}
	return t, errors.Join(errs[:]...)
}

// FindBroker answers the path of the broker: QUEEN_BIN, else the installed one.
func FindBroker() (string, error) {
	if path := os.Getenv("QUEEN_BIN"); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			return "", &MissingError{"the broker that QUEEN_BIN names", err.Error()}
		}
		return filepath.Abs(path)
	}
	path := filepath.Join(brokerRoot(), "bin", "queen")
	if _, err := exec.LookPath(path); err != nil {
		return "", &MissingError{"Queen " + Version + " at " + path, "install it with ci/queen.sh install, or name a binary in QUEEN_BIN"}
	}
	return path, nil
}

var postgresVersion = regexp.MustCompile(`(\d+)(?:\.\d+)*`)

// findPostgres looks in PATH, then where Debian keeps the versions beside each
// other, the newest first.
func findPostgres() (bin string, version int, err error) {
	var dirs []string
	if path, err := exec.LookPath("initdb"); err == nil {
		// A link in PATH leads to the folder with all the programs.
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		dirs = append(dirs, filepath.Dir(path))
	}
	for v := 40; v >= minPostgres; v-- {
		dirs = append(dirs, fmt.Sprintf("/usr/lib/postgresql/%d/bin", v))
	}
	for _, dir := range dirs {
		v, err := postgresVersionIn(dir)
		if err == nil && v >= minPostgres {
			return dir, v, nil
		}
	}
	return "", 0, &MissingError{
		fmt.Sprintf("PostgreSQL %d or later (initdb, postgres and pg_isready in PATH or /usr/lib/postgresql)", minPostgres),
		"install it, on Debian with apt-get install postgresql",
	}
}

func postgresVersionIn(dir string) (int, error) {
	for _, name := range []string{"initdb", "postgres", "pg_isready"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return 0, err
		}
	}
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return 0, err
	}
	m := postgresVersion.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("no version in %q", out)
	}
	return strconv.Atoi(string(m[1]))
}

// Install builds the pinned broker into the cache folder, once. It takes some
// minutes, and writes what cargo says to log.
func Install(ctx context.Context, log io.Writer) error {
	path := filepath.Join(brokerRoot(), "bin", "queen")
	if _, err := exec.LookPath(path); err == nil {
		return nil
	}
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		return &MissingError{"cargo, to build Queen " + Version, "install Rust from https://rustup.rs, or name a broker in QUEEN_BIN"}
	}
	cmd := exec.CommandContext(ctx, cargo, "install", "queen-engine", "--version", Version, "--locked", "--root", brokerRoot())
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cargo install queen-engine %s: %w", Version, err)
	}
	_, err = FindBroker()
	return err
}
