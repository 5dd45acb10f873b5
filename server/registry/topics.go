package registry

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

const topicPrefix = "qs:t:"

func topicKey(name string) string { return Key("qs", "t", name) }

// changeAttempts is how often a change of a topic or of its subscriptions is
// applied to the winner of a race. Each change of a subscription moves the
// version of its topic on, so that losing is no rarity where many subscribe at
// once; somebody wins each round.
const changeAttempts = 32

// Topic is the record of a topic. One that the Registry hands out is shared:
// change a Clone.
//
// Its version moves on with every change of the topic or of one of its
// subscriptions, so that a list of subscriptions can be known to be current, and
// a topic cannot be deleted while somebody subscribes to it.
type Topic struct {
	Name string
	// Attributes are those that were set. An attribute not in here has its
	// default.
	Attributes map[string]string
	Tags       map[string]string
	// Created is in whole milliseconds.
	Created time.Time
	ARN     string
	// Version is the store's; 0 on a record that was never stored.
	Version int64

	// text is the record as the store has it, to be written back unchanged.
	text json.RawMessage
}

// FIFO reports whether the topic is a FIFO topic.
func (t *Topic) FIFO() bool { return IsFIFO(t.Name) }

// Clone is a copy that may be changed. Its maps are not nil.
func (t *Topic) Clone() *Topic {
	c := *t
	c.Attributes = cloned(t.Attributes)
	c.Tags = cloned(t.Tags)
	return &c
}

type storedTopic struct {
	Attributes map[string]string `json:"attributes"`
	Tags       map[string]string `json:"tags"`
	Created    int64             `json:"createdTs"`
	ARN        string            `json:"arn"`
}

func (t *Topic) stored() storedTopic {
	return storedTopic{cloned(t.Attributes), cloned(t.Tags), t.Created.UnixMilli(), t.ARN}
}

// TopicARN is the ARN of a topic of that name.
func (r *Registry) TopicARN(name string) string {
	return "arn:aws:sns:" + r.region + ":" + r.account + ":" + name
}

// decodeTopic reads a record as far as it can be read.
func (r *Registry) decodeTopic(name string, row Row) *Topic {
	t := &Topic{Name: name, Version: row.Version, text: row.Value}
	var members map[string]json.RawMessage
	bad := json.Unmarshal(row.Value, &members) != nil
	bad = !decodeTexts(members["attributes"], &t.Attributes) || bad
	bad = !decodeTexts(members["tags"], &t.Tags) || bad
	var created int64
	bad = !decodeMember(members["createdTs"], &created) || bad
	bad = !decodeMember(members["arn"], &t.ARN) || bad
	t.Created = time.UnixMilli(created).UTC()
	if t.ARN == "" {
		t.ARN = r.TopicARN(name)
	}
	if bad {
		r.lines.Warn("a topic record cannot be read in full; defaults stand in", "topic", name)
	}
	return t
}

// Topic reads a topic's record. Topics are never cached. A missing one is
// ErrNotFound.
func (r *Registry) Topic(ctx context.Context, tok queen.Token, name string) (*Topic, error) {
	row, err := r.Get(ctx, tok, topicKey(name))
	if err != nil {
		return nil, err
	}
	return r.decodeTopic(name, row), nil
}

// TopicNames answers up to limit names of topics in byte order, after the name
// after (exclusive; empty for the beginning), and whether there are more.
func (r *Registry) TopicNames(ctx context.Context, tok queen.Token, after string, limit int) (names []string, more bool, err error) {
	if after != "" {
		after = topicKey(after)
	}
	rows, more, err := r.Page(ctx, tok, topicPrefix, after, limit, true)
	if err != nil {
		return nil, false, err
	}
	names = make([]string, len(rows))
	for i, row := range rows {
		names[i] = strings.TrimPrefix(row.Key, topicPrefix)
	}
	return names, more, nil
}

