package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/conform"
)

const runUsage = `usage: sqs-conform run [--endpoint URL] [flags]
Runs the corpus of features against an SQS and SNS endpoint, over each wire
protocol, and says what it gets right: a table of actions, one of errors, every
scenario that failed, and why others were not run. Everything it creates has a
name of its own and is deleted. The exit status is 1 when a scenario failed.
`

// errFailed ends the command with a status after its report has said why.
var errFailed = errors.New("the endpoint failed scenarios")

func runCommand(ctx context.Context, args []string) error {
	return runCorpus(ctx, args, reach{}, os.Stdout, os.Stderr)
}

func runCorpus(ctx context.Context, args []string, to reach, out, progress io.Writer) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), runUsage)
		flags.PrintDefaults()
	}
	to.register(flags, 200_000)
	protocol := flags.String("protocol", "both", "wire `protocol`: json, query or both")
	tags := flags.String("tags", "", "only scenarios that match this tag `expression`, e.g. '@QS-03 && ~@restart'")
	only := flags.String("features", "", "only these feature `files`, separated by commas")
	concurrency := flags.Int("concurrency", 4, "scenarios run at a time")
	maxWait := flags.Duration("max-wait", 20*time.Second, "how long a scenario may wait for real; longer ones are not run")
	report := flags.String("report", "", "write the report to this `file`: .json, or .html for people; several, separated by commas")
	models := flags.Bool("models", true, "hold every answer against Amazon's models too, so that a wrong Content-Type fails whatever it meets")
	quiet := flags.Bool("quiet", false, "say nothing while it runs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	protocols, known := map[string][]client.Protocol{"both": nil, "json": {client.JSON}, "query": {client.Query}}[*protocol]
	if !known || flags.NArg() > 0 || *concurrency < 1 {
		flags.Usage()
		return flag.ErrHelp
	}
	files, err := reportFiles(*report)
	if err != nil {
		return err
	}
	source, meter, err := to.open(ctx, progress, "queues and topics whose names begin with \"c\" and ten hexadecimal digits,")
	if err != nil {
		return err
	}
	if *quiet {
		progress = nil
	}
	o := conform.Options{
		Source: source, Meter: meter, Protocols: protocols, Tags: *tags, Concurrency: *concurrency,
		MaxWait: *maxWait, BehaviourOnly: !*models, Progress: progress, Command: commandLine("run", flags),
	}
	if *only != "" {
		o.Features = strings.Split(*only, ",")
	}
	result, err := conform.Run(ctx, o)
	if err := errors.Join(err, source.Close()); err != nil {
		return err
	}
	for _, name := range files {
		if err := writeReport(name, result); err != nil {
			return err
		}
	}
	if err := result.WriteText(out); err != nil {
		return err
	}
	left := result.Left()
	switch {
	case ctx.Err() != nil && len(left) == 0:
		return errors.New("the run was interrupted; what it had created is deleted")
	case len(left) > 0:
		return fmt.Errorf("%d queues and topics could not be deleted; the report names them", len(left))
	case result.Failed():
		return errFailed
	}
	return nil
}

// commandLine is how to do it again, without what is secret.
func commandLine(name string, flags *flag.FlagSet) string {
	line := "sqs-conform " + name
	flags.Visit(func(f *flag.Flag) {
		value := f.Value.String()
		switch f.Name {
		case "report", "quiet", "evidence":
			return
		case "akid", "secret", "account":
			value = "..."
		}
		if strings.ContainsAny(value, " &|") {
			value = "'" + value + "'"
		}
		line += " --" + f.Name
		switch b, ok := f.Value.(interface{ IsBoolFlag() bool }); {
		case !ok || !b.IsBoolFlag():
			line += " " + value
		case value == "false":
			line += "=false"
		}
	})
	return line
}

func reportFiles(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	files := strings.Split(list, ",")
	for _, name := range files {
		if !strings.HasSuffix(name, ".json") && !strings.HasSuffix(name, ".html") {
			return nil, fmt.Errorf("the report is %q: it ends with .json or .html", name)
		}
	}
	return files, nil
}

func writeReport(name string, r *conform.Result) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if strings.HasSuffix(name, ".html") {
		err = r.WriteHTML(f)
	} else {
		err = r.WriteJSON(f)
	}
	return errors.Join(err, f.Close())
}
