package config

import (
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// Setting is one row of the table of settings.
type Setting struct {
	// Name is the environment variable; empty for a flag that has none.
	Name string
	// Flag is the flag's name without dashes. Every setting has one.
	Flag string
	// Default is the value when neither is given; empty for none.
	Default string
	// Takes says what values there are, in a few words.
	Takes string
	// Doc is one sentence.
	Doc string

	boolean bool
	set     func(c *Config, v value) error
}

// key names the setting: its variable, else its flag.
func (s Setting) key() string {
	if s.Name != "" {
		return s.Name
	}
	return "--" + s.Flag
}

// Settings is the table of settings, in the order they are documented.
func Settings() []Setting { return slices.Clone(settings) }

var settings = []Setting{
	{Name: "QUEEN_SQS_LISTEN", Flag: "listen", Default: "127.0.0.1:9324", Takes: "host:port",
		Doc: "Address to serve on; only a loopback address while signatures are not verified, and port 0 lets the system choose one, which the first log line names.",
		set: setListen},
	{Name: "QUEEN_SQS_AUTH", Flag: "auth", Takes: "sigv4, off",
		Doc: "Whether signatures are verified; by default they are as soon as there are credentials.",
		set: setAuth},
	{Name: "QUEEN_SQS_CREDENTIALS", Flag: "credentials", Takes: "accessKeyId:secret[:queenToken],...",
		Doc: "Access keys, with the broker token of each; prefer the variable or the file, since other users of the machine can see flags.",
		set: setCredentials},
	{Name: "QUEEN_SQS_CREDENTIALS_FILE", Flag: "credentials-file", Takes: "file",
		Doc: "More access keys, one a line; lines that begin with # are comments.",
		set: setCredentialsFile},
	{Name: "QUEEN_SQS_REGION", Flag: "region", Default: "queen-1", Takes: "letters, digits, - and _",
		Doc: "Region in ARNs; the region that clients sign for is not checked.",
		set: setRegion},
	{Name: "QUEEN_SQS_ACCOUNT", Flag: "account", Default: "000000000000", Takes: "letters, digits, - and _",
		Doc: "Account in ARNs and queue URLs.",
		set: setAccount},
	{Name: "QUEEN_SQS_STORE", Flag: "store", Default: StoreDisk, Takes: "disk, memory",
		Doc: "Where the embedded broker keeps messages; memory forgets them when the process ends.",
		set: setStore},
	{Name: "QUEEN_SQS_DATA", Flag: "data", Default: "./queen-sqs-data", Takes: "folder",
		Doc: "Folder of the embedded broker, made when it is not there.",
		set: func(c *Config, v value) error { c.Data = v.text; return nil }},
	{Name: "QUEEN_URL", Flag: "queen-url", Takes: "http(s)://host[:port]",
		Doc: "A Queen broker to use instead of the embedded one.",
		set: setQueenURL},
	{Name: "QUEEN_TOKEN", Flag: "queen-token", Takes: "bearer token",
		Doc: "Broker token of access keys that have none of their own; prefer the variable to the flag.",
		set: setToken},
	{Name: "QUEEN_SQS_HANDLE_SECRET", Flag: "handle-secret", Takes: "16 bytes or more",
		Doc: "Seals receipt handles and must be the same on all instances; by default one is made and kept in the data folder.",
		set: setHandleSecret},
	{Name: "QUEEN_SQS_DEFAULT_PARTITIONS", Flag: "default-partitions", Default: "64", Takes: "1 to 100000",
		Doc: "Lanes of new standard queues, which is how many of its messages can be in flight at once.",
		set: setPartitions},
	{Name: "QUEEN_SQS_RECEIVE_MODE", Flag: "receive-mode", Default: "exact", Takes: "exact",
		Doc: "How messages are claimed on the broker.",
		set: setReceiveMode},
	{Name: "QUEEN_SQS_PROFILE", Flag: "profile", Default: "queen", Takes: "queen",
		Doc: "Which documented behaviour is answered.",
		set: setProfile},
	{Name: "QUEEN_SQS_TLS_CERT", Flag: "tls-cert", Takes: "PEM file",
		Doc: "Certificate chain; serves HTTPS together with the key.",
		set: func(c *Config, v value) error { c.certFile = v.text; return nil }},
	{Name: "QUEEN_SQS_TLS_KEY", Flag: "tls-key", Takes: "PEM file",
		Doc: "Private key of the certificate.",
		set: func(c *Config, v value) error { c.keyFile = v.text; return nil }},
	{Name: "QUEEN_SQS_SHUTDOWN_GRACE_MS", Flag: "shutdown-grace-ms", Default: "25000", Takes: "0 to 600000",
		Doc: "Milliseconds that a shutdown waits for requests in flight.",
		set: setGrace},
	{Name: "LOG_LEVEL", Flag: "log-level", Default: "info", Takes: "debug, info, warn, error",
		Doc: "Least severe log lines that are written.",
		set: setLogLevel},
	{Name: "QUEEN_LOG_JSON", Flag: "log-json", Default: "false", Takes: "true, false", boolean: true,
		Doc: "Log lines as JSON.",
		set: func(c *Config, v value) error { return setBool(&c.LogJSON, v) }},
	{Flag: "test-clock", Default: "false", Takes: "true, false", boolean: true,
		Doc: "Lets clients move the gateway's clock forward, for tests.",
		set: func(c *Config, v value) error { return setBool(&c.TestClock, v) }},
}

func setListen(c *Config, v value) error {
	const want = "host:port with a port from 0 to 65535, for example 127.0.0.1:9324"
	_, port, err := net.SplitHostPort(v.text)
	if err != nil {
		return v.bad(want)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return v.bad(want)
	}
	c.Listen = v.text
	return nil
}

// The spellings of QUEEN_SQS_AUTH.
const (
	authOn  = "on"
	authOff = "off"
)

func setAuth(c *Config, v value) error {
	switch strings.ToLower(v.text) {
	case "sigv4", "sig-v4", "v4", "on":
		c.auth = authOn
	case "off", "none", "disabled":
		c.auth = authOff
	default:
		return v.bad("sigv4 or off")
	}
	return nil
}

var label = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func setRegion(c *Config, v value) error {
	if !label.MatchString(v.text) {
		return v.bad("letters, digits, hyphens and underscores, for example queen-1")
	}
	c.Region = v.text
	return nil
}

func setAccount(c *Config, v value) error {
	if !label.MatchString(v.text) {
		return v.bad("letters, digits, hyphens and underscores, for example 000000000000")
	}
	c.Account = v.text
	return nil
}

func setStore(c *Config, v value) error {
	switch s := strings.ToLower(v.text); s {
	case StoreDisk, StoreMemory:
		c.Store = s
		return nil
	}
	return v.bad("disk or memory")
}

// setQueenURL does not show what it refuses, which may have a password in it.
func setQueenURL(c *Config, v value) error {
	u, err := url.Parse(v.text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("%s is no URL of a broker; set it to http://host:port or https://host:port", v.from)
	case u.User != nil:
		return fmt.Errorf("%s has a user or password in it; put the broker's token into QUEEN_TOKEN", v.from)
	}
	c.QueenURL = strings.TrimRight(v.text, "/")
	return nil
}

func setToken(c *Config, v value) error {
	if !headerText(v.text) {
		return fmt.Errorf("%s has characters that cannot go into an HTTP header; set it to the token alone", v.from)
	}
	c.Tokens.Default = queen.Token(v.text)
	return nil
}

// headerText reports whether a secret consists of visible ASCII.
func headerText(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// minHandleSecret is the least length of a handle secret in bytes.
const minHandleSecret = 16

func setHandleSecret(c *Config, v value) error {
	if len(v.text) < minHandleSecret {
		return fmt.Errorf("%s is shorter than %d bytes; set it to a random text of %d bytes or more, the same on all instances", v.from, minHandleSecret, minHandleSecret)
	}
	c.HandleSecret = []byte(v.text)
	return nil
}

func setPartitions(c *Config, v value) (err error) {
	c.DefaultPartitions, err = whole(v, 1, 100000)
	return err
}

func setGrace(c *Config, v value) error {
	n, err := whole(v, 0, 600000)
	c.ShutdownGrace = time.Duration(n) * time.Millisecond
	return err
}

func whole(v value, least, most int) (int, error) {
	n, err := strconv.Atoi(v.text)
	if err != nil || n < least || n > most {
		return 0, v.bad(fmt.Sprintf("a whole number from %d to %d", least, most))
	}
	return n, nil
}

func setReceiveMode(c *Config, v value) error {
	switch strings.ToLower(v.text) {
	case "exact":
		c.ReceiveMode = "exact"
		return nil
	case "amortized", "amortised":
		return fmt.Errorf("%s=%s needs maxPerPartition on the broker's pop, which no broker offers yet; set it to exact", v.from, v.text)
	case "message":
		return fmt.Errorf("%s=message needs per-message claims on the broker, which are not available yet; set it to exact", v.from)
	}
	return v.bad("exact")
}

func setProfile(c *Config, v value) error {
	switch strings.ToLower(v.text) {
	case "queen":
		c.Profile = "queen"
		return nil
	case "aws":
		return fmt.Errorf("%s=aws is not available yet; set it to queen", v.from)
	}
	return v.bad("queen")
}

func setLogLevel(c *Config, v value) error {
	switch strings.ToLower(v.text) {
	case "debug", "trace":
		c.LogLevel = slog.LevelDebug
	case "info":
		c.LogLevel = slog.LevelInfo
	case "warn", "warning":
		c.LogLevel = slog.LevelWarn
	case "error":
		c.LogLevel = slog.LevelError
	default:
		return v.bad("debug, info, warn or error")
	}
	return nil
}

func setBool(into *bool, v value) error {
	switch strings.ToLower(v.text) {
	case "true", "1", "yes", "on":
		*into = true
	case "false", "0", "no", "off":
		*into = false
	default:
		return v.bad("true or false")
	}
	return nil
}
