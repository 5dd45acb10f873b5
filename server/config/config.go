// Package config reads every setting of the gateway, once, from flags and the
// environment. A value that cannot be used ends the start with one sentence that
// names the setting and what to give it instead, and never shows a secret.
package config

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/action"
	"github.com/queen-mq/queen-sqs/server/sigv4"
)

// ErrHelp is Load's error for --help. It is no failure: the caller prints Help.
var ErrHelp = errors.New("help was asked for")

// Where a handle secret comes from, for the log.
const (
	SecretConfigured = "configured"
	SecretLoaded     = "loaded"
	SecretGenerated  = "generated"
)

// Stores of the embedded broker.
const (
	StoreDisk   = "disk"
	StoreMemory = "memory"
)

// Config is the settings of `queen-sqs serve`, checked.
type Config struct {
	// Listen is host:port. Port 0 lets the system choose one.
	Listen string
	// TLS has the certificate; nil serves plain HTTP.
	TLS *tls.Config

	// AuthOff serves requests without looking at their signatures. Listen is a
	// loopback address then.
	AuthOff bool
	// Credentials are the access keys; none with AuthOff, even when some were
	// given.
	Credentials []sigv4.Credential

	Region, Account string
	// DefaultPartitions is the width of new standard queues, 1 to 100000.
	DefaultPartitions int
	// HandleSecret seals receipt handles, 16 bytes or more. It is nil when none
	// was configured: whoever owns the data folder calls LoadOrCreateHandleSecret,
	// or makes one up where there is no folder.
	HandleSecret []byte
	// ReceiveMode is "exact" and Profile "queen": the only ones there are so far.
	ReceiveMode string
	Profile     string

	// QueenURL is the broker, without a trailing slash; empty means the embedded
	// one.
	QueenURL string
	// Tokens are the broker tokens of access keys.
	Tokens action.Tokens
	// Store and Data are of the embedded broker, and empty without it. Data is
	// empty too when the store is memory.
	Store string
	Data  string

	ShutdownGrace time.Duration
	LogLevel      slog.Level
	LogJSON       bool
	// TestClock lets clients move the gateway's clock.
	TestClock bool

	// Warnings are sentences for the log, in the order they were found.
	Warnings []string

	// What only the reading needs.
	auth              string
	fileKeys          []sigv4.Credential
	certFile, keyFile string
}

// String names the address alone, so that formatting a Config never prints a
// secret.
func (c Config) String() string { return "queen-sqs on " + c.Listen }

// GoString is String.
func (c Config) GoString() string { return c.String() }

// Load reads the settings of `queen-sqs serve`: args are the arguments behind
// the subcommand, environ is the environment as os.Environ gives it. A flag wins
// over its variable, and a blank value of either counts as unset. The only files
// it reads are those the settings name.
func Load(args, environ []string) (*Config, error) {
	given, err := readFlags(args)
	if err != nil {
		return nil, err
	}
	c := &Config{}
	c.readEnvironment(given, environ)

	for _, s := range settings {
		v, ok := given[s.key()]
		if !ok {
			v = value{text: s.Default, from: s.key()}
		}
		if v.text == "" {
			continue
		}
		if err := s.set(c, v); err != nil {
			return nil, err
		}
	}
	if err := c.settle(given); err != nil {
		return nil, err
	}
	return c, nil
}

// value is the text of one setting, and the variable or flag it came from.
type value struct{ text, from string }

// bad is the refusal of a value that may be shown.
func (v value) bad(want string) error {
	return fmt.Errorf("%s is %.80q; set it to %s", v.from, v.text, want)
}

// readFlags reads args into values by the settings' keys.
func readFlags(args []string) (map[string]value, error) {
	given := map[string]value{}
	fs := flag.NewFlagSet("serve", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	for _, s := range settings {
		keep := func(text string) error {
			if text = strings.TrimSpace(text); text != "" {
				given[s.key()] = value{text, "--" + s.Flag}
			}
			return nil
		}
		if s.boolean {
			fs.BoolFunc(s.Flag, "", keep)
			continue
		}
		fs.Func(s.Flag, "", keep)
	}
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil, ErrHelp
	case fs.NArg() > 0, err != nil && strings.HasPrefix(err.Error(), "bad flag syntax"):
		// Not shown: it may be a secret that lost its flag.
		return nil, errors.New("there is an argument that is no flag; settings are given as --name=value, and `queen-sqs serve --help` lists them")
	case err != nil:
		return nil, fmt.Errorf("%v; `queen-sqs serve --help` lists the flags", err)
	}
	return given, nil
}

// readEnvironment adds to given what no flag gave, and warns about variables
// that look like settings and are none.
func (c *Config) readEnvironment(given map[string]value, environ []string) {
	byName := map[string]Setting{}
	for _, s := range settings {
		if s.Name != "" {
			byName[s.Name] = s
		}
	}
	var unknown []string
	for _, entry := range environ {
		name, text, _ := strings.Cut(entry, "=")
		s, known := byName[name]
		if !known {
			if strings.HasPrefix(name, "QUEEN_SQS_") {
				unknown = append(unknown, name)
			}
			continue
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if _, flagged := given[s.key()]; !flagged {
			given[s.key()] = value{text, name}
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		c.warn("%.80s is not a setting of queen-sqs and has no effect; check its spelling", name)
	}
}

func (c *Config) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}
