package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/queen-mq/queen-sqs/steps/replay"
)

const replayUsage = `usage: sqs-conform replay
Does again what Amazon's recorded answers were recorded from, against this gateway
started inside, and compares field for field: a field is as recorded, or a row of
the register explains it, or the way it was recorded does. Any other difference is
a fault. The exit status is 1 when there is one.
`

func replayCommand(ctx context.Context, args []string) error {
	return replayWith(ctx, args, os.Stdout, os.Stderr)
}

func replayWith(ctx context.Context, args []string, out, said io.Writer) error {
	flags := flag.NewFlagSet("replay", flag.ContinueOnError)
	flags.SetOutput(said)
	flags.Usage = func() { fmt.Fprint(flags.Output(), replayUsage) }
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		flags.Usage()
		return flag.ErrHelp
	}
	report, err := replay.Run(ctx)
	if err != nil {
		return err
	}
	if ctx.Err() != nil { // what was cut off differs from everything
		return errors.New("the replay was interrupted")
	}
	return writeReplay(out, report)
}

// writeReplay writes the report, and fails after that when it has faults.
func writeReplay(out io.Writer, report replay.Report) error {
	if err := report.Write(out); err != nil {
		return err
	}
	if n := len(report.Faults); n > 0 {
		return fmt.Errorf("the replay found %d faults", n)
	}
	return nil
}
