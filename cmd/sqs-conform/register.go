package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/queen-mq/queen-sqs/steps/measure"
)

const registerUsage = `usage: sqs-conform register --measure WHAT [--gateway BINARY]
Measures on a gateway what the register of divergences says in numbers, and writes
it to divergences/measured. Then "go generate ./divergences" brings it into the
documents. Run it at the top of the module.
`

func registerCommand(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("register", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), registerUsage)
		flags.PrintDefaults()
	}
	what := flags.String("measure", "", "measure `WHAT`: "+strings.Join(measure.Names(), ", "))
	gateway := flags.String("gateway", "", "gateway `binary` to measure; built from this module when not given")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *what == "" {
		flags.Usage()
		return flag.ErrHelp
	}
	folder := filepath.Join("divergences", "measured")
	if _, err := os.Stat(folder); err != nil {
		return errors.New("register has to be run at the top of the module")
	}
	return measure.Write(ctx, measure.Options{What: *what, Binary: *gateway, Folder: folder, Out: os.Stdout})
}
