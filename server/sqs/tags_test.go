package sqs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/fault"
)

func TestTags(t *testing.T) {
	r := newRig(t)
	url := r.create("q", nil)
	tags := func() map[string]string { return texts(r.do("ListQueueTags", "QueueUrl", url).Get("Tags")) }

	if answer := r.do("ListQueueTags", "QueueUrl", url); answer == nil || answer.Has("Tags") {
		t.Errorf("a queue without tags answered %v", answer)
	}
	r.do("TagQueue", "QueueUrl", url, "Tags", map[string]string{"MyTag": "a", "mytag": "", "more": "b"})
	wantMap(t, tags(), map[string]string{"MyTag": "a", "mytag": "", "more": "b"})
	r.do("TagQueue", "QueueUrl", url, "Tags", map[string]string{"MyTag": "c", "new": "d"})
	wantMap(t, tags(), map[string]string{"MyTag": "c", "mytag": "", "more": "b", "new": "d"})
	r.do("UntagQueue", "QueueUrl", url, "TagKeys", []string{"more", "absent"})
	wantMap(t, tags(), map[string]string{"MyTag": "c", "mytag": "", "new": "d"})
	r.do("UntagQueue", "QueueUrl", url, "TagKeys", []string{"MyTag", "mytag", "new"})
	if answer := r.do("ListQueueTags", "QueueUrl", url); answer.Has("Tags") {
		t.Errorf("a queue without tags any more answered %v", answer)
	}

	r.refuse(fault.MissingParameter, "The request must contain the parameter Tags.", "TagQueue", "QueueUrl", url)
	r.refuse(fault.MissingParameter, "The request must contain the parameter TagKeys.", "UntagQueue", "QueueUrl", url)
	for _, action := range []string{"TagQueue", "UntagQueue"} {
		r.refuse(fault.QueueDoesNotExist, "", action, "QueueUrl", "nowhere",
			"Tags", map[string]string{"a": "b"}, "TagKeys", []string{"a"})
	}
}

func TestTagLimit(t *testing.T) {
	r := newRig(t)
	many := func(from, n int) map[string]string {
		tags := map[string]string{}
		for i := range n {
			tags[fmt.Sprint("key", from+i)] = "v"
		}
		return tags
	}
	r.refuse(fault.InvalidParameterValue, "", "CreateQueue", "QueueName", "q", "tags", many(0, 51))
	r.do("CreateQueue", "QueueName", "q", "tags", many(0, 50))
	r.do("TagQueue", "QueueUrl", "q", "Tags", many(0, 50))
	r.refuse(fault.InvalidParameterValue, "", "TagQueue", "QueueUrl", "q", "Tags", many(49, 2))
	r.refuse(fault.InvalidParameterValue, "", "TagQueue", "QueueUrl", "q", "Tags", map[string]string{"key0": strings.Repeat("x", 65536)})
	if got := texts(r.do("ListQueueTags", "QueueUrl", "q").Get("Tags")); len(got) != 50 || got["key0"] != "v" {
		t.Errorf("after the refusals there are %d tags", len(got))
	}
}

func TestTagLengths(t *testing.T) {
	r := newRig(t)
	longKey, longValue := strings.Repeat("é", 128), strings.Repeat("é", 256)
	r.do("CreateQueue", "QueueName", "q", "tags", map[string]string{longKey: longValue})
	for _, tags := range []map[string]string{{longKey + "x": ""}, {"": "x"}, {"k": longValue + "x"}} {
		r.refuse(fault.InvalidParameterValue, "", "CreateQueue", "QueueName", "other", "tags", tags)
		r.refuse(fault.InvalidParameterValue, "", "TagQueue", "QueueUrl", "q", "Tags", tags)
	}
	wantMap(t, texts(r.do("ListQueueTags", "QueueUrl", "q").Get("Tags")), map[string]string{longKey: longValue})
}
