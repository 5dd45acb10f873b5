package docker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ory/dockertest/v3"
	dc "github.com/ory/dockertest/v3/docker"
)

// QUEEN_SQS_DOCKER says whether the tests with containers run.
const (
	modeEnv     = "QUEEN_SQS_DOCKER"
	modeMade    = ""        // where there are an engine and the images already
	modeMake    = "make"    // where there is an engine; the images are made
	modeRequire = "require" // or fail
	modeOff     = "off"     // nowhere
)

// label marks whatever these tests make; its value is the process that does.
const label = "queen-sqs-test"

// engine is a Docker engine with what one test has on it.
type engine struct {
	*dockertest.Pool
	ctx    context.Context // ends on an interrupt, and with it the test
	vars   map[string]string
	prefix string
}

// openEngine finds the engine and the images, or ends the test. What the test
// starts goes away with it, and what an earlier one left behind goes now.
func openEngine(t *testing.T) *engine {
	t.Helper()
	mode := os.Getenv(modeEnv)
	giveUp := notRun
	switch mode {
	case modeMade, modeMake:
	case modeRequire:
		giveUp = func(t *testing.T, format string, args ...any) { t.Helper(); t.Fatalf(format, args...) }
	case modeOff:
		notRun(t, "%s is %s", modeEnv, mode)
	default:
		t.Fatalf("%s is %q; it may be %s, %s or %s", modeEnv, mode, modeMake, modeRequire, modeOff)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	t.Cleanup(stop)
	pool, err := dockertest.NewPool("")
	if err != nil {
		giveUp(t, "there is no Docker engine: %v", err)
	}
	ping, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := pool.Client.PingWithContext(ping); err != nil {
		giveUp(t, "there is no Docker engine: %v", err)
	}

	e := &engine{Pool: pool, ctx: ctx, prefix: fmt.Sprintf("queen-sqs-test-%d-%d-", os.Getpid(), time.Now().UnixNano()%1e6)}
	e.removeAll(t, dead)
	t.Cleanup(func() { e.removeAll(t, mine) })
	var lacking *lackingError
	switch e.vars, err = imagesOnce(ctx, mode); {
	case errors.As(err, &lacking):
		giveUp(t, "%v", err)
	case err != nil:
		t.Fatal(err)
	}
	return e
}

// lackingError is what the machine lacks to make the images.
type lackingError struct{ why string }

func (e *lackingError) Error() string { return e.why }

// imagesOnce is images for the whole process, which has one mode.
func imagesOnce(ctx context.Context, mode string) (map[string]string, error) {
	made.once.Do(func() { made.vars, made.err = images(ctx, mode) })
	return made.vars, made.err
}

var made struct {
	once sync.Once
	vars map[string]string
	err  error
}

// images are the variables of compose.yml that name images, which images.sh
// makes if it must.
func images(ctx context.Context, mode string) (map[string]string, error) {
	cmd := exec.CommandContext(ctx, "./images.sh")
	if mode == modeMade {
		cmd.Args = append(cmd.Args, "--made")
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 3:
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return nil, &lackingError{lines[len(lines)-1]}
	case err != nil:
		return nil, fmt.Errorf("images.sh: %w\n%s", err, &stderr)
	}
	vars := map[string]string{}
	for _, line := range strings.Fields(string(out)) {
		name, image, _ := strings.Cut(line, "=")
		vars[name] = image
	}
	return vars, nil
}

func self() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%d@%s", os.Getpid(), host)
}

func mine(owner string) bool { return owner == self() }

// dead reports whether an owner was a process of this machine and is no more.
func dead(owner string) bool {
	pid, host, _ := strings.Cut(owner, "@")
	n, err := strconv.Atoi(pid)
	here, _ := os.Hostname()
	return err == nil && host == here && errors.Is(syscall.Kill(n, 0), syscall.ESRCH)
}

// removeAll takes away the containers and networks of some owners, with the
// containers' volumes.
func (e *engine) removeAll(t *testing.T, of func(owner string) bool) {
	t.Helper()
	filter := map[string][]string{"label": {label}}
	containers, err := e.Client.ListContainers(dc.ListContainersOptions{All: true, Filters: filter})
	if err != nil {
		t.Errorf("containers are left behind: %v", err)
	}
	for _, c := range containers {
		if !of(c.Labels[label]) {
			continue
		}
		err := e.Client.RemoveContainer(dc.RemoveContainerOptions{ID: c.ID, Force: true, RemoveVolumes: true})
		var gone *dc.NoSuchContainer
		if err != nil && !errors.As(err, &gone) {
			t.Errorf("container %v is left behind: %v", c.Names, err)
		}
	}
	networks, err := e.Client.FilteredListNetworks(dc.NetworkFilterOpts{"label": {label: true}})
	if err != nil {
		t.Errorf("networks are left behind: %v", err)
	}
	for _, n := range networks {
		if !of(n.Labels[label]) {
			continue
		}
		err := e.Client.RemoveNetwork(n.ID)
		var gone *dc.NoSuchNetwork
		if err != nil && !errors.As(err, &gone) {
			t.Errorf("network %s is left behind: %v", n.Name, err)
		}
	}
}

