package sns

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// mostBytes is the size of a message, and of a batch, with its attributes
// (recorded; whether AWS counts the subject is not, it is not counted here).
const mostBytes = 262144

// longestSubject is the most characters of a subject.
const longestSubject = 100

// message is one message on its way to the subscribers.
type message struct {
	id         string
	topic      *registry.Topic
	body       string
	subject    string
	attributes []envelope.Attribute
	// group is the MessageGroupId; dedup names a message of a FIFO topic.
	group, dedup string
	trace        string
	at           time.Time
	// bytes is the size as AWS counts it, of what was sent.
	bytes int

	// What subscribers share, made when the first one needs it.
	raw, notification json.RawMessage
	filtered          filtered
}

// readMessage reads and checks a message but for what depends on the type of the
// topic, and its size.
func (s *Service) readMessage(t *registry.Topic, p *wire.Object, path, traceHeader string) (*message, error) {
	selected, sent, err := selectedMessage(p)
	if err != nil {
		return nil, err
	}
	m := &message{id: uuid.NewString(), topic: t, body: selected, at: s.clock.Now()}
	subject, present, err := text(p, "Subject")
	if err != nil {
		return nil, err
	}
	if present && !validSubject(subject) {
		return nil, invalid("Subject")
	}
	m.subject = subject
	if m.attributes, err = messageAttributes(p, path); err != nil {
		return nil, err
	}
	if m.group, err = idParam(p, "MessageGroupId"); err != nil {
		return nil, err
	}
	if m.dedup, err = idParam(p, "MessageDeduplicationId"); err != nil {
		return nil, err
	}
	if envelope.UsableTrace(traceHeader) {
		m.trace = traceHeader
	}
	m.bytes = len(sent) + attributeBytes(m.attributes)
	return m, nil
}

// validSubject: text of ASCII without control characters that begins with
// something to see, at most 100 characters (the API reference; that an empty one
// is refused is recorded).
func validSubject(subject string) bool {
	if subject == "" || len(subject) > longestSubject || subject[0] == ' ' {
		return false
	}
	return strings.IndexFunc(subject, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// idParam reads a message group or a deduplication id; absent and empty are the
// same.
func idParam(p *wire.Object, name string) (string, error) {
	id, _, err := text(p, name)
	if err == nil && id != "" && !envelope.ValidID(id) {
		err = invalid("%s Reason: %s can only include alphanumeric and punctuation characters. 1 to 128 in length", name, name)
	}
	return id, err
}

// checkGroup checks the message group against the type of the topic. A standard
// topic hands it on (recorded 2025-08-18; until 2023 it was refused).
func (m *message) checkGroup() error {
	if m.topic.FIFO() && m.group == "" {
		return invalid("The MessageGroupId parameter is required for FIFO topics")
	}
	return nil
}

// checkDedup checks the deduplication id against the type of the topic, and
// makes it of the message where the topic does that: of the text that queues
// get, alone (recorded for messages without a structure).
func (m *message) checkDedup() error {
	switch {
	case !m.topic.FIFO() && m.dedup != "":
		return invalid("MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is not valid for this topic type")
	case !m.topic.FIFO() || m.dedup != "":
		return nil
	case !strings.EqualFold(m.topic.Attributes[contentBasedDeduplication], "true"):
		return invalid("The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly")
	}
	sum := sha256.Sum256([]byte(m.body))
	m.dedup = hex.EncodeToString(sum[:])
	return nil
}
