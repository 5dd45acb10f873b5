// Package measure measures, on a gateway process on disk, what the register of
// divergences says in numbers.
package measure

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/divergences/measured"
	"github.com/queen-mq/queen-sqs/server/jsontext"
	"github.com/queen-mq/queen-sqs/steps/load"
)

// measurement is one thing that can be measured.
type measurement struct {
	name string
	file string
	run  func(context.Context, *load.Client, measured.Run) (any, error)
}

var measurements = []measurement{
	{"width", measured.WidthFile, width},
	{"purge", measured.PurgeFile, purge},
	{"sequence", measured.SequenceFile, sequence},
}

// all is the name of all measurements together.
const all = "all"

// Names are what can be measured: each by itself, and "all".
func Names() []string {
	var names []string
	for _, m := range measurements {
		names = append(names, m.name)
	}
	return append(names, all)
}

// Options says what to measure, and where to write it.
type Options struct {
	// What is one of Names.
	What string
	// Binary is the gateway to measure; empty builds the one of this module.
	Binary string
	// Folder gets the files of package measured.
	Folder string
	// Out is where each file that was written is named.
	Out io.Writer
}

// Write measures and writes the files. The gateway that it starts is stopped, and
// its data removed, before it returns.
func Write(ctx context.Context, o Options) error {
	var chosen []measurement
	for _, m := range measurements {
		if o.What == m.name || o.What == all {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("there is nothing called %q to measure: use one of %s", o.What, strings.Join(Names(), ", "))
	}
	dir, err := os.MkdirTemp("", "queen-sqs-register-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.Binary == "" {
		if o.Binary, err = load.Build(ctx, "github.com/queen-mq/queen-sqs/cmd/queen-sqs", dir); err != nil {
			return err
		}
	}
	addr, err := load.FreeAddr()
	if err != nil {
		return err
	}
	gateway := &load.Gateway{Binary: o.Binary, Addr: addr, Data: filepath.Join(dir, "data"), Env: []string{"LOG_LEVEL=warn"}}
	if err := gateway.Start(ctx); err != nil {
		return err
	}
	defer gateway.Stop()
	client := load.NewClient(gateway.URL(), 16)
	defer client.Close()
	for _, m := range chosen {
		if err := m.write(ctx, client, o); err != nil {
			return fmt.Errorf("measuring %s: %w", m.name, err)
		}
	}
	return nil
}

func (m measurement) write(ctx context.Context, client *load.Client, o Options) error {
	result, err := m.run(ctx, client, measured.Run{
		Command: "sqs-conform register --measure " + m.name,
		Date:    time.Now().UTC().Format(time.DateOnly),
		Machine: fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
	})
	if err != nil {
		return err
	}
	text, err := jsontext.MarshalIndent(result)
	if err != nil {
		return err
	}
	path := filepath.Join(o.Folder, m.file)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintln(o.Out, "wrote", path)
	return err
}
