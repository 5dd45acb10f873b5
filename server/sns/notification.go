package sns

import (
	"encoding/base64"
	"encoding/json"

	"github.com/queen-mq/queen-sqs/server/envelope"
	"github.com/queen-mq/queen-sqs/server/jsontext"
)

// timestamp is the form of a notification's Timestamp (recorded).
const timestamp = "2006-01-02T15:04:05.000Z"

// payload is the message as a queue stores it. All subscribers of one kind share
// it.
func (m *message) payload(raw bool) json.RawMessage {
	if raw {
		if m.raw == nil {
			m.raw = envelope.Encode(envelope.Message{Body: m.body, Attributes: m.attributes, System: m.system()})
		}
		return m.raw
	}
	if m.notification == nil {
		m.notification = envelope.Encode(envelope.Message{Body: string(m.appendNotification(nil)), System: m.system()})
	}
	return m.notification
}

// rename gives the message the id of the one it repeats.
func (m *message) rename(id string) {
	if m.id != id {
		m.id, m.notification = id, nil
	}
}

// system are the system attributes that travel with the message. The group of a
// message of a FIFO topic is the lane of a FIFO queue, and a standard queue does
// not get to see it (recorded).
func (m *message) system() []envelope.Entry {
	var entries []envelope.Entry
	if m.trace != "" {
		entries = append(entries, envelope.Entry{Name: envelope.TraceHeader, Value: m.trace})
	}
	if m.group != "" && !m.topic.FIFO() {
		entries = append(entries, envelope.Entry{Name: envelope.MessageGroupID, Value: m.group})
	}
	return entries
}

// appendNotification is the body of a message that is not delivered raw, with
// its members in AWS's order (recorded). There is no Signature, SigningCertURL
// or UnsubscribeURL (SN-06, NotificationsNotSigned) and no SequenceNumber (SN-02,
// NoSequenceNumberOnPublish); a FIFO topic has no SignatureVersion either, as at AWS.
func (m *message) appendNotification(out []byte) []byte {
	out = append(out, `{"Type":"Notification","MessageId":`...)
	out = jsontext.AppendString(out, m.id)
	out = append(out, `,"TopicArn":`...)
	out = jsontext.AppendString(out, m.topic.ARN)
	if m.subject != "" {
		out = append(out, `,"Subject":`...)
		out = jsontext.AppendString(out, m.subject)
	}
	out = append(out, `,"Message":`...)
	out = jsontext.AppendString(out, m.body)
	out = append(out, `,"Timestamp":"`...)
	out = m.at.UTC().AppendFormat(out, timestamp)
	out = append(out, '"')
	if !m.topic.FIFO() {
		version := m.topic.Attributes[signatureVersion]
		if version == "" {
			version = "1"
		}
		out = append(out, `,"SignatureVersion":`...)
		out = jsontext.AppendString(out, version)
	}
	for i, a := range m.attributes {
		if i == 0 {
			out = append(out, `,"MessageAttributes":{`...)
		} else {
			out = append(out, ',')
		}
		out = jsontext.AppendString(out, a.Name)
		out = append(out, `:{"Type":`...)
		out = jsontext.AppendString(out, a.Type)
		value := a.Value
		if a.Binary() {
			value = base64.StdEncoding.EncodeToString([]byte(value))
		}
		out = append(out, `,"Value":`...)
		out = jsontext.AppendString(out, value)
		out = append(out, '}')
	}
	if len(m.attributes) > 0 {
		out = append(out, '}')
	}
	return append(out, '}')
}
