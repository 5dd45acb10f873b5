package client

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// Again sends a request again where a load balancer has several gateways behind
// it and one of them goes away, as SDKs do. It is safe for concurrent use.
//
// What was refused was not done, so it is sent again: no connection, or status
// 503. A request that was cut after it was sent may have been done or not; it is
// sent again only where doing it twice is the same as doing it once. Any other
// marks the recorder: nobody can say what the scenario may expect then.
type Again struct {
	refused, unavailable, cut, lost atomic.Int64
}

// String says how often what happened.
func (a *Again) String() string {
	return fmt.Sprintf("sent again: %d refused connections, %d answers 503, %d requests cut and repeatable; %d requests cut for good",
		a.refused.Load(), a.unavailable.Load(), a.cut.Load(), a.lost.Load())
}

const (
	againTries = 60
	againPause = 50 * time.Millisecond
)

// repeatable are the actions that may be done twice. A send is only when it says
// by what its duplicate is known.
var repeatable = map[string]bool{
	"CreateQueue": true, "GetQueueUrl": true, "GetQueueAttributes": true, "SetQueueAttributes": true,
	"ListQueues": true, "ListQueueTags": true, "TagQueue": true, "UntagQueue": true,
	"ListDeadLetterSourceQueues": true, "ListMessageMoveTasks": true,
	"CreateTopic": true, "DeleteTopic": true, "GetTopicAttributes": true, "SetTopicAttributes": true, "ListTopics": true,
	"Subscribe": true, "GetSubscriptionAttributes": true, "SetSubscriptionAttributes": true,
	"ListSubscriptions": true, "ListSubscriptionsByTopic": true,
	"TagResource": true, "UntagResource": true, "ListTagsForResource": true,
}

func mayRepeat(x *Exchange) bool {
	action := actionOf(x)
	switch action {
	case "SendMessage", "Publish":
		return bytes.Contains(x.RequestBody, []byte("MessageDeduplicationId"))
	case "DeleteMessage", "DeleteMessageBatch":
		return !bytes.Contains(x.RequestBody, []byte(".fifo"))
	}
	return repeatable[action]
}

// actionOf reads the action off a request in either protocol.
func actionOf(x *Exchange) string {
	if _, action, ok := strings.Cut(x.RequestHeader.Get("X-Amz-Target"), "."); ok {
		return action
	}
	for part := range strings.SplitSeq(string(x.RequestBody), "&") {
		if action, ok := strings.CutPrefix(part, "Action="); ok {
			return action
		}
	}
	return ""
}

// over decides after one try whether there is to be another one.
func (a *Again) over(x *Exchange, resp *http.Response, err error) (done, lost bool) {
	var op *net.OpError
	switch {
	case err == nil && resp.StatusCode != http.StatusServiceUnavailable:
		return true, false
	case err == nil:
		a.unavailable.Add(1)
	case errors.As(err, &op) && op.Op == "dial":
		a.refused.Add(1)
	case mayRepeat(x):
		a.cut.Add(1)
	default:
		a.lost.Add(1)
		return true, true
	}
	return false, false
}
