package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/queen-mq/queen-sqs/server/wire"
	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/model"
	"github.com/queen-mq/queen-sqs/steps/model/generate"
)

const modelUsage = `usage: sqs-conform model --endpoint URL [flags]
Makes requests out of Amazon's own models of SQS and SNS, sends them to an
endpoint over both protocols, and says which answers neither the models nor the
tables of what is known explain. It makes queues and topics there and deletes
them. Credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (test,
test), the region from AWS_REGION (us-east-1).
`

// modelCommand runs the generated requests. It fails when something was found.
func modelCommand(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("model", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), modelUsage)
		flags.PrintDefaults()
	}
	endpoint := flags.String("endpoint", "", "`URL` of the endpoint")
	services := flags.String("services", "sqs,sns", "services to ask, separated by commas")
	protocols := flags.String("protocols", "json,query", "protocols to ask in, separated by commas")
	quiet := flags.Bool("summary", false, "only count, by operation and by kind")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *endpoint == "" {
		flags.Usage()
		return flag.ErrHelp
	}
	cfg := client.Config{
		Endpoints: []string{strings.TrimRight(*endpoint, "/")},
		Region:    cmp.Or(os.Getenv("AWS_REGION"), "us-east-1"),
		Credentials: client.Credentials{
			AccessKeyID: cmp.Or(os.Getenv("AWS_ACCESS_KEY_ID"), "test"),
			Secret:      cmp.Or(os.Getenv("AWS_SECRET_ACCESS_KEY"), "test"),
			Session:     os.Getenv("AWS_SESSION_TOKEN"),
		},
	}
	operations := map[string][]string{model.SQS: wire.SQSActions, model.SNS: wire.SNSActions}
	found := 0
	for service := range strings.SplitSeq(*services, ",") {
		for protocol := range strings.SplitSeq(*protocols, ",") {
			if operations[service] == nil || protocol != model.JSON && protocol != model.Query {
				return fmt.Errorf("there is no service %q or no protocol %q", service, protocol)
			}
			r, err := generate.Run(ctx, cfg, generate.Cases(service, protocol, operations[service]))
			if err != nil {
				return err
			}
			fmt.Printf("%s over %s:\n%s", service, protocol, r.Write())
			if *quiet {
				fmt.Print(r.Kinds())
			} else {
				for _, f := range r.Findings {
					fmt.Println(f)
				}
			}
			found += len(r.Findings)
		}
	}
	if found > 0 {
		return errors.New(fmt.Sprint(found, " answers are not explained"))
	}
	return nil
}
