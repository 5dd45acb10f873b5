package steps

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// snsActions are the actions that are calls to SNS.
var snsActions = map[string]bool{
	"ConfirmSubscription": true, "CreateTopic": true, "DeleteTopic": true, "GetSubscriptionAttributes": true,
	"GetTopicAttributes": true, "ListSubscriptions": true, "ListSubscriptionsByTopic": true, "ListTagsForResource": true,
	"ListTopics": true, "Publish": true, "PublishBatch": true, "SetSubscriptionAttributes": true, "SetTopicAttributes": true,
	"Subscribe": true, "TagResource": true, "Unsubscribe": true, "UntagResource": true,
}

// snsWorld is what a scenario knows of SNS.
type snsWorld struct {
	topics    map[string]string // name in the scenario -> ARN
	subs      map[string]string // topic/queue in the scenario -> ARN
	published map[string]string // message -> MessageId
}

func newSNSWorld() snsWorld {
	return snsWorld{map[string]string{}, map[string]string{}, map[string]string{}}
}

// snsClient is the client for calls to SNS. The SDKs speak Query to it, so that
// its JSON is spoken by hand, to the gateways that know it and to nobody else.
func (w *World) snsClient(c client.Client) client.Client {
	here := w.target.Abilities().Side == target.ThisGateway
	switch {
	case w.suite.Protocol != client.JSON:
		return c
	case here && c == w.sdk:
		w.raw.Signing = w.signing
		return w.raw
	case !here && c == w.raw:
		query := *w.raw
		query.Protocol = client.Query
		return &query
	}
	return c
}

// snsParams spells parameters as SNS does: tags are a list, and the entries of a
// batch have a name of their own.
func snsParams(action string, p client.Params) client.Params {
	out := client.Params{}
	for name, v := range p {
		tags, isMap := v.(client.Params)
		switch {
		case name == "Tags" && isMap:
			list := []any{}
			for _, key := range sorted(tags) {
				list = append(list, client.Params{"Key": key, "Value": tags[key]})
			}
			out[name] = list
		case name == "Entries" && action == "PublishBatch":
			out["PublishBatchRequestEntries"] = v
		default:
			out[name] = v
		}
	}
	return out
}

func sorted(m client.Params) []string { return slices.Sorted(maps.Keys(m)) }

// learnSNS keeps what later steps refer to.
func (w *World) learnSNS(p client.Params) {
	a := w.last.answer
	text := func(m client.Params, name string) string { s, _ := m[name].(string); return s }
	switch w.last.action {
	case "CreateTopic":
		arn := text(a, "TopicArn")
		w.sns.topics[strings.TrimPrefix(arn[strings.LastIndex(arn, ":")+1:], w.scope+"-")] = arn
	case "Subscribe":
		topic := text(p, "TopicArn")
		queue := text(p, "Endpoint")
		topic = strings.TrimPrefix(topic[strings.LastIndex(topic, ":")+1:], w.scope+"-")
		queue = strings.TrimPrefix(queue[strings.LastIndex(queue, ":")+1:], w.scope+"-")
		w.sns.subs[topic+"/"+queue] = text(a, "SubscriptionArn")
	case "Publish":
		w.sns.published[text(p, "Message")] = text(a, "MessageId")
	case "PublishBatch":
		messages := map[string]string{}
		for _, e := range list(p["PublishBatchRequestEntries"]) {
			messages[text(e, "Id")] = text(e, "Message")
		}
		for _, e := range list(a["Successful"]) {
			w.sns.published[messages[text(e, "Id")]] = text(e, "MessageId")
		}
	}
}

func (w *World) referSNS(kind, of string) (string, error) {
	switch kind {
	case "topic":
		return w.topicARN(of), nil
	case "sub":
		if arn, ok := w.sns.subs[of]; ok {
			return arn, nil
		}
	case "published":
		if id, ok := w.sns.published[of]; ok {
			return id, nil
		}
	}
	return "", fmt.Errorf("nothing is known as ${%s:%s}", kind, of)
}

func (w *World) topicARN(name string) string {
	if arn, ok := w.sns.topics[name]; ok {
		return arn
	}
	return "arn:aws:sns:" + w.target.Config().Region + ":" + w.target.Account() + ":" + w.real(name)
}

