package replay

import (
	"strconv"
	"strings"
)

// topicScripts are the tests of the suite test_sns about topics.
var topicScripts = map[string]script{
	"test_create_topic_with_attributes": func(r *run) {
		t := r.fifoTopic(tree{"DisplayName": "TestTopic", "SignatureVersion": "2"})
		r.expect("get-topic-attrs", r.topicAttributes(t))
		r.expect("get-attrs-nonexistent-topic", r.topicAttributes(t[:len(t)-len("topic.fifo")]+"missing"))
		r.expect("get-attrs-malformed-topic", r.topicAttributes("topic"))
	},
	"test_create_topic_test_arn": func(r *run) {
		a := r.createTopic("topic", nil)
		t := a.tree["TopicArn"].(string)
		r.expect("create-topic", a)
		r.expect("get-topic-attrs", r.topicAttributes(t))
		r.expect("delete-topic", r.sns("DeleteTopic", about(t)))
		r.expect("topic-not-exists", r.topicAttributes(t))
	},
	"test_create_topic_should_be_idempotent": func(r *run) {
		t := r.topic("topic", nil)
		r.good("SetTopicAttributes", r.setTopic(t, "DisplayName", "AlreadySet"))
		r.expect("topic-attrs-idempotent-1", r.topicAttributes(t))
		r.topic("topic", nil)
		r.expect("topic-attrs-idempotent-2", r.topicAttributes(t))
	},
	"test_create_topic_different_attrs": func(r *run) {
		a := r.createTopic("topic", tree{"DisplayName": "Value1"})
		t := a.tree["TopicArn"].(string)
		r.expect("create-topic", a)
		r.expect("create-topic-no-attrs", r.createTopic("topic", nil))
		r.expect("topic-attrs", r.topicAttributes(t))
		r.expect("create-topic-diff-attrs", r.createTopic("topic", tree{"DisplayName": "Value2"}))
		r.expect("create-topic-new-attrs-fifo", r.createTopic("topic", tree{"FifoTopic": "true"}))
		r.expect("create-topic-new-attrs", r.createTopic("topic", tree{"SignatureVersion": "2"}))
		r.expect("create-topic-new-and-same-attrs", r.createTopic("topic", tree{"SignatureVersion": "2", "DisplayName": "Value1"}))
	},
	"test_create_topic_name_constraints": func(r *run) {
		r.expect("valid-name-max-length", r.createTopic(strings.Repeat("a", 256), nil))
		r.expect("name-too-short", r.createTopic("", nil))
		r.expect("name-too-long", r.createTopic(strings.Repeat("a", 257), nil))
		r.expect("name-contains-fifo", r.createTopic("test.fifo", nil))
		r.expect("fifo-name-not-contains-fifo", r.createTopic("test", tree{"FifoTopic": "true"}))
		for i, c := range ":;!@|^% " {
			r.expect("name-invalid-char-"+strconv.Itoa(i), r.createTopic("bad"+string(c)+"name", nil))
		}
	},
	"test_topic_get_attributes_with_fifo_false": func(r *run) {
		t := r.topic("topic", tree{"FifoTopic": "false"})
		r.expect("get-attrs-standard-topic", r.topicAttributes(t))
		r.expect("set-fifo-false-after-creation", r.setTopic(t, "FifoTopic", "false"))
	},
	"test_create_duplicate_topic_with_more_tags": func(r *run) {
		r.topic("topic", nil)
		r.expect("exception-duplicate", r.sns("CreateTopic", tree{"Name": "topic", "Tags": tags("key1", "value1")}))
	},
	"test_create_duplicate_topic_check_idempotency": func(r *run) {
		create := func(given []any) answered { return r.sns("CreateTopic", tree{"Name": "topic", "Tags": given}) }
		r.expect("response-created", create(tags("a", "1", "b", "2")))
		r.expect("response-same-arn-0", create(tags("a", "1", "b", "2")))
		r.expect("response-same-arn-1", create(tags("a", "1")))
		r.expect("response-same-arn-2", create(list()))
	},
	"test_create_topic_after_delete_with_new_tags": func(r *run) {
		a := r.sns("CreateTopic", tree{"Name": "topic", "Tags": tags("a", "1")})
		r.expect("topic-0", a)
		r.tell("DeleteTopic", about(a.tree["TopicArn"].(string)))
		r.expect("topic-1", r.sns("CreateTopic", tree{"Name": "topic", "Tags": tags("b", "2")}))
	},
	"test_delete_topic_idempotency": func(r *run) {
		t := r.topic("topic", nil)
		r.expect("delete-topic", r.sns("DeleteTopic", about(t)))
		r.expect("delete-topic-again", r.sns("DeleteTopic", about(t)))
	},
	"test_delete_non_existent_topic": func(r *run) {
		r.expect("delete-non-existent-topic", r.sns("DeleteTopic", about("arn:aws:sns:"+region+":"+account+":missing")))
	},
	"test_tags": func(r *run) {
		t := r.topic("topic", nil)
		tag := func(pairs ...string) answered {
			return r.sns("TagResource", tree{"ResourceArn": t, "Tags": tags(pairs...)})
		}
		listed := func() answered { return r.sns("ListTagsForResource", tree{"ResourceArn": t}) }
		r.expect("duplicate-key-error", tag("k1", "v1", "k1", "v1"))
		r.good("TagResource", tag("k1", "v1", "k2", "v2"))
		r.expect("list-created-tags", listed())
		r.tell("UntagResource", tree{"ResourceArn": t, "TagKeys": list("k1")})
		r.expect("list-after-delete-tags", listed())
		r.good("TagResource", tag("k2", "v2b"))
		r.expect("list-after-update-tags", listed())
	},
	"test_tags_removed_after_deletion": func(r *run) {
		t := r.topic("topic", nil)
		r.tell("TagResource", tree{"ResourceArn": t, "Tags": tags("k1", "v1", "k2", "v2")})
		r.expect("list-created-tags", r.sns("ListTagsForResource", tree{"ResourceArn": t}))
		r.tell("DeleteTopic", about(t))
		r.topic("topic", nil)
		r.expect("list-empty-tags", r.sns("ListTagsForResource", tree{"ResourceArn": t}))
	},
	"test_topic_delivery_policy_crud": func(r *run) {
		t := r.fifoTopic(tree{"DisplayName": "TestTopic", "SignatureVersion": "2", "DeliveryPolicy": `{"http":{"defaultRequestPolicy":{"headerContentType":"application/json"}}}`})
		r.expect("get-topic-attrs", r.topicAttributes(t))
		r.expect("set-topic-attrs", r.setTopic(t, "DeliveryPolicy", `{"http":{"defaultHealthyRetryPolicy":{"minDelayTarget":5,"maxDelayTarget":6,"numRetries":1}}}`))
		r.expect("get-topic-attrs-after-update", r.topicAttributes(t))
		r.expect("set-topic-attrs-none", r.setTopic(t, "DeliveryPolicy", `{"http":{"defaultHealthyRetryPolicy":null}}`))
		r.expect("get-topic-attrs-after-none", r.topicAttributes(t))
		r.expect("set-topic-attrs-full-none", r.setTopic(t, "DeliveryPolicy", ""))
		r.expect("get-topic-attrs-after-delete", r.topicAttributes(t))
	},
	"test_topic_add_permission": func(r *run) {
		t := r.topic("topic", nil)
		r.expect("add-permission-response", r.permit(t, "test", "Publish"))
		r.expectPart("topic-policy-after-permission", r.policy(t))
	},
	"test_topic_add_multiple_permissions": func(r *run) {
		t := r.topic("topic", nil)
		r.expect("add-permission-response", r.permit(t, "test", "Publish", "Subscribe"))
		r.expectPart("topic-policy-after-permission", r.policy(t))
	},
	"test_topic_remove_permission": func(r *run) {
		t := r.topic("topic", nil)
		r.permit(t, "test", "Publish")
		r.sns("RemovePermission", about(t, "Label", "test"))
		r.expectPart("topic-policy", r.policy(t))
	},
	"test_add_permission_errors": func(r *run) {
		t := r.topic("topic", nil)
		r.permit(t, "test", "Publish")
		r.expect("duplicate-label", r.permit(t, "test", "Publish"))
		r.expect("topic-not-found", r.permit(t+"-missing", "test", "Publish"))
		r.expect("invalid-action", r.permit(t, "other", "InvalidAction"))
	},
	"test_remove_permission_errors": func(r *run) {
		t := r.topic("topic", nil)
		r.expect("topic-not-found", r.sns("RemovePermission", about(t+"-missing", "Label", "test")))
	},
}

func tags(pairs ...string) []any {
	all := []any{}
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, tree{"Key": pairs[i], "Value": pairs[i+1]})
	}
	return all
}

func (r *run) permit(topic, label string, actions ...any) answered {
	return r.sns("AddPermission", about(topic, "Label", label, "AWSAccountId", list(account), "ActionName", actions))
}

func (r *run) policy(topic string) any {
	a := r.good("GetTopicAttributes", r.topicAttributes(topic))
	return a.tree["Attributes"].(tree)["Policy"]
}
