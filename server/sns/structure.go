package sns

import (
	"encoding/json"

	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// selectedMessage is the text that queues get, and the message as it was sent:
// with MessageStructure=json the document's member "sqs", or else "default".
// The texts of what is wrong are recorded, but for that of a character.
func selectedMessage(p *wire.Object) (selected, sent string, err error) {
	if sent, _, err = text(p, "Message"); err != nil {
		return "", "", err
	}
	if sent == "" {
		return "", "", invalid("Empty message")
	}
	structure, _, err := text(p, "MessageStructure")
	if err != nil {
		return "", "", err
	}
	selected = sent
	switch structure {
	case "":
	case "json":
		if selected, err = forQueues(sent); err != nil {
			return "", "", err
		}
	default:
		return "", "", invalid("MessageStructure Reason: json is the only one there is")
	}
	if r, bad := envelope.Forbidden(selected); bad {
		return "", "", invalid("Message Reason: invalid character %U", r)
	}
	return selected, sent, nil
}

// forQueues picks the text for queues out of a document. Of a member that is
// there twice the later one counts; one that is no string is as good as absent.
func forQueues(doc string) (string, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(doc), &members) != nil || members == nil {
		return "", structureFault("JSON message body failed to parse")
	}
	selected, ok := member(members, "default")
	if !ok {
		return "", structureFault("No default entry in JSON message body")
	}
	if own, ok := member(members, protocolSQS); ok {
		selected = own
	}
	if selected == "" {
		return "", invalid("Empty message")
	}
	return selected, nil
}

func member(members map[string]json.RawMessage, name string) (string, bool) {
	var value *string
	if json.Unmarshal(members[name], &value) != nil || value == nil {
		return "", false
	}
	return *value, true
}

func structureFault(why string) *fault.Error { return invalid("Message Structure - %s", why) }
