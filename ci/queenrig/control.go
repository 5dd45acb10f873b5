package queenrig

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// ControlEnv names the variable that holds the control address of the rig a
// test runs on.
const ControlEnv = "QUEEN_TEST_CONTROL"

// ServeControl lets another process stop and start the parts of the rig:
//
//	POST /postgres/{stop,start,kill}
//	POST /broker/N/{stop,start,kill}    N counts from 1
//
// answers 204 when it is done, and 500 with the reason when it failed. The
// answer is the base address; the server ends with close.
func (r *Rig) ServeControl() (url string, close func() error, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /postgres/{verb}", func(w http.ResponseWriter, req *http.Request) {
		answer(w, r.Postgres, req.PathValue("verb"))
	})
	mux.HandleFunc("POST /broker/{n}/{verb}", func(w http.ResponseWriter, req *http.Request) {
		n, err := strconv.Atoi(req.PathValue("n"))
		if err != nil || n < 1 || n > len(r.Brokers) {
			http.Error(w, "no such broker", http.StatusNotFound)
			return
		}
		answer(w, r.Brokers[n-1], req.PathValue("verb"))
	})
	srv := &http.Server{Handler: mux}
	go srv.Serve(l)
	return "http://" + l.Addr().String(), srv.Close, nil
}

func answer(w http.ResponseWriter, p Process, verb string) {
	verbs := map[string]func() error{"start": p.Start, "stop": p.Stop, "kill": p.Kill}
	do, ok := verbs[verb]
	if !ok {
		http.Error(w, "no such verb", http.StatusNotFound)
		return
	}
	if err := do(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Remote is a rig that another process runs.
type Remote struct {
	// URLs are the brokers' addresses.
	URLs []string
	// Control is the control address; empty when there is none, as with a broker
	// that no rig started.
	Control string
}

// FromEnv is the rig that the environment describes: QUEEN_TEST_URL,
// QUEEN_TEST_URL_2 and so on, and QUEEN_TEST_CONTROL. ok is false without any.
func FromEnv() (rig Remote, ok bool) {
	rig.Control = os.Getenv(ControlEnv)
	for name, n := "QUEEN_TEST_URL", 2; os.Getenv(name) != ""; n++ {
		rig.URLs = append(rig.URLs, os.Getenv(name))
		name = fmt.Sprintf("QUEEN_TEST_URL_%d", n)
	}
	return rig, len(rig.URLs) > 0
}

// Postgres is the rig's database.
func (r Remote) Postgres() Process { return remoteProcess(r.Control + "/postgres/") }

// Broker is the rig's broker number n, from 0 as in URLs.
func (r Remote) Broker(n int) Process {
	return remoteProcess(r.Control + "/broker/" + strconv.Itoa(n+1) + "/")
}

type remoteProcess string

func (p remoteProcess) Start() error { return p.post("start") }
func (p remoteProcess) Stop() error  { return p.post("stop") }
func (p remoteProcess) Kill() error  { return p.post("kill") }

func (p remoteProcess) post(verb string) error {
	if !strings.HasPrefix(string(p), "http") {
		return errors.New("this rig has no control address (" + ControlEnv + ")")
	}
	client := &http.Client{Timeout: startTimeout + stopTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Post(string(p)+verb, "", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 8<<10))
		return fmt.Errorf("%s%s: %d %s", string(p), verb, resp.StatusCode, text)
	}
	return nil
}
