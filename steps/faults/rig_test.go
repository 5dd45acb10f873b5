package faults_test

import (
	"context"
	"os"
	"testing"

	"github.com/queen-mq/queen-sqs/ci/queenrig"
	"github.com/queen-mq/queen-sqs/steps/load"
)

// realBroker is the URL of a real Queen: that of the environment, or of a rig
// started for the test. Where neither is to be had the test is not run, and in
// CI that is a failure.
func realBroker(t *testing.T) string {
	t.Helper()
	if remote, ok := queenrig.FromEnv(); ok {
		return remote.URLs[0]
	}
	return ownRig(t, queenrig.Options{}).Brokers[0].URL
}

// ownRig starts a rig that the test may break.
func ownRig(t *testing.T, opts queenrig.Options) *queenrig.Rig {
	t.Helper()
	if testing.Short() {
		t.Skip("not run in -short: needs a real Queen broker")
	}
	if _, err := queenrig.FindTools(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("the real broker has to be there in CI: %v", err)
		}
		t.Skipf("not run, there is no real Queen broker: %v", err)
	}
	rig, err := queenrig.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rig.Close(); err != nil {
			t.Error(err)
		}
	})
	return rig
}

// startGateway starts a gateway in a process of its own over a rig's first broker.
// The caller stops it.
func startGateway(ctx context.Context, t *testing.T, rig *queenrig.Rig, env ...string) *load.Gateway {
	t.Helper()
	binary, err := load.Build(ctx, "github.com/queen-mq/queen-sqs/cmd/queen-sqs", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	addr, err := load.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	gateway := &load.Gateway{Binary: binary, Addr: addr, Env: append([]string{
		"QUEEN_URL=" + rig.Brokers[0].URL, "QUEEN_SQS_DATA=", "QUEEN_SQS_HANDLE_SECRET=a-secret-of-the-fault-tests",
	}, env...)}
	if err := gateway.Start(ctx); err != nil {
		t.Fatal(err)
	}
	return gateway
}
