package target

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// URL is an endpoint somebody else runs.
type URL struct {
	Endpoints   []string
	SNS         string            // where SNS has an endpoint of its own
	Transport   http.RoundTripper // nil means http.DefaultTransport
	Region      string
	AccountID   string
	Credentials client.Credentials
	Able        Abilities
}

// Name implements Target.
func (u *URL) Name() string { return strings.Join(u.Endpoints, ",") }

// Abilities implements Target.
func (u *URL) Abilities() Abilities { return u.Able }

// Config implements Target.
func (u *URL) Config() client.Config {
	return client.Config{Endpoints: u.Endpoints, SNS: u.SNS, Region: u.Region, Credentials: u.Credentials, Transport: u.Transport}
}

// Account implements Target.
func (u *URL) Account() string { return u.AccountID }

// Advance moves the clock of a gateway that was started with --test-clock.
func (u *URL) Advance(ctx context.Context, d time.Duration) error {
	if !u.Able.MovesClock {
		return ErrUnable
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.Endpoints[0]+"/_test/clock", bytes.NewReader(fmt.Appendf(nil, `{"advance":%q}`, d)))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 1024))
		return fmt.Errorf("moving the clock: %s: %s", resp.Status, body)
	}
	return nil
}

// Restart implements Target.
func (u *URL) Restart(context.Context) error { return ErrUnable }

// Close implements Target.
func (u *URL) Close() error { return nil }

// one is a source with a single target.
type one struct{ t Target }

func (o one) Shared(context.Context) (Target, error)        { return o.t, nil }
func (o one) Private(context.Context, bool) (Target, error) { return o.t, nil }
func (o one) Exclusive() bool                               { return o.t.Abilities().MovesClock }
func (o one) Close() error                                  { return o.t.Close() }

// ChecksSignatures asks an endpoint whether it does: a request that is signed
// with a wrong secret is refused then.
func ChecksSignatures(ctx context.Context, t Target) (bool, error) {
	raw := client.NewRaw(client.JSON, t.Config(), &client.Recorder{})
	wrong := t.Config().Credentials
	wrong.Secret += "x"
	raw.Signing.Credentials = &wrong
	x, err := raw.Send(ctx, raw.Encode(client.SQS, "ListQueues", client.Params{}))
	if err != nil {
		return false, err
	}
	return x.Status >= 300, nil
}
