// Package conform runs the corpus of features against any SQS and SNS endpoint
// and reports what it gets right.
package conform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/features"
	"github.com/queen-mq/queen-sqs/steps"
	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// Options is what Run runs, and against what.
type Options struct {
	Source target.Source
	// Meter counted the requests of the source; nil where nothing counts them.
	Meter *target.Meter
	// Protocols to run over, one after the other; empty means both.
	Protocols []client.Protocol
	// Tags limits the run to the scenarios of a tag expression, Features to some
	// files of the corpus; empty means all.
	Tags     string
	Features []string
	// Corpus is read instead of the features of this module where it is not nil.
	Corpus fs.FS
	// Concurrency is how many scenarios run at a time, at least 1. A target that
	// has one clock for all is run one at a time.
	Concurrency int
	// MaxWait is how long a scenario may wait for real; zero means 20 s.
	MaxWait time.Duration
	// BehaviourOnly does not hold every answer against Amazon's models.
	BehaviourOnly bool
	// Progress is told how far the run is; nil tells nobody.
	Progress io.Writer
	// Command is how the run was started, for the report.
	Command string
}

// Run runs the corpus. An error means that the run itself came to nothing; what
// failed of the target is in the result. When ctx ends, scenarios that have not
// begun are not run, and those that have clean up.
func Run(ctx context.Context, o Options) (*Result, error) {
	table, err := steps.ReadErrors(strings.NewReader(features.ErrorTable()))
	if err != nil {
		return nil, err
	}
	if len(o.Protocols) == 0 {
		o.Protocols = []client.Protocol{client.JSON, client.Query}
	}
	if o.Corpus == nil {
		o.Corpus = features.FS()
	}
	paths := o.Features
	if len(paths) == 0 {
		paths = []string{"."}
	}
	workers := max(o.Concurrency, 1)
	if o.Source.Exclusive() {
		workers = 1
	}
	begun := time.Now()
	report := steps.NewReport()
	progress := &progress{w: o.Progress, begun: begun}
	report.OnVerdict = progress.verdict
	var suites []godog.TestSuite
	for _, protocol := range o.Protocols {
		s := &steps.Suite{Source: o.Source, Protocol: protocol, Errors: table, Report: report, MaxWait: o.MaxWait, BehaviourOnly: o.BehaviourOnly}
		tags := s.Tags()
		if o.Tags != "" {
			tags += " && " + o.Tags
		}
		suite := godog.TestSuite{
			Name: string(protocol), ScenarioInitializer: s.Register,
			Options: &godog.Options{
				Format: "progress", Output: io.Discard, NoColors: true, Strict: true,
				FS: o.Corpus, Paths: paths, Tags: tags, Concurrency: workers, DefaultContext: ctx,
			},
		}
		chosen, err := suite.RetrieveFeatures()
		if err != nil {
			return nil, fmt.Errorf("the features cannot be read: %w", err)
		}
		for _, f := range chosen {
			progress.total += len(f.Pickles)
		}
		suites = append(suites, suite)
	}
	for i, protocol := range o.Protocols {
		code := suites[i].Run()
		failed := slices.ContainsFunc(report.Verdicts(), func(v steps.Verdict) bool {
			return v.Protocol == protocol && v.Status == steps.Failed
		})
		if code != 0 && !failed {
			return nil, fmt.Errorf("the features could not be run over %s (code %d)", protocol, code)
		}
	}
	verdicts := report.Verdicts()
	if len(verdicts) == 0 {
		return nil, errors.New("no scenario of the corpus was chosen")
	}
	shared, err := o.Source.Shared(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	r := collate(verdicts, table, o.Protocols)
	r.Endpoint, r.Side, r.Command = shared.Name(), string(shared.Abilities().Side), o.Command
	r.Date, r.Seconds = begun.UTC().Format(time.DateOnly), time.Since(begun).Round(time.Second).Seconds()
	if o.Meter != nil {
		r.Requests = o.Meter.Calls()
		if shared.Abilities().CostsMoney {
			r.Billed, r.Dollars = o.Meter.Units(), float64(o.Meter.Units())*target.UnitPrice
		}
	}
	return r, nil
}

// progress says at once what fails, and now and then how far the run is.
type progress struct {
	mu                     sync.Mutex
	w                      io.Writer
	passed, failed, notRun int
	total                  int // scenarios that were chosen
	begun, said            time.Time
}

func (p *progress) verdict(v steps.Verdict) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch v.Status {
	case steps.Passed:
		p.passed++
	case steps.NotRun:
		p.notRun++
	default:
		p.failed++
		fmt.Fprintf(p.w, "failed over %s: %s: %s\n", v.Protocol, v.Feature, v.Scenario)
	}
	if time.Since(p.said) < 5*time.Second {
		return
	}
	p.said = time.Now()
	done := p.passed + p.failed + p.notRun
	fmt.Fprintf(p.w, "so far %d passed, %d failed, %d not run, of %d; about %v more\n",
		p.passed, p.failed, p.notRun, p.total, left(time.Since(p.begun), done, p.total))
}

// left is how long the rest takes when it goes on as it went. Scenarios differ a
// lot, so it is a guess.
func left(spent time.Duration, done, total int) time.Duration {
	if done == 0 {
		return 0
	}
	return (spent * time.Duration(max(total-done, 0)) / time.Duration(done)).Round(time.Second)
}
