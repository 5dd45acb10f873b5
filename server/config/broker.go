package config

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
)

// Broker is the settings of `queen-sqs broker`, checked.
type Broker struct {
	// Listen is host:port. Port 0 lets the system choose one. It is a loopback
	// address unless there are tokens.
	Listen string
	// Data is the folder of the messages; empty keeps them in memory.
	Data string
	// Tokens are who may do what; none lets everybody do everything.
	Tokens []BrokerToken

	LogLevel slog.Level
	LogJSON  bool
	// TestClock lets clients move the broker's clock.
	TestClock bool

	// Warnings are sentences for the log, in the order they were found.
	Warnings []string

	shared Config // what is read as it is for `serve`
}

// BrokerToken is a bearer token and its role, one of brokerRoles.
type BrokerToken struct{ Token, Role string }

// String names the address alone, so that formatting never prints a token.
func (b Broker) String() string { return "queen-sqs broker on " + b.Listen }

// GoString is String.
func (b Broker) GoString() string { return b.String() }

var brokerRoles = []string{"read-only", "write-only", "read-write", "admin"}

type brokerSetting struct {
	Setting
	read func(b *Broker, v value) error
}

var brokerSettings = []brokerSetting{
	{Setting{Name: "QUEEN_BROKER_LISTEN", Flag: "listen", Default: "127.0.0.1:6632", Takes: "host:port",
		Doc: "Address to serve on; only a loopback address while there are no tokens, and port 0 lets the system choose one, which the first log line names."},
		readListen},
	{Setting{Name: "QUEEN_BROKER_STORE", Flag: "store", Default: StoreDisk, Takes: "disk, memory",
		Doc: "Where messages are kept; memory forgets them when the process ends."},
		func(b *Broker, v value) error { return setStore(&b.shared, v) }},
	{Setting{Name: "QUEEN_BROKER_DATA", Flag: "data", Default: "./queen-broker-data", Takes: "folder",
		Doc: "Folder of the messages, made when it is not there."},
		func(b *Broker, v value) error { b.Data = v.text; return nil }},
	{Setting{Name: "QUEEN_BROKER_TOKENS", Flag: "tokens", Takes: "token:role,...",
		Doc: "Bearer tokens with what each may do: read-only, write-only, read-write or admin; prefer the variable, since other users of the machine can see flags."},
		readTokens},
	{Setting{Name: "LOG_LEVEL", Flag: "log-level", Default: "info", Takes: "debug, info, warn, error",
		Doc: "Least severe log lines that are written."},
		func(b *Broker, v value) error { return setLogLevel(&b.shared, v) }},
	{Setting{Name: "QUEEN_LOG_JSON", Flag: "log-json", Default: "false", Takes: "true, false", boolean: true,
		Doc: "Log lines as JSON."},
		func(b *Broker, v value) error { return setBool(&b.LogJSON, v) }},
	{Setting{Flag: "test-clock", Default: "false", Takes: "true, false", boolean: true,
		Doc: "Lets clients move the broker's clock forward, for tests."},
		func(b *Broker, v value) error { return setBool(&b.TestClock, v) }},
}

// BrokerSettings is the table of settings of `queen-sqs broker`.
func BrokerSettings() []Setting {
	list := make([]Setting, len(brokerSettings))
	for i := range brokerSettings {
		list[i] = brokerSettings[i].Setting
	}
	return list
}

func readListen(b *Broker, v value) error {
	if setListen(&b.shared, v) != nil {
		return v.bad("host:port with a port from 0 to 65535, for example 127.0.0.1:6632")
	}
	b.Listen = v.text
	return nil
}

