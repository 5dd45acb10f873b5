package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// reach is the flags that say what to ask: this gateway in this process, an
// endpoint, or Amazon.
type reach struct {
	endpoint, akid, secret, region, account, side string
	clock, owned, aws                             bool
	limit                                         int64

	// where Amazon is, in tests
	sqs, sns, sts string
}

func (r *reach) register(flags *flag.FlagSet, limit int64) {
	flags.StringVar(&r.endpoint, "endpoint", "", "`URL` of the service; without one, this gateway is started inside")
	flags.StringVar(&r.akid, "akid", cmp.Or(os.Getenv("AWS_ACCESS_KEY_ID"), "test"), "access key `id`")
	flags.StringVar(&r.secret, "secret", "", "secret of the access key; default from AWS_SECRET_ACCESS_KEY, else \"test\"")
	flags.StringVar(&r.region, "region", cmp.Or(os.Getenv("AWS_REGION"), "us-east-1"), "`region` to sign for")
	flags.StringVar(&r.account, "account", "", "account `id` of the service; default 000000000000, has to be given with --aws")
	flags.StringVar(&r.side, "side", "amazon", "whose answers are asked for where they differ: amazon, or gateway for queen-sqs itself")
	flags.BoolVar(&r.clock, "clock", false, "the endpoint is queen-sqs started with --test-clock: move its clock instead of waiting")
	flags.BoolVar(&r.owned, "owned", false, "nothing else lives at the endpoint: every queue and topic there is deleted first")
	flags.BoolVar(&r.aws, "aws", false, "ask Amazon itself, which COSTS MONEY and creates queues and topics in --account")
	flags.Int64Var(&r.limit, "limit", limit, "with --aws: how many billed requests may be sent")
}

// answerTimeout is how long a request may go unanswered.
const answerTimeout = time.Minute

// open answers what the flags say. Before Amazon is asked anything that costs
// money it says on w what that will be.
func (r *reach) open(ctx context.Context, w io.Writer, creates string) (target.Source, *target.Meter, error) {
	keys := client.Credentials{AccessKeyID: r.akid, Secret: cmp.Or(r.secret, os.Getenv("AWS_SECRET_ACCESS_KEY"), "test"), Session: os.Getenv("AWS_SESSION_TOKEN")}
	switch {
	case r.aws && r.endpoint != "":
		return nil, nil, errors.New("--aws and --endpoint exclude each other")
	case r.endpoint == "" && (r.clock || r.owned || r.side != "amazon"):
		return nil, nil, errors.New("--clock, --owned and --side are about an --endpoint")
	case r.aws:
		if r.account == "" {
			return nil, nil, errors.New("--aws has to be told the one account it may use: --account")
		}
		fmt.Fprintf(w, "This asks Amazon, in the account %s and the region %s. It creates and deletes\n%s\nand sends at most %d billed requests, and then only what deletes: at most $%.4f.\n",
			r.account, r.region, creates, r.limit, 2*float64(r.limit)*target.UnitPrice)
		u, meter, err := target.AWS{
			Region: r.region, Credentials: keys, AccountID: r.account, Limit: r.limit, SQS: r.sqs, SNS: r.sns, STS: r.sts,
		}.Connect(ctx)
		if err != nil {
			return nil, nil, err
		}
		return target.One(u), meter, nil
	case r.endpoint == "":
		source, err := target.InProcess("")
		return source, nil, err
	case target.IsAmazons(r.endpoint):
		return nil, nil, fmt.Errorf("%s is Amazon's: ask it with --aws and --account", r.endpoint)
	}
	return r.url(ctx, w, keys)
}

func (r *reach) url(ctx context.Context, w io.Writer, keys client.Credentials) (target.Source, *target.Meter, error) {
	endpoint := strings.TrimRight(r.endpoint, "/")
	if !strings.HasPrefix(endpoint, "http://") && !strings.HasPrefix(endpoint, "https://") {
		return nil, nil, fmt.Errorf("the endpoint is %q: it begins with http:// or https://", r.endpoint)
	}
	side, known := map[string]target.Side{"amazon": target.Amazon, "gateway": target.ThisGateway}[r.side]
	if !known {
		return nil, nil, fmt.Errorf("--side is %q: use amazon or gateway", r.side)
	}
	meter := &target.Meter{Timeout: answerTimeout}
	u := &target.URL{
		Endpoints: []string{endpoint}, Region: r.region, AccountID: cmp.Or(r.account, "000000000000"),
		Credentials: keys, Transport: meter,
		Able: target.Abilities{Side: side, MovesClock: r.clock, MayBePurged: r.owned},
	}
	checks, err := target.ChecksSignatures(ctx, u)
	if err != nil {
		return nil, nil, fmt.Errorf("%s does not answer: %w", endpoint, err)
	}
	u.Able.ChecksSignatures = checks
	if r.owned {
		n, err := target.Empty(ctx, u, []client.Protocol{client.JSON, client.Query})
		if err != nil {
			return nil, nil, fmt.Errorf("emptying %s: %w", endpoint, err)
		}
		fmt.Fprintf(w, "%d queues and topics that were at %s are deleted.\n", n, endpoint)
	}
	return target.One(u), meter, nil
}
