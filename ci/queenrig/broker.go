package queenrig

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// Broker is one broker process of the rig.
type Broker struct {
	// URL is its base address, the same after every start.
	URL string

	*process
}

// brokerEnv is what a gateway needs of Queen 1.3.0: the key/value store's rate
// limits out of the way, and due timers and other processes' pushes noticed
// within a second instead of thirty.
func brokerEnv(pg *Postgres, dir string, n, port int) map[string]string {
	return map[string]string{
		"PORT":                            strconv.Itoa(port),
		"QUEEN_BIND_ADDR":                 "127.0.0.1",
		"PG_HOST":                         pg.Host,
		"PG_PORT":                         strconv.Itoa(pg.Port),
		"PG_USER":                         pg.User,
		"PG_PASSWORD":                     pg.Password,
		"PG_DATABASE":                     pg.Database,
		"DB_POOL_SIZE":                    "32",
		"FILE_BUFFER_DIR":                 filepath.Join(dir, fmt.Sprintf("broker-%d-buffers", n)),
		"QUEEN_SWEEPER_IDLE_MAX_SLEEP_MS": "1000",
		"QUEEN_HOTLIST_RESEED_MS":         "1000",
		"QUEEN_KV_WRITE_RATE":             "100000",
		"QUEEN_KV_WRITE_BURST":            "200000",
		"QUEEN_KV_READ_RATE":              "100000",
		"QUEEN_KV_READ_BURST":             "200000",
		"LOG_LEVEL":                       "info",
	}
}

func newBroker(tools Tools, dir string, n, port int, env map[string]string) (*Broker, error) {
	if err := os.MkdirAll(env["FILE_BUFFER_DIR"], 0o755); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("broker-%d", n)
	b := &Broker{URL: "http://127.0.0.1:" + strconv.Itoa(port)}
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	b.process = &process{
		name: name, path: tools.Broker, dir: dir, attr: &syscall.SysProcAttr{Setpgid: true},
		log: filepath.Join(dir, name+".log"), pidFile: pidFile(dir, name),
		stop: syscall.SIGTERM, crash: syscall.SIGKILL,
		ready: func() error { return healthy(client, b.URL) },
	}
	// Nothing of the caller's environment reaches the broker: a QUEEN_ or PG_
	// variable of the person at the desk would change what is tested.
	b.env = []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "TZ=UTC"}
	for _, key := range slices.Sorted(maps.Keys(env)) {
		b.env = append(b.env, key+"="+env[key])
	}
	return b, nil
}

func healthy(client *http.Client, url string) error {
	resp, err := client.Get(url + "/health")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 500))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("/health answers %d: %s", resp.StatusCode, body)
	}
	return nil
}
