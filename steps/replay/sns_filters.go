package replay

import (
	"fmt"
	"strings"
)

// filterScripts are the tests of the suite test_sns_filter_policy.
var filterScripts = map[string]script{
	"test_validate_policy":                              refusing(policiesGeneral),
	"test_validate_policy_string_operators":             refusing(policiesOfStrings),
	"test_validate_policy_numeric_operator":             refusing(policiesOfNumbers),
	"test_validate_policy_exists_operator":              refusing(policiesOfExists),
	"test_validate_policy_nested_anything_but_operator": refusing(policiesOfAnythingBut),
	"test_policy_complexity": refusing(map[string]string{
		"error-complexity-in-one-condition":  `{"key":[` + values("value", 151) + `]}`,
		"error-complexity-in-two-conditions": `{"key1":[` + values("a", 100) + `],"key2":[` + values("b", 51) + `]}`,
		"error-complexity-too-many-fields":   `{"a":["v"],"b":["v"],"c":["v"],"d":["v"],"e":["v"],"f":["v"]}`,
	}),
	"test_sub_filter_policy_nested_property": func(r *run) {
		_, _, s := r.wired(nil)
		nested := `{"object":{"key":[{"prefix":"auto-"}]}}`
		r.expect("sub-filter-policy-nested-error", r.setSubscription(s, "FilterPolicy", nested))
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "FilterPolicyScope", "MessageBody"))
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "FilterPolicy", nested))
		r.expect("sub-attrs-after-setting-nested-policy", r.subscription(s))
	},
	"test_set_subscription_filter_policy_scope": func(r *run) {
		_, _, s := r.wired(nil)
		r.expect("sub-attrs-default", r.subscription(s))
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "FilterPolicyScope", "MessageBody"))
		r.expect("sub-attrs-filter-scope-body", r.subscription(s))
		r.expect("sub-attrs-filter-scope-error", r.setSubscription(s, "FilterPolicyScope", "RandomValue"))
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "FilterPolicy", `{"attr":["match-this"]}`))
		r.expect("sub-attrs-after-setting-policy", r.subscription(s))
	},
	"test_sub_filter_policy_nested_property_constraints": func(r *run) {
		_, _, s := r.wired(tree{"FilterPolicyScope": "MessageBody"})
		set := func(policy string) answered { return r.setSubscription(s, "FilterPolicy", policy) }
		r.expect("sub-filter-policy-nested-error-too-many-combinations", set(`{"a":{"b":{"c":["1","2","3","4"]}},"d":{"e":["1","2","3"]},"f":["1","2","3"]}`))
		r.expect("sub-filter-policy-max-attr-keys", set(`{"a":["v"],"b":["v"],"c":["v"],"d":["v"],"e":["v"],"f":["v"]}`))
		r.expect("sub-filter-policy-rule-no-list", set(`{"key_a":"value_one"}`))
	},
	"test_filter_policy": func(r *run) {
		t, q, s := r.wired(tree{"FilterPolicy": numericPolicy})
		publish := func(value string) {
			r.publish(t, "This is a test message", "MessageAttributes", tree{"attr1": number(value)})
		}
		r.expect("subscription-attributes", r.subscription(s))
		r.expect("messages-0", r.shown(q))
		publish("99")
		r.expect("messages-1", r.shownAgain(q))
		publish("111")
		r.expect("messages-2", r.taken(q))
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "FilterPolicy", `{"attr1":[null,{"anything-but":"whatever"}]}`))
		r.expect("subscription-attributes-2", r.subscription(s))
		r.publish(t, "This the test message for null")
		r.expect("messages-3", r.shown(q))
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "FilterPolicy", ""))
		r.publish(t, "This the test message for null")
		r.expect("messages-4", r.shown(q))
	},
	"test_exists_filter_policy": func(r *run) {
		t, q, s := r.wired(tree{"FilterPolicy": `{"store":[{"exists":true}]}`})
		both := tree{"store": number("99"), "def": number("99")}
		r.expect("subscription-attributes-policy-1", r.subscription(s))
		r.expect("messages-0", r.shown(q))
		r.publish(t, "message-1", "MessageAttributes", both)
		r.expect("messages-1", r.shownAgain(q))
		r.publish(t, "message-2", "MessageAttributes", tree{"attr1": number("111")})
		r.expect("messages-2", r.taken(q))
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "FilterPolicy", `{"store":[{"exists":false}]}`))
		r.expect("subscription-attributes-policy-2", r.subscription(s))
		r.publish(t, "message-3", "MessageAttributes", tree{"def": number("99")})
		r.expect("messages-3", r.shownAgain(q))
		r.publish(t, "message-4", "MessageAttributes", tree{"store": number("99"), "def": number("99")})
		r.expect("messages-4", r.shown(q))
	},
	"test_exists_filter_policy_attributes_array": func(r *run) {
		t, q, s := r.wired(tree{"RawMessageDelivery": "true", "FilterPolicy": `{"store":["value1"]}`})
		publish := func(message, dataType, value string) {
			r.publish(t, message, "MessageAttributes", tree{"store": tree{"DataType": dataType, "StringValue": value}})
		}
		// The attributes were not asked for here.
		received := func() answered {
			return r.gone(q, r.sqs("ReceiveMessage", on(q, "MaxNumberOfMessages", int64(10))))
		}
		r.expect("subscription-attributes-policy", r.subscription(s))
		r.expect("messages-init", received())
		publish("message-1", "String", "value1")
		r.expect("messages-1", received())
		publish("message-2", "String.Array", `["value1","value2"]`)
		r.expect("messages-2", received())
		publish("message-3", "String.Array", `["value2","value3"]`)
		r.expect("messages-3", received())
	},
	"test_filter_policy_on_message_body": func(r *run) {
		t, q, _ := r.wired(tree{
			"RawMessageDelivery": strings.ToLower(r.parameter()), "FilterPolicyScope": "MessageBody",
			"FilterPolicy": `{"object":{"key":[{"prefix":"auto-"},"hardcodedvalue"],"nested_key":[{"exists":false}]},"test":[{"exists":false}]}`,
		})
		r.expect("recv-init", r.shown(q))
		for i, key := range []string{"auto-test", "hardcodedvalue"} {
			r.publish(t, `{"object": {"key": "`+key+`"}}`)
			r.expect(fmt.Sprintf("recv-passed-msg-%d", i), r.taken(q))
		}
		for _, body := range []string{
			`{"object": {"key": "test-auto"}}`, `{"object": {"key": "auto-test"}, "test": "v"}`,
			`{"object": {"key": "auto-test", "nested_key": "v"}}`, `{"object": {"other": "v"}}`, `{"test2": "v"}`, `text`, `"text"`,
		} {
			r.publish(t, body)
			if got := r.messages(r.shown(q)); len(got) > 0 {
				r.fail("%s passes", body)
			}
		}
	},
	"test_filter_policy_for_batch": func(r *run) {
		t, q, s := r.wired(tree{"FilterPolicy": numericPolicy})
		open := r.queue("open", nil)
		unfiltered := r.subscribe(t, open, nil)
		r.expect("subscription-attributes-with-filter", r.subscription(s))
		r.expect("subscription-attributes-no-filter", r.subscription(unfiltered))
		r.expect("messages-no-filter-before-publish", r.shown(open))
		r.expect("messages-with-filter-before-publish", r.shown(q))
		publish := func(message, value string) {
			r.good("PublishBatch", r.batch(t, tree{"Id": "1", "Message": message, "MessageAttributes": tree{"attr1": number(value)}}))
		}
		publish("This is a test message", "99")
		r.expect("messages-no-filter-after-publish-ok", r.taken(open))
		r.expect("messages-with-filter-after-publish-ok", r.taken(q))
		publish("This is another test message", "111")
		r.expect("messages-no-filter-after-publish-ok-1", r.taken(open))
		r.expect("messages-with-filter-after-publish-filtered", r.taken(q))
	},
	"test_filter_policy_on_message_body_dot_attribute": func(r *run) {
		t, q, s := r.wired(tree{"FilterPolicyScope": "MessageBody", "FilterPolicy": `{"object.nested":["string.value"]}`})
		passes := func(name string, bodies ...string) {
			for i, body := range bodies {
				r.publish(t, body)
				r.expect(fmt.Sprintf("%s-%d", name, i), r.taken(q))
			}
		}
		r.expect("recv-init", r.shown(q))
		passes("recv-nested-msg", `{"object": {"nested": "string.value"}}`, `{"object.nested": "string.value"}`)
		r.good("SetSubscriptionAttributes", r.setSubscription(s, "FilterPolicy", `{"object.nested.test":["string.value"]}`))
		passes("recv-deep-nested-msg", `{"object": {"nested": {"test": "string.value"}}}`, `{"object.nested.test": "string.value"}`,
			`{"object.nested": {"test": "string.value"}}`, `{"object": {"nested.test": "string.value"}}`)
	},
	"test_filter_policy_on_message_body_array_attributes": func(r *run) {
		t := r.topic("topic", nil)
		var queues []string
		for i := range 2 {
			q := r.queue(numbered("queue-%d")(i), nil)
			r.subscribe(t, q, tree{"RawMessageDelivery": "true", "FilterPolicyScope": "MessageBody", "FilterPolicy": fmt.Sprintf(`{"headers":{"route-to":["queue%d"]}}`, i+1)})
			queues = append(queues, q)
		}
		for _, to := range []string{`"queue3"`, `"queue1"`, `"queue2"`, `"queue1", "queue2"`} {
			r.publish(t, `{"headers": {"route-to": [`+to+`]}}`)
		}
		for i, q := range queues {
			r.expectPart(numbered("messages-queue-%d")(i), byBody(r.gathered(q)))
		}
	},
	"test_policy_complexity_with_or": func(r *run) {
		t, q := r.topic("topic", nil), r.arn(r.queue("queue", nil))
		branch := func(sizes ...int) string {
			var keys []string
			for i, n := range sizes {
				keys = append(keys, fmt.Sprintf(`"key%d":[%s]`, i, values("v", n)))
			}
			return "{" + strings.Join(keys, ",") + "}"
		}
		r.good("Subscribe", r.subscribing(r.topic("other", nil), q, tree{"FilterPolicy": `{"$or":[` + branch(3, 6) + "," + branch(3, 4, 4) + "," + branch(3, 4, 7) + `]}`}))
		r.expect("error-complexity-or-flat", r.subscribing(t, q, tree{"FilterPolicy": `{"$or":[` + branch(4, 6) + "," + branch(4, 4, 4) + "," + branch(4, 4, 4) + `]}`}))
		r.expect("error-complexity-or-nested", r.subscribing(t, q, tree{"FilterPolicyScope": "MessageBody",
			"FilterPolicy": `{"object":{"$or":[` + branch(4, 3) + "," + branch(4, 3) + "," + branch(4, 3) + "," + branch(4, 3) + `]}}`}))
	},
	"test_filter_policy_on_message_body_or_attribute": func(r *run) {
		r.filtered("messages-queue",
			`{"$or":[{"metricName":["CPUUtilization","ReadLatency"]},{"namespace":["AWS/EC2","AWS/ES"]}],"detail":{"scope":["Service"],"$or":[{"source":["aws.cloudwatch"]},{"type":["CloudWatch Alarm State Change"]}]}}`,
			`{"metricName": "CPUUtilization", "detail": {"scope": "Service", "source": "aws.cloudwatch"}}`,
			`{"metricName": "ReadLatency", "detail": {"scope": "Service", "source": "aws.cloudwatch"}}`,
			`{"namespace": "AWS/EC2", "detail": {"scope": "Service", "source": "aws.cloudwatch"}}`,
			`{"namespace": "AWS/ES", "detail": {"scope": "Service", "source": "aws.cloudwatch"}}`,
			`{"metricName": "CPUUtilization", "detail": {"scope": "Service", "type": "CloudWatch Alarm State Change"}}`,
			`{"metricName": "CPUUtilization", "detail": {"scope": "Other", "source": "aws.cloudwatch"}}`,
			`{"metricName": "CPUUtilization", "detail": {"source": "aws.cloudwatch"}}`,
			`{"metricName": "CPUUtilization", "detail": {"scope": "Service", "type": "Other"}}`,
			`{"metricName": "CPUUtilization", "detail": {"scope": "Service"}}`,
			`{"metricName": "CPUUtilization", "scope": "Service", "detail": {"source": "aws.cloudwatch"}}`,
			`{"metricName": "AWS/EC2", "detail": {"scope": "Service", "source": "aws.cloudwatch"}}`,
			`{"namespace": "CPUUtilization", "detail": {"scope": "Service", "source": "aws.cloudwatch"}}`)
	},
	"test_filter_policy_empty_array_payload": func(r *run) {
		r.filtered("messages-queue", `{"detail":{"eventVersion":[""]}}`,
			`{"version": "0", "id": "3e3c153a-8339-4e30-8c35-687ebef853fe", "detail-type": "EC2 Instance Launch Successful", "source": "aws.autoscaling", "account": "123456789012", "time": "2015-11-11T21:31:47Z", "region": "my-region", "resources": [], "detail": {"eventVersion": "", "responseElements": null}}`)
	},
	"test_filter_policy_ip_address_condition": func(r *run) {
		event := func(id, detail string) string {
			return `{"id": "` + id + `", "source": "test-source", "detail-type": "test-detail-type", "account": "123456789012", "region": "my-region", "time": "2022-07-13T13:48:01Z", "detail": {` + detail + `}}`
		}
		r.filtered("messages-queue",
			`{"detail":{"$or":[{"sourceIPAddress":[{"cidr":"10.0.0.0/24"}]},{"sourceIPAddressV6":[{"cidr":"2001:db8:1234:1a00::/64"}]}]}}`,
			event("1", `"sourceIPAddress": "10.0.0.255"`), event("2", `"sourceIPAddress": "10.0.0.256"`),
			event("3", `"sourceIPAddressV6": "2001:0db8:1234:1a00:0000:0000:0000:0000"`), event("4", `"sourceIPAddressV6": "2001:0db8:123f:1a00:0000:0000:0000:0000"`))
	},
	"test_filter_policy_on_message_body_array_of_object_attributes": func(r *run) {
		record := func(event, object string) string {
			return `{"eventSource": "aws:s3", "eventName": "` + event + `", "s3": {"object": ` + object + `}}`
		}
		const home, auto = `{"key": "home-insurance-2314.xml", "size": 17}`, `{"key": "auto-insurance-2314.xml", "size": 17}`
		r.filtered("messages", `{"Records":{"s3":{"object":{"key":[{"prefix":"auto-"}]}},"eventName":[{"prefix":"ObjectCreated:"}]}}`,
			`{"Records": [{"eventSource": "aws:s3", "eventTime": "2022-07-13T13:48:01Z", "eventName": "ObjectCreated:Put", "s3": {"bucket": {"name": "bucket", "arn": "arn:aws:s3:::bucket"}, "object": `+auto+`}}]}`,
			`{"Records": [`+record("ObjectCreated:Put", "[["+auto+"]]")+", "+record("ObjectRemoved:Delete", home)+`]}`,
			`{"Records": [`+record("ObjectRemoved:Delete", auto)+`]}`,
			`{"Records": [`+record("ObjectCreated:Put", home)+`]}`)
	},
}

// filtered publishes bodies to a queue with a filter on them, and holds what
// arrives, ordered by the bodies, against the recorded messages.
func (r *run) filtered(name, policy string, bodies ...string) {
	t, q, _ := r.wired(tree{"RawMessageDelivery": "true", "FilterPolicyScope": "MessageBody", "FilterPolicy": policy})
	for _, body := range bodies {
		r.publish(t, body)
	}
	r.expectPart(name, byBody(r.gathered(q)))
}

// refusing subscribes with each policy and holds the refusal against the
// recorded one of its name. A policy of no recorded name has to be taken.
func refusing(policies map[string]string) script {
	return func(r *run) {
		t, q := r.topic("topic", nil), r.arn(r.queue("queue", nil))
		for name, policy := range policies {
			if strings.HasPrefix(policy, "{") {
				r.expect(name, r.subscribing(t, q, tree{"FilterPolicy": policy}))
				continue
			}
			r.expect(name, r.subscribing(t, q, tree{"FilterPolicy": `{"key":[` + policy + `]}`}))
		}
	}
}

// values are n different strings, as JSON without brackets.
func values(prefix string, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%q", prefix+numbered("%d")(i))
	}
	return strings.Join(all, ",")
}
