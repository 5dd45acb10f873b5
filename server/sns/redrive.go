package sns

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/registry"
)

// redriveFlaw says what is wrong with the RedrivePolicy of a subscription; empty
// is nothing. The texts are recorded, but for that of a FIFO queue behind a
// standard topic, whose messages have no group it could take.
func (s *Service) redriveFlaw(sub *registry.Subscription, doc string) (why string) {
	if why := syntaxFlaw(doc); why != "" {
		return registry.RedrivePolicy + ": " + why
	}
	target, ok := s.deadLetterQueue(doc)
	switch {
	case !ok:
		return registry.RedrivePolicy + ": deadLetterTargetArn is an invalid arn"
	case registry.IsFIFO(sub.Topic) && registry.IsFIFO(sub.Endpoint) && !registry.IsFIFO(target):
		return registry.RedrivePolicy + ": must use a FIFO queue as DLQ for a FIFO Subscription to a FIFO Topic."
	case !registry.IsFIFO(sub.Topic) && registry.IsFIFO(target):
		return registry.RedrivePolicy + ": must use a standard queue as DLQ for a subscription to a standard topic."
	}
	return ""
}

// deadLetterQueue is the queue of this deployment that a RedrivePolicy names.
func (s *Service) deadLetterQueue(doc string) (name string, ok bool) {
	var policy struct {
		Target string `json:"deadLetterTargetArn"`
	}
	if json.Unmarshal([]byte(doc), &policy) != nil {
		return "", false
	}
	return s.queueOf(policy.Target)
}

// syntaxFlaw says what is wrong with the text of a JSON object, in the words of
// the parser behind AWS as far as they are recorded.
func syntaxFlaw(doc string) (why string) {
	if isObject(doc) {
		return ""
	}
	const failed = "failed to parse JSON. "
	rest := strings.TrimLeft(doc, " \t\r\n")
	if after, opened := strings.CutPrefix(rest, "{"); opened {
		r, n := utf8.DecodeRuneInString(strings.TrimLeft(after, " \t\r\n"))
		if n > 0 && r != '"' && r != '}' {
			return failed + fmt.Sprintf("Unexpected character ('%c' (code %d)): was expecting double-quote to start field name", r, r)
		}
		return failed + "The document is not a JSON object."
	}
	end := strings.IndexFunc(rest, func(r rune) bool {
		return !(r == '_' || r == '$' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	})
	if end < 0 {
		end = len(rest)
	}
	if token := rest[:end]; token != "" && !json.Valid([]byte(token)) {
		return failed + fmt.Sprintf("Unrecognized token '%s': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')", clip(token))
	}
	return failed + "The document is not a JSON object."
}
