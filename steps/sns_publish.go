package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
)

func (w *World) registerPublishing(sc *godog.ScenarioContext) {
	sc.Step(`^I publish ("[^"]*") to "([^"]*)"$`, func(ctx context.Context, message, topic string) error {
		messages, err := w.quotedList(message)
		if err != nil {
			return err
		}
		return w.call(ctx, "Publish", client.Params{"TopicArn": w.topicARN(topic), "Message": messages[0]})
	})
	sc.Step(`^((?:"[^"]*"(?:, | and )?)+) (?:was|were) published to "([^"]*)"$`, func(ctx context.Context, messages, topic string) error {
		all, err := w.quotedList(messages)
		if err != nil {
			return err
		}
		for _, m := range all {
			if err := w.must(ctx, "Publish", client.Params{"TopicArn": w.topicARN(topic), "Message": m}); err != nil {
				return err
			}
		}
		return nil
	})
	sc.Step(`^I publish to "([^"]*)":$`, func(ctx context.Context, topic string, t *godog.Table) error {
		p, err := w.params(t)
		if err != nil {
			return err
		}
		p["TopicArn"] = w.topicARN(topic)
		return w.call(ctx, "Publish", p)
	})
	sc.Step(`^I publish a batch to "([^"]*)":$`, func(ctx context.Context, topic string, t *godog.Table) error {
		entries, err := w.entries(t)
		if err != nil {
			return err
		}
		return w.call(ctx, "PublishBatch", client.Params{"TopicArn": w.topicARN(topic), "Entries": entries})
	})
	sc.Step(`^the answer's MessageId is that of the publish of "([^"]*)"$`, func(message string) error {
		if err := w.unlooked(); err != nil {
			return err
		}
		if got := w.last.answer["MessageId"]; got != w.sns.published[message] {
			return fmt.Errorf("the MessageId is %v", got)
		}
		return nil
	})
	sc.Step(`^the publish ids of "([^"]*)" and "([^"]*)" are (the same|different)$`, func(a, b, how string) error {
		x, y := w.sns.published[a], w.sns.published[b]
		if x == "" || y == "" || (x == y) != (how == "the same") {
			return fmt.Errorf("the ids are %q and %q", x, y)
		}
		return nil
	})

	sc.Step(`^the notifications are ((?:"[^"]*"(?:, )?)+)( in this order)?$`, func(ctx context.Context, messages, order string) error {
		want, err := w.quotedList(messages)
		if err != nil {
			return err
		}
		if err := w.askAgain(ctx, len(want)); err != nil {
			return err
		}
		var got []string
		for _, m := range w.received {
			n, err := notification(m)
			if err != nil {
				return err
			}
			text, _ := n["Message"].(string)
			got = append(got, text)
		}
		return sameBodies(got, want, order != "")
	})
	const notified = `(the|this gateway's|Amazon's) notification "([^"]*)"`
	sc.Step(`^`+notified+` has:$`, func(ctx context.Context, subject, message string, t *godog.Table) error {
		return w.notificationHas(ctx, subject, message, t, false)
	})
	sc.Step(`^`+notified+` has exactly:$`, func(ctx context.Context, subject, message string, t *godog.Table) error {
		return w.notificationHas(ctx, subject, message, t, true)
	})
	sc.Step(`^`+notified+` has its members in the order (.+)$`, w.notificationOrder)
}

// notification reads the body of a message as the JSON that it is.
func notification(m client.Params) (client.Params, error) {
	body, _ := m["Body"].(string)
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		return nil, fmt.Errorf("the body is no notification: %s", short(body))
	}
	n, ok := client.Tree(v).(client.Params)
	if !ok {
		return nil, fmt.Errorf("the body is no notification: %s", short(body))
	}
	return n, nil
}

// notified finds the received notification of a message.
func (w *World) notified(ctx context.Context, message string) (n client.Params, body string, err error) {
	want, err := w.expand(message)
	if err != nil {
		return nil, "", err
	}
	m, err := w.find(ctx, func(m client.Params) bool {
		n, err := notification(m)
		return err == nil && n["Message"] == want
	})
	if err != nil {
		return nil, "", err
	}
	if m == nil {
		return nil, "", fmt.Errorf("no notification %q was received", short(want))
	}
	body, _ = m["Body"].(string)
	n, err = notification(m)
	return n, body, err
}

func (w *World) notificationHas(ctx context.Context, subject, message string, t *godog.Table, exactly bool) error {
	if err := w.unlooked(); err != nil {
		return err
	}
	if !w.sideApplies(subject) {
		return nil
	}
	n, _, err := w.notified(ctx, message)
	if err != nil {
		return err
	}
	return w.compare(fmt.Sprintf("notification %q", short(message)), n, t, exactly)
}

func (w *World) notificationOrder(ctx context.Context, subject, message, names string) error {
	if err := w.unlooked(); err != nil {
		return err
	}
	if !w.sideApplies(subject) {
		return nil
	}
	_, body, err := w.notified(ctx, message)
	if err != nil {
		return err
	}
	var got []string
	d := json.NewDecoder(strings.NewReader(body))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		got = append(got, fmt.Sprint(name))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
	}
	if strings.Join(got, ", ") != names {
		return fmt.Errorf("the members are %s", strings.Join(got, ", "))
	}
	return nil
}
