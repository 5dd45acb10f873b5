package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/divergences/evidence"
	"github.com/queen-mq/queen-sqs/divergences/rows"
	"github.com/queen-mq/queen-sqs/steps/settle"
	"github.com/queen-mq/queen-sqs/steps/target"
)

const settleUsage = `usage: sqs-conform settle [--endpoint URL | --aws --account ID] [flags]
Asks an SQS and SNS endpoint the questions about Amazon that are open, or were,
in as few calls as each needs, and compares what it answers with the register and
with what is on record. Without an endpoint it asks the gateway itself. Evidence
of Amazon's answers changes the class of the register's rows, once it lies in
divergences/evidence and "go generate ./divergences" was run.
`

func settleCommand(ctx context.Context, args []string) error {
	return settleWith(ctx, args, reach{}, os.Stdout, os.Stderr)
}

func settleWith(ctx context.Context, args []string, to reach, out, said io.Writer) error {
	flags := flag.NewFlagSet("settle", flag.ContinueOnError)
	flags.SetOutput(said)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), settleUsage)
		flags.PrintDefaults()
	}
	to.register(flags, 1000)
	only := flags.String("questions", "", "only these `ids`, separated by commas")
	name := flags.String("name", "", "what the evidence calls the target, such as \"moto 5.2.5\"")
	file := flags.String("evidence", "", "write the evidence to this JSON `file`")
	maxWait := flags.Duration("max-wait", 20*time.Second, "how long a question may wait for real; longer ones are not asked")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		flags.Usage()
		return flag.ErrHelp
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	source, meter, err := to.open(ctx, said, creates(chosen))
	if err != nil {
		return err
	}
	found, err := askAll(ctx, source, chosen, *maxWait, out)
	if err = errors.Join(err, source.Close()); err != nil {
		return err
	}
	found.Target, found.Amazon = *name, to.aws
	if to.aws {
		found.Target = "Amazon"
	} else if found.Target == "" {
		found.Target = "an endpoint"
		if to.endpoint == "" {
			found.Target = "this gateway"
		}
	}
	found.Command = commandLine("settle", flags)
	if to.endpoint != "" {
		found.Command = strings.ReplaceAll(found.Command, to.endpoint, "URL")
	}
	if meter != nil {
		for _, n := range meter.Calls() {
			found.Requests += n
		}
		if to.aws {
			found.Dollars = float64(meter.Units()) * target.UnitPrice
			fmt.Fprintf(out, "%d requests, at most $%.6f\n", found.Requests, found.Dollars)
		}
	}
	if *file == "" {
		return nil
	}
	text, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(*file, append(text, '\n'), 0o644)
}

func choose(list string) ([]rows.Question, error) {
	all, err := rows.Questions()
	if err != nil || list == "" {
		return all, err
	}
	var chosen []rows.Question
	for id := range strings.SplitSeq(list, ",") {
		before := len(chosen)
		for _, q := range all {
			if q.ID == id {
				chosen = append(chosen, q)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("there is no question %q", id)
		}
	}
	return chosen, nil
}

// creates says what the questions create.
func creates(chosen []rows.Question) string {
	queues, topics, calls := 0, 0, 0
	for _, q := range chosen {
		calls += len(q.Calls)
		for _, c := range q.Calls {
			switch c.Action {
			case "CreateQueue":
				queues++
			case "CreateTopic":
				topics++
			}
		}
	}
	return fmt.Sprintf("at most %d queues and %d topics, in %d calls and those that delete, for %d questions,", queues, topics, calls, len(chosen))
}

func askAll(ctx context.Context, source target.Source, chosen []rows.Question, maxWait time.Duration, out io.Writer) (*evidence.Run, error) {
	asked, err := source.Shared(ctx)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 5)
	rand.Read(b)
	agree, differ, open := 0, 0, 0
	answers, err := settle.Ask(ctx, settle.Options{
		Target: asked, Questions: chosen, MaxWait: maxWait, Run: "settle" + hex.EncodeToString(b),
		Said: func(q rows.Question, a evidence.Answer) {
			verdict := ""
			switch {
			case a.NotAsked != "":
				verdict, open = "not asked: "+a.NotAsked, open+1
			case a.Is == "":
				verdict, open = "none of the expected answers", open+1
			default:
				verdict = a.Is + " (here: " + a.Here + "; Amazon: " + orUnknown(q.Amazon) + ")"
				if a.Is == a.Here {
					agree++
				} else {
					differ++
				}
			}
			fmt.Fprintf(out, "%-6s %s\n       %s\n", q.Row, q.Asks, verdict)
		},
	})
	fmt.Fprintf(out, "%d as the gateway, %d otherwise, %d without an answer\n", agree, differ, open)
	return &evidence.Run{Date: time.Now().UTC().Format(time.DateOnly), Answers: answers}, err
}

func orUnknown(s string) string {
	if s == "" {
		return "not known"
	}
	return s
}
