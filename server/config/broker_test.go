package config

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
)

func TestBrokerDefaults(t *testing.T) {
	b, err := LoadBroker(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if b.Listen != "127.0.0.1:6632" || b.Data != "./queen-broker-data" || b.Tokens != nil || b.LogLevel != slog.LevelInfo || b.LogJSON || b.TestClock {
		t.Errorf("%#v", *b)
	}
	if len(b.Warnings) != 1 || !strings.Contains(b.Warnings[0], "no tokens") {
		t.Errorf("warnings: %q", b.Warnings)
	}
}

func TestBrokerSettings(t *testing.T) {
	environ := []string{"QUEEN_BROKER_TOKENS=a:b:admin, c:read-only", "QUEEN_BROKER_LISTEN=0.0.0.0:1", "QUEEN_BROKER_STORE=Memory",
		"LOG_LEVEL=warn", "QUEEN_LOG_JSON=true", "QUEEN_BROKER_DATA= "}
	b, err := LoadBroker([]string{"--listen=:6632", "--test-clock"}, environ)
	if err != nil {
		t.Fatal(err)
	}
	if b.Listen != ":6632" || b.Data != "" || b.LogLevel != slog.LevelWarn || !b.LogJSON || !b.TestClock {
		t.Errorf("%s %q %v %v %v", b.Listen, b.Data, b.LogLevel, b.LogJSON, b.TestClock)
	}
	if want := []BrokerToken{{"a:b", "admin"}, {"c", "read-only"}}; !reflect.DeepEqual(b.Tokens, want) {
		t.Errorf("tokens %d, want %d", len(b.Tokens), len(want))
	}
	for _, text := range []string{fmt.Sprint(*b), fmt.Sprintf("%v %+v %#v", b, b, b)} {
		if strings.Contains(text, "admin") || strings.Contains(text, "a:b") {
			t.Errorf("formatting shows a token: %s", text)
		}
	}
}

func TestBrokerRefusals(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--listen=6632", "--listen is"},
		{"--listen=0.0.0.0:6632", "without tokens only a loopback address is served"},
		{"--listen=:6632", "without tokens only a loopback address is served"},
		{"--store=tape", "--store is"},
		{"--tokens=secret", "entry 1 of --tokens has no role"},
		{"--tokens=secret:king", "the role of entry 1 of --tokens is none"},
		{"--tokens=:admin", "the token of entry 1 of --tokens is empty"},
		{"--tokens=secret:admin,secret:read-only", "given twice"},
		{"--tokens=sec\x01ret:admin", "cannot go into an HTTP header"},
		{"--log-level=loud", "--log-level is"},
		{"--test-clock=maybe", "--test-clock is"},
		{"--colour=red", "queen-sqs broker --help"},
		{"secret", "an argument that is no flag"},
	} {
		_, err := LoadBroker([]string{c.args}, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.args, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q shows a token: %v", c.args, err)
		}
	}
	if _, err := LoadBroker([]string{"--help"}, nil); !errors.Is(err, ErrHelp) {
		t.Errorf("help: %v", err)
	}
	for _, s := range BrokerSettings() {
		if !strings.Contains(BrokerHelp(), "--"+s.Flag+" (") {
			t.Errorf("the help leaves out --%s", s.Flag)
		}
	}
}
