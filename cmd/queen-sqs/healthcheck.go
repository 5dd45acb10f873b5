package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/queen-mq/queen-sqs/server/config"
)

// healthcheckTime bounds the whole check.
const healthcheckTime = 5 * time.Second

// healthcheck asks /healthz of the address that the same settings serve. The
// certificate is not verified: it names the gateway as its clients reach it, and
// the check reaches it over loopback.
func healthcheck(p process) int {
	cfg, err := config.Load(p.args, p.environ)
	if errors.Is(err, config.ErrHelp) {
		fmt.Fprint(p.stdout, "Usage: queen-sqs healthcheck [flags]\n\nThe settings are those of queen-sqs serve.\n")
		return 0
	}
	if err != nil {
		return p.refuse(err)
	}
	if strings.HasSuffix(cfg.Listen, ":0") {
		return p.refuse(errors.New("the address has port 0, which tells not where the gateway listens; set QUEEN_SQS_LISTEN to the real one"))
	}
	url := endpoint(cfg, cfg.Listen) + "/healthz"
	client := &fasthttp.Client{TLSConfig: &tls.Config{InsecureSkipVerify: true}}
	defer client.CloseIdleConnections()
	status, body, err := client.GetTimeout(nil, url, healthcheckTime)
	if err != nil {
		return p.refuse(fmt.Errorf("%s does not answer: %w", url, err))
	}
	if status != fasthttp.StatusOK {
		return p.refuse(fmt.Errorf("%s answers %d: %.200s", url, status, body))
	}
	fmt.Fprintln(p.stdout, string(body))
	return 0
}
