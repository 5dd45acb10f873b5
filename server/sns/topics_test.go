package sns

import (
	"encoding/base64"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/service/sns"

	"github.com/queen-mq/queen-sqs/divergences"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// TestActionsAreAllOfAmazons compares with the actions of the SDK's own client:
// what is answered, what is the platform, and the two names of SQS.
func TestActionsAreAllOfAmazons(t *testing.T) {
	var published []string
	client := reflect.TypeFor[*sdk.Client]()
	for i := range client.NumMethod() {
		m := client.Method(i)
		if m.Type.NumIn() == 4 && strings.HasSuffix(m.Type.In(2).String(), "."+m.Name+"Input") {
			published = append(published, m.Name)
		}
	}
	ours := slices.Concat(wire.SNSActions, SharedNames)
	platform := 0
	for _, family := range PlatformActions {
		ours = append(ours, family...)
		platform += len(family)
		for _, action := range family {
			if _, known := wire.ServiceOf(action); known {
				t.Errorf("%s is answered", action)
			}
		}
	}
	slices.Sort(ours)
	slices.Sort(published)
	if !slices.Equal(ours, published) {
		t.Errorf("ours\n%v\nAmazon's\n%v", ours, published)
	}
	if len(wire.SNSActions) != 17 || platform != 23 {
		t.Errorf("%d actions and %d of the platform", len(wire.SNSActions), platform)
	}
	handlers := newRig(t).Handlers()
	if got := slices.Sorted(maps.Keys(handlers)); !slices.Equal(got, wire.SNSActions) {
		t.Errorf("handlers %v", got)
	}
}

func TestTopicNames(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{strings.Repeat("a", 256), "a", "A-z_0"} {
		if got := member1(r.do("CreateTopic", "Name", name), "TopicArn"); got != arnPrefix+name {
			t.Errorf("%s", got)
		}
	}
	fifo := map[string]string{"FifoTopic": "true"}
	r.do("CreateTopic", "Name", "ok.fifo", "Attributes", fifo)
	for _, name := range []string{"", strings.Repeat("a", 257), "test.fifo", "a.b", "bad name", "é", "bad:name", ".fifo"} {
		r.refuse(fault.InvalidParameter, "Invalid parameter: Topic Name", "CreateTopic", "Name", name)
	}
	r.refuse(fault.InvalidParameter, "Invalid parameter: Topic Name", "CreateTopic", "Name", "test", "Attributes", fifo)
	r.refuse(fault.InvalidParameter, "Invalid parameter: Topic Name", "CreateTopic", "Name", "ok.fifo")
	r.refuse(fault.InvalidParameter, "Invalid parameter: Name Reason: no value for required parameter", "CreateTopic")
}

func TestTopicARNs(t *testing.T) {
	r := newRig(t)
	r.topic("t", nil)
	for arn, text := range map[string]string{
		"":                                     "Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, not 1",
		"randomstring:1":                       "Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, not 2",
		"arn:aws:sns:us-east-1:random":         "Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, not 5",
		"arn:aws:sns:eu-west-9:000000000000:t": "Invalid parameter: TopicArn",
		"arn:aws:sns:queen-1:123456789012:t":   "Invalid parameter: TopicArn",
		"arn:aws:sqs:queen-1:000000000000:t":   "Invalid parameter: TopicArn",
		arnPrefix + "t:more":                   "Invalid parameter: TopicArn",
		arnPrefix + "a b":                      "Invalid parameter: TopicArn",
	} {
		for _, action := range []string{"GetTopicAttributes", "DeleteTopic", "SetTopicAttributes", "ListSubscriptionsByTopic", "Publish", "Subscribe"} {
			r.refuse(fault.InvalidParameter, text, action, "TopicArn", arn, "Message", "m", "AttributeName", "DisplayName")
		}
	}
	absent := arnPrefix + "absent"
	for _, action := range []string{"GetTopicAttributes", "SetTopicAttributes", "ListSubscriptionsByTopic", "Publish"} {
		r.refuse(fault.NotFound, "Topic does not exist", action, "TopicArn", absent, "Message", "m", "AttributeName", "DisplayName")
	}
	r.refuse(fault.NotFound, "Topic does not exist", "Subscribe", "TopicArn", absent, "Protocol", "sqs", "Endpoint", r.queue("q"))
	r.refuse(fault.NotFound, "Topic does not exist", "PublishBatch", "TopicArn", absent, "PublishBatchRequestEntries", []*wire.Object{object("Id", "a", "Message", "m")})
	for _, action := range []string{"TagResource", "UntagResource", "ListTagsForResource"} {
		r.refuse(fault.SNSResourceNotFound, "", action, "ResourceArn", absent, "Tags", tags("a", "b"), "TagKeys", []string{"a"})
	}
	if r.do("DeleteTopic", "TopicArn", absent) != nil {
		t.Error("DeleteTopic has a result")
	}
}

// The table of what creating a topic again answers (recorded 2026-02-06).
func TestCreateTopicAgain(t *testing.T) {
	const (
		attributesDiffer = "Invalid parameter: Attributes Reason: Topic already exists with different attributes"
		tagsDiffer       = "Invalid parameter: Tags Reason: Topic already exists with different tags"
	)
	r := newRig(t)
	r.do("CreateTopic", "Name", "t", "Attributes", map[string]string{"DisplayName": "Value1"}, "Tags", tags("a", "1", "b", "2"))
	for _, c := range []struct {
		attributes map[string]string
		tags       wire.Value
		refused    string
	}{
		{nil, wire.Null(), ""},
		{map[string]string{"DisplayName": "Value1"}, tags("a", "1", "b", "2"), ""},
		{map[string]string{"FifoTopic": "false"}, tags("a", "1"), ""},
		{map[string]string{"SignatureVersion": "1"}, tags(), ""},
		{nil, wire.String(""), ""},
		{map[string]string{"DisplayName": "Value2"}, wire.Null(), attributesDiffer},
		{map[string]string{"SignatureVersion": "2"}, wire.Null(), attributesDiffer},
		{map[string]string{"SignatureVersion": "2", "DisplayName": "Value1"}, wire.Null(), attributesDiffer},
		{nil, tags("c", "3"), tagsDiffer},
		{nil, tags("a", "other"), tagsDiffer},
		{map[string]string{"DisplayName": "Value2"}, tags("c", "3"), attributesDiffer},
	} {
		if c.refused != "" {
			r.refuse(fault.InvalidParameter, c.refused, "CreateTopic", "Name", "t", "Attributes", c.attributes, "Tags", c.tags)
			continue
		}
		if got := member1(r.do("CreateTopic", "Name", "t", "Attributes", c.attributes, "Tags", c.tags), "TopicArn"); got != arnPrefix+"t" {
			t.Errorf("%v: %s", c, got)
		}
	}
	// What is set later survives a bare repeat.
	r.do("SetTopicAttributes", "TopicArn", arnPrefix+"t", "AttributeName", "DisplayName", "AttributeValue", "later")
	r.do("CreateTopic", "Name", "t")
	if got := r.attributes("GetTopicAttributes", "TopicArn", arnPrefix+"t")["DisplayName"]; got != "later" {
		t.Errorf("DisplayName is %q", got)
	}
	// A topic that was deleted is made anew.
	r.do("DeleteTopic", "TopicArn", arnPrefix+"t")
	r.do("CreateTopic", "Name", "t", "Tags", tags("other", "1"))
}

// attributes calls a getter and answers its map.
func (r *rig) attributes(action string, pairs ...any) map[string]string {
	r.t.Helper()
	got, _, err := r.do(action, pairs...).StringMap("Attributes")
	if err != nil {
		r.t.Fatal(err)
	}
	m := map[string]string{}
	for _, p := range got {
		m[p.Key] = p.Value
	}
	return m
}

func wantMap(t *testing.T, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
}

func TestTopicAttributes(t *testing.T) {
	r := newRig(t)
	standard, fifo := r.topic("t", nil), r.topic("t.fifo", nil)
	base := map[string]string{
		"DisplayName": "", "Owner": testAccount, "TopicArn": standard,
		"SubscriptionsConfirmed": "0", "SubscriptionsDeleted": "0", "SubscriptionsPending": "0",
	}
	wantMap(t, r.attributes("GetTopicAttributes", "TopicArn", standard), base)
	want := maps.Clone(base)
	want["TopicArn"], want["FifoTopic"], want["ContentBasedDeduplication"] = fifo, "true", "false"
	wantMap(t, r.attributes("GetTopicAttributes", "TopicArn", fifo), want)

	set := func(name, value string) {
		t.Helper()
		if r.do("SetTopicAttributes", "TopicArn", fifo, "AttributeName", name, "AttributeValue", value) != nil {
			t.Error("SetTopicAttributes has a result")
		}
	}
	set("ContentBasedDeduplication", "TRUE")
	set("SignatureVersion", "2")
	set("FifoThroughputScope", "MessageGroup")
	set("LambdaSuccessFeedbackSampleRate", "100")
	got := r.attributes("GetTopicAttributes", "TopicArn", fifo)
	if got["ContentBasedDeduplication"] != "true" || got["SignatureVersion"] != "2" || got["LambdaSuccessFeedbackSampleRate"] != "100" {
		t.Errorf("%v", got)
	}
	r.do("SetTopicAttributes", "TopicArn", fifo, "AttributeName", "SignatureVersion")
	if _, there := r.attributes("GetTopicAttributes", "TopicArn", fifo)["SignatureVersion"]; there {
		t.Error("a missing value did not remove")
	}
	for _, c := range []struct{ name, value, text string }{
		{"FifoTopic", "false", "Invalid parameter: AttributeName"},
		{"Fake", "x", "Invalid parameter: AttributeName"},
		{"TopicArn", "x", "Invalid parameter: AttributeName"},
		{"ContentBasedDeduplication", "true", "Invalid parameter: ContentBasedDeduplication: can only be set for a FIFO topic"},
		{"SignatureVersion", "3", "Invalid parameter: SignatureVersion: Invalid value [3]. Must be 1 or 2."},
		{"Policy", "{", "Invalid parameter: Policy: failed to parse JSON."},
	} {
		r.refuse(fault.InvalidParameter, c.text, "SetTopicAttributes", "TopicArn", standard, "AttributeName", c.name, "AttributeValue", c.value)
	}
	r.refuse(fault.InvalidParameter, "", "CreateTopic", "Name", "u", "Attributes", map[string]string{"ContentBasedDeduplication": "true"})
	r.refuse(fault.InvalidParameter, "Invalid parameter: Attributes Reason: Unknown attribute: Fake", "CreateTopic", "Name", "u", "Attributes", map[string]string{"Fake": "1"})
}

// What Amazon answers where the register's row is closed.
func TestTopicDefaultsOfAmazon(t *testing.T) {
	r := newRig(t, func(c *Config) {
		c.Profile = divergences.NewProfile("of the test", divergences.TopicAttributesOnlyWhenSet)
	})
	got := r.attributes("GetTopicAttributes", "TopicArn", r.topic("t", nil))
	if len(got) != 8 || !strings.Contains(got["Policy"], `"Resource":"`+arnPrefix+`t"`) {
		t.Errorf("%v", got)
	}
	const effective = `{"http":{"defaultHealthyRetryPolicy":{"minDelayTarget":20,"maxDelayTarget":20,"numRetries":3,"numMaxDelayRetries":0,"numNoDelayRetries":0,"numMinDelayRetries":0,"backoffFunction":"linear"},"disableSubscriptionOverrides":false,"defaultRequestPolicy":{"headerContentType":"text/plain; charset=UTF-8"}}}`
	if got["EffectiveDeliveryPolicy"] != effective {
		t.Errorf("%s", got["EffectiveDeliveryPolicy"])
	}
}

// The life of a delivery policy (recorded 2024-10-03).
func TestDeliveryPolicy(t *testing.T) {
	r := newRig(t)
	const byType = `{"http":{"defaultRequestPolicy":{"headerContentType":"application/json"}}}`
	arn := r.topic("t", map[string]string{"DeliveryPolicy": byType})
	for _, c := range []struct{ set, kept, effective string }{
		{byType, `{"http":{"disableSubscriptionOverrides":false,"defaultRequestPolicy":{"headerContentType":"application/json"}}}`,
			`{"http":{"defaultHealthyRetryPolicy":{"minDelayTarget":20,"maxDelayTarget":20,"numRetries":3,"numMaxDelayRetries":0,"numNoDelayRetries":0,"numMinDelayRetries":0,"backoffFunction":"linear"},"disableSubscriptionOverrides":false,"defaultRequestPolicy":{"headerContentType":"application/json"}}}`},
		{`{"http":{"defaultHealthyRetryPolicy":{"minDelayTarget":5,"maxDelayTarget":6,"numRetries":1}}}`,
			`{"http":{"defaultHealthyRetryPolicy":{"minDelayTarget":5,"maxDelayTarget":6,"numRetries":1},"disableSubscriptionOverrides":false}}`,
			`{"http":{"defaultHealthyRetryPolicy":{"minDelayTarget":5,"maxDelayTarget":6,"numRetries":1,"numMaxDelayRetries":0,"numNoDelayRetries":0,"numMinDelayRetries":0,"backoffFunction":"linear"},"disableSubscriptionOverrides":false,"defaultRequestPolicy":{"headerContentType":"text/plain; charset=UTF-8"}}}`},
		{`{"http":{"defaultHealthyRetryPolicy":null}}`, `{"http":{"disableSubscriptionOverrides":false}}`,
			effectiveTopicDelivery("")},
	} {
		r.do("SetTopicAttributes", "TopicArn", arn, "AttributeName", "DeliveryPolicy", "AttributeValue", c.set)
		got := r.attributes("GetTopicAttributes", "TopicArn", arn)
		if got["DeliveryPolicy"] != c.kept || got["EffectiveDeliveryPolicy"] != c.effective {
			t.Errorf("%s:\n%s\n%s", c.set, got["DeliveryPolicy"], got["EffectiveDeliveryPolicy"])
		}
	}
	r.do("SetTopicAttributes", "TopicArn", arn, "AttributeName", "DeliveryPolicy", "AttributeValue", "")
	if _, there := r.attributes("GetTopicAttributes", "TopicArn", arn)["DeliveryPolicy"]; there {
		t.Error("an empty policy did not remove")
	}
}

func TestTags(t *testing.T) {
	r := newRig(t)
	arn := r.topic("t", nil)
	list := func() string {
		return string(wire.AppendJSONObject(nil, r.do("ListTagsForResource", "ResourceArn", arn)))
	}
	if got := list(); got != `{"Tags":[]}` {
		t.Error(got)
	}
	r.refuse(fault.InvalidParameter, "Invalid parameter: Duplicated keys are not allowed.", "TagResource", "ResourceArn", arn, "Tags", tags("k", "v", "k", "v"))
	r.refuse(fault.InvalidParameter, "", "TagResource", "ResourceArn", arn)
	r.refuse(fault.InvalidParameter, "", "UntagResource", "ResourceArn", arn)
	r.refuse(fault.InvalidParameter, "", "TagResource", "ResourceArn", arn, "Tags", wire.Null())
	r.refuse(fault.InvalidParameter, "", "UntagResource", "ResourceArn", arn, "TagKeys", []string{strings.Repeat("k", 129)})
	r.refuse(fault.InvalidParameter, "Invalid parameter: Value Reason: must be a string", "TagResource", "ResourceArn", arn,
		"Tags", []*wire.Object{object("Key", "k", "Value", []string{"v"})})
	if got := r.do("TagResource", "ResourceArn", arn, "Tags", tags("k2", "v2", "k1", "v1")); got == nil || got.Len() != 0 {
		t.Error("TagResource has an empty result")
	}
	r.do("TagResource", "ResourceArn", arn, "Tags", tags("k2", "v2b"))
	if got := list(); got != `{"Tags":[{"Key":"k1","Value":"v1"},{"Key":"k2","Value":"v2b"}]}` {
		t.Error(got)
	}
	r.do("UntagResource", "ResourceArn", arn, "TagKeys", []string{"k1", "absent"})
	if got := list(); got != `{"Tags":[{"Key":"k2","Value":"v2b"}]}` {
		t.Error(got)
	}
	var many []string
	for i := range 49 {
		many = append(many, fmt.Sprint("more", i), "")
	}
	r.do("TagResource", "ResourceArn", arn, "Tags", tags(many...))
	r.refuse(fault.TagLimitExceeded, "", "TagResource", "ResourceArn", arn, "Tags", tags("one", "too many"))
	r.do("TagResource", "ResourceArn", arn, "Tags", tags("k2", "replaced"))
	r.refuse(fault.TagLimitExceeded, "", "CreateTopic", "Name", "u", "Tags", tags(append(many, "x", "", "y", "")...))
	r.do("DeleteTopic", "TopicArn", arn)
	r.topic("t", nil)
	if got := list(); got != `{"Tags":[]}` {
		t.Error(got)
	}
}

// pages follows a listing's tokens and answers the sizes of its pages and one
// member of its items.
func (r *rig) pages(action, list, member string, pairs ...any) (sizes []int, all []string) {
	r.t.Helper()
	token := ""
	for {
		args := pairs
		if token != "" {
			args = append(slices.Clone(pairs), "NextToken", token)
		}
		answer := r.do(action, args...)
		items := answer.Get(list).Items()
		sizes = append(sizes, len(items))
		for _, item := range items {
			all = append(all, member1(item.Object(), member))
		}
		if token = member1(answer, "NextToken"); token == "" {
			return sizes, all
		}
		if _, err := base64.StdEncoding.DecodeString(token); err != nil {
			r.t.Errorf("the token %q is no base64", token)
		}
	}
}

func TestListTopics(t *testing.T) {
	r := newRig(t)
	if got := string(wire.AppendJSONObject(nil, r.do("ListTopics"))); got != `{"Topics":[]}` {
		t.Error(got)
	}
	var want []string
	for i := range 120 {
		want = append(want, r.topic(fmt.Sprintf("t%03d", i), nil))
	}
	sizes, all := r.pages("ListTopics", "Topics", "TopicArn")
	if !slices.Equal(sizes, []int{100, 20}) || !slices.Equal(all, want) {
		t.Errorf("pages of %v", sizes)
	}
	for _, token := range []string{"?", "AAAA", base64.StdEncoding.EncodeToString([]byte("qs:s:t:x"))} {
		r.refuse(fault.InvalidParameter, "Invalid parameter: NextToken", "ListTopics", "NextToken", token)
	}
}

// Two who create one topic at once get one topic.
func TestCreateTopicAtOnce(t *testing.T) {
	r := newRig(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			_, err := r.try("CreateTopic", "Name", "t", "Attributes", map[string]string{"DisplayName": fmt.Sprint(i % 2)})
			if err != nil && !fault.Is(err, fault.InvalidParameter) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if _, all := r.pages("ListTopics", "Topics", "TopicArn"); len(all) != 1 {
		t.Errorf("%v", all)
	}
}
