package config

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"
)

// settle checks the settings against one another, once all of them are read.
func (c *Config) settle(given map[string]value) error {
	c.Credentials = append(c.Credentials, c.fileKeys...)
	if err := c.settleBroker(given); err != nil {
		return err
	}
	if err := c.settleAuth(given); err != nil {
		return err
	}
	if c.TestClock {
		c.warn("--test-clock is on: whoever reaches the listener can move the gateway's clock; use it for tests only")
	}
	return c.settleTLS(given)
}

func (c *Config) settleBroker(given map[string]value) error {
	if c.QueenURL == "" {
		if c.Store == StoreMemory {
			if data, ok := given["QUEEN_SQS_DATA"]; ok {
				c.warn("%s has no effect with the memory store", data.from)
			}
			c.Data = ""
		}
		return nil
	}
	for _, name := range []string{"QUEEN_SQS_STORE", "QUEEN_SQS_DATA"} {
		if v, ok := given[name]; ok {
			return fmt.Errorf("%s is a setting of the embedded broker and contradicts %s; unset one of them", v.from, given["QUEEN_URL"].from)
		}
	}
	c.Store, c.Data = "", ""
	if c.HandleSecret == nil {
		c.warn("QUEEN_SQS_HANDLE_SECRET is not set: receipt handles are refused by other instances and after a restart; set it to the same random text on all instances")
	}
	return nil
}

func (c *Config) settleAuth(given map[string]value) error {
	const remedy = "QUEEN_SQS_CREDENTIALS=accessKeyId:secret"
	if len(c.Credentials) > 0 && c.auth != authOff {
		return nil
	}
	if c.auth == authOn {
		return fmt.Errorf("%s asks for signatures to be verified and there are no credentials; set %s", given["QUEEN_SQS_AUTH"].from, remedy)
	}
	c.AuthOff = true
	loopback, err := isLoopback(c.Listen)
	switch {
	case err != nil:
		return fmt.Errorf("%s is %.80q, which cannot be resolved (%v); set it to a loopback address such as 127.0.0.1:9324", given["QUEEN_SQS_LISTEN"].from, c.Listen, err)
	case !loopback && len(c.Credentials) > 0:
		return fmt.Errorf("%s is %.80q, and with %s off only a loopback address is served; listen on 127.0.0.1:9324 or verify signatures",
			given["QUEEN_SQS_LISTEN"].from, c.Listen, given["QUEEN_SQS_AUTH"].from)
	case !loopback:
		return fmt.Errorf("%s is %.80q, and without credentials only a loopback address is served; set %s or listen on 127.0.0.1:9324",
			given["QUEEN_SQS_LISTEN"].from, c.Listen, remedy)
	}
	if len(c.Credentials) > 0 {
		c.warn("%s is off: the configured credentials are ignored and every request is served unverified", given["QUEEN_SQS_AUTH"].from)
		c.Credentials = nil
		return nil
	}
	c.warn("there are no credentials: every request is served unverified, on loopback only; set %s to verify signatures", remedy)
	return nil
}

// lookup resolves a host name; tests replace it.
var lookup = func(host string) ([]netip.Addr, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// isLoopback reports whether everything an address stands for is loopback:
// 127.0.0.0/8, ::1, localhost, or a name that resolves to nothing else. No host
// at all stands for every interface.
func isLoopback(listen string) (bool, error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil || host == "" {
		return false, err
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback(), nil
	}
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true, nil
	}
	addrs, err := lookup(host)
	if err != nil {
		return false, err
	}
	for _, a := range addrs {
		if !a.Unmap().IsLoopback() {
			return false, nil
		}
	}
	return len(addrs) > 0, nil
}

func (c *Config) settleTLS(given map[string]value) error {
	cert, key := given["QUEEN_SQS_TLS_CERT"], given["QUEEN_SQS_TLS_KEY"]
	switch {
	case c.certFile == "" && c.keyFile == "":
		return nil
	case c.keyFile == "":
		return fmt.Errorf("%s is set without QUEEN_SQS_TLS_KEY; set both or neither", cert.from)
	case c.certFile == "":
		return fmt.Errorf("%s is set without QUEEN_SQS_TLS_CERT; set both or neither", key.from)
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("%s and %s cannot be used (%v); set them to the PEM files of a certificate and its key", cert.from, key.from, err)
	}
	c.TLS = &tls.Config{
		Certificates: []tls.Certificate{pair},
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"http/1.1"},
	}
	return nil
}
