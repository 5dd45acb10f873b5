package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/steps/replay"
)

func TestAReplayFailsWhenItHasFaults(t *testing.T) {
	var out bytes.Buffer
	if err := writeReplay(&out, replay.Report{}); err != nil || !strings.Contains(out.String(), "recorded answers compared") {
		t.Errorf("%v: %s", err, out.String())
	}
	out.Reset()
	if err := writeReplay(&out, replay.Report{Faults: []string{"a member too many"}}); err == nil || !strings.Contains(out.String(), "a member too many") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// What was cut off is no evidence of anything, so that no report is written.
func TestAnInterruptedReplayReportsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, said bytes.Buffer
	if err := replayWith(ctx, nil, &out, &said); err == nil || out.Len() > 0 {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestReplayTakesNothing(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"test_sqs"}} {
		var out, said bytes.Buffer
		if err := replayWith(t.Context(), args, &out, &said); !errors.Is(err, flag.ErrHelp) || !strings.Contains(said.String(), "usage: sqs-conform replay") {
			t.Errorf("%v: %v: %s", args, err, said.String())
		}
	}
}
