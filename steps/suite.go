// Package steps is the vocabulary of the features: what a client of SQS and SNS
// does and sees, in the services' own terms, run over a real SDK of each wire
// protocol against any target.
package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// Suite runs scenarios over one protocol against one source of targets.
type Suite struct {
	Source   target.Source
	Protocol client.Protocol
	Errors   Errors
	Report   *Report
	// Only limits the run to the scenarios of an earlier one that Report.Cut names;
	// nil runs all.
	Only map[string]bool
	// MaxWait is how long a scenario may wait for real on a target whose clock
	// cannot be moved; a scenario that needs more is not run. Zero means 20 s.
	MaxWait time.Duration
	// BehaviourOnly leaves it to others to hold every answer against Amazon's
	// models: one wrong Content-Type would else fail every scenario of a target.
	BehaviourOnly bool
}

// Tags is the expression that leaves out the scenarios of the other protocol.
func (s *Suite) Tags() string {
	if s.Protocol == client.JSON {
		return "~@query"
	}
	return "~@json"
}

// Register binds the vocabulary to one scenario. State lives in a World of its
// own, so scenarios may run at the same time.
func (s *Suite) Register(sc *godog.ScenarioContext) {
	w := &World{suite: s}
	sc.Before(func(ctx context.Context, p *godog.Scenario) (context.Context, error) {
		return ctx, w.begin(ctx, p)
	})
	sc.After(func(ctx context.Context, p *godog.Scenario, err error) (context.Context, error) {
		return ctx, w.conclude(ctx, p, err)
	})
	sc.StepContext().Before(w.lookAhead)
	sc.StepContext().After(w.forgiveCut)
	sc.StepContext().After(w.excuse)
	sc.StepContext().After(w.stumble)
	w.registerQueues(sc)
	w.registerMessages(sc)
	w.registerReceipts(sc)
	w.registerCalls(sc)
	w.registerAnswers(sc)
	w.registerWire(sc)
	w.registerTime(sc)
	w.registerTopics(sc)
	w.registerPublishing(sc)
	w.registerFIFO(sc)
	w.registerMoveTasks(sc)
	w.registerBroker(sc)
	w.registerCatalog(sc)
	w.registerFaults(sc)
}

// needs is what a scenario demands of a target, read off its text before
// anything is done.
type needs struct {
	clock   bool
	waiting time.Duration
	restart bool
	// what the broker tells, from Queen 1.4 on
	offsets, attempts bool
	wide              bool // very many queues or messages

	signed bool
	broker bool
	breaks bool        // the broker, and what is between
	side   target.Side // only on that side, empty for both
}

func needsOf(p *godog.Scenario) needs {
	var n needs
	for _, t := range p.Tags {
		switch t.Name {
		case breakable:
			n.breaks = true
		case "@restart":
			n.restart = true
		case "@offsets":
			n.offsets = true
		case "@attempts":
			n.attempts = true
		case "@wide":
			n.wide = true
		case "@signatures":
			n.signed = true
		case "@gateway":
			n.side = target.ThisGateway
		case "@amazon":
			n.side = target.Amazon
		}
	}
	// A long poll takes its whole time only when it ends empty.
	var parked time.Duration
	endsEmpty := false
	for _, st := range p.Steps {
		if m := passing.FindStringSubmatch(st.Text); m != nil {
			n.clock = true
			n.waiting += duration(m[1], m[2])
		}
		n.broker = n.broker || reaching.MatchString(st.Text)
		if m := parking.FindStringSubmatch(st.Text); m != nil {
			n.clock = true
			parked += duration(m[2], "seconds")
		}
		endsEmpty = endsEmpty || st.Text == "the waiting receive returns nothing"
	}
	if endsEmpty {
		n.waiting += parked
	}
	// Such a scenario's broker is its own.
	n.broker = n.broker && !n.breaks
	return n
}

