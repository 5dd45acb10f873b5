package sqs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/registry"
)

func TestBrokerFault(t *testing.T) {
	const secret = "upstream's own words"
	status := func(code int) error { return &queen.StatusError{Code: code, Body: secret} }
	cases := []struct {
		err  error
		kind *fault.Kind
	}{
		{&queen.TransportError{Err: errors.New(secret)}, fault.ServiceUnavailable},
		{status(500), fault.ServiceUnavailable},
		{status(503), fault.ServiceUnavailable},
		{status(404), fault.QueueDoesNotExist},
		{status(429), fault.RequestThrottled},
		{status(401), fault.AccessDenied},
		{status(403), fault.AccessDenied},
		{status(400), fault.InvalidParameterValue},
		{status(413), fault.InvalidParameterValue},
		{status(302), fault.InternalFailure},
		{&queen.BodyError{Reason: secret}, fault.InternalFailure},
		{&queen.DuplicateError{Detail: secret}, fault.InvalidParameterValue},
		{&queen.PreconditionError{}, fault.ServiceUnavailable},
		{registry.ErrNotFound, fault.QueueDoesNotExist},
		{registry.ErrConflict, fault.ServiceUnavailable},
		{registry.ErrTooLarge, fault.InvalidParameterValue},
		{context.Canceled, fault.ServiceUnavailable},
		{context.DeadlineExceeded, fault.ServiceUnavailable},
		{errors.New(secret), fault.InternalFailure},
		{fault.InvalidAction.Default(), fault.InvalidAction},
	}
	for _, c := range cases {
		for _, err := range []error{c.err, fmt.Errorf("wrapped: %w", c.err)} {
			got := fault.From(brokerFault(err))
			if got.Kind != c.kind {
				t.Errorf("%v is %s, want %s", err, got.Kind.JSON, c.kind.JSON)
			}
			if strings.Contains(got.Message(), secret) {
				t.Errorf("%v tells the client %q", err, got.Message())
			}
		}
	}
	if err := brokerFault(nil); err != nil {
		t.Errorf("nil became %v", err)
	}
	if msg := fault.From(brokerFault(status(418))).Message(); !strings.Contains(msg, "418") {
		t.Errorf("%q does not name the status", msg)
	}
	for asked, want := range map[time.Duration]time.Duration{3 * time.Second: 3 * time.Second, 0: time.Second} {
		throttled := fault.From(brokerFault(&queen.StatusError{Code: 429, RetryAfter: asked, HasRetryAfter: asked > 0}))
		if throttled.RetryAfter != want {
			t.Errorf("retry after %v, want %v", throttled.RetryAfter, want)
		}
	}
}
