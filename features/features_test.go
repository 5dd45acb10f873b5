package features

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/server/wire"
	"github.com/queen-mq/queen-sqs/steps"
	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

var (
	tags        = flag.String("tags", os.Getenv("QUEEN_SQS_TAGS"), "only scenarios that match this tag expression, e.g. '@QS-03 && ~@restart'")
	only        = flag.String("features", os.Getenv("QUEEN_SQS_FEATURES"), "only these feature files, separated by commas")
	concurrency = flag.Int("concurrency", 4, "scenarios run at a time")
	together    = flag.Bool("together", false, "run both protocols at the same time")
	maxWait     = flag.Duration("max-wait", 20*time.Second, "how long a scenario may wait for real where the clock cannot be moved")
)

// TestFeatures runs the corpus once over each protocol. QUEEN_SQS_TARGET chooses
// what against; by default that is this gateway, in-process.
func TestFeatures(t *testing.T) {
	source, err := target.FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	errors := prepare(t, source)
	paths := chosenPaths()
	workers := *concurrency
	if source.Exclusive() {
		workers = 1
	}

	report := steps.NewReport()
	var running sync.WaitGroup
	run := func(protocol client.Protocol) {
		t.Run(string(protocol), func(t *testing.T) {
			rounds := 1
			s := &steps.Suite{Source: source, Protocol: protocol, Errors: errors, Report: report, MaxWait: *maxWait}
			runSuite(t, s, paths, workers)
			// Scenarios in which a gateway was killed at the wrong moment.
			for s.Only = report.Cut(protocol); s.Only != nil; s.Only = report.Cut(protocol) {
				if rounds++; rounds > mostRounds {
					t.Fatalf("%d scenarios were cut in every one of %d rounds", len(s.Only), rounds)
				}
				runSuite(t, s, paths, workers)
			}
			if report.Ran(protocol) == 0 {
				t.Error("no scenario was run")
			}
		})
	}
	for _, protocol := range []client.Protocol{client.JSON, client.Query} {
		if *together && workers > 1 {
			running.Go(func() { run(protocol) })
			continue
		}
		run(protocol)
	}
	running.Wait()
	var out strings.Builder
	report.Write(&out)
	if r, ok := source.(target.Reporter); ok {
		r.Report(&out)
	}
	fmt.Print(out.String())
	if *tags == "" && *only == "" {
		checkCoverage(t, report)
	}
}

// TestFeaturesOnOneLane runs the corpus where every message of a standard queue
// shares its lane with every other. On 64 lanes two do once in 64 times, and what
// holds only while they do not would fail by chance.
func TestFeaturesOnOneLane(t *testing.T) {
	if os.Getenv("QUEEN_SQS_TARGET") != "" {
		t.Skip("the width of other targets' queues is their own")
	}
	source := target.InProcessLanes(1)
	errors := prepare(t, source)
	report := steps.NewReport()
	s := &steps.Suite{Source: source, Protocol: client.JSON, Errors: errors, Report: report, MaxWait: *maxWait}
	runSuite(t, s, chosenPaths(), *concurrency, "~@default-width")
	if report.Ran(client.JSON) == 0 && *tags == "" && *only == "" {
		t.Error("no scenario was run")
	}
}

// leastScenarios is how many scenarios every action of SQS has over each
// protocol.
const leastScenarios = 3

func checkCoverage(t *testing.T, report *steps.Report) {
	t.Helper()
	for _, protocol := range []client.Protocol{client.JSON, client.Query} {
		for _, action := range wire.SQSActions {
			if n := report.Scenarios(protocol, action); n < leastScenarios {
				t.Errorf("%s has %d scenarios over %s", action, n, protocol)
			}
		}
	}
}

// mostRounds is how often a scenario may be cut by a gateway's death.
const mostRounds = 20

// prepare reads the table of errors, and closes the source when the test ends.
func prepare(t *testing.T, source target.Source) steps.Errors {
	t.Helper()
	t.Cleanup(func() {
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	})
	errors, err := steps.ReadErrors(strings.NewReader(ErrorTable()))
	if err != nil {
		t.Fatal(err)
	}
	return errors
}

func chosenPaths() []string {
	if *only != "" {
		return strings.Split(*only, ",")
	}
	return []string{"."}
}

func runSuite(t *testing.T, s *steps.Suite, paths []string, workers int, filters ...string) {
	t.Helper()
	filter := strings.Join(append([]string{s.Tags()}, filters...), " && ")
	if *tags != "" {
		filter += " && " + *tags
	}
	all := suite(s, paths, filter, workers)
	all.Options.TestingT = t
	if run := all.Run(); run != 0 {
		t.Errorf("the suite ended with %d", run)
	}
}

func suite(s *steps.Suite, paths []string, filter string, workers int) godog.TestSuite {
	return godog.TestSuite{
		Name:                string(s.Protocol),
		ScenarioInitializer: s.Register,
		Options: &godog.Options{
			Format: "progress", NoColors: true, Strict: true,
			FS: FS(), Paths: paths, Tags: filter, Concurrency: workers,
		},
	}
}
