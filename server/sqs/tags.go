package sqs

import (
	"context"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/registry"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// AWS's documented limits of tags, lengths in characters.
const (
	mostTags        = 50
	longestTagKey   = 128
	longestTagValue = 256
)

func checkTagCount(n int) error {
	if n > mostTags {
		return fault.InvalidParameterValue.Withf("A queue can have at most %d tags.", mostTags)
	}
	return nil
}

// checkTags checks the keys and values that a request brings.
func checkTags(tags map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		if n := utf8.RuneCountInString(key); n < 1 || n > longestTagKey {
			return fault.InvalidParameterValue.Withf("A tag key must be 1 to %d characters long.", longestTagKey)
		}
		if utf8.RuneCountInString(tags[key]) > longestTagValue {
			return fault.InvalidParameterValue.Withf("A tag value must be 0 to %d characters long.", longestTagValue)
		}
	}
	return nil
}

// creationTags are the tags of a CreateQueue, whose JSON member is lower-case.
func creationTags(p *wire.Object) (map[string]string, error) {
	if p.Has("tags") {
		return textMapParam(p, "tags")
	}
	return textMapParam(p, "Tags")
}

// tagQueue adds tags and replaces the values of those that are there. Keys are
// case-sensitive, a value may be empty.
func (s *Service) tagQueue(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	tags, err := textMapParam(req.Params, "Tags")
	if err != nil {
		return nil, err
	}
	if len(tags) == 0 {
		return nil, missing("Tags")
	}
	if err := checkTags(tags); err != nil {
		return nil, err
	}
	_, err = s.registry.ChangeQueue(ctx, s.tokens.Of(req), name, func(q *registry.Queue) error {
		maps.Copy(q.Tags, tags)
		return checkTagCount(len(q.Tags))
	})
	return nil, brokerFault(err)
}

// untagQueue removes tags; keys that the queue does not have are ignored.
func (s *Service) untagQueue(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	keys, err := textListParam(req.Params, "TagKeys")
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, missing("TagKeys")
	}
	_, err = s.registry.ChangeQueue(ctx, s.tokens.Of(req), name, func(q *registry.Queue) error {
		for _, key := range keys {
			delete(q.Tags, key)
		}
		return nil
	})
	return nil, brokerFault(err)
}

// listQueueTags answers the tags; a queue without any has no Tags member in its
// answer.
func (s *Service) listQueueTags(ctx context.Context, req *wire.Request) (*wire.Object, error) {
	name, err := s.queueName(req)
	if err != nil {
		return nil, err
	}
	q, err := s.registry.QueueFresh(ctx, s.tokens.Of(req), name)
	if err != nil {
		return nil, brokerFault(err)
	}
	answer := wire.NewObject()
	if len(q.Tags) > 0 {
		answer.Set("Tags", textMap(q.Tags))
	}
	return answer, nil
}

// textMap is a map value with its members in the order of their names.
func textMap(m map[string]string) wire.Value {
	o := wire.NewObject()
	for _, name := range slices.Sorted(maps.Keys(m)) {
		o.Set(name, wire.String(m[name]))
	}
	return wire.Map(o)
}
