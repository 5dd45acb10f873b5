package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDefaults(t *testing.T) {
	c, err := Load(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	warnings := c.Warnings
	c.Warnings = nil
	want := &Config{
		Listen: "127.0.0.1:9324", AuthOff: true, Region: "queen-1", Account: "000000000000", DefaultPartitions: 64,
		ReceiveMode: "exact", Profile: "queen", Store: "disk", Data: "./queen-sqs-data",
		ShutdownGrace: 25 * time.Second, LogLevel: slog.LevelInfo,
	}
	if !reflect.DeepEqual(*c, *want) {
		t.Errorf("got %+v", plain(c))
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "no credentials") {
		t.Errorf("warnings: %q", warnings)
	}
}

// plain prints what String hides.
func plain(c *Config) any {
	type bare Config
	return bare(*c)
}

// good is one accepted value of a setting, and what it makes of the Config.
type good struct {
	name, text string
	with       []string // other variables it needs
	got        func(c *Config) any
	want       any
}

func creds(c *Config) any   { return fmt.Sprintf("%q", bareCredentials(c)) }
func authOf(c *Config) any  { return c.AuthOff }
func listen(c *Config) any  { return c.Listen }
func levelOf(c *Config) any { return c.LogLevel }

func bareCredentials(cfg *Config) (out [][3]string) {
	for _, c := range cfg.Credentials {
		out = append(out, [3]string{c.AccessKeyID, c.Secret, string(cfg.Tokens.ByAccessKey[c.AccessKeyID])})
	}
	return out
}

var keys = []string{"QUEEN_SQS_CREDENTIALS=AKID:s3cr3t-value"}

var goods = []good{
	{"QUEEN_SQS_LISTEN", "127.0.0.1:9000", nil, listen, "127.0.0.1:9000"},
	{"QUEEN_SQS_LISTEN", "127.8.8.8:0", nil, listen, "127.8.8.8:0"},
	{"QUEEN_SQS_LISTEN", "[::1]:9000", nil, listen, "[::1]:9000"},
	{"QUEEN_SQS_LISTEN", "[::ffff:127.0.0.1]:9000", nil, listen, "[::ffff:127.0.0.1]:9000"},
	{"QUEEN_SQS_LISTEN", "LocalHost:9000", nil, listen, "LocalHost:9000"},
	{"QUEEN_SQS_LISTEN", "inner.test:9000", nil, listen, "inner.test:9000"},
	{"QUEEN_SQS_LISTEN", " 0.0.0.0:9324 ", keys, listen, "0.0.0.0:9324"},
	{"QUEEN_SQS_LISTEN", ":9324", keys, listen, ":9324"},
	{"QUEEN_SQS_LISTEN", "outer.test:9324", keys, listen, "outer.test:9324"},
	{"QUEEN_SQS_AUTH", "sigv4", keys, authOf, false},
	{"QUEEN_SQS_AUTH", "Sig-V4", keys, authOf, false},
	{"QUEEN_SQS_AUTH", "v4", keys, authOf, false},
	{"QUEEN_SQS_AUTH", "on", keys, authOf, false},
	{"QUEEN_SQS_AUTH", " ", keys, authOf, false},
	{"QUEEN_SQS_AUTH", "off", keys, authOf, true},
	{"QUEEN_SQS_AUTH", "none", nil, authOf, true},
	{"QUEEN_SQS_AUTH", "disabled", nil, authOf, true},
	{"QUEEN_SQS_CREDENTIALS", "A:s", nil, creds, `[["A" "s" ""]]`},
	{"QUEEN_SQS_CREDENTIALS", " A : s : t:u , B:s/+= ", nil, creds, `[["A" "s" "t:u"] ["B" "s/+=" ""]]`},
	{"QUEEN_SQS_CREDENTIALS", "A:s:", nil, creds, `[["A" "s" ""]]`},
	{"QUEEN_SQS_REGION", "us-east_1", nil, func(c *Config) any { return c.Region }, "us-east_1"},
	{"QUEEN_SQS_ACCOUNT", "123456789012", nil, func(c *Config) any { return c.Account }, "123456789012"},
	{"QUEEN_SQS_STORE", "Memory", nil, func(c *Config) any { return c.Store + "|" + c.Data }, "memory|"},
	{"QUEEN_SQS_STORE", "disk", nil, func(c *Config) any { return c.Store }, "disk"},
	{"QUEEN_SQS_DATA", "/var/lib/q", nil, func(c *Config) any { return c.Data }, "/var/lib/q"},
	{"QUEEN_URL", "http://queen:6632//", nil, func(c *Config) any { return c.QueenURL + "|" + c.Store + c.Data }, "http://queen:6632|"},
	{"QUEEN_URL", "https://[::1]/base/", nil, func(c *Config) any { return c.QueenURL }, "https://[::1]/base"},
	{"QUEEN_TOKEN", "abc.DEF-1", nil, func(c *Config) any { return string(c.Tokens.Default) }, "abc.DEF-1"},
	{"QUEEN_SQS_HANDLE_SECRET", "0123456789abcdef", nil, func(c *Config) any { return string(c.HandleSecret) }, "0123456789abcdef"},
	{"QUEEN_SQS_DEFAULT_PARTITIONS", "1", nil, func(c *Config) any { return c.DefaultPartitions }, 1},
	{"QUEEN_SQS_DEFAULT_PARTITIONS", "100000", nil, func(c *Config) any { return c.DefaultPartitions }, 100000},
	{"QUEEN_SQS_RECEIVE_MODE", "EXACT", nil, func(c *Config) any { return c.ReceiveMode }, "exact"},
	{"QUEEN_SQS_PROFILE", "queen", nil, func(c *Config) any { return c.Profile }, "queen"},
	{"QUEEN_SQS_SHUTDOWN_GRACE_MS", "0", nil, func(c *Config) any { return c.ShutdownGrace }, time.Duration(0)},
	{"QUEEN_SQS_SHUTDOWN_GRACE_MS", "600000", nil, func(c *Config) any { return c.ShutdownGrace }, 10 * time.Minute},
	{"LOG_LEVEL", "trace", nil, levelOf, slog.LevelDebug},
	{"LOG_LEVEL", "DEBUG", nil, levelOf, slog.LevelDebug},
	{"LOG_LEVEL", "info", nil, levelOf, slog.LevelInfo},
	{"LOG_LEVEL", "warning", nil, levelOf, slog.LevelWarn},
	{"LOG_LEVEL", "error", nil, levelOf, slog.LevelError},
	{"QUEEN_LOG_JSON", "1", nil, func(c *Config) any { return c.LogJSON }, true},
	{"QUEEN_LOG_JSON", "off", nil, func(c *Config) any { return c.LogJSON }, false},
}

// names are the host names of these tests.
var names = map[string][]netip.Addr{
	"inner.test": {netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1")},
	"outer.test": {netip.MustParseAddr("192.0.2.1")},
	"mixed.test": {netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("192.0.2.1")},
	"empty.test": {},
}

func useNames(t *testing.T) {
	before := lookup
	t.Cleanup(func() { lookup = before })
	lookup = func(host string) ([]netip.Addr, error) {
		addrs, ok := names[host]
		if !ok {
			return nil, errors.New("no such host")
		}
		return addrs, nil
	}
}

func flagOf(t *testing.T, name string) string {
	t.Helper()
	for _, s := range Settings() {
		if s.Name == name {
			return "--" + s.Flag
		}
	}
	t.Fatalf("no setting %s", name)
	return ""
}

func TestGoodValues(t *testing.T) {
	useNames(t)
	for _, g := range goods {
		for _, way := range []struct {
			name          string
			args, environ []string
		}{
			{"variable", nil, append([]string{g.name + "=" + g.text}, g.with...)},
			{"flag", []string{flagOf(t, g.name) + "=" + g.text}, g.with},
		} {
			c, err := Load(way.args, way.environ)
			if err != nil {
				t.Errorf("%s=%s by %s: %v", g.name, g.text, way.name, err)
				continue
			}
			if got := g.got(c); got != g.want {
				t.Errorf("%s=%s by %s: got %v, want %v", g.name, g.text, way.name, got, g.want)
			}
		}
	}
}

// bads are refused values, and a part of the sentence besides the name.
var bads = []struct {
	name, text string
	with       []string
	want       string
}{
	{"QUEEN_SQS_LISTEN", "9324", nil, "127.0.0.1:9324"},
	{"QUEEN_SQS_LISTEN", "127.0.0.1", nil, "127.0.0.1:9324"},
	{"QUEEN_SQS_LISTEN", "127.0.0.1:http", nil, "port from 0 to 65535"},
	{"QUEEN_SQS_LISTEN", "127.0.0.1:65536", nil, "port from 0 to 65535"},
	{"QUEEN_SQS_LISTEN", "::1:1:", nil, "host:port"},
	{"QUEEN_SQS_LISTEN", "0.0.0.0:9324", nil, "set QUEEN_SQS_CREDENTIALS"},
	{"QUEEN_SQS_LISTEN", "[::]:9324", nil, "set QUEEN_SQS_CREDENTIALS"},
	{"QUEEN_SQS_LISTEN", ":9324", nil, "set QUEEN_SQS_CREDENTIALS"},
	{"QUEEN_SQS_LISTEN", "10.0.0.1:9324", nil, "set QUEEN_SQS_CREDENTIALS"},
	{"QUEEN_SQS_LISTEN", "outer.test:9324", nil, "set QUEEN_SQS_CREDENTIALS"},
	{"QUEEN_SQS_LISTEN", "mixed.test:9324", nil, "set QUEEN_SQS_CREDENTIALS"},
	{"QUEEN_SQS_LISTEN", "empty.test:9324", nil, "set QUEEN_SQS_CREDENTIALS"},
	{"QUEEN_SQS_LISTEN", "lost.test:9324", nil, "cannot be resolved"},
	{"QUEEN_SQS_LISTEN", "0.0.0.0:9324", append([]string{"QUEEN_SQS_AUTH=off"}, keys...), "verify signatures"},
	{"QUEEN_SQS_AUTH", "maybe", nil, "sigv4 or off"},
	{"QUEEN_SQS_AUTH", "sigv4", nil, "set QUEEN_SQS_CREDENTIALS"},
	{"QUEEN_SQS_CREDENTIALS", "A:s3cr3t-value,", nil, "entry 2 is empty"},
	{"QUEEN_SQS_CREDENTIALS", ",A:s3cr3t-value", nil, "entry 1 is empty"},
	{"QUEEN_SQS_CREDENTIALS", "A:s3cr3t-value,s3cr3t-value", nil, "entry 2 has no colon"},
	{"QUEEN_SQS_CREDENTIALS", ":s3cr3t-value", nil, "entry 1 has no access key id"},
	{"QUEEN_SQS_CREDENTIALS", "s3cr3t-value: ", nil, "entry 1 has no secret"},
	{"QUEEN_SQS_CREDENTIALS", "s3cr3t-value::token", nil, "entry 1 has no secret"},
	{"QUEEN_SQS_CREDENTIALS", "a/b:s3cr3t-value", nil, "a slash"},
	{"QUEEN_SQS_CREDENTIALS", "a b:s3cr3t-value", nil, "white space"},
	{"QUEEN_SQS_CREDENTIALS", "é:s3cr3t-value", nil, "ASCII"},
	{"QUEEN_SQS_CREDENTIALS", "A:s:s3cr3t-value x", nil, "entry 1 has a token"},
	{"QUEEN_SQS_CREDENTIALS", "A:s3cr3t-value,B:x,A:y", nil, "entry 3 has the access key id of entry 1"},
	{"QUEEN_SQS_CREDENTIALS_FILE", "/nowhere/at/all", nil, "cannot be read"},
	{"QUEEN_SQS_REGION", "us east", nil, "queen-1"},
	{"QUEEN_SQS_ACCOUNT", "a:b", nil, "000000000000"},
	{"QUEEN_SQS_STORE", "tape", nil, "disk or memory"},
	{"QUEEN_SQS_STORE", "disk", []string{"QUEEN_URL=http://q:1"}, "contradicts QUEEN_URL"},
	{"QUEEN_SQS_DATA", "x", []string{"QUEEN_URL=http://q:1"}, "contradicts QUEEN_URL"},
	{"QUEEN_URL", "queen:6632", nil, "http://host:port"},
	{"QUEEN_URL", "ftp://queen", nil, "http://host:port"},
	{"QUEEN_URL", "http://", nil, "http://host:port"},
	{"QUEEN_URL", "http://:6632", nil, "http://host:port"},
	{"QUEEN_URL", "http://q/?token=s3cr3t-value", nil, "http://host:port"},
	{"QUEEN_URL", "http://u:s3cr3t-value@q", nil, "QUEEN_TOKEN"},
	{"QUEEN_URL", "http://u:s3cr3t-value@q:port", nil, "http://host:port"},
	{"QUEEN_TOKEN", "s3cr3t-value\nx", nil, "token alone"},
	{"QUEEN_SQS_HANDLE_SECRET", "s3cr3t-value", nil, "16 bytes"},
	{"QUEEN_SQS_DEFAULT_PARTITIONS", "0", nil, "1 to 100000"},
	{"QUEEN_SQS_DEFAULT_PARTITIONS", "100001", nil, "1 to 100000"},
	{"QUEEN_SQS_DEFAULT_PARTITIONS", "many", nil, "1 to 100000"},
	{"QUEEN_SQS_RECEIVE_MODE", "amortized", nil, "maxPerPartition"},
	{"QUEEN_SQS_RECEIVE_MODE", "amortised", nil, "maxPerPartition"},
	{"QUEEN_SQS_RECEIVE_MODE", "message", nil, "per-message claims"},
	{"QUEEN_SQS_RECEIVE_MODE", "fast", nil, "exact"},
	{"QUEEN_SQS_PROFILE", "aws", nil, "not available yet"},
	{"QUEEN_SQS_PROFILE", "gcp", nil, "queen"},
	{"QUEEN_SQS_TLS_CERT", "cert.pem", nil, "QUEEN_SQS_TLS_KEY"},
	{"QUEEN_SQS_TLS_KEY", "key.pem", nil, "QUEEN_SQS_TLS_CERT"},
	{"QUEEN_SQS_TLS_KEY", "/nowhere", []string{"QUEEN_SQS_TLS_CERT=/nowhere"}, "PEM files"},
	{"QUEEN_SQS_SHUTDOWN_GRACE_MS", "-1", nil, "0 to 600000"},
	{"QUEEN_SQS_SHUTDOWN_GRACE_MS", "600001", nil, "0 to 600000"},
	{"LOG_LEVEL", "loud", nil, "debug, info, warn or error"},
	{"QUEEN_LOG_JSON", "json", nil, "true or false"},
}

func TestBadValues(t *testing.T) {
	useNames(t)
	for _, b := range bads {
		for _, way := range []struct {
			from          string
			args, environ []string
		}{
			{b.name, nil, append([]string{b.name + "=" + b.text}, b.with...)},
			{flagOf(t, b.name), []string{flagOf(t, b.name) + "=" + b.text}, b.with},
		} {
			_, err := Load(way.args, way.environ)
			if err == nil {
				t.Errorf("%s=%q was accepted", way.from, b.text)
				continue
			}
			text := err.Error()
			if !strings.Contains(text, way.from) || !strings.Contains(text, b.want) {
				t.Errorf("%s=%q: %q names no %q or no %q", way.from, b.text, text, way.from, b.want)
			}
			if strings.Contains(text, "s3cr3t-value") {
				t.Errorf("%s: the sentence shows a secret: %q", way.from, text)
			}
			if strings.ContainsAny(text, "\n") || strings.HasSuffix(text, ".") {
				t.Errorf("%s: not one plain sentence: %q", way.from, text)
			}
		}
	}
}

// TestEverySettingIsTested holds the tables against the table of settings.
func TestEverySettingIsTested(t *testing.T) {
	anything := []string{"QUEEN_SQS_DATA"} // any text is a folder's name
	elsewhere := []string{"QUEEN_SQS_CREDENTIALS_FILE", "QUEEN_SQS_TLS_CERT", "QUEEN_SQS_TLS_KEY"}
	seen := map[string]bool{}
	for _, s := range Settings() {
		if s.Flag == "" || s.Takes == "" || s.Doc == "" || seen[s.Flag] {
			t.Errorf("the row of %s is not complete, or there twice", s.key())
		}
		seen[s.Flag] = true
		if s.Name == "" {
			continue
		}
		tested := slices.ContainsFunc(goods, func(g good) bool { return g.name == s.Name })
		if !tested && !slices.Contains(elsewhere, s.Name) {
			t.Errorf("no good value of %s is tested", s.Name)
		}
		refused := false
		for _, b := range bads {
			refused = refused || b.name == s.Name
		}
		if !refused && !slices.Contains(anything, s.Name) {
			t.Errorf("no bad value of %s is tested", s.Name)
		}
		if !strings.Contains(Help(), "--"+s.Flag+" (") || !strings.Contains(Help(), s.Name) || !strings.Contains(Markdown(), "`"+s.Name+"`") {
			t.Errorf("%s is missing from the help or the README table", s.Name)
		}
	}
}

func TestFlags(t *testing.T) {
	c, err := Load(
		[]string{"--region", "flag", "-account=flag", "--log-json", "--test-clock", "--data="},
		[]string{"QUEEN_SQS_REGION=variable", "QUEEN_SQS_DATA=variable", "QUEEN_LOG_JSON=false", "PATH=/bin"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Region != "flag" || c.Account != "flag" || c.Data != "variable" || !c.LogJSON || !c.TestClock {
		t.Errorf("got %+v", plain(c))
	}
	if !strings.Contains(strings.Join(c.Warnings, "\n"), "--test-clock") {
		t.Errorf("no warning about the test clock: %q", c.Warnings)
	}
	// A flag also spares its variable from being read.
	if _, err := Load([]string{"--region=a"}, []string{"QUEEN_SQS_REGION=b c"}); err != nil {
		t.Error(err)
	}
	if c, err := Load([]string{"--log-json=false"}, []string{"QUEEN_LOG_JSON=true"}); err != nil || c.LogJSON {
		t.Errorf("--log-json=false: %v", err)
	}

	for _, help := range []string{"--help", "-h"} {
		if _, err := Load([]string{help}, nil); err != ErrHelp {
			t.Errorf("%s: %v", help, err)
		}
	}
	for _, args := range [][]string{{"--lisen=x"}, {"--listen"}, {"s3cr3t-value"}, {"--region", "a", "s3cr3t-value"}, {"---credentials=A:s3cr3t-value"}, {"--test-clock=perhaps"}} {
		_, err := Load(args, nil)
		if err == nil || strings.Contains(err.Error(), "s3cr3t-value") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    []string
	}{
		{keys, nil},
		{append([]string{"QUEEN_SQS_AUTH=off"}, keys...), []string{"QUEEN_SQS_AUTH is off: the configured credentials are ignored"}},
		{append([]string{"QUEEN_SQS_LISTNE=s3cr3t-value", "QUEEN_SQS_EMBEDDED=1", "QUEEN_OTHER=1"}, keys...),
			[]string{"QUEEN_SQS_EMBEDDED is not a setting", "QUEEN_SQS_LISTNE is not a setting"}},
		{append([]string{"QUEEN_URL=http://q:1"}, keys...), []string{"QUEEN_SQS_HANDLE_SECRET is not set"}},
		{append([]string{"QUEEN_URL=http://q:1", "QUEEN_SQS_HANDLE_SECRET=0123456789abcdef"}, keys...), nil},
		{append([]string{"QUEEN_SQS_STORE=memory", "QUEEN_SQS_DATA=x"}, keys...), []string{"QUEEN_SQS_DATA has no effect"}},
	} {
		got, err := Load(nil, c.environ)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Warnings) != len(c.want) {
			t.Errorf("%q: %q", c.environ, got.Warnings)
			continue
		}
		for i, w := range c.want {
			if !strings.Contains(got.Warnings[i], w) || strings.Contains(got.Warnings[i], "s3cr3t") {
				t.Errorf("%q: %q", c.environ, got.Warnings[i])
			}
		}
	}
	off, err := Load(nil, append([]string{"QUEEN_SQS_AUTH=off"}, keys...))
	if err != nil || off.Credentials != nil {
		t.Errorf("credentials stay with auth off: %v", err)
	}
}

func TestCredentialsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	for _, c := range []struct {
		text, want, refusal string
	}{
		{"\ufeff# keys\r\n\r\nA:s1:t\r\n  B : s,2 \n", `[["E" "s" ""] ["A" "s1" "t"] ["B" "s,2" ""]]`, ""},
		{"A:s3cr3t-value\n\nB\n", "", "line 3 of " + path + " has no colon"},
		{"A:s3cr3t-value\n# x\nA:y", "", "line 3 of " + path + " has the access key id of line 1"},
		{"E:s3cr3t-value", "", "line 1 of " + path + " has the access key id of entry 1 of QUEEN_SQS_CREDENTIALS"},
		{"A,B:s3cr3t-value", "", "line 1 of " + path + " has an access key id with"},
		{"# nothing\n", "", "has no entries"},
		{"", "", "has no entries"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Load(nil, []string{"QUEEN_SQS_CREDENTIALS_FILE=" + path, "QUEEN_SQS_CREDENTIALS=E:s"})
		if c.refusal == "" {
			if err != nil || creds(got) != c.want {
				t.Errorf("%q: %v, %v", c.text, err, creds(got))
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.refusal) || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

func TestConfigHidesItsSecrets(t *testing.T) {
	c, err := Load(nil, []string{"QUEEN_SQS_CREDENTIALS=A:s3cr3t", "QUEEN_TOKEN=s3cr3t", "QUEEN_SQS_HANDLE_SECRET=s3cr3t-0123456789"})
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprintf("%v %+v %#v %v", c, *c, *c, c.Credentials); strings.Contains(s, "s3cr3t") || strings.Contains(s, "115") {
		t.Error(s)
	}
}
