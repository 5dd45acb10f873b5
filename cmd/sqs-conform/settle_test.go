package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/divergences/evidence"
	"github.com/queen-mq/queen-sqs/divergences/rows"
	"github.com/queen-mq/queen-sqs/steps/target"
)

func (a *amazon) settle(ctx context.Context, args ...string) (out, said string, err error) {
	var o, s bytes.Buffer
	err = settleWith(ctx, append(a.signed(), args...), a.to, &o, &s)
	return o.String(), s.String(), err
}

// quick are questions that wait for nothing.
const quick = "sqs_fifo_queue_again_without_fifoqueue,sns_fifo_queue_on_standard_topic,sqs_create_queue_again_with_other_tags,sqs_sequence_numbers_across_groups"

func TestAmazonIsNotAskedUnlessToldSo(t *testing.T) {
	for why, args := range map[string][]string{
		"--aws and --account":  {"--endpoint", "https://sqs.us-east-1.amazonaws.com"},
		"--account":            {"--aws"},
		"12 digits":            {"--aws", "--account", "mine"},
		"another account":      {"--aws", "--account", "111111111111"},
		"exclude each other":   {"--aws", "--account", account, "--endpoint", "http://127.0.0.1:1"},
		"limit of billed":      {"--aws", "--account", account, "--limit", "0"},
		"there is no question": {"--aws", "--account", account, "--questions", "nonsense"},
		"begins with http":     {"--endpoint", "sqs.example"},
		"ask it with --aws":    {"--endpoint", "https://AMAZONAWS.com:443/x"},
	} {
		a := standIn(t, account)
		_, _, err := a.settle(t.Context(), args...)
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(why)) {
			t.Errorf("%v: %v", args, err)
		}
		if a.asked != 0 {
			t.Errorf("%v: %d requests were sent", args, a.asked)
		}
		if left := a.left(t); len(left) > 0 {
			t.Errorf("%v: created %v", args, left)
		}
	}
}

func TestTheWholePathToAmazon(t *testing.T) {
	a := standIn(t, account)
	file := filepath.Join(t.TempDir(), "evidence.json")
	out, said, err := a.settle(t.Context(), "--aws", "--account", account, "--questions", quick, "--evidence", file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"This asks Amazon, in the account " + account, "at most 6 queues and 1 topics", "4 questions", "at most $0.0010"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q first: %s", want, said)
		}
	}
	if !strings.Contains(out, "4 as the gateway, 0 otherwise, 0 without an answer") {
		t.Errorf("it says %s", out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found evidence.Run
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	if !found.Amazon || found.Requests != int64(a.asked) || a.whose != 1 || a.sns == 0 || len(found.Answers) != 4 {
		t.Errorf("%d requests in the evidence, %d were sent, %d of them to SNS: %s", found.Requests, a.asked, a.sns, text)
	}
	if want := float64(a.billed) * target.UnitPrice; found.Dollars != want {
		t.Errorf("the evidence says $%v, the bill $%v", found.Dollars, want)
	}
	for _, secret := range []string{account, a.keys.AccessKeyID, a.keys.Secret, "127.0.0.1", "settle0"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the evidence holds %q: %s", secret, text)
		}
	}
	if left := a.left(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTheLimitIsKeptAndNothingIsLeft(t *testing.T) {
	a := standIn(t, account)
	out, _, err := a.settle(t.Context(), "--aws", "--account", account, "--questions", quick, "--limit", "3")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "limit of billed requests") {
		t.Errorf("it says %s", out)
	}
	if left := a.left(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// An interrupt in the middle of every call leaves nothing behind.
func TestAnInterruptLeavesNothing(t *testing.T) {
	for at := 1; at <= 6; at++ {
		a := standIn(t, account)
		ctx, cancel := context.WithCancel(t.Context())
		a.onCall = func(n int, _ string) bool {
			if n == at {
				cancel()
			}
			return n == at
		}
		out, _, err := a.settle(ctx, "--aws", "--account", account, "--questions", quick)
		if err != nil || !strings.Contains(out, "not asked") {
			t.Errorf("%v: %s", err, out)
		}
		if left := a.left(t); len(left) > 0 {
			t.Errorf("an interrupt at call %d leaves %v", at, left)
		}
		cancel()
	}
}

// The gateway answers every question as the questions say it does.
func TestTheGatewayAnswersAsTheQuestionsSay(t *testing.T) {
	all, err := rows.Questions()
	if err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	if err := settleWith(t.Context(), []string{"--max-wait", "0"}, reach{}, &out, &said); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d as the gateway, 0 otherwise, 0 without an answer", len(all)); !strings.Contains(out.String(), want) {
		t.Error(out.String())
	}
}

// A delete that fails by chance is made again, and one that is refused is told.
func TestSettleTellsWhatItCouldNotDelete(t *testing.T) {
	for _, c := range []struct {
		trouble string
		times   int
		want    string
	}{{"unavailable", 2, ""}, {"lost", 2, ""}, {"refused", 1000, "is left"}} {
		a := standIn(t, account)
		n := 0
		a.trouble = func(action string) string {
			if action != "DeleteQueue" {
				return ""
			}
			if n++; n > c.times {
				return ""
			}
			return c.trouble
		}
		_, _, err := a.settle(t.Context(), "--aws", "--account", account, "--questions", quick)
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: %v", c.trouble, err)
		}
		a.trouble = nil
		if left := a.left(t); (len(left) > 0) != (c.want != "") {
			t.Errorf("%s: left behind: %v", c.trouble, left)
		}
	}
}
