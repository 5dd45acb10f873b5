package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/conform"
)

const peersUsage = `usage: sqs-conform peers --out DIR NAME=REPORT.json ...
Puts reports of "sqs-conform run" side by side, in DIR/peers.json and DIR/PEERS.md.
NAME is how the table calls the endpoint, with its version. ci/peers.sh installs
and starts endpoints, runs the features against each, and calls this.
`

// peer is one report, without its scenarios.
type peer struct {
	Name string `json:"name"`
	*conform.Result
	Scenarios []struct{}       `json:"scenarios,omitempty"` // left out
	NotRun    []conform.Reason `json:"reasons"`
}

func peersCommand(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), peersUsage)
		flags.PrintDefaults()
	}
	dir := flags.String("out", "matrix", "`folder` of the two files")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return flag.ErrHelp
	}
	var peers []peer
	for _, arg := range flags.Args() {
		name, file, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%q is not NAME=REPORT.json", arg)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var r conform.Result
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		peers = append(peers, peer{Name: name, NotRun: r.NotRun(), Result: &r})
	}
	text, err := json.MarshalIndent(peers, "", " ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(*dir, "peers.json"), append(text, '\n'), 0o644),
		os.WriteFile(filepath.Join(*dir, "PEERS.md"), []byte(peersTable(peers)), 0o644))
}

func peersTable(peers []peer) string {
	var b strings.Builder
	b.WriteString(`# Other SQS and SNS endpoints, by the same features

Each cell is right answers of all that were asked, over AWS JSON / over Query. A scenario that called an action
and failed counts against the call at whose answer it failed. Where queen-sqs differs from Amazon on purpose, it
was asked for its own answer and the others for Amazon's. What an endpoint could not be asked was not run, and
counts neither way: clocks that cannot be moved, brokers that cannot be reached or broken. The texts of errors
are compared too, where Amazon's are on record. Whether answers are shaped as Amazon's models say was not asked
here (--models=false) but is in MODELS.md: one wrong header would fail every scenario. Made by ` + "`ci/peers.sh`" + `.

`)
	row := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	head := func(first string) {
		cells, rule := []string{first}, []string{"---"}
		for _, p := range peers {
			cells, rule = append(cells, p.Name), append(rule, "---")
		}
		row(cells...)
		row(rule...)
	}
	row("Endpoint", "Date", "Passed", "Failed", "Not run", "Command")
	row("---", "---", "---", "---", "---", "---")
	for _, p := range peers {
		row(p.Name, p.Date, fmt.Sprint(p.Total.Passed), fmt.Sprint(p.Total.Failed), fmt.Sprint(p.Total.NotRun), "`"+p.Command+"`")
	}
	for _, part := range []struct {
		title string
		rows  func(peer) []conform.Row
	}{
		{"Action", func(p peer) []conform.Row { return p.Actions }},
		{"Error, AWS JSON / Query", func(p peer) []conform.Row { return p.Errors }},
	} {
		b.WriteString("\n")
		head(part.title)
		lines := map[string][]string{}
		for i, p := range peers {
			for _, r := range part.rows(p) {
				name := r.Name
				if r.JSON != "" {
					name = r.JSON + " / " + r.Query
				}
				if lines[name] == nil {
					lines[name] = slices.Repeat([]string{"-"}, len(peers))
				}
				lines[name][i] = conform.Cell(r.Counts[client.JSON]) + " / " + conform.Cell(r.Counts[client.Query])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(lines)) {
			row(append([]string{name}, lines[name]...)...)
		}
	}
	return b.String()
}
