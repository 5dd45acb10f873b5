package faults_test

import (
	"os"
	"testing"

	"github.com/queen-mq/queen-sqs/ci/queenrig"
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
