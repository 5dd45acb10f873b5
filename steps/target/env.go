package target

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// FromEnv chooses the source a run uses:
//
//	QUEEN_SQS_TARGET          empty or "gateway": this gateway, in-process, over the
//	                          embedded broker
//	                          "engine-http": this gateway over an embedded engine that
//	                          is served over Queen's HTTP API
//	                          "queen": this gateway over the broker at QUEEN_TEST_URL
//	                          "queen-two": two gateways, one over QUEEN_TEST_URL and
//	                          one over QUEEN_TEST_URL_2; requests alternate
//	                          "queen-restart": two gateway processes over
//	                          QUEEN_TEST_URL, one of which is killed and stopped at
//	                          random; requests alternate
//	                          "url:http://host:port[,http://...]": what answers there
//	QUEEN_SQS_TARGET_SIDE     "gateway" or "amazon" (default) for a url target
//	QUEEN_SQS_TARGET_CLOCK    "1" when the url target was started with --test-clock
//	QUEEN_SQS_TARGET_SIGNED   "0" when the url target checks no signatures
//	QUEEN_SQS_TARGET_OWNED    "1" when nothing else lives on the url target
//	QUEEN_SQS_TARGET_ACCOUNT  account id of the url target, default 000000000000
//	AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
//	                          for a url target; default us-east-1, test, test
func FromEnv() (Source, error) {
	kind, rest, _ := strings.Cut(os.Getenv("QUEEN_SQS_TARGET"), ":")
	switch kind {
	case "", "gateway":
		return InProcess(rest)
	case "engine-http":
		return EngineOverHTTP(), nil
	case "queen":
		return overQueen(1)
	case "queen-two":
		return overQueen(2)
	case "queen-restart":
		urls, err := queenURLs(1)
		if err != nil {
			return nil, err
		}
		return Restarting(urls[0])
	case "url":
		return fromURL(rest)
	}
	return nil, fmt.Errorf("QUEEN_SQS_TARGET is %q: use gateway, engine-http, queen, queen-two, queen-restart or url:http://host:port", os.Getenv("QUEEN_SQS_TARGET"))
}

func overQueen(brokers int) (Source, error) {
	urls, err := queenURLs(brokers)
	if err != nil {
		return nil, err
	}
	return OverBrokers(urls...)
}

// queenURLs reads where the brokers of a test rig are.
func queenURLs(n int) ([]string, error) {
	names := []string{"QUEEN_TEST_URL", "QUEEN_TEST_URL_2"}[:n]
	var urls []string
	for _, name := range names {
		if os.Getenv(name) == "" {
			return nil, fmt.Errorf("%s is not set: run this under ci/queen.sh run -brokers %d -mesh --", name, n)
		}
		urls = append(urls, os.Getenv(name))
	}
	return urls, nil
}

func fromURL(list string) (Source, error) {
	var endpoints []string
	for e := range strings.SplitSeq(list, ",") {
		e = strings.TrimRight(strings.TrimSpace(e), "/")
		if !strings.HasPrefix(e, "http://") && !strings.HasPrefix(e, "https://") {
			return nil, fmt.Errorf("QUEEN_SQS_TARGET names %q: an endpoint begins with http:// or https://", e)
		}
		endpoints = append(endpoints, e)
	}
	side := Amazon
	if os.Getenv("QUEEN_SQS_TARGET_SIDE") == "gateway" {
		side = ThisGateway
	}
	return one{&URL{
		Endpoints: endpoints,
		Region:    cmp.Or(os.Getenv("AWS_REGION"), "us-east-1"),
		AccountID: cmp.Or(os.Getenv("QUEEN_SQS_TARGET_ACCOUNT"), "000000000000"),
		Credentials: client.Credentials{
			AccessKeyID: cmp.Or(os.Getenv("AWS_ACCESS_KEY_ID"), "test"),
			Secret:      cmp.Or(os.Getenv("AWS_SECRET_ACCESS_KEY"), "test"),
			Session:     os.Getenv("AWS_SESSION_TOKEN"),
		},
		Able: Abilities{
			Side:             side,
			MovesClock:       os.Getenv("QUEEN_SQS_TARGET_CLOCK") == "1",
			ChecksSignatures: os.Getenv("QUEEN_SQS_TARGET_SIGNED") != "0",
			MayBePurged:      os.Getenv("QUEEN_SQS_TARGET_OWNED") == "1",
		},
	}}, nil
}
