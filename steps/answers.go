package steps

import (
	"context"
	"fmt"
	"strings"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"
)

func row(name, value string) *messages.PickleTableRow {
	return &messages.PickleTableRow{Cells: []*messages.PickleTableCell{{Value: name}, {Value: value}}}
}

// Steps about the outcome of the last call. One that begins with "this gateway"
// or "Amazon" is checked on that side only.
func (w *World) registerAnswers(sc *godog.ScenarioContext) {
	const call = `(the call|this gateway|Amazon)`
	sc.Step(`^`+call+` succeeds$`, func(subject string) error {
		if err := w.unlooked(); err != nil && w.sideApplies(subject) {
			return err
		}
		return nil
	})
	sc.Step(`^`+call+` fails with (\w+)$`, func(subject, code string) error {
		return w.failed(subject, code, func(string) bool { return true }, "")
	})
	sc.Step(`^`+call+` fails with (\w+) and its standard message$`, func(subject, code string) error {
		row := w.suite.Errors[code]
		want := row.Message
		if !w.overJSON() {
			want = row.QueryMessage
		}
		return w.failed(subject, code, func(got string) bool { return got == want }, want)
	})
	sc.Step(`^`+call+` fails with (\w+) and message "(.*)"$`, w.failedWithMessage)
	sc.Step(`^`+call+` fails with (\w+) and message:$`, func(subject, code string, doc *godog.DocString) error {
		return w.failedWithMessage(subject, code, doc.Content)
	})
	sc.Step(`^`+call+` fails with (\w+) and a message containing "(.*)"$`, func(subject, code, part string) error {
		want, err := w.expand(part)
		if err != nil {
			return err
		}
		return w.failed(subject, code, func(got string) bool { return strings.Contains(got, want) }, want)
	})

	sc.Step(`^the call is refused$`, func() error { return w.refused(0) })
	sc.Step(`^the call is refused with the status (\d+)$`, w.refused)

	const answer = `(the|this gateway's|Amazon's) answer`
	sc.Step(`^`+answer+` has:$`, func(subject string, t *godog.Table) error { return w.answerHas(subject, t, false) })
	sc.Step(`^`+answer+` has exactly:$`, func(subject string, t *godog.Table) error { return w.answerHas(subject, t, true) })
	sc.Step(`^`+answer+` has nothing in it$`, func(subject string) error { return w.answerHas(subject, table(), true) })
	sc.Step(`^the answer's ([\w.]+) is remembered as "([^"]*)"$`, w.remember)
	sc.Step(`^the ([\w.]+) of message "([^"]*)" is remembered as "([^"]*)"$`, w.rememberOf)
	sc.Step(`^`+answer+`'s ([\w.]+) (is|is not) "([^"]*)"$`, func(subject, path, is, want string) error {
		if err := w.unlooked(); err != nil {
			return err
		}
		if !w.sideApplies(subject) {
			return nil
		}
		want, err := w.expand(want)
		if err != nil {
			return err
		}
		got, ok := w.lookup(path)
		if !ok || matches(got, want) != (is == "is") {
			return fmt.Errorf("%s is %q", path, got)
		}
		return nil
	})
}

func (w *World) failedWithMessage(subject, code, message string) error {
	want, err := w.expand(message)
	if err != nil {
		return err
	}
	return w.failed(subject, code, func(got string) bool { return got == want }, want)
}

// refused checks that the caller was told that it is to blame, whatever the code.
func (w *World) refused(status int) error {
	w.last.looked = true
	got := w.last.err
	if got == nil {
		return fmt.Errorf("%s succeeded: %v", w.last.action, w.last.answer)
	}
	if got.Status/100 != 4 || (status != 0 && got.Status != status) || got.Fault != "Sender" || got.Code == "" {
		return fmt.Errorf("%s failed with %w", w.last.action, got)
	}
	return nil
}

// overJSON reports whether the last answer came over AWS JSON.
func (w *World) overJSON() bool {
	return w.last.exchange != nil && w.last.exchange.RequestHeader.Get("X-Amz-Target") != ""
}

// failed checks everything an error is on the wire: both spellings of its code,
// status, fault, request id, what the SDK made of it, and its message.
func (w *World) failed(subject, code string, message func(string) bool, wanted string) error {
	if !w.sideApplies(subject) {
		return nil
	}
	want, ok := w.suite.Errors[code]
	if !ok {
		return fmt.Errorf("the table of errors has no %s", code)
	}
	got := w.last.err
	if got == nil {
		w.suite.Report.checked(w.suite.Protocol, w.scenario, ErrorCheck{Action: w.last.action, Name: code, Got: "success"})
		return fmt.Errorf("%s succeeded: %v", w.last.action, w.last.answer)
	}
	var wrong []string
	check := func(what string, is, should any) {
		if is != should {
			wrong = append(wrong, fmt.Sprintf("%s is %v, not %v", what, is, should))
		}
	}
	if w.overJSON() {
		check("__type", got.Type, want.JSON)
		check("x-amzn-query-error", got.Code, want.Query)
	} else {
		check("Code", got.Code, want.Query)
	}
	check("status", got.Status, want.Status)
	check("fault", got.Fault, want.Fault)
	if got.SDK != "" && got.SDK != want.JSON && got.SDK != want.Query {
		wrong = append(wrong, "the SDK raises "+got.SDK)
	}
	if got.RequestID == "" {
		wrong = append(wrong, "there is no request id")
	}
	if !message(got.Message) {
		wrong = append(wrong, fmt.Sprintf("the message is %q, not %q", short(got.Message), short(wanted)))
	}
	looked := ErrorCheck{Action: w.last.action, Name: code, Right: len(wrong) == 0}
	if len(wrong) > 0 {
		looked.Got = strings.Join(wrong, "; ")
	}
	w.suite.Report.checked(w.suite.Protocol, w.scenario, looked)
	if len(wrong) > 0 {
		return fmt.Errorf("%s: %s", w.last.action, looked.Got)
	}
	return nil
}

func (w *World) answerHas(subject string, t *godog.Table, exactly bool) error {
	if err := w.unlooked(); err != nil {
		if !w.sideApplies(subject) {
			return nil
		}
		return err
	}
	if !w.sideApplies(subject) {
		return nil
	}
	return w.compare(w.last.action, w.last.answer, t, exactly)
}

func (w *World) lookup(path string) (string, bool) {
	got := map[string]string{}
	flatten(w.last.answer, "", got)
	v, ok := got[path]
	return v, ok
}

func (w *World) remember(path, name string) error {
	if err := w.unlooked(); err != nil {
		return err
	}
	v, ok := w.lookup(path)
	if !ok {
		return fmt.Errorf("the answer has no %s: %v", path, w.last.answer)
	}
	w.vars[name] = v
	return nil
}

func (w *World) rememberOf(ctx context.Context, path, body, name string) error {
	m, err := w.find(ctx, withBody(body))
	if err != nil {
		return err
	}
	if m == nil {
		return fmt.Errorf("no message %q was received", body)
	}
	got := map[string]string{}
	flatten(m, "", got)
	v, ok := got[path]
	if !ok {
		return fmt.Errorf("message %q has no %s", body, path)
	}
	w.vars[name] = v
	return nil
}