// CreateTopic stores a record unless the topic has one already. It answers the
// record in force, and whether that is t. Created and ARN are set here.
func (r *Registry) CreateTopic(ctx context.Context, tok queen.Token, t *Topic) (inForce *Topic, created bool, err error) {
	t = t.Clone()
	t.Created = r.clock.Now().Truncate(time.Millisecond)
	t.ARN = r.TopicARN(t.Name)
	row, won, err := r.PutIf(ctx, tok, topicKey(t.Name), t.stored(), Forever, 0)
	if err != nil {
		return nil, false, err
	}
	return r.decodeTopic(t.Name, row), won, nil
}

// ChangeTopic reads a record, applies modify to a copy of it and stores that.
// When another writer was faster, modify is applied to the winner; after
// changeAttempts of that it is ErrConflict. A missing topic is ErrNotFound, an
// error of modify ends the change and is answered.
func (r *Registry) ChangeTopic(ctx context.Context, tok queen.Token, name string, modify func(*Topic) error) (*Topic, error) {
	t, err := r.Topic(ctx, tok, name)
	if err != nil {
		return nil, err
	}
	for range changeAttempts {
		changed := t.Clone()
		if err := modify(changed); err != nil {
			return nil, err
		}
		row, won, err := r.PutIf(ctx, tok, topicKey(name), changed.stored(), Forever, t.Version)
		if err != nil {
			return nil, err
		}
		if !won && row.Version == 0 {
			return nil, ErrNotFound
		}
		t = r.decodeTopic(name, row)
		if won {
			return t, nil
		}
	}
	return nil, ErrConflict
}

// DeleteTopic removes a topic's subscriptions and then its record. Whatever
// happens in between, a topic that is gone has left no subscription behind, and
// deleting again finishes what was begun. A topic that does not exist is fine.
func (r *Registry) DeleteTopic(ctx context.Context, tok queen.Token, name string) error {
	for range changeAttempts {
		err := r.tryDeleteTopic(ctx, tok, name)
		var lost *queen.PreconditionError
		if !errors.As(err, &lost) {
			return err
		}
	}
	return ErrConflict
}

// tryDeleteTopic deletes until the topic is gone, or fails with a
// *queen.PreconditionError when somebody else changed it in between.
func (r *Registry) tryDeleteTopic(ctx context.Context, tok queen.Token, name string) error {
	t, err := r.Topic(ctx, tok, name)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	for {
		rows, _, err := r.Page(ctx, tok, subscriptionsPrefix(name), "", maxOps-1, true)
		if err != nil {
			return err
		}
		var ops []queen.KVOp
		for _, row := range rows {
			ops = append(ops, queen.KVOp{Op: queen.KVDelete, NS: Namespace, Key: row.Key})
		}
		switch {
		case len(rows) == 0 && t == nil:
			return nil
		case len(rows) == 0:
			ops = []queen.KVOp{{Op: queen.KVDelete, NS: Namespace, Key: topicKey(name), Expect: &t.Version, Required: true}}
		case t != nil:
			ops = append(ops, t.touch())
		}
		results, err := r.broker.KV(ctx, tok, ops)
		if err != nil || len(rows) == 0 {
			return err
		}
		if len(results) != len(ops) {
			return &queen.BodyError{Reason: "the answer does not cover the operations"}
		}
		if t != nil {
			t.Version = results[len(results)-1].Version
		}
	}
}

// maxOps is how many operations one call to the key/value store takes.
const maxOps = 256

// touch writes the record back as it is, on condition that it still is: it
// moves the version on, and fails the call it is in when the topic was changed
// or deleted meanwhile.
func (t *Topic) touch() queen.KVOp {
	version := t.Version
	return queen.KVOp{
		Op: queen.KVPut, NS: Namespace, Key: topicKey(t.Name), Value: t.text,
		Forever: true, Expect: &version, Required: true,
	}
}