func (w *World) registerTopics(sc *godog.ScenarioContext) {
	sc.Step(`^a (FIFO )?topic "([^"]*)"$`, func(ctx context.Context, fifo, name string) error {
		return w.createTopic(ctx, fifo != "", name, table())
	})
	sc.Step(`^a (FIFO )?topic "([^"]*)" with attributes:$`, func(ctx context.Context, fifo, name string, t *godog.Table) error {
		return w.createTopic(ctx, fifo != "", name, t)
	})
	sc.Step(`^"([^"]*)" is subscribed( raw)? to "([^"]*)"$`, func(ctx context.Context, queue, raw, topic string) error {
		t := table()
		if raw != "" {
			t = table("RawMessageDelivery", "true")
		}
		return w.subscribed(ctx, queue, topic, t)
	})
	sc.Step(`^"([^"]*)" is subscribed( raw)? to "([^"]*)" with attributes:$`, func(ctx context.Context, queue, raw, topic string, t *godog.Table) error {
		if raw != "" {
			t.Rows = append(t.Rows, table("RawMessageDelivery", "true").Rows...)
		}
		return w.subscribed(ctx, queue, topic, t)
	})
	sc.Step(`^(\d+) queues are subscribed raw to "([^"]*)"$`, func(ctx context.Context, n int, topic string) error {
		for i := 1; i <= n; i++ {
			queue := fmt.Sprint("many", i)
			if err := w.createQueue(ctx, queue, nil, nil); err != nil {
				return err
			}
			if err := w.subscribed(ctx, queue, topic, table("RawMessageDelivery", "true")); err != nil {
				return err
			}
		}
		return nil
	})
	sc.Step(`^each of the (\d+) queues receives "([^"]*)" once$`, func(ctx context.Context, n int, want string) error {
		for i := 1; i <= n; i++ {
			if err := w.drain(ctx, fmt.Sprint("many", i), true); err != nil {
				return err
			}
			if err := w.returned(ctx, "the receive", `"`+want+`"`, true); err != nil {
				return fmt.Errorf("queue %d: %w", i, err)
			}
		}
		return nil
	})
	sc.Step(`^I set the (\w+) of the topic "([^"]*)" to '(.*)'$`, func(ctx context.Context, name, topic, value string) error {
		value, err := w.expand(value)
		if err != nil {
			return err
		}
		return w.call(ctx, "SetTopicAttributes", client.Params{"TopicArn": w.topicARN(topic), "AttributeName": name, "AttributeValue": value})
	})
	sc.Step(`^I set the (\w+) of the subscription "([^"]*)" to '(.*)'$`, func(ctx context.Context, name, sub, value string) error {
		value, err := w.expand(value)
		if err != nil {
			return err
		}
		arn, err := w.referSNS("sub", sub)
		if err != nil {
			return err
		}
		return w.call(ctx, "SetSubscriptionAttributes", client.Params{"SubscriptionArn": arn, "AttributeName": name, "AttributeValue": value})
	})
	sc.Step(`^the listing of (\w+) by (\w+) from (\w+) has "([^"]*)" (once|nowhere)$`, w.listed)
	sc.Step(`^(\d+) topics exist and every page of ListTopics is followed to the end$`, w.followTopics)
}

func (w *World) createTopic(ctx context.Context, fifo bool, name string, t *godog.Table) error {
	attributes, err := w.pairs(t)
	if err != nil {
		return err
	}
	if fifo {
		attributes["FifoTopic"] = "true"
	}
	return w.must(ctx, "CreateTopic", client.Params{"Name": w.real(name), "Attributes": attributes})
}

func (w *World) subscribed(ctx context.Context, queue, topic string, t *godog.Table) error {
	attributes, err := w.pairs(t)
	if err != nil {
		return err
	}
	return w.must(ctx, "Subscribe", client.Params{
		"TopicArn": w.topicARN(topic), "Protocol": "sqs", "Endpoint": w.arn(queue), "Attributes": attributes, "ReturnSubscriptionArn": true,
	})
}

// listed follows a listing to its end and looks for an item with that value.
func (w *World) listed(ctx context.Context, items, member, action, value, often string) error {
	value, err := w.expand(value)
	if err != nil {
		return err
	}
	all, _, err := w.follow(ctx, action, client.Params{}, items, member)
	if err != nil {
		return err
	}
	n := 0
	for _, v := range all {
		if v == value {
			n++
		}
	}
	if often == "once" && n != 1 || often == "nowhere" && n != 0 {
		return fmt.Errorf("%s is there %d times", value, n)
	}
	return nil
}

// follow reads all pages of a listing and answers one member of its items and
// how long each page was.
func (w *World) follow(ctx context.Context, action string, p client.Params, items, member string) (all []string, pages []int, err error) {
	for {
		if err := w.must(ctx, action, p); err != nil {
			return nil, nil, err
		}
		page := list(w.last.answer[items])
		pages = append(pages, len(page))
		for _, item := range page {
			s, _ := item[member].(string)
			all = append(all, s)
		}
		token, _ := w.last.answer["NextToken"].(string)
		if token == "" {
			return all, pages, nil
		}
		p["NextToken"] = token
	}
}

func (w *World) followTopics(ctx context.Context, n int) error {
	want := map[string]bool{}
	for i := range n {
		name := fmt.Sprint("page", i)
		if err := w.createTopic(ctx, false, name, table()); err != nil {
			return err
		}
		want[w.topicARN(name)] = true
	}
	all, pages, err := w.follow(ctx, "ListTopics", client.Params{}, "Topics", "TopicArn")
	if err != nil {
		return err
	}
	for _, arn := range all {
		delete(want, arn)
	}
	if len(want) > 0 {
		return fmt.Errorf("%d topics are on no page", len(want))
	}
	for _, size := range pages[:len(pages)-1] {
		if size != 100 {
			return fmt.Errorf("pages of %v", pages)
		}
	}
	return nil
}
