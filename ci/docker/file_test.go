package docker

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v2"
)

// compose is what these tests read of a compose file: what compose.yml uses.
// Anything else in it fails the reading.
type compose struct {
	Gateway  any `yaml:"x-gateway"`
	Services map[string]service
	Volumes  map[string]any
}

type service struct {
	Image       string
	Build       map[string]string
	Command     []string
	Environment map[string]string
	Volumes     []string
	Ports       []string
	Restart     string
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Healthcheck struct {
		Test              testCommand
		Interval, Timeout time.Duration
		StartPeriod       time.Duration `yaml:"start_period"`
		Retries           int
	}
	StopGracePeriod time.Duration `yaml:"stop_grace_period"`
}

// testCommand is a health check's command: a list, or a text for the shell.
type testCommand []string

func (c *testCommand) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if unmarshal(&text) == nil {
		*c = testCommand{"CMD-SHELL", text}
		return nil
	}
	return unmarshal((*[]string)(c))
}

func readCompose(t *testing.T, vars map[string]string) compose {
	t.Helper()
	text, err := interpolate(read(t, "compose.yml"), vars)
	if err != nil {
		t.Fatal(err)
	}
	var c compose
	if err := yaml.UnmarshalStrict([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

var variable = regexp.MustCompile(`\$\{(\w+)(:[-?])?([^}]*)\}`)

// interpolate puts in the variables as Compose does.
func interpolate(text string, vars map[string]string) (string, error) {
	var missing error
	text = variable.ReplaceAllStringFunc(text, func(ref string) string {
		m := variable.FindStringSubmatch(ref)
		value := vars[m[1]]
		switch {
		case value != "":
			return value
		case m[2] == ":-":
			return m[3]
		}
		missing = fmt.Errorf("%s is not set: %s", m[1], m[3])
		return ""
	})
	return text, missing
}

// order are the services, each behind those it waits for.
func (c compose) order(t *testing.T) []string {
	t.Helper()
	var order []string
	for len(order) < len(c.Services) {
		before := len(order)
		for _, name := range slices.Sorted(maps.Keys(c.Services)) {
			ready := !slices.Contains(order, name)
			for other := range c.Services[name].DependsOn {
				ready = ready && slices.Contains(order, other)
			}
			if ready {
				order = append(order, name)
			}
		}
		if len(order) == before {
			t.Fatalf("of the services only %v can start: the others wait for each other", order)
		}
	}
	return order
}

func merged(first, second map[string]string) map[string]string {
	all := maps.Clone(first)
	maps.Copy(all, second)
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// notRun skips a test, and says so also without -v.
func notRun(t *testing.T, format string, args ...any) {
	t.Helper()
	fmt.Fprintf(os.Stderr, "not run: %s: %s\n", t.Name(), strings.TrimSpace(fmt.Sprintf(format, args...)))
	t.SkipNow()
}