// network makes a network of the test's own.
func (e *engine) network(t *testing.T) string {
	t.Helper()
	n, err := e.CreateNetwork(e.prefix+"net", func(o *dc.CreateNetworkOptions) {
		o.Labels = map[string]string{label: self()}
		o.Context = e.ctx
	})
	if err != nil {
		t.Fatal(err)
	}
	return n.Network.Name
}

// start starts a service as Compose would, under its name in the network, but
// publishes its ports where there is room on the loopback. dockertest's own Run takes neither names nor health checks, and puts another
// stop signal in place of the image's.
func (e *engine) start(t *testing.T, network, name string, s service) *dockertest.Resource {
	t.Helper()
	config := &dc.Config{
		Image:        s.Image,
		Cmd:          s.Command,
		Labels:       map[string]string{label: self()},
		ExposedPorts: map[dc.Port]struct{}{},
	}
	for key, value := range s.Environment {
		config.Env = append(config.Env, key+"="+value)
	}
	host := &dc.HostConfig{PortBindings: map[dc.Port][]dc.PortBinding{}}
	for _, port := range s.Ports {
		port := dc.Port(port[strings.LastIndexByte(port, ':')+1:] + "/tcp")
		config.ExposedPorts[port] = struct{}{}
		host.PortBindings[port] = []dc.PortBinding{{HostIP: "127.0.0.1"}}
	}
	if h := s.Healthcheck; len(h.Test) > 0 {
		config.Healthcheck = &dc.HealthConfig{Test: h.Test, Interval: h.Interval, Timeout: h.Timeout, StartPeriod: h.StartPeriod, Retries: h.Retries}
	}
	for _, volume := range s.Volumes {
		source, target, _ := strings.Cut(volume, ":")
		if !strings.HasPrefix(source, ".") {
			// A volume without a name goes away with the container.
			config.Volumes = map[string]struct{}{target: {}}
			continue
		}
		source, err := filepath.Abs(source)
		if err != nil {
			t.Fatal(err)
		}
		host.Binds = append(host.Binds, source+":"+target)
	}
	c, err := e.Client.CreateContainer(dc.CreateContainerOptions{
		Name: e.prefix + name, Config: config, HostConfig: host, Context: e.ctx,
		NetworkingConfig: &dc.NetworkingConfig{EndpointsConfig: map[string]*dc.EndpointConfig{network: {Aliases: []string{name}}}},
	})
	if err == nil {
		err = e.Client.StartContainerWithContext(c.ID, nil, e.ctx)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	resource, ok := e.ContainerByName("^/" + e.prefix + name + "$")
	if !ok {
		t.Fatalf("%s is gone", name)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of %s:\n%s", name, e.log(resource))
		}
	})
	return resource
}

// healthy waits until a container is.
func (e *engine) healthy(t *testing.T, r *dockertest.Resource) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Minute)
	for {
		c, err := e.Client.InspectContainerWithContext(r.Container.ID, e.ctx)
		switch {
		case err != nil:
			t.Fatalf("%s: %v", r.Container.Name, err)
		case c.State.Health.Status == "healthy":
			r.Container = c
			return
		case !c.State.Running:
			t.Fatalf("%s ended with status %d", c.Name, c.State.ExitCode)
		case time.Now().After(deadline):
			t.Fatalf("%s is %s: %+v", c.Name, c.State.Health.Status, c.State.Health.Log)
		}
		select {
		case <-e.ctx.Done():
			t.Fatal("interrupted")
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// wait is the exit status of a container that ends.
func (e *engine) wait(t *testing.T, r *dockertest.Resource) int {
	t.Helper()
	status, err := e.Client.WaitContainerWithContext(r.Container.ID, e.ctx)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

// log is the end of what a container wrote.
func (e *engine) log(r *dockertest.Resource) string {
	var out bytes.Buffer
	err := e.Client.Logs(dc.LogsOptions{Container: r.Container.ID, OutputStream: &out, ErrorStream: &out, Stdout: true, Stderr: true, Tail: "40"})
	if err != nil {
		return err.Error()
	}
	return out.String()
}
