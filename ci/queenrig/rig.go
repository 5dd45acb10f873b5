// Package queenrig runs the real Queen broker for tests: a private PostgreSQL
// cluster in a temporary folder and one or more broker processes on it, each of
// which a test can stop, start and kill. Nothing of it is linked into the
// service.
//
// A test either owns a rig,
//
//	rig, err := queenrig.Start(queenrig.Options{})
//	defer rig.Close()
//	... rig.Brokers[0].URL ... rig.Postgres.Stop() ...
//
// or uses the one that `ci/queen.sh run -- go test ./...` started for it
// (FromEnv).
//
// Everything goes away with the rig: on Close, and also when the process that
// started it dies without calling Close, because a guard process waits for that.
package queenrig

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Options say what Start builds. The zero value is one broker on a default
// database.
type Options struct {
	// Brokers is how many broker processes share the database; 0 means 1.
	Brokers int
	// Mesh lets several brokers announce pushes to each other. Without it one
	// learns of another's pushes within QUEEN_HOTLIST_RESEED_MS.
	Mesh bool
	// Postgres are settings of postgresql.conf over the rig's own, such as
	// "timezone" or "fsync".
	Postgres map[string]string
	// Broker are environment variables of the brokers over the rig's own.
	Broker map[string]string
}

// Rig is a running database with its brokers.
type Rig struct {
	Postgres *Postgres
	Brokers  []*Broker

	dir   string
	guard *guard
	once  sync.Once
	err   error
}

// Start builds a rig and returns when every broker is healthy. It installs
// nothing: where the broker or PostgreSQL is missing, the error is a
// *MissingError that names the remedy.
func Start(opts Options) (*Rig, error) {
	tools, err := FindTools()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "queen-rig-")
	if err != nil {
		return nil, err
	}
	g, err := newGuard(dir)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	rig := &Rig{dir: dir, guard: g}
	if err := rig.start(tools, opts); err != nil {
		return nil, errors.Join(err, rig.Close())
	}
	return rig, nil
}

func (r *Rig) start(tools Tools, opts Options) error {
	// The database's user must be able to enter the folder.
	if err := os.Chmod(r.dir, 0o711); err != nil {
		return err
	}
	var err error
	if r.Postgres, err = newPostgres(tools, r.dir, opts.Postgres); err != nil {
		return err
	}
	if err := r.Postgres.Start(); err != nil {
		return err
	}
	if err := r.newBrokers(tools, opts); err != nil {
		return err
	}
	for _, b := range r.Brokers {
		if err := b.Start(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rig) newBrokers(tools Tools, opts Options) error {
	n := max(opts.Brokers, 1)
	ports, err := freePorts(2 * n)
	if err != nil {
		return err
	}
	http, mesh := ports[:n], ports[n:]
	for i := range n {
		env := brokerEnv(r.Postgres, r.dir, i+1, http[i])
		if opts.Mesh {
			var peers []string
			for j, port := range mesh {
				if j != i {
					peers = append(peers, "127.0.0.1:"+strconv.Itoa(port))
				}
			}
			env["QUEEN_MESH_PORT"] = strconv.Itoa(mesh[i])
			env["QUEEN_MESH_PEERS"] = strings.Join(peers, ",")
			env["QUEEN_SYNC_SECRET"] = filepath.Base(r.dir)
		}
		maps.Copy(env, opts.Broker)
		b, err := newBroker(tools, r.dir, i+1, http[i], env)
		if err != nil {
			return err
		}
		r.Brokers = append(r.Brokers, b)
	}
	return nil
}

// Close stops everything and removes the rig's folder. It may be called again;
// the later calls answer what the first did.
func (r *Rig) Close() error {
	r.once.Do(func() {
		var errs []error
		for _, b := range r.Brokers {
			errs = append(errs, b.Stop())
		}
		if r.Postgres != nil {
			errs = append(errs, r.Postgres.Stop())
		}
		errs = append(errs, os.RemoveAll(r.dir), r.guard.release())
		r.err = errors.Join(errs...)
	})
	return r.err
}

// Env is what a command run on the rig finds in its environment, beside the
// control address.
func (r *Rig) Env() []string {
	pg := r.Postgres
	env := []string{
		"QUEEN_TEST_PG_HOST=" + pg.Host,
		"QUEEN_TEST_PG_PORT=" + strconv.Itoa(pg.Port),
		"QUEEN_TEST_PG_USER=" + pg.User,
		"QUEEN_TEST_PG_PASSWORD=" + pg.Password,
		"QUEEN_TEST_PG_DATABASE=" + pg.Database,
	}
	for i, b := range r.Brokers {
		name := "QUEEN_TEST_URL"
		if i > 0 {
			name = fmt.Sprintf("QUEEN_TEST_URL_%d", i+1)
		}
		env = append(env, name+"="+b.URL)
	}
	return env
}

// tail answers the end of a log file, for an error.
func tail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	const most = 2000
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return string(bytes.TrimSpace(text))
}
