package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/queen-mq/queen-sqs/divergences/register"
)

const registerUsage = `usage: sqs-conform register [flags]
Renders the register of divergences from its rows, the features and the
measurements. Without a flag it says which rendered files are stale, and fails if
one is. Run it at the top of the module.
`

func registerCommand(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("register", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), registerUsage)
		flags.PrintDefaults()
	}
	write := flags.Bool("write", false, "write the rendered files")
	measure := flags.String("measure", "", "first measure `WHAT` anew: width, purge, sequence or all")
	gateway := flags.String("gateway", "", "gateway `binary` to measure; built from this module when not given")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		flags.Usage()
		return flag.ErrHelp
	}
	if _, err := os.Stat("divergences/register.go"); err != nil {
		return errors.New("register has to be run at the top of the module")
	}
	if *measure != "" {
		if err := measureRegister(ctx, *measure, *gateway); err != nil {
			return err
		}
	}
	files, err := register.Render(".")
	if err != nil {
		return err
	}
	stale := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		have, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if bytes.Equal(have, files[name]) {
			continue
		}
		if !*write {
			fmt.Println("stale:", name)
			stale++
			continue
		}
		if err := os.WriteFile(filepath.FromSlash(name), files[name], 0o644); err != nil {
			return err
		}
		fmt.Println("wrote", name)
	}
	if stale > 0 {
		return fmt.Errorf("%d rendered files are stale; write them with --write", stale)
	}
	return nil
}
