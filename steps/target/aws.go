package target

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// AWS says which account of Amazon a run may use. Its requests are signed,
// counted and limited; everything waits for real.
type AWS struct {
	Region      string
	Credentials client.Credentials
	// AccountID is the one account that may be used: 12 digits.
	AccountID string
	// Limit is how many billed units may be spent before the rest is refused.
	Limit int64
	// Endpoints of the three services; empty means Amazon's own of the region.
	SQS, SNS, STS string
	// Transport carries the requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
}

// ErrAccount is answered where the credentials are those of an account that the
// run was not told.
var ErrAccount = errors.New("the credentials are those of another account than the run was told")

// IsAmazons reports whether an endpoint is one of Amazon's.
func IsAmazons(endpoint string) bool {
	host := strings.ToLower(endpoint)
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	host, _, _ = strings.Cut(host, "/")
	host, _, _ = strings.Cut(host, ":")
	for _, domain := range []string{"amazonaws.com", "amazonaws.com.cn", "aws.dev", "api.aws"} {
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return false
}

// Connect asks whose the credentials are, which Amazon does not bill, and
// answers the target if that is the account the run was told. Nothing is
// created.
func (a AWS) Connect(ctx context.Context) (*URL, *Meter, error) {
	if a.Region == "" || a.Credentials.AccessKeyID == "" || a.Credentials.Secret == "" {
		return nil, nil, errors.New("a run against Amazon needs a region, an access key id and a secret")
	}
	if len(a.AccountID) != 12 || strings.Trim(a.AccountID, "0123456789") != "" {
		return nil, nil, fmt.Errorf("the account is %q: a run against Amazon has to be told the 12 digits of the one it may use", a.AccountID)
	}
	if a.Limit <= 0 {
		return nil, nil, errors.New("a run against Amazon needs a limit of billed requests")
	}
	own := func(endpoint, service string) string {
		if endpoint != "" {
			return strings.TrimRight(endpoint, "/")
		}
		return "https://" + service + "." + a.Region + ".amazonaws.com"
	}
	whose, err := a.account(ctx, own(a.STS, "sts"))
	if err != nil {
		return nil, nil, fmt.Errorf("asking whose the credentials are: %w", err)
	}
	if whose != a.AccountID {
		return nil, nil, ErrAccount
	}
	meter := &Meter{Next: a.Transport, Limit: a.Limit, Timeout: time.Minute}
	return &URL{
		Endpoints: []string{own(a.SQS, "sqs")}, SNS: own(a.SNS, "sns"),
		Region: a.Region, AccountID: a.AccountID, Credentials: a.Credentials, Transport: meter,
		Able: Abilities{
			Side: Amazon, ChecksSignatures: true, CostsMoney: true, NoWide: true,
			RecordsSettle: time.Minute, PushesSettle: time.Second, MessagesLate: 5 * time.Second,
		},
	}, meter, nil
}

func (a AWS) account(ctx context.Context, sts string) (string, error) {
	raw := client.NewRaw(client.Query, client.Config{Endpoints: []string{sts}, Region: a.Region, Credentials: a.Credentials, Transport: a.Transport}, &client.Recorder{})
	x, err := raw.Send(ctx, client.Request{
		Service: "sts", Method: http.MethodPost, Target: "/",
		Body:   []byte("Action=GetCallerIdentity&Version=2011-06-15"),
		Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded; charset=utf-8"}},
	})
	if err != nil {
		return "", err
	}
	var identity struct {
		Account string `xml:"GetCallerIdentityResult>Account"`
	}
	if err := xml.Unmarshal(x.Body, &identity); err != nil || x.Status != http.StatusOK || identity.Account == "" {
		return "", fmt.Errorf("the answer has the status %d and names no account", x.Status)
	}
	return identity.Account, nil
}

// One makes a target a source: the one target of every scenario.
func One(t Target) Source { return one{t} }
