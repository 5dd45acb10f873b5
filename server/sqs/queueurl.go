package sqs

import (
	"strings"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/queuename"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// validQueueName reports whether a name is well-formed.
func validQueueName(name string) bool { return queuename.Valid(name) }

// queueURL is the URL of a queue as the client of this request reaches it.
func (s *Service) queueURL(req *wire.Request, name string) string {
	return req.BaseURL + "/" + s.account + "/" + name
}

// queueARN is the ARN of a queue of this deployment.
func (s *Service) queueARN(name string) string {
	return "arn:aws:sqs:" + s.region + ":" + s.account + ":" + name
}

// nameFromARN answers the queue an ARN names, and whether it is the ARN of a
// queue of this region and account. Its partition is not looked at. Whether the
// queue exists is another question.
func (s *Service) nameFromARN(arn string) (name string, ok bool) {
	return queuename.FromARN(arn, s.region, s.account)
}

// nameFromURL answers the queue a QueueUrl names. Scheme and host are not looked
// at, because a client may reach this gateway by several; what counts is that
// the path ends in this account and a well-formed name. A bare queue name is
// taken too, as AWS takes it (recorded 2024-08-20).
func (s *Service) nameFromURL(url string) (name string, ok bool) {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	if validQueueName(url) {
		return url, true
	}
	if _, rest, found := strings.Cut(url, "://"); found {
		_, url, _ = strings.Cut(rest, "/")
	}
	account, name := lastSegments(url)
	return name, account == s.account && validQueueName(name)
}

// lastSegments are the last two segments of a path that are not empty.
func lastSegments(path string) (last2, last string) {
	for _, segment := range strings.Split(path, "/") {
		if segment != "" {
			last2, last = last, segment
		}
	}
	return last2, last
}

// messageActions take an empty QueueUrl for an unusable one; to the other
// actions it is a missing parameter.
var messageActions = map[string]bool{
	"SendMessage":                  true,
	"SendMessageBatch":             true,
	"ReceiveMessage":               true,
	"DeleteMessage":                true,
	"DeleteMessageBatch":           true,
	"ChangeMessageVisibility":      true,
	"ChangeMessageVisibilityBatch": true,
}

// queueName is the name of the queue a request addresses: by its QueueUrl, or,
// when it has none, by the path it was sent to, as SDKs of before 2023 do. It
// does not say that the queue exists.
func (s *Service) queueName(req *wire.Request) (string, error) {
	url, present, err := textParam(req.Params, "QueueUrl")
	if err != nil {
		return "", err
	}
	if url != "" {
		name, ok := s.nameFromURL(url)
		if !ok {
			return "", fault.QueueDoesNotExist.Default()
		}
		return name, nil
	}
	account, name := lastSegments(req.Path)
	switch {
	case account == s.account && validQueueName(name):
		return name, nil
	case isAccountID(account), present && messageActions[req.Action]:
		return "", fault.QueueDoesNotExist.Default()
	default:
		return "", missing("QueueUrl")
	}
}

// isAccountID reports whether a path segment is an account of somebody, so that
// the path was meant for a queue.
func isAccountID(segment string) bool {
	return len(segment) == 12 && strings.Trim(segment, "0123456789") == ""
}