// unmet says in words why the target cannot show the scenario, or nothing.
func (n needs) unmet(a target.Abilities, maxWait time.Duration) string {
	if maxWait == 0 {
		maxWait = 20 * time.Second
	}
	switch {
	case n.side != "" && n.side != a.Side:
		return fmt.Sprintf("it states what %s does", n.side)
	case n.offsets && a.NoOffsets:
		return "the broker tells no offsets"
	case n.attempts && a.NoAttempts:
		return "the broker counts no deliveries"
	case n.wide && a.NoWide:
		return "it is wide, and is left to one gateway"
	case n.restart && !a.Restarts:
		return "the target cannot be restarted"
	case n.signed && !a.ChecksSignatures:
		return "the target checks no signatures"
	case n.broker && !a.ReachesBroker:
		return "its broker cannot be reached"
	case n.clock && !a.MovesClock && n.waiting > maxWait:
		return fmt.Sprintf("it needs %v and the clock cannot be moved", n.waiting)
	}
	return ""
}

func (w *World) begin(ctx context.Context, p *godog.Scenario) error {
	w.scenario = p
	if w.suite.Only != nil && !w.suite.Only[key(p)] {
		return godog.ErrSkip
	}
	if ctx.Err() != nil {
		w.suite.Report.notRun(w.suite.Protocol, p, interrupted)
		return godog.ErrSkip
	}
	shared, err := w.suite.Source.Shared(ctx)
	if err != nil {
		return err
	}
	n := needsOf(p)
	if why := n.unmet(shared.Abilities(), w.suite.MaxWait); why != "" {
		w.suite.Report.notRun(w.suite.Protocol, p, why)
		return godog.ErrSkip
	}
	if w.suite.Report.spent() {
		w.suite.Report.notRun(w.suite.Protocol, p, target.ErrSpent.Error())
		return godog.ErrSkip
	}
	chosen := shared
	if n.breaks {
		if chosen, err = w.breakable(p); err != nil {
			return err
		}
	} else if n.clock || n.restart || n.broker {
		if chosen, err = w.suite.Source.Private(ctx, n.restart); err != nil {
			return err
		}
	}
	w.target, w.private, w.ctx = chosen, chosen != shared, ctx
	w.reset()
	w.suite.Report.run(w.suite.Protocol, p)
	return nil
}

// conclude ends a scenario and settles its verdict.
func (w *World) conclude(ctx context.Context, p *godog.Scenario, failed error) error {
	problem := w.end(ctx, failed)
	if errors.Is(failed, godog.ErrSkip) {
		failed = nil
	}
	// A scenario that was not run may still have steps that nobody knows.
	if w.target == nil && failed == nil || w.cut() {
		return problem
	}
	w.suite.Report.leaves(w.suite.Protocol, p, w.left)
	if ctx.Err() != nil {
		w.excused = interrupted
	}
	if w.excused != "" && problem == nil {
		w.suite.Report.notRun(w.suite.Protocol, p, w.excused)
		return nil
	}
	w.suite.Report.ended(w.suite.Protocol, p, errors.Join(failed, problem))
	return problem
}

// stumble keeps the step at which a scenario failed.
func (w *World) stumble(ctx context.Context, st *godog.Step, _ godog.StepResultStatus, err error) (context.Context, error) {
	if err != nil && !errors.Is(err, godog.ErrSkip) && w.target != nil {
		w.suite.Report.stumbled(w.suite.Protocol, w.scenario, st.Text, w.last.action)
	}
	return ctx, nil
}

func (w *World) end(ctx context.Context, failed error) error {
	if w.target == nil {
		return nil
	}
	var problems []string
	if failed == nil && w.excused == "" && !w.cut() {
		if err := w.unlooked(); err != nil {
			problems = append(problems, err.Error())
		}
	}
	if !w.suite.BehaviourOnly {
		problems = append(problems, w.oracle.problems()...)
	}
	for _, b := range w.waiting {
		b.cancel()
	}
	if w.private {
		w.tidy(ctx)
		if err := w.target.Close(); err != nil {
			problems = append(problems, "stopping the target: "+err.Error())
		}
	} else if err := w.deleteCreated(ctx); err != nil {
		problems = append(problems, err.Error())
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(problems, "; "))
}
