package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

func run(t *testing.T, ctx context.Context) *Result {
	t.Helper()
	source, err := target.InProcess("")
	if err != nil {
		t.Fatal(err)
	}
	// It has to have answered before it can be stopped.
	shared, err := source.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := target.ChecksSignatures(t.Context(), shared); err != nil {
		t.Fatal(err)
	}
	r, err := Run(ctx, Options{Source: source, Features: []string{"get_queue_url.feature"}, Concurrency: 2, Command: "sqs-conform <run>"})
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReports(t *testing.T) {
	r := run(t, t.Context())
	var text, page, doc bytes.Buffer
	for _, err := range []error{r.WriteText(&text), r.WriteHTML(&page), r.WriteJSON(&doc)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	var passed, failed, notRun int
	last := lines[len(lines)-1]
	if n, err := fmt.Sscanf(last, "%d passed, %d failed, %d not run", &passed, &failed, &notRun); n != 3 || err != nil || passed == 0 || failed != 0 {
		t.Errorf("the last line is %q", last)
	}
	if !strings.Contains(text.String(), "QueueDoesNotExist / AWS.SimpleQueueService.NonExistentQueue") || !strings.Contains(text.String(), "GetQueueUrl") {
		t.Errorf("no table of actions or errors: %s", text.String())
	}
	if p := page.String(); strings.Contains(p, "<run>") || strings.Contains(p, "src=") || strings.Contains(p, "href=") || !strings.Contains(p, last) {
		t.Errorf("the page is %s", p)
	}
	var again Result
	if err := json.Unmarshal(doc.Bytes(), &again); err != nil || again.Total != r.Total || len(again.Scenarios) != len(r.Scenarios) {
		t.Errorf("%v: %+v is not %+v", err, again.Total, r.Total)
	}
	for _, a := range r.Actions {
		if a.Name == "GetQueueUrl" && (a.Counts[client.JSON].Passed == 0 || a.Counts[client.Query].Passed == 0) {
			t.Errorf("%+v", a)
		}
	}
}

func TestWhatWasInterruptedWasNotRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := run(t, ctx)
	if r.Total.Passed+r.Total.Failed != 0 || len(r.NotRun()) != 1 || r.NotRun()[0].Why != "the run was interrupted" {
		t.Errorf("%+v, %v", r.Total, r.NotRun())
	}
}

func TestLeftIsOfThePaceSoFar(t *testing.T) {
	for _, c := range []struct {
		spent       time.Duration
		done, total int
		want        time.Duration
	}{
		{0, 0, 100, 0},
		{10 * time.Second, 10, 100, 90 * time.Second},
		{10 * time.Second, 100, 100, 0},
		{time.Hour, 1, 2000, 1999 * time.Hour},
	} {
		if got := left(c.spent, c.done, c.total); got != c.want {
			t.Errorf("%d of %d in %v leave %v, want %v", c.done, c.total, c.spent, got, c.want)
		}
	}
}
