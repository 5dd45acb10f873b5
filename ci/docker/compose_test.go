package docker

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/config"
)

// given are the variables that compose.yml cannot do without.
var given = map[string]string{
	"QUEEN_SQS_CREDENTIALS":   accessKey + ":" + secretKey,
	"QUEEN_SQS_HANDLE_SECRET": "a text of sixteen bytes or more",
}

func TestTheComposeFileIsPostgresQueenTwoGatewaysAndAProxy(t *testing.T) {
	c := readCompose(t, given)
	names := slices.Sorted(maps.Keys(c.Services))
	if want := []string{"gateway-1", "gateway-2", "postgres", "proxy", "queen"}; !slices.Equal(names, want) {
		t.Fatalf("the services are %v, not %v", names, want)
	}
	if image := c.Services["queen"].Image; image != "ghcr.io/queen-mq/queen:1.6.0" {
		t.Errorf("the broker is %s, and 1.6.0 is the last that runs on PostgreSQL", image)
	}
	for name, s := range c.Services {
		if strings.HasPrefix(name, "gateway-") {
			continue
		}
		if _, tag, _ := strings.Cut(s.Image, ":"); tag == "" || tag == "latest" {
			t.Errorf("%s is not pinned: %s", name, s.Image)
		}
		if len(s.Healthcheck.Test) == 0 {
			t.Errorf("%s has no health check", name)
		}
	}
	for name, s := range c.Services {
		if s.Restart != "" {
			t.Errorf("%s is started again: %s", name, s.Restart)
		}
		for other, how := range s.DependsOn {
			if _, ok := c.Services[other]; !ok || how.Condition != "service_healthy" {
				t.Errorf("%s waits for %s to be %q", name, other, how.Condition)
			}
		}
	}
	c.order(t) // fails where they wait in a circle
}

func TestTheGatewaysOfTheComposeFileStart(t *testing.T) {
	c := readCompose(t, given)
	known := map[string]bool{}
	for _, s := range config.Settings() {
		known[s.Name] = true
	}
	image := imageEnv(t)
	for _, name := range []string{"gateway-1", "gateway-2"} {
		var environ []string
		for key, value := range merged(image, c.Services[name].Environment) {
			if !known[key] {
				t.Errorf("%s is given %s, which is no setting", name, key)
			}
			environ = append(environ, key+"="+value)
		}
		cfg, err := config.Load(nil, environ)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(cfg.Warnings) > 0 {
			t.Errorf("%s warns: %v", name, cfg.Warnings)
		}
		if cfg.QueenURL != "http://queen:6632" || cfg.AuthOff || len(cfg.HandleSecret) == 0 || cfg.Listen != "0.0.0.0:9324" {
			t.Errorf("%s does not serve Queen with signatures and a secret: %+v", name, cfg)
		}
		if stop := c.Services[name].StopGracePeriod; stop <= cfg.ShutdownGrace {
			t.Errorf("%s is killed after %v, in the middle of its shutdown of %v", name, stop, cfg.ShutdownGrace)
		}
	}
	if !maps.Equal(c.Services["gateway-1"].Environment, c.Services["gateway-2"].Environment) {
		t.Error("the gateways have different settings")
	}
}

func TestTheComposeFileAsksForWhatItCannotDoWithout(t *testing.T) {
	text := read(t, "compose.yml")
	for name := range given {
		without := maps.Clone(given)
		delete(without, name)
		if _, err := interpolate(text, without); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestTheProxyKnowsTheGateways(t *testing.T) {
	cfg := read(t, "haproxy.cfg")
	for _, line := range []string{"balance roundrobin", "server gateway-1 gateway-1:9324", "server gateway-2 gateway-2:9324", "bind :9324"} {
		if !strings.Contains(cfg, "  "+line+"\n") {
			t.Errorf("haproxy.cfg has no line %q", line)
		}
	}
}

// The script and the compose file name the published images independently.
func TestTheImagesAreThoseOfTheComposeFile(t *testing.T) {
	script := read(t, "images.sh")
	c := readCompose(t, given)
	for _, name := range []string{"postgres", "queen", "proxy"} {
		if line := "published_" + name + "=" + c.Services[name].Image + "\n"; !strings.Contains(script, line) {
			t.Errorf("images.sh has no line %q", line)
		}
	}
}

func TestTheGoVersionOfTheImage(t *testing.T) {
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "../../go.mod"))
	if version == nil {
		t.Fatal("go.mod names no version")
	}
	if !strings.Contains(read(t, "Dockerfile"), "\nARG GO_IMAGE=golang:"+version[1]+"\n") {
		t.Errorf("the Dockerfile does not build with Go %s of go.mod", version[1])
	}
	if !strings.Contains(read(t, "images.sh"), "\ngo_image=golang:"+version[1]+"\n") {
		t.Errorf("images.sh does not build with Go %s of go.mod", version[1])
	}
}

// The image is built of the folders that Dockerfile.dockerignore lets through.
func TestTheImageIsBuiltOfEverythingItNeeds(t *testing.T) {
	through := strings.Split(read(t, "Dockerfile.dockerignore"), "\n")
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}", "../../cmd/queen-sqs").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if len(packages) < 10 {
		t.Fatalf("only %v", packages)
	}
	for _, path := range packages {
		folder, _, _ := strings.Cut(strings.TrimPrefix(path, "github.com/queen-mq/queen-sqs/"), "/")
		if !slices.Contains(through, "!"+folder) {
			t.Errorf("Dockerfile.dockerignore keeps %s out, which the service needs", path)
		}
	}
}

// imageEnv are the variables that the gateway's image sets.
func imageEnv(t *testing.T) map[string]string {
	env := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^ENV (\S+?)=(\S+)$`).FindAllStringSubmatch(read(t, "Dockerfile"), -1) {
		env[m[1]] = m[2]
	}
	if len(env) == 0 {
		t.Fatal("the Dockerfile sets no variable")
	}
	return env
}

// Docker Compose itself reads the file too, where it is installed.
func TestComposeReadsTheFile(t *testing.T) {
	command := composeCommand()
	if command == nil {
		notRun(t, "Docker Compose is not installed, so it did not read compose.yml")
	}
	cmd := exec.Command(command[0], append(command[1:], "-f", "compose.yml", "config")...)
	cmd.Env = os.Environ()
	for name, value := range given {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, &stderr)
	}
	for _, line := range []string{"QUEEN_URL: http://queen:6632", "image: postgres:16"} {
		if !strings.Contains(string(out), line) {
			t.Errorf("%v does not find %q in it:\n%s", command, line, out)
		}
	}
}

func composeCommand() []string {
	for _, command := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if exec.Command(command[0], append(command[1:], "version")...).Run() == nil {
			return command
		}
	}
	return nil
}