// readTokens shows nothing of what it refuses.
func readTokens(b *Broker, v value) error {
	for i, entry := range strings.Split(v.text, ",") {
		at := strings.LastIndexByte(entry, ':')
		if at < 0 {
			return fmt.Errorf("entry %d of %s has no role; write token:role with a role of %s", i+1, v.from, strings.Join(brokerRoles, ", "))
		}
		t := BrokerToken{strings.TrimSpace(entry[:at]), strings.TrimSpace(entry[at+1:])}
		switch {
		case t.Token == "" || !headerText(t.Token):
			return fmt.Errorf("the token of entry %d of %s is empty or has characters that cannot go into an HTTP header", i+1, v.from)
		case !slices.Contains(brokerRoles, t.Role):
			return fmt.Errorf("the role of entry %d of %s is none; set it to one of %s", i+1, v.from, strings.Join(brokerRoles, ", "))
		case slices.ContainsFunc(b.Tokens, func(other BrokerToken) bool { return other.Token == t.Token }):
			return fmt.Errorf("the token of entry %d of %s is given twice; give it one role", i+1, v.from)
		}
		b.Tokens = append(b.Tokens, t)
	}
	return nil
}

// LoadBroker reads the settings of `queen-sqs broker`, as Load does.
func LoadBroker(args, environ []string) (*Broker, error) {
	given, err := brokerFlags(args)
	if err != nil {
		return nil, err
	}
	for _, entry := range environ {
		name, text, _ := strings.Cut(entry, "=")
		if text = strings.TrimSpace(text); text == "" || name == "" {
			continue
		}
		if _, flagged := given[name]; !flagged {
			given[name] = value{text, name}
		}
	}
	b := &Broker{}
	for _, s := range brokerSettings {
		v, ok := given[s.key()]
		if !ok {
			v = value{text: s.Default, from: s.key()}
		}
		if v.text == "" {
			continue
		}
		if err := s.read(b, v); err != nil {
			return nil, err
		}
	}
	return b, b.settle(given)
}

func brokerFlags(args []string) (map[string]value, error) {
	given := map[string]value{}
	fs := flag.NewFlagSet("broker", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	for _, s := range brokerSettings {
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
		// Not shown: it may be a token that lost its flag.
		return nil, errors.New("there is an argument that is no flag; settings are given as --name=value, and `queen-sqs broker --help` lists them")
	case err != nil:
		return nil, fmt.Errorf("%v; `queen-sqs broker --help` lists the flags", err)
	}
	return given, nil
}

func (b *Broker) settle(given map[string]value) error {
	b.LogLevel = b.shared.LogLevel
	if b.shared.Store == StoreMemory {
		if data, ok := given["QUEEN_BROKER_DATA"]; ok {
			b.warn("%s has no effect with the memory store", data.from)
		}
		b.Data = ""
	}
	if b.TestClock {
		b.warn("--test-clock is on: whoever reaches the listener can move the broker's clock; use it for tests only")
	}
	if len(b.Tokens) > 0 {
		return nil
	}
	from := "QUEEN_BROKER_LISTEN"
	if v, ok := given[from]; ok {
		from = v.from
	}
	loopback, err := isLoopback(b.Listen)
	switch {
	case err != nil:
		return fmt.Errorf("%s is %.80q, which cannot be resolved (%v); set it to a loopback address such as 127.0.0.1:6632", from, b.Listen, err)
	case !loopback:
		return fmt.Errorf("%s is %.80q, and without tokens only a loopback address is served; set QUEEN_BROKER_TOKENS=token:role or listen on 127.0.0.1:6632", from, b.Listen)
	}
	b.warn("there are no tokens: everybody who reaches the listener may do everything; set QUEEN_BROKER_TOKENS to change that")
	return nil
}

func (b *Broker) warn(format string, args ...any) {
	b.Warnings = append(b.Warnings, fmt.Sprintf(format, args...))
}

// BrokerHelp is the text of `queen-sqs broker --help`.
func BrokerHelp() string {
	var out strings.Builder
	out.WriteString("Usage: queen-sqs broker [flags]\n\nServes Queen's own HTTP API over the embedded broker. Where a queue has no\nretention, consumed messages stay for consumer groups that come later.\nA flag wins over its environment variable; a blank value counts as unset.\n")
	for _, s := range brokerSettings {
		fmt.Fprintf(&out, "\n  --%s (%s)\n      %s\n", s.Flag, s.Takes, s.Doc)
		var facts []string
		if s.Name != "" {
			facts = append(facts, "environment: "+s.Name)
		}
		if s.Default != "" {
			facts = append(facts, "default: "+s.Default)
		}
		fmt.Fprintf(&out, "      [%s]\n", strings.Join(facts, ", "))
	}
	return out.String()
}
